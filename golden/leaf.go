package golden

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"

	"ojud/voting"
)

// Leaf is the answer to a golden case, with everything that it is about.
type Leaf struct {
	Address                          voting.Key  // the account of the task
	Task, Result, Objection, Counter voting.Hash // of the documents
	Answer                           voting.Choice
	Generator                        voting.Hash // the version of the generator
	Seed                             [32]byte    // from which the generator makes the documents
}

const leafDomain = "oju:leaf:v1"

// leafSize is the number of bytes of a leaf.
const leafSize = len(leafDomain) + 5*32 + 1 + 2*32

var errLeaf = errors.New("golden: not a leaf")

// Bytes returns the preimage of the leaf's hash (protocol section 13).
func (l Leaf) Bytes() []byte {
	out := make([]byte, 0, leafSize)
	out = append(append(out, leafDomain...), l.Address[:]...)
	for _, h := range []voting.Hash{l.Task, l.Result, l.Objection, l.Counter} {
		out = append(out, h[:]...)
	}
	out = append(out, byte(l.Answer))
	out = append(out, l.Generator[:]...)
	return append(out, l.Seed[:]...)
}

// Hash is the seal of the task.
func (l Leaf) Hash() voting.Hash { return sha256.Sum256(l.Bytes()) }

// Validate returns an error if no proctor may commit to the leaf. It names the field.
func (l Leaf) Validate() error {
	const _ = uint(3 - voting.Choices) // the answer is a side
	switch {
	case l.Answer != voting.Accept && l.Answer != voting.Reject:
		return fmt.Errorf("%w: the answer is %d; only accept (1) and reject (2) are answers", errLeaf, l.Answer)
	case l.Address == voting.Key{}:
		return fmt.Errorf("%w: the address of the task is zero", errLeaf)
	case l.Task.IsZero() || l.Result.IsZero() || l.Objection.IsZero() || l.Counter.IsZero():
		return fmt.Errorf("%w: the hash of a document is zero", errLeaf)
	case l.Generator.IsZero():
		return fmt.Errorf("%w: the generator is zero", errLeaf)
	}
	return nil
}

// small reports whether somebody could find the seed by trying: it is a number, a letter repeated,
// or otherwise mostly one byte.
func (l Leaf) small() bool {
	for _, b := range l.Seed {
		if bytes.Count(l.Seed[:], []byte{b}) > len(l.Seed)/2 {
			return true
		}
	}
	return false
}
