package verifier

import (
	"crypto/ed25519"
	"encoding/binary"
	"sync"
	"testing"

	"ojud/voting/strict"
)

func privateKey(i uint64) ed25519.PrivateKey {
	seed := make([]byte, 32)
	binary.LittleEndian.PutUint64(seed, i)
	return ed25519.NewKeyFromSeed(seed)
}

func signature(k ed25519.PrivateKey, message []byte) ([32]byte, []byte, [64]byte) {
	return [32]byte(k[32:]), message, [64]byte(ed25519.Sign(k, message))
}

// A signature that comes by many paths at once, and again later, is verified once.
func TestOnce(t *testing.T) {
	k := New()
	key, message, sig := signature(privateKey(1), []byte("vote"))
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			if !k.Verify(key, message, sig) {
				t.Error("refused")
			}
		})
	}
	group.Wait()
	k.Verify(key, message, sig)
	if _, n, _ := k.Counts(); n != 1 {
		t.Errorf("verified %d times", n)
	}
	for range 2 {
		if k.Verify(key, []byte("vote2"), sig) {
			t.Error("taken for another message")
		}
	}
	if asked, n, good := k.Counts(); asked != 19 || n != 3 || good != 1 {
		t.Errorf("asked %d times, verified %d, and remembered %d; want 19, 3, 1: only good ones are remembered", asked, n, good)
	}
	if len(k.running) != 0 {
		t.Errorf("%d signatures are still running", len(k.running))
	}
}

// What is remembered has an end, and bad signatures push nothing out.
func TestBounds(t *testing.T) {
	k := eager()
	first, message, sig := signature(privateKey(0), []byte("first"))
	k.Verify(first, message, sig)
	for i := range uint64(300) {
		bad := [64]byte{byte(i), byte(i >> 8)}
		k.Verify([32]byte{byte(i), byte(i >> 8)}, nil, bad)
	}
	if !k.Verify(first, message, sig) || k.verified != 301 {
		t.Errorf("%d verifications; bad signatures made it forget a good one", k.verified)
	}
	for i := range uint64(2*maxKeys + 10) {
		k.Verify(signature(privateKey(i), []byte("m")))
	}
	if n := len(k.keys.young) + len(k.keys.old); n > 2*maxKeys || n < maxKeys {
		t.Errorf("%d keys are remembered", n)
	}
	one := privateKey(1)
	for i := range uint64(2*maxSignatures + 10) {
		k.Verify(signature(one, binary.LittleEndian.AppendUint64(nil, i)))
	}
	if n := len(k.good.young) + len(k.good.old); n > 2*maxSignatures || n < maxSignatures {
		t.Errorf("%d signatures are remembered", n)
	}
}

// A key gets its table from good signatures alone, and only when it has enough.
func TestTable(t *testing.T) {
	k := New()
	k.after = 3
	one := privateKey(1)
	key := [32]byte(one[32:])
	for range 10 {
		k.Verify(key, []byte("m"), [64]byte{})
	}
	if s, _ := k.keys.find(key); s != nil {
		t.Error("a key without a good signature is remembered")
	}
	for i := range byte(3) {
		if s, _ := k.keys.find(key); s != nil && s.table != nil {
			t.Errorf("a table after %d signatures", i)
		}
		k.Verify(signature(one, []byte{i}))
	}
	if s, _ := k.keys.find(key); s == nil || s.table == nil {
		t.Error("no table after 3 signatures")
	}
}

func BenchmarkVerify(b *testing.B) {
	const n = 28
	var keys [n]ed25519.PrivateKey
	var sigs [n][64]byte
	message := make([]byte, 400)
	k := New()
	var tables [n]func() bool
	for i := range n {
		keys[i] = privateKey(uint64(i))
		key, _, sig := signature(keys[i], message)
		sigs[i] = sig
		table := multiples(key)
		tables[i] = func() bool { return verifyBy(table, key, message, sig) }
	}
	for _, way := range []struct {
		name   string
		verify func(i int) bool
	}{
		{"definition", func(i int) bool { return strict.Verify([32]byte(keys[i][32:]), message, sigs[i]) }},
		{"plain", func(i int) bool { return Verify([32]byte(keys[i][32:]), message, sigs[i]) }},
		{"table", func(i int) bool { return tables[i]() }},
		{"known", func(i int) bool { return k.Verify([32]byte(keys[i][32:]), message, sigs[i]) }},
		{"make", func(i int) bool { return multiples([32]byte(keys[i][32:])) != nil }},
	} {
		b.Run(way.name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if !way.verify(i % n) {
					b.Fatal("refused")
				}
			}
		})
	}
}
