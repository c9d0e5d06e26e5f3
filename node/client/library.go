package client

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"
	manet "github.com/multiformats/go-multiaddr/net"

	"ojud/casefile"
	"ojud/node"
	"ojud/p2p"
)

// blobStream is the name of the content protocol (protocol section 9).
const blobStream = "blob"

// The requests of the content protocol.
const (
	blobGet = 1
	blobPut = 2
)

// Library brings documents to the nodes of a court and gets them from there. It is a short-lived
// libp2p host with a key of its own; it needs neither chain nor authority. Close it.
type Library struct {
	host *p2p.Host
	boot []peer.AddrInfo
	cfg  Content
	log  *slog.Logger
}

// OpenLibrary starts the host and dials the court's bootstrap nodes. Logger, Libp2p of deps are
// used.
func OpenLibrary(ctx context.Context, network node.Descriptor, cfg Content, deps Deps) (*Library, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	boot, err := bootstrap(network)
	if err != nil {
		return nil, err
	}
	id, err := p2p.NewIdentity(rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("client: key for the network: %w", err)
	}
	l := &Library{boot: boot, cfg: cfg, log: deps.Logger}
	if l.log == nil {
		l.log = slog.New(slog.DiscardHandler)
	}
	l.host, err = p2p.New(ctx, hostConfig(network, boot, cfg), id, p2p.Deps{Logger: deps.Logger, Libp2p: deps.Libp2p})
	if err != nil {
		return nil, err
	}
	limits := p2p.DefaultLimits()
	limits.MaxRequest, limits.MaxResponse = 1+32+32+casefile.MaxBlob, casefile.MaxBlob
	if err := l.host.Limit(blobStream, limits); err != nil {
		return nil, fmt.Errorf("client: %w", err)
	}
	l.dial(ctx)
	return l, nil
}

// Close leaves the network.
func (l *Library) Close() error { return l.host.Close() }

// bootstrap reads the descriptor's nodes, each once with all its addresses.
func bootstrap(network node.Descriptor) ([]peer.AddrInfo, error) {
	all := make([]ma.Multiaddr, 0, len(network.Bootstrap))
	for _, text := range network.Bootstrap {
		a, err := ma.NewMultiaddr(text)
		if err != nil {
			return nil, fmt.Errorf("client: bootstrap node %q: %w", text, err)
		}
		all = append(all, a)
	}
	infos, err := peer.AddrInfosFromP2pAddrs(all...)
	if err != nil {
		return nil, fmt.Errorf("client: bootstrap nodes: %w", err)
	}
	if len(infos) == 0 {
		return nil, fmt.Errorf("client: network.json of court %q names no bootstrap node, so that no node can be reached; get a newer one", network.Name)
	}
	return infos, nil
}

// hostConfig suits a host that lives for one command: it listens where the bootstrap nodes can see
// it.
func hostConfig(network node.Descriptor, boot []peer.AddrInfo, cfg Content) p2p.Config {
	c := p2p.DefaultConfig()
	c.Network, c.Bootstrap, c.LibraryMetrics = network.Name, network.Bootstrap, false
	local, private := near(boot)
	if private {
		c.Addresses, c.ObserveAddrs = p2p.AddressesPrivate, false
	}
	where := net.IPv4zero
	if local {
		where = net.IPv4(127, 0, 0, 1)
	}
	c.Listen = []string{fmt.Sprintf("/ip4/%s/tcp/0", where), fmt.Sprintf("/ip4/%s/udp/0/quic-v1", where)}
	if len(cfg.Listen) > 0 {
		c.Listen = cfg.Listen
	}
	return c
}

// near says whether all bootstrap nodes are on this machine, and whether any is where only a
// private network can reach it.
func near(boot []peer.AddrInfo) (local, private bool) {
	local = len(boot) > 0
	for _, info := range boot {
		for _, a := range info.Addrs {
			local = local && manet.IsIPLoopback(a)
			private = private || !manet.IsPublicAddr(a)
		}
	}
	return local, private
}

// Near says whether all nodes of a court's network.json are on this machine, and whether any has an
// address that only a private network can reach: then a node has to tell and dial private addresses
// as well.
func Near(network node.Descriptor) (local, private bool, err error) {
	boot, err := bootstrap(network)
	if err != nil {
		return false, false, err
	}
	local, private = near(boot)
	return local, private, nil
}

// dial connects to the bootstrap nodes, all at once. Who cannot be reached now is dialled again
// when it is asked.
func (l *Library) dial(ctx context.Context) {
	var all sync.WaitGroup
	for _, info := range l.boot {
		all.Go(func() {
			if err := l.host.Connect(ctx, info); err != nil {
				l.log.Debug("bootstrap node does not answer", "peer", info.ID, "err", err)
			}
		})
	}
	all.Wait()
}

// peers are the nodes to ask: those that the descriptor names, whoever else is connected, the
// judges that announced themselves.
func (l *Library) peers() []peer.ID {
	seen := map[peer.ID]bool{l.host.ID(): true}
	var out []peer.ID
	add := func(p peer.ID) {
		if !seen[p] {
			seen[p] = true
			out = append(out, p)
		}
	}
	for _, info := range l.boot {
		add(info.ID)
	}
	for _, p := range l.host.Peers() {
		add(p)
	}
	for _, j := range l.host.Registry().Judges() {
		add(j.ID)
	}
	return out
}

// dialTime is how long one announced judge may take to answer the telephone. A judge that has gone
// away must not use up the time for the others: a dead QUIC port is silent for libp2p's whole 5 s.
const dialTime = time.Second

// ask puts a question to a node. One that is not connected is dialled at the addresses that it
// announced, so that no search is needed.
func (l *Library) ask(ctx context.Context, p peer.ID, request []byte) ([]byte, error) {
	if j, ok := l.host.Registry().Judge(p); ok && !slices.Contains(l.host.Peers(), p) {
		if err := l.reach(ctx, j); err != nil {
			return nil, err
		}
	}
	return l.host.Request(ctx, p, blobStream, request)
}

func (l *Library) reach(ctx context.Context, j p2p.Judge) error {
	info, err := j.AddrInfo()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	return l.host.Connect(ctx, info)
}
