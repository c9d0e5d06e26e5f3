package p2p

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/protocol"
	ma "github.com/multiformats/go-multiaddr"
	manet "github.com/multiformats/go-multiaddr/net"
	"github.com/prometheus/client_golang/prometheus"

	"ojud/p2p/directory"
	"ojud/p2p/identity"
	"ojud/p2p/reach"
	"ojud/p2p/wire"
)

// Deps are a Host's dependencies besides its settings. Every field may be empty.
type Deps struct {
	// Logger receives the messages for the operator. If it is nil, nothing is logged.
	Logger *slog.Logger
	// Metrics registers our metrics, and the library's if Config.LibraryMetrics.
	Metrics prometheus.Registerer
	// Topics are the names that may be joined (Join).
	Topics []string
	// Admit says whether the directory keeps an announcement, for instance whether its authority
	// has a stake. It is called with the directory locked and must not call it. If it is nil, all
	// are kept.
	Admit func(directory.Announcement) bool
	// Staked says whether an announcement comes from a judge with a stake. Identities are free and
	// stakes are not, so staked judges come first if something costs memory or work. The others
	// share the rest. It is called as Admit is. If it is nil, no judge is staked.
	Staked func(directory.Announcement) bool
	// Member reports whether a peer is a judge on the Roster. As a relay, this host serves only
	// these. If it is nil, nobody is.
	Member func(peer.ID) bool
	// OnPeer is told of every link that comes or goes, one call at a time. It must not wait, least
	// of all for Close.
	OnPeer func(PeerEvent)
	// OnTwin is told that another host is running on our key, each time that its
	// announcement comes. It must not wait.
	OnTwin func(directory.Twin)
	// Libp2p are further options for the libp2p host, after ours: a simulated
	// transport, for tests on fake time.
	Libp2p []libp2p.Option
	// Now is this machine's clock, which dates announcements. It may be wrong, and jump. If it is
	// nil, the host uses time.Now.
	Now func() time.Time
}

// Host is a node of the network. All its methods may be called from several
// goroutines.
type Host struct {
	cfg   Config
	id    identity.Identity
	deps  Deps
	log   *slog.Logger
	count *counters
	book  *book
	reach *reach.Reach
	net   host.Host

	gossip    *gossip
	discovery *discovery
	streams   *streams
	pusher    *pusher
	keeper    *keeper
	directory *directory.Directory
	events    *events

	tasks
	once sync.Once
	stop func() bool
	err  error // of Close
}

// tasks are the goroutines and handlers of a host. Close waits for them.
type tasks struct {
	ctx    context.Context
	cancel context.CancelFunc

	mu     sync.Mutex
	work   sync.WaitGroup
	closed bool // no more work may begin
}

// New starts a host. It stops when ctx ends or Close is called.
func New(ctx context.Context, cfg Config, id identity.Identity, deps Deps) (*Host, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if id.Key() == nil {
		return nil, errors.New("p2p: identity is empty: load or create one")
	}
	if len(deps.Libp2p) == 0 { // a simulated transport has its own addresses
		if cfg.Listen = heard(cfg.Listen, hasSix(ctx)); len(cfg.Listen) == 0 {
			return nil, errUnbound("/ip6/::")
		}
	}
	if deps.Logger == nil {
		deps.Logger = slog.New(slog.DiscardHandler)
	}
	if deps.Now == nil {
		deps.Now = time.Now
	}
	h := &Host{cfg: cfg, id: id, deps: deps, log: deps.Logger, count: &counters{}, book: newBook(cfg.Scores), events: newEvents()}
	h.ctx, h.cancel = context.WithCancel(ctx)
	boot, err := cfg.bootstrapPeers()
	if err != nil {
		return nil, err
	}
	h.reach = reach.New(cfg.Reach, reach.Wiring{
		Network: cfg.Network, Public: cfg.Addresses == AddressesPublic && len(deps.Libp2p) == 0, Fixed: cfg.Announce, Listen: cfg.Listen,
		Member: deps.Member, Bootstrap: boot, Judges: h.judges, Metrics: libraryMetrics(cfg, deps), Log: h.log,
	})
	net, err := h.newLibp2p()
	if err != nil {
		h.cancel()
		return nil, err
	}
	h.net = net
	if err := h.start(); err != nil {
		return nil, errors.Join(err, h.Close())
	}
	h.stop = context.AfterFunc(ctx, func() {
		if err := h.close(); err != nil {
			h.log.Error("closing the network", "error", err)
		}
	})
	return h, nil
}

// start builds the parts. Each is complete before a goroutine can reach it.
func (h *Host) start() (err error) {
	h.directory, err = directory.New(h.cfg.Registry, directory.Parts{
		Host: neighbours{h}, Network: h.cfg.Network, Key: h.id, Admit: h.deps.Admit, Staked: h.deps.Staked, OnTwin: h.deps.OnTwin,
		Now: h.deps.Now, Log: h.log,
	})
	if err != nil {
		return err
	}
	h.streams, h.pusher, h.keeper = newStreams(h), newPusher(h), newKeeper(h)
	if h.gossip, err = newGossip(h.ctx, h.cfg, h.net, h.book, h.count, h.deps.Topics); err != nil {
		return err
	}
	h.gossip.run = h.run
	if h.discovery, err = newDiscovery(h.ctx, h.cfg, h.net, h.book, h.count, h.log); err != nil {
		return err
	}
	h.discovery.run = h.run
	if err = h.register(); err != nil {
		return err
	}
	h.net.Network().Notify(h.events)
	h.run(func(ctx context.Context) { h.events.run(ctx, h.onPeer) })
	h.run(h.keeper.loop)
	if h.reach.Begin(h.net) {
		h.run(h.reach.Run)
	}
	h.discovery.start()
	return h.serveDirectory()
}

// run starts a goroutine that Close waits for, unless the host is closing.
func (t *tasks) run(f func(context.Context)) {
	if t.begin() {
		go func() {
			defer t.work.Done()
			f(t.ctx)
		}()
	}
}

// begin counts one piece of work that Close waits for, ended by work.Done.
func (t *tasks) begin() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		t.work.Add(1)
	}
	return !t.closed
}

func (h *Host) onPeer(ev PeerEvent) {
	ev.Kept = h.keeper.event(ev)
	if ev.Connected {
		h.pusher.wake(ev.Peer)
		h.directory.Meet(ev.Peer)
	}
	if h.deps.OnPeer != nil {
		h.deps.OnPeer(ev)
	}
}

// Close stops the host and everything it started, waits for handlers that run,
// and saves the directory. It may be called again, but not from a handler.
func (h *Host) Close() error {
	if h.stop != nil {
		h.stop()
	}
	return h.close()
}

func (h *Host) close() error {
	h.once.Do(func() {
		h.mu.Lock()
		h.closed = true
		h.mu.Unlock()
		h.cancel()
		h.net.Network().StopNotify(h.events)
		var errs []error
		if h.discovery != nil {
			errs = append(errs, h.discovery.close())
		}
		errs = append(errs, h.net.Close())
		h.work.Wait()
		if h.directory != nil {
			errs = append(errs, h.directory.Save())
		}
		h.unregister()
		h.err = errors.Join(errs...)
	})
	return h.err
}

// ID returns the peer ID of this host.
func (h *Host) ID() peer.ID { return h.id.Peer() }

// Addrs returns the addresses told to others, each with /p2p/<peer ID>. If there are none, no node
// can dial us: with AddressesPublic, no public address is known yet.
func (h *Host) Addrs() ([]ma.Multiaddr, error) {
	own := h.net.Addrs()
	if len(own) == 0 {
		return nil, nil
	}
	return peer.AddrInfoToP2pAddrs(&peer.AddrInfo{ID: h.ID(), Addrs: own})
}

// Peers returns the connected peers.
func (h *Host) Peers() []peer.ID { return h.net.Network().Peers() }

// Reach says how others reach this host.
func (h *Host) Reach() reach.Way { return h.reach.Way() }

// Relayed reports whether all links to a peer go through relays.
func (h *Host) Relayed(p peer.ID) bool { return h.connected(p) && !reach.Straight(h.net, p) }

// judges returns who says that it is a judge, on the Roster or not.
func (h *Host) judges() (out []peer.AddrInfo) {
	for _, j := range h.directory.Judges() {
		if ai, err := j.AddrInfo(); err == nil && ai.ID != h.ID() {
			out = append(out, ai)
		}
	}
	return out
}

// Directory returns the directory of judges.
func (h *Host) Directory() *directory.Directory { return h.directory }

// Connect dials a peer once. Use Keep for links that must last.
func (h *Host) Connect(ctx context.Context, ai peer.AddrInfo) error { return h.net.Connect(ctx, ai) }

// allowed reports whether the address policy lets a be told, stored and dialled. On the internet a
// private address belongs to a machine in another network.
func (c Config) allowed(a ma.Multiaddr) bool {
	return c.Addresses == AddressesPrivate || manet.IsPublicAddr(a)
}

func (c Config) filter(in []ma.Multiaddr) []ma.Multiaddr {
	return slices.DeleteFunc(slices.Clone(in), func(a ma.Multiaddr) bool { return !c.allowed(a) })
}

// TopicName returns the gossip topic of a network: /oju/<network>/<name>/1. Topics are few and live
// as long as the node, because gossipsub punishes leaving and joining again.
func TopicName(network, name string) string {
	return fmt.Sprintf("/oju/%s/%s/1", network, name)
}

// ProtocolID returns the stream protocol of a network: /oju/<network>/<name>/1.
func ProtocolID(network, name string) protocol.ID {
	return protocol.ID(TopicName(network, name))
}

// dhtPrefix returns the prefix of the DHT protocol /oju/<network>/kad/1.0.0.
func dhtPrefix(network string) protocol.ID {
	return protocol.ID("/oju/" + network)
}

func checkName(name string) error {
	if !matches(namePattern, name) {
		return fmt.Errorf("p2p: %q is no topic or protocol name: want %s", name, namePattern)
	}
	return nil
}

// directoryName is the protocol by which hosts compare their directories.
const directoryName = "registry"

type neighbours struct{ *Host }

var _ directory.Host = neighbours{}

func (n neighbours) OwnAddrs() []ma.Multiaddr    { return n.net.Addrs() }
func (n neighbours) Allowed(a ma.Multiaddr) bool { return n.cfg.allowed(a) }
func (n neighbours) Connected(p peer.ID) bool    { return n.connected(p) }
func (n neighbours) Protected(p peer.ID) bool    { return n.net.ConnManager().IsProtected(p, keepTag) }
func (n neighbours) Go(f func(context.Context))  { n.run(f) }

func (n neighbours) Ask(ctx context.Context, to peer.ID, message []byte) ([]byte, error) {
	return n.Request(ctx, to, directoryName, message)
}

func (h *Host) serveDirectory() error {
	lim := DefaultLimits()
	lim.MaxRequest, lim.MaxResponse = wire.MaxSync, wire.MaxSync
	lim.Concurrency, lim.PerPeer, lim.RatePerPeer, lim.Burst = 32, 4, 4, 2*directory.SyncRounds
	err := h.Handle(directoryName, lim, func(_ context.Context, from peer.ID, raw []byte) ([]byte, error) {
		reply, err := h.directory.Answer(from, raw)
		if errors.Is(err, directory.ErrBadMessage) {
			err = Fail(ErrBadRequest, err.Error())
		}
		return reply, err
	})
	if err == nil {
		h.directory.Start()
	}
	return err
}
