package direct

import (
	"context"
	"errors"
	"fmt"

	"github.com/libp2p/go-libp2p"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/p2p/net/connmgr"
	"github.com/libp2p/go-libp2p/p2p/net/swarm"
	"github.com/libp2p/go-libp2p/p2p/security/noise"
	"github.com/libp2p/go-libp2p/p2p/transport/tcp"
	ma "github.com/multiformats/go-multiaddr"
)

// Where is how a station is reached.
type Where struct {
	Listen  []string // addresses such as /ip4/0.0.0.0/tcp/4001; none: it listens nowhere
	Through []string // relays that carry for it, such as /ip4/192.0.2.1/tcp/4001/p2p/12D3…
	Carries []string // peers, 12D3…, that others reach through it
	// Lost is told when a relay does not carry for the station, and again with nil when it does.
	Lost func(relay string, err error)
}

// Station is one end of many streams.
type Station struct {
	host   host.Host
	p      Protocol
	relays []peer.AddrInfo
	lost   func(relay string, err error)
	room   chan struct{}
	gone   chan struct{} // a connection ended
}

// New begins a station. Its owner closes it, or lets Serve do so.
func New(key Key, p Protocol, w Where) (*Station, error) {
	n := &Station{p: p, lost: w.Lost, room: make(chan struct{}, p.Streams), gone: make(chan struct{}, 1)}
	relays := map[peer.ID]bool{}
	for _, text := range w.Through {
		to, err := parse(text)
		if err != nil {
			return nil, err
		}
		n.relays = append(n.relays, *to)
		relays[to.ID] = true
	}
	carries, err := peers(w.Carries)
	if err != nil {
		return nil, err
	}
	if n.host, err = open(key, p, w, relays, carries); err != nil {
		return nil, err
	}
	if len(carries) > 0 {
		if err := carry(n.host, carries); err != nil {
			return nil, errors.Join(err, n.host.Close())
		}
	}
	n.host.Network().Notify(&network.NotifyBundle{DisconnectedF: func(network.Network, network.Conn) {
		select {
		case n.gone <- struct{}{}:
		default:
		}
	}})
	return n, nil
}

func open(key Key, p Protocol, w Where, relays, carries map[peer.ID]bool) (host.Host, error) {
	options := []libp2p.Option{
		libp2p.Identity(libp2pKey{key}), libp2p.Transport(tcp.NewTCPTransport), libp2p.Security(noise.ID, noise.New),
		libp2p.EnableRelay(), libp2p.DisableMetrics(), libp2p.DisableIdentifyAddressDiscovery(), libp2p.NoListenAddrs,
	}
	if len(w.Listen)+len(relays) > 0 { // strangers come
		b := bounds{each: p.Each, relays: relays, carries: carries}
		manager, err := b.manager()
		if err != nil {
			return nil, err
		}
		most := b.conns()
		trim, err := connmgr.NewConnManager(most/2, most*2/3, connmgr.WithGracePeriod(newConns))
		if err != nil {
			return nil, errors.Join(err, manager.Close())
		}
		options = append(options, libp2p.ResourceManager(manager), libp2p.ConnectionManager(trim))
	}
	h, err := libp2p.New(options...)
	if err != nil {
		return nil, err
	}
	// The library logs an address in use by itself if it is told to listen there at once.
	for _, text := range w.Listen {
		at, err := ma.NewMultiaddr(text)
		if err == nil {
			err = h.Network().Listen(at)
		}
		if err != nil {
			return nil, errors.Join(err, h.Close())
		}
	}
	return h, nil
}

// Addresses are those that a peer dials.
func (n *Station) Addresses() (at []string) {
	for _, a := range n.host.Addrs() {
		if _, err := a.ValueForProtocol(ma.P_CIRCUIT); err != nil {
			at = append(at, fmt.Sprintf("%s/p2p/%s", a, n.host.ID()))
		}
	}
	for _, r := range n.relays {
		for _, a := range r.Addrs {
			at = append(at, fmt.Sprintf("%s/p2p/%s/p2p-circuit/p2p/%s", a, r.ID, n.host.ID()))
		}
	}
	return at
}

// Peer is the id of the station.
func (n *Station) Peer() string { return n.host.ID().String() }

// Keep keeps the connection of a stream before those that are not kept, until release is called.
func (n *Station) Keep(s *Talk) (release func()) {
	who, stream := s.raw.Conn().RemotePeer(), s.raw.ID()
	n.host.ConnManager().Protect(who, stream)
	return func() { n.host.ConnManager().Unprotect(who, stream) }
}

// serve takes streams until the station is closed.
func (n *Station) serve(ctx context.Context, talk func(context.Context, *Talk)) {
	take := func(raw network.Stream) {
		select {
		case n.room <- struct{}{}:
			defer func() { <-n.room }()
		default:
			_ = raw.Reset()
			return
		}
		s, err := newTalk(raw, n.p.Most)
		if err != nil {
			_ = raw.Reset()
			return
		}
		talk(ctx, s)
		_ = s.Close()
	}
	for _, name := range n.p.names() {
		n.host.SetStreamHandler(name, take)
	}
}

// wait closes the station when ctx ends, and waits until all conversations are over.
func (n *Station) wait(ctx context.Context) error {
	<-ctx.Done()
	err := n.host.Close()
	for range cap(n.room) {
		n.room <- struct{}{}
	}
	return err
}

// Serve runs talk for each stream until ctx ends, and has the relays carry for the station. Then it
// closes the station.
func (n *Station) Serve(ctx context.Context, talk func(context.Context, *Talk)) error {
	n.serve(ctx, talk)
	kept := make(chan struct{})
	go func() {
		defer close(kept)
		n.stay(ctx)
	}()
	err := n.wait(ctx)
	<-kept
	return err
}

// Dial opens a stream to the peer at an address. Several streams of one peer share a connection.
func (n *Station) Dial(ctx context.Context, address string) (*Talk, error) {
	to, err := parse(address)
	if err != nil {
		return nil, err
	}
	n.again(to)
	ctx = network.WithAllowLimitedConn(ctx, n.p.Name)
	if err := n.host.Connect(ctx, *to); err != nil {
		return nil, err
	}
	// If the peer closed the connection, addresses that it told are not dialled instead.
	raw, err := n.host.NewStream(network.WithNoDial(ctx, "connected"), to.ID, n.p.names()...)
	if err != nil {
		return nil, err
	}
	s, err := newTalk(raw, n.p.Most)
	if err != nil {
		_ = raw.Reset()
	}
	return s, err
}

// Close ends all streams.
func (n *Station) Close() error { return n.host.Close() }

// again forgets that dials of a peer, and of the relays before it, have failed. The library would
// wait minutes; the callers here wait themselves.
func (n *Station) again(to *peer.AddrInfo) {
	s, ok := n.host.Network().(interface{ Backoff() *swarm.DialBackoff })
	if !ok {
		return
	}
	s.Backoff().Clear(to.ID)
	for _, a := range to.Addrs {
		if text, err := a.ValueForProtocol(ma.P_P2P); err == nil {
			if relay, err := peer.Decode(text); err == nil {
				s.Backoff().Clear(relay)
			}
		}
	}
}

func parse(address string) (*peer.AddrInfo, error) {
	a, err := ma.NewMultiaddr(address)
	if err != nil {
		return nil, fmt.Errorf("%.120q is no address of libp2p: %w", address, err)
	}
	to, err := peer.AddrInfoFromP2pAddr(a)
	if err != nil {
		return nil, fmt.Errorf("%.120q needs the peer at its end, /p2p/12D3…: %w", address, err)
	}
	return to, nil
}

func peers(in []string) (out map[peer.ID]bool, err error) {
	out = map[peer.ID]bool{}
	for _, text := range in {
		id, err := peer.Decode(text)
		if err != nil {
			return nil, fmt.Errorf("%.80q is no peer; write its id, 12D3…: %w", text, err)
		}
		out[id] = true
	}
	return out, nil
}
