package verifier

import (
	"crypto/sha512"
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"testing"

	"filippo.io/edwards25519"

	"ojud/test/longtest"
	"ojud/voting/strict"
)

// cofactored is the equation that batches check: it takes what differs by a point of small order.
func cofactored(key [32]byte, message []byte, sig [64]byte) bool {
	a, errA := new(edwards25519.Point).SetBytes(key[:])
	r, errR := new(edwards25519.Point).SetBytes(sig[:32])
	s, errS := edwards25519.NewScalar().SetCanonicalBytes(sig[32:])
	if errA != nil || errR != nil || errS != nil {
		return false
	}
	d := new(edwards25519.Point).VarTimeDoubleScalarBaseMult(challenge(sig[:32], key[:], message), a.Negate(a), s)
	return d.Subtract(d, r).MultByCofactor(d).Equal(edwards25519.NewIdentityPoint()) == 1
}

func challenge(r, key, message []byte) *edwards25519.Scalar {
	h := sha512.New()
	h.Write(r)
	h.Write(key)
	h.Write(message)
	k, err := edwards25519.NewScalar().SetUniformBytes(h.Sum(nil))
	if err != nil {
		panic(err)
	}
	return k
}

// agree compares all that verify here with the definition and returns its answer.
func agree(t *testing.T, keys *Verifier, key [32]byte, message []byte, sig [64]byte) bool {
	t.Helper()
	want := strict.Verify(key, message, sig)
	if got := Verify(key, message, sig); got != want {
		t.Errorf("Verify %t, strict.Verify %t: key %x, message %x, signature %x", got, want, key, message, sig)
	}
	for range 2 { // the second time, it may be remembered
		if got := keys.Verify(key, message, sig); got != want {
			t.Errorf("Verifier.Verify %t, strict.Verify %t: key %x, message %x, signature %x", got, want, key, message, sig)
		}
	}
	if table := multiples(key); table != nil && !strict.SmallOrder(key) {
		if got := verifyBy(table, key, message, sig); got != want {
			t.Errorf("verifyBy %t, strict.Verify %t: key %x, message %x, signature %x", got, want, key, message, sig)
		}
	}
	return want
}

// eager makes tables after the first good signature.
func eager() *Verifier {
	k := New()
	k.after = 1
	return k
}

// torsion returns the eight points of small order.
func torsion(t testing.TB) (all []*edwards25519.Point) {
	const ofOrder8 = "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"
	b, err := hex.DecodeString(ofOrder8)
	if err != nil {
		t.Fatal(err)
	}
	generator, err := new(edwards25519.Point).SetBytes(b)
	if err != nil {
		t.Fatal(err)
	}
	p := edwards25519.NewIdentityPoint()
	for range 8 {
		all = append(all, new(edwards25519.Point).Set(p))
		p.Add(p, generator)
	}
	return all
}

// author signs with what an attacker may choose: points of small order in the key and the nonce
// point.
type author struct {
	a, r *edwards25519.Scalar
}

func newAuthor(source *rand.ChaCha8) author {
	var wide [64]byte
	draw := func() *edwards25519.Scalar {
		_, _ = source.Read(wide[:]) // it returns no error, says its documentation
		s, err := edwards25519.NewScalar().SetUniformBytes(wide[:])
		if err != nil {
			panic(err)
		}
		return s
	}
	return author{draw(), draw()}
}

func (o author) sign(message []byte, inKey, inNonce *edwards25519.Point) (key [32]byte, sig [64]byte) {
	point := func(s *edwards25519.Scalar, more *edwards25519.Point) []byte {
		p := new(edwards25519.Point).ScalarBaseMult(s)
		return p.Add(p, more).Bytes()
	}
	key = [32]byte(point(o.a, inKey))
	copy(sig[:32], point(o.r, inNonce))
	k := challenge(sig[:32], key[:], message)
	copy(sig[32:], edwards25519.NewScalar().MultiplyAdd(k, o.a, o.r).Bytes())
	return key, sig
}

// Keys and nonce points with each of the eight points of small order in them: the strict equation
// takes some of them, the equation of a batch takes all.
func TestTorsion(t *testing.T) {
	source := rand.NewChaCha8([32]byte{1})
	small := torsion(t)
	taken, byBatch, all := 0, 0, 0
	keys := eager()
	for range 4 {
		o := newAuthor(source)
		for i, inKey := range small {
			for j, inNonce := range small {
				for n := range byte(4) {
					key, sig := o.sign([]byte{n}, inKey, inNonce)
					all++
					if agree(t, keys, key, []byte{n}, sig) {
						taken++
						if i == 0 && j != 0 {
							t.Error("a nonce point with torsion is taken, of a key without")
						}
					}
					if cofactored(key, []byte{n}, sig) {
						byBatch++
					}
				}
			}
		}
	}
	if byBatch != all || taken >= all/4 || taken <= all/64 {
		t.Errorf("of %d signatures, the strict equation takes %d and the cofactored one %d", all, taken, byBatch)
	}
}

// Points of small order as keys and nonce points, in each encoding, with signatures whose equation
// holds: S = 0 or the nonce. And S that is not canonical.
func TestEdges(t *testing.T) {
	longtest.Only(t)
	source := rand.NewChaCha8([32]byte{2})
	keys := eager()
	var encodings [][32]byte
	for _, p := range torsion(t) {
		b := [32]byte(p.Bytes())
		encodings = append(encodings, b)
		b[31] ^= 0x80
		encodings = append(encodings, b)
	}
	for i := range byte(19) { // every y coordinate with a second encoding, y + p; not all are points
		b := [32]byte{0xed + i}
		for j := 1; j < 31; j++ {
			b[j] = 0xff
		}
		b[31] = 0x7f
		encodings = append(encodings, b)
		b[31] = 0xff
		encodings = append(encodings, b)
	}
	order := [32]byte{0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14, 31: 0x10}
	o := newAuthor(source)
	for n := range byte(8) {
		message := []byte{n}
		key, sig := o.sign(message, edwards25519.NewIdentityPoint(), edwards25519.NewIdentityPoint())
		if !agree(t, keys, key, message, sig) {
			t.Fatal("a good signature is refused")
		}
		for _, a := range encodings {
			forged := sig
			agree(t, keys, a, message, forged)
			for _, r := range encodings {
				agree(t, keys, a, message, [64]byte(append(r[:], make([]byte, 32)...)))
			}
			copy(forged[:32], a[:])
			agree(t, keys, key, message, forged)
		}
		for times := byte(1); times < 16; times++ { // S + times × the order, as far as it fits
			wide, carry := sig, uint16(0)
			for i := range 32 {
				carry += uint16(sig[32+i]) + uint16(order[i])*uint16(times)
				wide[32+i], carry = byte(carry), carry>>8
			}
			if agree(t, keys, key, message, wide) {
				t.Errorf("S + %d × the order is taken", times)
			}
		}
		for _, top := range []byte{0x20, 0x40, 0x80, 0xe0, 0xff} {
			wide := sig
			wide[63] |= top
			agree(t, keys, key, message, wide)
		}
	}
}

// Keys with a y coordinate of two encodings that are not of small order are taken in both, as the
// standard library takes them: the hash covers the bytes.
func TestSecondEncoding(t *testing.T) {
	found := 0
	for i := range byte(19) {
		b := [32]byte{i}
		if strict.SmallOrder(b) {
			continue
		}
		p, err := new(edwards25519.Point).SetBytes(b[:])
		if err != nil {
			continue
		}
		found++
		second := [32]byte{0xed + i, 31: 0x7f}
		for j := 1; j < 31; j++ {
			second[j] = 0xff
		}
		q, err := new(edwards25519.Point).SetBytes(second[:])
		if err != nil || p.Equal(q) != 1 {
			t.Fatalf("%x is no second encoding of %x", second, b)
		}
		// Nobody knows the discrete logarithm of these, so the equation is only ever false: what is
		// compared is that nothing refuses or takes one of them by its form alone.
		keys := eager()
		for n := range byte(16) {
			sig := [64]byte{n}
			copy(sig[32:], []byte{n, n})
			agree(t, keys, second, []byte{n}, sig)
			agree(t, keys, b, []byte{n}, sig)
		}
	}
	if found == 0 {
		t.Error("no y coordinate below 19 is a point")
	}
}

// A good signature with one bit changed, anywhere, is refused by all.
func TestMutations(t *testing.T) {
	source := rand.NewChaCha8([32]byte{3})
	keys := eager()
	zero := edwards25519.NewIdentityPoint()
	for range 4 {
		o := newAuthor(source)
		message := []byte("a message of a judge")
		key, sig := o.sign(message, zero, zero)
		if !agree(t, keys, key, message, sig) {
			t.Fatal("a good signature is refused")
		}
		for bit := range (32 + 64 + len(message)) * 8 {
			k, m, s := key, append([]byte(nil), message...), sig
			all := [][]byte{k[:], s[:], m}
			at := bit / 8
			for _, part := range all {
				if at < len(part) {
					part[at] ^= 1 << (bit % 8)
					break
				}
				at -= len(part)
			}
			if agree(t, keys, k, m, s) {
				t.Errorf("bit %d may be changed", bit)
			}
		}
	}
}

func FuzzVerify(f *testing.F) {
	small := torsion(f)
	f.Add(uint64(1), []byte("message"), uint8(0), uint8(0), uint16(0), uint8(0))
	f.Add(uint64(2), []byte("message"), uint8(3), uint8(5), uint16(0), uint8(0))
	f.Add(uint64(3), []byte(""), uint8(4), uint8(4), uint16(63), uint8(0x10))
	keys := eager()
	f.Fuzz(func(t *testing.T, seed uint64, message []byte, inKey, inNonce uint8, at uint16, change uint8) {
		var s [32]byte
		binary.LittleEndian.PutUint64(s[:], seed)
		key, sig := newAuthor(rand.NewChaCha8(s)).sign(message, small[inKey%8], small[inNonce%8])
		raw := append(key[:], sig[:]...)
		raw[int(at)%len(raw)] ^= change
		agree(t, keys, [32]byte(raw), message, [64]byte(raw[32:]))
	})
}

// Raw bytes, so that the fuzzer may put any encoding anywhere.
func FuzzVerifyRaw(f *testing.F) {
	key, sig := newAuthor(rand.NewChaCha8([32]byte{9})).sign([]byte("m"), edwards25519.NewIdentityPoint(), edwards25519.NewIdentityPoint())
	f.Add(append(append(key[:], sig[:]...), 'm'))
	keys := eager()
	f.Fuzz(func(t *testing.T, raw []byte) {
		if len(raw) >= 96 {
			agree(t, keys, [32]byte(raw), raw[96:], [64]byte(raw[32:]))
		}
	})
}
