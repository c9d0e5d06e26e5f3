package node

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"ojud/ledger/transact"
)

func newKey(t *testing.T) *transact.Keypair {
	t.Helper()
	key, err := transact.NewKeypair(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// TestSigned: a network.json that was changed after it was signed is refused, whatever was changed.
// The same change of one that nobody signed is taken, so the signature is what finds it.
func TestSigned(t *testing.T) {
	t.Parallel()
	d := Descriptor{
		Format: DescriptorFormat, Name: "test", Network: strings.Repeat("ab", 32), Program: "ojucourt11111111111111111111111111111111111",
		RPC: "https://rpc.example", WS: "wss://rpc.example",
		Bootstrap: []string{"/ip4/198.51.100.7/tcp/4700/p2p/12D3KooWD3eckifWpRn9wQpMG9R9hX3sD158z7EqHWmweQAJU5SA"},
	}
	key, other := newKey(t), newKey(t)
	signed, err := d.SignedBy(key, time.Unix(1_700_000_000, 0))
	if err != nil || signed.Signer() != key.Address().String() || d.Signer() != "" {
		t.Fatalf("%+v, %v", signed, err)
	}
	raw, err := signed.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if back, err := ParseDescriptor(raw); err != nil || back.Signer() != signed.Signer() {
		t.Fatalf("%+v, %v", back, err)
	}
	// How the file is laid out is not signed.
	var flat bytes.Buffer
	if err := json.Compact(&flat, raw); err != nil {
		t.Fatal(err)
	}
	if _, err := ParseDescriptor(flat.Bytes()); err != nil {
		t.Error(err)
	}
	plain, err := d.Encode()
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range [][2]string{
		{"https://rpc.example", "https://rpc.evil"}, {"wss://rpc.example", "wss://rpc.evil"}, {`"test"`, `"test2"`}, {"/tcp/4700/", "/tcp/4701/"},
		{strings.Repeat("ab", 32), strings.Repeat("ac", 32)}, {"ojucourt1111", "ojucourt2111"}, {`"bootstrap": [`, `"faucet": true, "bootstrap": [`},
		{key.Address().String(), other.Address().String()},
	} {
		tampered := bytes.Replace(raw, []byte(change[0]), []byte(change[1]), 1)
		if _, err := ParseDescriptor(tampered); err == nil || !strings.Contains(err.Error(), "somebody changed the file") || bytes.Equal(tampered, raw) {
			t.Errorf("%v: %v", change, err)
		}
		if _, err := ParseDescriptor(bytes.Replace(plain, []byte(change[0]), []byte(change[1]), 1)); err != nil {
			t.Errorf("%v, unsigned: %v", change, err)
		}
		if d, err := ParseUnsigned(tampered); err != nil || d.Signed != nil {
			t.Errorf("%v: %v", change, err)
		}
	}
	if _, err := ParseUnsigned(bytes.Repeat([]byte{' '}, MaxDescriptor+1)); err == nil {
		t.Error("a large file")
	}
}

// TestKeepsSigner: a home whose network.json is signed takes no other one of the court that the
// same key did not sign.
func TestKeepsSigner(t *testing.T) {
	t.Parallel()
	dir, key := t.TempDir(), newKey(t)
	d := Descriptor{Format: DescriptorFormat, Name: "test", Network: strings.Repeat("ab", 32), Program: "ojucourt11111111111111111111111111111111111", RPC: "https://rpc.example", Bootstrap: []string{}}
	by := func(key *transact.Keypair, rpc string) Descriptor {
		t.Helper()
		d := d
		d.RPC = rpc
		if key == nil {
			return d
		}
		d, err := d.SignedBy(key, time.Unix(1_700_000_000, 0))
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	for _, good := range []Descriptor{by(nil, "https://a.example"), by(key, "https://b.example"), by(key, "https://c.example")} {
		if _, _, err := Init(dir, good); err != nil {
			t.Fatal(err)
		}
	}
	for want, bad := range map[string]Descriptor{"the new one is not signed": by(nil, "https://d.example"), "is signed by": by(newKey(t), "https://e.example")} {
		if _, _, err := Init(dir, bad); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	if h, err := OpenHome(dir); err != nil || h.Descriptor.RPC != "https://c.example" {
		t.Errorf("%+v, %v", h.Descriptor, err)
	}
}

// TestAttackOlderNetwork: somebody gives a judge a network.json that the court signed years ago.
// Its RPC node belongs to somebody else now. The signature is right, and homes took it. A signature
// that is made again is later, also if the clock went back.
func TestAttackOlderNetwork(t *testing.T) {
	t.Parallel()
	key := newKey(t)
	signed := func(rpc string, at int64, was Descriptor) Descriptor {
		d := Descriptor{Format: DescriptorFormat, Name: "test", Network: strings.Repeat("ab", 32), Program: "ojucourt11111111111111111111111111111111111", RPC: rpc, Bootstrap: []string{}, Issued: was.Issued}
		d, err := d.SignedBy(key, time.Unix(at, 0))
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	old := signed("https://given.up", 1_000, Descriptor{})
	now := signed("https://rpc.example", 2_000, old)
	later := signed("https://rpc.example", 1_500, now) // the clock went back
	unissued := old
	unissued.Issued = 0
	dir := t.TempDir()
	for _, c := range []struct {
		d     Descriptor
		taken bool
	}{{old, true}, {now, true}, {now, true}, {old, false}, {later, true}, {now, false}} {
		_, _, err := Init(dir, c.d)
		if (err == nil) != c.taken || err != nil && !strings.Contains(err.Error(), "and the new one earlier") {
			t.Errorf("%s, %d: %v", c.d.RPC, c.d.Issued, err)
		}
	}
	if err := unissued.Validate(); err == nil {
		t.Error("the time is not signed")
	}
	for _, wrong := range []int64{-1, 1 << 53} {
		d := old
		d.Issued, d.Signed = wrong, nil
		if err := d.Validate(); err == nil || !strings.Contains(err.Error(), "issued") {
			t.Errorf("%d: %v", wrong, err)
		}
	}
}
