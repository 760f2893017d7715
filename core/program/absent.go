package program

import (
	"fmt"
	"regexp"
)

const callConnector = "a program reaches the outside only through the globals that it is given for that; await codemode.search('...') finds the one that does this"

// absent are globals of browsers and of Node that a program does not have, and what to do instead.
var absent = map[string]string{
	"fetch": callConnector, "XMLHttpRequest": callConnector, "WebSocket": callConnector, "EventSource": callConnector, "axios": callConnector,
	"fs": callConnector, "child_process": callConnector, "http": callConnector, "https": callConnector, "net": callConnector,
	"Deno": callConnector, "Bun": callConnector,
	"process":   "there is no environment; what the program is given is in input, console.log writes, and throw ends it with an error",
	"Buffer":    "use Uint8Array with TextEncoder and TextDecoder, and toBase64(), Uint8Array.fromBase64(), toHex() for texts of bytes",
	"global":    "use globalThis",
	"window":    "there is no browser; use globalThis for globals",
	"document":  "there is no browser; let a connector fetch and read pages",
	"navigator": "there is no browser",
	"location":  "there is no browser; new URL(...) takes addresses apart",
	"alert":     "there is no browser; return the text, or write it with console.log",
	"prompt":    "nobody can be asked from here; what the program is given is in input",
	"confirm":   "nobody can be asked from here; calls that need approval ask for it themselves",
	"__dirname": "a program has no file", "__filename": "a program has no file",
	"localStorage":          "nothing is kept between programs; return what is needed later, or store it with a connector",
	"sessionStorage":        "nothing is kept between programs; return what is needed later, or store it with a connector",
	"indexedDB":             "nothing is kept between programs; return what is needed later, or store it with a connector",
	"print":                 "write with console.log, or return the value",
	"sleep":                 "wait with await new Promise(r => setTimeout(r, ms))",
	"setImmediate":          "use setTimeout(f, 0) or queueMicrotask(f)",
	"requestAnimationFrame": "use setTimeout(f, 16)",
	"importScripts":         "everything a program can use is there already",
	"WeakRef":               "keep the object itself, or use WeakMap", "FinalizationRegistry": "clean up with try and finally, or using",
	"SharedArrayBuffer": "use ArrayBuffer; a program has one thread", "Atomics": "a program has one thread; plain reads and writes are enough",
	"Worker":      "a program has one thread; start several calls and await Promise.all(...)",
	"WebAssembly": "write it in JavaScript",
	"Temporal":    "use Date, and Intl.DateTimeFormat with timeZone",
	"Blob":        "use Uint8Array", "File": "use Uint8Array", "FormData": "pass an object to a connector", "Headers": callConnector, "Request": callConnector, "Response": callConnector,
	"ReadableStream": "use an async generator", "WritableStream": "use an async generator", "TransformStream": "use an async generator",
	"DisposableStack": "use using, or try and finally", "AsyncDisposableStack": "use await using, or try and finally",
	"MessageChannel": "use a promise", "BroadcastChannel": "use a promise",
}

// Absent returns why a global is not there and what to write instead; ok is false for names that nobody expects.
func Absent(name string) (advice string, ok bool) {
	advice, ok = absent[name]
	return name + " is not available in a program; " + advice, ok
}

// checkAbsent refuses the use of globals that are not there. A program that asks with typeof whether one is there
// knows what to do.
func (u *unit) checkAbsent() error {
	if u.namespaces == nil {
		return nil // any name may be a connector's
	}
	for _, r := range u.names.references {
		if r.variable != nil || u.namespaces[r.name] != nil {
			continue
		}
		if advice, ok := Absent(r.name); ok && !u.asks(r.name) {
			return u.fault(r.at, advice)
		}
	}
	for _, c := range u.names.calls {
		m := u.method(c.Callee)
		if m == nil || m.namespace != "globalThis" {
			continue
		}
		if advice, ok := Absent(m.name); ok {
			return u.fault(m.at, advice)
		}
	}
	return nil
}

// asks reports whether the program looks whether a global is there.
func (u *unit) asks(name string) bool {
	return regexp.MustCompile(fmt.Sprintf(`\btypeof[ (]*%s\b|\bglobalThis\??\.%[1]s\b|["']%[1]s["'] ?in\b`, name)).MatchString(u.text)
}
