package p2p

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/ipfs/go-cid"
	dht "github.com/libp2p/go-libp2p-kad-dht"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/peer"
	mh "github.com/multiformats/go-multihash"
)

// ErrAlone means that the DHT knows no other node: what was asked may exist, but
// nobody could be asked.
var ErrAlone = errors.New("p2p: no other node in the routing table")

// discovery owns the DHT: who holds what, and where a peer listens. It stores no
// values: votes have no place in it.
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

// newDiscovery starts the DHT as a server: the library's automatic mode stays a
// client on private addresses, and its table empty (C13).
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

// keyCID makes the DHT's key of any bytes.
func keyCID(key []byte) (cid.Cid, error) {
	sum, err := mh.Sum(key, mh.SHA2_256, -1)
	if err != nil {
		return cid.Undef, fmt.Errorf("p2p: hashing DHT key: %w", err)
	}
	return cid.NewCidV1(cid.Raw, sum), nil
}

// Provide tells the DHT that this node holds key, and goes on telling it every
// DHT.Reprovide until Unprovide. An error (ErrAlone, or ctx's) says that nobody
// was told yet; the next turn tries again.
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
	poke(d.wake)
	return err
}

// Unprovide stops telling the DHT that this node holds key. Records that others
// keep lapse within DHT.ProviderTTL.
func (h *Host) Unprovide(key []byte) error {
	k, err := keyCID(key)
	if err != nil {
		return err
	}
	d := h.discovery
	d.mu.Lock()
	delete(d.provided, k)
	d.mu.Unlock()
	d.store.remove(k.Hash())
	return nil
}

// FindProviders asks the DHT who holds key and returns up to most nodes, without
// this one and without banned ones. Records are claims: nobody checked that the
// holder still has the data, or ever had it (C17), so try the next on failure.
// An empty answer has a nil error; ErrAlone says that nobody could be asked.
func (h *Host) FindProviders(ctx context.Context, key []byte, most int) (found []peer.AddrInfo, err error) {
	err = h.EachProvider(ctx, key, most, func(ai peer.AddrInfo) { found = append(found, ai) })
	return found, err
}

// EachProvider is FindProviders for who does not want to wait until the lookup
// ends, which takes many times as long as the first answer: see is called with
// each node as it becomes known, by the goroutine of the caller.
func (h *Host) EachProvider(ctx context.Context, key []byte, most int, see func(peer.AddrInfo)) error {
	k, err := keyCID(key)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	found := 0
	// One more than asked for, because we may be among them.
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

// FindPeer returns the addresses of a peer, from the peerstore if it is
// connected, else from the DHT.
func (h *Host) FindPeer(ctx context.Context, id peer.ID) (peer.AddrInfo, error) {
	ai, err := h.discovery.dht.FindPeer(ctx, id)
	if err != nil {
		return peer.AddrInfo{}, fmt.Errorf("p2p: finding %s: %w", id, err)
	}
	return ai, nil
}
