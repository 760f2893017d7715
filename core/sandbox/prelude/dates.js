// Date in UTC, whatever zone the process is in. It runs when a program first names Date.
(function (host, captured) {
  'use strict';

  const { apply, defineProperty, define, uncurry, StringOf } = captured;
  const NativeDate = host.native.Date, datePrototype = NativeDate.prototype;
  const construct = Reflect.construct;
  const test = uncurry(/x/.test), split = uncurry(captured.split), sliceText = uncurry(captured.slice);
  const { UTC: utc, parse: nativeParse } = NativeDate;
  const getTime = uncurry(datePrototype.getTime);
  const utcText = uncurry(datePrototype.toUTCString);
  for (const unit of ['FullYear', 'Month', 'Date', 'Day', 'Hours', 'Minutes', 'Seconds', 'Milliseconds']) {
    define(datePrototype, 'get' + unit, datePrototype['getUTC' + unit]);
    if (unit !== 'Day') define(datePrototype, 'set' + unit, datePrototype['setUTC' + unit]);
  }
  const invalid = (date) => getTime(date) !== getTime(date);
  const dateText = (date) => {
    const p = split(utcText(date), ' '); // Mon, 02 Jan 2006 15:04:05 GMT
    return sliceText(p[0], 0, 3) + ' ' + p[2] + ' ' + p[1] + ' ' + p[3];
  };
  const timeText = (date) => split(utcText(date), ' ')[4] + ' GMT+0000 (Coordinated Universal Time)';
  const unlessInvalid = (date, text) => (invalid(date) ? 'Invalid Date' : text());
  const locale = (name) => function (locales, options) {
    const ms = getTime(this);
    return ms !== ms ? 'Invalid Date' : host.part('intl').dateText(ms, locales, options, name);
  };
  const methods = {
    getTimezoneOffset() { return invalid(this) ? NaN : 0; },
    toString() { return unlessInvalid(this, () => dateText(this) + ' ' + timeText(this)); },
    toDateString() { return unlessInvalid(this, () => dateText(this)); },
    toTimeString() { return unlessInvalid(this, () => timeText(this)); },
    toLocaleString: locale('both'),
    toLocaleDateString: locale('date'),
    toLocaleTimeString: locale('time'),
  };
  for (const name in methods) define(datePrototype, name, methods[name]);
  delete datePrototype.getYear;
  delete datePrototype.setYear;

  const isoDateTime = /^[+-]?\d{4,6}-\d\d-\d\dT[\d:.,]*$/;
  const hasZone = /^[+-]?\d{4,6}(-\d\d){0,2}$|T.*(Z|[+-]\d\d:?\d\d)$|\d\d:\d\d.*(Z|[+-]\d\d)|GMT|UTC/i;
  const parseDate = (text) => {
    if (test(isoDateTime, text)) return nativeParse(text + 'Z');
    if (test(hasZone, text)) return nativeParse(text);
    const ms = nativeParse(text + ' GMT');
    return ms === ms ? ms : nativeParse(text);
  };
  const UtcDate = {
    Date: function (...args) {
      if (new.target === undefined) return new UtcDate() + '';
      if (args.length > 1) return construct(NativeDate, [apply(utc, NativeDate, args)], new.target);
      if (args.length === 1 && typeof args[0] === 'string') return construct(NativeDate, [parseDate(args[0])], new.target);
      return construct(NativeDate, args, new.target);
    },
  }.Date;
  defineProperty(UtcDate, 'length', { value: 7 });
  defineProperty(UtcDate, 'prototype', { value: datePrototype, writable: false });
  define(UtcDate, 'now', NativeDate.now);
  define(UtcDate, 'UTC', utc);
  define(UtcDate, 'parse', { parse(text) { return parseDate(StringOf(text)); } }.parse);
  define(datePrototype, 'constructor', UtcDate);
  return { Date: UtcDate };
})
