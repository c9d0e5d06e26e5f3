package onchain

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/gagliardetto/solana-go"
)

// TestKnown: the accounts that Solana defines are where its library says.
func TestKnown(t *testing.T) {
	for got, want := range map[Address]solana.PublicKey{
		SystemProgram(): solana.SystemProgramID, ClockAccount(): solana.SysVarClockPubkey, InstructionsAccount(): solana.SysVarInstructionsPubkey,
	} {
		if solana.PublicKey(got) != want || got.String() != want.String() {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestText: addresses, hashes and signatures are written as Solana's library does, in text and
// JSON, and read back.
func TestText(t *testing.T) {
	type all struct {
		A Address
		H Hash
		S Signature
	}
	type theirs struct {
		A solana.PublicKey
		H solana.Hash
		S solana.Signature
	}
	v := all{A: Address{1, 2, 31: 3}, H: Hash{0, 0, 7}, S: Signature{9, 63: 1}}
	got, err := json.Marshal(v)
	want, _ := json.Marshal(theirs{solana.PublicKey(v.A), solana.Hash(v.H), solana.Signature(v.S)})
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
	var back all
	if err := json.Unmarshal(got, &back); err != nil || back != v {
		t.Errorf("%+v, %v", back, err)
	}
	for _, bad := range []string{"", "1", "0OIl", v.S.String(), string(make([]byte, 1000))} {
		if a, err := ParseAddress(bad); err == nil {
			t.Errorf("%q is the address %s", bad, a)
		}
	}
}

// FuzzText: any text is refused or read back the same.
func FuzzText(f *testing.F) {
	f.Add("11111111111111111111111111111111")
	f.Fuzz(func(t *testing.T, text string) {
		if a, err := ParseAddress(text); err == nil && a.String() != text {
			t.Errorf("%q is read as %s", text, a)
		}
		var h Hash
		if err := h.UnmarshalText([]byte(text)); err == nil && h.String() != text {
			t.Errorf("%q is read as %s", text, h)
		}
		if s, err := parseSignature(text); err == nil && s.String() != text {
			t.Errorf("%q is read as %s", text, s)
		}
	})
}
