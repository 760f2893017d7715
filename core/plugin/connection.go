package plugin

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/codemode-go/codemode/plugin/wire"
	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/grpc/health/grpc_health_v1"
)

// connection is one connector process that has described itself, and the
// client that speaks to it. It is used once: a new process is a new connection.
type connection struct {
	process   *process
	dir       string
	noted     string // where its launch is noted; empty: nowhere
	client    *goplugin.Client
	conn      *grpc.ClientConn
	connector *wire.Client
	about     *wire.Description

	incarnation int
	tail        *tail
	configured  int // the number of the configuration that it accepted; 0: none. Guarded by the supervisor.
	ask         sync.Once
	asked       chan struct{} // closed when the process has been asked to exit
	gone        chan struct{} // closed by the supervisor when nothing is left of the process and its end is counted
}

// tend waits until the process ends or is asked to, and frees what belongs to it.
func (c *connection) tend(log hclog.Logger) {
	select {
	case <-c.process.exited:
	case <-c.asked:
	}
	c.client.Kill() // asks a process that still runs, and returns when it is gone
	<-c.process.exited
	c.connector.Close()
	removeTraces(c.dir, c.noted, log)
}

// leaving says that the process has ended or has been asked to.
func (c *connection) leaving() bool { return c.process.hasExited() || c.wasAsked() }

// wasAsked says that the process's end is its host's wish.
func (c *connection) wasAsked() bool {
	select {
	case <-c.asked:
		return true
	default:
		return false
	}
}

// death says how the process ended, once it has.
func (c *connection) death() error {
	return fmt.Errorf("its process (pid %d) ended: %s", c.process.processID(), c.process.ending())
}

// stop asks the process to exit, kills its group after grace or at the end of
// ctx, and returns when nothing is left of it. It says whether the process
// went by itself.
//
// go-plugin's Kill alone is not enough: its request has no limit of time, so
// that a stopped process holds it for ever.
func (c *connection) stop(ctx context.Context, grace time.Duration) bool {
	c.ask.Do(func() {
		c.process.requestExit()
		close(c.asked)
	})
	ctx, cancel := context.WithTimeout(ctx, grace)
	defer cancel()
	graceful := true
	select {
	case <-c.process.exited:
	case <-ctx.Done():
		graceful = false
		c.process.kill()
	}
	<-c.gone
	return graceful
}

// healthPatience is how long a process whose connection broke has to show that it still serves.
const healthPatience = 2 * time.Second

// serves asks the process whether it still does.
func (c *connection) serves(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, healthPatience)
	defer cancel()
	health := grpc_health_v1.NewHealthClient(c.conn)
	_, err := health.Check(ctx, &grpc_health_v1.HealthCheckRequest{Service: goplugin.GRPCServiceName})
	return err == nil
}
