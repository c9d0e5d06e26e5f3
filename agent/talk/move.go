package talk

import (
	"errors"
	"time"

	"ojud/datasource/anex"
)

// Acts and protocols that only this package knows.
const (
	ActSubscribe  anex.Performative = "SUBSCRIBE"
	FIPASubscribe anex.Protocol     = "FIPA-Subscribe"
	FIPAQuery     anex.Protocol     = "FIPA-Query"
)

// Faults of a message that are not those of package anex.
var (
	errPhase   = errors.New("talk: not at this point of the conversation")
	errCredit  = errors.New("talk: an update for which the subscriber gave no credit")
	errAccess  = errors.New("talk: data beyond the agreed access")
	errTerms   = errors.New("talk: other terms than those proposed")
	errSigned  = errors.New("talk: a signature that is missing or not of that agent")
	errMissing = errors.New("talk: a mandatory name of the call is missing")
	errBound   = errors.New("talk: too many messages")
	errSilence = errors.New("talk: no answer in time")
	errHangup  = errors.New("talk: the connection ended")
)

// Caps limit one conversation.
type Caps struct {
	Messages      int // of both sides
	Bytes         int // of the peer
	Rounds        int // modifications and engagements, and calls and proposals
	Open          int // messages of one side that wait for an answer
	Held          int // updates that wait for credit; then the oldest is dropped, and counted
	Reply         time.Duration
	First         time.Duration // for the first message, of the party to whom another came
	Idle          time.Duration // without a message, if nobody has subscribed
	Total         time.Duration
	Misunderstood int // unknown words of the peer
}

// DefaultCaps suit people who think before they answer.
func DefaultCaps() Caps {
	return Caps{Messages: 4096, Bytes: 16 << 20, Rounds: 8, Open: 32, Held: 16, Reply: 10 * time.Minute,
		First: 2 * time.Minute, Idle: 15 * time.Minute, Total: 2 * time.Hour, Misunderstood: 4}
}

// kind says what a move is.
type kind uint8

// The kinds of moves.
const (
	Frame   kind = iota + 1 // the peer sent Raw
	Say                     // the owner says Message: performative, protocol and content, and in-reply-to if it is not clear
	Write                   // the owner writes Raw as plain text
	Publish                 // the owner has an update for subscriptions: the content of Message; in-reply-to names one, or all
	Clock                   // the time of Next is over
	Hangup                  // the connection ended
)

// Move is one thing that happens to a conversation. At is Unix ms.
type Move struct {
	At      int64
	Kind    kind
	Message anex.Message
	Raw     []byte
}

// Heard is a message of the peer that the table allows.
type Heard struct {
	What    What
	Message anex.Message
	Text    string     // of a plain text, or the text for people in the content
	CFP     *CFP       // of a call
	Terms   *Agreement // of a proposal, an acceptance or a signature
	Topic   string     // of a subscription
	Act     anex.Performative
}

// What names the part that a message has in a conversation.
type What string

// The parts of messages.
const (
	Introduction What = "introduction"
	Engagement   What = "engagement"
	Modification What = "modification"
	Agree        What = "agree"
	Refuse       What = "refuse"
	Call         What = "call"
	Proposal     What = "proposal"
	Accept       What = "accept"
	Reject       What = "reject"
	Signature    What = "signature"
	Request      What = "request"
	Data         What = "data"
	Question     What = "question"
	Answer       What = "answer"
	Subscription What = "subscription"
	Credit       What = "credit"
	Update       What = "update"
	Cancel       What = "cancel"
	Failure      What = "failure"
	Unclear      What = "not-understood"
	End          What = "end"
	PlainText    What = "text"
)

// Done is the result of a move: frames to send, what was heard, the terms of an own proposal, the
// terms that only this side has signed by the move, the agreement if there is one now, and the end.
type Done struct {
	Send     [][]byte
	Heard    []Heard
	Proposed *Agreement
	Signed   *Agreement
	Agreed   *Agreement
	Ended    *Ending
}

// Ending is the end of a conversation.
type Ending struct {
	How    string // completed, declined, cancelled or broken
	Err    error
	Theirs bool // the peer broke the protocol
	Erase  bool // "no data retention" was agreed
}

// NoRetention is the promise that binds both sides to delete data at the end.
const NoRetention = "no data retention"
