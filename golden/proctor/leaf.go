package proctor

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"

	"ojud/golden"
	"ojud/golden/generator"
	"ojud/voting"
)

// Leaf is a leaf of a batch with everything that its proctor needs to bring it through the court.
// It is secret until it is open.
type Leaf struct {
	golden.Leaf
	Proof     golden.Proof
	Creator   voting.Key // the agent that posts its task
	Number    uint64     // of the task among those of the creator
	Reward    uint64     // lamports
	Documents generator.Dispute
}

// Root is what is committed to.
func (b *Batch) Root() voting.Hash { return b.root }

// Leaves returns all leaves, in the order in which their creators post them.
func (b *Batch) Leaves() []Leaf {
	all := make([]Leaf, len(b.leaves))
	for i, s := range b.secrets {
		all[i] = Leaf{
			Leaf: b.leaves[i], Proof: b.proofs[i], Creator: voting.Key(s.Creator), Number: uint64(s.Number),
			Reward: uint64(s.Reward), Documents: b.disputes[i],
		}
	}
	return all
}

// Chance is randomness for times and terms of a batch. It is the same each time, so that a proctor
// that starts again goes on as planned, and nobody who does not know the seeds can foretell it.
func (b *Batch) Chance() *rand.Rand {
	h := sha256.New()
	h.Write([]byte("oju:pace:v1"))
	h.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(b.leaves))))
	for _, l := range b.leaves {
		h.Write(l.Seed[:])
	}
	return rand.New(rand.NewChaCha8([32]byte(h.Sum(nil))))
}
