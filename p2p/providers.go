package p2p

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p-kad-dht/records"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/peerstore"
)

// maxHolders bounds the records of one key: the newest stay.
const maxHolders = 64

// providers keeps "who holds what" for the DHT, in memory, bounded in all and
// per holder. The library's own store has no bound, so one peer could fill our
// memory for as long as records live.
type providers struct {
	cfg   DHT
	self  peer.ID
	addrs peerstore.Peerstore

	mu    sync.Mutex
	keys  map[string][]holder
	count map[peer.ID]int
	total int
	swept time.Time
}

type holder struct {
	peer  peer.ID
	until time.Time
}

var _ records.ProviderStore = (*providers)(nil)

func newProviders(cfg DHT, self peer.ID, addrs peerstore.Peerstore) *providers {
	return &providers{cfg: cfg, self: self, addrs: addrs, keys: map[string][]holder{}, count: map[peer.ID]int{}}
}

// AddProvider implements records.ProviderStore. A record over a bound is not
// kept, which is no error: the DHT keeps each on twenty nodes.
func (s *providers) AddProvider(_ context.Context, key []byte, p peer.AddrInfo) error {
	if p.ID != s.self {
		s.addrs.AddAddrs(p.ID, p.Addrs, s.cfg.ProviderTTL)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	s.sweep(now)
	k := string(key)
	s.drop(k, func(h holder) bool { return h.peer == p.ID })
	if s.total >= s.cfg.MaxProviders || s.count[p.ID] >= s.cfg.MaxProvidersPerPeer {
		return nil
	}
	if list := s.keys[k]; len(list) >= maxHolders {
		oldest := list[0].peer
		s.drop(k, func(h holder) bool { return h.peer == oldest })
	}
	s.keys[k] = append(s.keys[k], holder{p.ID, now.Add(s.cfg.ProviderTTL)})
	s.count[p.ID]++
	s.total++
	return nil
}

// GetProviders implements records.ProviderStore, newest first.
func (s *providers) GetProviders(_ context.Context, key []byte) ([]peer.AddrInfo, error) {
	s.mu.Lock()
	now := time.Now()
	s.drop(string(key), func(h holder) bool { return now.After(h.until) })
	list := slices.Clone(s.keys[string(key)])
	s.mu.Unlock()
	out := make([]peer.AddrInfo, 0, len(list))
	for _, h := range slices.Backward(list) {
		out = append(out, s.addrs.PeerInfo(h.peer))
	}
	return out, nil
}

// remove takes back our own record of a key.
func (s *providers) remove(key []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(string(key), func(h holder) bool { return h.peer == s.self })
}

// Close implements records.ProviderStore.
func (s *providers) Close() error { return nil }

func (s *providers) size() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.total
}

// sweep forgets lapsed records, at most twice in their lifetime.
func (s *providers) sweep(now time.Time) {
	if now.Sub(s.swept) < s.cfg.ProviderTTL/2 {
		return
	}
	s.swept = now
	for k := range s.keys {
		s.drop(k, func(h holder) bool { return now.After(h.until) })
	}
}

// drop removes the records of a key that match.
func (s *providers) drop(key string, match func(holder) bool) {
	list := slices.DeleteFunc(s.keys[key], func(h holder) bool {
		if !match(h) {
			return false
		}
		s.total--
		if s.count[h.peer]--; s.count[h.peer] == 0 {
			delete(s.count, h.peer)
		}
		return true
	})
	if len(list) == 0 {
		delete(s.keys, key)
		return
	}
	s.keys[key] = list
}
