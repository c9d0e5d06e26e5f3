// Package p2ptest builds networks of whole p2p hosts on a simulated wire, on fake time. The wire is
// QUIC over marcopolo/simnet. Everything above it is the code that runs in production.
//
// A test calls Run, makes a Net, adds Nodes, and may Cut the net in two. Time stands still while
// any goroutine is busy, so a round of ten minutes takes seconds. A test that leaves a goroutine
// behind fails.
package p2ptest

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	mrand "math/rand/v2"
	"net"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/libp2p/go-libp2p"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/x/simlibp2p"
	"github.com/marcopolo/simnet"

	"ojud/p2p"
	"ojud/p2p/identity"
	"ojud/test/ramdisk"
)

// Settings of the wire.
const (
	bandwidth = 20 * simlibp2p.OneMbps // of each node, each way
	Latency   = 50 * time.Millisecond  // one way, unless NewNet says otherwise
	lost      = 10000 * time.Hour      // a packet with this delay is lost
)

// lazyGC is the garbage collector's percentage in a bubble. With Go's 100 it takes a sixth of the
// processor time of these tests.
const lazyGC = 400

// Run runs f on fake time, in a bubble of its own, with its temporary files in memory. Under the
// race detector it runs on one processor, because of golang/go#78156.
func Run(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	if raceEnabled {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	}
	defer debug.SetGCPercent(debug.SetGCPercent(lazyGC))
	t.Setenv(ramdisk.Variable, ramdisk.Dir())
	synctest.Test(t, f)
}

// Net is a simulated network.
type Net struct {
	t    testing.TB
	sim  *simnet.Simnet
	cut  atomic.Pointer[func(from, to int) bool]
	slow atomic.Pointer[func(from, to int) time.Duration]
	loss atomic.Uint64 // lost packets in a million
	rate int           // bits a second of each node that is added, each way
	n    int
}

// NewNet starts a network with the given one-way latency. It ends with the test.
func NewNet(t testing.TB, latency time.Duration) *Net {
	n := &Net{t: t, rate: bandwidth}
	n.sim = &simnet.Simnet{Logger: slog.New(slog.DiscardHandler), LatencyFunc: func(p *simnet.Packet) time.Duration {
		if n.dropped(p) {
			return lost
		}
		return latency + n.extra(p)
	}}
	n.sim.Start()
	t.Cleanup(func() {
		n.sim.Close()
		time.Sleep(time.Second) // pubsub always sleeps 100 ms before its first heartbeat
	})
	return n
}

func (n *Net) dropped(p *simnet.Packet) bool {
	if cut := n.cut.Load(); cut != nil && (*cut)(index(p.From), index(p.To)) {
		return true
	}
	return mrand.Uint64N(1e6) < n.loss.Load()
}

// extra returns the delay that Slow adds to a packet.
func (n *Net) extra(p *simnet.Packet) time.Duration {
	if slow := n.slow.Load(); slow != nil {
		return (*slow)(index(p.From), index(p.To))
	}
	return 0
}

// index returns the number of the node with an address. It is the reverse of IP.
func index(a net.Addr) int {
	b := a.(*net.UDPAddr).IP.To4()
	return int(b[1])<<16 | int(b[2])<<8 | int(b[3]) - 1
}

// Cut loses every packet between two nodes, by their number, for which f is true, until the next
// Cut. A nil f restores the network.
func (n *Net) Cut(f func(from, to int) bool) {
	if f == nil {
		n.cut.Store(nil)
		return
	}
	n.cut.Store(&f)
}

// Halves cuts a network into its odd and its even nodes.
func Halves(from, to int) bool { return (from-to)%2 != 0 }

// Chain keeps only the links from each node to the next.
func Chain(from, to int) bool { return from-to > 1 || to-from > 1 }

// Slow delays every packet between two nodes, by their number, by the result of f in addition to
// the latency, until the next Slow. A nil f ends it. Packets with different delays overtake each
// other. f is called by one goroutine.
func (n *Net) Slow(f func(from, to int) time.Duration) {
	if f == nil {
		n.slow.Store(nil)
		return
	}
	n.slow.Store(&f)
}

// Rate sets the bandwidth of the nodes that are added afterwards, in bits a second, each way.
func (n *Net) Rate(bits int) { n.rate = bits }

// Loss loses that share of all packets.
func (n *Net) Loss(share float64) { n.loss.Store(uint64(share * 1e6)) }

// Option changes the configuration of a node.
type Option func(*p2p.Config, *p2p.Deps)

// IP is the address of the i-th node of a Net.
func IP(i int) net.IP { return simnet.IntToPublicIPv4(i) }

// Config is the configuration of the i-th node: the default one, on its address.
func Config(i int) p2p.Config {
	cfg := p2p.DefaultConfig()
	cfg.Network = "test"
	cfg.Listen = []string{fmt.Sprintf("/ip4/%s/udp/4600/quic-v1", IP(i))}
	cfg.Addresses = p2p.AddressesPrivate
	cfg.ObserveAddrs = false // the library's address discovery stalls fake time
	cfg.LibraryMetrics = false
	return cfg
}

// Identity makes a new identity.
func Identity(t testing.TB) identity.Identity {
	t.Helper()
	id, err := identity.New(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// Node adds a node with a new identity. It is closed at the end of the test, if
// not before.
func (n *Net) Node(opts ...Option) *p2p.Host { return n.NodeAs(Identity(n.t), opts...) }

// NodeAs adds a node with a given identity.
func (n *Net) NodeAs(id identity.Identity, opts ...Option) *p2p.Host {
	n.t.Helper()
	cfg := Config(n.n)
	n.n++
	deps := p2p.Deps{Libp2p: []libp2p.Option{n.Transport()}}
	for _, o := range opts {
		o(&cfg, &deps)
	}
	h, err := p2p.New(context.Background(), cfg, id, deps)
	if err != nil {
		n.t.Fatal(err)
	}
	n.t.Cleanup(func() {
		if err := h.Close(); err != nil {
			n.t.Error(err)
		}
	})
	return h
}

// Transport is the option that puts a libp2p host on this network.
func (n *Net) Transport() libp2p.Option {
	link := simnet.LinkSettings{BitsPerSecond: n.rate}
	return simlibp2p.QUICSimnet(n.sim, simnet.NodeBiDiLinkSettings{Downlink: link, Uplink: link})
}

// Info returns the address of a host, for Connect and Keep.
func Info(t testing.TB, h *p2p.Host) peer.AddrInfo {
	t.Helper()
	addrs, err := h.Addrs()
	if err != nil {
		t.Fatal(err)
	}
	infos, err := peer.AddrInfosFromP2pAddrs(addrs...)
	if err != nil || len(infos) != 1 {
		t.Fatalf("addresses of %s: %v, %v", h.ID(), addrs, err)
	}
	return infos[0]
}

// Infos returns the addresses of several hosts.
func Infos(t testing.TB, hosts []*p2p.Host) []peer.AddrInfo {
	t.Helper()
	out := make([]peer.AddrInfo, 0, len(hosts))
	for _, h := range hosts {
		out = append(out, Info(t, h))
	}
	return out
}

// IDs returns the peer IDs of several hosts.
func IDs(hosts []*p2p.Host) []peer.ID {
	out := make([]peer.ID, 0, len(hosts))
	for _, h := range hosts {
		out = append(out, h.ID())
	}
	return out
}

// Mesh makes every host keep a link to every other.
func Mesh(t testing.TB, hosts []*p2p.Host) {
	t.Helper()
	all := Infos(t, hosts)
	for _, h := range hosts {
		h.Keep(all)
	}
}

// Bootstrap returns the option that joins a network through h.
func Bootstrap(t testing.TB, h *p2p.Host) Option {
	t.Helper()
	addrs, err := h.Addrs()
	if err != nil {
		t.Fatal(err)
	}
	return func(cfg *p2p.Config, _ *p2p.Deps) {
		for _, a := range addrs {
			cfg.Bootstrap = append(cfg.Bootstrap, a.String())
		}
	}
}

// Links returns the number of connected pairs among hosts.
func Links(hosts []*p2p.Host) int {
	member := map[peer.ID]bool{}
	for _, h := range hosts {
		member[h.ID()] = true
	}
	ends := 0
	for _, h := range hosts {
		for _, p := range h.Peers() {
			if member[p] {
				ends++
			}
		}
	}
	return ends / 2
}

// Eventually checks a condition until it is true, and returns how long that took. The test fails if
// it is longer than limit. The checks are 20 ms apart at first, then a hundredth of the time that
// has passed, and at most a second.
func Eventually(t testing.TB, limit time.Duration, what string, ok func() bool) time.Duration {
	t.Helper()
	start := time.Now()
	for !ok() {
		passed := time.Since(start)
		if passed > limit {
			t.Fatalf("not within %v: %s", limit, what)
		}
		time.Sleep(min(max(20*time.Millisecond, passed/100), time.Second))
	}
	return time.Since(start)
}

// NoDrops fails the test if a host lost a message.
func NoDrops(t testing.TB, hosts ...*p2p.Host) {
	t.Helper()
	for i, h := range hosts {
		if lost := h.Stats().Drops(); len(lost) > 0 {
			t.Errorf("host %d lost %v", i, lost)
		}
	}
}
