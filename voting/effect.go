package voting

import "fmt"

// Effect is something that the machine wants done. The set is closed: the types of this file. The shell executes the effects
// of a Step strictly in order; String is a line of a trace.
type Effect interface {
	fmt.Stringer
	effect()
}

// Persist writes a record to the journal and syncs it. If that fails the shell stops the node: what follows must not happen.
type Persist struct{ Record Record }

// AskJudge starts the judge, which answers with OpinionReady or OpinionFailed. After Deadline its opinion is of no use.
type AskJudge struct {
	Task     Key
	Round    uint8
	Deadline int64 // Unix seconds
}

// AskAbstain asks for an abstention with its reason as the opinion. It must not take long: code writes it, no model.
type AskAbstain struct {
	Task   Key
	Round  uint8
	Reason string
}

// StopJudge ends what AskJudge or AskAbstain started.
type StopJudge struct {
	Task  Key
	Round uint8
}

// Announce sends an own notice to the peers directly and to everybody by gossip.
type Announce struct {
	Notice Notice
	To     []Key // node keys of the other seats
}

// Submit asks for a transaction. The shell looks at the chain first, sends, and answers with SubmitDone.
type Submit struct {
	Op         Op
	Task       Key
	Round      uint8
	Seat       uint8    // OpCommit, OpCarry, OpReveal, OpRelay, OpSlash: which seat
	Judge      Key      // whose seat, or whose reward
	Commitment Hash     // OpCommit, OpCarry
	Opening    Opening  // OpCommit (to be sealed), OpReveal, OpRelay
	Evidence   Evidence // OpSlash
	Relay      Relay    // OpCarry
	Peer       Key      // OpCarry: the node key that signed the request
	Before     int64    // Unix seconds: of no use afterwards; 0 means no limit
}

// CatchUp asks peers what they have for a round and brings it back as NoticeReceived events and one CaughtUp.
type CatchUp struct {
	Task  Key
	Round uint8
	To    []Key // node keys
}

// RecoverOpening asks for the sealed opening of an own commitment that the chain shows and the journal does not know.
type RecoverOpening struct {
	Task       Key
	Round      uint8
	Commitment Hash
}

// Conflict says that another copy of this node signs with its keys. The shell tells the operator; if that is proven and this node
// signed a statement of its own in the round it stops, otherwise it may go on: it signs nothing more in that round, and can still
// reveal what the other copy committed.
type Conflict struct {
	Task     Key
	Round    uint8
	Evidence string // what was seen
	Signed   bool   // this node signed another statement in the round
	Proven   bool   // only the node key can have made the evidence; otherwise an RPC node says so, which may lie
}

// Forget drops the journal's records of a case.
type Forget struct{ Task Key }

func (Persist) effect()        {}
func (AskJudge) effect()       {}
func (AskAbstain) effect()     {}
func (StopJudge) effect()      {}
func (Announce) effect()       {}
func (Submit) effect()         {}
func (CatchUp) effect()        {}
func (RecoverOpening) effect() {}
func (Testify) effect()        {}
func (Conflict) effect()       {}
func (Forget) effect()         {}

func line(what string, task Key, round uint8, format string, args ...any) string {
	s := fmt.Sprintf("%s case=%s round=%d", what, brief(task[:]), round)
	if format == "" {
		return s
	}
	return s + " " + fmt.Sprintf(format, args...)
}

// String is a line of a trace.
func (e Persist) String() string { return "persist " + e.Record.String() }

// String is a line of a trace.
func (e AskJudge) String() string {
	return line("ask-judge", e.Task, e.Round, "deadline=%d", e.Deadline)
}

// String is a line of a trace.
func (e AskAbstain) String() string {
	return line("ask-abstain", e.Task, e.Round, "reason=%q", e.Reason)
}

// String is a line of a trace.
func (e StopJudge) String() string { return line("stop-judge", e.Task, e.Round, "") }

// String is a line of a trace.
func (e Announce) String() string {
	task, round, _ := e.Notice.Seat()
	return line("announce", task, round, "%s to=%d", e.Notice, len(e.To))
}

// String is a line of a trace.
func (e Submit) String() string {
	switch e.Op {
	case OpCommit, OpCarry:
		return line("submit "+e.Op.String(), e.Task, e.Round, "seat=%d commitment=%s", e.Seat, brief(e.Commitment[:]))
	case OpReveal, OpRelay:
		return line("submit "+e.Op.String(), e.Task, e.Round, "seat=%d choice=%s", e.Seat, e.Opening.Choice)
	case OpSlash:
		return line("submit slash", e.Task, e.Round, "seat=%d a=%s b=%s", e.Seat,
			brief(e.Evidence.A.Commitment[:]), brief(e.Evidence.B.Commitment[:]))
	}
	return line("submit "+e.Op.String(), e.Task, e.Round, "")
}

// String is a line of a trace.
func (e CatchUp) String() string { return line("catch-up", e.Task, e.Round, "to=%d", len(e.To)) }

// String is a line of a trace.
func (e RecoverOpening) String() string {
	return line("recover-opening", e.Task, e.Round, "commitment=%s", brief(e.Commitment[:]))
}

// String is a line of a trace.
func (e Conflict) String() string { return line("conflict", e.Task, e.Round, "%s", e.Evidence) }

// String is a line of a trace.
func (e Forget) String() string { return "forget case=" + brief(e.Task[:]) }
