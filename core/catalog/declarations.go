package catalog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/codemode-go/codemode/core/typescript"
)

// declarationsOpening says how the declarations are used, and declares what else a program has.
const declarationsOpening = `// What a program of codemode can call: declarations for editors and for the TypeScript compiler,
//
//   tsc --noEmit --strict --target es2023 --lib es2023 --types "" FILE program.ts
//
// A program has no other globals than these and the language's own.

declare const input: any;

declare const console: Record<"debug" | "error" | "info" | "log" | "warn", (...values: unknown[]) => void>;

declare function setTimeout(callback: (...args: any[]) => void, ms?: number, ...args: any[]): number;
declare function setInterval(callback: (...args: any[]) => void, ms?: number, ...args: any[]): number;
declare function clearTimeout(timer?: number): void;
declare function clearInterval(timer?: number): void;
declare function queueMicrotask(callback: () => void): void;
declare function structuredClone<T>(value: T): T;
declare function atob(text: string): string;
declare function btoa(text: string): string;

declare const performance: { now(): number };
declare const crypto: { randomUUID(): string; getRandomValues<T extends ArrayBufferView>(into: T): T };

declare class TextEncoder {
  encode(text?: string): Uint8Array;
}

declare class TextDecoder {
  decode(bytes?: ArrayBuffer | ArrayBufferView): string;
}

`

// Declarations declares, in TypeScript and for people, the namespaces with these labels, all if there are none, and
// what every program has beside them. A namespace that is not available now has any member. The error names a label
// that is unknown.
func (c *Catalog) Declarations(labels []string) (string, error) {
	for _, label := range labels {
		if c.byLabel[label] == nil {
			return "", &NotFoundError{Connector: label, NoConnector: true, Nearest: c.nearestLabels(label)}
		}
	}
	var env, namespaces strings.Builder
	for i := range c.connectors {
		conn := &c.connectors[i]
		if len(labels) > 0 && !slices.Contains(labels, conn.Label) {
			continue
		}
		fmt.Fprintf(&env, "  readonly %s: typeof %s;\n", conn.Label, conn.Label)
		namespaces.WriteString("\n" + conn.declarations())
	}
	return declarationsOpening + platformTypes + "\ndeclare const env: {\n" + env.String() + "};\n" + namespaces.String(), nil
}

// declarations declares one namespace.
func (c *Connector) declarations() string {
	switch {
	case c.Unavailable != "":
		return fmt.Sprintf("/** Not available when this was written: %s */\ndeclare const %s: any;\n",
			strings.ReplaceAll(typescript.Sentence(c.Unavailable, 120), "*/", ""), c.Label)
	case len(c.Methods) == 0:
		return fmt.Sprintf("declare const %s: {};\n", c.Label)
	}
	methods := make([]typescript.Method, len(c.Methods))
	for i, m := range c.Methods {
		methods[i] = m.declaration()
	}
	return typescript.DeclareAll(c.Label, methods)
}
