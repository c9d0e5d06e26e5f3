package golden

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"

	"ojud/voting"
)

// MaxLeaves bounds a batch. A proof of the largest one has 8 hashes, which fit into a transaction
// together with the leaf.
const MaxLeaves = 256

// maxProof is the number of hashes in the longest proof.
const maxProof = 8

const (
	_ = uint(1<<maxProof - MaxLeaves)
	_ = uint(1_232 - 400 - leafSize - 32*maxProof) // bytes of a transaction, less signatures and accounts
)

const (
	placeDomain  = "oju:place:v1"
	branchDomain = "oju:branch:v1"
	batchDomain  = "oju:batch:v1"
)

var errProof = errors.New("golden: not in the batch")

// Proof shows that a leaf stands at a place of a batch.
type Proof struct {
	Index  uint32        // the first leaf has 0
	Leaves uint32        // of the batch
	Path   []voting.Hash // the siblings, from the bottom up
}

// place is the bottom of the tree. It hides the seal, which is public: a proof shows the place of a
// neighbour, whose case may still be running.
func place(l Leaf) voting.Hash {
	h := l.Hash()
	return sha256.Sum256(append(append([]byte(placeDomain), h[:]...), l.Seed[:]...))
}

func branch(left, right voting.Hash) voting.Hash {
	return sha256.Sum256(append(append([]byte(branchDomain), left[:]...), right[:]...))
}

// seal binds the number of leaves to the top of the tree, so that no leaf can be left out or added.
func seal(leaves uint32, top voting.Hash) voting.Hash {
	return sha256.Sum256(append(binary.LittleEndian.AppendUint32([]byte(batchDomain), leaves), top[:]...))
}

// depth is the number of levels above the bottom.
func depth(leaves uint32) int { return bits.Len32(leaves - 1) }

// Commit returns the root of a batch, and a proof for each leaf. The bottom is filled up with zero
// hashes to a power of two.
func Commit(leaves []Leaf) (root voting.Hash, proofs []Proof, err error) {
	if len(leaves) == 0 || len(leaves) > MaxLeaves {
		return voting.Hash{}, nil, fmt.Errorf("golden: a batch has 1 to %d leaves, not %d", MaxLeaves, len(leaves))
	}
	n := uint32(len(leaves))
	level, known := make([]voting.Hash, 1<<depth(n)), map[voting.Key]bool{}
	proofs = make([]Proof, n)
	for i, l := range leaves {
		if err := l.Validate(); err != nil {
			return voting.Hash{}, nil, fmt.Errorf("leaf %d: %w", i+1, err)
		}
		if l.small() {
			return voting.Hash{}, nil, fmt.Errorf("%w: most bytes of the seed of leaf %d are equal; draw 32 random bytes", errLeaf, i+1)
		}
		if known[l.Address] || known[voting.Key(l.Task)] {
			return voting.Hash{}, nil, fmt.Errorf("%w: leaf %d has the task of an earlier one", errLeaf, i+1)
		}
		known[l.Address], known[voting.Key(l.Task)], level[i], proofs[i] = true, true, place(l), Proof{Index: uint32(i), Leaves: n}
	}
	for up := 0; len(level) > 1; up++ {
		for i := range proofs {
			proofs[i].Path = append(proofs[i].Path, level[i>>up^1])
		}
		for i := range len(level) / 2 {
			level[i] = branch(level[2*i], level[2*i+1])
		}
		level = level[:len(level)/2]
	}
	return seal(n, level[0]), proofs, nil
}

// Verify returns nil if the batch with that root has the leaf at the proof's place.
func (p Proof) Verify(root voting.Hash, l Leaf) error {
	if err := l.Validate(); err != nil {
		return err
	}
	if p.Leaves == 0 || p.Leaves > MaxLeaves || p.Index >= p.Leaves || len(p.Path) != depth(p.Leaves) {
		return fmt.Errorf("%w: place %d of %d with %d hashes", errProof, p.Index, p.Leaves, len(p.Path))
	}
	h := place(l)
	for up, sibling := range p.Path {
		if p.Index>>up&1 == 0 {
			h = branch(h, sibling)
		} else {
			h = branch(sibling, h)
		}
	}
	if seal(p.Leaves, h) != root {
		return fmt.Errorf("%w: leaf and proof lead to another root than %s", errProof, root)
	}
	return nil
}
