package codetool_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/core/codetool"
	"github.com/codemode-go/codemode/core/schema"
	"github.com/codemode-go/codemode/plugin/sdk"
)

func nothing(context.Context, struct{}) (struct{}, error) { return struct{}{}, nil }

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	unsaid := sdk.Func[struct{}, struct{}]{Name: "write", Call: nothing}
	tests := map[string]struct {
		namespaces []codetool.Namespace
		want       string
	}{
		"two of a name":               {[]codetool.Namespace{{Name: "a"}, {Name: "a"}}, `there are two namespaces "a"`},
		"two without a name":          {[]codetool.Namespace{{}, {Name: "tools"}}, `there are two namespaces "tools"`},
		"the host's own name":         {[]codetool.Namespace{{Name: "codemode"}}, `namespace "codemode": the label "codemode" is reserved`},
		"a name of the language":      {[]codetool.Namespace{{Name: "Promise"}}, `namespace "Promise": the label "Promise" is reserved`},
		"a name of the sandbox":       {[]codetool.Namespace{{Name: "console"}}, `namespace "console": the label "console" is reserved`},
		"no identifier":               {[]codetool.Namespace{{Name: "my-tools"}}, `namespace "my-tools": the label "my-tools" is no JavaScript identifier; "my_tools" is one`},
		"a write that says nothing":   {[]codetool.Namespace{{Functions: []sdk.Method{unsaid}}}, `namespace "tools": method write: it may write and does not say`},
		"a function without its code": {[]codetool.Namespace{{Functions: []sdk.Method{sdk.Func[struct{}, int]{Name: "f", ReadOnly: true}}}}, `namespace "tools": method f: it has no Call`},
		"two functions of a name":     {[]codetool.Namespace{{Functions: []sdk.Method{read("f", nothing), read("f", nothing)}}}, `method f: there are two of this name`},
		"a schema that is none": {[]codetool.Namespace{{Functions: []sdk.Method{sdk.RawMethod{
			Name: "f", ReadOnly: true, InputSchema: json.RawMessage(`{"type":"thing"}`),
			Call: func(context.Context, json.RawMessage) (json.RawMessage, error) { return nil, nil },
		}}}}, `namespace "tools": method f: its input: compile schema`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := codetool.New(codetool.Options{Namespaces: test.namespaces})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
	_, err := codetool.New(codetool.Options{Namespaces: []codetool.Namespace{{Name: "env"}, {Name: "input"}}})
	if err == nil || !strings.Contains(err.Error(), `"env"`) || !strings.Contains(err.Error(), `"input"`) {
		t.Errorf("not every fault is named: %v", err)
	}
}

// TestNames: functions have the names that connectors' methods would have.
func TestNames(t *testing.T) {
	t.Parallel()
	answer := func(text string) func(context.Context, struct{}) (string, error) {
		return func(context.Context, struct{}) (string, error) { return text, nil }
	}
	tool := newTool(t, codetool.Options{Namespaces: []codetool.Namespace{
		{Functions: []sdk.Method{read("list-issues", answer("dash")), read("list_issues", answer("underscore")), read("delete", answer("word"))}},
		{Name: "other", Functions: []sdk.Method{read("list_issues", answer("other"))}},
	}})
	got, err := tool.Run(t.Context(), `
		const names = Object.keys(tools), dashed = names.find(n => n.startsWith("list_issues_"));
		[names.length, await tools[dashed](), await tools.list_issues(), await tools.delete_(), await other.list_issues()]`)
	if err != nil {
		t.Fatal(err)
	}
	if want := `[3,"dash","underscore","word","other"]`; string(got.Value) != want {
		t.Errorf("got %s, want %s", got.Value, want)
	}
}

func TestDefinition(t *testing.T) {
	t.Parallel()
	tool := newTool(t, codetool.Options{Namespaces: []codetool.Namespace{
		{Name: "math", Instructions: "Whole numbers only. Ask for no others.", Functions: []sdk.Method{
			sdk.Func[pair, int]{Name: "add", Description: "Add two numbers.", ReadOnly: true, Call: func(_ context.Context, p pair) (int, error) { return p.A + p.B, nil }},
			sdk.RawMethod{Name: "untyped", ReadOnly: true, Call: func(context.Context, json.RawMessage) (json.RawMessage, error) { return nil, nil }},
		}},
		{Name: "admin", Functions: []sdk.Method{sdk.Func[struct{}, struct{}]{Name: "wipe", Approval: sdk.Required, Call: nothing}}},
	}})
	d := tool.Definition()
	want := `Runs one JavaScript or TypeScript program and returns its result. Do the whole job in one program: read, filter, decide and write in code instead of calling this tool once for each step.

The ONLY globals beside the language's own are math, codemode and console. There is no network, no file system, no import and no require.

// Whole numbers only.
declare namespace math {
  /** Add two numbers. */
  function add(input: { a: number, b: number }): Promise<number>;

  function untyped(input?: Record<string, unknown>): Promise<unknown>;
}

Rules:
`
	got, _, _ := strings.Cut(d.Description, "- A function")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if d.Name != "codemode" {
		t.Errorf("its name is %s", d.Name)
	}
	input, err := schema.Compile(d.InputSchema)
	if err != nil {
		t.Fatal(err)
	}
	if input.Validate([]byte(`{"code":"1"}`)) != nil || input.Validate([]byte(`{"code":1}`)) == nil || input.Validate([]byte(`{"code":"1","x":1}`)) == nil {
		t.Errorf("the schema is %s", d.InputSchema)
	}
	d.InputSchema[0] = 'x'
	if next := tool.Definition().InputSchema; next[0] != '{' {
		t.Error("a definition can be changed from outside")
	}
}

// TestDescription: an embedder's own replaces the standard one, and is not searched for placeholders twice.
func TestDescription(t *testing.T) {
	t.Parallel()
	tool := newTool(t, codetool.Options{
		Description: "First {{types}}, then again {{types}}.",
		Namespaces: []codetool.Namespace{{Functions: []sdk.Method{
			sdk.Func[struct{}, struct{}]{Name: "f", Description: "Knows {{types}}.", ReadOnly: true, Call: nothing},
		}}},
	})
	types := "declare namespace tools {\n  /** Knows {{types}}. */\n  function f(input?: {}): Promise<unknown>;\n}"
	if diff := cmp.Diff("First "+types+", then again "+types+".", tool.Definition().Description); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestDescriptionTellsOfTexts: s += x in a loop takes time with the square of the length.
func TestDescriptionTellsOfTexts(t *testing.T) {
	t.Parallel()
	d := newTool(t, codetool.Options{}).Definition().Description
	if !strings.Contains(d, "Build a string in a loop by pushing its parts on an array and joining them at the end.") {
		t.Errorf("the description is\n%s", d)
	}
}

func TestWithoutFunctions(t *testing.T) {
	t.Parallel()
	d := newTool(t, codetool.Options{}).Definition().Description
	if !strings.Contains(d, "are codemode and console.") || !strings.Contains(d, "There are no functions.") {
		t.Errorf("the description is\n%s", d)
	}
}

// TestManyFunctions: the description is bounded, every namespace is in it, and the program finds the rest.
func TestManyFunctions(t *testing.T) {
	t.Parallel()
	set := func(name string, n int) codetool.Namespace {
		ns := codetool.Namespace{Name: name}
		for i := range n {
			ns.Functions = append(ns.Functions, read(fmt.Sprintf("function_%s_%d", name, i), func(context.Context, pair) (note, error) { return note{}, nil }))
		}
		return ns
	}
	tool := newTool(t, codetool.Options{Namespaces: []codetool.Namespace{set("large", 2000), set("second", 1000), set("small", 3)}})
	d := tool.Definition().Description
	if n := utf8.RuneCountInString(d); n > 30_000 || n < 15_000 {
		t.Errorf("the description has %d characters", n)
	}
	for _, name := range []string{"function_large_0", "function_second_0", "function_small_0", "more methods"} {
		if !strings.Contains(d, name) {
			t.Errorf("the description has no %s", name)
		}
	}
	got, err := tool.Run(t.Context(), `
		const {results} = await codemode.search("function large 1999");
		[results[0].path, (await codemode.describe("large.function_large_1999")).types.includes("text: string")]`)
	if err != nil {
		t.Fatal(err)
	}
	if want := `["large.function_large_1999",true]`; string(got.Value) != want {
		t.Errorf("got %s, want %s", got.Value, want)
	}
}
