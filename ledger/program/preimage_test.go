package program

import (
	"bytes"
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/crypto/chacha20poly1305"

	"ojud/voting"
	"ojud/voting/rules"
)

// preimage has the bytes that are hashed, derived from or signed, and the result.
type preimage struct {
	What      string `json:"what"`
	Round     uint8  `json:"round,omitempty"`
	Choice    uint8  `json:"choice,omitempty"`
	Preimage  string `json:"preimage"`
	Result    string `json:"result"`
	Secret    string `json:"secret,omitempty"`    // seed of the key that signed or derived
	Signature string `json:"signature,omitempty"` // by the node key; of a voucher by the payer's Solana key

	Sealed string `json:"sealed,omitempty"` // of a relay request

	Cumulative uint64 `json:"cumulative,omitempty,string"`
	Expires    int64  `json:"expires,omitempty,string"`
}

func join(parts ...any) []byte {
	var b []byte
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			b = append(b, p...)
		case []byte:
			b = append(b, p...)
		case voting.Hash:
			b = append(b, p[:]...)
		case voting.Key:
			b = append(b, p[:]...)
		case byte:
			b = append(b, p)
		case uint64:
			b = binary.LittleEndian.AppendUint64(b, p)
		}
	}
	return b
}

func hashed(what string, round, choice uint8, b []byte, want voting.Hash, t *testing.T) preimage {
	t.Helper()
	if got := sha256.Sum256(b); got != want {
		t.Errorf("%s: package voting has %x, the protocol's words give %x", what, want, got)
	}
	return preimage{What: what, Round: round, Choice: choice, Preimage: hex.EncodeToString(b), Result: want.String()}
}

func signed(what string, round uint8, b, want []byte, t *testing.T) preimage {
	t.Helper()
	if !bytes.Equal(b, want) {
		t.Errorf("%s: package voting has %x, the protocol's words give %x", what, want, b)
	}
	return preimage{What: what, Round: round, Preimage: hex.EncodeToString(b), Result: hex.EncodeToString(b),
		Secret: hex.EncodeToString(node("judge 0").Seed()), Signature: hex.EncodeToString(ed25519.Sign(node("judge 0"), b))}
}

// The words of protocol section 3, one after the other.
func TestPreimageVectors(t *testing.T) {
	d, task, judge := domain(), voting.Key(pub("task")), voting.Key(pub("judge 0"))
	n, p := d.Network, d.Program
	var all []preimage
	for round := uint8(1); round <= 3; round++ {
		o := sampleOpening()
		o.Choice = voting.Choice(round)
		all = append(all, hashed("commitment", round, uint8(o.Choice),
			join("oju:commit:v1", p, task, round, judge, byte(o.Choice), o.Opinion, o.Receipts, o.Salt), d.Commitment(task, round, judge, o), t))
		all = append(all, signed("statement", round, join("oju:vote:v1", n, p, task, round, judge, sum("commitment")),
			d.Statement(task, round, judge, sum("commitment")), t))
		all = append(all, relayRequest(t, d, task, judge, round, bytes.Repeat([]byte{round}, int(round-1)*voting.SealedSize/2)))
		lot := rules.Lot{Program: p, Task: task, Round: round, DrawnSlot: 0x0102030405060708, SlotHash: sum("slot")}
		all = append(all, hashed("draw seed", round, 0, join("oju:draw:v1", p, task, round, lot.DrawnSlot, lot.SlotHash), lot.Seed(), t))
		all = append(all, salt(t, d, task, round), sealed(t, d, task, round, o))
	}
	all = append(all, signed("join proof", 0, join("oju:join:v1", n, p, judge), d.JoinProof(judge), t))
	receipts := []voting.Hash{sum("r1"), sum("r2"), sum("r3")}
	slices.SortFunc(receipts, func(a, b voting.Hash) int { return bytes.Compare(a[:], b[:]) })
	all = append(all, hashed("receipts root of none", 0, 0, join("oju:receipts:v1"), voting.ReceiptsRoot(nil), t),
		hashed("receipts root of three", 0, 0, join("oju:receipts:v1", receipts[0], receipts[1], receipts[2]),
			voting.ReceiptsRoot([]voting.Hash{receipts[2], receipts[0], receipts[1]}), t),
		hashed("receipts root of three, one named twice", 0, 0, join("oju:receipts:v1", receipts[0], receipts[1], receipts[2]),
			voting.ReceiptsRoot([]voting.Hash{receipts[2], receipts[0], receipts[1], receipts[2]}), t))
	all = append(all, voucher(t, sampleVoucher()))
	golden(t, filepath.Join(vectorDir, "preimages.json"), map[string]any{
		"network": n.String(), "program": pub("program").String(), "task": pub("task").String(), "judge": pub("judge 0").String(), "list": all,
	})
}

func relayRequest(t *testing.T, d voting.Domain, task, judge voting.Key, round uint8, sealed []byte) preimage {
	t.Helper()
	sum := sum("commitment")
	digest := sha256.Sum256(sealed)
	b := join("oju:relay:v1", d.Network, d.Program, task, round, judge, sum, voting.Hash(digest))
	if len(b) != voting.RelayRequestSize {
		t.Errorf("relay request: %d bytes", len(b))
	}
	v := signed("relay request", round, b, d.RelayRequest(task, round, judge, sum, sealed), t)
	v.Sealed = hex.EncodeToString(sealed)
	return v
}

func salt(t *testing.T, d voting.Domain, task voting.Key, round uint8) preimage {
	t.Helper()
	seed, info := node("judge 0").Seed(), join("oju:salt:v1", d.Network, d.Program, task, round)
	if !bytes.Equal(info, d.SaltInfo(task, round)) {
		t.Error("salt: package voting has another info")
	}
	out, err := hkdf.Key(sha256.New, seed, nil, string(info), 32)
	if err != nil {
		t.Fatal(err)
	}
	return preimage{What: "salt", Round: round, Preimage: hex.EncodeToString(info), Result: hex.EncodeToString(out), Secret: hex.EncodeToString(seed)}
}

func sealed(t *testing.T, d voting.Domain, task voting.Key, round uint8, o voting.Opening) preimage {
	t.Helper()
	seed, info := node("judge 0").Seed(), join("oju:sealed:v1", d.Network, d.Program, task, round)
	if !bytes.Equal(info, d.SealedInfo(task, round)) {
		t.Error("sealed: package voting has another info")
	}
	key, err := hkdf.Key(sha256.New, seed, nil, string(info), 32)
	if err != nil {
		t.Fatal(err)
	}
	plain := join(byte(o.Choice), o.Opinion, o.Receipts)
	nonce := sha256.Sum256(join("oju:nonce:v1", key, plain))
	if want := voting.SealedNonce([32]byte(key), plain); !bytes.Equal(want[:], nonce[:12]) {
		t.Error("sealed: package voting has another nonce")
	}
	aead, err := chacha20poly1305.New(key)
	if err != nil {
		t.Fatal(err)
	}
	out := aead.Seal(nonce[:12:12], nonce[:12], plain, join(task, round))
	if len(out) != voting.SealedSize {
		t.Errorf("sealed: %d bytes", len(out))
	}
	return preimage{What: "sealed opening", Round: round, Choice: uint8(o.Choice), Preimage: hex.EncodeToString(plain),
		Result: hex.EncodeToString(out), Secret: hex.EncodeToString(seed)}
}

func voucher(t *testing.T, v Voucher) preimage {
	t.Helper()
	b := join("oju:pay:v1", v.Domain.Network, v.Domain.Program, voting.Key(v.Payer), voting.Key(v.Payee), v.Cumulative, uint64(v.Expires))
	if !bytes.Equal(b, v.Statement()) || len(b) != VoucherSize {
		t.Errorf("voucher: the code has %x, the protocol's words give %x", v.Statement(), b)
	}
	signature := voucherSignature(t, v)
	return preimage{What: "voucher", Preimage: hex.EncodeToString(b), Result: hex.EncodeToString(b), Secret: hex.EncodeToString(payerKey()[:32]),
		Signature: hex.EncodeToString(signature[:]), Cumulative: v.Cumulative, Expires: v.Expires}
}
