package document_test

import (
	"testing"

	"github.com/codemode-go/codemode/plugins/openapi/internal/document"
	"github.com/codemode-go/codemode/plugins/openapi/internal/specs"
)

// TestRealDocuments: every operation of a real document is read, and every
// reference of its parameters leads somewhere.
func TestRealDocuments(t *testing.T) {
	t.Parallel()
	operations := map[string]int{
		"github": 1223, "stripe": 452, "kubernetes-2.0": 1014, "kubernetes": 845, "msgraph": 11422, "airflow": 73, "httpbin": 78,
		"slack": 174, "asana": 247, "openai": 288, "digitalocean": 659, "petstore-separate": 4, "tictactoe": 3,
		"slack-1.7": 174, "asana-1.0": 167, "digitalocean-2.0": 290, "jira": 499, "box": 260, "spotify": 88, "trello": 324, "zoom": 373,
		"linode": 350, "xero": 224, "twilio": 195, "netlify": 120,
		"torture-3.2": 2, "torture-params": 31, "torture-2.0": 4,
	}
	for _, spec := range specs.All {
		t.Run(spec.Name, func(t *testing.T) {
			t.Parallel()
			d, err := document.Load(t.Context(), document.Folder(spec.Path(t)))
			if err != nil {
				t.Fatal(err)
			}
			if len(d.Skipped) > 0 {
				t.Errorf("%d operations are skipped, the first because of %+v", len(d.Skipped), d.Skipped[0])
			}
			if n := len(d.Operations); n != operations[spec.Name] {
				t.Errorf("%d operations, want %d", n, operations[spec.Name])
			}
		})
	}
}

func BenchmarkLoadGitHub(b *testing.B) {
	path := specs.Find("github").Path(b)
	for b.Loop() {
		if _, err := document.Load(b.Context(), document.Folder(path)); err != nil {
			b.Fatal(err)
		}
	}
}
