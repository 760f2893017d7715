package result

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/codemode-go/codemode/plugin/wire"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestGolden compares what becomes of the results in testdata.
func TestGolden(t *testing.T) {
	t.Parallel()
	const path = "testdata/results.txtar"
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range archive.Files {
		files[f.Name] = string(f.Data)
	}
	renewed := &txtar.Archive{Comment: archive.Comment}
	for _, f := range archive.Files {
		name, isInput := strings.CutSuffix(f.Name, ".json")
		if !isInput {
			continue
		}
		got := outcome(f.Data)
		renewed.Files = append(renewed.Files, f, txtar.File{Name: name + ".want", Data: []byte(got)})
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(files[name+".want"], got); !*update && diff != "" {
				t.Error(diff)
			}
		})
	}
	if *update {
		if err := os.WriteFile(path, txtar.Format(renewed), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// outcome says in words what becomes of a result.
func outcome(raw json.RawMessage) string {
	r, err := Parse(raw)
	if err != nil {
		return fmt.Sprintf("unusable: %v\n", err)
	}
	if r.Failed() {
		message, details, err := r.Failure()
		if err != nil {
			return fmt.Sprintf("unusable: %v\n", err)
		}
		return fmt.Sprintf("failed: %s\ndetails: %s\n", message, shown(details))
	}
	value, err := r.Value(true)
	if err != nil {
		return fmt.Sprintf("unusable: %v\n", err)
	}
	out := fmt.Sprintf("value: %s\n", shown(value))
	if text, err := r.Value(false); err != nil || string(text) != string(value) {
		out += fmt.Sprintf("unparsed: %s %v\n", shown(text), err)
	}
	if unsaid := r.Unsaid(); unsaid != "" {
		out += fmt.Sprintf("unsaid: %s\n", unsaid)
	}
	return out
}

func shown(value json.RawMessage) string {
	if value == nil {
		return "undefined"
	}
	return strings.TrimSpace(string(value))
}

// FuzzParse: whatever a server answers becomes JSON or an error.
func FuzzParse(f *testing.F) {
	archive, err := txtar.ParseFile("testdata/results.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range archive.Files {
		if strings.HasSuffix(file.Name, ".json") {
			f.Add(file.Data)
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, err := Parse(raw)
		if err != nil {
			return
		}
		r.Unsaid()
		for _, parseText := range []bool{true, false} {
			value, err := r.Value(parseText)
			if err != nil {
				t.Fatalf("no value: %v", err)
			}
			if value != nil && !json.Valid(value) {
				t.Fatalf("the value is not JSON: %s", value)
			}
		}
		message, details, err := r.Failure()
		if err != nil || message == "" {
			t.Fatalf("no failure: %q, %v", message, err)
		}
		if _, err := wire.Untag(details); details != nil && (err != nil || !json.Valid(details)) {
			t.Fatalf("the details are not JSON: %s", details)
		}
	})
}
