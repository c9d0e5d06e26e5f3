package p2p

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/p2p/host/peerstore/pstoremem"
	ma "github.com/multiformats/go-multiaddr"
)

func testProviders(t *testing.T) *providers {
	t.Helper()
	ps, err := pstoremem.NewPeerstore()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := ps.Close(); err != nil {
			t.Error(err)
		}
	})
	return newProviders(DHT{ProviderTTL: time.Minute, MaxProviders: 200, MaxProvidersPerPeer: 50}, "self", ps)
}

func (s *providers) has(t *testing.T, key string) []peer.ID {
	t.Helper()
	infos, err := s.GetProviders(t.Context(), []byte(key))
	if err != nil {
		t.Fatal(err)
	}
	var out []peer.ID
	for _, ai := range infos {
		out = append(out, ai.ID)
	}
	return out
}

func (s *providers) put(t *testing.T, key, p string, addrs ...ma.Multiaddr) {
	t.Helper()
	if err := s.AddProvider(t.Context(), []byte(key), peer.AddrInfo{ID: peer.ID(p), Addrs: addrs}); err != nil {
		t.Fatal(err)
	}
}

func TestProvidersLapse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := testProviders(t)
		addr := ma.StringCast("/ip4/192.0.2.1/tcp/1")
		s.put(t, "k", "a", addr)
		time.Sleep(40 * time.Second)
		s.put(t, "k", "b")
		s.put(t, "k", "self", addr)
		if got := s.has(t, "k"); fmt.Sprint(got) != fmt.Sprint([]peer.ID{"self", "b", "a"}) {
			t.Errorf("%v, want the newest first", got)
		}
		if len(s.addrs.Addrs("a")) != 1 || len(s.addrs.Addrs("self")) != 0 {
			t.Errorf("addresses of a: %v, of self: %v", s.addrs.Addrs("a"), s.addrs.Addrs("self"))
		}
		time.Sleep(30 * time.Second)
		if got := s.has(t, "k"); len(got) != 2 {
			t.Errorf("%v after the first record lapsed", got)
		}
		time.Sleep(time.Minute)
		s.put(t, "other", "c") // sweeps
		if len(s.keys) != 1 || s.size() != 1 || len(s.of) != 1 {
			t.Errorf("%d keys, %d records, %d peers left", len(s.keys), s.size(), len(s.of))
		}
	})
}

func TestProvidersBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := testProviders(t)
		for i := range 100 {
			s.put(t, fmt.Sprint("key", i), "greedy")
		}
		if s.size() != 50 {
			t.Errorf("%d records of one peer, limit 50", s.size())
		}
		for i := range 2 * maxHolders {
			s.put(t, "popular", fmt.Sprint("p", i))
		}
		if got := s.has(t, "popular"); len(got) != maxHolders || got[0] != peer.ID(fmt.Sprint("p", 2*maxHolders-1)) {
			t.Errorf("%d holders of one key, limit %d; newest %s", len(got), maxHolders, got[0])
		}
		for i := range 1000 {
			s.put(t, fmt.Sprint("more", i), fmt.Sprint("q", i))
		}
		total := 0
		for _, list := range s.keys {
			total += len(list)
		}
		if s.size() != 200 || total != 200 {
			t.Errorf("%d records counted, %d kept, limit 200", s.size(), total)
		}
		for range 100 { // renewing is not adding
			s.put(t, "key0", "greedy")
		}
		if n := len(s.of["greedy"]); n > 2 || s.size() != 200 {
			t.Errorf("%d records of one peer after renewing, %d in all", n, s.size())
		}
	})
}

// TestProvidersFilled: a peer that fills the store, with as few identities as possible, keeps no
// holder out: its records give way, one for one. An honest holder with as many records as the
// greediest peer is refused, because then no peer is greedier.
func TestProvidersFilled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := testProviders(t)
		fill := func() {
			for p := range 4 {
				for i := range 50 {
					s.put(t, fmt.Sprint("rubbish ", p, i), fmt.Sprint("sybil ", p))
				}
			}
		}
		fill()
		for i := range 40 {
			s.put(t, fmt.Sprint("source ", i), fmt.Sprint("honest ", i%8))
			fill()
		}
		for i := range 40 {
			if got := s.has(t, fmt.Sprint("source ", i)); len(got) != 1 {
				t.Errorf("source %d has holders %v", i, got)
			}
		}
		if s.size() != 200 {
			t.Errorf("%d records, limit 200", s.size())
		}
	})
}
