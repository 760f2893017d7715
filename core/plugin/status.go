package plugin

// State says where a connector's process is in its life.
type State string

// The states of a connector.
const (
	StateIdle     State = "idle"     // no process has been needed so far
	StateStarting State = "starting" // a process is being launched, awaited or configured
	StateReady    State = "ready"    // the process is up and configured
	StateDown     State = "down"     // the last process ended or could not be started; a call may start another
	StateClosed   State = "closed"   // for good
)

// Status is what people are told of a connector.
type Status struct {
	Label string
	State State
	// Reason says why a connector is down, in one or more lines that may quote its stderr; empty otherwise.
	Reason string
	// Health is the connector's own last word on its health; empty: well.
	Health string
	// Name and Version are the plugin's own; empty until it has been launched once.
	Name, Version string
	// Path of the binary; empty until it has been found once.
	Path string
	// PID of the process; 0: there is none.
	PID int
	// Incarnation counts the launches so far, those that failed included.
	Incarnation int
}
