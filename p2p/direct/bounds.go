package direct

import (
	"maps"
	"net/netip"
	"slices"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	rcmgr "github.com/libp2p/go-libp2p/p2p/host/resource-manager"
	connrate "github.com/libp2p/go-libp2p/x/rate"
	ma "github.com/multiformats/go-multiaddr"
)

// What strangers may hold of a station. A place is an address of IPv4, or a network of IPv6. It has
// at most connsPerPlace peers, and each of these Protocol.Each streams, so that one machine has an
// eighth of mostStreams. Each stream reserves 256 KiB. Loopback has no bound of its own.
//
// Above two thirds of all connections, those that Keep did not name are closed, down to a half, the
// youngest last.
const (
	mostConns     = 600
	connsPerPlace = 32
	connsPerPeer  = 8
	mostStreams   = 2000
	mostMemory    = 512 << 20
	memoryOfPeer  = 32 << 20
	newConns      = 20 * time.Second // in which a connection is not closed for others
	connRate      = 32               // new connections in a second of one place, after connBurst
	connBurst     = linksOfPeer
	memoryOfLinks = 64 << 20 // of the links of one peer
)

// bounds are what the peers of a station may hold. The peers for which it carries, and the relays
// that carry for it, have room of their own for linksOfPeer links.
type bounds struct {
	each            int
	relays, carries map[peer.ID]bool
}

// conns is how many connections there may be.
func (b bounds) conns() int { return mostConns + linksOfPeer*(len(b.relays)+len(b.carries)) }

// manager has all peers keep the bounds. Nothing is bounded apart before the protocol of a stream,
// or the key of a peer, is known, because whoever keeps silent would then keep all others out.
func (b bounds) manager() (network.ResourceManager, error) {
	scope := func(conns, streams int, memory rcmgr.LimitVal64) rcmgr.ResourceLimits {
		c, s := rcmgr.LimitVal(conns), rcmgr.LimitVal(streams)
		return rcmgr.ResourceLimits{
			Conns: c, ConnsInbound: c, ConnsOutbound: c, FD: c,
			Streams: s, StreamsInbound: s, StreamsOutbound: s, Memory: memory,
		}
	}
	near := map[peer.ID]rcmgr.ResourceLimits{}
	for _, known := range []map[peer.ID]bool{b.relays, b.carries} {
		for id := range known {
			near[id] = scope(connsPerPeer, linksOfPeer+b.each, memoryOfLinks)
		}
	}
	links := linksOfPeer * len(near)
	limits := rcmgr.PartialLimitConfig{
		// A link is a stream to the peer, and one from the guest or those within the link.
		System:      scope(b.conns(), mostStreams+(1+b.each)*links, mostMemory+rcmgr.LimitVal64(2*memoryOfLinks*len(near))),
		PeerDefault: scope(connsPerPeer, b.each, memoryOfPeer),
		Peer:        near,
	}.Build(rcmgr.InfiniteLimits)
	place := []rcmgr.ConnLimitPerSubnet{{PrefixLength: 48, ConnCount: connsPerPlace}}
	m, err := rcmgr.NewResourceManager(rcmgr.NewFixedLimiter(limits), rcmgr.WithMetricsDisabled(),
		rcmgr.WithLimitPerSubnet([]rcmgr.ConnLimitPerSubnet{{PrefixLength: 32, ConnCount: connsPerPlace}}, place),
		rcmgr.WithConnRateLimiters(rates()))
	if err != nil {
		return nil, err
	}
	return linked{m, slices.Collect(maps.Keys(b.relays))}, nil
}

// rates bound the new connections of each place.
func rates() *connrate.Limiter {
	each := connrate.Limit{RPS: connRate, Burst: connBurst}
	return &connrate.Limiter{
		NetworkPrefixLimits: []connrate.PrefixLimit{{Prefix: netip.MustParsePrefix("127.0.0.0/8")}, {Prefix: netip.MustParsePrefix("::1/128")}},
		SubnetRateLimiter: connrate.SubnetLimiter{
			IPv4SubnetLimits: []connrate.SubnetLimit{{PrefixLength: 32, Limit: each}},
			IPv6SubnetLimits: []connrate.SubnetLimit{{PrefixLength: 48, Limit: each}},
			GracePeriod:      time.Minute,
		},
	}
}

// linked counts links over the relays of a station as streams of these relays, and not as
// connections of one place: all guests have the address of the relay, which bounds each of them.
type linked struct {
	network.ResourceManager
	relays []peer.ID
}

// OpenConnection implements network.ResourceManager.
func (l linked) OpenConnection(dir network.Direction, usefd bool, at ma.Multiaddr) (network.ConnManagementScope, error) {
	if before, _ := ma.SplitFunc(at, func(c ma.Component) bool { return c.Protocol().Code == ma.P_CIRCUIT }); len(before) < len(at) {
		if text, err := before.ValueForProtocol(ma.P_P2P); err == nil {
			if id, err := peer.Decode(text); err == nil && slices.Contains(l.relays, id) {
				at = at[len(before):]
			}
		}
	}
	return l.ResourceManager.OpenConnection(dir, usefd, at)
}
