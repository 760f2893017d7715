// Events and abort signals, as far as programs without a document need them.
(function (host, captured) {
  'use strict';

  const { StringOf, TypeErrorClass, define } = captured;

  const codes = { IndexSizeError: 1, NotFoundError: 8, NotSupportedError: 9, InvalidStateError: 11, SyntaxError: 12, NetworkError: 19,
    AbortError: 20, TimeoutError: 23, DataCloneError: 25, InvalidCharacterError: 5 };
  class DOMException extends Error {
    constructor(message = '', name = 'Error') {
      super(message);
      define(this, 'name', StringOf(name));
      define(this, 'code', codes[name] ?? 0);
    }
  }
  define(DOMException, 'ABORT_ERR', 20);

  class Event {
    #type;
    #init;
    #stopped = false;
    #prevented = false;
    constructor(type, init = {}) {
      this.#type = StringOf(type);
      this.#init = init;
      this.target = null;
    }
    get type() { return this.#type; }
    get bubbles() { return !!this.#init.bubbles; }
    get cancelable() { return !!this.#init.cancelable; }
    get defaultPrevented() { return this.#prevented; }
    get currentTarget() { return this.target; }
    preventDefault() { if (this.cancelable) this.#prevented = true; }
    stopPropagation() {}
    stopImmediatePropagation() { this.#stopped = true; }
    static stopped(event) { return event.#stopped; }
  }
  const { stopped } = Event;
  delete Event.stopped;
  class CustomEvent extends Event {
    #detail;
    constructor(type, init = {}) {
      super(type, init);
      this.#detail = init.detail ?? null;
    }
    get detail() { return this.#detail; }
  }

  class EventTarget {
    #listeners = [];
    addEventListener(type, listener, options) {
      if (listener == null) return;
      const signal = options?.signal;
      if (signal?.aborted || this.#listeners.some((l) => l.type === type && l.listener === listener)) return;
      this.#listeners.push({ type, listener, once: options?.once === true });
      signal?.addEventListener('abort', () => this.removeEventListener(type, listener), { once: true });
    }
    removeEventListener(type, listener) {
      this.#listeners = this.#listeners.filter((l) => l.type !== type || l.listener !== listener);
    }
    dispatchEvent(event) {
      if (!(event instanceof Event)) throw new TypeErrorClass('dispatchEvent takes an Event');
      event.target = this;
      for (const l of [...this.#listeners]) {
        if (l.type !== event.type || !this.#listeners.includes(l) || stopped(event)) continue;
        if (l.once) this.removeEventListener(l.type, l.listener);
        if (typeof l.listener === 'function') l.listener.call(this, event);
        else l.listener.handleEvent(event);
      }
      const own = this['on' + event.type];
      if (typeof own === 'function') own.call(this, event);
      return !event.defaultPrevented;
    }
  }

  const key = {};
  class AbortSignal extends EventTarget {
    #aborted = false;
    #reason;
    #followers = [];
    onabort = null;
    constructor(secret) {
      if (secret !== key) throw new TypeErrorClass('Illegal constructor; use new AbortController().signal');
      super();
    }
    get aborted() { return this.#aborted; }
    get reason() { return this.#reason; }
    throwIfAborted() { if (this.#aborted) throw this.#reason; }
    static abort(reason = new DOMException('This operation was aborted', 'AbortError')) {
      const signal = new AbortSignal(key);
      end(signal, reason);
      return signal;
    }
    static timeout(ms) {
      const signal = new AbortSignal(key);
      setTimeout(() => end(signal, new DOMException('The operation was aborted due to timeout', 'TimeoutError')), ms);
      return signal;
    }
    static any(signals) {
      const all = [...signals], signal = new AbortSignal(key);
      const first = all.find((s) => s.aborted);
      if (first !== undefined) end(signal, first.reason);
      else for (const s of all) s.#followers.push(signal);
      return signal;
    }
    static end(signal, reason) {
      if (signal.#aborted) return;
      signal.#aborted = true;
      signal.#reason = reason;
      const followers = signal.#followers;
      signal.#followers = [];
      signal.dispatchEvent(new Event('abort'));
      for (const f of followers) end(f, reason);
    }
  }
  const { end } = AbortSignal;
  delete AbortSignal.end;
  class AbortController {
    #signal = new AbortSignal(key);
    get signal() { return this.#signal; }
    abort(reason = new DOMException('This operation was aborted', 'AbortError')) { end(this.#signal, reason); }
  }
  return { DOMException, Event, CustomEvent, EventTarget, AbortSignal, AbortController };
})
