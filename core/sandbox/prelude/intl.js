// Intl, and what toLocaleString and localeCompare do with a locale and options. The host formats.
(function (host, captured) {
  'use strict';

  const { StringOf, TypeErrorClass, isArray, create, define } = captured;

  const locales = (value) => {
    if (value === undefined) return [];
    if (typeof value === 'string') return [value];
    if (isArray(value)) return value.map(StringOf);
    if (typeof value === 'object' && value !== null && typeof value.baseName === 'string') return [value.baseName];
    throw new TypeErrorClass('Incorrect locale information provided');
  };
  const choice = (options, name, allowed, fallback = '') => {
    const value = options[name];
    if (value === undefined) return fallback;
    const text = StringOf(value);
    if (allowed !== undefined && !allowed.includes(text)) {
      throw new RangeError('Value ' + text + ' out of range for Intl options property ' + name);
    }
    return text;
  };
  const digits = (options, name, low, high) => {
    if (options[name] === undefined) return -1;
    const n = Number(options[name]);
    if (n !== n || n < low || n > high) throw new RangeError(name + ' value is out of range.');
    return Math.floor(n);
  };
  const optionsOf = (value) => (value === undefined ? create(null) : Object(value));

  // ---- numbers

  const numberSpec = (options) => ({
    style: choice(options, 'style', ['decimal', 'percent', 'currency', 'unit'], 'decimal'),
    currency: choice(options, 'currency'),
    currencyDisplay: choice(options, 'currencyDisplay', ['code', 'symbol', 'narrowSymbol', 'name'], 'symbol'),
    currencySign: choice(options, 'currencySign', ['standard', 'accounting'], 'standard'),
    unit: choice(options, 'unit'),
    unitDisplay: choice(options, 'unitDisplay', ['short', 'narrow', 'long'], 'short'),
    notation: choice(options, 'notation', ['standard', 'scientific', 'engineering', 'compact'], 'standard'),
    compactDisplay: choice(options, 'compactDisplay', ['short', 'long'], 'short'),
    useGrouping: choice(options, 'useGrouping', ['auto', 'always', 'min2', 'true', 'false']),
    signDisplay: choice(options, 'signDisplay', ['auto', 'never', 'always', 'exceptZero', 'negative'], 'auto'),
    roundingMode: choice(options, 'roundingMode',
      ['ceil', 'floor', 'expand', 'trunc', 'halfCeil', 'halfFloor', 'halfExpand', 'halfTrunc', 'halfEven'], 'halfExpand'),
    trailingZeroDisplay: choice(options, 'trailingZeroDisplay', ['auto', 'stripIfInteger'], 'auto'),
    minimumIntegerDigits: digits(options, 'minimumIntegerDigits', 1, 21),
    minimumFractionDigits: digits(options, 'minimumFractionDigits', 0, 100),
    maximumFractionDigits: digits(options, 'maximumFractionDigits', 0, 100),
    minimumSignificantDigits: digits(options, 'minimumSignificantDigits', 1, 21),
    maximumSignificantDigits: digits(options, 'maximumSignificantDigits', 1, 21),
  });
  const numberText = (value) => {
    if (typeof value === 'bigint') return StringOf(value);
    if (typeof value === 'string' && /^\s*[-+]?\d+(\.\d+)?\s*$/.test(value)) return value.trim().replace(/^\+/, '');
    const n = Number(value);
    return Object.is(n, -0) ? '-0' : StringOf(n);
  };
  class NumberFormat {
    #format;
    #resolved;
    constructor(tags, options) {
      options = optionsOf(options);
      const spec = numberSpec(options);
      if (spec.style === 'currency' && spec.currency === '') throw new TypeErrorClass("Currency code is required with currency style, as in currency: 'USD'.");
      if (spec.style === 'unit' && spec.unit === '') throw new TypeErrorClass("Unit is required with unit style, as in unit: 'kilometer'.");
      const { format, locale, ...found } = host.numberFormat(locales(tags), spec);
      this.#format = format;
      this.#resolved = { locale, numberingSystem: 'latn', style: spec.style };
      if (spec.style === 'currency') {
        Object.assign(this.#resolved, { currency: found.currency, currencyDisplay: spec.currencyDisplay, currencySign: spec.currencySign });
      }
      if (spec.style === 'unit') Object.assign(this.#resolved, { unit: spec.unit, unitDisplay: spec.unitDisplay });
      Object.assign(this.#resolved, found.digits, {
        useGrouping: found.grouping === 'false' ? false : spec.useGrouping === '' || spec.useGrouping === 'true' ? 'auto' : found.grouping,
        notation: spec.notation,
      });
      if (spec.notation === 'compact') this.#resolved.compactDisplay = spec.compactDisplay;
      Object.assign(this.#resolved, {
        signDisplay: spec.signDisplay, roundingIncrement: 1, roundingMode: spec.roundingMode, roundingPriority: 'auto',
        trailingZeroDisplay: spec.trailingZeroDisplay,
      });
      define(this, 'format', (value) => this.#format(numberText(value), false));
    }
    formatToParts(value) { return this.#format(numberText(value), true); }
    formatRange(from, to) {
      const a = this.format(from), b = this.format(to);
      return a === b ? '~' + a : a + '–' + b;
    }
    resolvedOptions() { return { ...this.#resolved }; }
    get [Symbol.toStringTag]() { return 'Intl.NumberFormat'; }
  }

  // ---- dates

  const textual = ['narrow', 'short', 'long'], numeric = ['2-digit', 'numeric'];
  const dateSpec = (options, defaults) => {
    for (const name of ['era', 'dayPeriod']) {
      if (options[name] !== undefined) throw new RangeError('the option ' + name + ' of date formats is not available; put that part together yourself');
    }
    for (const [name, only] of [['calendar', ['gregory', 'iso8601']], ['numberingSystem', ['latn']]]) {
      if (options[name] !== undefined && !only.includes(options[name])) throw new RangeError('only ' + name + ': ' + only[0] + ' is available');
    }
    const spec = {
      weekday: choice(options, 'weekday', textual),
      year: choice(options, 'year', numeric),
      month: choice(options, 'month', [...numeric, ...textual]),
      day: choice(options, 'day', numeric),
      hour: choice(options, 'hour', numeric),
      minute: choice(options, 'minute', numeric),
      second: choice(options, 'second', numeric),
      fractionalSecondDigits: choice(options, 'fractionalSecondDigits', ['1', '2', '3']),
      timeZoneName: choice(options, 'timeZoneName', ['short', 'long', 'shortOffset', 'longOffset', 'shortGeneric', 'longGeneric']),
      dateStyle: choice(options, 'dateStyle', ['full', 'long', 'medium', 'short']),
      timeStyle: choice(options, 'timeStyle', ['full', 'long', 'medium', 'short']),
      hour12: choice(options, 'hour12') && StringOf(Boolean(options.hour12)),
      hourCycle: choice(options, 'hourCycle', ['h11', 'h12', 'h23', 'h24']),
      timeZone: choice(options, 'timeZone'),
    };
    const date = spec.weekday + spec.year + spec.month + spec.day;
    const time = spec.hour + spec.minute + spec.second + spec.fractionalSecondDigits;
    if (spec.dateStyle + spec.timeStyle !== '') {
      if (date + time + spec.timeZoneName !== '') {
        throw new TypeErrorClass("Can't set option " + ['weekday', 'year', 'month', 'day', 'hour', 'minute', 'second',
          'fractionalSecondDigits', 'timeZoneName'].find((name) => spec[name] !== '') + ' when ' + (spec.dateStyle === '' ? 'timeStyle' : 'dateStyle') + ' is used');
      }
      if (defaults === 'date' && spec.timeStyle !== '') throw new TypeErrorClass('Invalid option : timeStyle');
      if (defaults === 'time' && spec.dateStyle !== '') throw new TypeErrorClass('Invalid option : dateStyle');
      return spec;
    }
    const missing = defaults === 'date' ? date === '' : defaults === 'time' ? time === '' : date + time === '';
    if (missing && defaults !== 'time') spec.year = spec.month = spec.day = 'numeric';
    if (missing && (defaults === 'time' || defaults === 'both')) spec.hour = spec.minute = spec.second = 'numeric';
    return spec;
  };
  const milliseconds = (date) => {
    const ms = date === undefined ? Date.now() : Number(date);
    if (ms !== ms || Math.abs(ms) > 8.64e15) throw new RangeError('Invalid time value');
    return ms;
  };
  class DateTimeFormat {
    #format;
    #resolved;
    constructor(tags, options) {
      const spec = dateSpec(optionsOf(options), 'any');
      const { format, locale, timeZone, hourCycle } = host.dateFormat(locales(tags), spec);
      this.#format = format;
      this.#resolved = { locale, calendar: 'gregory', numberingSystem: 'latn', timeZone };
      if (spec.hour !== '' || spec.timeStyle !== '') Object.assign(this.#resolved, { hourCycle, hour12: hourCycle === 'h12' || hourCycle === 'h11' });
      for (const name of ['weekday', 'year', 'month', 'day', 'hour', 'minute', 'second', 'timeZoneName', 'dateStyle', 'timeStyle']) {
        if (spec[name] !== '') this.#resolved[name] = spec[name];
      }
      define(this, 'format', (date) => this.#format(milliseconds(date), false));
    }
    formatToParts(date) { return this.#format(milliseconds(date), true); }
    formatRange(from, to) {
      const a = this.format(from), b = this.format(to);
      return a === b ? a : a + ' – ' + b;
    }
    resolvedOptions() { return { ...this.#resolved }; }
    get [Symbol.toStringTag]() { return 'Intl.DateTimeFormat'; }
  }

  // ---- text

  const compareSpec = (options) => {
    if (options.ignorePunctuation === true) throw new RangeError('the option ignorePunctuation is not available; take the punctuation out of both texts first');
    return { numeric: options.numeric === true, sensitivity: choice(options, 'sensitivity', ['base', 'accent', 'case', 'variant'], 'variant') };
  };
  // A sort compares with the same options each time, in a new object each time.
  const comparers = create(null);
  const comparer = (tag, spec) => (comparers[tag + spec.numeric + spec.sensitivity] ??= host.collator(tag, spec.numeric, spec.sensitivity));
  class Collator {
    #resolved;
    constructor(tags, options) {
      options = optionsOf(options);
      const spec = compareSpec(options), tag = locales(tags)[0] ?? 'en-US';
      const compare = comparer(tag, spec);
      this.#resolved = {
        locale: tag, usage: 'sort', sensitivity: spec.sensitivity, ignorePunctuation: false,
        collation: 'default', numeric: spec.numeric, caseFirst: 'false',
      };
      define(this, 'compare', (a, b) => compare(StringOf(a), StringOf(b)));
    }
    resolvedOptions() { return { ...this.#resolved }; }
  }

  const english = (tags, what) => {
    for (const tag of locales(tags)) {
      if (!/^(en|default|und)\b/.test(tag)) throw new RangeError(what + ' is only available in English, not in ' + tag + '; use en-US, or put the text together yourself');
    }
    return locales(tags)[0] === undefined ? 'en-US' : locales(tags)[0];
  };

  class PluralRules {
    #ordinal;
    #numbers;
    #locale;
    constructor(tags, options) {
      this.#locale = english(tags, 'Intl.PluralRules');
      options = optionsOf(options);
      this.#ordinal = choice(options, 'type', ['cardinal', 'ordinal'], 'cardinal') === 'ordinal';
      const { style: _, ...rest } = options;
      this.#numbers = new NumberFormat('en-US', { ...rest, useGrouping: false });
    }
    select(n) { return host.plural(this.#numbers.format(n), this.#ordinal); }
    resolvedOptions() {
      const categories = this.#ordinal ? ['few', 'one', 'two', 'other'] : ['one', 'other'];
      return { locale: this.#locale, type: this.#ordinal ? 'ordinal' : 'cardinal', pluralCategories: categories };
    }
  }

  const words = { long: ['and', 'or'], short: ['&', 'or'], narrow: ['', 'or'] };
  class ListFormat {
    #type;
    #style;
    #locale;
    constructor(tags, options) {
      this.#locale = english(tags, 'Intl.ListFormat');
      options = optionsOf(options);
      this.#type = choice(options, 'type', ['conjunction', 'disjunction', 'unit'], 'conjunction');
      this.#style = choice(options, 'style', ['long', 'short', 'narrow'], 'long');
    }
    formatToParts(list) {
      const items = [];
      for (const item of list) {
        if (typeof item !== 'string') throw new TypeErrorClass('Iterable yielded ' + StringOf(item) + ' which is not a string');
        items.push(item);
      }
      const unit = this.#type === 'unit';
      const word = unit ? '' : words[this.#style][this.#type === 'disjunction' ? 1 : 0];
      const comma = unit && this.#style === 'narrow' ? ' ' : ', ';
      const comma3 = this.#locale === 'en-GB' && word !== '' ? ' ' : comma;
      const parts = [];
      items.forEach((value, i) => {
        if (i > 0) {
          const last = i === items.length - 1;
          const between = !last || word === '' ? comma : (items.length === 2 ? ' ' : comma3) + word + ' ';
          parts.push({ type: 'literal', value: between });
        }
        parts.push({ type: 'element', value });
      });
      return parts;
    }
    format(list) { return this.formatToParts(list).map((p) => p.value).join(''); }
    resolvedOptions() { return { locale: this.#locale, type: this.#type, style: this.#style }; }
  }

  const spans = ['year', 'quarter', 'month', 'week', 'day', 'hour', 'minute', 'second'];
  const shortSpans = { year: 'yr.', quarter: 'qtr.', month: 'mo.', week: 'wk.', day: 'day', hour: 'hr.', minute: 'min.', second: 'sec.' };
  const narrowSpans = { year: 'y', quarter: 'q', month: 'mo', week: 'w', day: 'd', hour: 'h', minute: 'min', second: 's' };
  const near = { year: ['last year', 'this year', 'next year'], quarter: ['last quarter', 'this quarter', 'next quarter'],
    month: ['last month', 'this month', 'next month'], week: ['last week', 'this week', 'next week'],
    day: ['yesterday', 'today', 'tomorrow'], hour: [, 'this hour'], minute: [, 'this minute'], second: [, 'now'] };
  class RelativeTimeFormat {
    #style;
    #auto;
    #locale;
    #numbers = new NumberFormat('en-US');
    constructor(tags, options) {
      this.#locale = english(tags, 'Intl.RelativeTimeFormat');
      options = optionsOf(options);
      this.#style = choice(options, 'style', ['long', 'short', 'narrow'], 'long');
      this.#auto = choice(options, 'numeric', ['always', 'auto'], 'always') === 'auto';
    }
    formatToParts(value, unit) {
      unit = StringOf(unit).replace(/s$/, '');
      if (!spans.includes(unit)) throw new RangeError('Invalid unit argument for format() \'' + unit + "'");
      value = Number(value);
      if (!Number.isFinite(value)) throw new RangeError('The number value needs to be finite for Intl.RelativeTimeFormat.prototype.format()');
      const word = this.#auto && Number.isInteger(value) && Math.abs(value) <= 1 ? near[unit][value + 1] : undefined;
      if (word !== undefined) {
        const name = this.#style === 'long' ? word : word.replace(/(year|quarter|month|week)$/, (w) => shortSpans[w]);
        return [{ type: 'literal', value: name }];
      }
      const past = value < 0 || Object.is(value, -0);
      const number = this.#numbers.formatToParts(Math.abs(value)).map((p) => ({ ...p, unit }));
      const text = number.map((p) => p.value).join('');
      let name = ' ' + (text === '1' ? unit : unit + 's');
      if (this.#style === 'short') name = ' ' + (text !== '1' && (unit === 'day' || unit === 'quarter') ? shortSpans[unit].replace('day', 'days').replace('qtr', 'qtrs') : shortSpans[unit]);
      if (this.#style === 'narrow') name = narrowSpans[unit];
      return past
        ? [...number, { type: 'literal', value: name + ' ago' }]
        : [{ type: 'literal', value: 'in ' }, ...number, { type: 'literal', value: name }];
    }
    format(value, unit) { return this.formatToParts(value, unit).map((p) => p.value).join(''); }
    resolvedOptions() { return { locale: this.#locale, style: this.#style, numeric: this.#auto ? 'auto' : 'always', numberingSystem: 'latn' }; }
  }

  const Intl = create(Object.prototype);
  const supported = { supportedLocalesOf(tags) { return locales(tags).filter((tag) => host.hasLocale(tag)); } }.supportedLocalesOf;
  for (const c of [NumberFormat, DateTimeFormat, Collator, PluralRules, ListFormat, RelativeTimeFormat]) {
    // NumberFormat and its older siblings may be called without new.
    const { [c.name]: callable } = { [c.name]: function (tags, options) { return new c(tags, options); } };
    callable.prototype = c.prototype;
    define(c.prototype, 'constructor', callable);
    define(callable, 'supportedLocalesOf', supported);
    define(Intl, c.name, callable);
  }
  const absent = { Segmenter: 'use [...text] for characters and split(/\\s+/) for words', DisplayNames: 'write the names out',
    DurationFormat: 'put the text together yourself', Locale: 'split the tag at "-"' };
  for (const name of Object.keys(absent)) {
    define(Intl, name, { [name]: function () { throw new TypeErrorClass('Intl.' + name + ' is not available; ' + absent[name]); } }[name]);
  }
  define(Intl, 'getCanonicalLocales', { getCanonicalLocales(tags) { return locales(tags); } }.getCanonicalLocales);
  define(Intl, Symbol.toStringTag, 'Intl');

  const plain = {};
  const numbers = (tags, options) => (tags === undefined && options === undefined ? (plain.numbers ??= new NumberFormat()) : new NumberFormat(tags, options));
  return {
    Intl,
    'Number.prototype.toLocaleString'(tags, options) {
      if (typeof this !== 'number' && !(this instanceof Number)) throw new TypeErrorClass('Number.prototype.toLocaleString requires that \'this\' be a Number');
      return numbers(tags, options).format(Number(this));
    },
    'BigInt.prototype.toLocaleString'(tags, options) { return numbers(tags, options).format(BigInt(this)); },
    'String.prototype.localeCompare'(other, tags, options) {
      if (tags === undefined && options === undefined) return (plain.compare ??= comparer('en-US', compareSpec({})))(StringOf(this), StringOf(other));
      return comparer(locales(tags)[0] ?? 'en-US', compareSpec(optionsOf(options)))(StringOf(this), StringOf(other));
    },
    dateText(ms, tags, options, defaults) {
      return host.dateFormat(locales(tags), dateSpec(optionsOf(options), defaults)).format(ms, false);
    },
  };
})
