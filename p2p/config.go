package p2p

import "time"

// Config is everything an operator can set. It is plain data: strings, numbers
// and durations, so that it can come from a file. Start from DefaultConfig,
// change what differs, then Validate.
type Config struct {
	// Network separates one court from another: it is part of every protocol and
	// topic name. 1 to 32 of a-z, 0-9 and -.
	Network string `koanf:"network"`
	// Listen holds the multiaddrs to listen on. New fails if one cannot be bound.
	Listen []string `koanf:"listen"`
	// Announce replaces the addresses told to others, for a node behind a fixed
	// translation. Empty: the listen addresses and what others observe.
	Announce []string `koanf:"announce"`
	// Bootstrap holds nodes to join through, as multiaddrs ending in /p2p/<peer ID>.
	// Empty for the first node of a network.
	Bootstrap []string `koanf:"bootstrap"`
	// Addresses says which addresses are told, stored and dialled: AddressesPublic
	// (the internet) or AddressesPrivate (any, for one machine or a LAN).
	Addresses string `koanf:"addresses"`
	// ObserveAddrs lets peers tell us our address as they see it. Needed behind
	// a 1:1 translation (most clouds) unless Announce is set.
	ObserveAddrs bool `koanf:"observe_addrs"`
	// LibraryMetrics registers go-libp2p's own Prometheus metrics too.
	LibraryMetrics bool `koanf:"library_metrics"`
	// MaxPeers is the number of connected peers above which those not kept (Keep)
	// are closed, least useful first.
	MaxPeers int `koanf:"max_peers"`

	Limits   Resources `koanf:"limits"`
	Gossip   Gossip    `koanf:"gossip"`
	DHT      DHT       `koanf:"dht"`
	Push     Push      `koanf:"push"`
	Redial   Redial    `koanf:"redial"`
	Scores   Scores    `koanf:"scores"`
	Registry Directory `koanf:"registry"`
}

// Values of Config.Addresses.
const (
	AddressesPublic  = "public"
	AddressesPrivate = "private"
)

// Resources bounds what all peers together, and each one, can make us hold. The
// numbers are fixed: the library's defaults follow the machine's memory and
// break 28 judges behind one address.
type Resources struct {
	// Conns bounds connections, both directions. It must exceed MaxPeers.
	Conns int `koanf:"conns"`
	// ConnsPerPeer bounds connections to one peer; a simultaneous dial makes two.
	ConnsPerPeer int `koanf:"conns_per_peer"`
	// ConnsPerIPv4 bounds connections from one IPv4 address; n judges behind one
	// address need up to 2n for a moment. Loopback is exempt.
	ConnsPerIPv4 int `koanf:"conns_per_ipv4"`
	// ConnsPerIPv6 bounds connections from one IPv6 /56.
	ConnsPerIPv6 int `koanf:"conns_per_ipv6"`
	// ConnRatePerIP bounds new connections a second from one address (IPv6: /56),
	// after a burst of as many as may be open at once.
	ConnRatePerIP float64 `koanf:"conn_rate_per_ip"`
	// Streams bounds streams, both directions; StreamsPerPeer those with one peer.
	Streams        int `koanf:"streams"`
	StreamsPerPeer int `koanf:"streams_per_peer"`
	// MemoryMiB bounds the buffers the transports reserve, in MiB. A reservation
	// is a bound on memory, not memory in use: 256 KiB a TCP stream.
	MemoryMiB int `koanf:"memory_mib"`
}

// Gossip sets the topics. Queues of the library's default size of 32 lose
// messages from 64 nodes on.
type Gossip struct {
	// MaxMessage bounds a message on the wire, in bytes. A payload may have
	// gossipOverhead bytes less.
	MaxMessage    int `koanf:"max_message_bytes"`
	ValidateQueue int `koanf:"validate_queue"` // messages waiting for validation
	OutboundQueue int `koanf:"outbound_queue"` // RPCs waiting for one peer
	// Inbox and InboxBytes bound the accepted messages of one topic the caller has
	// not taken yet.
	Inbox      int `koanf:"inbox_messages"`
	InboxBytes int `koanf:"inbox_bytes"`
	// SeenTTL is how long a message is remembered after it was last seen. It must
	// outlast a round, or old messages go round again (C5).
	SeenTTL time.Duration `koanf:"seen_ttl"`
	// RatePerPeer and BurstPerPeer bound the messages a second one peer may send or
	// forward to us. A message our validator ignores costs IgnoreCost messages.
	RatePerPeer  float64 `koanf:"rate_per_peer"`
	BurstPerPeer int     `koanf:"burst_per_peer"`
	IgnoreCost   int     `koanf:"ignore_cost"`
}

// DHT sets the distributed hash table.
type DHT struct {
	// ProviderTTL is how long a provider record is believed; Reprovide, how often
	// we renew ours. The library's 48 h would advertise the dead (C17).
	ProviderTTL time.Duration `koanf:"provider_ttl"`
	Reprovide   time.Duration `koanf:"reprovide_interval"`
	// MaxProviders bounds the records we keep for others, MaxProvidersPerPeer those
	// naming one peer.
	MaxProviders        int `koanf:"max_providers"`
	MaxProvidersPerPeer int `koanf:"max_providers_per_peer"`
	// Refresh is how often the routing table is refreshed, Health how often its
	// size is looked at and bootstrap retried if it is empty.
	Refresh time.Duration `koanf:"refresh_interval"`
	Health  time.Duration `koanf:"health_interval"`
}

// Push sets the one-way streams that carry votes.
type Push struct {
	MaxMessage int `koanf:"max_message_bytes"` // bytes of one message
	// Queue and QueueBytes bound what waits for one peer on one protocol. The
	// oldest goes first, to the peer and, when full, overboard.
	Queue      int `koanf:"queue_messages"`
	QueueBytes int `koanf:"queue_bytes"`
	// MaxAge is how long a message waits for an unreachable peer.
	MaxAge time.Duration `koanf:"max_age"`
	// Timeout bounds opening a stream, writing to it, and reading one message.
	Timeout time.Duration `koanf:"timeout"`
	// Idle is how long an unused outgoing stream is kept.
	Idle time.Duration `koanf:"idle_timeout"`
	// RatePerPeer and BurstPerPeer bound the messages a second read from one peer.
	// Over it we read more slowly; nothing is lost on our side.
	RatePerPeer  float64 `koanf:"rate_per_peer"`
	BurstPerPeer int     `koanf:"burst_per_peer"`
}

// Redial sets how the links to the kept peers are restored.
type Redial struct {
	// Interval is the delay before the first attempts, and the least between two.
	Interval time.Duration `koanf:"min_interval"`
	// Max is the greatest delay while a peer has been gone for less than redialLong.
	Max time.Duration `koanf:"max_interval"`
	// Timeout bounds one attempt. QUIC tries at 0, 0.2, 0.6, 1.4 and 3 s, then at 6.2 s: an attempt
	// that a cut has spoilt is worth nothing after 3 s. Votes are to arrive 5 s after any cut, so
	// what is left of it and Max are less.
	Timeout time.Duration `koanf:"attempt_timeout"`
}

// Scores sets when a peer that misbehaves is refused.
type Scores struct {
	// BanAt is the number of points (Penalize) at which a peer is disconnected and
	// refused, for BanFor.
	BanAt  float64       `koanf:"ban_at"`
	BanFor time.Duration `koanf:"ban_for"`
	// HalfLife is the time in which points halve.
	HalfLife time.Duration `koanf:"half_life"`
	// MaxPeers bounds the number of peers remembered.
	MaxPeers int `koanf:"max_peers"`
}

// Directory sets the registry of judges.
type Directory struct {
	// Path is the file the registry is kept in. Empty: in memory only.
	Path string `koanf:"path"`
	// MaxEntries bounds the judges known, at most wire.MaxDigest. Those without a stake
	// (Deps.Staked) go first.
	MaxEntries int `koanf:"max_entries"`
	// Sync is how often it is compared with a few peers; Announce, how often our
	// own entry is signed anew. Save is the least time between two writes.
	Sync     time.Duration `koanf:"sync_interval"`
	Announce time.Duration `koanf:"announce_interval"`
	Save     time.Duration `koanf:"save_interval"`
}

// DefaultConfig returns the settings measured to suit 28 judges behind one address.
// Only Network and, except on the first node, Bootstrap are left to set.
func DefaultConfig() Config {
	return Config{
		Listen:         []string{"/ip4/0.0.0.0/tcp/4600", "/ip4/0.0.0.0/udp/4600/quic-v1"},
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
		Registry: Directory{MaxEntries: 4096, Sync: 30 * time.Second, Announce: time.Hour, Save: 5 * time.Second},
	}
}
