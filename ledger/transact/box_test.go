package transact

import (
	"bytes"
	"encoding/base64"
	"testing"

	"ojud/ledger/onchain"
)

// TestBox: only the key opens a box, whole and unchanged.
func TestBox(t *testing.T) {
	t.Parallel()
	mine, err := NewKeypair(bytes.NewReader(bytes.Repeat([]byte{1}, 32)))
	if err != nil {
		t.Fatal(err)
	}
	other, err := NewKeypair(bytes.NewReader(bytes.Repeat([]byte{2}, 32)))
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := SealBox(mine.Address(), []byte("secret"))
	if err != nil || len(sealed) != len("secret")+BoxOverhead {
		t.Fatal(len(sealed), err)
	}
	if got, err := mine.OpenBox(sealed); err != nil || string(got) != "secret" {
		t.Errorf("%q, %v", got, err)
	}
	for i := range sealed {
		changed := bytes.Clone(sealed)
		changed[i] ^= 0x80
		if _, err := mine.OpenBox(changed); err == nil {
			t.Errorf("byte %d was changed", i)
		}
	}
	if _, err := other.OpenBox(sealed); err == nil {
		t.Error("another key opened it")
	}
	if _, err := mine.OpenBox(sealed[:BoxOverhead-1]); err == nil {
		t.Error("a part of it was opened")
	}
	if _, err := Elsewhere(mine.Address(), nil).OpenBox(sealed); err == nil {
		t.Error("a wallet opened it")
	}
}

// TestBoxOfLibsodium opens a box that PyNaCl 1.6 made for the key of TestBox.
func TestBoxOfLibsodium(t *testing.T) {
	t.Parallel()
	mine, err := NewKeypair(bytes.NewReader(bytes.Repeat([]byte{1}, 32)))
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := base64.StdEncoding.DecodeString("RdRewu+Cd5/blNpspPI9xa41u21bmLL/VbayZjkhFF/pGomh42dFmI/QYa2NNhX83wbn5BztXhhXNKXoyJshm6w=")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := mine.OpenBox(sealed); err != nil || string(got) != "made by libsodium" {
		t.Errorf("%q, %v", got, err)
	}
}

// TestBoxForAnyone: for no key of a small group, and for no address without a key, a box is
// made, because anybody or nobody could open it.
func TestBoxForAnyone(t *testing.T) {
	t.Parallel()
	identity := onchain.Address{1}
	var two onchain.Address // of order 2: y = -1
	for i := range two {
		two[i] = 0xff
	}
	two[0], two[31] = 0xec, 0x7f
	for _, to := range []onchain.Address{{}, identity, two, {2}} {
		if _, err := SealBox(to, []byte("secret")); err == nil {
			t.Errorf("a box was made for %s", to)
		}
	}
}
