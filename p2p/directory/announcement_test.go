package directory

import (
	"bytes"
	"encoding/base64"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/mr-tron/base58"

	"ojud/p2p/identity"
	"ojud/p2p/wire"
)

func seeded(t testing.TB, b byte) identity.Identity {
	t.Helper()
	id, err := identity.FromSeed([32]byte(bytes.Repeat([]byte{b}, 32)))
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func announced(t testing.TB, network string, id identity.Identity) Announcement {
	t.Helper()
	raw, err := signAnnouncement(network, id, Announcement{
		Addrs: []string{"/ip4/192.0.2.1/tcp/4600"}, At: 1, Seq: 1, Authority: base58.Encode(make([]byte, 32)),
		Instance: strings.Repeat("0a", 16), // the same in all processes of a fuzzer
	})
	if err != nil {
		t.Fatal(err)
	}
	a, err := wire.DecodeAnnouncement(raw)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestForgedAnnouncements: every change after signing is found.
func TestForgedAnnouncements(t *testing.T) {
	id, other := seeded(t, 1), seeded(t, 2)
	otherDID, err := other.DID()
	if err != nil {
		t.Fatal(err)
	}
	for name, forge := range map[string]func(*Announcement){
		"peer":         func(a *Announcement) { a.Peer = other.String() },
		"peer and did": func(a *Announcement) { a.Peer, a.DID = other.String(), otherDID },
		"did":          func(a *Announcement) { a.DID = otherDID },
		"no peer":      func(a *Announcement) { a.Peer = "nobody" },
		"peer as CID":  func(a *Announcement) { a.Peer = "bafzaajaiaejcbzdibmxyzdjbbehgvizh6g5tikvy47mshdy6gmdznkoxtqtlyxb3" },
		"authority":    func(a *Announcement) { a.Authority = base58.Encode(bytes.Repeat([]byte{9}, 32)) },
		"addrs":        func(a *Announcement) { a.Addrs = []string{"/ip4/192.0.2.9/tcp/4600"} },
		"no address":   func(a *Announcement) { a.Addrs = []string{"/nonsense/1"} },
		"seq":          func(a *Announcement) { a.Seq++ },
		"at":           func(a *Announcement) { a.At++ },
		"version":      func(a *Announcement) { a.Version = "2" },
		"sources": func(a *Announcement) {
			a.Sources = []Source{{Name: "x", Kind: "mcp", SchemaHash: strings.Repeat("00", 32)}}
		},
		"rpc_urls":     func(a *Announcement) { a.RPCURLs = []string{"http://evil.example"} },
		"model_family": func(a *Announcement) { a.ModelFamily = "x" },
		"dimension":    func(a *Announcement) { a.Dimension = "facts" },
		"instance":     func(a *Announcement) { a.Instance = newRun(time.Now()).instance },
		"rival":        func(a *Announcement) { a.Rival = newRun(time.Now()).instance },
		"started":      func(a *Announcement) { a.Started++ },
		"sig":          func(a *Announcement) { a.Sig = base64.StdEncoding.EncodeToString(make([]byte, 64)) },
	} {
		a := announced(t, "test", id)
		if p, err := verifyAnnouncement("test", a); err != nil || p != id.Peer() {
			t.Fatalf("an honest announcement: %s, %v", p, err)
		}
		forge(&a)
		if _, err := verifyAnnouncement("test", a); !errors.Is(err, errForged) {
			t.Errorf("%s changed: error %v", name, err)
		}
	}
	if _, err := verifyAnnouncement("test", signedAs(t, id, otherDID)); !errors.Is(err, errForged) {
		t.Errorf("announcement under the name of another: error %v", err)
	}
	if _, err := verifyAnnouncement("other", announced(t, "test", id)); !errors.Is(err, errForged) {
		t.Errorf("announcement of another network: error %v", err)
	}
}

// signedAs makes an announcement that is signed, but claims a DID of another key.
func signedAs(t *testing.T, id identity.Identity, did string) Announcement {
	t.Helper()
	a := announced(t, "test", id)
	a.DID = did
	msg, err := a.SigningBytes()
	if err != nil {
		t.Fatal(err)
	}
	sig, err := id.Sign(announceDomain+"test", msg)
	if err != nil {
		t.Fatal(err)
	}
	a.Sig = base64.StdEncoding.EncodeToString(sig)
	return a
}

// FuzzVerifyAnnouncement: no bytes make verification panic, and an accepted announcement was signed
// by its peer.
func FuzzVerifyAnnouncement(f *testing.F) {
	raw, err := announced(f, "test", seeded(f, 1)).Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	f.Fuzz(func(t *testing.T, in []byte) {
		a, err := wire.DecodeAnnouncement(in)
		if err != nil {
			return
		}
		if p, err := verifyAnnouncement("test", a); err == nil && (p.String() != a.Peer || !bytes.Equal(in, raw)) {
			t.Fatalf("passed: %s", in)
		}
	})
}
