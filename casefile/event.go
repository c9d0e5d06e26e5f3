package casefile

import (
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"strconv"

	"ojud/casefile/canon"
	"ojud/voting"
)

const tagEvent = "oju:event:v1"

// maxEvents is how many events an actor may have in a case (protocol section 10).
const maxEvents = 256

// Event is one signed statement of one actor in one case. Prev is the id of the same actor's event
// before it, so each actor has a chain of its own, and actors do not need to agree on one order
// (protocol section 10).
type Event struct {
	Actor DID             `json:"actor"`
	At    int64           `json:"at"` // Unix seconds of the chain's clock
	Body  json.RawMessage `json:"body"`
	Case  Address         `json:"case"`
	Kind  Kind            `json:"kind"`
	Prev  Digest          `json:"prev"` // zero for the first
	Seq   uint32          `json:"seq"`  // from 1
	Sig   Signature       `json:"sig"`
}

// ParseEvent reads an event that came from elsewhere: canonical JSON of at most maxEvent bytes. The
// signature is not checked here.
func ParseEvent(raw []byte) (Event, error) {
	if err := canon.Exact(raw, maxEvent); err != nil {
		return Event{}, fmt.Errorf("event: %w", err)
	}
	doc, err := read[Event]("event", raw, maxEvent)
	return doc.Value, err
}

// Encode returns the canonical JSON of the event.
func (e Event) Encode() ([]byte, error) {
	doc, err := write("event", e, maxEvent)
	return doc.Raw, err
}

// ID names the event: the hash of its canonical JSON without the signature.
func (e Event) ID() (Digest, error) {
	if raw, ok := e.plainly(); ok {
		return Digest(HashOf(raw)), nil
	}
	type fields Event
	unsigned := struct {
		fields
		Sig *Signature `json:"sig,omitempty"` // hides the one in fields
	}{fields: fields(e)}
	raw, err := encode(unsigned, maxEvent)
	if err != nil {
		return Digest{}, fmt.Errorf("event: %w", err)
	}
	return Digest(HashOf(raw)), nil
}

// plainly returns the canonical JSON of the event without the signature, if all of it is plain.
func (e Event) plainly() ([]byte, bool) {
	raw := make([]byte, 0, 384+len(e.Body))
	raw = append(append(raw, `{"actor":"`...), e.Actor.String()...)
	raw = append(strconv.AppendInt(append(raw, `","at":`...), e.At, 10), `,"body":`...)
	raw = append(append(raw, e.Body...), `,"case":"`...)
	raw = append(append(append(raw, e.Case.String()...), `","kind":"`...), e.Kind...)
	raw = append(append(append(raw, `","prev":"`...), e.Prev.String()...), `","seq":`...)
	raw = append(strconv.AppendUint(raw, uint64(e.Seq), 10), '}')
	return raw, len(raw) <= maxEvent && e.Kind.named() && canon.Plain(e.Body) && canon.Plain(raw)
}

// Verify checks the event's signature and returns its id.
func (e Event) Verify(d voting.Domain) (Digest, error) { return e.verify(d, nil) }

func (e Event) verify(d voting.Domain, by Verify) (Digest, error) {
	id, err := e.ID()
	if err != nil {
		return id, err
	}
	if !by.signed(e.Actor, eventPreimage(d, id), e.Sig) {
		return id, fmt.Errorf("event %d of %s: %w", e.Seq, e.Actor, ErrSignature)
	}
	return id, nil
}

// sign fills in actor and signature, and returns the id.
func (e *Event) sign(d voting.Domain, key ed25519.PrivateKey) (Digest, error) {
	e.Actor = peerOf(key)
	id, err := e.ID()
	if err != nil {
		return id, err
	}
	e.Sig = Signature(ed25519.Sign(key, eventPreimage(d, id)))
	return id, nil
}

// Check checks the event's fields and returns its body. It does not check the signature.
func (e Event) Check() (Form, error) {
	c := &checker{document: "event"}
	if e.Seq < 1 || e.Seq > maxEvents {
		c.fail("seq", "is %d; an actor's events in a case are numbered 1 to %d", e.Seq, maxEvents)
	}
	if (e.Seq == 1) != (e.Prev == Digest{}) {
		c.fail("prev", "must be zeros in the first event, and the id of the event before in every other")
	}
	if c.err != nil {
		return nil, c.err
	}
	return e.ParsedBody()
}

func eventPreimage(d voting.Domain, id Digest) []byte {
	b := append([]byte(tagEvent), d.Network[:]...)
	b = append(b, d.Program[:]...)
	return append(b, id[:]...)
}

func (e Event) validate(string) error {
	_, err := e.Check()
	return err
}
