package voting

import (
	"bytes"
	"crypto/sha256"
	"slices"
)

// Opening is what opens a commitment: the choice and what it rests on (protocol section 3).
type Opening struct {
	Choice   Choice
	Opinion  Hash // of the opinion document
	Receipts Hash // root of the receipts, see ReceiptsRoot
	Salt     Hash // derived by the node from its key, see SaltInfo
}

// Commitment hashes o for one seat. It binds program, task, round and judge, so that nobody can reveal a commitment that
// he copied from another seat.
func (d Domain) Commitment(task Key, round uint8, judge Key, o Opening) Hash {
	b := make([]byte, 0, 256)
	b = append(b, tagCommit...)
	b = append(b, d.Program[:]...)
	b = append(b, task[:]...)
	b = append(b, round)
	b = append(b, judge[:]...)
	b = append(b, byte(o.Choice))
	b = append(b, o.Opinion[:]...)
	b = append(b, o.Receipts[:]...)
	b = append(b, o.Salt[:]...)
	return sha256.Sum256(b)
}

// ReceiptsRoot hashes the receipts in ascending byte order, each once; the order given does not matter and is left as it is.
func ReceiptsRoot(receipts []Hash) Hash {
	sorted := slices.Clone(receipts)
	slices.SortFunc(sorted, func(a, b Hash) int { return bytes.Compare(a[:], b[:]) })
	sorted = slices.Compact(sorted)
	b := make([]byte, 0, len(tagReceipts)+32*len(sorted))
	b = append(b, tagReceipts...)
	for _, r := range sorted {
		b = append(b, r[:]...)
	}
	return sha256.Sum256(b)
}

// SaltInfo is the HKDF info from which a node derives the salt of a round with the seed of its node key as the secret and
// an empty HKDF salt (protocol section 3). A node that lost its disk derives it again.
func (d Domain) SaltInfo(task Key, round uint8) []byte {
	b := append([]byte(tagSalt), d.Network[:]...)
	b = append(b, d.Program[:]...)
	b = append(b, task[:]...)
	return append(b, round)
}
