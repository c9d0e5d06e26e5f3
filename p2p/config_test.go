package p2p_test

import (
	"strings"
	"testing"
	"time"

	"ojud/p2p"
	"ojud/p2p/p2ptest"
)

func TestDefaultConfig(t *testing.T) {
	cfg := p2p.DefaultConfig()
	if err := cfg.Validate(); err == nil || !strings.Contains(err.Error(), "network") {
		t.Errorf("without a network: %v", err)
	}
	cfg.Network = "main-1"
	if err := cfg.Validate(); err != nil {
		t.Error(err)
	}
	if err := p2p.DefaultLimits().Validate(); err != nil {
		t.Error(err)
	}
}

// TestConfigBounds: each error names the field as it is written in the file.
func TestConfigBounds(t *testing.T) {
	for field, spoil := range map[string]func(*p2p.Config){
		"network":                     func(c *p2p.Config) { c.Network = "Main/net" },
		"network is":                  func(c *p2p.Config) { c.Network = strings.Repeat("x", 33) },
		"addresses":                   func(c *p2p.Config) { c.Addresses = "all" },
		"listen is empty":             func(c *p2p.Config) { c.Listen = nil },
		"listen has":                  func(c *p2p.Config) { c.Listen = []string{"0.0.0.0:4600"} },
		"announce has":                func(c *p2p.Config) { c.Announce = []string{"example.org"} },
		"bootstrap has":               func(c *p2p.Config) { c.Bootstrap = []string{"example.org"} },
		"bootstrap: end":              func(c *p2p.Config) { c.Bootstrap = []string{"/ip4/192.0.2.1/tcp/1"} },
		"max_peers":                   func(c *p2p.Config) { c.MaxPeers = c.Limits.Conns },
		"limits.conns":                func(c *p2p.Config) { c.Limits.Conns = 1 },
		"limits.conns_per_peer":       func(c *p2p.Config) { c.Limits.ConnsPerPeer = 0 },
		"limits.conns_per_ipv4":       func(c *p2p.Config) { c.Limits.ConnsPerIPv4 = 0 },
		"limits.conns_per_ipv6":       func(c *p2p.Config) { c.Limits.ConnsPerIPv6 = 0 },
		"limits.conn_rate_per_ip":     func(c *p2p.Config) { c.Limits.ConnRatePerIP = 0 },
		"limits.streams":              func(c *p2p.Config) { c.Limits.Streams = 0 },
		"limits.streams_per_peer":     func(c *p2p.Config) { c.Limits.StreamsPerPeer = 0 },
		"limits.memory_mib":           func(c *p2p.Config) { c.Limits.MemoryMiB = 1 },
		"gossip.max_message_bytes":    func(c *p2p.Config) { c.Gossip.MaxMessage = 10 },
		"gossip.validate_queue":       func(c *p2p.Config) { c.Gossip.ValidateQueue = 0 },
		"gossip.outbound_queue":       func(c *p2p.Config) { c.Gossip.OutboundQueue = 0 },
		"gossip.inbox_messages":       func(c *p2p.Config) { c.Gossip.Inbox = 0 },
		"gossip.inbox_bytes":          func(c *p2p.Config) { c.Gossip.InboxBytes = 1 },
		"gossip.seen_ttl":             func(c *p2p.Config) { c.Gossip.SeenTTL = time.Second },
		"gossip.rate_per_peer":        func(c *p2p.Config) { c.Gossip.RatePerPeer = -1 },
		"gossip.burst_per_peer":       func(c *p2p.Config) { c.Gossip.BurstPerPeer = 0 },
		"gossip.ignore_cost":          func(c *p2p.Config) { c.Gossip.IgnoreCost = 0 },
		"dht.reprovide_interval":      func(c *p2p.Config) { c.DHT.Reprovide = c.DHT.ProviderTTL },
		"dht.reprovide_interval is 0": func(c *p2p.Config) { c.DHT.Reprovide = 0 },
		"dht.max_providers":           func(c *p2p.Config) { c.DHT.MaxProviders = 0 },
		"dht.max_providers_per_peer":  func(c *p2p.Config) { c.DHT.MaxProvidersPerPeer = 0 },
		"dht.refresh_interval":        func(c *p2p.Config) { c.DHT.Refresh = 0 },
		"dht.health_interval":         func(c *p2p.Config) { c.DHT.Health = 0 },
		"push.max_message_bytes":      func(c *p2p.Config) { c.Push.MaxMessage = 0 },
		"push.queue_messages":         func(c *p2p.Config) { c.Push.Queue = 0 },
		"push.queue_bytes":            func(c *p2p.Config) { c.Push.QueueBytes = 1 },
		"push.max_age":                func(c *p2p.Config) { c.Push.MaxAge = 0 },
		"push.timeout":                func(c *p2p.Config) { c.Push.Timeout = 0 },
		"push.idle_timeout":           func(c *p2p.Config) { c.Push.Idle = 0 },
		"push.rate_per_peer":          func(c *p2p.Config) { c.Push.RatePerPeer = 0 },
		"push.burst_per_peer":         func(c *p2p.Config) { c.Push.BurstPerPeer = 0 },
		"redial.min_interval":         func(c *p2p.Config) { c.Redial.Interval = 0 },
		"redial.max_interval":         func(c *p2p.Config) { c.Redial.Max = time.Second },
		"redial.attempt_timeout":      func(c *p2p.Config) { c.Redial.Timeout = 0 },
		"scores.ban_at":               func(c *p2p.Config) { c.Scores.BanAt = 0 },
		"scores.ban_for":              func(c *p2p.Config) { c.Scores.BanFor = 0 },
		"scores.half_life":            func(c *p2p.Config) { c.Scores.HalfLife = 0 },
		"scores.max_peers":            func(c *p2p.Config) { c.Scores.MaxPeers = 0 },
		"registry.max_entries":        func(c *p2p.Config) { c.Registry.MaxEntries = 0 },
		"registry.max_entries is 5":   func(c *p2p.Config) { c.Registry.MaxEntries = 5000 },
		"registry.sync_interval":      func(c *p2p.Config) { c.Registry.Sync = 0 },
		"registry.announce_interval":  func(c *p2p.Config) { c.Registry.Announce = 0 },
		"registry.save_interval":      func(c *p2p.Config) { c.Registry.Save = -1 },
	} {
		cfg := p2ptest.Config(0)
		spoil(&cfg)
		if err := cfg.Validate(); err == nil || !strings.HasPrefix(err.Error(), "p2p: "+field) {
			t.Errorf("%s: error %v", field, err)
		}
	}
}

func TestNames(t *testing.T) {
	if got := p2p.TopicName("main", "rounds"); got != "/oju/main/rounds/1" {
		t.Error(got)
	}
	if got := p2p.ProtocolID("main", "vote"); got != "/oju/main/vote/1" {
		t.Error(got)
	}
}
