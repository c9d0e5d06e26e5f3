package p2p

import (
	"testing"

	"github.com/multiformats/go-multiaddr"
	manet "github.com/multiformats/go-multiaddr/net"
)

// FuzzAddrs: an accepted address is written as the same address.
func FuzzAddrs(f *testing.F) {
	for _, s := range []string{"/ip4/192.0.2.1/tcp/4600", "/dns4/x.example/udp/1/quic-v1/p2p/12D3KooWGRUVh9qkZzG5r4c1mQmGUnYMbRyEJjW1mzSHKuTbN4iY", "/ip6/::ffff:1.2.3.4/tcp/0", "/unix/a/b", "//"} {
		f.Add(s)
	}
	c := DefaultConfig()
	f.Fuzz(func(t *testing.T, text string) {
		list, err := parseAddrs("listen", []string{text})
		if err != nil {
			if Inside(text) {
				t.Fatalf("%q is no address, and inside", text)
			}
			return
		}
		if Inside(text) == manet.IsPublicAddr(list[0]) {
			t.Fatalf("%q: inside %t", text, Inside(text))
		}
		again, err := multiaddr.NewMultiaddr(list[0].String())
		if err != nil || !again.Equal(list[0]) {
			t.Fatalf("%q is %s: %v", text, list[0], err)
		}
		c.allowed(list[0])
	})
}
