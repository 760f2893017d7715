package stdio

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"
)

// roleVar makes the test binary a server; its value says which.
const roleVar = "STDIO_TEST_ROLE"

// holdVar names a FIFO that a stubborn server holds open for as long as it lives.
const holdVar = "STDIO_TEST_HOLD"

const (
	// limit is how long a test waits for what must happen.
	limit = 20 * time.Second
	// lifetime is how long a server that nobody ends lives.
	lifetime = 2 * limit
)

func TestMain(m *testing.M) {
	if play, ok := roles[os.Getenv(roleVar)]; ok {
		play()
		return
	}
	goleak.VerifyTestMain(m)
}

// roles are the servers. Each ends by itself after a while, whatever happens to its test.
var roles = map[string]func(){
	// echo answers each request with its params, and prints what is no message first.
	"echo": func() {
		fmt.Println("Welcome to the echo server!")
		fmt.Println()
		fmt.Fprintln(os.Stderr, "echo server started")
		in := bufio.NewScanner(os.Stdin)
		in.Buffer(nil, 1<<20)
		for in.Scan() {
			var request struct {
				ID     int             `json:"id"`
				Params json.RawMessage `json:"params"`
			}
			if json.Unmarshal(in.Bytes(), &request) == nil {
				fmt.Printf(`{"jsonrpc":"2.0","id":%d,"result":%s}`+"\n", request.ID, request.Params)
			}
		}
		fmt.Fprint(os.Stderr, "echo server says goodbye")
	},
	// about tells its environment and its folder.
	"about": func() {
		dir, _ := os.Getwd()
		about, _ := json.Marshal(map[string]any{"env": os.Environ(), "dir": dir, "args": os.Args[1:]})
		fmt.Printf(`{"jsonrpc":"2.0","id":1,"result":%s}`+"\n", about)
		_, _ = io.Copy(io.Discard, os.Stdin)
	},
	// failing ends at once.
	"failing": func() {
		fmt.Fprintln(os.Stderr, "no such database")
		os.Exit(3)
	},
	// stubborn heeds neither the end of its input nor SIGTERM.
	"stubborn": func() {
		signal.Ignore(syscall.SIGTERM)
		if path := os.Getenv(holdVar); path != "" {
			if _, err := os.OpenFile(path, os.O_WRONLY, 0); err != nil {
				panic(err)
			}
		}
		fmt.Println(`{"jsonrpc":"2.0","method":"ready"}`)
		time.Sleep(lifetime)
	},
	// obedient heeds SIGTERM alone.
	"obedient": func() {
		terminated := make(chan os.Signal, 1)
		signal.Notify(terminated, syscall.SIGTERM)
		fmt.Println(`{"jsonrpc":"2.0","method":"ready"}`)
		<-terminated
		os.Exit(7)
	},
	// wrapper is what npx is: its child is the server.
	"wrapper": func() {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), roleVar+"=stubborn")
		child.Stdout = os.Stdout
		if err := child.Start(); err != nil {
			panic(err)
		}
		_ = child.Wait()
	},
	// deaf reads one byte and no more.
	"deaf": func() {
		_, _ = io.ReadFull(os.Stdin, make([]byte, 1))
		fmt.Println(`{"jsonrpc":"2.0","method":"ready"}`)
		time.Sleep(lifetime)
	},
	// endless sends a line that does not end.
	"endless": func() {
		for {
			if _, err := os.Stdout.Write(make([]byte, 1<<20)); err != nil {
				return
			}
		}
	},
}

// lines collects what a process prints.
type lines struct {
	mu   sync.Mutex
	all  []string
	more chan struct{}
}

func newLines() *lines { return &lines{more: make(chan struct{}, 1)} }

func (l *lines) add(line string) {
	l.mu.Lock()
	l.all = append(l.all, line)
	l.mu.Unlock()
	select {
	case l.more <- struct{}{}:
	default:
	}
}

func (l *lines) get() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string(nil), l.all...)
}

// first waits for a line.
func (l *lines) first(t *testing.T) string {
	t.Helper()
	for {
		if all := l.get(); len(all) > 0 {
			return all[0]
		}
		select {
		case <-l.more:
		case <-time.After(limit):
			t.Fatal("no line came")
		}
	}
}

// running is a process with its connection.
type running struct {
	*Process
	conn          mcp.Connection
	stderr, stray *lines
}

// start starts a role.
func start(t *testing.T, role string, change ...func(*Command)) running {
	t.Helper()
	r := running{stderr: newLines(), stray: newLines()}
	c := Command{Path: os.Args[0], Env: environ(role), Stderr: r.stderr.add, Stray: r.stray.add}
	for _, f := range change {
		f(&c)
	}
	var err error
	if r.Process, err = Start(c); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Stop)
	if r.conn, err = r.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r
}

// read returns the next message.
func (r running) read(t *testing.T) jsonrpc.Message {
	t.Helper()
	message, err := r.conn.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return message
}

// request is a request whose params are one JSON string.
func request(t *testing.T, id int, param string) *jsonrpc.Request {
	t.Helper()
	requestID, err := jsonrpc.MakeID(float64(id))
	if err != nil {
		t.Fatal(err)
	}
	params, err := json.Marshal(map[string]string{"text": param})
	if err != nil {
		t.Fatal(err)
	}
	return &jsonrpc.Request{ID: requestID, Method: "echo", Params: params}
}

// write writes a message and fails the test if that fails.
func (r running) write(t *testing.T, ctx context.Context, message jsonrpc.Message) {
	t.Helper()
	if err := r.conn.Write(ctx, message); err != nil {
		t.Fatal(err)
	}
}

// environ is a role's environment. The race detector's second at the end of a
// process would count against the grace.
func environ(role string) []string {
	return []string{roleVar + "=" + role, "GORACE=atexit_sleep_ms=0"}
}

// hold has a stubborn server hold a FIFO. The function that it returns fails
// the test unless that server is dead.
func hold(t *testing.T) (change func(*Command), isDead func()) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "held")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		held, err := os.Open(path) // waits for the server to open it
		if err == nil {
			defer held.Close()
			_, err = io.ReadAll(held)
		}
		ended <- err
	}()
	change = func(c *Command) { c.Env = append(c.Env, holdVar+"="+path) }
	isDead = func() {
		t.Helper()
		select {
		case err := <-ended:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(limit):
			t.Error("the server is alive")
		}
	}
	return change, isDead
}

// must reports that text does not contain part.
func must(t *testing.T, what, text, part string) {
	t.Helper()
	if !strings.Contains(text, part) {
		t.Errorf("%s is %q, want %q in it", what, text, part)
	}
}
