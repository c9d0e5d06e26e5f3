package p2p

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	rcmgr "github.com/libp2p/go-libp2p/p2p/host/resource-manager"
	"github.com/libp2p/go-libp2p/x/rate"
)

// resourceManager builds a resource manager from numbers of ours alone. What is
// not named here is unlimited in its own scope and bounded by the system's.
func resourceManager(r Resources, metrics bool) (network.ResourceManager, error) {
	opts := []rcmgr.Option{
		rcmgr.WithLimitPerSubnet(
			[]rcmgr.ConnLimitPerSubnet{{PrefixLength: 32, ConnCount: r.ConnsPerIPv4}},
			[]rcmgr.ConnLimitPerSubnet{{PrefixLength: 56, ConnCount: r.ConnsPerIPv6}},
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
func connRates(r Resources) *rate.Limiter {
	perV4 := rate.Limit{RPS: r.ConnRatePerIP, Burst: r.ConnsPerIPv4}
	perV6 := rate.Limit{RPS: r.ConnRatePerIP, Burst: r.ConnsPerIPv6}
	return &rate.Limiter{
		NetworkPrefixLimits: []rate.PrefixLimit{
			{Prefix: netip.MustParsePrefix("127.0.0.0/8")}, {Prefix: netip.MustParsePrefix("::1/128")},
		},
		SubnetRateLimiter: rate.SubnetLimiter{
			IPv4SubnetLimits: []rate.SubnetLimit{{PrefixLength: 32, Limit: perV4}},
			IPv6SubnetLimits: []rate.SubnetLimit{{PrefixLength: 56, Limit: perV6}},
			GracePeriod:      time.Minute,
		},
	}
}
