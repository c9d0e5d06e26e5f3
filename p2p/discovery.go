package p2p

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/ipfs/go-cid"
	dht "github.com/libp2p/go-libp2p-kad-dht"
	"github.com/libp2p/go-libp2p-kad-dht/records"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/peerstore"
	mh "github.com/multiformats/go-multihash"
)

// ErrAlone means that the DHT knows no other node. The answer may exist, but there was no node to
// ask.
var ErrAlone = errors.New("p2p: no other node in the routing table")

// discovery owns the DHT, which knows the holders of keys and the addresses of peers. It stores no
// values, so votes have no place in it.
type discovery struct {
	cfg       Config
	host      host.Host
	dht       *dht.IpfsDHT
	store     *providers
	book      *book
	count     *counters
	log       *slog.Logger
	bootstrap []peer.AddrInfo
	run       func(func(context.Context))

	mu       sync.Mutex
	provided map[cid.Cid]time.Time // keys we hold, and when they are due again
	wake     chan struct{}
}

// newDiscovery starts the DHT as a server. In the library's automatic mode a node with private
// addresses stays a client, and its table stays empty.
func newDiscovery(ctx context.Context, cfg Config, h host.Host, book *book, count *counters, log *slog.Logger) (*discovery, error) {
	boot, err := cfg.bootstrapPeers()
	if err != nil {
		return nil, err
	}
	store := newProviders(cfg.DHT, h.ID(), h.Peerstore())
	table, err := dht.New(ctx, h,
		dht.Mode(dht.ModeServer),
		dht.ProtocolPrefix(dhtPrefix(cfg.Network)),
		dht.BootstrapPeers(boot...),
		dht.AddressFilter(cfg.filter),
		dht.RoutingTableFilter(func(_ any, p peer.ID) bool { return !book.banned(p) }),
		dht.QueryFilter(func(_ any, ai peer.AddrInfo) bool { return !book.banned(ai.ID) }),
		dht.RoutingTableRefreshPeriod(cfg.DHT.Refresh),
		dht.ProviderStore(store),
		dht.DisableValues(),
	)
	if err != nil {
		return nil, fmt.Errorf("p2p: starting the DHT: %w", err)
	}
	return &discovery{
		cfg: cfg, host: h, dht: table, store: store, book: book, count: count, log: log, bootstrap: boot,
		provided: map[cid.Cid]time.Time{}, wake: make(chan struct{}, 1),
	}, nil
}

func (d *discovery) start() {
	d.run(d.watch)
	d.run(d.renew)
}

func (d *discovery) close() error { return d.dht.Close() }

func keyCID(key []byte) (cid.Cid, error) {
	sum, err := mh.Sum(key, mh.SHA2_256, -1)
	if err != nil {
		return cid.Undef, fmt.Errorf("p2p: hashing DHT key: %w", err)
	}
	return cid.NewCidV1(cid.Raw, sum), nil
}

// Provide tells the DHT that this node holds key, and repeats it every DHT.Reprovide. An
// error (ErrAlone, or ctx's) says that no node was told yet. The next turn tries
// again.
func (h *Host) Provide(ctx context.Context, key []byte) error {
	k, err := keyCID(key)
	if err != nil {
		return err
	}
	d := h.discovery
	d.mu.Lock()
	d.provided[k] = time.Now().Add(d.cfg.DHT.Reprovide)
	d.mu.Unlock()
	err = d.provide(ctx, k)
	if err != nil {
		d.due(k, time.Now().Add(d.cfg.DHT.Health))
	}
	signal(d.wake)
	return err
}

// FindProviders asks the DHT for holders of key. It returns at most the given number of nodes,
// without this one and without banned ones. Records are claims: the holder may have lost the data,
// or never had it, so try the next on failure. An empty answer has a nil error. ErrAlone says that
// there was no node to ask.
func (h *Host) FindProviders(ctx context.Context, key []byte, most int) (found []peer.AddrInfo, err error) {
	err = h.EachProvider(ctx, key, most, func(ai peer.AddrInfo) { found = append(found, ai) })
	return found, err
}

// EachProvider is FindProviders for callers that should not wait for the end of the lookup, which
// takes many times as long as the first answer. It calls see with each node as soon as it is known,
// on the goroutine of the caller.
func (h *Host) EachProvider(ctx context.Context, key []byte, most int, see func(peer.AddrInfo)) error {
	k, err := keyCID(key)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	found := 0
	// Ask for one more, because we may be among them.
	for ai := range h.discovery.dht.FindProvidersAsync(ctx, k, most+1) {
		if ai.ID == h.ID() || h.book.banned(ai.ID) || found == most {
			continue
		}
		see(ai)
		if found++; found == most {
			cancel()
		}
	}
	if found == 0 && ctx.Err() == nil && h.discovery.dht.RoutingTable().Size() == 0 {
		return ErrAlone
	}
	if found == 0 {
		return ctx.Err()
	}
	return nil
}

// FindPeer returns the addresses of a peer. They come from the peerstore if it is connected, and
// otherwise from the DHT.
func (h *Host) FindPeer(ctx context.Context, id peer.ID) (peer.AddrInfo, error) {
	ai, err := h.discovery.dht.FindPeer(ctx, id)
	if err != nil {
		return peer.AddrInfo{}, fmt.Errorf("p2p: finding %s: %w", id, err)
	}
	return ai, nil
}

// maxHolders bounds the records of one key: the newest stay.
const maxHolders = 64

const sampled = 32

// providers keeps the provider records of the DHT in memory, bounded in total and for each holder.
// The library's own store has no bound, so one peer could fill our memory while its records live.
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

// AddProvider implements records.ProviderStore. It does not keep a record over a bound. That is no
// error, because the DHT keeps each record on twenty nodes.
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

// room forgets one record of a peer that has more records than the one that asks for room, if a few
// random peers include such a peer. Peers that fill the store have the most records, so only they
// lose some.
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
