#!/usr/bin/env bash
# The demo: a program reads, pauses for a person, is continued by replay in another process, finishes, and is
# rolled back. It works in a folder of its own and touches nothing else. "make demo" builds what it needs.
set -euo pipefail

root="$(cd "$(dirname "$0")/.." && pwd)"
dir="$(mktemp -d "${TMPDIR:-/tmp}/codemode-demo.XXXXXX")"
trap 'rm -rf "$dir"' EXIT
cd "$dir"

bold=$'\e[1m' plain=$'\e[0m'
if [ ! -t 1 ] || [ -n "${NO_COLOR:-}" ]; then bold="" plain=""; fi

stage() { printf '\n%s%s%s\n' "$bold" "== $*" "$plain"; }
run() {
  printf '%s$ codemode %s%s\n\n' "$bold" "$*" "$plain"
  "$root/bin/codemode" "$@"
}

# issues tells the state of the tracker's issues, one a line.
issues() {
  "$root/bin/codemode" run --json - << 'JS' | sed -n 's/^ *"\(#.*\)",\{0,1\}$/  \1/p'
const all = await tracker.list_issues({ state: "all" });
return all.map((i) => `#${i.number} ${i.state}, labels: ${i.labels.join(" ") || "none"}, comments: ${i.comments.length}`);
JS
}

# Decisions need a person at a terminal. Without one this demo's own configuration lets it answer itself.
attended=false
if [ -t 0 ] && [ -t 1 ] && (: < /dev/tty) 2> /dev/null; then attended=true; fi

{
  if ! $attended; then printf 'approvals {\n  unattended = true\n}\n\n'; fi
  cat << HCL
connector "tracker" {
  plugin = "$root/bin/codemode-connector-tracker"

  config {
    file = "$dir/tracker.json"
  }
}
HCL
} > codemode.hcl
cp "$root/examples/programs/triage.ts" .

stage "1. The configuration: one connector, the issues of a small team"
cat codemode.hcl
echo
run validate

stage "2. A program, as a model writes it"
cat triage.ts

stage "3. It runs: it reads and labels at once, and pauses for what needs a person"
before="$(issues)"
code=0
run run triage.ts || code=$?
[ "$code" -eq 3 ] || { echo "the demo expected a pause, not exit code $code" >&2; exit 1; }
id="$("$root/bin/codemode" pending --json | sed -n 's/.*"executionId": *"\([^"]*\)".*/\1/p' | head -n 1)"

stage "4. Another process continues it: the journal gives back what has happened, nothing runs twice"
if $attended; then
  echo "It is your decision. (y: approve, n: leave it waiting, r: reject, q: stop asking)"
  code=0
  run approve "$id" || code=$?
else
  echo "There is no terminal to ask at, so the demo approves all of it itself."
  code=0
  run approve "$id" --all || code=$?
fi

stage "5. What happened, from the journal"
run show "$id"

stage "6. All of it is undone, the last call first"
if [ "$code" -eq 3 ]; then echo "(Some calls still wait; the rollback ends that too.)"; fi
run rollback "$id" || true
echo
after="$(issues)"
if [ "$before" = "$after" ]; then
  echo "The tracker's issues are as they were before:"
else
  echo "The tracker's issues were and are:"
  echo "$before"
fi
echo "$after"
