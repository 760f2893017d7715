// Iterator and the methods that every iterator has.
(function (host, captured) {
  'use strict';

  const { create, define, defineProperty, getPrototypeOf, TypeErrorClass } = captured;
  const proto = getPrototypeOf(getPrototypeOf([][Symbol.iterator]()));

  const need = (f) => {
    if (typeof f !== 'function') throw new TypeErrorClass(host.console().inspect(f) + ' is not a function');
  };
  const count = (n) => {
    n = Number(n);
    if (n !== n || n < 0) throw new RangeError(n + ' must be positive');
    return Math.trunc(n);
  };
  // over makes an iterator something for for-of, which closes it when it is left early.
  const over = (iterator) => {
    if (typeof iterator !== 'object' || iterator === null) throw new TypeErrorClass('Iterator helpers are called on an iterator');
    return { [Symbol.iterator]() { return iterator; } };
  };
  const inner = (value) => {
    if (typeof value === 'string' || value == null || value[Symbol.iterator] == null) {
      throw new TypeErrorClass(host.console().inspect(value) + ' is not an iterable object');
    }
    return value;
  };
  const run = {
    *map(items, f) { let i = 0; for (const x of items) yield f(x, i++); },
    *filter(items, f) { let i = 0; for (const x of items) if (f(x, i++)) yield x; },
    *take(items, n) {
      if (n === 0) {
        for (const _ of { [Symbol.iterator]: () => ({ next: () => ({ done: false }), return: () => close(items) }) }) return;
      }
      for (const x of items) {
        yield x;
        if (--n === 0) return;
      }
    },
    *drop(items, n) { for (const x of items) if (n > 0) n--; else yield x; },
    *flatMap(items, f) { let i = 0; for (const x of items) yield* inner(f(x, i++)); },
  };
  const close = (items) => {
    const iterator = items[Symbol.iterator]();
    if (iterator.return != null) iterator.return();
    return {};
  };

  const methods = {
    map(f) { need(f); return run.map(over(this), f); },
    filter(f) { need(f); return run.filter(over(this), f); },
    take(n) { return run.take(over(this), count(n)); },
    drop(n) { return run.drop(over(this), count(n)); },
    flatMap(f) { need(f); return run.flatMap(over(this), f); },
    reduce(f, ...initial) {
      need(f);
      let i = 0, sum = initial[0], empty = initial.length === 0;
      for (const x of over(this)) {
        sum = empty ? x : f(sum, x, i);
        empty = false;
        i++;
      }
      if (empty) throw new TypeErrorClass('Reduce of a done iterator with no initial value');
      return sum;
    },
    toArray() { return [...over(this)]; },
    forEach(f) { need(f); let i = 0; for (const x of over(this)) f(x, i++); },
    some(f) { need(f); let i = 0; for (const x of over(this)) if (f(x, i++)) return true; return false; },
    every(f) { need(f); let i = 0; for (const x of over(this)) if (!f(x, i++)) return false; return true; },
    find(f) { need(f); let i = 0; for (const x of over(this)) if (f(x, i++)) return x; return undefined; },
  };

  const Iterator = function Iterator() {
    if (new.target === undefined || new.target === Iterator) throw new TypeErrorClass('Abstract class Iterator not directly constructable');
  };
  defineProperty(Iterator, 'prototype', { value: proto, writable: false });
  define(proto, 'constructor', Iterator);
  define(Iterator, 'from', { from(value) {
    const iterator = value[Symbol.iterator] == null ? value : value[Symbol.iterator]();
    if (typeof iterator !== 'object' || iterator === null) throw new TypeErrorClass(host.console().inspect(value) + ' is not an iterator');
    if (iterator instanceof Iterator) return iterator;
    const wrapper = create(proto);
    define(wrapper, 'next', () => iterator.next());
    define(wrapper, 'return', () => (iterator.return == null ? { value: undefined, done: true } : iterator.return()));
    return wrapper;
  } }.from);
  define(Iterator, 'concat', { concat(...iterables) {
    for (const x of iterables) inner(x);
    return (function* () { for (const x of iterables) yield* x; })();
  } }.concat);
  return { Iterator, methods };
})
