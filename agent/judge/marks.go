package judge

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	mathrand "math/rand/v2"
	"strings"
)

// Marks draw the names of the marks of one evaluation, one a call: 12 letters and digits. What was written before they were drawn cannot close
// them.
type Marks func() string

const markLength = 12

// Drawn are marks at random.
func Drawn(Brief) Marks {
	return func() string { return strings.ToLower(rand.Text()[:markLength]) }
}

// Seeded are marks that follow from a secret and from the case, the round and the seat: the same evaluation asks its model the same again, so that
// recorded answers can be replayed (package model, Tape). Who knows the secret can forge marks.
func Seeded(secret [32]byte) func(Brief) Marks {
	return func(b Brief) Marks {
		of := append(append(secret[:], b.Case[:]...), b.Judge[:]...)
		source := mathrand.NewChaCha8(sha256.Sum256(append(of, b.Round)))
		return func() string {
			word := binary.BigEndian.AppendUint64(nil, source.Uint64())
			return strings.ToLower(base32.StdEncoding.EncodeToString(word)[:markLength])
		}
	}
}
