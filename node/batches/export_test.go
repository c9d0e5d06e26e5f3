package batches

import (
	"ojud/golden"
	"ojud/voting"
)

// Lie turns every answer of the batch around, as a proctor does that wants to take from judges that
// were right. The documents, and so the balance, stay.
func (l *Life) Lie() error {
	all := make([]golden.Leaf, len(l.leaves))
	for i, leaf := range l.leaves {
		const _ = uint(3 - voting.Choices)
		leaf.Answer = voting.Accept + voting.Reject - leaf.Answer
		all[i] = leaf.Leaf
	}
	root, proofs, err := golden.Commit(all)
	if err != nil {
		return err
	}
	for i := range all {
		l.leaves[i].Leaf, l.leaves[i].Proof = all[i], proofs[i]
	}
	l.root = root
	return nil
}

// Task is the address of the task of a leaf, from 0 on.
func (l *Life) Task(leaf int) [32]byte { return l.leaves[leaf].Address }
