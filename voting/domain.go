package voting

import (
	"bytes"
	"crypto/sha256"
	"slices"
)

// Tags keep the preimages of different things apart (protocol section 3). They are ASCII without
// length or terminator.
const (
	tagCommit   = "oju:commit:v1"
	tagSalt     = "oju:salt:v1"
	tagReceipts = "oju:receipts:v1"
	tagSealed   = "oju:sealed:v1"
	tagNonce    = "oju:nonce:v1"
	tagVote     = "oju:vote:v1"
	tagJoin     = "oju:join:v1"
	tagRelay    = "oju:relay:v1"
)

// Sizes in bytes of the texts that nodes sign (protocol section 3).
const (
	StatementSize    = 172
	joinProofSize    = 107
	RelayRequestSize = 205
)

// Domain separates the signatures and commitments of one program on one cluster from those of every
// other.
type Domain struct {
	Network Hash // genesis hash of the cluster
	Program Key  // address of the oju program
}

// Statement returns the bytes that a node key signs to say "this is my commitment" (protocol
// section 3). Two signed statements for one network, program, task, round and judge with different
// commitments are equivocation.
func (d Domain) Statement(task Key, round uint8, judge Key, commitment Hash) []byte {
	b := make([]byte, 0, StatementSize)
	b = append(b, tagVote...)
	b = append(b, d.Network[:]...)
	b = append(b, d.Program[:]...)
	b = append(b, task[:]...)
	b = append(b, round)
	b = append(b, judge[:]...)
	return append(b, commitment[:]...)
}

// RelayRequest returns the bytes that a node key signs to have its commitment, with just this
// sealed opening, brought to the chain by anyone (protocol section 3, ADR 0019). A statement, which
// every judge shows, is no such request: no node can commit for a judge that does not ask for it,
// or leave out what the judge needs after losing its disk.
func (d Domain) RelayRequest(task Key, round uint8, judge Key, commitment Hash, sealed []byte) []byte {
	digest := sha256.Sum256(sealed)
	b := make([]byte, 0, RelayRequestSize)
	b = append(b, tagRelay...)
	b = append(b, d.Network[:]...)
	b = append(b, d.Program[:]...)
	b = append(b, task[:]...)
	b = append(b, round)
	b = append(b, judge[:]...)
	b = append(b, commitment[:]...)
	return append(b, digest[:]...)
}

// JoinProof returns the bytes that a node key signs to join the Roster under an authority (protocol
// section 3).
func (d Domain) JoinProof(authority Key) []byte {
	b := make([]byte, 0, joinProofSize)
	b = append(b, tagJoin...)
	b = append(b, d.Network[:]...)
	b = append(b, d.Program[:]...)
	return append(b, authority[:]...)
}

// Opening opens a commitment: it has the choice and the hashes of its reasons (protocol section 3).
type Opening struct {
	Choice   Choice
	Opinion  Hash // of the opinion document
	Receipts Hash // root of the receipts, see ReceiptsRoot
	Salt     Hash // derived by the node from its key, see SaltInfo
}

// Commitment hashes o for one seat. It binds program, task, round and judge, so that a judge cannot
// reveal a commitment that it copied from another seat.
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

// ReceiptsRoot hashes the receipts in ascending byte order, each once; the order given does not
// matter and is left as it is.
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

// SaltInfo is the HKDF info from which a node derives the salt of a round with the seed of its node
// key as the secret and an empty HKDF salt (protocol section 3). A node that lost its disk derives
// it again.
func (d Domain) SaltInfo(task Key, round uint8) []byte {
	b := append([]byte(tagSalt), d.Network[:]...)
	b = append(b, d.Program[:]...)
	b = append(b, task[:]...)
	return append(b, round)
}
