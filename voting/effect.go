package voting

import "fmt"

// Effect is something that the machine wants done. No other package can add one. The list of all
// effects is the list of the methods effect below. TestEffects at the root checks that the node
// executes each of them. The shell executes the effects of a Step strictly in order; String is a
// line of a trace.
type Effect interface {
	fmt.Stringer
	effect()
}

// Persist writes a record to the journal and syncs it. If that fails the shell stops the node,
// because the effects after it must not happen.
type Persist struct{ Record Record }

// AskJudge starts the judge, which answers with OpinionReady or OpinionFailed. After Deadline its
// opinion is of no use.
type AskJudge struct {
	Task     Key
	Round    uint8
	Deadline int64 // Unix seconds
}

// AskAbstain asks for an abstention with its reason as the opinion. It must not take long: code
// writes it, no model.
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

// Submit asks for a transaction. The shell looks at the chain first, sends, and answers with
// SubmitDone.
type Submit struct {
	Op         Op
	Task       Key
	Round      uint8
	Seat       uint8    // OpCommit, OpRelayCommit, OpReveal, OpRelayReveal, OpSlash: which seat
	Judge      Key      // whose seat, or whose reward
	Commitment Hash     // OpCommit, OpRelayCommit
	Opening    Opening  // OpCommit (to be sealed), OpReveal, OpRelayReveal
	Evidence   Evidence // OpSlash
	Relay      Relay    // OpRelayCommit
	Peer       Key      // OpRelayCommit: the node key that signed the request
	Before     int64    // Unix seconds: of no use afterwards; 0 means no limit
}

// CatchUp asks peers what they have for a round and brings it back as NoticeReceived events and one
// CaughtUp.
type CatchUp struct {
	Task  Key
	Round uint8
	To    []Key // node keys
}

// RecoverOpening asks for the sealed opening of an own commitment that the chain shows and the
// journal does not know.
type RecoverOpening struct {
	Task       Key
	Round      uint8
	Commitment Hash
}

// Conflict says that another copy of this node signs with its keys. The shell tells the operator;
// if that is proven and this node signed a statement of its own in the round it stops, otherwise it
// may go on: it signs nothing more in that round, and can still reveal what the other copy
// committed.
type Conflict struct {
	Task     Key
	Round    uint8
	Evidence string // what was seen
	Signed   bool   // this node signed another statement in the round
	Proven   bool   // only the node key can have made the evidence; otherwise an RPC node says so, which may lie
}

// Forget drops the journal's records of a case.
type Forget struct{ Task Key }

// The list of all effects.

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
	case OpCommit, OpRelayCommit:
		return line("submit "+e.Op.String(), e.Task, e.Round, "seat=%d commitment=%s", e.Seat, brief(e.Commitment[:]))
	case OpReveal, OpRelayReveal:
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

// Testimony is a kind of entry of the case file (protocol section 10).
type Testimony uint8

// The kinds that the machine asks for.
const (
	TestifyOpen         Testimony = iota + 1 // the opening facts
	TestifyDraw                              // the draw's facts
	TestifyCommit                            // own commitment with its statement
	TestifyOpinion                           // own opinion's hash, after the reveal began
	TestifyVote                              // own vote object
	TestifyEquivocation                      // two statements of one judge
	TestifySettle                            // the settlement's facts
	TestifyOutcome                           // what became of the task
)

// String is the kind as the case file writes it.
func (k Testimony) String() string {
	names := [...]string{"none", "open", "draw", "commit", "opinion", "vote", "equivocation", "settle", "outcome"}
	if int(k) < len(names) {
		return names[k]
	}
	return "unknown"
}

// Testify appends an entry to this node's chain in the case file, unless the chain has one of that
// kind, round and judge already: after a restart the machine asks again. Facts are written from a
// finalized look.
type Testify struct {
	Kind     Testimony
	Task     Key
	Round    uint8    // 0 for open and outcome
	Commit   Commit   // TestifyCommit
	Opinion  Hash     // TestifyOpinion
	Vote     []byte   // TestifyVote: canonical JSON
	Evidence Evidence // TestifyEquivocation
}

// String is a line of a trace.
func (e Testify) String() string { return line("testify "+e.Kind.String(), e.Task, e.Round, "") }

// Op is a request of a node to the chain (protocol section 5).
type Op uint8

// The operations.
const (
	OpDraw        Op = iota + 1 // draw
	OpCommit                    // commit the own vote
	OpReveal                    // reveal the own vote
	OpRelayReveal               // reveal the vote of another seat
	OpSettle                    // settle
	OpExpire                    // expire_case
	OpSlash                     // slash_equivocation
	OpClaim                     // claim_reward
	OpRelayCommit               // commit the vote of another seat that asked for it (relay_commit)
)

// String names o for traces and metrics.
func (o Op) String() string {
	return nameOf(uint8(o), "op", "none", "draw", "commit", "reveal", "relay_reveal", "settle", "expire", "slash", "claim", "relay_commit")
}

// urgent operations concern a seat's stake and have minutes.
func (o Op) urgent() bool { return o == OpCommit || o == OpReveal || o.forOthers() }

// forOthers reports what a node pays for another judge's sake.
func (o Op) forOthers() bool { return o == OpRelayReveal || o == OpRelayCommit }

// SubmitClass is how a Submit ended, as far as the machine must tell.
type SubmitClass uint8

// The ends of a Submit.
const (
	// Landed: the transaction was confirmed without an error.
	Landed SubmitClass = iota + 1
	// Moot: the program refused it because the chain is no longer, or not yet, as the machine
	// thought (WrongStatus, TooEarly, TooLate, AlreadyCommitted, AlreadyRevealed, TooFewJudges …).
	// Somebody else was faster, or the look is old.
	Moot
	// Failed: it did not get that far (no answer from the RPC, blockhash expired, no lamports for
	// the fee).
	Failed
	// Hopeless: the program will never take it (BadEvidence, WrongOpening, NotSeated). It is not
	// tried again.
	Hopeless
)

// String names c for traces and metrics.
func (c SubmitClass) String() string {
	return nameOf(uint8(c), "class", "none", "landed", "moot", "failed", "hopeless")
}
