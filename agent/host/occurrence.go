package host

import "encoding/json"

// Occurrence is something that the core is told. Now is in milliseconds since 1970.
type Occurrence interface {
	occur(c *Core, p *Consequence)
}

// Invoked is a call that somebody makes. Earlier is the call that the same caller made of the same
// target with the same correlation id, if there is one. Waits says that a person has to approve it.
type Invoked struct {
	Invocation
	Waits   bool
	Earlier *Invocation
	Now     int64
}

// Answered says that a person approved a call that waits, or why it is not made.
type Answered struct {
	Call, Problem string
	Now           int64
}

// TakenBack says that a call has to end, because a link of its delegation was taken back.
type TakenBack struct {
	Call, Why string
	Now       int64
}

// Spawned is a new agent. By is the caller.
type Spawned struct {
	By, Call   string
	Lease      Lease
	Definition Definition
	DID, Text  string
	Ref        string
	Now        int64
}

// Asked is a demand about an agent's life.
type Asked struct {
	By, Agent string
	What      Demand
	Ref       string
	Now       int64
}

// Demand is what can be asked about an agent's life.
type Demand string

// The demands.
const (
	Hibernate Demand = "hibernate"
	Wake      Demand = "wake"
	Terminate Demand = "terminate"
)

// Opened says that an agent is open after OpenAgent, or that there is a problem.
type Opened struct {
	Agent, Problem string
	Now            int64
}

// Ended is the end of a call after StartCall.
type Ended struct {
	Call, Status, Problem string
	Result, Attestation   json.RawMessage
	Tokens                int
	Micros                uint64
	CPU                   int64 // processor time of its programs, in milliseconds
	Now                   int64
}

// Withdrawn says that the caller of a call wants it to end.
type Withdrawn struct {
	By, Call string
	Ref      string
	Now      int64
}

// Ticked says what time it is. It comes about once a second.
type Ticked struct{ Now int64 }

// Consequence is what to save and then to do.
type Consequence struct {
	Agents []Agent
	Calls  []Invocation
	Acts   []Act
}

// Act is something to do, after everything of the plan is saved.
type Act interface{ act() }

type (
	// OpenAgent starts what the agent needs. Opened answers it.
	OpenAgent struct{ Agent string }
	// CloseAgent ends what the agent started and frees its memory.
	CloseAgent struct{ Agent string }
	// StartCall makes a call. Ended answers it.
	StartCall struct{ Invocation }
	// StopCall ends a call under way.
	StopCall struct{ Call string }
	// Tell gives the end of a call to all who wait for it.
	Tell struct{ Invocation }
	// Join lets the caller of Ref wait for the end of another call.
	Join struct{ Ref, Call string }
	// Settle answers the caller of Ref: nil is done.
	Settle struct {
		Ref     string
		Refusal *Refused
	}
	// Archive puts the identity of a terminated agent away.
	Archive struct{ Agent string }
)

func (OpenAgent) act()  {}
func (CloseAgent) act() {}
func (StartCall) act()  {}
func (StopCall) act()   {}
func (Tell) act()       {}
func (Join) act()       {}
func (Settle) act()     {}
func (Archive) act()    {}
