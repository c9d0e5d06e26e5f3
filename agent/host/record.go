package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"ojud/config/bounds"
)

func asBounds(err error, to **bounds.Error) bool { return errors.As(err, to) }

// Life is the state of an agent.
type Life string

// The states. A terminated agent never changes again.
const (
	Created    Life = "created"    // never called yet
	Running    Life = "running"    // it answers, and may have processes
	Dormant    Life = "dormant"    // it is on the disk only; a call wakes it
	Terminated Life = "terminated" // its identity is archived
)

// Agent is what is saved of an agent besides its file.
type Agent struct {
	ID      string `json:"id"`
	DID     string `json:"did"`
	Life    Life   `json:"state"`
	Parent  string `json:"parent,omitempty"` // the agent that spawned it
	Text    string `json:"text,omitempty"`   // the file of an agent that was spawned
	Created int64  `json:"created_at"`       // milliseconds since 1970, as all times here
	Changed int64  `json:"changed_at"`
	Calls   int    `json:"calls"` // ended ones
	Tokens  int    `json:"tokens"`
	Micros  uint64 `json:"cost_micros"`
	Lease
}

// Stage is how far a call is.
type Stage string

// The stages of a call. After Started, nothing makes it again.
const (
	Waits    Stage = "waiting" // for a person
	Accepted Stage = "accepted"
	Started  Stage = "started"
	Over     Stage = "ended"
)

// The values of Invocation.Status.
const (
	OK          = "ok"
	Failed      = "error"
	TimedOut    = "timeout"
	Cancelled   = "cancelled"
	Interrupted = "interrupted" // the host stopped while the call ran; what it did is not known
	// Away is no end: the host of the agent cannot be reached, and the call goes on.
	Away = "away"
)

// Invocation is a call of a capability.
type Invocation struct {
	ID          string          `json:"id"`
	Caller      string          `json:"caller"` // Operator, or the id of an agent
	Target      Target          `json:"target"`
	Correlation string          `json:"correlation_id"`
	Payload     json.RawMessage `json:"payload"`
	Timeout     int64           `json:"timeout_ms"`
	Allowance
	Parent string `json:"parent,omitempty"` // the call of the agent that made it
	Depth  int    `json:"depth,omitempty"`
	Task   string `json:"task"` // hash of what the caller asked for
	Attendance

	Stage       Stage           `json:"stage"`
	Status      string          `json:"status,omitempty"`
	Result      json.RawMessage `json:"result,omitempty"`
	Problem     string          `json:"error,omitempty"`
	Attestation json.RawMessage `json:"attestation,omitempty"`
	Accepted    int64           `json:"accepted_at"`
	Started     int64           `json:"started_at,omitempty"`
	Ended       int64           `json:"ended_at,omitempty"`
	Spent
}

// Spent is what the agent itself spent in a call.
type Spent struct {
	Tokens int    `json:"tokens,omitempty"`
	Micros uint64 `json:"cost_micros,omitempty"`
	CPU    int64  `json:"cpu_ms,omitempty"` // processor time of its programs
}

// maxKept is what the host may keep of the end of a call, in bytes: its result, and room for an
// error and the attestation.
const maxKept = 512<<10 + 16<<10

// stored returns the bytes of a call that the host keeps.
func (c Invocation) stored() uint64 {
	n := len(c.Payload) + len(c.Chain) + len(c.Under) + len(c.Result) + len(c.Problem) + len(c.Attestation)
	if c.Stage != Over {
		n += maxKept
	}
	return uint64(n)
}

// Attendance is whether a call has a client that gave more than the payload, such as a context or
// tools. Only the host that took the call has what it gave.
type Attendance struct {
	Attended bool `json:"attended,omitempty"`
	lost     bool // that host has stopped
}

// Allowance is what delegations allow in a call, and for whom it is made. An admitted call was
// signed, and its ID is the CID of the invocation.
type Allowance struct {
	Chain     json.RawMessage `json:"delegation,omitempty"` // the file of the chain for what is done in it
	Under     json.RawMessage `json:"under,omitempty"`      // likewise, of the chain of the call itself, if there is no Chain
	Admitted  bool            `json:"admitted,omitempty"`
	MayTokens int             `json:"may_use_tokens,omitempty"` // by the agent itself
	MayMicros uint64          `json:"may_cost_micros,omitempty"`
	Behalf
}

// Bounds is the file of the chain that bounds what is done in the call.
func (a Allowance) Bounds() json.RawMessage {
	if len(a.Chain) > 0 {
		return a.Chain
	}
	return a.Under
}

// Outcome is the hash of the outcome in the attestation of the call; empty: there is none.
func (c Invocation) Outcome() string {
	var attested struct {
		Outcome string `json:"outcome"`
	}
	if json.Unmarshal(c.Attestation, &attested) != nil {
		return ""
	}
	return attested.Outcome
}

// Deadline is when the call has to be over.
func (c Invocation) Deadline() time.Time { return time.UnixMilli(c.Accepted + c.Timeout) }

// Refused says why something was not done.
type Refused struct {
	Code  string
	Words string
	Name  string // of a refusal by a delegation, as UCAN has it
}

// The codes of a Refused.
const (
	Unknown  = "unknown"  // no such agent, capability or call
	Gone     = "gone"     // the agent is terminated
	Denied   = "denied"   // the caller may not do that
	Busy     = "busy"     // too much at once; a later try may succeed
	Budget   = "budget"   // tokens or dollars are used up
	Conflict = "conflict" // the same id for something else
	Form     = "form"     // what was sent cannot be used
)

// Error returns the words.
func (r *Refused) Error() string { return r.Words }

func refusal(code, format string, args ...any) *Refused {
	return &Refused{Code: code, Words: fmt.Sprintf(format, args...)}
}
