package floor

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"sync"
	"testing"
	"time"
)

// Tally waits for the votes of a round at all judges.
type Tally struct {
	t      testing.TB
	wg     sync.WaitGroup
	faults chan error
}

// NewTally counts for a benchmark.
func NewTally(t testing.TB) *Tally { return &Tally{t: t, faults: make(chan error, 1)} }

// Expect begins a round of n judges.
func (c *Tally) Expect(n int) { c.ExpectAll(n, n-1) }

// ExpectAll begins a round of so many votes, each for so many judges.
func (c *Tally) ExpectAll(votes, judges int) { c.wg.Add(votes * judges) }

// Add counts a vote that came to a judge, after it verified it.
func (c *Tally) Add(vote []byte) {
	if !verified(vote) {
		c.Fail(fmt.Errorf("floor: a vote of %d bytes does not verify", len(vote)))
		return
	}
	c.Count()
}

// Count counts a vote that was verified elsewhere.
func (c *Tally) Count() { c.wg.Done() }

// Fail ends the round with an error. The first one counts.
func (c *Tally) Fail(err error) {
	select {
	case c.faults <- err:
	default:
	}
}

// Wait returns when every judge has every vote. The benchmark fails after an error, or after a
// minute.
func (c *Tally) Wait() {
	c.t.Helper()
	done := make(chan struct{})
	go func() {
		c.wg.Wait()
		close(done)
	}()
	select {
	case <-done:
	case err := <-c.faults:
		c.t.Fatal(err)
	case <-time.After(patience):
		c.t.Fatalf("floor: not every vote came within %s", patience)
	}
}

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
