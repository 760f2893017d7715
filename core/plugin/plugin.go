// Package plugin finds, verifies, launches and supervises connector processes.
//
// A [Supervisor] stands for one connector. It is a [wire.Connector] itself, so
// that the rest of the host cannot tell a connector in a process of its own
// from one in the host's:
//
//	s, err := plugin.New(plugin.Spec{Label: "tracker", Plugin: "tracker", Logger: log})
//	if err != nil {
//		return err
//	}
//	defer s.Close(ctx)
//	offer, err := s.Methods(ctx) // launches and configures it
//
// The process is started by the first call that needs it, configured, and after
// its death started again by the next call, with a growing delay. It sees only
// the environment that its [Spec] names, cannot read the host's stdin, leads a
// process group of its own, and cannot outlive the host: its stdin is a pipe
// whose end tells it to exit, and on Linux the kernel kills it with the host.
// What it writes on stderr is parsed here and becomes log lines that carry
// connector=LABEL; go-plugin, which does the handshake, sees nothing but a
// handshake line that has been checked and rewritten.
package plugin
