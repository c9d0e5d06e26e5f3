package p2p

import (
	"fmt"
	"net/netip"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	rcmgr "github.com/libp2p/go-libp2p/p2p/host/resource-manager"
	connrate "github.com/libp2p/go-libp2p/x/rate"
	ma "github.com/multiformats/go-multiaddr"
	manet "github.com/multiformats/go-multiaddr/net"
	"golang.org/x/time/rate"

	"ojud/p2p/wire"
)

// siteBits is the length of the IPv6 prefix that counts as one place: a small provider or a free
// tunnel gives a customer a /48.
const siteBits = 48

// resourceManager builds a resource manager from our own numbers only. A resource that is not named
// here is unlimited in its own scope and bounded by the system's.
func resourceManager(r Resources, metrics bool) (network.ResourceManager, error) {
	opts := []rcmgr.Option{
		rcmgr.WithLimitPerSubnet(
			[]rcmgr.ConnLimitPerSubnet{{PrefixLength: 32, ConnCount: r.ConnsPerIPv4}},
			[]rcmgr.ConnLimitPerSubnet{{PrefixLength: siteBits, ConnCount: r.ConnsPerIPv6}},
		),
		rcmgr.WithConnRateLimiters(connRates(r)),
	}
	if !metrics {
		opts = append(opts, rcmgr.WithMetricsDisabled())
	}
	m, err := rcmgr.NewResourceManager(rcmgr.NewFixedLimiter(r.limits()), opts...)
	if err != nil {
		return nil, fmt.Errorf("p2p: resource manager: %w", err)
	}
	return m, nil
}

func (r Resources) limits() rcmgr.ConcreteLimitConfig {
	memory := rcmgr.LimitVal64(r.MemoryMiB) << 20
	return rcmgr.PartialLimitConfig{
		System:    scope(r.Conns, r.Streams, memory),
		Transient: scope(max(r.Conns/2, 64), max(r.Streams/8, 256), memory/2),
		// Peers that are kept have as much again (exempt).
		AllowlistedSystem:    scope(r.Conns, r.Streams, memory),
		AllowlistedTransient: scope(max(r.Conns/2, 64), max(r.Streams/8, 256), memory/2),
		PeerDefault:          scope(r.ConnsPerPeer, r.StreamsPerPeer, memory/8),
		// A protocol may use at most half the streams, so that one flooded protocol
		// leaves room for the others.
		ProtocolDefault:     scope(r.Conns, r.Streams/2, memory/2),
		ProtocolPeerDefault: scope(r.ConnsPerPeer, max(r.StreamsPerPeer/2, 8), memory/8),
	}.Build(rcmgr.InfiniteLimits)
}

func scope(conns, streams int, memory rcmgr.LimitVal64) rcmgr.ResourceLimits {
	c, s := rcmgr.LimitVal(conns), rcmgr.LimitVal(streams)
	return rcmgr.ResourceLimits{
		Conns: c, ConnsInbound: c, ConnsOutbound: c, FD: c,
		Streams: s, StreamsInbound: s, StreamsOutbound: s,
		Memory: memory,
	}
}

// connRates limits new connections by address; loopback is exempt, as in the
// library.
func connRates(r Resources) *connrate.Limiter {
	perV4 := connrate.Limit{RPS: r.ConnRatePerIP, Burst: r.ConnsPerIPv4}
	perV6 := connrate.Limit{RPS: r.ConnRatePerIP, Burst: r.ConnsPerIPv6}
	return &connrate.Limiter{
		NetworkPrefixLimits: []connrate.PrefixLimit{
			{Prefix: netip.MustParsePrefix("127.0.0.0/8")}, {Prefix: netip.MustParsePrefix("::1/128")},
		},
		SubnetRateLimiter: connrate.SubnetLimiter{
			IPv4SubnetLimits: []connrate.SubnetLimit{{PrefixLength: 32, Limit: perV4}},
			IPv6SubnetLimits: []connrate.SubnetLimit{{PrefixLength: siteBits, Limit: perV6}},
			GracePeriod:      time.Minute,
		},
	}
}

// exempt tells the resource manager which peers have room of their own: the kept peers, at the
// addresses where they are known to listen. Without it, attackers with many addresses could take
// every connection and keep out a judge that was away for a moment. The connection manager makes
// room only every ten seconds, and the attackers would take that too.
type exempt struct {
	list *rcmgr.Allowlist
	in   map[place]ma.Multiaddr
}

// place is a peer at one IP address without the port, because the peer dials us from another port.
type place struct {
	id peer.ID
	ip string // 16 bytes
}

func newExempt(m network.ResourceManager) *exempt {
	return &exempt{list: rcmgr.GetAllowlist(m), in: map[place]ma.Multiaddr{}}
}

// set makes new entries for new places alone: it runs every few seconds, and spelling peers and
// addresses was a fifth of an idle node's work.
func (e *exempt) set(peers []peer.AddrInfo) error {
	next := map[place]ma.Multiaddr{}
	for _, ai := range peers {
		for _, a := range ai.Addrs {
			if ip, err := manet.ToIP(a); err == nil { // a name (/dns4) is not a place
				at := place{ai.ID, string(ip.To16())}
				next[at] = e.in[at]
			}
		}
	}
	for at, entry := range e.in {
		if _, ok := next[at]; !ok {
			if err := e.list.Remove(entry); err != nil {
				return err
			}
		}
	}
	for at, entry := range next {
		if entry != nil {
			continue
		}
		entry, err := at.addr()
		if err != nil {
			delete(next, at) // not the ID of a peer
			continue
		}
		if err := e.list.Add(entry); err != nil {
			return err
		}
		next[at] = entry
	}
	e.in = next
	return nil
}

func (p place) addr() (ma.Multiaddr, error) {
	at, err := manet.FromIP([]byte(p.ip))
	if err != nil {
		return nil, err
	}
	who, err := ma.NewComponent("p2p", p.id.String())
	if err != nil {
		return nil, err
	}
	return at.AppendComponent(who), nil
}

// limiters keeps a token bucket for each peer. A bucket that has filled up again
// is the same as a new one and is forgotten.
type limiters struct {
	rate  float64
	burst int

	mu    sync.Mutex
	peers map[peer.ID]*rate.Limiter
	sweep int // size at which full buckets are forgotten
}

const minSweep = 256

func newLimiters(r float64, burst int) *limiters {
	return &limiters{rate: r, burst: burst, peers: map[peer.ID]*rate.Limiter{}, sweep: minSweep}
}

func (l *limiters) of(p peer.ID) *rate.Limiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	lim, ok := l.peers[p]
	if !ok {
		lim = rate.NewLimiter(rate.Limit(l.rate), l.burst)
		l.peers[p] = lim
		l.forget()
	}
	return lim
}

func (l *limiters) forget() {
	if len(l.peers) < l.sweep {
		return
	}
	now := time.Now()
	for p, lim := range l.peers {
		if lim.TokensAt(now) >= float64(l.burst) {
			delete(l.peers, p)
		}
	}
	l.sweep = max(minSweep, 2*len(l.peers))
}

// quota bounds the messages that peers may gossip to us.
type quota struct {
	*limiters
	ignoreCost int
}

func newQuota(g Gossip) *quota {
	return &quota{newLimiters(g.RatePerPeer, g.BurstPerPeer), g.IgnoreCost}
}

func (q *quota) take(p peer.ID, n int) bool { return q.of(p).AllowN(time.Now(), n) }

// ignored charges p for a message that our validator ignored. Unwanted signed messages still fill
// the memory of seen messages for SeenTTL. If they are dropped unread, an honest sender loses
// nothing, because they would be ignored again.
func (q *quota) ignored(p peer.ID) { q.of(p).ReserveN(time.Now(), q.ignoreCost-1) }

// guard admits the streams of one protocol. It bounds the streams at once, the streams at once for
// one peer, and the streams a second from one peer.
type guard struct {
	limits StreamLimits
	rates  *limiters

	mu     sync.Mutex
	total  int
	active map[peer.ID]int
}

func newGuard(lim StreamLimits) *guard {
	return &guard{limits: lim, rates: newLimiters(lim.RatePerPeer, lim.Burst), active: map[peer.ID]int{}}
}

// enter takes a place for a stream of p, which leave gives back.
func (g *guard) enter(p peer.ID) (leave func(), ok bool) {
	if !g.rates.of(p).Allow() {
		return nil, false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.total >= g.limits.Concurrency || g.active[p] >= g.limits.PerPeer {
		return nil, false
	}
	g.total++
	g.active[p]++
	return func() { g.leave(p) }, true
}

func (g *guard) leave(p peer.ID) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.total--
	if g.active[p]--; g.active[p] == 0 {
		delete(g.active, p)
	}
}

// refuse tells the other side that we are busy. It does not read the request.
func refuse(s network.Stream, timeout time.Duration) {
	if s.SetWriteDeadline(time.Now().Add(min(timeout, time.Second))) != nil {
		reset(s)
		return
	}
	if _, err := s.Write(wire.AppendFrame(nil, wire.Busy, nil)); err != nil || s.Close() != nil {
		reset(s)
	}
}

// reset ends a stream that is no longer useful. It ignores the error because the stream is gone in
// any case.
func reset(s network.Stream) { _ = s.Reset() }
