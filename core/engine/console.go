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
		p.log(lineText(l))
	}
}

// log keeps a line. Beyond the limit the oldest go: a console never ends a run.
func (p *pass) log(line string) {
	p.logs = append(p.logs, line)
	p.logged += len(line)
	limit := p.e.Limits.Sandbox.Console
	for limit > 0 && p.logged > limit && len(p.logs) > 1 {
		p.logged -= len(p.logs[0])
		p.logs = p.logs[1:]
		p.dropped++
	}
}

// lines is what the outcome and the journal say of the pass's console.
func (p *pass) lines() []string {
	if p.dropped == 0 {
		return p.logs
	}
	note := fmt.Sprintf("[warn] %d earlier line(s) dropped: the console keeps the last %d bytes", p.dropped, p.e.Limits.Sandbox.Console)
	return append([]string{note}, p.logs...)
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
	p.log("[warn] " + fmt.Sprintf(format, args...))
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
