package anex

import "encoding/json"

// Event is what happens to a conversation. The set is closed: the types of this file. At is Unix ms
// of the caller's clock; one that goes back is taken for the latest seen.
type Event interface{ at() int64 }

// Received is a frame from the peer, whatever is in it. The caller reads no frame longer than
// MaxMessage for a holder and MaxInform for an asker.
type Received struct {
	At  int64
	Raw []byte
}

// TimeUp says that the time that Next named is over. Too early it does nothing.
type TimeUp struct{ At int64 }

// Hangup says that the connection is gone.
type Hangup struct{ At int64 }

// Stop ends the conversation from this side, by CANCEL.
type Stop struct {
	At     int64
	Reason string
}

// Start is an asker's first event.
type Start struct {
	At           int64
	Conversation string        // conversation-id, unique for the two parties; "" sends the seed's seven fields alone
	Introduction string        // self-identification, with the Marker in it
	Engagement   Engagement    // may the asker go on?
	Call         Call          // the terms it wants
	Requests     []DataRequest // what it asks once there is agreement
	Pipeline     bool          // send the CFP with the engagement, and all data REQUESTs with the acceptance
	Keep         bool          // do not end when everything is answered, until Finish; the holder waits Config.Idle for each message
	Deadline     int64         // Unix ms after which nothing is of use; 0 leaves it to Config.Total
}

// ModificationDecided answers AskModification: a new engagement with what was wanted, or none,
// which ends the conversation.
type ModificationDecided struct {
	At    int64
	Again *Engagement
}

// ProposalDecided answers AskProposal. A rejection may bring a new call; without one it ends the
// conversation.
type ProposalDecided struct {
	At     int64
	Accept bool
	Reason string
	Again  *Call
}

// Ask adds data REQUESTs to a conversation that has not ended.
type Ask struct {
	At       int64
	Requests []DataRequest
}

// Tell sends an asker's own data to the holder after the agreement, as in the seed's meeting
// example.
type Tell struct {
	At      int64
	Content json.RawMessage // an object
}

// Finish ends a conversation with Keep as soon as everything is answered.
type Finish struct{ At int64 }

// Decision is what a holder says to an engagement.
type Decision uint8

// The answers to an engagement.
const (
	Agreeing  Decision = iota + 1 // AGREE
	Refusing                      // REFUSE, which ends the conversation
	Modifying                     // PROPOSE: Text says what would have to change
)

// EngagementDecided answers AskEngagement.
type EngagementDecided struct {
	At     int64
	Answer Decision
	Text   string
}

// AuthorityDecided answers AskAuthority. No authority is a REFUSE with the reason.
type AuthorityDecided struct {
	At      int64
	Allowed bool
	Reason  string
}

// TermsDecided answers AskTerms: an offer, or none, which is a REFUSE with the reason.
type TermsDecided struct {
	At     int64
	Offer  *Offer
	Reason string
}

// QueryDecided answers AskQuery. Not known is NOT-UNDERSTOOD, which does not end the conversation.
type QueryDecided struct {
	At         int64
	Known, Yes bool
}

// Fetched answers Fetch with what the source said, uncut. If Step refuses it with ErrOwn, step
// FetchFailed.
type Fetched struct {
	At   int64
	Data json.RawMessage
}

// FetchFailed answers Fetch or MakeReceipt: the peer gets FAILURE with the reason, and may ask
// again.
type FetchFailed struct {
	At     int64
	Reason string
}

// ReceiptMade answers MakeReceipt. If Step refuses it with ErrOwn, step FetchFailed.
type ReceiptMade struct {
	At      int64
	Receipt json.RawMessage // an object
}

func (e Received) at() int64            { return e.At }
func (e TimeUp) at() int64              { return e.At }
func (e Hangup) at() int64              { return e.At }
func (e Stop) at() int64                { return e.At }
func (e Start) at() int64               { return e.At }
func (e ModificationDecided) at() int64 { return e.At }
func (e ProposalDecided) at() int64     { return e.At }
func (e Ask) at() int64                 { return e.At }
func (e Tell) at() int64                { return e.At }
func (e Finish) at() int64              { return e.At }
func (e EngagementDecided) at() int64   { return e.At }
func (e AuthorityDecided) at() int64    { return e.At }
func (e TermsDecided) at() int64        { return e.At }
func (e QueryDecided) at() int64        { return e.At }
func (e Fetched) at() int64             { return e.At }
func (e FetchFailed) at() int64         { return e.At }
func (e ReceiptMade) at() int64         { return e.At }
