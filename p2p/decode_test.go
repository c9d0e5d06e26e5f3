package p2p

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/multiformats/go-multiaddr"
)

// FuzzRegistryLine: no line of the registry's file adds a judge that has not signed its content, or
// an entry from tomorrow, and none panics.
func FuzzRegistryLine(f *testing.F) {
	c := DefaultConfig()
	c.Network, c.Listen, c.LibraryMetrics = "test", []string{"/ip4/127.0.0.1/tcp/0"}, false
	h, err := New(f.Context(), c, seeded(f, 9), Deps{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() {
		if err := h.Close(); err != nil {
			f.Error(err)
		}
	})
	raw, err := announced(f, "test", seeded(f, 1)).Encode()
	if err != nil {
		f.Fatal(err)
	}
	line, err := json.Marshal(registryLine{Seen: 1 << 40, Announcement: raw})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(line)
	f.Add(bytes.Replace(line, []byte("1099511627776"), []byte("-5"), 1))
	f.Add([]byte(`{"seen":1,"announcement":null}`))
	f.Add([]byte(registryHeader))
	f.Fuzz(func(t *testing.T, line []byte) {
		r := h.registry
		taken := r.loadLine(line) == nil
		for _, j := range r.Judges() {
			if j.ID != seeded(t, 1).Peer() || j.Seen.After(time.Now()) {
				t.Fatalf("%s put %s into the registry, seen at %v", line, j.ID, j.Seen)
			}
			if _, err := j.AddrInfo(); err != nil {
				t.Fatal(err)
			}
			r.addrInfo(j.ID)
		}
		if taken && len(line) > maxLine {
			t.Fatalf("%d bytes were taken", len(line))
		}
	})
}

// FuzzParseKey: an accepted key file holds an Ed25519 key, and no error quotes the file.
func FuzzParseKey(f *testing.F) {
	raw, err := crypto.MarshalPrivateKey(seeded(f, 1).key)
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(base64.StdEncoding.EncodeToString(raw) + "\n"))
	f.Add([]byte(base64.StdEncoding.EncodeToString(raw[:40])))
	f.Add([]byte("CAASAA==")) // RSA
	f.Fuzz(func(t *testing.T, text []byte) {
		id, err := parseKey("node.key", text)
		switch {
		case err != nil && len(text) > 12 && strings.Contains(err.Error(), string(text)):
			t.Fatalf("the error quotes the key: %v", err)
		case err == nil && len(id.Ed25519()) != 64:
			t.Fatalf("%d bytes of key", len(id.Ed25519()))
		}
	})
}

// FuzzAddrs: an accepted address is written as the same address.
func FuzzAddrs(f *testing.F) {
	for _, s := range []string{"/ip4/192.0.2.1/tcp/4600", "/dns4/x.example/udp/1/quic-v1/p2p/12D3KooWGRUVh9qkZzG5r4c1mQmGUnYMbRyEJjW1mzSHKuTbN4iY", "/ip6/::ffff:1.2.3.4/tcp/0", "/unix/a/b", "//"} {
		f.Add(s)
	}
	c := DefaultConfig()
	f.Fuzz(func(t *testing.T, text string) {
		list, err := parseAddrs("listen", []string{text})
		if err != nil {
			return
		}
		again, err := multiaddr.NewMultiaddr(list[0].String())
		if err != nil || !again.Equal(list[0]) {
			t.Fatalf("%q is %s: %v", text, list[0], err)
		}
		c.allowed(list[0])
	})
}
