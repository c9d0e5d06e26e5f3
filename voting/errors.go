package voting

import "errors"

// Errors of Machine.Step. The event was refused and the machine is as it was; the shell logs them.
var (
	// errOrder: Restored must come first, and once.
	errOrder = errors.New("voting: events out of order")
	// errEvent: an event that no correct shell sends.
	errEvent = errors.New("voting: bad event")
)

// Class says why a notice was not taken.
type Class uint8

// The classes (protocol section 9). Only Invalid is the sender's fault, and only Contradicted the
// author's: other nodes cannot know what this node knows.
const (
	Invalid      Class = iota + 1 // malformed, foreign, badly signed, or contradicting itself
	Unknown                       // the case or round is not known here, or not yet
	NotRelevant                   // round over, no such seat, or no commitment on the chain that it opens
	Duplicate                     // had it already, or enough of that kind
	Early                         // a vote before the reveal began
	Contradicted                  // a vote of a judge that signed another commitment: the judge is to blame, not who passed it on
)

// NoticeError is the error of View.Check.
type NoticeError struct {
	Class  Class
	Author Key // Contradicted: the node key of the judge, which signed the notice
	Reason string
}

// Error returns the reason with the prefix of the package.
func (e *NoticeError) Error() string { return "voting: notice: " + e.Reason }

// Gossip is the verdict on a message for gossipsub.
type Gossip uint8

// The verdicts on a gossip message.
const (
	GossipAccept Gossip = iota + 1 // pass it on
	GossipIgnore                   // drop it; the sender is not to blame
	GossipReject                   // drop it, penalise the sender
)

// Classify is the one place where the outcome of View.Check, or of DecodeNotice, becomes a gossip
// verdict.
func Classify(err error) Gossip {
	var notice *NoticeError
	switch {
	case err == nil:
		return GossipAccept
	case errors.As(err, &notice) && notice.Class != Invalid:
		return GossipIgnore
	}
	return GossipReject
}
