package anex

import (
	"encoding/json"
	"fmt"
)

// Effect is what the caller has to do, in order. The set is closed: the types of this file. Those
// named Ask…, Fetch and MakeReceipt are questions; at most one is open, and each is answered by one
// event.
type Effect interface {
	fmt.Stringer
	effect()
}

// Send sends a message to the peer.
type Send struct {
	Message Message
	Raw     []byte // the message, encoded
}

// AskModification asks an asker whether it has what the holder wants before it engages; answered by
// ModificationDecided.
type AskModification struct{ Modification string }

// AskProposal asks an asker whether it accepts; answered by ProposalDecided. With a Problem it may
// not.
type AskProposal struct {
	Terms   Terms
	Problem error // ErrMandatory or ErrNothing
	Last    bool  // there can be no further CFP
}

// AskEngagement asks a holder whether it talks to this agent; answered by EngagementDecided.
type AskEngagement struct {
	From         string
	Introduction string
	Engagement   Engagement
	Last         bool // it cannot ask for a modification any more
}

// AskAuthority asks a holder whether who the CFP says may ask; answered by AuthorityDecided.
// Call.Case, Round and Judge name the seat, From the agent.
type AskAuthority struct {
	From string
	Call Call
}

// AskTerms asks a holder what its terms give for the call; answered by TermsDecided.
type AskTerms struct {
	From string
	Call Call
}

// AskQuery asks a holder a question of the peer; answered by QueryDecided.
type AskQuery struct {
	From  string
	Query string
}

// Agreed says that there are terms, and on a holder's side that the asker named them by the same
// hash.
type Agreed struct{ Terms Terms }

// Fetch asks a holder's source; answered by Fetched or FetchFailed.
type Fetch struct {
	Index   int // of the data REQUEST in the conversation, from 0
	Terms   Terms
	Request DataRequest
	By      int64 // Unix ms of the asker's clock after which it does not want the answer; 0 does not say
}

// MakeReceipt asks for the receipt over Data, which is what will be sent; answered by ReceiptMade
// or FetchFailed.
type MakeReceipt struct {
	Index   int
	Terms   Terms
	Request DataRequest
	Data    json.RawMessage // cut to what was agreed
}

// Deliver brings an asker data in which there is nothing but what was agreed. The receipt has not
// been verified.
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

// Told brings a holder what the asker sent of its own. Nothing is agreed about it.
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

// Ended is the last effect. Open questions need no answer any more.
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
