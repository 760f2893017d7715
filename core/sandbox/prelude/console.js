// The console and its inspector. It runs when a program first writes a line, or when
// a thrown value has to be described; what it uses of the built-ins was captured
// before and is handed over, so that it does not matter what they are by then.
(function (host, captured) {
  'use strict';

  const {
    getOwnPropertyDescriptor, getOwnPropertyNames, getOwnPropertySymbols, getPrototypeOf, apply, create, keys, isArray, isView, isError, stringify,
    StringOf, NumberOf, trunc, uncurry, join, hasOwn, attempt, kindOf, window, typedName,
  } = captured;
  const sliceText = uncurry(captured.slice), replace = uncurry(captured.replaceAll), padEnd = uncurry(captured.padEnd);
  const repeat = uncurry(captured.repeat), includes = uncurry(captured.includes), functionText = uncurry(captured.functionText);
  const { items, isIdentifier, isIndex } = host;
  const ownKeys = (value) => {
    const all = getOwnPropertyNames(value), symbols = getOwnPropertySymbols(value);
    for (let i = 0; i < symbols.length; i++) all[all.length] = symbols[i];
    return all;
  };
  const typedLength = uncurry(captured.typedLength);
  const regexpText = uncurry(/x/.toString);

  // ---- inspect: a value as text

  const limits = { depth: 4, items: 100, text: 10000, nodes: 2000, holes: 1000, width: 76 };

  const quote = (text) =>
    includes(text, "'") && !includes(text, '"') ? stringify(text) : "'" + replace(replace(sliceText(stringify(text), 1, -1), '\\"', '"'), "'", "\\'") + "'";
  const clip = (text) =>
    text.length <= limits.text ? text : sliceText(text, 0, limits.text) + '... ' + (text.length - limits.text) + ' more characters';
  const keyText = (key) => (typeof key === 'symbol' ? '[' + StringOf(key) + ']' : isIdentifier(key) ? key : quote(key));

  const primitive = (value, nested) => {
    switch (typeof value) {
      case 'string': return nested ? quote(clip(value)) : clip(value);
      case 'number': return value === 0 && 1 / value < 0 ? '-0' : StringOf(value);
      case 'bigint': return StringOf(value) + 'n';
      case 'symbol':
      default: return StringOf(value);
    }
  };

  const functionName = (value) => {
    const name = attempt(() => value.name, '');
    const kind = sliceText(attempt(() => functionText(value), ''), 0, 6) === 'class ' ? 'class' : 'Function';
    return typeof name === 'string' && name !== '' ? '[' + kind + (kind === 'class' ? ' ' : ': ') + name + ']' : '[' + kind + ' (anonymous)]';
  };
  const className = (value) => {
    const proto = getPrototypeOf(value);
    if (proto === null) return '[Object: null prototype]';
    const descriptor = getOwnPropertyDescriptor(proto, 'constructor');
    const name = descriptor && typeof descriptor.value === 'function' ? descriptor.value.name : '';
    return typeof name === 'string' ? name : '';
  };

  const layout = (head, parts, indent, open, close) => {
    if (parts.length === 0) return head + open + close;
    let width = head.length + indent.length;
    let flat = true;
    for (let i = 0; i < parts.length; i++) {
      width += parts[i].length + 2;
      if (includes(parts[i], '\n')) flat = false;
    }
    if (flat && width <= limits.width) return head + open + ' ' + join(parts, ', ') + ' ' + close;
    const inner = indent + '  ';
    return head + open + '\n' + inner + join(parts, ',\n' + inner) + '\n' + indent + close;
  };

  const more = (parts, n) => {
    if (n > 0) parts[parts.length] = '... ' + n + ' more item' + (n === 1 ? '' : 's');
  };

  // members renders own enumerable properties; getters are named, never run.
  const members = (value, names, state, parts) => {
    let left = 0;
    for (let i = 0; i < names.length; i++) {
      const descriptor = getOwnPropertyDescriptor(value, names[i]);
      if (descriptor === undefined || !descriptor.enumerable) continue;
      if (parts.length >= limits.items) {
        left++;
        continue;
      }
      let text = '[Setter]';
      if (descriptor.get !== undefined) text = descriptor.set === undefined ? '[Getter]' : '[Getter/Setter]';
      else if (hasOwn(descriptor, 'value')) text = show(descriptor.value, state);
      parts[parts.length] = keyText(names[i]) + ': ' + text;
    }
    more(parts, left);
    return parts;
  };

  const listed = (value, length, state, head) => {
    const parts = [];
    let i = 0;
    for (; i < length && parts.length < limits.items; i++) {
      const start = i;
      while (i < length && i - start < limits.holes && !hasOwn(value, i)) i++;
      if (i > start) {
        parts[parts.length] = '<' + (i - start) + ' empty item' + (i - start === 1 ? '' : 's') + '>';
        if (i - start === limits.holes) break;
        i--;
        continue;
      }
      parts[parts.length] = show(value[i], state);
    }
    more(parts, length - i);
    if (length <= limits.items) {
      const names = ownKeys(value);
      const rest = [];
      for (let k = 0; k < names.length; k++) {
        if (typeof names[k] === 'symbol' || !isIndex(names[k])) rest[rest.length] = names[k];
      }
      members(value, rest, state, parts);
    }
    return layout(head, parts, state.indent, '[', ']');
  };

  const errorText = (value, state) => {
    const name = attempt(() => StringOf(value.name), 'Error');
    const message = attempt(() => StringOf(value.message), '');
    const parts = [];
    const names = ownKeys(value);
    const rest = [];
    for (let i = 0; i < names.length; i++) {
      if (names[i] !== 'name' && names[i] !== 'message' && names[i] !== 'stack') rest[rest.length] = names[i];
    }
    members(value, rest, state, parts);
    const cause = getOwnPropertyDescriptor(value, 'cause');
    if (cause !== undefined && !cause.enumerable && hasOwn(cause, 'value')) parts[parts.length] = '[cause]: ' + show(cause.value, state);
    const head = message === '' ? name : name + ': ' + clip(message);
    return parts.length === 0 ? (state.seen.length > 1 ? '[' + head + ']' : head) : layout(head + ' ', parts, state.indent, '{', '}');
  };

  const objectText = (value, state) => {
    if (isError(value)) return errorText(value, state);
    if (isArray(value)) return listed(value, value.length, state, '');
    const kind = className(value), builtIn = kindOf(value);
    if (builtIn === 'Map') {
      const pairs = items(value);
      const parts = [];
      for (let i = 0; i < pairs.length && parts.length < limits.items; i += 2) {
        parts[parts.length] = show(pairs[i], state) + ' => ' + show(pairs[i + 1], state);
      }
      more(parts, pairs.length / 2 - parts.length);
      return layout('Map(' + pairs.length / 2 + ') ', parts, state.indent, '{', '}');
    }
    if (builtIn === 'Set') {
      const held = items(value);
      const parts = [];
      for (let i = 0; i < held.length && parts.length < limits.items; i++) parts[parts.length] = show(held[i], state);
      more(parts, held.length - parts.length);
      return layout('Set(' + held.length + ') ', parts, state.indent, '{', '}');
    }
    if (builtIn === 'Promise') return 'Promise { <' + host.promiseState(value) + '> }';
    if (builtIn === 'Date') return host.dateText(value);
    if (builtIn === 'RegExp') return regexpText(value);
    const bytes = window(value);
    if (bytes !== undefined) {
      const typed = isView(value) && typedName(value);
      if (typed) return listed(value, typedLength(value), state, typed + '(' + typedLength(value) + ') ');
      return kind + ' { byteLength: ' + bytes[2] + ' }';
    }
    if (kind === 'URL' || kind === 'URLSearchParams') {
      const text = attempt(() => value.toString());
      if (typeof text === 'string') return kind + ' { ' + quote(clip(text)) + ' }';
    }
    const head = kind === '' || kind === 'Object' ? '' : kind + ' ';
    return layout(head, members(value, ownKeys(value), state, []), state.indent, '{', '}');
  };

  const show = (value, state) => {
    if (typeof value === 'function') return functionName(value);
    if (typeof value !== 'object' || value === null) return primitive(value, true);
    for (let i = 0; i < state.seen.length; i++) if (state.seen[i] === value) return '[Circular]';
    if (state.seen.length > limits.depth || state.nodes >= limits.nodes) {
      return isArray(value) ? '[Array]' : '[' + (attempt(() => className(value), '') || 'Object') + ']';
    }
    state.nodes++;
    state.seen[state.seen.length] = value;
    const indent = state.indent;
    if (state.seen.length > 1) state.indent += '  ';
    let text;
    try {
      text = objectText(value, state);
    } catch (error) {
      text = '[unreadable]';
    }
    state.indent = indent;
    state.seen.length--;
    return text;
  };

  const fresh = (value) => show(value, { seen: [], nodes: 0, indent: '' });

  const inspect = (value) => {
    if (typeof value === 'function' || (typeof value === 'object' && value !== null)) {
      return fresh(value);
    }
    return primitive(value, false);
  };

  // ---- console

  const directive = (kind, value) => {
    switch (kind) {
      case 's': return typeof value === 'string' ? value : inspect(value);
      case 'd':
      case 'i': {
        const n = typeof value === 'object' || typeof value === 'symbol' ? NaN : typeof value === 'bigint' ? value : NumberOf(value);
        return primitive(kind === 'i' && typeof n === 'number' ? trunc(n) : n, false);
      }
      case 'f': return typeof value === 'symbol' || typeof value === 'object' ? 'NaN' : primitive(NumberOf(value), false);
      case 'j': return attempt(() => stringify(value) + '', '[Circular]');
      case 'o':
      case 'O': return fresh(value);
      default: return ''; // c: styles are for browsers
    }
  };
  const format = (args) => {
    let text = '';
    let next = 0;
    if (typeof args[0] === 'string' && args.length > 1 && includes(args[0], '%')) {
      const pattern = args[0];
      let from = 0;
      next = 1;
      for (let i = 0; i < pattern.length - 1; i++) {
        if (pattern[i] !== '%') continue;
        const kind = pattern[i + 1];
        if (kind === '%') text += sliceText(pattern, from, i) + '%';
        else if (next < args.length && includes('sdifjoOc', kind)) text += sliceText(pattern, from, i) + directive(kind, args[next++]);
        else continue;
        from = i + 2;
        i++;
      }
      text += sliceText(pattern, from);
    } else if (args.length > 0) {
      text = inspect(args[0]);
      next = 1;
    }
    for (; next < args.length; next++) text += ' ' + inspect(args[next]);
    return text;
  };

  let indentation = '';
  const counts = create(null), timers = create(null);
  const emit = (level, args) => {
    const text = format(args);
    host.emit(level, indentation === '' ? text : indentation + replace(text, '\n', '\n' + indentation));
  };
  const label = (name) => (name === undefined ? 'default' : StringOf(name));
  const since = (name) => name + ': ' + (host.elapsed() - timers[name]) + 'ms';

  const cell = (value) => (typeof value === 'object' && value !== null ? fresh(value) : primitive(value, true));
  const table = (data) => {
    const columns = ['(index)'], rows = [], at = create(null);
    const names = keys(data);
    for (let r = 0; r < names.length && r < limits.items; r++) {
      const row = [names[r]];
      const item = data[names[r]];
      const fields = typeof item === 'object' && item !== null ? keys(item) : ['Values'];
      for (let f = 0; f < fields.length; f++) {
        if (at[fields[f]] === undefined) columns[(at[fields[f]] = columns.length)] = fields[f];
        row[at[fields[f]]] = cell(typeof item === 'object' && item !== null ? item[fields[f]] : item);
      }
      rows[rows.length] = row;
    }
    const widths = [];
    for (let c = 0; c < columns.length; c++) {
      widths[c] = columns[c].length;
      for (let r = 0; r < rows.length; r++) if (rows[r][c] !== undefined && rows[r][c].length > widths[c]) widths[c] = rows[r][c].length;
    }
    const line = (row) => {
      const cells = [];
      for (let c = 0; c < columns.length; c++) cells[c] = padEnd(row[c] === undefined ? '' : row[c], widths[c]);
      return '| ' + join(cells, ' | ') + ' |';
    };
    const rule = [];
    for (let c = 0; c < columns.length; c++) rule[c] = repeat('-', widths[c]);
    const lines = [line(columns), '|-' + join(rule, '-|-') + '-|'];
    for (let r = 0; r < rows.length; r++) lines[lines.length] = line(rows[r]);
    return join(lines, '\n');
  };

  const methods = {
    log(...args) { emit('log', args); },
    info(...args) { emit('info', args); },
    debug(...args) { emit('debug', args); },
    warn(...args) { emit('warn', args); },
    error(...args) { emit('error', args); },
    trace(...args) { emit('debug', ['Trace: ' + format(args)]); },
    dir(value) { emit('log', ['%O', value]); },
    dirxml(...args) { emit('log', args); },
    table(data) { emit('log', [typeof data === 'object' && data !== null ? table(data) : data]); },
    assert(condition, ...args) {
      if (!condition) emit('error', args.length === 0 ? ['Assertion failed'] : ['Assertion failed: ' + format(args)]);
    },
    group(...args) {
      if (args.length > 0) emit('log', args);
      if (indentation.length < 40) indentation += '  ';
    },
    groupCollapsed(...args) { apply(methods.group, undefined, args); },
    groupEnd() { indentation = sliceText(indentation, 2); },
    count(name) {
      name = label(name);
      counts[name] = (counts[name] || 0) + 1;
      emit('log', [name + ': ' + counts[name]]);
    },
    countReset(name) { delete counts[label(name)]; },
    time(name) { timers[label(name)] = host.elapsed(); },
    timeLog(name, ...args) {
      if (timers[label(name)] !== undefined) emit('log', [since(label(name)) + (args.length > 0 ? ' ' + format(args) : '')]);
    },
    timeEnd(name) {
      name = label(name);
      if (timers[name] !== undefined) emit('log', [since(name)]);
      delete timers[name];
    },
    clear() {},
    timeStamp() {},
    profile() {},
    profileEnd() {},
  };

  return { console: methods, inspect, show: fresh };
})
