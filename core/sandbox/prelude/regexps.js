// RegExp, made from text while the program runs. Literals are looked at when the program is compiled.
(function (host, captured) {
  'use strict';

  const { define, defineProperty, StringOf, getOwnPropertyDescriptor } = captured;
  const NativeRegExp = host.native.RegExp, proto = NativeRegExp.prototype;
  const construct = Reflect.construct;
  const isRegExp = (value) => typeof value === 'object' && value !== null && host.kindOf(value) === 'RegExp';

  const make = {
    RegExp: function (pattern, flags) {
      if (new.target === undefined && flags === undefined && isRegExp(pattern) && pattern.constructor === make) return pattern;
      const target = new.target === undefined || new.target === make ? NativeRegExp : new.target;
      if (isRegExp(pattern)) {
        if (flags === undefined) flags = pattern.flags;
        pattern = pattern.source;
      }
      pattern = pattern === undefined ? '' : StringOf(pattern);
      flags = flags === undefined ? '' : StringOf(flags);
      const rewritten = host.pattern(pattern, flags);
      try {
        return construct(NativeRegExp, [rewritten, flags], target);
      } catch (error) {
        throw new SyntaxError(host.patternFault(rewritten, error.message));
      }
    },
  }.RegExp;
  defineProperty(make, 'length', { value: 2 });
  defineProperty(make, 'prototype', { value: proto, writable: false });
  defineProperty(make, Symbol.species, getOwnPropertyDescriptor(NativeRegExp, Symbol.species));
  define(proto, 'constructor', make);

  const special = '^$\\.*+?()[]{}|/';
  const control = { '\t': '\\t', '\n': '\\n', '\v': '\\v', '\f': '\\f', '\r': '\\r' };
  const punctuation = ",-=<>#&!%:;@~'`\"";
  define(make, 'escape', { escape(text) {
    if (typeof text !== 'string') throw new TypeError('RegExp.escape takes a string');
    let escaped = '';
    for (const c of text) {
      const code = c.codePointAt(0);
      if (escaped === '' && /[0-9A-Za-z]/.test(c)) escaped += '\\x' + code.toString(16);
      else if (special.includes(c)) escaped += '\\' + c;
      else if (control[c] !== undefined) escaped += control[c];
      else if (punctuation.includes(c) || c === ' ') escaped += '\\x' + code.toString(16).padStart(2, '0');
      else if (/\s/.test(c) || (code >= 0xd800 && code <= 0xdfff)) escaped += '\\u' + code.toString(16).padStart(4, '0');
      else escaped += c;
    }
    return escaped;
  } }.escape);
  return { RegExp: make };
})
