package p2p

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"
	manet "github.com/multiformats/go-multiaddr/net"

	"ojud/config/bounds"
	"ojud/p2p/directory"
	"ojud/p2p/reach"
	"ojud/p2p/wire"
)

// Config holds every setting of an operator. It is plain data: strings, numbers and durations, so
// that it can come from a file. Start from DefaultConfig, change what differs, then Validate.
type Config struct {
	// Network separates one court from another: it is part of every protocol and
	// topic name. 1 to 32 of a-z, 0-9 and -.
	Network string `koanf:"network"`
	// Listen holds the multiaddrs to listen on. New fails if one cannot be bound, except for
	// /ip6/:: on a machine without IPv6.
	Listen []string `koanf:"listen"`
	// Announce replaces the addresses told to others, for a node behind a fixed translation. If it
	// is empty, the node tells its listen addresses and those that others observe.
	Announce []string `koanf:"announce"`
	// Bootstrap holds nodes to join through, as multiaddrs ending in /p2p/<peer ID>. It is empty
	// for the first node of a network.
	Bootstrap []string `koanf:"bootstrap"`
	// Addresses is "public" if the node tells, stores and dials only addresses of the internet, or
	// "private" if it takes any, for one machine or a LAN.
	Addresses string `koanf:"addresses"`
	// ObserveAddrs lets peers tell this node its address as they see it. A node behind NAT that
	// maps each port to itself, as in most clouds, needs it unless Announce is set.
	ObserveAddrs bool `koanf:"observe_addrs"`
	// LibraryMetrics registers go-libp2p's own Prometheus metrics too.
	LibraryMetrics bool `koanf:"library_metrics"`
	// MaxPeers is the number of connected peers above which the host closes links, the least useful
	// first. It never closes the links to kept peers (Keep).
	MaxPeers int `koanf:"max_peers"`

	Limits   Resources          `koanf:"limits"`
	Gossip   Gossip             `koanf:"gossip"`
	DHT      DHT                `koanf:"dht"`
	Push     Push               `koanf:"push"`
	Redial   Redial             `koanf:"redial"`
	Scores   Scores             `koanf:"scores"`
	Registry directory.Settings `koanf:"registry"`
	Reach    reach.Settings     `koanf:"reach"`
}

// Values of Config.Addresses.
const (
	AddressesPublic  = "public"
	AddressesPrivate = "private"
)

// Resources bounds what all peers together, and each one, can make us hold. The numbers are
// fixed, because the library's defaults follow the machine's memory and break 28 judges behind
// one address.
type Resources struct {
	// Conns bounds connections, both directions. It must be more than p2p.max_peers.
	Conns int `koanf:"conns"`
	// ConnsPerPeer bounds connections to one peer; a simultaneous dial makes two.
	ConnsPerPeer int `koanf:"conns_per_peer"`
	// ConnsPerIPv4 bounds connections from one IPv4 address; n judges behind one
	// address need up to 2n for a moment. Loopback is exempt.
	ConnsPerIPv4 int `koanf:"conns_per_ipv4"`
	// ConnsPerIPv6 bounds connections from one IPv6 /48.
	ConnsPerIPv6 int `koanf:"conns_per_ipv6"`
	// ConnRatePerIP bounds new connections a second from one address (IPv6: /48). It applies after
	// a burst of as many connections as may be open at once.
	ConnRatePerIP float64 `koanf:"conn_rate_per_ip"`
	// Streams bounds streams, both directions. StreamsPerPeer bounds those with one peer.
	Streams        int `koanf:"streams"`
	StreamsPerPeer int `koanf:"streams_per_peer"`
	// MemoryMiB bounds the buffers that the transports reserve, in MiB. A reservation is a bound on
	// memory, not memory in use: 256 KiB for each TCP stream.
	MemoryMiB int `koanf:"memory_mib"`
}

// Gossip sets the topics. With the library's default queue size of 32, networks of 64 nodes or
// more lose messages.
type Gossip struct {
	// MaxMessage bounds a message on the wire, in bytes. Its payload is a little smaller.
	MaxMessage    int `koanf:"max_message_bytes"`
	ValidateQueue int `koanf:"validate_queue"` // messages waiting for validation
	OutboundQueue int `koanf:"outbound_queue"` // RPCs waiting for one peer
	// Inbox and InboxBytes bound the accepted messages of one topic that the caller has not taken
	// yet.
	Inbox      int `koanf:"inbox_messages"`
	InboxBytes int `koanf:"inbox_bytes"`
	// SeenTTL is how long a message is remembered after it was last seen. It must outlast a round,
	// because otherwise old messages go round again.
	SeenTTL time.Duration `koanf:"seen_ttl"`
	// RatePerPeer and BurstPerPeer bound the messages a second that one peer may send or forward to
	// this node. A message that turns out to be useless counts as IgnoreCost messages.
	RatePerPeer  float64 `koanf:"rate_per_peer"`
	BurstPerPeer int     `koanf:"burst_per_peer"`
	IgnoreCost   int     `koanf:"ignore_cost"`
}

// DHT sets the distributed hash table.
type DHT struct {
	// ProviderTTL is how long a provider record is believed. Reprovide is how often the node renews
	// its own records. The library's 48 h would advertise dead nodes.
	ProviderTTL time.Duration `koanf:"provider_ttl"`
	Reprovide   time.Duration `koanf:"reprovide_interval"`
	// MaxProviders bounds the records that the node keeps for others. MaxProvidersPerPeer bounds
	// those that name one peer.
	MaxProviders        int `koanf:"max_providers"`
	MaxProvidersPerPeer int `koanf:"max_providers_per_peer"`
	// Refresh is how often the routing table is refreshed. Health is how often the host checks its
	// size and bootstraps again if it is empty.
	Refresh time.Duration `koanf:"refresh_interval"`
	Health  time.Duration `koanf:"health_interval"`
}

// Push sets the one-way streams that carry votes.
type Push struct {
	MaxMessage int `koanf:"max_message_bytes"` // bytes of one message
	// Queue and QueueBytes bound the messages that wait for one peer on one protocol. The oldest is
	// sent first, and dropped first if the queue is full.
	Queue      int `koanf:"queue_messages"`
	QueueBytes int `koanf:"queue_bytes"`
	// MaxAge is how long a message waits for an unreachable peer.
	MaxAge time.Duration `koanf:"max_age"`
	// Timeout bounds opening a stream, writing to it, and reading one message.
	Timeout time.Duration `koanf:"timeout"`
	// Idle is how long an unused outgoing stream is kept.
	Idle time.Duration `koanf:"idle_timeout"`
	// RatePerPeer and BurstPerPeer bound the messages a second that are read from one peer. Above
	// that rate the node reads more slowly, and loses nothing.
	RatePerPeer  float64 `koanf:"rate_per_peer"`
	BurstPerPeer int     `koanf:"burst_per_peer"`
}

// Redial sets how the links to the kept peers are restored.
type Redial struct {
	// Interval is the delay before the first attempts, and the shortest delay between two.
	Interval time.Duration `koanf:"min_interval"`
	// Max is the longest delay while a peer has been gone for less than 15 minutes.
	Max time.Duration `koanf:"max_interval"`
	// Timeout bounds one attempt. QUIC tries at 0, 0.2, 0.6, 1.4 and 3 s, then at 6.2 s, so waiting
	// longer than 3 s seldom helps. Timeout and Max together should be less than 5 s, because votes
	// should arrive 5 s after the network is whole again.
	Timeout time.Duration `koanf:"attempt_timeout"`
}

// Scores sets when a peer that misbehaves is refused.
type Scores struct {
	// BanAt is the number of points for bad behaviour at which a peer is disconnected and refused
	// for BanFor.
	BanAt  float64       `koanf:"ban_at"`
	BanFor time.Duration `koanf:"ban_for"`
	// HalfLife is the time after which points have halved.
	HalfLife time.Duration `koanf:"half_life"`
	// MaxPeers bounds the number of peers remembered.
	MaxPeers int `koanf:"max_peers"`
}

// Anywhere returns Config.Listen for all addresses of a machine; port 0 takes free ones.
func Anywhere(port uint16) (all []string) {
	for _, ip := range []string{"ip4/0.0.0.0", "ip6/::"} {
		all = append(all, fmt.Sprintf("/%s/tcp/%d", ip, port), fmt.Sprintf("/%s/udp/%d/quic-v1", ip, port))
	}
	return all
}

// heard leaves out /ip6/:: on a machine without IPv6.
func heard(all []string, six bool) []string {
	if six {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(a string) bool { return strings.HasPrefix(a, "/ip6/::/") })
}

// hasSix reports whether this machine has IPv6.
func hasSix(ctx context.Context) bool {
	var sockets net.ListenConfig
	s, err := sockets.ListenPacket(ctx, "udp6", "[::]:0")
	return err == nil && s.Close() == nil
}

// DefaultConfig returns settings that were measured to suit 28 judges behind one address. Only
// Network and, except on the first node, Bootstrap are left to set.
func DefaultConfig() Config {
	return Config{
		Listen:         Anywhere(4600),
		Addresses:      AddressesPublic,
		ObserveAddrs:   true,
		LibraryMetrics: true,
		MaxPeers:       512,
		Limits: Resources{
			Conns: 1024, ConnsPerPeer: 8, ConnsPerIPv4: 256, ConnsPerIPv6: 256, ConnRatePerIP: 64,
			Streams: 16 << 10, StreamsPerPeer: 256, MemoryMiB: 2048,
		},
		Gossip: Gossip{
			MaxMessage: 64 << 10, ValidateQueue: 4096, OutboundQueue: 1024, Inbox: 8192, InboxBytes: 16 << 20,
			SeenTTL: 15 * time.Minute, RatePerPeer: 1000, BurstPerPeer: 8192, IgnoreCost: 50,
		},
		DHT: DHT{
			ProviderTTL: 30 * time.Minute, Reprovide: 10 * time.Minute, MaxProviders: 65536, MaxProvidersPerPeer: 1024,
			Refresh: 5 * time.Minute, Health: 5 * time.Second,
		},
		Push: Push{
			MaxMessage: 64 << 10, Queue: 256, QueueBytes: 1 << 20, MaxAge: 10 * time.Minute, Timeout: 10 * time.Second,
			Idle: 15 * time.Minute, RatePerPeer: 2000, BurstPerPeer: 8192,
		},
		Redial:   Redial{Interval: 2 * time.Second, Max: 2500 * time.Millisecond, Timeout: 4 * time.Second},
		Scores:   Scores{BanAt: 100, BanFor: 15 * time.Minute, HalfLife: 10 * time.Minute, MaxPeers: 8192},
		Registry: directory.Settings{MaxEntries: 4096, Sync: 30 * time.Second, Announce: time.Hour, Save: 5 * time.Second},
		Reach:    reach.Default(),
	}
}

const (
	networkPattern = `^[a-z0-9][a-z0-9-]{0,31}$`
	namePattern    = `^[a-z][a-z0-9-]{0,31}$`
)

// Validate reports the first field that is out of bounds, with the bound and
// how to fix it. New calls it.
func (c Config) Validate() error {
	return cmp.Or(c.checkNames(), c.checkAddrs(), c.checkRanges(), c.checkPeers(), c.Registry.Validate(), c.Reach.Validate())
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

// Brief returns the settings of Config.Reach for a host that lives for one command: it dials judges
// behind routers, and is reached by nobody.
func Brief() reach.Settings { return reach.Brief() }

// Hidden reports whether a node is reached through relays alone.
func Hidden(addrs []ma.Multiaddr) bool { return reach.Hidden(addrs) }

// Inside reports whether an address, as Bootstrap has it, is of this machine or of a private
// network. One that is none leads nowhere.
func Inside(address string) bool {
	a, err := ma.NewMultiaddr(address)
	return err == nil && !manet.IsPublicAddr(a)
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
