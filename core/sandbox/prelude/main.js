// The part of the prelude that runs in every session, before anything of the
// program. It turns dynamic code off, unless it is allowed, and returns the functions that the host calls
// later. It captures what it uses, so that a program that changes the built-ins
// changes them for itself only. The other parts run when a program first needs them,
// and are handed what is captured here.
(function (host) {
  'use strict';

  // Reflect.apply would do for apply; but Reflect, once asked for, is made as a whole.
  const { call, apply: applyMethod } = Function.prototype;
  const apply = call.bind(applyMethod);
  const { create, freeze, keys, defineProperty, getOwnPropertyDescriptor, getOwnPropertyNames, getOwnPropertySymbols, getPrototypeOf } = Object;
  const { isArray, prototype: arrayPrototype } = Array;
  const { isView } = ArrayBuffer;
  const PromiseClass = Promise, StringOf = String, ErrorClass = Error, TypeErrorClass = TypeError, EvalErrorClass = EvalError;
  const isError = Error.isError;
  const bind = call.bind(call.bind);
  const uncurry = (f) => bind(call, f);
  const join = uncurry(arrayPrototype.join);
  const hasOwn = uncurry(Object.prototype.hasOwnProperty);

  const attempt = (f, otherwise) => {
    try {
      return f();
    } catch {
      return otherwise;
    }
  };
  const define = (target, name, value) =>
    defineProperty(target, name, { __proto__: null, value, writable: true, configurable: true, enumerable: false });

  // kindOf tells built-in objects apart. A getter of the prototypes would do so as
  // well, but where it refuses, the engine renders the object for its message, by
  // the object's own toString.
  const { kindOf } = host;

  // ---- no code but the program's own

  const seal = (f, name) => {
    const proto = getPrototypeOf(f);
    const stub = {
      [name]: function () { throw new EvalErrorClass('code cannot be made from text here; write the function out'); },
    }[name];
    stub.prototype = proto;
    defineProperty(proto, 'constructor', { __proto__: null, value: stub, writable: false, configurable: false, enumerable: false });
    return stub;
  };
  if (!host.dynamicCode) {
    define(globalThis, 'Function', seal(seal, 'Function'));
    seal(async function () {}, 'AsyncFunction');
    seal(function* () {}, 'GeneratorFunction');
    define(globalThis, 'eval', { eval() { throw new EvalErrorClass('code cannot be made from text here; write it out'); } }.eval);
  }
  delete globalThis.GoError;

  // ---- bytes

  const typedArrayPrototype = getPrototypeOf(Uint8Array.prototype), viewPrototype = DataView.prototype;
  const get = (proto, name) => getOwnPropertyDescriptor(proto, name).get;
  const typedBuffer = get(typedArrayPrototype, 'buffer'), typedOffset = get(typedArrayPrototype, 'byteOffset');
  const typedBytes = get(typedArrayPrototype, 'byteLength'), typedLength = get(typedArrayPrototype, 'length'), typedTag = get(typedArrayPrototype, Symbol.toStringTag);
  const viewBuffer = get(viewPrototype, 'buffer'), viewOffset = get(viewPrototype, 'byteOffset');
  const viewBytes = get(viewPrototype, 'byteLength'), bufferBytes = get(ArrayBuffer.prototype, 'byteLength');
  const typedName = (value) => apply(typedTag, value, []);
  // window returns buffer, offset and length of what a value shows of a buffer.
  const window = (value) => {
    if (kindOf(value) === 'ArrayBuffer') return [value, 0, apply(bufferBytes, value, [])];
    if (!isView(value)) return undefined;
    return typedName(value) === undefined
      ? [apply(viewBuffer, value, []), apply(viewOffset, value, []), apply(viewBytes, value, [])]
      : [apply(typedBuffer, value, []), apply(typedOffset, value, []), apply(typedBytes, value, [])];
  };
  const Bytes = Uint8Array;

  // ---- errors

  const errorClasses = create(null);
  errorClasses.Error = ErrorClass;
  errorClasses.TypeError = TypeErrorClass;
  errorClasses.EvalError = EvalErrorClass;
  errorClasses.RangeError = RangeError;
  errorClasses.SyntaxError = SyntaxError;
  errorClasses.ReferenceError = ReferenceError;
  errorClasses.URIError = URIError;
  const makeError = (name, message) => {
    const known = errorClasses[name];
    const error = new (known || ErrorClass)(message);
    if (known === undefined && name) define(error, 'name', name);
    return error;
  };

  const read = (value, key) => attempt(() => value[key]);
  const shown = (value, how) => attempt(() => host.console()[how](value), 'a value that cannot be shown');
  const explain = (thrown, depth) => {
    const out = create(null);
    if ((typeof thrown !== 'object' && typeof thrown !== 'function') || thrown === null) {
      out.message = typeof thrown === 'string' && thrown !== '' ? thrown : 'threw ' + shown(thrown, 'show');
      return out;
    }
    const name = read(thrown, 'name'), message = read(thrown, 'message'), code = read(thrown, 'code');
    const cause = read(thrown, 'cause'), stack = read(thrown, 'stack');
    if (typeof name === 'string' && name !== 'Error' && typeof thrown !== 'function') out.name = name;
    if (typeof message === 'string' && message !== '') out.message = message;
    else if (attempt(() => isError(thrown))) out.message = (out.name || 'Error') + ' without a message';
    else out.message = 'threw ' + shown(thrown, 'inspect');
    if (typeof code === 'string' || typeof code === 'number') out.code = StringOf(code);
    out.retryable = read(thrown, 'retryable') === true;
    if (typeof stack === 'string') out.stack = stack;
    out.details = read(thrown, 'details');
    if (cause !== undefined && cause !== thrown && depth > 0) out.cause = explain(cause, depth - 1);
    const errors = read(thrown, 'errors');
    if (isArray(errors) && errors.length > 0 && depth > 0) {
      const parts = [];
      for (let i = 0; i < errors.length && i < 5; i++) parts[i] = explain(errors[i], 0).message;
      out.message += ': ' + join(parts, '; ') + (errors.length > 5 ? '; and ' + (errors.length - 5) + ' more' : '');
    }
    return out;
  };

  // ---- for the host

  const { replaceAll, padEnd, repeat, includes, slice, split } = String.prototype;
  const reject = PromiseClass.reject;
  return {
    // A promise is returned as it is: adopting it would call its then, which may be the program's own.
    enter(leave, f, args) {
      let result;
      try {
        result = apply(f, undefined, args);
      } catch (error) {
        return apply(reject, PromiseClass, [error]);
      } finally {
        leave();
      }
      return kindOf(result) === 'Promise' ? result : new PromiseClass((resolve) => resolve(result));
    },
    reject: (error) => apply(reject, PromiseClass, [error]),
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
    hasOwn,
    freeze,
    // captured is what the other parts are handed.
    captured: {
      apply, defineProperty, getOwnPropertyDescriptor, getOwnPropertyNames, getOwnPropertySymbols, getPrototypeOf, create, freeze, keys, isArray, isView, isError,
      PromiseClass, StringOf, NumberOf: Number, ErrorClass, TypeErrorClass, Bytes, stringify: JSON.stringify, trunc: Math.trunc,
      uncurry, join, hasOwn, attempt, define, kindOf, window, typedName, typedLength, makeError,
      replaceAll, padEnd, repeat, includes, slice, split, functionText: Function.prototype.toString,
    },
  };
})
