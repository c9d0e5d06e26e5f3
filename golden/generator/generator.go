package generator

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"ojud/casefile"
	"ojud/voting"
)

// Kind is a kind of work.
type Kind string

// The kinds of work.
const (
	Arithmetic Kind = "arithmetic" // compute from a document
	Extraction Kind = "extraction" // take facts from a document
	Code       Kind = "code"       // write a function that passes tests
)

// Kinds returns all kinds of work.
func Kinds() []Kind { return []Kind{Arithmetic, Extraction, Code} }

// Generator makes whole disputes of one kind of work. The same seed gives the same bytes on every
// platform, for ever.
type Generator interface {
	Kind() Kind

	// Version names the generator in leaves. It is a hash over what the generator makes from fixed
	// seeds, so that nobody can change a generator and keep its name.
	Version() voting.Hash

	// Make makes the dispute of a seed. An error is a fault of the generator.
	Make(seed [32]byte) (Dispute, error)
}

// Dispute is a case from the task to the last document, with its true answer.
type Dispute struct {
	Kind     Kind
	Template string // the kind of document or function
	Hard     bool   // a long document, or an error that is easy to miss
	Hostile  bool   // the result speaks to its judges

	Task, Result, Objection, Counter []byte // canonical JSON

	Answer voting.Choice // accept if the result does what the task asks, otherwise reject
	Proof  Proof
}

// Proof says how code knows the answer.
type Proof struct {
	Right []byte   // a result that does what the task asks, canonical JSON
	Why   string   // one sentence
	Steps []string // by which a reader can verify it
}

// source is the generator of one kind of work.
type source struct {
	kind      Kind
	version   string // hex; TestVersions says what it has to be
	templates []template
}

// template draws one kind of document or function.
type template struct {
	name string
	draw func(d *dice, l level) (twins, error)
}

// level says how difficult a dispute has to be.
type level struct {
	subtle bool // the twins differ in something that is easily missed
	long   bool
	vast   bool // several times as long, in exams
}

// all returns the generators that this program has, one for each kind of work.
func all() []Generator {
	return []Generator{
		source{Arithmetic, "1f5976bcc693a1aed101b548a4982373cb9ee6abce677d4d2651ce5940d55d17", []template{{"ledger", drawLedger}, {"bill", drawBill}, {"shifts", drawShifts}, {"parcels", drawParcels}}},
		source{Extraction, "a1d676b2bc7ca09e863908161a62ca78a27e22ca1667e9c708fac3f75d4d08a8", []template{{"letter", drawLetter}, {"log", drawLog}, {"thread", drawThread}, {"contract", drawContract}}},
		source{Code, "59e60d977afc6fd10a3e8f699807c5b2d7adf73a7f50a61148d5e2227b087703", []template{{"function", drawFunction}}},
	}
}

// Find returns the generator that a leaf names.
func Find(version voting.Hash) (Generator, error) {
	for _, g := range all() {
		if g.Version() == version {
			return g, nil
		}
	}
	return nil, fmt.Errorf("generator: this program has no generator %s; another release may", version)
}

// Of returns the generator of a kind of work.
func Of(kind Kind) (Generator, error) {
	for _, g := range all() {
		if g.Kind() == kind {
			return g, nil
		}
	}
	return nil, fmt.Errorf("generator: no kind of work is called %.40q; the kinds are %v", kind, Kinds())
}

func (s source) Kind() Kind { return s.kind }

func (s source) Version() (version voting.Hash) {
	raw, err := hex.DecodeString(s.version)
	if err != nil || copy(version[:], raw) != len(version) {
		panic("generator: " + string(s.kind) + " has no version") // a constant, which TestVersions reads
	}
	return version
}

// pins is how many disputes a version is made of.
const pins = 256

// pinned computes the version of a generator from what it makes.
func (s source) pinned() (voting.Hash, error) {
	h := sha256.New()
	h.Write([]byte("oju:generator:v1" + s.kind))
	for i := range uint32(pins) {
		one, err := s.Make(sha256.Sum256(binary.LittleEndian.AppendUint32([]byte("oju:pin:v1"), i)))
		if err != nil {
			return voting.Hash{}, err
		}
		for _, part := range [][]byte{one.Task, one.Result, one.Objection, one.Counter} {
			sum := casefile.HashOf(part)
			h.Write(sum[:])
		}
		h.Write([]byte{byte(one.Answer)})
	}
	return voting.Hash(h.Sum(nil)), nil
}
