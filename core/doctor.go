package core

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hashicorp/go-hclog"

	"github.com/codemode-go/codemode/core/config"
	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/core/journal/badger"
	"github.com/codemode-go/codemode/core/sandbox/worker"
)

// Finding is one thing that was looked at.
type Finding struct {
	Section string `json:"section"` // sandbox, journal, connectors
	Subject string `json:"subject"`
	State   string `json:"state"` // FindingOK, FindingWarning, FindingFault
	Text    string `json:"text"`
}

// The states of findings. A fault keeps programs from running, or the journal from being trusted.
const (
	FindingOK      = "ok"
	FindingWarning = "warning"
	FindingFault   = "fault"
)

// Diagnose looks at what a configuration needs of this machine: the walls around programs, the journal, and the
// connectors, each of which is started and stopped again. It changes nothing.
func Diagnose(ctx context.Context, cfg *config.Config, o OpenOptions) ([]Finding, error) {
	if o.Logger == nil {
		o.Logger = hclog.NewNullLogger()
	}
	list := diagnoseSandbox(ctx, cfg, o)
	list = append(list, diagnoseJournal(ctx, cfg, o)...)
	connectors, err := diagnoseConnectors(ctx, cfg, o)
	return append(list, connectors...), err
}

func diagnoseSandbox(ctx context.Context, cfg *config.Config, o OpenOptions) []Finding {
	missing := FindingWarning
	if cfg.Sandbox.RequireWalls {
		missing = FindingFault
	}
	pool, err := worker.New(worker.Options{Limits: limitsOf(cfg.Sandbox).Sandbox, Logger: o.Logger})
	if err != nil {
		return []Finding{{Section: "sandbox", Subject: "process", State: missing, Text: err.Error()}}
	}
	defer func() { _ = pool.Close() }() // it never fails
	layers, err := pool.Walls(ctx)
	if err != nil {
		return []Finding{{Section: "sandbox", Subject: "process", State: FindingFault, Text: err.Error()}}
	}
	list := []Finding{{Section: "sandbox", Subject: "process", State: FindingOK, Text: "programs run in child processes"}}
	for _, l := range layers {
		f := Finding{Section: "sandbox", Subject: l.Name, State: FindingOK, Text: "holds"}
		if !l.Holds {
			f.State, f.Text = missing, "missing: "+l.Why
		}
		list = append(list, f)
	}
	return list
}

func diagnoseJournal(ctx context.Context, cfg *config.Config, o OpenOptions) []Finding {
	dir := journalDir(cfg.Runtime.Data, cfg.Runtime.Name)
	f := Finding{Section: "journal", Subject: dir, State: FindingOK}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		f.Text = "there is none yet; the first program makes it"
		return []Finding{f}
	}
	store, err := badger.Open(ctx, badger.Options{Dir: dir, Logger: o.Logger.Named("journal")})
	var locked *badger.LockedError
	switch {
	case errors.As(err, &locked):
		f.Text = "in use: " + locked.Error()
		return []Finding{f}
	case err != nil:
		f.State, f.Text = FindingFault, err.Error()
		if damaged := (*journal.DamagedError)(nil); errors.As(err, &damaged) {
			f.Text += ". Nothing of it can be read: move its folder away and restore a backup (codemode restore), or begin anew without it"
		}
		return []Finding{f}
	}
	d, err := examine(ctx, store)
	if err := errors.Join(err, store.Close()); err != nil {
		f.State, f.Text = FindingFault, err.Error()
		return []Finding{f}
	}
	return JournalFindings(dir, d)
}

// JournalFindings tells what is damaged of the journal in a folder, and what can be done.
func JournalFindings(dir string, d *Damage) []Finding {
	f := Finding{Section: "journal", Subject: dir, State: FindingOK, Text: fmt.Sprintf("sound; executions: %d", d.Sound)}
	if d.Lost != "" {
		f.State = FindingFault
		f.Text = fmt.Sprintf("the journal is damaged: %s. What is left can be read, and new programs run; what was there before and has "+
			"not ended (executions: %d) does not go on, for an approval or a started write may be among what is lost. Look at it, "+
			"restore a backup, or accept the loss: codemode doctor --confirm", d.Lost, d.Waiting)
	}
	list := []Finding{f}
	for _, x := range d.Executions {
		list = append(list, Finding{
			Section: "journal", Subject: "execution " + x.ID, State: FindingFault,
			Text: fmt.Sprintf("it can be read up to event %d: %s. It hurts no other. It can be shown, and does not go on; restore a backup, or delete it", x.After, x.Cause),
		})
	}
	return list
}

// ConfirmDamage accepts, by the word of a person, that events of a configuration's journal are lost: from now on it is
// taken for what it holds, and what has not ended in it may go on. It returns the damage; nil: there is none.
func ConfirmDamage(ctx context.Context, cfg *config.Config, o OpenOptions, sure func(damage error) (bool, error)) (damage error, err error) {
	dir := journalDir(cfg.Runtime.Data, cfg.Runtime.Name)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	store, err := badger.Open(ctx, badger.Options{Dir: dir, Logger: o.Logger.Named("journal")})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	damage = store.Damage()
	if damage == nil {
		return nil, nil
	}
	if yes, err := sure(damage); err != nil || !yes {
		return damage, err
	}
	return damage, store.Confirm(ctx)
}

func diagnoseConnectors(ctx context.Context, cfg *config.Config, o OpenOptions) ([]Finding, error) {
	offered, err := Inspect(ctx, cfg, o)
	if err != nil {
		return nil, err
	}
	var list []Finding
	for _, c := range offered.Catalog.Connectors() {
		f := Finding{Section: "connectors", Subject: c.Label, State: FindingOK}
		f.Text = fmt.Sprintf("%s %s, %d methods", c.Plugin, c.Version, len(c.Methods))
		if fault := offered.Faults[c.Label]; fault != nil {
			f.State, f.Text = FindingFault, fault.Error()
		}
		list = append(list, f)
	}
	return list, nil
}

// journalDir is where the journal of a runtime lies.
func journalDir(data, name string) string { return filepath.Join(data, "journal", name) }
