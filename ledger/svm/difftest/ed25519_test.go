package difftest_test

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"testing"

	"filippo.io/edwards25519"
	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/difftest"
)

var ed25519ID = solana.MustPublicKeyFromBase58("Ed25519SigVerify111111111111111111111111111")

// offsets is one entry of an Ed25519 instruction.
type offsets struct{ sig, sigIx, key, keyIx, message, size, messageIx uint16 }

func precompile(b []byte) solana.Instruction { return solana.NewInstruction(ed25519ID, nil, b) }

// ed25519Data puts keys, signatures and the message after the offsets.
func ed25519Data(message []byte, names ...string) []byte {
	out := []byte{byte(len(names)), 0}
	at := 2 + 14*len(names)
	var tail []byte
	for _, name := range names {
		key := difftest.Key(name)
		sig, err := key.Sign(message)
		if err != nil {
			panic(err) // the key is 64 bytes
		}
		start := uint16(at + len(tail))
		out = append(out, offsets{start + 32, 0xffff, start, 0xffff, start + 96, uint16(len(message)), 0xffff}.bytes()...)
		tail = append(append(append(tail, key.PublicKey().Bytes()...), sig[:]...), message...)
	}
	return append(out, tail...)
}

func (o offsets) bytes() []byte {
	return data(o.sig, o.sigIx, o.key, o.keyIx, o.message, o.size, o.messageIx)
}

// with returns a copy with other offsets in the first entry.
func with(b []byte, change func(*offsets)) []byte {
	o := offsets{2 + 14 + 32, 0xffff, 2 + 14, 0xffff, 2 + 14 + 96, uint16(len(b) - 112), 0xffff}
	change(&o)
	out := append([]byte(nil), b...)
	copy(out[2:], o.bytes())
	return out
}

// ed25519Cases covers the precompile, all on one chain.
func ed25519Cases(t *testing.T) []difftest.Case {
	good := ed25519Data([]byte("a message"), "signer")
	one := func(b []byte) []solana.Instruction { return []solana.Instruction{precompile(b)} }
	table := map[string][]solana.Instruction{
		"good":           one(good),
		"three":          one(ed25519Data([]byte("a message"), "signer", "second", "third")),
		"empty-message":  one(ed25519Data(nil, "signer")),
		"no-data":        one(nil),
		"one-byte":       one([]byte{0}),
		"none":           one([]byte{0, 0}),
		"none-padding":   one([]byte{0, 7}),
		"none-more":      one([]byte{0, 0, 0}),
		"count-too-high": one(append([]byte{9}, good[1:]...)),
		"count-lower":    one(append([]byte{0}, good[1:]...)),
		"padding":        one(append([]byte{1, 99}, good[2:]...)),
		"cut-offsets":    one(good[:15]),
		"cut":            one(good[:len(good)-1]),
		"longer":         one(append(append([]byte(nil), good...), 1, 2, 3)),
		"twice":          {precompile(good), precompile(good)},
		"after-failure":  {precompile(good[:20]), precompile(good)},
		"with-transfer": {system([]*solana.AccountMeta{meta(difftest.Address("payer"), "ws"), meta(difftest.Address("to"), "w")}, uint32(2), sol),
			precompile(good[:20])},
		"with-accounts": {solana.NewInstruction(ed25519ID, []*solana.AccountMeta{meta(difftest.Address("payer"), "ws")}, good)},
		"other-instruction": {precompile(with(good, func(o *offsets) { o.sigIx, o.keyIx, o.messageIx = 1, 1, 1 })),
			solana.NewInstruction(solana.ComputeBudget, nil, append(data(byte(2), uint32(900)), good[5:]...))},
		"own-index":       one(with(good, func(o *offsets) { o.sigIx, o.keyIx, o.messageIx = 0, 0, 0 })),
		"empty-at-end":    one(with(good, func(o *offsets) { o.message, o.size = uint16(len(good)), 0 })),
		"empty-past-end":  one(with(good, func(o *offsets) { o.message, o.size = uint16(len(good)+1), 0 })),
		"all-bad":         one(with(good, func(o *offsets) { *o = offsets{65535, 65535, 65535, 65535, 65535, 65535, 65535} })),
		"message-shorter": one(with(good, func(o *offsets) { o.size-- })),
	}
	for i := range 7 {
		for _, v := range []uint16{0, 1, 2, 3, 79, 0xfffe} {
			b := append([]byte(nil), good...)
			copy(b[2+2*i:], data(v))
			table[fmt.Sprintf("field-%d-%d", i, v)] = one(b)
		}
	}
	for name, b := range brokenSignatures(good) {
		table[name] = one(b)
	}
	rng := rand.New(rand.NewPCG(fixedSeed, 2))
	for i := range 150 {
		b := append([]byte(nil), good...)
		for range 1 + rng.IntN(2) {
			b[rng.IntN(len(b))] ^= byte(1 << rng.IntN(8))
		}
		table[fmt.Sprint("flipped-", i)] = one(b)
	}
	payer := difftest.Address("payer")
	c := difftest.Case{Name: "ed25519", Accounts: []accounts.Keyed{difftest.Wallet(payer, 1000*sol)}}
	for _, name := range sortedKeys(table) {
		c.Transactions = append(c.Transactions, build(t, accounts.DefaultEnvironment(), payer, table[name]...))
	}
	return []difftest.Case{c}
}

// brokenSignatures returns scalars and points that verify_strict refuses.
func brokenSignatures(good []byte) map[string][]byte {
	const keyAt, rAt, sAt = 16, 48, 80
	out := map[string][]byte{}
	change := func(name string, at int, b []byte) {
		c := append([]byte(nil), good...)
		copy(c[at:], b)
		out[name] = c
	}
	order, _ := hex.DecodeString("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010")
	s := append([]byte(nil), good[sAt:sAt+32]...)
	for carry, i := 0, 0; i < 32; i++ {
		carry += int(s[i]) + int(order[i])
		s[i], carry = byte(carry), carry>>8
	}
	change("scalar-plus-order", sAt, s)
	change("scalar-order", sAt, order)
	change("scalar-zero", sAt, make([]byte, 32))
	for i, point := range weakPoints() {
		change(fmt.Sprint("key-weak-", i), keyAt, point)
		change(fmt.Sprint("r-weak-", i), rAt, point)
		both := append([]byte(nil), good...)
		copy(both[keyAt:], point)
		copy(both[rAt:], point)
		copy(both[sAt:], make([]byte, 32))
		out[fmt.Sprint("both-weak-", i)] = both
	}
	for i, point := range mixedPoints(good[keyAt : keyAt+32]) {
		change(fmt.Sprint("key-mixed-", i), keyAt, point)
	}
	return out
}

// weakPoints returns encodings of points of small order, some of them not canonical, and of no
// point at all.
func weakPoints() [][]byte {
	var out [][]byte
	for _, s := range []string{
		"0100000000000000000000000000000000000000000000000000000000000000",
		"0100000000000000000000000000000000000000000000000000000000000080",
		"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
		"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
		"0000000000000000000000000000000000000000000000000000000000000000",
		"0000000000000000000000000000000000000000000000000000000000000080",
		"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
		"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
		"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
		"edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
		"eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
		"eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
		"f0ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
		"ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
		"0200000000000000000000000000000000000000000000000000000000000000",
	} {
		b, err := hex.DecodeString(s)
		if err != nil {
			panic(err) // a constant
		}
		out = append(out, b)
	}
	return out
}

// mixedPoints adds points of small order to a key.
func mixedPoints(key []byte) [][]byte {
	a, err := new(edwards25519.Point).SetBytes(key)
	if err != nil {
		panic(err) // a valid key
	}
	var out [][]byte
	for _, w := range weakPoints()[:9] {
		if p, err := new(edwards25519.Point).SetBytes(w); err == nil {
			out = append(out, new(edwards25519.Point).Add(a, p).Bytes())
		}
	}
	return out
}
