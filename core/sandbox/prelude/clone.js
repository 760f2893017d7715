// structuredClone.
(function (host, captured) {
  'use strict';

  const { define, defineProperty, keys, isArray, isView, isError, hasOwn, kindOf, window, typedName, makeError } = captured;
  const refuse = (value) => {
    const { DOMException } = host.part('events');
    throw new DOMException(host.console().inspect(value) + ' could not be cloned.', 'DataCloneError');
  };
  const standard = ['Error', 'EvalError', 'RangeError', 'ReferenceError', 'SyntaxError', 'TypeError', 'URIError'];
  const blank = (value) => {
    if (isArray(value)) return new Array(value.length);
    if (!isError(value)) return {};
    const copy = makeError(standard.includes(value.name) ? value.name : 'Error', value.message);
    define(copy, 'stack', value.stack);
    return copy;
  };
  const clone = (value, done) => {
    if (typeof value === 'function' || typeof value === 'symbol') refuse(value);
    if (typeof value !== 'object' || value === null) return value;
    if (done.has(value)) return done.get(value);
    const keep = (copy) => {
      done.set(value, copy);
      return copy;
    };
    const kind = kindOf(value);
    if (kind === 'Date') return keep(new Date(value.getTime()));
    if (kind === 'RegExp') return keep(new RegExp(value.source, value.flags));
    if (kind === 'String' || kind === 'Number' || kind === 'Boolean') return keep(Object(value.valueOf()));
    if (kind === 'Map') {
      const copy = keep(new Map());
      value.forEach((v, k) => copy.set(clone(k, done), clone(v, done)));
      return copy;
    }
    if (kind === 'Set') {
      const copy = keep(new Set());
      value.forEach((v) => copy.add(clone(v, done)));
      return copy;
    }
    const bytes = window(value);
    if (bytes !== undefined) {
      if (!isView(value)) return keep(value.slice(0));
      const viewClass = globalThis[typedName(value) || 'DataView'];
      const buffer = clone(bytes[0], done);
      return keep(new viewClass(buffer, bytes[1], typedName(value) === undefined ? bytes[2] : value.length));
    }
    if (kind === 'Promise' || value instanceof WeakMap || value instanceof WeakSet) refuse(value);
    const copy = keep(blank(value));
    if (isError(value) && hasOwn(value, 'cause')) define(copy, 'cause', clone(value.cause, done));
    if (isError(value)) return copy;
    const names = keys(value);
    for (let i = 0; i < names.length; i++) {
      const key = names[i];
      defineProperty(copy, key, { value: clone(value[key], done), writable: true, configurable: true, enumerable: true });
    }
    return copy;
  };
  return { structuredClone(value) { return clone(value, new Map()); } };
})
