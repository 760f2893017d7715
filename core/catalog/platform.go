package catalog

// platform is the namespace of what the host itself offers to a program.
const platform = "codemode"

// platformTypes declares it, for a model.
const platformTypes = `declare namespace codemode {
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
`

const platformDescription = "The functions that every program has."
