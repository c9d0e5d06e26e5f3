package library

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"
	manet "github.com/multiformats/go-multiaddr/net"

	"ojud/casefile"
	"ojud/node"
	"ojud/p2p"
	"ojud/p2p/directory"
	"ojud/p2p/identity"
	"ojud/voting"
)

// blobStream is the name of the content protocol (docs/protocol.md, section 9).
const blobStream = "blob"

// The requests of the content protocol.
const (
	blobGet = 1
	blobPut = 2
	cardPut = 3
)

// Library publishes documents to the nodes of a court and gets documents from them. It is a
// short-lived libp2p host with its own key. It needs no chain and no authority. Close it after
// use.
type Library struct {
	host *p2p.Host
	boot []peer.AddrInfo
	cfg  Config
	log  *slog.Logger
}

// Open starts the host and dials the court's bootstrap nodes.
func Open(ctx context.Context, network node.Descriptor, cfg Config, deps Deps) (*Library, error) {
	id, err := identity.New(rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("library: key for the network: %w", err)
	}
	return OpenAs(ctx, network, id, cfg, deps)
}

// OpenAs is Open for a host with that identity.
func OpenAs(ctx context.Context, network node.Descriptor, id identity.Identity, cfg Config, deps Deps) (*Library, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	boot, err := bootstrap(network)
	if err != nil {
		return nil, err
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
		return nil, fmt.Errorf("library: %w", err)
	}
	l.dial(ctx)
	return l, nil
}

// Close leaves the network.
func (l *Library) Close() error { return l.host.Close() }

// Host is the host of the library.
func (l *Library) Host() *p2p.Host { return l.host }

// Learn waits until a node told of others, for 5 s at most, and connects with the given ones of
// those that announced themselves. A node that does not answer is left out.
func (l *Library) Learn(ctx context.Context, wants func(directory.Judge) bool) error {
	var all sync.WaitGroup
	_, err := l.announced(ctx, func(j directory.Judge) {
		if !wants(j) || slices.Contains(l.host.Peers(), j.ID) {
			return
		}
		all.Go(func() {
			if err := l.reach(ctx, j); err != nil {
				l.log.Debug("a node does not answer", "peer", j.ID, "err", err)
			}
		})
	})
	all.Wait()
	return err
}

// FetchFrom gets content from one node, and checks its hash.
func (l *Library) FetchFrom(ctx context.Context, p peer.ID, hash voting.Hash) ([]byte, error) {
	content, err := l.ask(ctx, p, append([]byte{blobGet}, hash[:]...))
	if err == nil && casefile.HashOf(content) != hash {
		err = fmt.Errorf("library: %s answered with other content", p)
	}
	return content, err
}

// bootstrap returns the descriptor's nodes, each with all its addresses.
func bootstrap(network node.Descriptor) ([]peer.AddrInfo, error) {
	infos, err := Peers(network.Bootstrap)
	if err != nil {
		return nil, fmt.Errorf("library: bootstrap nodes: %w", err)
	}
	if len(infos) == 0 {
		return nil, fmt.Errorf("library: network.json of court %q names no bootstrap node, so that no node can be reached; get a newer one", network.Name)
	}
	return infos, nil
}

// Peers reads multiaddrs that end in /p2p/<peer ID>, and returns each peer with all its
// addresses.
func Peers(texts []string) ([]peer.AddrInfo, error) {
	all := make([]ma.Multiaddr, 0, len(texts))
	for _, text := range texts {
		a, err := ma.NewMultiaddr(text)
		if err != nil {
			return nil, fmt.Errorf("library: address %q: %w", text, err)
		}
		all = append(all, a)
	}
	infos, err := peer.AddrInfosFromP2pAddrs(all...)
	if err != nil {
		return nil, fmt.Errorf("library: addresses of peers: %w", err)
	}
	return infos, nil
}

// hostConfig returns the settings of a host that lives for one command. The host listens where
// the bootstrap nodes can reach it.
func hostConfig(network node.Descriptor, boot []peer.AddrInfo, cfg Config) p2p.Config {
	c := p2p.DefaultConfig()
	c.Network, c.Bootstrap, c.LibraryMetrics = network.Name, network.Bootstrap, false
	c.Reach = p2p.Brief()
	local, private := near(boot)
	if private {
		c.Addresses, c.ObserveAddrs = p2p.AddressesPrivate, false
	}
	c.Listen = p2p.Anywhere(0)
	if local {
		c.Listen = []string{"/ip4/127.0.0.1/tcp/0", "/ip4/127.0.0.1/udp/0/quic-v1"}
	}
	if len(cfg.Listen) > 0 {
		c.Listen = cfg.Listen
	}
	return c
}

// near reports whether all bootstrap nodes are on this machine, and whether all addresses are
// private.
func near(boot []peer.AddrInfo) (local, private bool) {
	local, private = len(boot) > 0, len(boot) > 0
	for _, info := range boot {
		for _, a := range info.Addrs {
			local = local && manet.IsIPLoopback(a)
			private = private && !manet.IsPublicAddr(a)
		}
	}
	return local, private
}

// Near reports whether all nodes of a court's network.json are on this machine, and whether all
// have private addresses. Then a node must announce and dial private addresses, too. One private
// address among others changes nothing, because a stranger may have named it.
func Near(network node.Descriptor) (local, private bool, err error) {
	boot, err := bootstrap(network)
	if err != nil {
		return false, false, err
	}
	local, private = near(boot)
	return local, private, nil
}

// dial connects to all bootstrap nodes at once. A node that cannot be reached now is dialled
// again when it is asked.
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

// peers returns the nodes to ask: the bootstrap nodes, other connected nodes, and judges that
// announced themselves.
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
	for _, j := range l.host.Directory().Judges() {
		add(j.ID)
	}
	return out
}

// dialTime bounds the dial to one announced judge, so that a judge that is gone leaves time for
// the others. A dead QUIC port is silent for all 5 s of libp2p.
const dialTime = time.Second

// relayTime bounds the dial to a judge behind a router: first to its relay, and then through it.
const relayTime = 4 * time.Second

// ask sends a request to a node. It dials a node that is not connected at the addresses that the
// node announced.
func (l *Library) ask(ctx context.Context, p peer.ID, request []byte) ([]byte, error) {
	if j, ok := l.host.Directory().Judge(p); ok && !slices.Contains(l.host.Peers(), p) {
		if err := l.reach(ctx, j); err != nil {
			return nil, err
		}
	}
	return l.host.Request(ctx, p, blobStream, request)
}

func (l *Library) reach(ctx context.Context, j directory.Judge) error {
	info, err := j.AddrInfo()
	if err != nil {
		return err
	}
	patience := dialTime
	if p2p.Hidden(info.Addrs) {
		patience = relayTime
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return l.host.Connect(ctx, info)
}

// learnTime is how long Offers and Holders wait for a node that tells who has which source.
const learnTime = 5 * time.Second

// Holders returns the nodes that announce a source. It knows none if no node told of others
// within
// 5 s; known is false then.
func (l *Library) Holders(ctx context.Context, source string) (holders []peer.ID, known bool, err error) {
	offers, known, err := l.Offers(ctx)
	return offers[source], known, err
}

// Offers returns the nodes that announce each source. It knows none if no node told of others
// within 5 s; known is false then.
func (l *Library) Offers(ctx context.Context) (offers map[string][]peer.ID, known bool, err error) {
	offers = map[string][]peer.ID{}
	known, err = l.announced(ctx, func(j directory.Judge) {
		for _, s := range j.Sources {
			if has := offers[s.Name]; !slices.Contains(has, j.ID) {
				offers[s.Name] = append(has, j.ID)
			}
		}
	})
	return offers, known, err
}

// Readers returns the nodes that announce a model, which reads what code cannot decide. It knows
// none if no node told of others within 5 s; known is false then.
func (l *Library) Readers(ctx context.Context) (readers []peer.ID, known bool, err error) {
	known, err = l.announced(ctx, func(j directory.Judge) {
		if j.ModelFamily != directory.CodeFamily {
			readers = append(readers, j.ID)
		}
	})
	return readers, known, err
}

// announced shows the announcements of other nodes, as soon as one node told of others.
func (l *Library) announced(ctx context.Context, show func(directory.Judge)) (known bool, err error) {
	all := l.host.Directory()
	select {
	case <-all.Learned():
	case <-time.After(learnTime):
	case <-ctx.Done():
		return false, ctx.Err()
	}
	for _, j := range all.Judges() {
		if j.ID != l.host.ID() && !l.host.Banned(j.ID) {
			show(j)
		}
	}
	return all.Len() > 0, nil
}
