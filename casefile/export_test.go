package casefile

import (
	"bytes"
	"fmt"

	"github.com/gowebpki/jcs"

	"ojud/casefile/canon"
	"ojud/voting"
)

// ReadFacts reads a fact document of any kind.
func ReadFacts(raw []byte) {
	_, _ = ReadFact[OpenFact](KindOpen, raw)
	_, _ = ReadFact[DrawFact](KindDraw, raw)
	_, _ = ReadFact[SettleFact](KindSettle, raw)
	_, _ = ReadFact[OutcomeFact](KindOutcome, raw)
}

// Named is the hash that an event names.
func Named(e Event) voting.Hash { return voting.Hash(e.Names()[0]) }

// ReadDraw reads the facts of a draw; zero if they are not.
func ReadDraw(raw []byte) DrawFact {
	doc, err := read[DrawFact]("facts", raw, MaxDocument)
	if err != nil {
		return DrawFact{}
	}
	return doc.Value
}

// ReadPanel reads a panel as a bundle's are read.
func ReadPanel(raw []byte) (p Panel, err error) {
	canonical, err := canon.JSON(raw, MaxDocument)
	if err != nil {
		return p, err
	}
	if err := decode("bundle", canonical, &p, ""); err != nil {
		return p, err
	}
	c := &checker{document: "bundle"}
	p.check(c, "panels[0]")
	return p, c.err
}

// Library returns a text that is not plain as Canonical does.
func Library(raw []byte) ([]byte, error) { return jcs.Transform(raw) }

// Preimage returns the bytes that the signature of a vote is over, encoded from its fields.
func Preimage(raw []byte) ([]byte, error) {
	v, err := ParseVote(raw)
	if err != nil {
		return nil, err
	}
	return v.preimage()
}

// PlainVote reads a vote as ParseVote tries first, without validating it.
func PlainVote(raw []byte) (Vote, bool) { return plainVote(raw) }

// SlowVote reads a vote as any document is read, without validating it.
func SlowVote(raw []byte) (v Vote, err error) {
	canonical, err := Library(raw)
	if err == nil && (len(raw) > MaxVote || string(canonical) != string(raw)) {
		err = canon.ErrNotCanonical
	}
	if err == nil {
		err = slowly("vote", canonical, &v, "")
	}
	return v, err
}

// Read reads a value from canonical JSON, in one pass if it can.
func Read(raw []byte, v any) error { return decode("it", raw, v, "") }

// ReadSlowly reads a value as every one was read before there was a way in one pass.
func ReadSlowly(raw []byte, v any) error { return slowly("it", raw, v, "") }

// Filled reports whether a text was read in one pass.
func Filled(raw []byte, v any) bool { return shapes.Fill(raw, v) }

// Plainly reports whether the id of an event was made without the library.
func Plainly(e Event) bool {
	_, ok := e.plainly()
	return ok
}

// SlowID is the id of an event, as it was made before there was another way than the library.
func SlowID(e Event) (Digest, error) {
	type fields Event
	raw, err := encode(struct {
		fields
		Sig *Signature `json:"sig,omitempty"`
	}{fields: fields(e)}, maxEvent)
	if err != nil {
		return Digest{}, fmt.Errorf("event: %w", err)
	}
	return Digest(HashOf(raw)), nil
}

// Sealed returns the hash that the exporter signs, cut out of the canonical bytes and encoded from
// the fields.
func Sealed(b Bundle, canonical []byte) (cut, encoded []byte, err error) {
	covered, err := unsigned(canonical, "seal")
	if err != nil {
		return nil, nil, err
	}
	sum := HashOf(append(bytes.Clone(covered), '}'))
	encoded, err = b.preimage()
	return append([]byte(tagBundle), sum[:]...), encoded, err
}
