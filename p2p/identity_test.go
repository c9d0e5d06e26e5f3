package p2p_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/p2p"
	"ojud/p2p/p2ptest"
)

const (
	goldenPeer   = "12D3KooWK99VoVxNE7XzyBwXEzW7xhK7Gpv85r9F3V3fyKSUKPH5"
	goldenDID    = "did:key:z6Mkon3Necd6NkkyfoGoHxid2znGc59LU3K7mubaRcFbLfLX"
	goldenSig    = "41d5d3addd88b1ac0a877a636c81b744"
	goldenSecret = "e1f4167c965f47c8b0fd71c13c9f709c"
)

// fixed is the identity whose seed is 32 bytes of 1.
func fixed(t testing.TB) p2p.Identity {
	t.Helper()
	id, err := p2p.IdentityFromSeed([32]byte(bytes.Repeat([]byte{1}, 32)))
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// TestIdentityGolden pins values that must never change between versions: a judge's names, and the
// secrets behind the salts of votes that are committed already.
func TestIdentityGolden(t *testing.T) {
	id := fixed(t)
	did, err := id.DID()
	if err != nil {
		t.Fatal(err)
	}
	sig, err := id.Sign("vote:v1", []byte("data"))
	if err != nil {
		t.Fatal(err)
	}
	secret := id.Derive("salt", []byte("task"), []byte{1})
	for what, c := range map[string]struct{ got, want string }{
		"peer":      {id.Peer().String(), goldenPeer},
		"did":       {did, goldenDID},
		"signature": {hex.EncodeToString(sig[:16]), goldenSig},
		"secret":    {hex.EncodeToString(secret[:16]), goldenSecret},
	} {
		if c.got != c.want {
			t.Errorf("%s is %s, want %s", what, c.got, c.want)
		}
	}
}

func TestSignDomains(t *testing.T) {
	id, other := fixed(t), p2ptest.Identity(t)
	sig, err := id.Sign("vote:v1", []byte("data"))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		by     peer.ID
		domain string
		data   string
		ok     bool
	}{
		"right":        {id.Peer(), "vote:v1", "data", true},
		"other domain": {id.Peer(), "vote:v2", "data", false},
		"other data":   {id.Peer(), "vote:v1", "Data", false},
		"other key":    {other.Peer(), "vote:v1", "data", false},
		"moved border": {id.Peer(), "vote:v1d", "ata", false},
	} {
		err := p2p.Verify(c.by, c.domain, []byte(c.data), sig)
		if (err == nil) != c.ok || err != nil && !errors.Is(err, p2p.ErrSignature) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	for _, domain := range []string{"", "a\x00b", strings.Repeat("x", 256)} {
		if _, err := id.Sign(domain, nil); err == nil {
			t.Errorf("domain %q was accepted", domain)
		}
	}
	if err := p2p.Verify("no key in it", "vote:v1", nil, sig); err == nil || errors.Is(err, p2p.ErrSignature) {
		t.Errorf("peer without a key: error %v", err)
	}
}

func TestDeriveSeparates(t *testing.T) {
	id := fixed(t)
	seen := map[[32]byte]string{}
	for name, secret := range map[string][32]byte{
		"label":         id.Derive("a"),
		"other label":   id.Derive("b"),
		"context":       id.Derive("a", []byte("b")),
		"two contexts":  id.Derive("a", []byte("b"), []byte("c")),
		"joined":        id.Derive("a", []byte("bc")),
		"empty context": id.Derive("a", nil),
		"other key":     p2ptest.Identity(t).Derive("a"),
	} {
		if twin, ok := seen[secret]; ok {
			t.Errorf("%s and %s give the same secret", name, twin)
		}
		seen[secret] = name
	}
	if again := fixed(t).Derive("a", []byte("b")); seen[again] != "context" {
		t.Error("the same key gives another secret the second time")
	}
}

func TestDID(t *testing.T) {
	id := p2ptest.Identity(t)
	did, err := id.DID()
	if err != nil {
		t.Fatal(err)
	}
	if back, err := p2p.PeerOfDID(did); err != nil || back != id.Peer() {
		t.Errorf("%s is of %s, want %s (%v)", did, back, id.Peer(), err)
	}
	for _, bad := range []string{"", "did:key:", "did:web:example.org", "did:key:z", did[:20], did + "x", strings.Repeat(did, 3), "did:key:z6LSabc"} {
		if p, err := p2p.PeerOfDID(bad); err == nil {
			t.Errorf("%q is of %s", bad, p)
		}
	}
	rsa, err := peer.Decode("QmYyQSo1c1Ym7orWxLYvCrM2EmxFTANf8wXmmE7DWjhx5N")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p2p.DID(rsa); err == nil {
		t.Error("a peer ID without its key has a DID")
	}
}

// TestIdentityHidesKey: no way of printing an identity shows its key.
func TestIdentityHidesKey(t *testing.T) {
	id := fixed(t)
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("start", "identity", id, "pointer", &id)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		fmt.Fprintf(&log, verb+" "+verb, id, &id)
	}
	seed := strings.Repeat("01", 8)
	for _, secret := range []string{seed, "1 1 1 1", "1, 1, 1", "AQEBAQEB", "0x1, 0x1"} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("%q is in %s", secret, log.String())
		}
	}
}

// FuzzPeerOfDID: an accepted DID is the one DID of its peer.
func FuzzPeerOfDID(f *testing.F) {
	f.Add(goldenDID)
	f.Add("did:key:z6Mk")
	f.Fuzz(func(t *testing.T, did string) {
		p, err := p2p.PeerOfDID(did)
		if err != nil {
			return
		}
		if back, err := p2p.DID(p); err != nil || back != did {
			t.Fatalf("%q became %q (%v)", did, back, err)
		}
	})
}
