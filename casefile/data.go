package casefile

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"reflect"
	"slices"

	"ojud/voting"
)

type (
	// DataBody names the data that the actor asked for as a judge. It has a receipt from every
	// holder that answered, its own source among them, and says why the others did not answer.
	DataBody struct {
		Round    uint8     `json:"round"`
		Source   string    `json:"data_source"`
		Request  Digest    `json:"request"`
		Receipts []Receipt `json:"receipts"`
		Failures []Failure `json:"failures"`
		// Standings says of each receipt, in order, what its holder had at stake in the draw of the
		// round. Files of the first edition of the rules do not say it.
		Standings []HolderStanding `json:"standings,omitempty"`
	}
	// HolderStanding says what stands behind an answer (protocol section 12).
	HolderStanding string
	// Failure is a holder that gave nothing usable; without Holder, no holder of the source was
	// found.
	Failure struct {
		Holder *DID   `json:"holder,omitempty"`
		Reason string `json:"reason"`
	}
	// ReceiptBody is the actor's answer as a holder.
	ReceiptBody struct {
		Receipt Receipt `json:"receipt"`
	}
)

// The standings of holders.
const (
	OwnSource    HolderStanding = "own"      // the judge that asks has the source itself
	StakedHolder HolderStanding = "staked"   // a candidate of the draw of the round, so no party
	Stranger     HolderStanding = "stranger" // anybody else
)

func (b DataBody) validate(document string) error {
	c := &checker{document: document}
	c.round("body.round", b.Round)
	c.name("body.data_source", b.Source)
	if b.Receipts == nil || b.Failures == nil {
		c.fail("body.receipts", "receipts and failures are required; write [] if there are none")
	}
	c.count("body.receipts", len(b.Receipts), maxAnswers, "receipts")
	c.count("body.failures", len(b.Failures), maxFailures, "failures")
	for i, r := range b.Receipts {
		path := fmt.Sprintf("body.receipts[%d]", i)
		r.check(c, path)
		if r.Round != b.Round || r.Source != b.Source || r.Request != b.Request {
			c.fail(path, "is of another round, source or request than the event")
		}
	}
	if len(b.Standings) > 0 && len(b.Standings) != len(b.Receipts) {
		c.fail("body.standings", "has %d entries for %d receipts", len(b.Standings), len(b.Receipts))
	}
	for i, s := range b.Standings {
		if s != OwnSource && s != StakedHolder && s != Stranger {
			c.fail(fmt.Sprintf("body.standings[%d]", i), "%.20q is none of own, staked, stranger", string(s))
		}
	}
	for i, f := range b.Failures {
		c.text(fmt.Sprintf("body.failures[%d].reason", i), f.Reason, 1, maxWhy)
	}
	return c.err
}

func (b ReceiptBody) validate(document string) error {
	c := &checker{document: document}
	b.Receipt.check(c, "body.receipt")
	c.round("body.receipt.round", b.Receipt.Round)
	return c.err
}

// NewTwofold returns the evidence that two receipts are against their holder. It is false if they
// are none.
func NewTwofold(a, b Receipt) (TwofoldBody, bool) {
	body := TwofoldBody{A: a, B: b}
	if x, y := a.about(), b.about(); bytes.Compare(x[:], y[:]) > 0 {
		body = TwofoldBody{A: b, B: a}
	}
	return body, body.validate("event") == nil
}

func (b TwofoldBody) validate(document string) error {
	c := &checker{document: document}
	b.A.check(c, "body.a")
	b.B.check(c, "body.b")
	c.round("body.a.round", b.A.Round)
	c.round("body.b.round", b.B.Round)
	first, second := b.A.about(), b.B.about()
	switch {
	case !b.A.Contradicts(b.B):
		c.fail("body.b", "does not contradict body.a: it is of another holder, case or question, or has the same answer")
	case bytes.Compare(first[:], second[:]) > 0:
		c.fail("body.b", "has a lower hash than body.a; the lower one comes first")
	}
	return c.err
}

// Twofolds finds the holders that gave two different answers to one question, by the receipts that
// events show, with the first evidence against each. It leaves out those that an event accuses.
func Twofolds(events []Event) []TwofoldBody {
	type asked struct {
		holder   DID
		question voting.Hash
	}
	first, accused := map[asked]Receipt{}, map[DID]bool{}
	var out []TwofoldBody
	for _, r := range Shown(events, func(b TwofoldBody) { accused[b.A.Holder] = true }) {
		key := asked{r.Holder, r.Question()}
		if _, known := first[key]; !known {
			first[key] = r
		}
		if body, ok := NewTwofold(first[key], r); ok {
			out = append(out, body)
		}
	}
	return slices.DeleteFunc(out, func(b TwofoldBody) bool {
		done := accused[b.A.Holder]
		accused[b.A.Holder] = true
		return done
	})
}

// Shown returns the receipts that events show, and shows each accusation to see.
func Shown(events []Event, see func(TwofoldBody)) (out []Receipt) {
	for _, e := range events {
		if e.Kind != KindData && e.Kind != KindReceipt && e.Kind != KindTwofold {
			continue
		}
		body, err := e.ParsedBody()
		if err != nil {
			continue
		}
		switch b := body.(type) {
		case DataBody:
			out = append(out, b.Receipts...)
		case ReceiptBody:
			out = append(out, b.Receipt)
		case TwofoldBody:
			out = append(out, b.A, b.B)
			see(b)
		}
	}
	return out
}

// about names the holder: an actor accuses each once.
func (b TwofoldBody) about() Digest { return Digest(b.A.Holder) }

// Twofold checks evidence against a holder: both askers sit where the receipts say, and the holder
// signed both.
func (t Court) Twofold(c *ActorChain, e Event, body Form) error {
	b, ok := body.(TwofoldBody)
	if !ok {
		return nil
	}
	if c != nil && c.count(e.Kind) >= maxTwofold {
		return fmt.Errorf("%w: more than %d holders are accused", ErrContradicts, maxTwofold)
	}
	for _, r := range []Receipt{b.A, b.B} {
		if judge, ok := t.Seats.Judge(r.Round, r.Asker); !ok || judge != r.Judge || r.Case != t.Task {
			return fmt.Errorf("%w: a receipt is of another case, or its asker does not sit in round %d", ErrContradicts, r.Round)
		}
		if err := r.verify(t.Domain, t.Verify); err != nil {
			return err
		}
	}
	return nil
}

// about names what was asked, so that an actor says it once.
func (b DataBody) about() Digest {
	return sha256.Sum256(append([]byte(b.Source+"\x00"), b.Request[:]...))
}

// about names the receipt: a holder answers many.
func (b ReceiptBody) about() Digest { return b.Receipt.about() }

func (r Receipt) about() Digest {
	hash, err := r.Hash()
	if err != nil {
		return Digest{} // larger than a receipt may be: validate and Encode refused it
	}
	return Digest(hash)
}

// Asked checks the answers that an actor names. Each must be its own, or that of another seat of
// the round which shared it. The holders must have signed it, and the actor must name it before the
// vote that rests on it. An answer with a price is not shared, because it is sold to one judge (ADR
// 0015).
func (t Court) Asked(c *ActorChain, e Event, body Form) error {
	b, ok := body.(DataBody)
	if !ok {
		return nil
	}
	for _, r := range b.Receipts {
		switch judge, ok := t.Seats.Judge(b.Round, r.Asker); {
		case !ok || r.Judge != judge || r.Case != t.Task:
			return fmt.Errorf("%w: a receipt is of another case, or its asker does not sit in round %d", ErrContradicts, b.Round)
		case r.Asker != e.Actor && r.Price != 0:
			return fmt.Errorf("%w: a receipt is of an answer that another judge paid for", ErrContradicts)
		}
		if err := r.verify(t.Domain, t.Verify); err != nil {
			return err
		}
	}
	switch {
	case c == nil:
	case len(c.find(topic{kind: KindVote, round: b.Round})) > 0:
		return fmt.Errorf("%w: data is named after the vote of its round", ErrContradicts)
	case len(c.receipts(b.Round))+len(b.Receipts) > maxAccesses:
		return fmt.Errorf("%w: more than %d receipts in a round", ErrContradicts, maxAccesses)
	}
	return nil
}

// Answered checks what an actor says that it answered: it signed that, and the asker sits where the
// receipt says.
func (t Court) Answered(_ *ActorChain, e Event, body Form) error {
	b, ok := body.(ReceiptBody)
	if !ok {
		return nil
	}
	r := b.Receipt
	if r.Holder != e.Actor || r.Case != t.Task {
		return fmt.Errorf("%w: the receipt is of another holder or case", ErrContradicts)
	}
	if judge, ok := t.Seats.Judge(r.Round, r.Asker); !ok || judge != r.Judge {
		return fmt.Errorf("%w: the asker does not sit in round %d", ErrStranger, r.Round)
	}
	return r.verify(t.Domain, t.Verify)
}

// Data checks that a vote names exactly the data for which receipts stand in the actor's chain
// before it.
func (t Court) Data(c *ActorChain, e Event, body Form) error {
	b, ok := body.(VoteBody)
	if !ok {
		return nil
	}
	shown := c.receipts(b.Round)
	root, err := Receipts(shown)
	if err != nil {
		return err
	}
	if b.Vote.ReceiptsRoot != Digest(root) {
		return fmt.Errorf("%w: receipts_root is not the root of the %d receipts shown", ErrContradicts, len(shown))
	}
	accessed, err := Accesses(shown, e.Actor)
	if err != nil {
		return err
	}
	if !reflect.DeepEqual(b.Vote.DataAccessed, accessed) {
		return fmt.Errorf("%w: data_accessed is not what the %d receipts shown say", ErrContradicts, len(shown))
	}
	return nil
}

// count returns how many events of a kind the actor has.
func (c *ActorChain) count(kind Kind) (n int) {
	for _, e := range c.Events {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

// receipts returns what the actor was answered in a round.
func (c *ActorChain) receipts(round uint8) (out []Receipt) {
	for _, e := range c.Events {
		if b, ok := e.Parsed.(DataBody); ok && b.Round == round {
			out = append(out, b.Receipts...)
		}
	}
	return out
}
