// Command counter is the connector of the crash tests: it writes every effect
// to a file of its own, so that a test can count them whatever a journal says.
package main

import (
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
	mu   sync.Mutex
	file *os.File
	wait time.Duration
}

func main() {
	c := &counter{}
	sdk.Serve(&sdk.Connector{
		Name: "counter", Version: "1", Configure: sdk.Config(c.configure),
		Methods: []sdk.Method{
			sdk.Func[Args, Value]{Name: "read", Description: "Read.", ReadOnly: true, Call: c.read},
			sdk.Func[Args, Value]{Name: "write", Description: "Write.", Approval: sdk.NotRequired, Call: c.write},
			sdk.Func[Args, Value]{Name: "gated", Description: "Write what a person allows.", Approval: sdk.Required, Call: c.write},
			sdk.Func[Args, Value]{Name: "deaf", Description: "Write, at the second attempt.", Approval: sdk.NotRequired, Call: c.deaf},
			sdk.Func[Args, Value]{Name: "shout", Description: "Read, and print.", ReadOnly: true, Call: c.shout},
			sdk.Func[Args, Value]{Name: "fail", Description: "Fail.", ReadOnly: true, Call: c.fail},
		},
	})
}

func (c *counter) configure(_ context.Context, cfg Config) error {
	f, err := os.OpenFile(cfg.File, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	c.file, c.wait = f, time.Duration(cfg.Wait)*time.Millisecond
	return err
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
	e := Effect{Key: sdk.IdempotencyKey(ctx), Args: in, Result: Value{in.K, rand.IntN(1000)}}
	line, err := json.Marshal(e)
	if err != nil {
		return Value{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, err := c.file.Write(append(line, '\n')); err != nil {
		return Value{}, err
	}
	if err := c.file.Sync(); err != nil {
		return Value{}, err
	}
	c.linger()
	return e.Result, nil
}
