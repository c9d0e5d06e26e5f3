package network

import (
	"bytes"
	"testing"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/voting"
)

// FuzzKeys: a node key has one peer, whose key it is.
func FuzzKeys(f *testing.F) {
	f.Add(bytes.Repeat([]byte{1}, 32))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, raw []byte) {
		var k voting.Key
		copy(k[:], raw)
		id, err := PeerOf(k)
		if err != nil {
			return
		}
		if back, err := KeyOf(id); err != nil || back != k {
			t.Fatalf("%x became %x: %v", k, back, err)
		}
		if key, err := KeyOf(peer.ID(raw)); err == nil {
			if back, err := PeerOf(key); err != nil || back != peer.ID(raw) {
				t.Fatalf("peer %x became %x: %v", raw, []byte(back), err)
			}
		}
	})
}
