// Functions of the standard library that the engine lacks.
(function (host, captured) {
  'use strict';

  const { apply, create, define, defineProperty, hasOwn, TypeErrorClass, StringOf } = captured;

  const group = (items, keyOf, put) => {
    let i = 0;
    for (const item of items) put(keyOf(item, i++), item);
  };
  const need = (f) => {
    if (typeof f !== 'function') throw new TypeErrorClass(host.console().inspect(f) + ' is not a function');
  };

  const revive = (holder, key, reviver) => {
    const value = holder[key];
    if (typeof value === 'object' && value !== null) {
      for (const k of Object.keys(value)) {
        const revived = revive(value, k, reviver);
        if (revived === undefined) delete value[k];
        else defineProperty(value, k, { value: revived, writable: true, configurable: true, enumerable: true });
      }
    }
    return apply(reviver, holder, [key, value]);
  };

  return {
    'JSON.parse'(text, reviver) {
      text = StringOf(text);
      if (text === 'undefined' || text === '[object Object]') throw new SyntaxError('"' + text + '" is not valid JSON: JSON.parse takes a text; this is a value already');
      const value = host.parseJSON(text);
      return typeof reviver === 'function' ? revive({ '': value }, '', reviver) : value;
    },
    'Object.groupBy'(items, keyOf) {
      need(keyOf);
      const groups = create(null);
      group(items, keyOf, (key, item) => {
        if (typeof key !== 'symbol') key = StringOf(key);
        if (!hasOwn(groups, key)) groups[key] = [];
        groups[key].push(item);
      });
      return groups;
    },
    'Map.groupBy'(items, keyOf) {
      need(keyOf);
      const groups = new Map();
      group(items, keyOf, (key, item) => {
        if (!groups.has(key)) groups.set(key, []);
        groups.get(key).push(item);
      });
      return groups;
    },
    'Promise.withResolvers'() {
      let resolve, reject;
      const promise = new this((yes, no) => {
        resolve = yes;
        reject = no;
      });
      return { promise, resolve, reject };
    },
    'Promise.try'(f, ...args) {
      return new this((resolve) => resolve(f(...args)));
    },
    async 'Array.fromAsync'(items, convert, self) {
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
    'Error.captureStackTrace'(target) {
      const name = target.name === undefined ? 'Error' : target.name;
      const text = target.message ? name + ': ' + target.message : StringOf(name);
      const { stack } = new Error();
      define(target, 'stack', text + stack.slice(stack.indexOf('\n')));
    },
    'Map.prototype.getOrInsert'(key, value) {
      if (!this.has(key)) this.set(key, value);
      return this.get(key);
    },
    'Map.prototype.getOrInsertComputed'(key, make) {
      need(make);
      if (!this.has(key)) this.set(key, make(key));
      return this.get(key);
    },
    'String.prototype.isWellFormed'() { return host.wellFormed(StringOf(this)) === StringOf(this); },
    'String.prototype.toWellFormed'() { return host.wellFormed(StringOf(this)); },
    // Elements format themselves, by the same locale.
    'Array.prototype.toLocaleString'(locales, options) {
      let text = '';
      for (let i = 0; i < this.length; i++) {
        text += (i > 0 ? ',' : '') + (this[i] == null ? '' : this[i].toLocaleString(locales, options));
      }
      return text;
    },
  };
})
