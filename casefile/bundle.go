package casefile

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"ojud/casefile/canon"
	"ojud/casefile/room"
	"ojud/voting"
)

// The forms of a bundle, by the version of the court's rules. The second is written now.
const (
	FirstFormat = "oju-case/1"
	Format      = "oju-case/2"
)

const tagBundle = "oju:bundle:v1"

// MaxBlob is the largest content that is stored by hash (protocol section 9), in bytes.
const MaxBlob = 1 << 20

// Bundle is a case file that stands by itself: all events of a case and the content that they name.
type Bundle struct {
	Format     string             `json:"format"`
	Network    Digest             `json:"network"`
	Program    Address            `json:"program"`
	Case       Address            `json:"case"`
	Events     []Event            `json:"events"` // sorted by actor (as text), number, id
	Blobs      map[Digest]Content `json:"blobs"`
	Panels     []Panel            `json:"panels"`         // one for each settled round, in order
	Leaf       json.RawMessage    `json:"leaf,omitempty"` // of a golden case: package casefile/leaf
	Exporter   DID                `json:"exporter"`
	ExportedAt int64              `json:"exported_at"` // Unix seconds of the chain's clock
	Seal       Signature          `json:"seal"`
}

// ParseBundle reads a bundle from its canonical JSON. It checks the form of every field and no
// content.
func ParseBundle(canonical []byte) (b Bundle, err error) {
	err = decode("bundle", canonical, &b, "")
	return b, err
}

// Check checks the format, and that the panels are within their bounds. Do not read a bundle
// further if it fails.
func (b Bundle) Check() error {
	c := &checker{document: "bundle"}
	if b.Format != FirstFormat && b.Format != Format {
		c.fail("format", "is %.40q; this version reads %q and %q", b.Format, FirstFormat, Format)
	}
	c.count("panels", len(b.Panels), MaxRound, "panels")
	for i, p := range b.Panels {
		p.check(c, fmt.Sprintf("panels[%d]", i))
	}
	return c.err
}

// VerifySeal checks the signature of the exporter, which covers every byte of the bundle's
// canonical JSON but the seal itself.
func (b Bundle) VerifySeal(canonical []byte) error {
	covered, err := unsigned(canonical, "seal")
	if err != nil {
		return fmt.Errorf("casefile: seal: %w", err)
	}
	sum := sha256.New()
	sum.Write(covered) // no error, says package hash
	sum.Write([]byte("}"))
	if !voting.VerifyStrict(voting.Key(b.Exporter), sum.Sum([]byte(tagBundle)), voting.Signature(b.Seal)) {
		return ErrSignature
	}
	return nil
}

// Blob returns content of the bundle, or ErrNoBlob.
func (b Bundle) Blob(hash Digest) ([]byte, error) {
	if content, ok := b.Blobs[hash]; ok {
		return content, nil
	}
	return nil, ErrNoBlob
}

// Named returns the hashes that the events of the bundle and its documents name: facts with their
// lists, and opinions, then the documents that opening facts name, then the modules of tasks and
// the exhibits of parties. Content is read once as each of the things that it is named as: whoever
// names it as something else hides nothing of what it names.
func (b Bundle) Named() map[Digest]bool {
	seen, looked := map[Digest]bool{}, map[about]bool{}
	name := func(hashes ...Digest) {
		for _, hash := range hashes {
			seen[hash] = true
		}
	}
	first := func(one about) bool {
		before := looked[one]
		looked[one] = true
		return !before
	}
	for _, e := range b.Events {
		names := e.Names()
		name(names...)
		if e.Kind != KindOpen && e.Kind != KindDraw || len(names) == 0 || !first(e.about(names[0])) {
			continue
		}
		name(e.Lists(b.Blobs[names[0]])...)
		if e.Kind != KindOpen {
			continue
		}
		f, err := read[OpenFact]("open facts", b.Blobs[names[0]], MaxDocument)
		if err != nil {
			continue
		}
		for i, hash := range f.Value.Task.papers() {
			name(hash)
			if i == 0 && first(about{facts: hash, kind: "task"}) {
				if task, err := ParseTask(b.Blobs[hash]); err == nil {
					name(task.Value.Modules()...)
				}
			}
			if i >= 2 && first(about{facts: hash, kind: "pleading"}) {
				if o, err := ParseObjection(b.Blobs[hash]); err == nil {
					for _, e := range o.Value.Evidence {
						name(e.SHA256)
					}
				}
			}
		}
	}
	return seen
}

// papers returns the hashes of the four documents of a case.
func (t TaskTerms) papers() [4]Digest {
	return [...]Digest{t.TaskHash, t.ResultHash, t.ObjectionHash, t.CounterHash}
}

// Content is bytes in standard base64.
type Content []byte

// MarshalText implements encoding.TextMarshaler.
func (c Content) MarshalText() ([]byte, error) { return base64.StdEncoding.AppendEncode(nil, c), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (c *Content) UnmarshalText(text []byte) error {
	raw, err := canon.Base64(text)
	if err == nil && len(raw) > MaxBlob {
		err = fmt.Errorf("%d bytes; content is at most %d", len(raw), MaxBlob)
	}
	*c = raw
	return err
}

// Blobs is where content is kept by its hash. Blob returns ErrNoBlob, wrapped or not, for content
// that it does not have.
type Blobs interface {
	Blob(hash voting.Hash) ([]byte, error)
}

// Export writes the case file of a log, sealed by the node that has key, at that time of the
// chain's clock. Missing lists the content that is named but that blobs does not have, or for which
// the file has no room: it is left out, and Verify names the consequences. The facts and documents
// come first, and then each actor has the same right to the room. An error of blobs other than
// ErrNoBlob ends the export.
//
// Panels works out how independent the votes of each settled round were. Leaf may be nil.
func Export(l *Log, blobs Blobs, panels func(voting.Domain, Bundle) ([]Panel, error), leaf json.RawMessage, key ed25519.PrivateKey, at int64) (file []byte, missing []voting.Hash, err error) {
	b := Bundle{
		Format: Format, Network: Digest(l.court.Domain.Network), Program: Address(l.court.Domain.Program), Case: l.court.Task,
		Events: l.Events(), Blobs: map[Digest]Content{}, Leaf: leaf, Exporter: peerOf(key), ExportedAt: at,
	}
	b.Events = append([]Event{}, b.Events...) // [] if there are none
	left := contentRoom
	for _, e := range b.Events {
		left -= len(e.Body) * 3 // indentation and the fields around the body
	}
	chosen := room.New(left, func(hash Digest) ([]byte, error) { return blobs.Blob(voting.Hash(hash)) }, func(err error) bool { return errors.Is(err, ErrNoBlob) })
	if pack(b.Events, chosen); chosen.Err != nil {
		return nil, nil, fmt.Errorf("casefile: export: %w", chosen.Err)
	}
	for hash, content := range chosen.Content {
		b.Blobs[hash] = content
	}
	for _, hash := range chosen.Missing {
		missing = append(missing, voting.Hash(hash))
	}
	if b.Panels, err = panels(l.court.Domain, b); err != nil {
		return nil, nil, err
	}
	file, err = b.seal(key)
	return file, missing, err
}

// Bytes of a bundle file.
const (
	// panelRoom is more than the largest panels of a case take.
	panelRoom = MaxRound * (MaxHistory*(192+voting.MaxSeats) + voting.MaxSeats*320)
	// contentRoom is left for events and content. The rest of MaxBundle is for indentation and
	// names.
	contentRoom = MaxBundle*3/4 - panelRoom
)

// The file has room for one opinion of 192 KiB, in base64, from each seat of the largest case
// without an appeal. Of six rounds, opinions of half of that have room.
const _ = uint(contentRoom - voting.MaxRounds*voting.MaxSeats*(192<<10)/3*4)

// ReadBundle reads a bundle file without taking in more than the largest one may have.
func ReadBundle(r io.Reader) ([]byte, error) {
	file, err := io.ReadAll(io.LimitReader(r, MaxBundle+1))
	if err != nil {
		return nil, fmt.Errorf("casefile: read bundle: %w", err)
	}
	if len(file) > MaxBundle {
		return nil, fmt.Errorf("casefile: read bundle: %w: more than %d bytes", canon.ErrTooLarge, MaxBundle)
	}
	return file, nil
}

// seal signs the bundle and gives it its form on disk.
func (b Bundle) seal(key ed25519.PrivateKey) ([]byte, error) {
	preimage, err := b.preimage()
	if err != nil {
		return nil, err
	}
	b.Seal = Signature(ed25519.Sign(key, preimage))
	canonical, err := encode(b, MaxBundle)
	if err != nil {
		return nil, fmt.Errorf("casefile: seal: %w", err)
	}
	file, err := canon.Indent(canonical)
	if err == nil && len(file) > MaxBundle {
		err = fmt.Errorf("casefile: seal: %w: %d bytes", canon.ErrTooLarge, len(file))
	}
	return file, err
}

// preimage returns the bytes that the exporter signs: the tag and the hash of the canonical JSON
// without the seal.
func (b Bundle) preimage() ([]byte, error) {
	type fields Bundle
	unsealed := struct {
		fields
		Seal *Signature `json:"seal,omitempty"` // hides the one in fields
	}{fields: fields(b)}
	raw, err := encode(unsealed, MaxBundle)
	if err != nil {
		return nil, fmt.Errorf("casefile: seal: %w", err)
	}
	sum := sha256.Sum256(raw)
	return append([]byte(tagBundle), sum[:]...), nil
}

// Names returns the hashes of the content that an event names.
func (e Event) Names() []Digest {
	body, err := e.ParsedBody()
	if err != nil {
		return nil
	}
	switch b := body.(type) {
	case FactBody:
		return []Digest{b.Facts}
	case RoundFactBody:
		return []Digest{b.Facts}
	case OpinionBody:
		return []Digest{b.Opinion}
	case VoteBody:
		return []Digest{b.Vote.OpinionHash}
	case DataBody:
		out := []Digest{b.Request}
		for _, r := range b.Receipts {
			out = append(out, r.Response, r.Terms)
		}
		return out
	case TwofoldBody:
		return []Digest{b.A.Request, b.A.Response, b.A.Terms, b.B.Response, b.B.Terms}
	case ReceiptBody:
		return []Digest{b.Receipt.Request, b.Receipt.Response, b.Receipt.Terms}
	}
	return nil
}

// Lists returns the lists of candidates that the facts name which this event names, if they are
// those of the draw of its round.
func (e Event) Lists(facts []byte) []Digest {
	if e.Kind != KindDraw {
		return nil
	}
	body, err := e.ParsedBody()
	f, bad := read[DrawFact]("draw facts", facts, MaxDocument)
	if err != nil || bad != nil || f.Value.Round != RoundOf(body) {
		return nil
	}
	return f.Value.Lists
}
