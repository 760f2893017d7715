package codetool_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/codemode-go/codemode/core/codetool"
	"github.com/codemode-go/codemode/core/sandbox"
	"github.com/codemode-go/codemode/core/sandbox/worker"
	"github.com/codemode-go/codemode/plugin/sdk"
)

// Programs can run in child processes: functions are called as from this process, and a program that would have ended
// the process ends itself.
func TestProgramsInChildren(t *testing.T) {
	limits := sandbox.Limits{CPU: 5 * time.Second, Memory: 128 << 20}
	pool, err := worker.New(worker.Options{Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	}()
	double := sdk.Func[struct{ N int }, int]{Name: "double", ReadOnly: true, Call: func(_ context.Context, in struct{ N int }) (int, error) {
		return 2 * in.N, nil
	}}
	tool, err := codetool.New(codetool.Options{
		Sandbox: pool, Limits: codetool.Limits{Sandbox: limits}, Namespaces: []codetool.Namespace{{Functions: []sdk.Method{double}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"return await tools.double({ N: 21 })", "return new Uint8Array(4e9).length", "return await tools.double({ N: 21 })"} {
		result, err := tool.Run(t.Context(), text)
		var failed *codetool.Error
		switch {
		case errors.As(err, &failed) && failed.Limit == "memory" && text != "return await tools.double({ N: 21 })":
		case err != nil || string(result.Value) != "42":
			t.Errorf("%s: %+v, %v", text, result, err)
		}
	}
}
