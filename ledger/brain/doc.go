// Package brain speaks to the program of MegaBrain: it builds its instructions and reads its
// accounts, events and errors. The program is in programs/megabrain, and docs/megabrain.md tells
// how a task runs through it.
//
// The structs here are the layouts of the program, byte by byte. The program's IDL is made from
// them, so that neither can say something else.
package brain

import (
	"bytes"
	"crypto/sha256"
	"fmt"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/onchain"
)

// The limits of the program.
const (
	MaxSeats = 8     // workers, and evaluators
	MaxNear  = 4     // classes that are near to a class
	Silent   = 255   // the score of a result that an evaluator says nothing of
	Version  = 2     // of the layouts
	whole    = 10000 // basis points
)

// Megabrain is the program at an address.
type Megabrain struct{ id onchain.Address }

// New returns the program at this address.
func New(id onchain.Address) Megabrain { return Megabrain{id} }

// Devnet is the program on every devnet.
func Devnet() Megabrain {
	id, err := onchain.ParseAddress("ojubrain11111111111111111111111111111111111")
	if err != nil {
		panic(err)
	}
	return Megabrain{id}
}

// ID is the address of the program.
func (p Megabrain) ID() onchain.Address { return p.id }

// Treasury is where the program keeps slashes.
func (p Megabrain) Treasury() onchain.Address { return p.find([]byte("treasury")) }

// ProgramData is where the loader keeps the code.
func (p Megabrain) ProgramData() onchain.Address {
	return New(onchain.Address(solana.BPFLoaderUpgradeableProgramID)).find(p.id[:])
}

// Class is where a class of this creator is.
func (p Megabrain) Class(creator onchain.Address, id [32]byte) onchain.Address {
	return p.find([]byte("class"), creator[:], id[:])
}

// Task is where a task of this requester is.
func (p Megabrain) Task(requester onchain.Address, id [32]byte) onchain.Address {
	return p.find([]byte("task"), requester[:], id[:])
}

// find derives an address. It only fails when none of 255 hashes is off the curve.
func (p Megabrain) find(seeds ...[]byte) onchain.Address {
	at, _, err := solana.FindProgramAddress(seeds, solana.PublicKey(p.id))
	if err != nil {
		panic(fmt.Sprintf("brain: no address for %x: %v", seeds, err))
	}
	return onchain.Address(at)
}

// discriminator is the first eight bytes of an account, an event or an instruction.
func discriminator(space, name string) [8]byte {
	sum := sha256.Sum256([]byte(space + ":" + name))
	return [8]byte(sum[:8])
}

func hashed(parts ...[]byte) [32]byte {
	h := sha256.New()
	for _, p := range parts {
		h.Write(p)
	}
	return [32]byte(h.Sum(nil))
}

func inner(data []byte) []byte {
	sum := sha256.Sum256(data)
	return sum[:]
}

// ResultCommitment is what a worker commits to before it submits a result.
func ResultCommitment(task, worker onchain.Address, s SubmitResult) [32]byte {
	return hashed([]byte("megabrain:result:v1"), task[:], worker[:], s.ResultHash[:], inner([]byte(s.Summary)), inner(s.Proof), s.Salt[:])
}

// EvaluationCommitment is what an evaluator commits to before it submits its evaluations.
func EvaluationCommitment(task, evaluator onchain.Address, s SubmitEvaluation) [32]byte {
	return hashed([]byte("megabrain:evaluation:v1"), task[:], evaluator[:], s.EvaluationHash[:], inner(s.Scores), inner(s.Metadata), s.Salt[:])
}

// TermsHash is what a task keeps of its description and metadata.
func TermsHash(description string, metadata []byte) [32]byte {
	return hashed([]byte("megabrain:terms:v1"), inner([]byte(description)), inner(metadata))
}

// What terms begin with: those of disputes about outcomes, and those of appeals.
const (
	termsMark  = "megabrain:dispute:v1"
	appealMark = "megabrain:appeal:v2"
)

// DisputedTask returns the task that the terms of a dispute or of an appeal name. Anybody may have
// written them.
func DisputedTask(terms []byte) (at onchain.Address, ok bool) {
	rest, ok := bytes.CutPrefix(terms, []byte(termsMark))
	if !ok {
		rest, ok = bytes.CutPrefix(terms, []byte(appealMark))
	}
	if !ok || len(rest) < len(at) {
		return at, false
	}
	return onchain.Address(rest[:len(at)]), true
}

// AppealTerms are the terms of an appeal against an opened golden task, about the result of a
// worker, counted from 1.
func AppealTerms(task onchain.Address, t *TaskAccount, worker uint8) ([]byte, error) {
	created, err := raw(t.Clock.CreatedSlot)
	return bytes.Join([][]byte{[]byte(appealMark), task[:], created, t.Seal[:], {worker}}, nil), err
}

// DisputeTerms are the terms of a dispute about the posted outcome of a task, bytes by whose
// SHA-256 the court tells disputes apart.
func DisputeTerms(task onchain.Address, t *TaskAccount, counter Conclusion) ([]byte, error) {
	posted, err := raw(t.Finding)
	if err != nil {
		return nil, err
	}
	other, err := raw(counter)
	if err != nil {
		return nil, err
	}
	created, err := raw(t.Clock.CreatedSlot)
	calls := []byte{t.Counts.Drawn, t.Counts.Seated, t.Marks.Last}
	return bytes.Join([][]byte{[]byte(termsMark), task[:], created, calls, inner(posted), inner(other)}, nil), err
}

// GoldenSeal is the seal of a golden task whose right result has this hash. Tasks that are not
// golden have any other bytes.
func GoldenSeal(task onchain.Address, i OpenGolden) [32]byte {
	return hashed([]byte("megabrain:golden:v1"), task[:], i.Answer[:], i.Salt[:])
}

// DrawSeed is the seed of a draw: seated is the number of evaluators that sat before it.
func (p Megabrain) DrawSeed(task onchain.Address, seated uint8, slot uint64, hash [32]byte) [32]byte {
	at, _ := raw(slot) // a number is always encoded
	return hashed([]byte("megabrain:draw:v1"), p.id[:], task[:], []byte{seated}, at, hash[:])
}
