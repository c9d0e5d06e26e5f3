// Package reach lets a node behind a home router be reached, with go-libp2p's own parts: AutoNAT v2
// tries its addresses, UPnP and NAT-PMP open a port, relays (circuit v2) carry links to it, and
// hole punching (DCUtR) makes those links direct. mDNS finds judges on the local network.
//
// A relay sees who is linked and how much is sent, but not what: the link through it is encrypted
// from end to end, like any other.
package reach

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p"
	"github.com/libp2p/go-libp2p/core/event"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/p2p/host/autorelay"
	"github.com/libp2p/go-libp2p/p2p/host/eventbus"
	"github.com/libp2p/go-libp2p/p2p/net/swarm"
	"github.com/libp2p/go-libp2p/p2p/transport/websocket"
	ma "github.com/multiformats/go-multiaddr"
	"github.com/prometheus/client_golang/prometheus"
)

// Wiring is what the package needs of a host.
type Wiring struct {
	Network string
	Public  bool     // only addresses of the internet are used; if not, nothing here runs
	Fixed   []string // addresses that the operator set
	Listen  []string
	// Member reports whether a peer is a judge on the Roster; nil: nobody is.
	Member func(peer.ID) bool
	// Bootstrap holds the nodes to join through. They may be relays also if they are no judges.
	Bootstrap []peer.AddrInfo
	// Judges returns who says that it is a judge. Those on the Roster may be relays. It is called
	// from Begin on.
	Judges func() []peer.AddrInfo
	// Machine returns the addresses of this machine, each with its network. If it is nil, they are
	// looked up.
	Machine func() ([]netip.Prefix, error)
	Metrics prometheus.Registerer // gets the library's metrics; nil: nothing does
	Log     *slog.Logger
}

// Reach is one node's way to be reached.
type Reach struct {
	cfg   Settings
	parts Wiring
	relay *service // what it carries for others; nil: nothing
	local *local
	// relays are those that carry links to this node.
	relays *trials

	mu    sync.Mutex
	host  host.Host
	tried event.EvtHostReachableAddrsChanged // what AutoNAT v2 found
}

// New returns the reach of a node that is about to start. Give Options to libp2p, then call
// Begin and Run.
func New(cfg Settings, parts Wiring) *Reach {
	if parts.Member == nil {
		parts.Member = func(peer.ID) bool { return false }
	}
	if parts.Log == nil {
		parts.Log = slog.New(slog.DiscardHandler)
	}
	if parts.Machine == nil {
		parts.Machine = machine
	}
	return &Reach{cfg: cfg, parts: parts, local: newLocal(parts.Member, parts.Machine), relays: newTrials()}
}

// Active reports whether anything of this package runs.
func (r *Reach) Active() bool { return r.cfg.On && r.parts.Public }

// Options returns the options of libp2p. They end with ctx.
func (r *Reach) Options(ctx context.Context) ([]libp2p.Option, error) {
	var opts []libp2p.Option
	if r.Active() || slices.ContainsFunc(r.parts.Listen, func(a string) bool { return strings.Contains(a, "/ws") }) {
		secure, err := r.certificate()
		if err != nil {
			return nil, err
		}
		opts = append(opts, libp2p.Transport(websocket.New, secure...))
	}
	if !r.Active() {
		return append(opts, libp2p.DisableRelay()), nil
	}
	opts = append(opts, libp2p.EnableRelay(), libp2p.EnableHolePunching())
	if r.cfg.brief() {
		return opts, nil
	}
	opts = append(opts, libp2p.EnableAutoNATv2())
	if r.cfg.PortMapping && r.behind(netip.Addr.Is4) {
		opts = append(opts, libp2p.NATPortMap())
	}
	if r.cfg.Serve.On {
		r.relay = newService(ctx, r.cfg.Serve, r.parts.Member, r.parts.Metrics)
	}
	return opts, nil
}

// certificate returns the options of the WebSocket transport.
func (r *Reach) certificate() ([]any, error) {
	if r.cfg.Certificate == "" {
		return nil, nil
	}
	pair, err := tls.LoadX509KeyPair(r.cfg.Certificate, r.cfg.Key)
	if err != nil {
		return nil, fmt.Errorf("p2p: reach.tls_certificate and reach.tls_key: %w; set both to PEM files that belong together", err)
	}
	return []any{websocket.WithTLSConfig(&tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12})}, nil
}

// source gives libp2p up to n nodes that may be relays.
func (r *Reach) source(_ context.Context, n int) <-chan peer.AddrInfo {
	out := make(chan peer.AddrInfo, n)
	defer close(out)
	r.mu.Lock()
	started := r.host != nil
	r.mu.Unlock()
	if !started {
		return out
	}
	judges := slices.DeleteFunc(r.parts.Judges(), func(ai peer.AddrInfo) bool { return !r.parts.Member(ai.ID) })
	all := slices.DeleteFunc(slices.Concat(r.parts.Bootstrap, judges), func(ai peer.AddrInfo) bool { return r.relays.shunned(ai.ID, time.Now()) })
	rand.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
	all = apart(all)
	for _, ai := range all[:min(n, len(all))] {
		out <- ai
	}
	return out
}

// Begin notes the host that has started, and reports whether Run has anything to do.
func (r *Reach) Begin(h host.Host) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.host = h
	return r.Active() && !r.cfg.brief()
}

// Run watches the links of the host of Begin until ctx ends.
func (r *Reach) Run(ctx context.Context) {
	h := r.host
	found, err := h.EventBus().Subscribe(new(event.EvtHostReachableAddrsChanged), eventbus.Name("reach"))
	if err != nil {
		r.parts.Log.Error("nobody tells whether this node can be reached", "error", err)
		return
	}
	defer r.end("events", found.Close)
	got, err := h.EventBus().Subscribe(new(event.EvtAutoRelayAddrsUpdated), eventbus.Name("reach"))
	if err != nil {
		r.parts.Log.Error("nobody tells through which relays this node can be reached", "error", err)
		return
	}
	defer r.end("events", got.Close)
	say, err := h.EventBus().Emitter(new(event.EvtLocalReachabilityChanged), eventbus.Stateful)
	if err != nil {
		r.parts.Log.Error("relays cannot be told whether this node can be reached", "error", err)
		return
	}
	defer r.end("events", say.Close)
	if r.cfg.LocalNetwork && r.behind(netip.Addr.IsValid) {
		if stop := r.local.start(ctx, h, r.parts.Network, r.parts.Log); stop != nil {
			defer r.end("mDNS", stop)
		}
	}
	stop, err := r.findRelays(h)
	if err != nil {
		r.parts.Log.Error("no relay carries links to this node", "error", err)
		return
	}
	defer r.end("the search for relays", stop)
	r.tell(say, network.ReachabilityUnknown)
	defer r.end("the relay", func() error { return r.serve(h, false) })
	tick, again := time.NewTicker(tidyEvery), time.NewTicker(straightEvery)
	defer tick.Stop()
	defer again.Stop()
	var dials, tries sync.WaitGroup
	defer dials.Wait()
	defer tries.Wait()
	for {
		select {
		case <-ctx.Done():
			return
		case e, ok := <-found.Out():
			if !ok {
				return
			}
			r.hear(h, say, e.(event.EvtHostReachableAddrsChanged))
		case e, ok := <-got.Out():
			if !ok {
				return
			}
			r.relays.set(e.(event.EvtAutoRelayAddrsUpdated).RelayAddrs)
		case <-tick.C:
			r.tidy(h, time.Now())
			if due := r.relays.due(time.Now()); len(due) > 0 {
				tries.Go(func() { r.try(ctx, h, due) })
			}
		case <-again.C:
			dials.Wait() // they end long before the next turn
			dials.Go(func() { r.straighten(ctx, h) })
		}
	}
}

// findRelays begins to look for relays, and returns what ends it. libp2p.EnableAutoRelay is not
// used, because its one Close may leave a search behind: if a message on the reachability arrives
// while the search ends, it begins again. Nothing begins it after the first Close has returned, so
// the second Close is enough.
func (r *Reach) findRelays(h host.Host) (stop func() error, err error) {
	if r.cfg.Relays == 0 {
		return func() error { return nil }, nil
	}
	opts := []autorelay.Option{
		autorelay.WithPeerSource(r.source), autorelay.WithNumRelays(r.cfg.Relays), autorelay.WithMinCandidates(r.cfg.Relays),
		autorelay.WithBootDelay(relayBoot), autorelay.WithBackoff(relayWait), autorelay.WithMinInterval(relayAsk),
	}
	if r.parts.Metrics != nil {
		opts = append(opts, autorelay.WithMetricsTracer(autorelay.NewMetricsTracer(autorelay.WithRegisterer(r.parts.Metrics))))
	}
	found, err := autorelay.NewAutoRelay(h, opts...)
	if err != nil {
		return nil, fmt.Errorf("p2p: relays: %w", err)
	}
	found.Start()
	return func() error { return errors.Join(found.Close(), found.Close()) }, nil
}

func (r *Reach) end(what string, stop func() error) {
	if err := stop(); err != nil {
		r.parts.Log.Debug("ending "+what, "error", err)
	}
}

// serve begins or ends what this node carries for others.
func (r *Reach) serve(h host.Host, on bool) error {
	if r.relay == nil {
		return nil
	}
	return r.relay.serve(h, on)
}

// hear notes what AutoNAT v2 found. If somebody reached this node, it is a relay. The result is
// passed on to the library's relay client, which still listens to AutoNAT v1 alone. A node with
// IPv4 that was reached by IPv6 alone keeps its relays, for judges without IPv6.
func (r *Reach) hear(h host.Host, say event.Emitter, e event.EvtHostReachableAddrsChanged) {
	r.mu.Lock()
	r.tried = e
	r.mu.Unlock()
	if err := r.serve(h, len(e.Reachable) > 0); err != nil {
		r.parts.Log.Error("no links are carried for others", "error", err)
	}
	switch {
	case len(e.Reachable) > 0 && !sixOnly(e.Reachable, r.parts.Machine):
		r.tell(say, network.ReachabilityPublic)
	case len(e.Reachable) > 0, len(e.Unreachable) > 0 && len(e.Unknown) == 0:
		r.tell(say, network.ReachabilityPrivate)
	default:
		r.tell(say, network.ReachabilityUnknown)
	}
}

func (r *Reach) tell(say event.Emitter, is network.Reachability) {
	if err := say.Emit(event.EvtLocalReachabilityChanged{Reachability: is}); err != nil {
		r.parts.Log.Debug("telling whether this node can be reached", "error", err)
	}
}

// Straight reports whether a host has a link to a peer that no relay carries.
func Straight(h host.Host, p peer.ID) bool {
	return slices.ContainsFunc(h.Network().ConnsToPeer(p), func(c network.Conn) bool { return !relayed(c) })
}

// tidy closes relayed links beside a direct one that has lasted, and what is carried for judges
// that left the Roster.
func (r *Reach) tidy(h host.Host, now time.Time) {
	for _, p := range h.Network().Peers() {
		conns := h.Network().ConnsToPeer(p)
		lasting := slices.ContainsFunc(conns, func(c network.Conn) bool { return !relayed(c) && now.Sub(c.Stat().Opened) > tidyEvery/2 })
		for _, c := range conns {
			if relayed(c) && c.Stat().Direction == network.DirInbound {
				r.relays.carried(c.RemoteMultiaddr(), now)
			}
			if lasting && relayed(c) {
				r.end("a relayed link", c.Close)
			}
		}
	}
	if r.relay != nil {
		r.relay.expel(h)
	}
}

// straighten dials some peers directly that are linked through relays alone. The library tries only
// after a relayed link began, when addresses are often not known yet.
func (r *Reach) straighten(ctx context.Context, h host.Host) {
	tried := 0
	for _, p := range h.Network().Peers() {
		if tried == straightMost || ctx.Err() != nil {
			return
		}
		if Straight(h, p) || len(direct(h.Peerstore().Addrs(p))) == 0 {
			continue
		}
		tried++
		one, cancel := context.WithTimeout(network.WithForceDirectDial(ctx, "straighten"), straightDial)
		if err := h.Connect(one, peer.AddrInfo{ID: p}); err != nil {
			r.parts.Log.Debug("dialling a peer beside its relayed link", "peer", p, "error", err)
		}
		cancel()
	}
}

// Dial links to a peer, through a relay if it has no other address. The library's own pause after a
// failure is skipped, because the caller's is shorter.
func Dial(ctx context.Context, h host.Host, ai peer.AddrInfo) error {
	if s, ok := h.Network().(interface{ Backoff() *swarm.DialBackoff }); ok {
		s.Backoff().Clear(ai.ID)
	}
	return h.Connect(ctx, ai)
}

// Tell returns the addresses to tell others, of those that the library and the policy allow. The
// library leaves out relays if any address was reached.
func (r *Reach) Tell(addrs []ma.Multiaddr) []ma.Multiaddr {
	r.mu.Lock()
	tried := r.tried
	r.mu.Unlock()
	if r.Active() && len(tried.Reachable) > 0 && sixOnly(tried.Reachable, r.parts.Machine) {
		addrs = ma.Unique(append(addrs, r.relays.addrs()...))
	}
	return addrs
}

// Near reports whether mDNS found a judge at an address of the local network.
func (r *Reach) Near(p peer.ID, a ma.Multiaddr) bool { return r.Active() && r.local.knows(p, a) }

// relayed reports whether a link goes through a relay. The library marks only links with the limits
// of its own relays.
func relayed(c network.Conn) bool { return circuit(c.RemoteMultiaddr()) }

func circuit(a ma.Multiaddr) bool {
	return slices.ContainsFunc(a, func(c ma.Component) bool { return c.Protocol().Code == ma.P_CIRCUIT })
}

// Hidden reports whether all addresses of a node are behind relays.
func Hidden(addrs []ma.Multiaddr) bool { return len(addrs) > 0 && len(direct(addrs)) == 0 }

// direct returns the addresses that are not behind a relay.
func direct(in []ma.Multiaddr) []ma.Multiaddr { return slices.DeleteFunc(slices.Clone(in), circuit) }
