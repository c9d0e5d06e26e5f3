package voting

import "crypto/sha256"

// Tags keep the preimages of different things apart (protocol section 3). They are ASCII without length or terminator.
const (
	tagCommit   = "oju:commit:v1"
	tagSalt     = "oju:salt:v1"
	tagReceipts = "oju:receipts:v1"
	tagSealed   = "oju:sealed:v1"
	tagNonce    = "oju:nonce:v1"
	tagVote     = "oju:vote:v1"
	tagJoin     = "oju:join:v1"
	tagCrank    = "oju:crank:v1"
	tagRelay    = "oju:relay:v1"
)

// Sizes in bytes of what nodes sign (protocol section 3).
const (
	StatementSize    = 172
	JoinProofSize    = 107
	RelayRequestSize = 205
)

// Domain separates the signatures and commitments of one program on one cluster from those of every other.
type Domain struct {
	Network Hash // genesis hash of the cluster
	Program Key  // address of the oju program
}

// Statement returns the bytes that a node key signs to say "this is my commitment" (protocol section 3). Two signed
// statements for one network, program, task, round and judge with different commitments are equivocation.
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

// RelayRequest returns the bytes that a node key signs to have its commitment, with just this sealed opening, brought to the chain
// by anyone (protocol section 3, ADR 0019). A statement, which every judge shows, is no such request: nobody can commit for a judge
// that does not ask for it, or leave out what the judge needs after losing its disk.
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

// JoinProof returns the bytes that a node key signs to join the Roster under an authority (protocol section 3).
func (d Domain) JoinProof(authority Key) []byte {
	b := make([]byte, 0, JoinProofSize)
	b = append(b, tagJoin...)
	b = append(b, d.Network[:]...)
	b = append(b, d.Program[:]...)
	return append(b, authority[:]...)
}
