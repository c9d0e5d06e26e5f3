package casefile

import (
	"bytes"
	"fmt"

	"ojud/voting"
)

// entry is an event that was taken, with what was worked out on the way.
type entry struct {
	Event
	id   Digest
	body form
}

// chain is the events of one actor. What follows the first fork is dropped, so that nodes that met the branches in a
// different order end with the same undisputed events.
type chain struct {
	entries []entry
	fork    *entry // a second event with the number of the last one: proof against the actor
}

// head describes the chain to a peer.
func (c *chain) head() Head {
	n := len(c.entries)
	if n == 0 {
		return Head{}
	}
	return Head{Seq: uint32(n), ID: c.entries[n-1].id, Forked: c.fork != nil}
}

// spot is where an event belongs in a chain.
type spot int

const (
	nowhere spot = iota // or not yet
	known               // it is here
	next                // at the end
	rival               // another with its number is here
	surplus             // two others with its number are here, which is proof enough
)

// place says where a signed event belongs.
func (c *chain) place(e Event, id Digest) (spot, error) {
	n := uint32(len(c.entries))
	switch {
	case e.Seq <= n && c.entries[e.Seq-1].id == id, e.Seq == n && c.fork != nil && c.fork.id == id:
		return known, nil
	case e.Seq == n && c.fork != nil:
		return surplus, nil
	case e.Seq <= n:
		return rival, nil
	case c.fork != nil:
		return nowhere, fmt.Errorf("event %d of %s: %w", e.Seq, e.Actor, ErrForked)
	case e.Seq > n+1, e.Seq > 1 && e.Prev != c.entries[n-1].id:
		return nowhere, fmt.Errorf("event %d of %s: %w", e.Seq, e.Actor, ErrGap)
	}
	return next, nil
}

// oppose records a rival. What came after is dropped. A third is not taken, so that an actor cannot fill our store: nodes may
// thus keep different proofs of one fork.
func (c *chain) oppose(e entry) {
	i := int(e.Seq) - 1
	c.entries = c.entries[: i+1 : i+1]
	if less(e.id, c.entries[i].id) {
		e, c.entries[i] = c.entries[i], e
	}
	c.fork = &e
}

// all returns every event, the smaller id first where two have one number.
func (c *chain) all() []Event {
	out := make([]Event, 0, len(c.entries)+1)
	for _, e := range c.entries {
		out = append(out, e.Event)
	}
	if c.fork != nil {
		out = append(out, c.fork.Event)
	}
	return out
}

// since returns what somebody with this head lacks of the chain.
func (c *chain) since(head Head) []Event {
	n := uint32(len(c.entries))
	switch {
	case head.Seq > n && c.fork == nil:
		return nil // it is us who lack something
	case head.Forked && (c.fork == nil || head.Seq <= n):
		return nil // likewise, or the same
	case c.fork != nil && head.Seq == n && (c.entries[n-1].id == head.ID || c.fork.id == head.ID):
		return c.all()[n-1:]
	case head.Seq > 0 && head.Seq <= n && c.entries[head.Seq-1].id == head.ID:
		return c.all()[head.Seq:]
	}
	return c.all()
}

// topic names what an event is about. An actor says a thing once; only a second, different commitment is taken too, as
// evidence of equivocation.
type topic struct {
	kind  Kind
	round uint8
	judge Address // equivocation: against whom
	about Digest  // data_request, receipt: what was asked, or the receipt
}

// topicOf names what an event with this body is about.
func topicOf(kind Kind, body form) topic {
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
	}
	return t
}

// find returns the bodies of the chain's events about a topic.
func (c *chain) find(t topic) []form {
	var out []form
	for _, e := range c.entries {
		if topicOf(e.Kind, e.body) == t {
			out = append(out, e.body)
		}
	}
	return out
}

// commitments returns what the actor committed to in a round.
func (c *chain) commitments(round uint8) []voting.Hash {
	var out []voting.Hash
	for _, body := range c.find(topic{kind: KindCommit, round: round}) {
		out = append(out, voting.Hash(body.(CommitBody).Commitment))
	}
	return out
}

// less orders ids.
func less(a, b Digest) bool { return bytes.Compare(a[:], b[:]) < 0 }
