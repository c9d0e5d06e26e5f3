package identity_test

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/p2p/identity"
)

const (
	goldenPeer = "12D3KooWK99VoVxNE7XzyBwXEzW7xhK7Gpv85r9F3V3fyKSUKPH5"
	goldenDID  = "did:key:z6Mkon3Necd6NkkyfoGoHxid2znGc59LU3K7mubaRcFbLfLX"
	goldenSig  = "41d5d3addd88b1ac0a877a636c81b744"
)

// fixed is the identity whose seed is 32 bytes of 1.
func fixed(t testing.TB) identity.Identity {
	t.Helper()
	id, err := identity.FromSeed([32]byte(bytes.Repeat([]byte{1}, 32)))
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// fresh is a new identity.
func fresh(t testing.TB) identity.Identity {
	t.Helper()
	id, err := identity.New(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// TestIdentityGolden pins values that must never change between versions: a judge's names and
// signatures.
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
	for what, c := range map[string]struct{ got, want string }{
		"peer":      {id.Peer().String(), goldenPeer},
		"did":       {did, goldenDID},
		"signature": {hex.EncodeToString(sig[:16]), goldenSig},
	} {
		if c.got != c.want {
			t.Errorf("%s is %s, want %s", what, c.got, c.want)
		}
	}
}

func TestSignDomains(t *testing.T) {
	id, other := fixed(t), fresh(t)
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
		err := identity.Verify(c.by, c.domain, []byte(c.data), sig)
		if (err == nil) != c.ok || err != nil && !errors.Is(err, identity.ErrSignature) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	for _, domain := range []string{"", "a\x00b", strings.Repeat("x", 256)} {
		if _, err := id.Sign(domain, nil); err == nil {
			t.Errorf("domain %q was accepted", domain)
		}
	}
	if err := identity.Verify("no key in it", "vote:v1", nil, sig); err == nil || errors.Is(err, identity.ErrSignature) {
		t.Errorf("peer without a key: error %v", err)
	}
}

func TestDID(t *testing.T) {
	rsa, err := peer.Decode("QmYyQSo1c1Ym7orWxLYvCrM2EmxFTANf8wXmmE7DWjhx5N")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := identity.DID(rsa); err == nil {
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
