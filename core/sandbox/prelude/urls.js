// URL and URLSearchParams. The host parses, by the WHATWG's rules.
(function (host, captured) {
  'use strict';

  const { StringOf, TypeErrorClass, define } = captured;
  const quoted = (value) => "'" + value + "'";

  class URLSearchParams {
    #pairs = [];
    #changed;
    constructor(init = '') {
      if (typeof init === 'object' && init !== null) {
        if (init[Symbol.iterator] != null) {
          for (const pair of init) {
            const [name, value, ...more] = pair;
            if (value === undefined || more.length > 0) throw new TypeErrorClass('Each query pair must be an iterable [name, value] tuple');
            this.#pairs.push([StringOf(name), StringOf(value)]);
          }
        } else {
          for (const name of Object.keys(init)) this.#pairs.push([name, StringOf(init[name])]);
        }
        return;
      }
      this.#pairs = host.parseQuery(StringOf(init));
    }
    static attach(params, changed) { params.#changed = changed; return params; }
    static reset(params, query) { params.#pairs = host.parseQuery(query); }
    #done() { if (this.#changed !== undefined) this.#changed(this.toString()); }
    get size() { return this.#pairs.length; }
    append(name, value) { this.#pairs.push([StringOf(name), StringOf(value)]); this.#done(); }
    delete(name, value) {
      name = StringOf(name);
      this.#pairs = this.#pairs.filter((p) => p[0] !== name || (value !== undefined && p[1] !== StringOf(value)));
      this.#done();
    }
    get(name) { return this.#pairs.find((p) => p[0] === StringOf(name))?.[1] ?? null; }
    getAll(name) { return this.#pairs.filter((p) => p[0] === StringOf(name)).map((p) => p[1]); }
    has(name, value) { return this.#pairs.some((p) => p[0] === StringOf(name) && (value === undefined || p[1] === StringOf(value))); }
    set(name, value) {
      name = StringOf(name);
      const first = this.#pairs.find((p) => p[0] === name);
      if (first === undefined) this.#pairs.push([name, StringOf(value)]);
      else {
        first[1] = StringOf(value);
        this.#pairs = this.#pairs.filter((p) => p === first || p[0] !== name);
      }
      this.#done();
    }
    sort() {
      this.#pairs.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
      this.#done();
    }
    forEach(f, self) { for (const [name, value] of this.#pairs) f.call(self, value, name, this); }
    *keys() { for (const p of this.#pairs) yield p[0]; }
    *values() { for (const p of this.#pairs) yield p[1]; }
    *entries() { for (const p of this.#pairs) yield [...p]; }
    toString() { return host.formatQuery(this.#pairs); }
    get [Symbol.toStringTag]() { return 'URLSearchParams'; }
  }
  define(URLSearchParams.prototype, Symbol.iterator, URLSearchParams.prototype.entries);
  const { attach, reset } = URLSearchParams;
  delete URLSearchParams.attach;
  delete URLSearchParams.reset;

  class URL {
    #parts;
    #params;
    constructor(url, base) {
      const parts = host.parseURL(StringOf(url), base === undefined ? undefined : StringOf(base));
      if (parts === undefined) {
        const error = new TypeErrorClass('Invalid URL: ' + quoted(url) + (base === undefined ? '' : ' with base ' + quoted(base)));
        error.code = 'ERR_INVALID_URL';
        error.input = StringOf(url);
        throw error;
      }
      this.#parts = parts;
    }
    static canParse(url, base) { return host.parseURL(StringOf(url), base === undefined ? undefined : StringOf(base)) !== undefined; }
    static parse(url, base) { return URL.canParse(url, base) ? new URL(url, base) : null; }
    static part(name) {
      return {
        get() { return this.#parts[name]; },
        set(value) {
          this.#parts = host.setURL(this.#parts.href, name, StringOf(value));
          if (this.#params !== undefined) reset(this.#params, this.#parts.search);
        },
        enumerable: true, configurable: true,
      };
    }
    get href() { return this.#parts.href; }
    set href(value) {
      this.#parts = new URL(value).#parts;
      if (this.#params !== undefined) reset(this.#params, this.#parts.search);
    }
    get origin() { return this.#parts.origin; }
    get searchParams() {
      return (this.#params ??= attach(new URLSearchParams(this.#parts.search), (query) => {
        this.#parts = host.setURL(this.#parts.href, 'search', query);
      }));
    }
    toString() { return this.#parts.href; }
    toJSON() { return this.#parts.href; }
    get [Symbol.toStringTag]() { return 'URL'; }
  }
  for (const name of ['protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'hash']) {
    Object.defineProperty(URL.prototype, name, URL.part(name));
  }
  delete URL.part;
  return { URL, URLSearchParams };
})
