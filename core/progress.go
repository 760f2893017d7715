package core

import "github.com/codemode-go/codemode/core/journal"

// Progress tells how far a pass is.
type Progress struct {
	// Running says that a pass runs now. Where none does, the rest is absent.
	Running bool `json:"running"`
	// Calls is how many calls the execution has issued so far, Done how many of them have an outcome.
	Calls int `json:"calls,omitempty"`
	Done  int `json:"done,omitempty"`
	// Executing are the calls that are being carried out, as "namespace.method", in the order they were issued.
	Executing []string `json:"executing,omitempty"`
}

// Progress tells how far an execution is, if its pass runs in this host.
func (h *Host) Progress(id string) Progress {
	d := h.running(id)
	if d == nil {
		return Progress{}
	}
	p := Progress{Running: true}
	d.x.View(func(s *journal.State) {
		for _, seq := range s.Order {
			c := s.Calls[seq]
			p.Calls++
			switch {
			case c.Outcome != nil:
				p.Done++
			case c.State == journal.CallExecuting:
				p.Executing = append(p.Executing, c.Issued.Connector+"."+c.Issued.Method)
			}
		}
	})
	return p
}
