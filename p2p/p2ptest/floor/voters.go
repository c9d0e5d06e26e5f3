package floor

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/binary"
	"testing"
)

// MinVote is the size in bytes of the smallest vote: its signer, the number of the round, the
// signature.
const MinVote = ed25519.PublicKeySize + 4 + ed25519.SignatureSize

// Voters sign votes: a vote is its signer, the round, filler and a signature.
type Voters struct {
	keys  []ed25519.PrivateKey
	size  int
	round uint32
}

// NewVoters makes n judges with keys. Their votes have that size in bytes, at least MinVote.
func NewVoters(t testing.TB, n, size int) *Voters {
	t.Helper()
	if size < MinVote {
		t.Fatalf("floor: a vote of %d bytes, it takes at least %d", size, MinVote)
	}
	v := &Voters{size: size}
	for range n {
		_, private, err := ed25519.GenerateKey(rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		v.keys = append(v.keys, private)
	}
	return v
}

// Votes returns the votes of the next round, one of each judge.
func (v *Voters) Votes() [][]byte {
	v.round++
	out := make([][]byte, len(v.keys))
	for i, private := range v.keys {
		vote := make([]byte, v.size-ed25519.SignatureSize)
		n := copy(vote, private.Public().(ed25519.PublicKey))
		binary.LittleEndian.PutUint32(vote[n:], v.round)
		out[i] = append(vote, ed25519.Sign(private, vote)...)
	}
	return out
}
