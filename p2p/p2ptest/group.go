package p2ptest

import (
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/p2p"
)

// Info returns the address of a host, for Connect and Keep.
func Info(t testing.TB, h *p2p.Host) peer.AddrInfo {
	t.Helper()
	addrs, err := h.Addrs()
	if err != nil {
		t.Fatal(err)
	}
	infos, err := peer.AddrInfosFromP2pAddrs(addrs...)
	if err != nil || len(infos) != 1 {
		t.Fatalf("addresses of %s: %v, %v", h.ID(), addrs, err)
	}
	return infos[0]
}

// Infos returns the addresses of several hosts.
func Infos(t testing.TB, hosts []*p2p.Host) []peer.AddrInfo {
	t.Helper()
	out := make([]peer.AddrInfo, 0, len(hosts))
	for _, h := range hosts {
		out = append(out, Info(t, h))
	}
	return out
}

// IDs returns the peer IDs of several hosts.
func IDs(hosts []*p2p.Host) []peer.ID {
	out := make([]peer.ID, 0, len(hosts))
	for _, h := range hosts {
		out = append(out, h.ID())
	}
	return out
}

// Mesh makes every host keep a link to every other.
func Mesh(t testing.TB, hosts []*p2p.Host) {
	t.Helper()
	all := Infos(t, hosts)
	for _, h := range hosts {
		h.Keep(all)
	}
}

// Bootstrap returns the option that joins a network through h.
func Bootstrap(t testing.TB, h *p2p.Host) Option {
	t.Helper()
	addrs, err := h.Addrs()
	if err != nil {
		t.Fatal(err)
	}
	return func(cfg *p2p.Config, _ *p2p.Deps) {
		for _, a := range addrs {
			cfg.Bootstrap = append(cfg.Bootstrap, a.String())
		}
	}
}

// Links returns the number of connected pairs among hosts.
func Links(hosts []*p2p.Host) int {
	member := map[peer.ID]bool{}
	for _, h := range hosts {
		member[h.ID()] = true
	}
	ends := 0
	for _, h := range hosts {
		for _, p := range h.Peers() {
			if member[p] {
				ends++
			}
		}
	}
	return ends / 2
}

// Eventually checks a condition every 20 ms and returns how long it took to become true. The test
// fails if that is longer than limit.
func Eventually(t testing.TB, limit time.Duration, what string, ok func() bool) time.Duration {
	t.Helper()
	start := time.Now()
	for !ok() {
		if time.Since(start) > limit {
			t.Fatalf("not within %v: %s", limit, what)
		}
		time.Sleep(20 * time.Millisecond)
	}
	return time.Since(start)
}

// NoDrops fails the test if a host lost a message.
func NoDrops(t testing.TB, hosts ...*p2p.Host) {
	t.Helper()
	for i, h := range hosts {
		if lost := h.Stats().Drops(); len(lost) > 0 {
			t.Errorf("host %d lost %v", i, lost)
		}
	}
}
