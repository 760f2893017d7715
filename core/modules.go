package core

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/codemode-go/codemode/core/catalog"
	"github.com/codemode-go/codemode/core/program"
)

// Module is helper code that programs import by its name. What a program imports is compiled into it, and so it is
// pinned with it.
type Module struct {
	// Name is like money.js, see catalog.ValidModuleName.
	Name string
	// Description is one line for models.
	Description string
	// Text is an ES module in JavaScript or TypeScript, at most MaxModule bytes. It can import other modules.
	Text string
	// Explain turns a fault of the text into an error that names file and line; nil: as it is.
	Explain func(fault *program.Error) error
}

// MaxModule is the most bytes that a module's text may have.
const MaxModule = 256 << 10

// checkModules refuses modules that no program could import.
func checkModules(modules []Module) error {
	seen := map[string]bool{}
	for _, m := range modules {
		if err := catalog.ValidModuleName(m.Name); err != nil {
			return fmt.Errorf("module %q: %w", m.Name, err)
		}
		if seen[m.Name] {
			return fmt.Errorf("duplicate module name %q", m.Name)
		}
		seen[m.Name] = true
		if len(m.Text) > MaxModule {
			return fmt.Errorf("module %q: its text has %d bytes, %d at most", m.Name, len(m.Text), MaxModule)
		}
	}
	return nil
}

// compileModules compiles all modules once, where programs are compiled, so that a fault shows when the host starts. It
// returns what programs and models need to know of them.
func (h *Host) compileModules(ctx context.Context) ([]catalog.Module, error) {
	modules := h.options.Modules
	if len(modules) == 0 {
		return nil, nil
	}
	var all strings.Builder
	byName := map[string]Module{}
	for _, m := range modules {
		fmt.Fprintf(&all, "import %q;\n", m.Name)
		byName[m.Name] = m
	}
	p, err := h.sandbox.Compile(ctx, program.Source{Text: all.String(), Modules: h.modules()})
	if fault, ok := errors.AsType[*program.Error](err); ok {
		m := byName[fault.Module]
		if m.Explain != nil {
			return nil, m.Explain(fault)
		}
		return nil, fault
	}
	if err != nil {
		return nil, fmt.Errorf("compile the modules: %w", err)
	}
	var list []catalog.Module
	for _, linked := range p.Modules {
		list = append(list, catalog.Module{
			Name: linked.Name, Description: byName[linked.Name].Description, Exports: linked.Exports,
		})
	}
	return list, nil
}

// modules are what programs can import.
func (h *Host) modules() []program.Module {
	var list []program.Module
	for _, m := range h.options.Modules {
		list = append(list, program.Module{Name: m.Name, Text: m.Text})
	}
	return list
}
