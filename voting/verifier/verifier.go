// Package verifier verifies signatures exactly as package strict defines it, for every input, and
// faster (docs/adr/0209-keys-that-sign-often-have-tables.md).
package verifier

import (
	"crypto/sha256"
	"crypto/sha512"
	"sync"

	"github.com/oasisprotocol/curve25519-voi/curve"
	"github.com/oasisprotocol/curve25519-voi/curve/scalar"
	"github.com/oasisprotocol/curve25519-voi/primitives/ed25519"
	"golang.org/x/sys/cpu"

	"ojud/voting/strict"
)

// Verify is strict.Verify: no factor 8 in the equation, a canonical scalar, the nonce point
// compared by its bytes, no points of small order, and keys whose y coordinate is not canonical are
// taken.
func Verify(key [32]byte, message []byte, sig [64]byte) bool {
	if strict.SmallOrder(key) || strict.SmallOrder([32]byte(sig[:32])) {
		return false
	}
	return ed25519.VerifyWithOptions(key[:], message, sig[:], &ed25519.Options{Verify: &ed25519.VerifyOptions{
		AllowSmallOrderA: true, AllowSmallOrderR: true, // they are refused above, without a multiplication
		AllowNonCanonicalA: true, CofactorlessVerify: true,
	}})
}

// Bounds of a Verifier.
const (
	maxKeys       = 64   // keys in a generation, of two; a table of multiples has 40 KiB
	maxSignatures = 2048 // good signatures in a generation; 32 bytes each
)

// After how many good signatures a key gets a table. Making one costs what it saves in 5 signatures
// with AVX2, where it takes 70 µs, and in 50 without, where it takes 2 ms (go test
// ./voting/verifier -run '^$' -bench .). So keys that do not sign again cost a third more at most.
const (
	tableAfter     = 8
	tableAfterSlow = 100
)

// Verifier verifies as Verify does, with the same result for every input, and remembers: which
// signatures were good, so that one that comes by several paths is verified once; and multiples of
// keys that sign often, which halve the work. What it remembers is bounded. It may be used by
// several goroutines at once.
type Verifier struct {
	after int // good signatures of a key before it gets a table

	mu       sync.Mutex
	good     recent[[32]byte, struct{}] // by the hash of key, signature and message
	running  map[[32]byte]*check        // signatures that are verified now
	keys     recent[[32]byte, *signer]
	asked    int
	verified int
}

// check is a signature that one goroutine verifies and others may wait for.
type check struct {
	once sync.Once
	good bool
}

// signer is a key of which good signatures were seen.
type signer struct {
	good  int
	table *curve.EdwardsBasepointTable // of multiples of the negated key; nil at first
}

// New returns a Verifier that remembers nothing yet.
func New() *Verifier {
	after := tableAfterSlow
	if cpu.X86.HasAVX2 {
		after = tableAfter
	}
	return &Verifier{
		after: after, running: map[[32]byte]*check{},
		good: recent[[32]byte, struct{}]{room: maxSignatures}, keys: recent[[32]byte, *signer]{room: maxKeys},
	}
}

// Verify is the function Verify.
func (v *Verifier) Verify(key [32]byte, message []byte, sig [64]byte) bool {
	h := sha256.New()
	h.Write(key[:])
	h.Write(sig[:])
	h.Write(message)
	id := [32]byte(h.Sum(nil))
	v.mu.Lock()
	v.asked++
	if _, known := v.good.find(id); known {
		v.mu.Unlock()
		return true
	}
	c := v.running[id]
	if c == nil {
		c = &check{}
		v.running[id] = c
	}
	v.mu.Unlock()
	c.once.Do(func() {
		c.good = v.verify(key, message, sig)
		v.mu.Lock()
		defer v.mu.Unlock()
		delete(v.running, id)
		if c.good {
			v.good.add(id, struct{}{})
		}
	})
	return c.good
}

// Counts returns for how many signatures Verify was called, how many of them were verified, good or
// bad, and how many good ones are remembered.
func (v *Verifier) Counts() (asked, verified, remembered int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.asked, v.verified, len(v.good.young) + len(v.good.old)
}

func (v *Verifier) verify(key [32]byte, message []byte, sig [64]byte) bool {
	v.mu.Lock()
	v.verified++
	s, _ := v.keys.find(key)
	var table *curve.EdwardsBasepointTable
	if s != nil {
		table = s.table
	}
	v.mu.Unlock()
	if table != nil {
		return verifyBy(table, key, message, sig)
	}
	if !Verify(key, message, sig) {
		return false
	}
	v.signed(key)
	return true
}

// signed counts a good signature, and makes the table of a key that has enough. A key without a
// good signature costs nothing: anybody can make those.
func (v *Verifier) signed(key [32]byte) {
	v.mu.Lock()
	s, ok := v.keys.find(key)
	if !ok {
		s = &signer{}
		v.keys.add(key, s)
	}
	s.good++
	due := s.good == v.after
	v.mu.Unlock()
	if due {
		table := multiples(key)
		v.mu.Lock()
		s.table = table
		v.mu.Unlock()
	}
}

// multiples makes the table of a key that has signed; nil for bytes that are no point.
func multiples(key [32]byte) *curve.EdwardsBasepointTable {
	y := curve.CompressedEdwardsY(key)
	var a curve.EdwardsPoint
	if _, err := a.SetCompressedY(&y); err != nil {
		return nil
	}
	return curve.NewEdwardsBasepointTable(a.Neg(&a))
}

// verifyBy is Verify with the table of a key that is not of small order: the bytes of sB − kA are
// those of R, where k is the hash of R, A and the message.
func verifyBy(table *curve.EdwardsBasepointTable, key [32]byte, message []byte, sig [64]byte) bool {
	var s scalar.Scalar
	if _, err := s.SetCanonicalBytes(sig[32:]); err != nil || strict.SmallOrder([32]byte(sig[:32])) {
		return false
	}
	h := sha512.New()
	h.Write(sig[:32])
	h.Write(key[:])
	h.Write(message)
	var k scalar.Scalar
	if _, err := k.SetBytesModOrderWide(h.Sum(nil)); err != nil {
		return false
	}
	var sb, ka curve.EdwardsPoint
	sb.MulBasepoint(curve.ED25519_BASEPOINT_TABLE, &s)
	ka.MulBasepoint(table, &k)
	var r curve.CompressedEdwardsY
	r.SetEdwardsPoint(sb.Add(&sb, &ka))
	return r == curve.CompressedEdwardsY(sig[:32])
}

// recent remembers at least the last room values that were added or found, and at most twice as
// many.
type recent[K comparable, V any] struct {
	room       int
	young, old map[K]V
}

func (r *recent[K, V]) find(key K) (V, bool) {
	if v, ok := r.young[key]; ok {
		return v, true
	}
	v, ok := r.old[key]
	if ok {
		r.add(key, v)
	}
	return v, ok
}

func (r *recent[K, V]) add(key K, v V) {
	if r.young == nil || len(r.young) >= r.room {
		r.old, r.young = r.young, map[K]V{}
	}
	r.young[key] = v
}
