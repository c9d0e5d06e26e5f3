package why

import (
	"ojud/casefile"
	"ojud/casefile/reading"
	"ojud/voting"
)

// Facts are the basis of Explain. Unknown fields are empty.
type Facts struct {
	Case  casefile.Address
	Judge casefile.Address // the authority whose actions are explained
	// Record is the case file, or the node's part of it so far; nil: there is none.
	Record *reading.Record
	// Source is the origin of the record, for people: a file name, or this node.
	Source string
	// Proof is why the record cannot be verified; empty: it verifies.
	Proof string
	// Pending says that the record lacks only testimony, which is still coming.
	Pending bool
	// File is the case file that the user named; empty if the record is that of a node.
	File string
	// Look is the case as a running node sees it on the chain.
	Look *voting.Case
	// Now is the chain's time, 0 if unknown.
	Now int64
	// Own is the record of this judge's node; nil: it is not here.
	Own *Own
}

// Own is a node's record of itself.
type Own struct {
	Log    EventLog
	Uptime Uptime
	// Running: the node runs now.
	Running bool
}

// Explanation is the result of Explain.
type Explanation struct {
	Case   casefile.Address `json:"case"`
	Judge  casefile.Address `json:"judge"`
	Source string           `json:"source"`
	Lines  []Line           `json:"lines"`
}

// Line is one event, or one unknown.
type Line struct {
	Round uint8  `json:"round"` // 0: of the whole case
	Code  Code   `json:"code"`
	Text  string `json:"text"`
	Fact  string `json:"fact"` // its basis
	Next  string `json:"next"` // the remedy; empty: none
}

// Code names the content of a Line, for programs.
type Code string

// These are the codes of lines.
const (
	NoCase      Code = "no_case"     // nothing is known of the case here
	Unproven    Code = "unproven"    // the record does not verify (yet)
	Proven      Code = "proven"      // it does
	WaitDraw    Code = "wait_draw"   // the case waits for its judges to be drawn,
	WaitCommit  Code = "wait_commit" // for commitments,
	WaitReveal  Code = "wait_reveal" // for votes,
	WaitSettle  Code = "wait_settle" // or for somebody to settle the round
	Stopped     Code = "stopped"     // the node does not run, so it does not know the present state of the case
	Decided     Code = "decided"     // how the case ended
	Undrawn     Code = "undrawn"     // how this round was drawn is not known here
	Excluded    Code = "excluded"    // a party, or its operator is
	Ineligible  Code = "ineligible"  // not on the roster, leaving, stake too small, or joined later
	NotDrawn    Code = "not_drawn"   // could have been drawn and was not
	Drawn       Code = "drawn"
	Opined      Code = "opinion"     // the judge's opinion
	NoOpinion   Code = "no_opinion"  // it had none in time
	Answered    Code = "answered"    // what stood behind the answers that the opinion rests on
	Twofold     Code = "twofold"     // its node, or another holder, gave two different answers to one question
	Committed   Code = "committed"   // the commitment stands on the chain
	Uncommitted Code = "uncommitted" // it does not
	Revealed    Code = "revealed"    // the vote stands on the chain
	Unrevealed  Code = "unrevealed"  // it does not
	Down        Code = "down"        // why not: the node did not run,
	Blind       Code = "blind"       // it saw no blocks,
	Unpaid      Code = "unpaid"      // the authority had no lamports for fees,
	Rejected    Code = "rejected"    // the program refused the transaction,
	Lost        Code = "lost"        // or it did not land
	Doubled     Code = "doubled"     // another copy of the node was at work
	Unexplained Code = "unexplained" // nothing here tells why
	Majority    Code = "majority"    // voted as most of the weight did
	Minority    Code = "minority"    // voted against it
	Abstention  Code = "abstention"  // abstained, free of charge
	Absent      Code = "absent"      // revealed nothing
	Equivocated Code = "equivocated" // two statements were shown
	Void        Code = "void"        // the round had no quorum
	Pending     Code = "pending"     // the round is not settled, or its result is not known here
	Golden      Code = "golden"      // the true answer was committed to before the votes
	Claimed     Code = "claimed"     // the reward was collected
	Unclaimed   Code = "unclaimed"   // it was not
)
