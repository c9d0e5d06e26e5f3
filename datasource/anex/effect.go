package anex

import (
	"encoding/json"
	"fmt"
)

// Effect is a task for the caller, to be done in order. The set is closed: the types of this file.
// Those named Ask…, Fetch and MakeReceipt are questions. At most one is open, and one event answers
// each.
type Effect interface {
	fmt.Stringer
	effect()
}

// Send sends a message to the peer.
type Send struct {
	Message Message
	Raw     []byte // the message, encoded
}

// AskModification asks for a modification that the holder wants. ModificationDecided answers.
type AskModification struct{ Modification string }

// AskProposal asks whether the asker accepts (ProposalDecided). With a Problem, it may not.
type AskProposal struct {
	Terms   Terms
	Problem error // ErrMandatory or ErrNothing
	Last    bool  // there can be no further CFP
}

// AskEngagement asks a holder whether it talks to this agent. EngagementDecided answers it.
type AskEngagement struct {
	From         string
	Introduction string
	Engagement   Engagement
	Last         bool // it cannot ask for another modification
}

// AskAuthority asks a holder whether the asker that the CFP names may ask. AuthorityDecided answers
// it. Call.Case, Round and Judge name the seat, From the agent.
type AskAuthority struct {
	From string
	Call Call
}

// AskTerms asks a holder for its terms for the call. TermsDecided answers it.
type AskTerms struct {
	From string
	Call Call
}

// AskQuery asks a holder a question of the peer. QueryDecided answers it.
type AskQuery struct {
	From  string
	Query string
}

// Agreed says that there are terms. The asker named them to a holder by the same hash.
type Agreed struct{ Terms Terms }

// Fetch asks a holder's source. Fetched or FetchFailed answers it.
type Fetch struct {
	Index   int // of the data REQUEST in the conversation, from 0
	Terms   Terms
	Request DataRequest
	By      int64 // Unix ms of the asker's clock after which it does not want the answer; 0 if open
}

// MakeReceipt asks for the receipt over Data. ReceiptMade or FetchFailed answers it.
type MakeReceipt struct {
	Index   int
	Terms   Terms
	Request DataRequest
	Data    json.RawMessage // cut to the agreement
}

// Deliver brings an asker data within the agreement, with a receipt that is not verified yet.
type Deliver struct {
	Index   int // of the data REQUEST in the conversation, from 0
	Terms   Terms
	Request DataRequest
	Data    json.RawMessage
	Receipt json.RawMessage
}

// Failed says that the holder answered a data REQUEST with FAILURE.
type Failed struct {
	Index   int
	Request DataRequest
	Reason  string
}

// Told brings a holder the asker's own data. It is not part of the agreement.
type Told struct {
	Terms   Terms
	Content json.RawMessage
}

// Outcome is how a conversation ended.
type Outcome uint8

// The outcomes.
const (
	Completed Outcome = iota + 1 // agreed, everything answered, terminated
	Declined                     // refused, rejected, failed or terminated before that
	Cancelled                    // by CANCEL of either side
	Broken                       // by an error, a time or the connection
)

// String returns the outcome in lower case.
func (o Outcome) String() string {
	return [...]string{"", "completed", "declined", "cancelled", "broken"}[o]
}

// Ended is the last effect. It closes all open questions.
type Ended struct {
	Outcome Outcome
	Err     error // of the classes of this package; nil if completed
	Fault   Fault
	Refusal Refusal // of the peer, if it refused
}

func (Send) effect()            {}
func (AskModification) effect() {}
func (AskProposal) effect()     {}
func (AskEngagement) effect()   {}
func (AskAuthority) effect()    {}
func (AskTerms) effect()        {}
func (AskQuery) effect()        {}
func (Agreed) effect()          {}
func (Fetch) effect()           {}
func (MakeReceipt) effect()     {}
func (Deliver) effect()         {}
func (Failed) effect()          {}
func (Told) effect()            {}
func (Ended) effect()           {}
