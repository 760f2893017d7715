// Command counter is the connector of the crash tests: it writes every effect
// to a file of its own, so that a test can count them whatever a journal says.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/codemode-go/codemode/plugin/sdk"
)

// Config is the connector's config block.
type Config struct {
	File string `json:"file" jsonschema:"description=Where effects are written, one JSON object a line."`
	Wait int    `json:"wait,omitempty" jsonschema:"description=The longest time that a call takes, in milliseconds."`
}

// Effect is one line of the file.
type Effect struct {
	Key    string `json:"key"`
	Args   Args   `json:"args"`
	Result Value  `json:"result"`
	Undone bool   `json:"undone,omitempty"` // it is the revert of this call
}

// Args are the arguments of every method.
type Args struct {
	K int `json:"k"`
	V any `json:"v,omitempty"`
}

// Value is the result of every method.
type Value struct {
	K int `json:"k"`
	V int `json:"v"`
}

type counter struct {
	wait time.Duration

	mu   sync.Mutex // guards what follows
	file *os.File
	done map[string]Effect // by key
}

func main() {
	c := &counter{}
	sdk.Serve(&sdk.Connector{
		Name: "counter", Version: "1", Configure: sdk.Config(c.configure),
		Methods: []sdk.Method{
			sdk.Func[Args, Value]{Name: "read", Description: "Read.", ReadOnly: true, Call: c.read},
			sdk.Func[Args, Value]{Name: "write", Description: "Write.", Approval: sdk.NotRequired, Call: c.write, Revert: c.undo},
			sdk.Func[Args, Value]{Name: "gated", Description: "Write what a person allows.", Approval: sdk.Required, Call: c.write, Revert: c.undo},
			sdk.Func[Args, Value]{Name: "twice", Description: "Write, harmlessly twice.", Approval: sdk.NotRequired, Idempotent: true, Call: c.write},
			sdk.Func[Args, Value]{Name: "found", Description: "Write what can be found.", Approval: sdk.NotRequired, Call: c.write, Revert: c.undo, Reconcile: c.look},
			sdk.Func[Args, Value]{Name: "deaf", Description: "Write, at the second attempt.", Approval: sdk.NotRequired, Call: c.deaf},
			sdk.Func[Args, Value]{Name: "shout", Description: "Read, and print.", ReadOnly: true, Call: c.shout},
			sdk.Func[Args, Value]{Name: "fail", Description: "Fail.", ReadOnly: true, Call: c.fail},
		},
	})
}

func (c *counter) configure(_ context.Context, cfg Config) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	f, err := os.OpenFile(cfg.File, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	c.file, c.wait, c.done = f, time.Duration(cfg.Wait)*time.Millisecond, map[string]Effect{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var e Effect
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return err
		}
		if !e.Undone {
			c.done[e.Key] = e
		}
	}
	return lines.Err()
}

// linger takes as long as a call may.
func (c *counter) linger() {
	if c.wait > 0 {
		time.Sleep(rand.N(c.wait))
	}
}

func (c *counter) read(_ context.Context, in Args) (Value, error) {
	c.linger()
	return Value{in.K, rand.IntN(1000)}, nil
}

// shout prints as careless connectors do.
func (c *counter) shout(ctx context.Context, in Args) (Value, error) {
	fmt.Println("this is no protocol")
	fmt.Fprintln(os.Stderr, "neither is this")
	return c.read(ctx, in)
}

func (c *counter) fail(_ context.Context, in Args) (Value, error) {
	c.linger()
	return Value{}, sdk.Errorf(sdk.Conflict, "no %d", in.K)
}

// deaf notes its process beside the file and goes on for ever, whatever its deadline. A second attempt writes.
func (c *counter) deaf(ctx context.Context, in Args) (Value, error) {
	if sdk.CallFrom(ctx).Attempt > 1 {
		return c.write(ctx, in)
	}
	if err := os.WriteFile(c.file.Name()+".pid", []byte(strconv.Itoa(os.Getpid())), 0o600); err != nil {
		return Value{}, err
	}
	for {
		time.Sleep(time.Hour)
	}
}

// write takes effect somewhere between its beginning and its end.
func (c *counter) write(ctx context.Context, in Args) (Value, error) {
	c.linger()
	e, err := c.take(sdk.CallFrom(ctx), Effect{Args: in, Result: Value{in.K, rand.IntN(1000)}})
	c.linger()
	return e.Result, err
}

// take writes an effect down; what is idempotent once for each key.
func (c *counter) take(call sdk.Call, e Effect) (Effect, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e.Key = call.ExecutionID + "/" + call.Seq
	if before, known := c.done[e.Key]; known && call.Method == "twice" {
		return before, nil
	}
	line, err := json.Marshal(e)
	if err != nil {
		return e, err
	}
	if _, err := c.file.Write(append(line, '\n')); err != nil {
		return e, err
	}
	if !e.Undone {
		c.done[e.Key] = e
	}
	return e, c.file.Sync()
}

func (c *counter) undo(ctx context.Context, in Args, out Value) error {
	c.linger()
	_, err := c.take(sdk.CallFrom(ctx), Effect{Args: in, Result: out, Undone: true})
	c.linger()
	return err
}

// look says what became of a call.
func (c *counter) look(ctx context.Context, _ Args) (sdk.Happened[Value], error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, known := c.done[sdk.IdempotencyKey(ctx)]
	if !known {
		return sdk.Happened[Value]{Answer: sdk.No}, nil
	}
	return sdk.Happened[Value]{Answer: sdk.Yes, Result: e.Result}, nil
}
