package program_test

import (
	"strings"
	"testing"

	"github.com/codemode-go/codemode/core/program"
)

const sample = `
interface Issue { number: number; title: string; labels: string[] }

async function triage(issues: Issue[], limit = 10): Promise<Issue[]> {
  const open = issues.filter(i => !i.labels.includes("done"));
  for (const issue of open.slice(0, limit)) {
    const hits = /(?<kind>bug|feature):\s*(.+)/.exec(issue.title);
    if (hits?.groups?.kind === "bug") {
      await github.create_issue({ title: ` + "`Bug: ${hits[2]}`" + `, labels: ["triaged", ...issue.labels] });
    } else {
      console.log("skipped", issue.number, { reason: "no kind", labels: issue.labels });
    }
  }
  return open;
}
`

func benchmark(b *testing.B, size int) {
	text := ""
	for i := 0; len(text) < size; i++ {
		text += strings.ReplaceAll(sample, "triage(", "triage"+strings.Repeat("x", i)+"(")
	}
	text = strings.ReplaceAll(text, "interface Issue", "declare const x: any; interface Issue") + "return await triage(await github.list_issues({}));"
	if _, err := program.Compile(program.Source{Text: text, Namespaces: namespaces}); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := program.Compile(program.Source{Text: text, Namespaces: namespaces}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCompile1KB(b *testing.B)  { benchmark(b, 1<<10) }
func BenchmarkCompile20KB(b *testing.B) { benchmark(b, 20<<10) }

// BenchmarkCompileWithModule is what a program pays for a module that it imports.
func BenchmarkCompileWithModule(b *testing.B) {
	src := program.Source{
		Text:    `import { triage } from "triage.js"; return await triage(await github.list_issues({}))`,
		Modules: []program.Module{{Name: "triage.js", Text: strings.Replace(sample, "async function", "export async function", 1)}},
	}
	for b.Loop() {
		if _, err := program.Compile(src); err != nil {
			b.Fatal(err)
		}
	}
}
