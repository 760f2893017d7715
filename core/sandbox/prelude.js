// The prelude runs once in every session, before anything of the program. It
// completes the language, pins it to UTC, turns dynamic code off, and returns the
// functions that the host calls later. It captures what it uses, so that a program
// that changes the built-ins changes them for itself only.
(function (host) {
  'use strict';

  const { apply, construct, ownKeys, defineProperty, getOwnPropertyDescriptor, getPrototypeOf } = Reflect;
  const { create, freeze, keys } = Object;
  const { isArray, prototype: arrayPrototype } = Array;
  const { isView } = ArrayBuffer;
  const { stringify } = JSON;
  const PromiseClass = Promise, StringOf = String, NumberOf = Number, BigIntOf = BigInt, ErrorClass = Error;
  const isError = Error.isError;
  const TypeErrorClass = TypeError, EvalErrorClass = EvalError;
  const { trunc } = Math;
  const uncurry = (f) => (self, ...args) => apply(f, self, args);
  const getter = (proto, name) => uncurry(getOwnPropertyDescriptor(proto, name).get);
  const join = uncurry(arrayPrototype.join);
  const sliceText = uncurry(String.prototype.slice);
  const split = uncurry(String.prototype.split);
  const replace = uncurry(String.prototype.replaceAll);
  const padEnd = uncurry(String.prototype.padEnd);
  const repeat = uncurry(String.prototype.repeat);
  const includes = uncurry(String.prototype.includes);
  const then = uncurry(Promise.prototype.then);
  const hasOwn = uncurry(Object.prototype.hasOwnProperty);
  const eachOfMap = uncurry(Map.prototype.forEach);
  const eachOfSet = uncurry(Set.prototype.forEach);
  const regexpText = uncurry(RegExp.prototype.toString);
  const test = uncurry(RegExp.prototype.test);
  const symbolText = uncurry(Symbol.prototype.toString);
  const functionText = uncurry(Function.prototype.toString);

  const attempt = (f, otherwise) => {
    try {
      return f();
    } catch {
      return otherwise;
    }
  };
  const define = (target, name, value) =>
    defineProperty(target, name, { value, writable: true, configurable: true, enumerable: false });
  const defineAll = (target, values) => {
    for (const name of ownKeys(values)) define(target, name, values[name]);
  };

  // ---- the language

  for (const name of ['asyncIterator', 'dispose', 'asyncDispose']) {
    if (Symbol[name] === undefined) {
      defineProperty(Symbol, name, { value: Symbol('Symbol.' + name), writable: false, configurable: false, enumerable: false });
    }
  }

  const group = (items, keyOf, put) => {
    let i = 0;
    for (const item of items) put(keyOf(item, i++), item);
  };
  defineAll(Object, {
    groupBy(items, keyOf) {
      const groups = create(null);
      group(items, keyOf, (key, item) => {
        if (!hasOwn(groups, key)) groups[key] = [];
        groups[key].push(item);
      });
      return groups;
    },
  });
  defineAll(Map, {
    groupBy(items, keyOf) {
      const groups = new Map();
      group(items, keyOf, (key, item) => {
        if (!groups.has(key)) groups.set(key, []);
        groups.get(key).push(item);
      });
      return groups;
    },
  });
  defineAll(Promise, {
    withResolvers() {
      let resolve, reject;
      const promise = new this((yes, no) => {
        resolve = yes;
        reject = no;
      });
      return { promise, resolve, reject };
    },
    try(f, ...args) {
      return new this((resolve) => resolve(f(...args)));
    },
  });
  defineAll(Array, {
    async fromAsync(items, convert, self) {
      const result = [];
      const add = async (item) => {
        const value = await item;
        result.push(convert === undefined ? value : await apply(convert, self, [value, result.length]));
      };
      if (items[Symbol.asyncIterator] != null) {
        const iterator = items[Symbol.asyncIterator]();
        for (let next = await iterator.next(); !next.done; next = await iterator.next()) await add(next.value);
      } else if (items[Symbol.iterator] != null) {
        for (const item of items) await add(item);
      } else {
        for (let i = 0; i < items.length; i++) await add(items[i]);
      }
      return result;
    },
  });

  // ---- no code but the program's own

  const refuseCode = () => {
    throw new EvalErrorClass('code cannot be made from text here; write the function out');
  };
  for (const f of [function () {}, async function () {}, function* () {}]) {
    const proto = getPrototypeOf(f);
    const stub = { [proto.constructor.name]: function () { refuseCode(); } }[proto.constructor.name];
    stub.prototype = proto;
    if (proto === Function.prototype) define(globalThis, 'Function', stub);
    defineProperty(proto, 'constructor', { value: stub, writable: false, configurable: false, enumerable: false });
  }
  define(globalThis, 'eval', { eval() { refuseCode(); } }.eval);
  delete globalThis.GoError;

  // ---- dates are in UTC, whatever zone the process is in

  const NativeDate = Date, datePrototype = Date.prototype;
  const { UTC: utc, parse: nativeParse } = Date;
  const getTime = uncurry(datePrototype.getTime);
  const utcText = uncurry(datePrototype.toUTCString);
  const isoText = uncurry(datePrototype.toISOString);
  for (const unit of ['FullYear', 'Month', 'Date', 'Day', 'Hours', 'Minutes', 'Seconds', 'Milliseconds']) {
    define(datePrototype, 'get' + unit, datePrototype['getUTC' + unit]);
    if (unit !== 'Day') define(datePrototype, 'set' + unit, datePrototype['setUTC' + unit]);
  }
  const [getMonth, getDate, getFullYear, getHours, getMinutes, getSeconds] =
    ['getMonth', 'getDate', 'getFullYear', 'getHours', 'getMinutes', 'getSeconds'].map((name) => uncurry(datePrototype[name]));
  const invalid = (date) => getTime(date) !== getTime(date);
  const two = (n) => (n < 10 ? '0' : '') + n;
  const dateText = (date) => {
    const p = split(utcText(date), ' '); // Mon, 02 Jan 2006 15:04:05 GMT
    return sliceText(p[0], 0, 3) + ' ' + p[2] + ' ' + p[1] + ' ' + p[3];
  };
  const timeText = (date) => split(utcText(date), ' ')[4] + ' GMT+0000 (Coordinated Universal Time)';
  const localeDate = (date) => getMonth(date) + 1 + '/' + getDate(date) + '/' + getFullYear(date);
  const localeTime = (date) => {
    const hours = getHours(date);
    return ((hours + 11) % 12) + 1 + ':' + two(getMinutes(date)) + ':' + two(getSeconds(date)) + (hours < 12 ? ' AM' : ' PM');
  };
  const unlessInvalid = (date, text) => (invalid(date) ? 'Invalid Date' : text());
  defineAll(datePrototype, {
    getTimezoneOffset() { return invalid(this) ? NaN : 0; },
    toString() { return unlessInvalid(this, () => dateText(this) + ' ' + timeText(this)); },
    toDateString() { return unlessInvalid(this, () => dateText(this)); },
    toTimeString() { return unlessInvalid(this, () => timeText(this)); },
    toLocaleString() { return unlessInvalid(this, () => localeDate(this) + ', ' + localeTime(this)); },
    toLocaleDateString() { return unlessInvalid(this, () => localeDate(this)); },
    toLocaleTimeString() { return unlessInvalid(this, () => localeTime(this)); },
  });
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
  defineAll(UtcDate, { now: NativeDate.now, UTC: utc, parse(text) { return parseDate(StringOf(text)); } });
  define(datePrototype, 'constructor', UtcDate);
  define(globalThis, 'Date', UtcDate);

  // kindOf tells built-in objects apart. A getter of the prototypes would do so as
  // well, but where it refuses, the engine renders the object for its message, by
  // the object's own toString.
  const { kindOf } = host;

  // ---- bytes

  const typedArrayPrototype = getPrototypeOf(Uint8Array.prototype);
  const typedParts = [getter(typedArrayPrototype, 'buffer'), getter(typedArrayPrototype, 'byteOffset'), getter(typedArrayPrototype, 'byteLength')];
  const viewParts = [getter(DataView.prototype, 'buffer'), getter(DataView.prototype, 'byteOffset'), getter(DataView.prototype, 'byteLength')];
  const bufferLength = getter(ArrayBuffer.prototype, 'byteLength');
  const typedLength = getter(typedArrayPrototype, 'length');
  const typedName = uncurry(getOwnPropertyDescriptor(typedArrayPrototype, Symbol.toStringTag).get);
  // window returns buffer, offset and length of what a value shows of a buffer.
  const window = (value) => {
    if (kindOf(value) === 'ArrayBuffer') return [value, 0, bufferLength(value)];
    if (!isView(value)) return undefined;
    const parts = typedName(value) === undefined ? viewParts : typedParts;
    return [parts[0](value), parts[1](value), parts[2](value)];
  };
  const Bytes = Uint8Array;

  const collect = (each, width) => (collection) => {
    const items = [];
    let n = 0;
    each(collection, (value, key) => {
      if (width === 2) items[n++] = key;
      items[n++] = value;
    });
    return items;
  };
  const mapItems = collect(eachOfMap, 2), setItems = collect(eachOfSet, 1);

  // ---- console: its methods are there at once, what is behind them when it is needed

  let inspector;
  const inspecting = () =>
    (inspector ??= host.console(host, {
      getOwnPropertyDescriptor, getPrototypeOf, ownKeys, apply, create, keys, isArray, isView, isError,
      stringify, StringOf, NumberOf, trunc, join, sliceText, replace, padEnd, repeat, includes, hasOwn, test,
      regexpText, symbolText, functionText, attempt, kindOf, window, typedName, typedLength, mapItems, setItems,
      invalid, isoText,
    }));
  const inspect = (value) => inspecting().inspect(value);
  const console = {};
  const levels = ['log', 'info', 'debug', 'warn', 'error', 'trace', 'dir', 'dirxml', 'table', 'assert', 'group', 'groupCollapsed',
    'groupEnd', 'count', 'countReset', 'time', 'timeLog', 'timeEnd', 'clear'];
  for (const name of levels) {
    console[name] = { [name](...args) { apply(inspecting().methods[name], undefined, args); } }[name];
  }

  // ---- structuredClone

  const cloneError = (what) => {
    const error = new ErrorClass(what + ' could not be cloned');
    define(error, 'name', 'DataCloneError');
    return error;
  };
  const clone = (value, done) => {
    if (typeof value === 'function' || typeof value === 'symbol') throw cloneError(inspect(value));
    if (typeof value !== 'object' || value === null) return value;
    if (done.has(value)) return done.get(value);
    const keep = (copy) => {
      done.set(value, copy);
      return copy;
    };
    const kind = kindOf(value);
    if (kind === 'Date') return keep(new NativeDate(getTime(value)));
    if (kind === 'RegExp') return keep(new RegExp(value.source, value.flags));
    if (kind === 'Map') {
      const copy = keep(new Map());
      eachOfMap(value, (v, k) => copy.set(clone(k, done), clone(v, done)));
      return copy;
    }
    if (kind === 'Set') {
      const copy = keep(new Set());
      eachOfSet(value, (v) => copy.add(clone(v, done)));
      return copy;
    }
    const bytes = window(value);
    if (bytes !== undefined) {
      if (!isView(value)) return keep(value.slice(0));
      const viewClass = globalThis[typedName(value) || 'DataView'];
      const buffer = clone(bytes[0], done);
      return keep(new viewClass(buffer, bytes[1], typedName(value) === undefined ? bytes[2] : typedLength(value)));
    }
    if (kind === 'Promise' || value instanceof WeakMap || value instanceof WeakSet) throw cloneError(inspect(value));
    const copy = keep(isArray(value) ? new Array(value.length) : isError(value) ? makeError(value.name, value.message) : {});
    if (isError(value) && hasOwn(value, 'cause')) define(copy, 'cause', clone(value.cause, done));
    const names = keys(value);
    for (let i = 0; i < names.length; i++) {
      const key = names[i];
      defineProperty(copy, key, { value: clone(value[key], done), writable: true, configurable: true, enumerable: true });
    }
    return copy;
  };

  // ---- the other globals

  const TextEncoder = class TextEncoder {
    get encoding() { return 'utf-8'; }
    encode(text) { return host.encodeText(text === undefined ? '' : StringOf(text)); }
  };
  const utf8Labels = /^\s*(unicode-1-1-utf-8|utf-?8)\s*$/i;
  const TextDecoder = class TextDecoder {
    #fatal;
    #keepBOM;
    constructor(encoding = 'utf-8', options = {}) {
      if (!test(utf8Labels, StringOf(encoding))) throw new RangeError('only utf-8 is supported');
      this.#fatal = options.fatal === true;
      this.#keepBOM = options.ignoreBOM === true;
    }
    get encoding() { return 'utf-8'; }
    get fatal() { return this.#fatal; }
    get ignoreBOM() { return this.#keepBOM; }
    decode(bytes) { return bytes === undefined ? '' : host.decodeText(bytes, this.#fatal, this.#keepBOM); }
  };

  const idle = PromiseClass.resolve();
  const hex = '0123456789abcdef';
  defineAll(globalThis, {
    console,
    TextEncoder,
    TextDecoder,
    structuredClone(value) { return clone(value, new Map()); },
    queueMicrotask(f) {
      if (typeof f !== 'function') throw new TypeErrorClass('queueMicrotask takes a function');
      then(idle, () => { apply(f, undefined, []); });
    },
    performance: { now() { return host.elapsed(); }, timeOrigin: host.timeOrigin },
    crypto: {
      getRandomValues(view) { return host.fillRandom(view); },
      randomUUID() {
        const b = host.fillRandom(new Bytes(16));
        b[6] = (b[6] & 15) | 64;
        b[8] = (b[8] & 63) | 128;
        let text = '';
        for (let i = 0; i < 16; i++) text += (i === 4 || i === 6 || i === 8 || i === 10 ? '-' : '') + hex[b[i] >> 4] + hex[b[i] & 15];
        return text;
      },
    },
  });

  // ---- for the host

  const errorClasses = create(null);
  for (const c of [Error, TypeError, RangeError, SyntaxError, ReferenceError, EvalError, URIError]) errorClasses[c.name] = c;

  const makeError = (name, message) => {
    const known = errorClasses[name];
    const error = new (known || ErrorClass)(message);
    if (known === undefined && name) define(error, 'name', name);
    return error;
  };

  const read = (value, key) => attempt(() => value[key]);
  const explain = (thrown, depth) => {
    const out = create(null);
    if ((typeof thrown !== 'object' && typeof thrown !== 'function') || thrown === null) {
      out.message = typeof thrown === 'string' && thrown !== '' ? thrown : 'threw ' + inspecting().show(thrown);
      return out;
    }
    const name = read(thrown, 'name'), message = read(thrown, 'message'), code = read(thrown, 'code');
    const cause = read(thrown, 'cause'), stack = read(thrown, 'stack');
    if (typeof name === 'string' && name !== 'Error' && typeof thrown !== 'function') out.name = name;
    if (typeof message === 'string' && message !== '') out.message = message;
    else if (attempt(() => isError(thrown))) out.message = (out.name || 'Error') + ' without a message';
    else out.message = 'threw ' + inspect(thrown);
    if (typeof code === 'string' || typeof code === 'number') out.code = StringOf(code);
    out.retryable = read(thrown, 'retryable') === true;
    if (typeof stack === 'string') out.stack = stack;
    out.details = read(thrown, 'details');
    if (cause !== undefined && depth > 0) out.cause = explain(cause, depth - 1);
    const errors = read(thrown, 'errors');
    if (isArray(errors) && errors.length > 0 && depth > 0) {
      const parts = [];
      for (let i = 0; i < errors.length && i < 5; i++) parts[i] = explain(errors[i], 0).message;
      out.message += ': ' + join(parts, '; ') + (errors.length > 5 ? '; and ' + (errors.length - 5) + ' more' : '');
    }
    return out;
  };

  const reject = uncurry(PromiseClass.reject);
  return {
    // A promise is returned as it is: adopting it would call its then, which may be the program's own.
    enter(leave, f, args) {
      let result;
      try {
        result = apply(f, undefined, args);
      } catch (error) {
        return reject(PromiseClass, error);
      } finally {
        leave();
      }
      return kindOf(result) === 'Promise' ? result : new PromiseClass((resolve) => resolve(result));
    },
    reject: (error) => reject(PromiseClass, error),
    makeError(name, message, properties, stack) {
      const error = makeError(name, message);
      const names = keys(properties);
      for (let i = 0; i < names.length; i++) error[names[i]] = properties[names[i]];
      if (hasOwn(error, 'cause')) define(error, 'cause', error.cause);
      if (stack !== '') define(error, 'stack', StringOf(error.name) + ': ' + message + stack);
      return error;
    },
    explain: (thrown) => explain(thrown, 5),
    window,
    newBytes: (buffer) => new Bytes(buffer),
    items: (collection) => (kindOf(collection) === 'Map' ? mapItems(collection) : setItems(collection)),
    hasOwn: (value, key) => hasOwn(value, key),
    freeze: (value) => freeze(value),
  };
})
