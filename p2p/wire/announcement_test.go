package wire

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"
)

func sample() Announcement {
	return Announcement{
		Addrs:       []string{"/ip4/192.0.2.1/udp/4600/quic-v1"},
		At:          1_800_000_000,
		Authority:   "4Nd1mYQtqAB5rtvx7FqWvLpHcXn1yZTzMbYtEwQz3uVh",
		DID:         "did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK",
		Dimension:   "provenance",
		Instance:    strings.Repeat("0b", 16),
		ModelFamily: "llama 3",
		Peer:        "12D3KooWJWVxhKUnmKN7Ybp8yWvY4Qm2RkM5TgPZqp8dFmqJ7V5u",
		Rival:       strings.Repeat("0c", 16),
		RPCURLs:     []string{"https://rpc.example:8899/path?x=1"},
		Seq:         7,
		Sig:         base64.StdEncoding.EncodeToString(make([]byte, 64)),
		Sources:     []Source{{Kind: "mcp", Name: "weather", SchemaHash: strings.Repeat("0a", 32)}},
		Started:     1_799_999_000_000,
		Version:     "0.1.0",
	}
}

func TestAnnouncementRoundTrip(t *testing.T) {
	minimal := sample()
	minimal.Addrs, minimal.RPCURLs, minimal.Sources, minimal.Rival = nil, nil, nil, ""
	for name, a := range map[string]Announcement{"full": sample(), "empty lists": minimal} {
		raw, err := a.Encode()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		back, err := DecodeAnnouncement(raw)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		again, err := back.Encode()
		if err != nil || !bytes.Equal(raw, again) {
			t.Errorf("%s: %s\nbecame %s (%v)", name, raw, again, err)
		}
	}
}

func TestSigningBytesLeaveOutTheSignature(t *testing.T) {
	a := sample()
	with, err := a.SigningBytes()
	if err != nil {
		t.Fatal(err)
	}
	a.Sig = ""
	without, err := a.SigningBytes()
	if err != nil || !bytes.Equal(with, without) || bytes.Contains(with, []byte(`"sig"`)) {
		t.Errorf("%s and %s (%v)", with, without, err)
	}
}

func TestAnnouncementBounds(t *testing.T) {
	long := strings.Repeat("x", 300)
	for field, spoil := range map[string]func(*Announcement){
		"addrs: 9":        func(a *Announcement) { a.Addrs = make([]string, 9) },
		"addrs: entry 0":  func(a *Announcement) { a.Addrs[0] = "192.0.2.1" },
		"at":              func(a *Announcement) { a.At = -1 },
		"authority":       func(a *Announcement) { a.Authority = "0OIl" },
		"authority: dec":  func(a *Announcement) { a.Authority = "abc" },
		"did":             func(a *Announcement) { a.DID = "did:web:example" },
		"dimension: 33":   func(a *Announcement) { a.Dimension = strings.Repeat("d", 33) },
		"dimension":       func(a *Announcement) { a.Dimension = "fact\x1b" },
		"instance":        func(a *Announcement) { a.Instance = "" },
		"instance: case":  func(a *Announcement) { a.Instance = strings.Repeat("0B", 16) },
		"model_family":    func(a *Announcement) { a.ModelFamily = "line\nbreak" },
		"peer":            func(a *Announcement) { a.Peer = "" },
		"rival":           func(a *Announcement) { a.Rival = "0c" },
		"rpc_urls":        func(a *Announcement) { a.RPCURLs[0] = "https://user:secret@rpc.example" },
		"rpc_urls: entry": func(a *Announcement) { a.RPCURLs[0] = "s://rpc.example" },
		"seq: 0":          func(a *Announcement) { a.Seq = 0 },
		"seq":             func(a *Announcement) { a.Seq = MaxSeq + 1 },
		"sig: is missing": func(a *Announcement) { a.Sig = "" },
		"sig":             func(a *Announcement) { a.Sig = "AAAA" },
		"sources: 33":     func(a *Announcement) { a.Sources = make([]Source, 33) },
		"sources: entry":  func(a *Announcement) { a.Sources[0].Name = long },
		"started":         func(a *Announcement) { a.Started = -1 },
		"version":         func(a *Announcement) { a.Version = long },
	} {
		a := sample()
		spoil(&a)
		_, err := a.Encode()
		if !errors.Is(err, ErrAnnouncement) || !strings.Contains(fmt.Sprint(err), strings.Split(field, ":")[0]) {
			t.Errorf("%s: error %v", field, err)
		}
	}
}

func TestDecodeAnnouncementRefusesOtherSpellings(t *testing.T) {
	raw, err := sample().Encode()
	if err != nil {
		t.Fatal(err)
	}
	s := string(raw)
	for name, in := range map[string]string{
		"space":           strings.Replace(s, ":", ": ", 1),
		"escape":          strings.Replace(s, `"weather"`, `"\u0077eather"`, 1),
		"unknown field":   strings.Replace(s, `{"addrs"`, `{"aaa":1,"addrs"`, 1),
		"repeated field":  strings.Replace(s, `"version"`, `"version":"0","version"`, 1),
		"trailing":        s + " ",
		"second object":   s + s,
		"float seq":       strings.Replace(s, `"seq":7`, `"seq":7.0`, 1),
		"null list":       strings.Replace(s, `"rpc_urls":["https://rpc.example:8899/path?x=1"]`, `"rpc_urls":null`, 1),
		"other case":      strings.Replace(s, `"version"`, `"Version"`, 1),
		"not an object":   "[]",
		"empty":           "",
		"over the limit":  s + strings.Repeat(" ", MaxAnnouncement),
		"invalid unicode": strings.Replace(s, "weather", "w\xffather", 1),
	} {
		if _, err := DecodeAnnouncement([]byte(in)); !errors.Is(err, ErrAnnouncement) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// FuzzAnnouncement: accepted input is the one encoding of its value.
func FuzzAnnouncement(f *testing.F) {
	raw, err := sample().Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	f.Add([]byte(`{"addrs":[]}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		a, err := DecodeAnnouncement(in)
		if err != nil {
			return
		}
		again, err := a.Encode()
		if err != nil || !bytes.Equal(in, again) {
			t.Fatalf("%s\nbecame %s (%v)", in, again, err)
		}
		if _, err := a.SigningBytes(); err != nil {
			t.Fatal(err)
		}
	})
}
