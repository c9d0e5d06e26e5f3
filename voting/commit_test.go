package voting

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"testing"
)

func fill(x byte) (b [32]byte) {
	for i := range b {
		b[i] = x
	}
	return b
}

var testDomain = Domain{Network: fill(1), Program: fill(2)}

// The expected values were made with Python's hashlib from the sentences of protocol sections 3 and
// 6: n = bytes([1])*32 and so on, sha256(b"oju:commit:v1" + program + task + …).
func TestPreimages(t *testing.T) {
	task, judge := Key(fill(3)), Key(fill(4))
	opening := Opening{Choice: Accept, Opinion: fill(5), Receipts: fill(6), Salt: fill(7)}
	nonce := SealedNonce(fill(12), []byte("plain"))
	sum := func(b []byte) string { h := sha256.Sum256(b); return hex.EncodeToString(h[:]) }
	for _, c := range []struct{ name, got, want string }{
		{"commitment", testDomain.Commitment(task, 2, judge, opening).String(), "b8d040ba98b45721bf84099a8cdf8d37fad8fd7cd6ac6a5c1c9a00b651091941"},
		{"statement", sum(testDomain.Statement(task, 2, judge, fill(10))), "e6ba2f9f0a1e223fb81e3753ca567deac4b962f519de6c099e67e059b109973e"},
		{"join proof", sum(testDomain.JoinProof(judge)), "041a075d5554c653f4184eda7c43c8ceb0e567a0db22fa22f0022518a93253ae"},
		{"no receipts", ReceiptsRoot(nil).String(), "543ae06ec5563dcb6f6217fb1f6341f9a8af74981e8ef6835a5277c0c312ab15"},
		{"receipts", ReceiptsRoot([]Hash{fill(9), fill(8)}).String(), "9ce482816e02727b0d2766b7bd7b527597a06341a6ee990ca040cea435f8eba3"},
		{"nonce", hex.EncodeToString(nonce[:]), "2a99491631241300d8e3b9b9"},
		{"salt info", hex.EncodeToString(testDomain.SaltInfo(task, 2)), "6f6a753a73616c743a7631" + hexOf(1) + hexOf(2) + hexOf(3) + "02"},
		{"sealed info", sum(testDomain.SealedInfo(task, 2)), "a51a6ecb08bd2dc2d29fd2cbf3d84943b982f9f64463491bb23ae6766eb98cad"},
		{"sealed aad", hex.EncodeToString(SealedAAD(task, 2)), hexOf(3) + "02"},
	} {
		if c.got != c.want {
			t.Errorf("%s is %s, want %s", c.name, c.got, c.want)
		}
	}
}

func hexOf(x byte) string { b := fill(x); return hex.EncodeToString(b[:]) }

func TestSizes(t *testing.T) {
	if n := len(testDomain.Statement(Key{}, 1, Key{}, Hash{})); n != StatementSize {
		t.Errorf("statement has %d bytes", n)
	}
	if n := len(testDomain.JoinProof(Key{})); n != joinProofSize {
		t.Errorf("join proof has %d bytes", n)
	}
	if n := len(Opening{}.Plain()); n != plainSize {
		t.Errorf("plain opening has %d bytes", n)
	}
	if SealedSize != 93 || NonceSize != 12 {
		t.Errorf("sealed %d, nonce %d", SealedSize, NonceSize)
	}
}

// Every field must be bound: changing any one changes the commitment.
func TestCommitmentBindsEverything(t *testing.T) {
	d, task, round, judge := testDomain, Key(fill(3)), uint8(1), Key(fill(4))
	o := Opening{Choice: Accept, Opinion: fill(5), Receipts: fill(6), Salt: fill(7)}
	seen := map[Hash]string{d.Commitment(task, round, judge, o): "itself"}
	other := d
	other.Program[0]++
	for name, h := range map[string]Hash{
		"program":  other.Commitment(task, round, judge, o),
		"task":     d.Commitment(fill(9), round, judge, o),
		"round":    d.Commitment(task, 2, judge, o),
		"judge":    d.Commitment(task, round, fill(9), o),
		"choice":   d.Commitment(task, round, judge, Opening{Reject, o.Opinion, o.Receipts, o.Salt}),
		"opinion":  d.Commitment(task, round, judge, Opening{o.Choice, fill(9), o.Receipts, o.Salt}),
		"receipts": d.Commitment(task, round, judge, Opening{o.Choice, o.Opinion, fill(9), o.Salt}),
		"salt":     d.Commitment(task, round, judge, Opening{o.Choice, o.Opinion, o.Receipts, fill(9)}),
	} {
		if twin, ok := seen[h]; ok {
			t.Errorf("changing the %s gives the commitment of %s", name, twin)
		}
		seen[h] = name
	}
}

func TestReceiptsRootLeavesTheOrder(t *testing.T) {
	receipts := []Hash{fill(9), fill(8), fill(8)}
	ReceiptsRoot(receipts)
	if receipts[0] != fill(9) {
		t.Error("the caller's receipts were sorted")
	}
	if ReceiptsRoot(receipts) != ReceiptsRoot(receipts[:2]) {
		t.Error("a receipt given twice counts twice")
	}
}

func TestPlainRoundTrip(t *testing.T) {
	for c := Accept; c <= Abstain; c++ {
		o := Opening{Choice: c, Opinion: fill(5), Receipts: fill(6), Salt: fill(7)}
		got, err := ParsePlain(o.Plain(), o.Salt)
		if err != nil || got != o {
			t.Errorf("%v: %v, %v", o, got, err)
		}
	}
	for _, bad := range [][]byte{nil, make([]byte, 64), make([]byte, 66), make([]byte, 65), append([]byte{4}, make([]byte, 64)...)} {
		if _, err := ParsePlain(bad, Hash{}); err == nil {
			t.Errorf("%d bytes with choice %v taken", len(bad), bytes.TrimRight(bad, "\x00"))
		}
	}
}
