package p2p

import (
	"cmp"
	"fmt"
	"regexp"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"

	"ojud/config/bounds"
	"ojud/p2p/wire"
)

const (
	networkPattern = `^[a-z0-9][a-z0-9-]{0,31}$`
	namePattern    = `^[a-z][a-z0-9-]{0,31}$`
)

// Validate reports the first field that is out of bounds, with the bound and
// how to fix it. New calls it.
func (c Config) Validate() error {
	return cmp.Or(c.checkNames(), c.checkAddrs(), c.checkRanges(), c.checkPeers(), c.Registry.Validate())
}

func (c Config) checkNames() error {
	if !matches(networkPattern, c.Network) {
		return fmt.Errorf("p2p: network is %q: set it to 1 to 32 of a-z, 0-9 and -, the same on every node", c.Network)
	}
	if c.Addresses != AddressesPublic && c.Addresses != AddressesPrivate {
		return fmt.Errorf("p2p: addresses is %q: set it to %q or %q", c.Addresses, AddressesPublic, AddressesPrivate)
	}
	return nil
}

func (c Config) checkAddrs() error {
	if len(c.Listen) == 0 {
		return fmt.Errorf("p2p: listen is empty: give at least one multiaddr, such as /ip4/0.0.0.0/tcp/4600")
	}
	if _, err := parseAddrs("listen", c.Listen); err != nil {
		return err
	}
	if _, err := parseAddrs("announce", c.Announce); err != nil {
		return err
	}
	_, err := c.bootstrapPeers()
	return err
}

func (c Config) checkPeers() error {
	// The DHT protects up to 40 peers of its own (two buckets of 20).
	if c.MaxPeers < 64 || c.MaxPeers >= c.Limits.Conns {
		return fmt.Errorf("p2p: max_peers is %d: set it to at least 64 and below limits.conns (%d)", c.MaxPeers, c.Limits.Conns)
	}
	return nil
}

func (c Config) checkRanges() error {
	l, g, d, p, r, s := c.Limits, c.Gossip, c.DHT, c.Push, c.Redial, c.Scores
	if d.Reprovide >= d.ProviderTTL {
		return fmt.Errorf("p2p: dht.reprovide_interval is %v; set it below dht.provider_ttl (%v), or records lapse", d.Reprovide, d.ProviderTTL)
	}
	return bounds.Check("p2p: ",
		bounds.AtLeast("limits.conns", l.Conns, 65),
		bounds.AtLeast("limits.conns_per_peer", l.ConnsPerPeer, 2),
		bounds.AtLeast("limits.conns_per_ipv4", l.ConnsPerIPv4, 1),
		bounds.AtLeast("limits.conns_per_ipv6", l.ConnsPerIPv6, 1),
		positive("limits.conn_rate_per_ip", l.ConnRatePerIP),
		bounds.AtLeast("limits.streams", l.Streams, 64),
		bounds.AtLeast("limits.streams_per_peer", l.StreamsPerPeer, 16),
		bounds.AtLeast("limits.memory_mib", l.MemoryMiB, 64),
		bounds.AtLeast("gossip.max_message_bytes", g.MaxMessage, 4*gossipOverhead),
		bounds.AtLeast("gossip.validate_queue", g.ValidateQueue, 1),
		bounds.AtLeast("gossip.outbound_queue", g.OutboundQueue, 1),
		bounds.AtLeast("gossip.inbox_messages", g.Inbox, 1),
		bounds.AtLeast("gossip.inbox_bytes", g.InboxBytes, g.MaxMessage),
		bounds.AtLeast("gossip.seen_ttl", g.SeenTTL, time.Minute),
		positive("gossip.rate_per_peer", g.RatePerPeer),
		bounds.AtLeast("gossip.burst_per_peer", g.BurstPerPeer, g.IgnoreCost),
		bounds.AtLeast("gossip.ignore_cost", g.IgnoreCost, 1),
		bounds.AtLeast("dht.reprovide_interval", d.Reprovide, time.Second),
		bounds.AtLeast("dht.max_providers", d.MaxProviders, 1),
		bounds.AtLeast("dht.max_providers_per_peer", d.MaxProvidersPerPeer, 1),
		bounds.AtLeast("dht.refresh_interval", d.Refresh, time.Second),
		bounds.AtLeast("dht.health_interval", d.Health, time.Second),
		bounds.AtLeast("push.max_message_bytes", p.MaxMessage, 1),
		bounds.AtLeast("push.queue_messages", p.Queue, 1),
		bounds.AtLeast("push.queue_bytes", p.QueueBytes, wire.FrameSize(p.MaxMessage)),
		bounds.AtLeast("push.max_age", p.MaxAge, time.Second),
		bounds.AtLeast("push.timeout", p.Timeout, 100*time.Millisecond),
		bounds.AtLeast("push.idle_timeout", p.Idle, time.Second),
		positive("push.rate_per_peer", p.RatePerPeer),
		bounds.AtLeast("push.burst_per_peer", p.BurstPerPeer, 1),
		bounds.AtLeast("redial.min_interval", r.Interval, 100*time.Millisecond),
		bounds.AtLeast("redial.max_interval", r.Max, r.Interval),
		bounds.AtLeast("redial.attempt_timeout", r.Timeout, 100*time.Millisecond),
		positive("scores.ban_at", s.BanAt),
		bounds.AtLeast("scores.ban_for", s.BanFor, time.Second),
		bounds.AtLeast("scores.half_life", s.HalfLife, time.Second),
		bounds.AtLeast("scores.max_peers", s.MaxPeers, 16),
	)
}

func (c Config) bootstrapPeers() ([]peer.AddrInfo, error) {
	addrs, err := parseAddrs("bootstrap", c.Bootstrap)
	if err != nil {
		return nil, err
	}
	infos, err := peer.AddrInfosFromP2pAddrs(addrs...)
	if err != nil {
		return nil, fmt.Errorf("p2p: bootstrap: end each multiaddr in /p2p/<peer ID>: %w", err)
	}
	return infos, nil
}

func parseAddrs(field string, in []string) ([]ma.Multiaddr, error) {
	out := make([]ma.Multiaddr, 0, len(in))
	for _, s := range in {
		a, err := ma.NewMultiaddr(s)
		if err != nil {
			return nil, fmt.Errorf("p2p: %s has %q, which is no multiaddr (such as /ip4/192.0.2.1/tcp/4600): %w", field, s, err)
		}
		out = append(out, a)
	}
	return out, nil
}

func matches(pattern, s string) bool {
	return regexp.MustCompile(pattern).MatchString(s)
}

// positive returns the range of a rate.
func positive(name string, v float64) bounds.Range { return bounds.Of(name, v, 0.001, 1e9) }
