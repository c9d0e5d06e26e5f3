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

// sampled is how many peers are looked at to make room for a record.
const sampled = 32

// providers keeps "who holds what" for the DHT, in memory, bounded in all and
// per holder. The library's own store has no bound, so one peer could fill our
// memory for as long as records live.
type providers struct {
	cfg   DHT
	self  peer.ID
	addrs peerstore.Peerstore

	mu    sync.Mutex
	keys  map[string][]holder
	of    map[peer.ID]map[string]bool // the keys of each peer
	total int
	swept time.Time
}

type holder struct {
	peer  peer.ID
	until time.Time
}

var _ records.ProviderStore = (*providers)(nil)

func newProviders(cfg DHT, self peer.ID, addrs peerstore.Peerstore) *providers {
	return &providers{cfg: cfg, self: self, addrs: addrs, keys: map[string][]holder{}, of: map[peer.ID]map[string]bool{}}
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
	if len(s.of[p.ID]) >= s.cfg.MaxProvidersPerPeer || s.total >= s.cfg.MaxProviders && !s.room(len(s.of[p.ID])) {
		return nil
	}
	if list := s.keys[k]; len(list) >= maxHolders {
		oldest := list[0].peer
		s.drop(k, func(h holder) bool { return h.peer == oldest })
	}
	s.keys[k] = append(s.keys[k], holder{p.ID, now.Add(s.cfg.ProviderTTL)})
	if s.of[p.ID] == nil {
		s.of[p.ID] = map[string]bool{}
	}
	s.of[p.ID][k] = true
	s.total++
	return nil
}

// room forgets one record of a peer that has more than the one that asks for room, if there is such a peer among a few at random: those
// who fill the store have the most, and find themselves without, and nobody else.
func (s *providers) room(has int) bool {
	var most peer.ID
	looked := 0
	for p, keys := range s.of { // in an order that is random enough
		if p != s.self && len(keys) > max(len(s.of[most]), has+1) {
			most = p
		}
		if looked++; looked == sampled {
			break
		}
	}
	for k := range s.of[most] {
		s.drop(k, func(h holder) bool { return h.peer == most })
		return true
	}
	return false
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
		if delete(s.of[h.peer], key); len(s.of[h.peer]) == 0 {
			delete(s.of, h.peer)
		}
		return true
	})
	if len(list) == 0 {
		delete(s.keys, key)
		return
	}
	s.keys[key] = list
}
