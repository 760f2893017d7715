package mcpserver

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/codemode-go/codemode/core"
)

// report tells a client that wants to know how far its execution is, again and again, until the function that it
// returns is called. What is counted is seconds: how much is still to do is known to nobody.
func (s *Server) report(ctx context.Context, c *client, id string) (end func()) {
	if c.token == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var work sync.WaitGroup
	work.Go(func() {
		began := time.Now()
		tick := time.NewTicker(s.tick)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
			err := c.session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
				ProgressToken: c.token, Progress: time.Since(began).Seconds(), Message: progressText(s.host.Progress(id)),
			})
			if err != nil {
				s.logger.Debug("a client is not told the progress of its call", "execution", id, "error", err)
				return
			}
		}
	})
	return func() {
		cancel()
		work.Wait()
	}
}

func progressText(p core.Progress) string {
	switch {
	case !p.Running:
		return "waiting for its turn"
	case p.Calls == 0:
		return "running"
	}
	text := fmt.Sprintf("%d of %d calls done", p.Done, p.Calls)
	if len(p.Executing) > 0 {
		const most = 3
		text += "; running " + strings.Join(p.Executing[:min(most, len(p.Executing))], ", ")
		if more := len(p.Executing) - most; more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
	}
	return text
}
