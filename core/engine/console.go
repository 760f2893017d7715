package engine

import (
	"fmt"

	"github.com/codemode-go/codemode/core/sandbox"
)

// console keeps the lines of the live part. Lines that a former pass has reported already come again in
// a replay: those written before or at the last delivery of the last ended pass.
func (p *pass) console(t sandbox.Turn) {
	for _, l := range t.Console {
		if p.rec.state.PassStatus != "" && l.After <= p.linesBefore {
			continue
		}
		p.logs = append(p.logs, lineText(l))
	}
}

// lineText is a console line as outcomes show it: warnings and errors with their level in front.
func lineText(l sandbox.Line) string {
	if l.Level == "warn" || l.Level == "error" {
		return "[" + l.Level + "] " + l.Text
	}
	return l.Text
}

// warn adds a line of the host's own.
func (p *pass) warn(format string, args ...any) {
	p.logs = append(p.logs, "[warn] "+fmt.Sprintf(format, args...))
}

// warnUnawaited names the calls that the program returned without awaiting. They are carried out all the same.
func (p *pass) warnUnawaited() {
	for _, c := range p.open.all() {
		i := p.rec.state.Calls[c.seq].Issued
		if i.Connector != sandbox.Platform {
			p.warn("the program returned without awaiting %s.%s (call %s, line %d)", i.Connector, i.Method, c.seq, i.Line)
		}
	}
}
