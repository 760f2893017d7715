// What a program of codemode can call: declarations for editors and for the TypeScript compiler,
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

declare namespace codemode {
  /** Find methods and snippets by what they do. An empty text lists all. */
  function search(query: string | { text: string, connector?: string, limit?: number, cursor?: string }): Promise<{
    results: { path: string, connector: string, method: string, kind: "method" | "snippet", description: string,
      signature: string, requiresApproval?: boolean, denied?: boolean, score: number }[];
    total: number;
    truncated: boolean;
    cursor?: string;
    unavailable?: { connector: string, reason: string }[];
    note?: string;
  }>;

  /** Describe "namespace", "namespace#tag", "namespace.method", "namespace:Type" or a snippet's name. */
  function describe(target: string): Promise<{
    path: string;
    kind: "connector" | "method" | "type" | "snippet" | "unknown";
    description: string;
    requiresApproval?: boolean;
    denied?: boolean;
    types: string;
    notes?: string[];
    matches?: string[];
  }>;

  /** Run fn once and keep its value: when the program is continued later, fn does not run again. */
  function step<T>(name: string, fn: () => T | Promise<T>): Promise<T>;

  /** Run a saved snippet. A missing one gives { error }. */
  function run(snippet: string, input?: unknown): Promise<any>;
}

declare const env: {
  readonly chat: typeof chat;
  readonly mail: typeof mail;
  readonly tracker: typeof tracker;
};

declare namespace chat {
  /** Send a message to a channel. */
  function send_message(input?: Record<string, unknown>): Promise<unknown>;

  /** Tell the time in a channel. */
  function clock(input?: Record<string, unknown>): Promise<unknown>;
}

/** Not available when this was written: the plugin cannot be started: exit status 1 */
declare const mail: any;

declare namespace tracker {
  /** List issues, newest first. */
  function list_issues(input?: { state?: "open" | "closed", assignee?: string }): Promise<{ number?: number }[]>;

  /** Create an issue. */
  function create_issue(input: { title: string, body?: string }): Promise<Issue>;

  /** Delete an issue for good. */
  function delete_(input?: Record<string, unknown>): Promise<unknown>;

  /** Add labels to an issue. */
  function add_labels(input: { number: number, labels: string[] }): Promise<unknown>;

  /** Tell the time. */
  function clock(input?: Record<string, unknown>): Promise<unknown>;

  type Issue = { number: number, title: string, labels?: string[] };
}
