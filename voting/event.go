package voting

// Event is something that the shell tells the machine. The set is closed: the types of this file.
// At is Unix seconds of the chain's clock, the latest that a confirmed block has shown, never ahead
// of it, because by this clock the machine shows votes, which must stay secret until the commits
// are over.
type Event interface{ at() int64 }

// Restored is the first event and comes once. It has the records of the journal.
type Restored struct {
	At      int64
	Records []Record
	// Fresh: the journal was created or restored just now, so that the memory of this node's
	// signatures may have been lost.
	Fresh bool
}

// CaseSeen is a look at a case on the chain. Looks may be repeated, missed, late or out of order,
// and a look of a newer slot may show an earlier state (a rollback).
type CaseSeen struct {
	At   int64
	Case Case
}

// CaseGone says that in that slot the chain had no account for the case: it was closed, or its
// opening was rolled back.
type CaseGone struct {
	At   int64
	Task Key
	Slot uint64
}

// Tick says what time it is. It is due when Machine.Next says so; more of them do no harm.
type Tick struct {
	At int64
	// Blind: this node has seen no block for a while, others may have. The shell repeats it every
	// few seconds as long as it holds; a look at the chain ends it.
	Blind bool
}

// OpinionReady answers AskJudge or AskAbstain: the judge has an opinion, its document is stored,
// the opening is complete.
type OpinionReady struct {
	At      int64
	Task    Key
	Round   uint8
	Opening Opening
	Vote    []byte // the signed vote object as canonical JSON, at most MaxVote bytes
}

// OpinionFailed answers AskJudge or AskAbstain: there will be no opinion.
type OpinionFailed struct {
	At     int64
	Task   Key
	Round  uint8
	Reason string // for people; the first maxReason bytes are kept
}

// NoticeReceived brings a notice that View.Check let pass, from any transport.
type NoticeReceived struct {
	At     int64
	Notice Checked
}

// CaughtUp answers a CatchUp, after the notices that it brought. Answered says how many of the
// seats asked did answer.
type CaughtUp struct {
	At       int64
	Task     Key
	Round    uint8
	Answered int
}

// PeerConnected says that a node connected, so that it can be asked for its notices.
type PeerConnected struct {
	At   int64
	Peer Key
}

// OpeningRecovered answers RecoverOpening: the sealed opening of the commitment on the chain was
// found and opened.
type OpeningRecovered struct {
	At      int64
	Task    Key
	Round   uint8
	Opening Opening
	Vote    []byte // the signed vote object, or empty if it cannot be made again
}

// SubmitDone answers a Submit. Every Submit is answered once.
type SubmitDone struct {
	At    int64
	Op    Op
	Task  Key
	Round uint8
	Seat  uint8
	Class SubmitClass
}

func (e Restored) at() int64         { return e.At }
func (e CaseSeen) at() int64         { return e.At }
func (e CaseGone) at() int64         { return e.At }
func (e Tick) at() int64             { return e.At }
func (e OpinionReady) at() int64     { return e.At }
func (e OpinionFailed) at() int64    { return e.At }
func (e NoticeReceived) at() int64   { return e.At }
func (e CaughtUp) at() int64         { return e.At }
func (e PeerConnected) at() int64    { return e.At }
func (e OpeningRecovered) at() int64 { return e.At }
func (e SubmitDone) at() int64       { return e.At }
