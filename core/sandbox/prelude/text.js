// Text and bytes, chance and the clock.
(function (host, captured) {
  'use strict';

  const { apply, uncurry, Bytes, StringOf, PromiseClass, TypeErrorClass } = captured;
  const then = uncurry(PromiseClass.prototype.then), test = uncurry(/x/.test);

  const TextEncoder = class TextEncoder {
    get encoding() { return 'utf-8'; }
    encode(text) { return host.encodeText(text === undefined ? '' : StringOf(text)); }
    encodeInto(text, target) {
      let read = 0, written = 0;
      for (const c of StringOf(text)) {
        const bytes = host.encodeText(c);
        if (written + bytes.length > target.length) break;
        target.set(bytes, written);
        read += c.length;
        written += bytes.length;
      }
      return { read, written };
    }
  };
  const utf8 = /^\s*(unicode-1-1-utf-8|utf-?8)\s*$/i;
  const TextDecoder = class TextDecoder {
    #fatal;
    #keepBOM;
    #pending = new Bytes(0);
    constructor(encoding = 'utf-8', options = {}) {
      encoding = StringOf(encoding);
      if (!test(utf8, encoding)) throw new RangeError('the encoding ' + encoding + ' is not available; only utf-8 is');
      this.#fatal = options.fatal === true;
      this.#keepBOM = options.ignoreBOM === true;
    }
    get encoding() { return 'utf-8'; }
    get fatal() { return this.#fatal; }
    get ignoreBOM() { return this.#keepBOM; }
    decode(bytes = new Bytes(0), options = {}) {
      if (this.#pending.length === 0 && !options.stream) return host.decodeText(bytes, this.#fatal, this.#keepBOM);
      const [text, rest] = host.decodeStream(this.#pending, bytes, options.stream === true, this.#fatal, this.#keepBOM);
      this.#pending = rest;
      return text;
    }
  };

  const idle = PromiseClass.resolve();
  const queueMicrotask = { queueMicrotask(f) {
    if (typeof f !== 'function') throw new TypeErrorClass('queueMicrotask takes a function');
    then(idle, () => { apply(f, undefined, []); });
  } }.queueMicrotask;

  const hex = '0123456789abcdef';
  const crypto = {
    getRandomValues(view) { return host.fillRandom(view); },
    randomUUID() {
      const b = host.fillRandom(new Bytes(16));
      b[6] = (b[6] & 15) | 64;
      b[8] = (b[8] & 63) | 128;
      let text = '';
      for (let i = 0; i < 16; i++) text += (i === 4 || i === 6 || i === 8 || i === 10 ? '-' : '') + hex[b[i] >> 4] + hex[b[i] & 15];
      return text;
    },
    get subtle() {
      throw new TypeErrorClass('crypto.subtle is not available in a program; let a connector hash, sign or encrypt');
    },
  };
  const marks = new Map();
  const performance = {
    now() { return host.elapsed(); },
    timeOrigin: host.timeOrigin,
    mark(name) {
      marks.set(name, host.elapsed());
      return { name, entryType: 'mark', startTime: host.elapsed(), duration: 0 };
    },
    measure(name, from, to) {
      const startTime = marks.get(from) ?? 0;
      return { name, entryType: 'measure', startTime, duration: (marks.get(to) ?? host.elapsed()) - startTime };
    },
    toJSON() { return { timeOrigin: host.timeOrigin }; },
  };
  return { TextEncoder, TextDecoder, queueMicrotask, crypto, performance };
})
