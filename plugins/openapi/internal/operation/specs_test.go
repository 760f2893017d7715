package operation_test

import (
	"testing"

	"github.com/codemode-go/codemode/core/schema"
	"github.com/codemode-go/codemode/plugins/openapi/internal/document"
	"github.com/codemode-go/codemode/plugins/openapi/internal/operation"
	"github.com/codemode-go/codemode/plugins/openapi/internal/specs"
)

// anywhere is the address of documents that have none.
var anywhere = operation.Options{BaseURL: "https://api.example.com"}

// TestRealDocuments: of a real document every operation is offered, and every
// schema compiles in the host.
func TestRealDocuments(t *testing.T) {
	t.Parallel()
	for _, spec := range specs.All {
		t.Run(spec.Name, func(t *testing.T) {
			t.Parallel()
			d, err := document.Load(t.Context(), document.Folder(spec.Path(t)))
			if err != nil {
				t.Fatal(err)
			}
			set := operation.Methods(d, anywhere)
			if len(set.Skipped) > 0 {
				t.Errorf("%d operations are skipped, the first because of %+v", len(set.Skipped), set.Skipped[0])
			}
			in, out := 0, 0
			for i, m := range set.Methods {
				in, out = in+len(m.Input), out+len(m.Output)
				if testing.Short() && i%10 > 0 || i > 2000 {
					continue
				}
				if _, err := schema.Compile(m.Input); err != nil {
					t.Errorf("%s, the input: %v", m.Name, err)
				}
				if _, err := schema.Compile(m.Output); err != nil {
					t.Errorf("%s, the output: %v", m.Name, err)
				}
			}
			t.Logf("%d methods, schemas of %d and %d bytes", len(set.Methods), in, out)
		})
	}
}

func BenchmarkMethodsGitHub(b *testing.B) {
	path := specs.Find("github").Path(b)
	for b.Loop() {
		d, err := document.Load(b.Context(), document.Folder(path))
		if err != nil {
			b.Fatal(err)
		}
		if n := len(operation.Methods(d, anywhere).Methods); n < 1000 {
			b.Fatalf("%d methods", n)
		}
	}
}
