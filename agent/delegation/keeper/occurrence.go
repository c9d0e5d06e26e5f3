package keeper

import "ojud/agent/delegation"

// Occurrence is something that happened.
type Occurrence interface{ event() }

// Asked says that a call was checked, and asks whether it may run.
type Asked struct {
	Call     string // CID
	Permit   delegation.Permit
	Caller   delegation.Principal
	Executor delegation.Principal
	Expires  int64    // of the call, Unix seconds
	Domains  []string // that the call is in, as the executor knows it
	Required []string // those of them in which the executor itself wants a person's approval
	Now      int64
}

// Settled says what a call did spend. A call that did nothing spent nothing.
type Settled struct {
	Call  string
	Spent delegation.Amounts
}

// Answered says that a person answered a call that waits.
type Answered struct {
	Call string
	Yes  bool
	Now  int64
}

// Revoked says that a link was taken back, which ends by itself at that time, in Unix seconds.
type Revoked struct {
	Link    string
	Expires int64
}

// Passed says that time passed.
type Passed struct{ Now int64 }

func (Asked) event()    {}
func (Settled) event()  {}
func (Answered) event() {}
func (Revoked) event()  {}
func (Passed) event()   {}

// Effect is something to do.
type Effect interface{ effect() }

// Put writes a value under a key.
type Put struct {
	Key   string
	Value []byte
}

// Delete removes a key.
type Delete struct{ Key string }

// Admit lets a call run.
type Admit struct{ Call string }

// Wait says that a person must answer before the call may run.
type Wait struct {
	Call    string
	Domains []string
	Until   int64
}

// Refuse says that a call must not run.
type Refuse struct {
	Call string
	Why  *delegation.Refusal
}

// Stop says that an open call must end, because a link of it was taken back. It is open until it is
// settled.
type Stop struct {
	Call string
	Why  *delegation.Refusal
}

func (Put) effect()    {}
func (Delete) effect() {}
func (Admit) effect()  {}
func (Wait) effect()   {}
func (Refuse) effect() {}
func (Stop) effect()   {}
