package casefile

import (
	"fmt"

	"ojud/voting"
)

// CheckedEvent is an event that was taken, with what was worked out on the way.
type CheckedEvent struct {
	Event
	Hash   Digest // the id of the event
	Parsed Form   // its body
}

// ActorChain has the events of one actor. Events after the first fork are dropped, so that nodes
// that met the branches in a different order end with the same undisputed events.
type ActorChain struct {
	Events []CheckedEvent
	fork   *CheckedEvent // a second event with the number of the last one: proof against the actor
}

// head describes the chain to a peer.
func (c *ActorChain) head() Head {
	n := len(c.Events)
	if n == 0 {
		return Head{}
	}
	return Head{Seq: uint32(n), ID: c.Events[n-1].Hash, Forked: c.fork != nil}
}

// Spot is where an event belongs in a chain.
type Spot int

// The places of an event.
const (
	nowhere Spot = iota // or not yet
	known               // it is here
	next                // at the end
	Rival               // another with its number is here
	Surplus             // two others with its number are here, which is proof enough
)

// Place says where a signed event belongs.
func (c *ActorChain) Place(e Event, id Digest) (Spot, error) {
	n := uint32(len(c.Events))
	switch {
	case e.Seq <= n && c.Events[e.Seq-1].Hash == id, e.Seq == n && c.fork != nil && c.fork.Hash == id:
		return known, nil
	case e.Seq == n && c.fork != nil:
		return Surplus, nil
	case e.Seq <= n:
		return Rival, nil
	case c.fork != nil:
		return nowhere, fmt.Errorf("event %d of %s: %w", e.Seq, e.Actor, ErrForked)
	case e.Seq > n+1, e.Seq > 1 && e.Prev != c.Events[n-1].Hash:
		return nowhere, fmt.Errorf("event %d of %s: %w", e.Seq, e.Actor, ErrGap)
	}
	return next, nil
}

// Oppose records a rival. Events after it are dropped. A third is not taken, so that an actor
// cannot fill our store: nodes may thus keep different proofs of one fork.
func (c *ActorChain) Oppose(e CheckedEvent) {
	i := int(e.Seq) - 1
	c.Events = c.Events[: i+1 : i+1]
	if e.Hash.Compare(c.Events[i].Hash) < 0 {
		e, c.Events[i] = c.Events[i], e
	}
	c.fork = &e
}

// all returns every event, the smaller id first where two have one number.
func (c *ActorChain) all() []Event {
	out := make([]Event, 0, len(c.Events)+1)
	for _, e := range c.Events {
		out = append(out, e.Event)
	}
	if c.fork != nil {
		out = append(out, c.fork.Event)
	}
	return out
}

// since returns what somebody with this head lacks of the chain.
func (c *ActorChain) since(head Head) []Event {
	n := uint32(len(c.Events))
	switch {
	case head.Seq > n && c.fork == nil:
		return nil // it is us who lack something
	case head.Forked && (c.fork == nil || head.Seq <= n):
		return nil // likewise, or the same
	case c.fork != nil && head.Seq == n && (c.Events[n-1].Hash == head.ID || c.fork.Hash == head.ID):
		return c.all()[n-1:]
	case head.Seq > 0 && head.Seq <= n && c.Events[head.Seq-1].Hash == head.ID:
		return c.all()[head.Seq:]
	}
	return c.all()
}

// topic names what an event is about. An actor says a thing once; only a second, different
// commitment is taken too, as evidence of equivocation.
type topic struct {
	kind  Kind
	round uint8
	judge Address // equivocation: against whom
	about Digest  // data_request, receipt, twofold: what was asked, the receipt, or the holder
}

// topicOf names what an event with this body is about.
func topicOf(kind Kind, body Form) topic {
	t := topic{kind: kind}
	switch b := body.(type) {
	case RoundFactBody:
		t.round = b.Round
	case CommitBody:
		t.round = b.Round
	case OpinionBody:
		t.round = b.Round
	case VoteBody:
		t.round = b.Round
	case EquivocationBody:
		t.round, t.judge = b.Round, b.Judge
	case InjectionBody:
		t.round = b.Round
	case DataBody:
		t.round, t.about = b.Round, b.about()
	case ReceiptBody:
		t.round, t.about = b.Receipt.Round, b.about()
	case TwofoldBody:
		t.about = b.about()
	}
	return t
}

// find returns the bodies of the chain's events about a topic.
func (c *ActorChain) find(t topic) []Form {
	var out []Form
	for _, e := range c.Events {
		if topicOf(e.Kind, e.Parsed) == t {
			out = append(out, e.Parsed)
		}
	}
	return out
}

// RoundOf returns the round that the body of an event is about; 0 for the whole case.
func RoundOf(body Form) uint8 { return topicOf("", body).round }

// Opinions returns the opinions that the actor named in a round.
func (c *ActorChain) Opinions(round uint8) (out []Digest) {
	for _, body := range c.find(topic{kind: KindOpinion, round: round}) {
		out = append(out, body.(OpinionBody).Opinion)
	}
	return out
}

// commitments returns what the actor committed to in a round.
func (c *ActorChain) commitments(round uint8) []voting.Hash {
	var out []voting.Hash
	for _, body := range c.find(topic{kind: KindCommit, round: round}) {
		out = append(out, voting.Hash(body.(CommitBody).Commitment))
	}
	return out
}
