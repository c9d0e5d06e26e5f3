package anex

import "encoding/json"

// Event is an input of a conversation. The set is closed: the types of this file. At is Unix ms of
// the caller's clock. If it goes back, the latest time seen counts.
type Event interface{ at() int64 }

// Received is a frame of at most MaxMessage bytes for a holder, MaxInform for an asker.
type Received struct {
	At  int64
	Raw []byte
}

// TimeUp says that the time named by Next is over. If it is too early, it does nothing.
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
	Requests     []DataRequest // data REQUESTs to send after the agreement
	Pipeline     bool          // send the CFP with the engagement, and all data REQUESTs with the acceptance
	Keep         bool          // stay open after the last answer, until Finish; the holder waits Config.Idle for each message
	Deadline     int64         // Unix ms after which answers are useless; 0 leaves it to Config.Total
}

// ModificationDecided has a new engagement with the modification, or ends the conversation.
type ModificationDecided struct {
	At    int64
	Again *Engagement
}

// ProposalDecided answers AskProposal. A rejection without a new call ends the conversation.
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

// Tell sends an asker's own data after the agreement, as in the seed's meeting example.
type Tell struct {
	At      int64
	Content json.RawMessage // an object
}

// Finish ends a conversation with Keep as soon as everything is answered.
type Finish struct{ At int64 }

// Decision is a holder's answer to an engagement.
type Decision uint8

// The answers to an engagement.
const (
	Agreeing  Decision = iota + 1 // AGREE
	Refusing                      // REFUSE, which ends the conversation
	Modifying                     // PROPOSE: Text says what should change
)

// EngagementDecided answers AskEngagement.
type EngagementDecided struct {
	At     int64
	Answer Decision
	Text   string
}

// AuthorityDecided answers AskAuthority. Without authority the peer gets REFUSE with the reason.
type AuthorityDecided struct {
	At      int64
	Allowed bool
	Reason  string
}

// TermsDecided answers AskTerms with an offer. Without one the peer gets REFUSE with the reason.
type TermsDecided struct {
	At     int64
	Offer  *Offer
	Reason string
}

// QueryDecided answers AskQuery. If it is not known, the peer gets NOT-UNDERSTOOD.
type QueryDecided struct {
	At         int64
	Known, Yes bool
}

// Fetched answers Fetch with uncut data. If Step refuses it with ErrOwn, step FetchFailed.
type Fetched struct {
	At   int64
	Data json.RawMessage
}

// FetchFailed answers Fetch or MakeReceipt. The peer gets FAILURE, and may ask again.
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
