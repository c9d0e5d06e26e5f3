package p2p

import (
	"fmt"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
)

// collector shows Stats to Prometheus, so that the tests check what the operator sees.
type collector struct{ h *Host }

var _ prometheus.Collector = collector{}

// register exposes the metrics, if there is a registry to expose them in.
func (h *Host) register() error {
	if h.deps.Metrics == nil {
		return nil
	}
	if err := h.deps.Metrics.Register(collector{h}); err != nil {
		return fmt.Errorf("p2p: registering metrics: %w", err)
	}
	return nil
}

func (h *Host) unregister() {
	if h.deps.Metrics != nil {
		h.deps.Metrics.Unregister(collector{h})
	}
}

const metricPrefix = "ojud_p2p_"

func metric(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(metricPrefix+name, help, labels, nil)
}

// sample is one metric without or with one label.
type sample struct {
	desc   *prometheus.Desc
	kind   prometheus.ValueType
	value  float64
	labels []string
}

// Describe implements prometheus.Collector.
func (c collector) Describe(out chan<- *prometheus.Desc) {
	for _, s := range (Stats{}).samples() {
		out <- s.desc
	}
	out <- dropped()
	out <- penalties()
}

// Collect implements prometheus.Collector.
func (c collector) Collect(out chan<- prometheus.Metric) {
	st := c.h.Stats()
	all := st.samples()
	for cause, n := range c.h.count.dropCounters() {
		all = append(all, sample{dropped(), prometheus.CounterValue, float64(n.Load()), []string{cause}})
	}
	for reason, n := range st.Penalties {
		all = append(all, sample{penalties(), prometheus.CounterValue, float64(n), []string{reason}})
	}
	for _, s := range all {
		out <- prometheus.MustNewConstMetric(s.desc, s.kind, s.value, s.labels...)
	}
}

func dropped() *prometheus.Desc {
	return metric("dropped_total", "Messages lost on this host, by cause.", "cause")
}

func penalties() *prometheus.Desc {
	return metric("penalties_total", "Penalties given to peers, by reason.", "reason")
}

func (s Stats) samples() []sample {
	count := func(name string, v uint64, help string, labels ...string) sample {
		keys := map[int][]string{0: nil, 1: {"result"}}[len(labels)]
		return sample{metric(name+"_total", help, keys...), prometheus.CounterValue, float64(v), labels}
	}
	gauge := func(name string, v int, help string) sample {
		return sample{metric(name, help), prometheus.GaugeValue, float64(v), nil}
	}
	const gossipHelp = "Gossip messages received, by what became of them."
	return []sample{
		count("gossip", s.GossipDelivered, gossipHelp, "delivered"),
		count("gossip", s.GossipDuplicate, gossipHelp, "duplicate"),
		count("gossip", s.GossipRejected, gossipHelp, "rejected"),
		count("gossip", s.GossipIgnored, gossipHelp, "ignored"),
		count("gossip", s.GossipBadSignature, gossipHelp, "bad_signature"),
		count("push_sent", s.PushSent, "Messages written to peers over direct streams."),
		count("push_received", s.PushReceived, "Messages received over direct streams."),
		count("push_reopened", s.PushReopened, "Direct streams opened again after an error."),
		count("requests_sent", s.RequestsOut, "Requests sent to peers."),
		count("requests_failed", s.RequestsFailed, "Requests sent that got no answer or a refusal."),
		count("requests_served", s.RequestsIn, "Requests and conversations of peers admitted."),
		count("requests_refused", s.RequestsRefused, "Requests of peers refused as over a limit."),
		count("frames_bad", s.FramesBad, "Malformed or oversize frames received."),
		count("dials", s.Dials, "Attempts to restore a kept link."),
		count("dials_failed", s.DialFailures, "Attempts to restore a kept link that failed."),
		count("dht_empty_checks", s.TableEmpty, "Health checks that found the DHT routing table empty."),
		count("registry_stored", s.RegistryStored, "Announcements of judges learned."),
		count("registry_bad", s.RegistryBad, "Announcements refused as malformed or forged."),
		count("bans", s.Bans, "Peers refused for a while."),
		gauge("announced_addrs", s.Addrs, "Addresses told to others; 0 means that nobody can dial this host."),
		gauge("peers", s.Peers, "Connected peers."),
		gauge("kept_peers", s.Kept, "Peers a link must be kept to."),
		gauge("kept_peers_missing", s.KeptMissing, "Of those, peers not connected."),
		gauge("dht_peers", s.RoutingTable, "Peers in the DHT routing table."),
		gauge("dht_providers", s.Providers, "Provider records kept for others."),
		gauge("registry_judges", s.RegistryPeers, "Judges in the registry."),
	}
}

// counters are the host's counters, with or without Prometheus.
type counters struct {
	gossipDelivered, gossipDuplicate, gossipRejected, gossipIgnored, gossipBadSignature atomic.Uint64
	dropValidation, dropThrottled, dropRPC, dropUndeliverable, dropInbox, dropRate      atomic.Uint64

	pushSent, pushReceived, pushReopened           atomic.Uint64
	dropPushFull, dropPushExpired, dropPushRefused atomic.Uint64

	requestsOut, requestsFailed, requestsIn, requestsRefused, framesBad atomic.Uint64

	dials, dialFailures, tableEmpty           atomic.Uint64
	registryStored, registryBad, registryLost atomic.Uint64
}

// Stats is a snapshot of the work and losses of a host since it started.
type Stats struct {
	GossipDelivered    uint64 // messages accepted from others
	GossipDuplicate    uint64 // copies of messages seen before
	GossipRejected     uint64 // messages a validator rejected
	GossipIgnored      uint64 // messages a validator ignored
	GossipBadSignature uint64 // messages that failed strict signing

	PushSent     uint64 // messages written to a peer
	PushReceived uint64 // messages handed to a handler
	PushReopened uint64 // streams opened again after an error

	RequestsOut     uint64 // requests sent
	RequestsFailed  uint64 // requests without an answer, or refused
	RequestsIn      uint64 // requests and raw streams served
	RequestsRefused uint64 // requests of others over our limits
	FramesBad       uint64 // malformed or oversize frames from others

	Dials        uint64 // attempts of the re-dialler
	DialFailures uint64 // attempts that failed
	TableEmpty   uint64 // health checks that found the routing table empty

	RegistryStored uint64 // announcements learned
	RegistryBad    uint64 // announcements refused as malformed or forged

	Penalties map[string]uint64 // calls of Penalize, by reason
	Bans      uint64            // peers refused for a while

	Addrs         int // addresses told to others; if none, no node can dial us
	Peers         int // connected peers
	Kept          int // peers in the set given to Keep
	KeptMissing   int // kept peers that are not connected
	RoutingTable  int // peers in the DHT routing table
	Providers     int // provider records kept for others
	RegistryPeers int // judges in the registry

	drops map[string]uint64
}

// Drops returns the number of messages lost on this host, by cause, without causes that lost
// nothing. In a healthy run it is empty.
//
//   - gossip-validation-queue: the queue before validation was full
//   - gossip-throttled: validation was throttled
//   - gossip-rpc: the queue to a peer was full
//   - gossip-undeliverable, gossip-inbox: the caller of Next was too slow
//   - gossip-rate: a peer sent more than Gossip.RatePerPeer
//   - push-full: more than Push.Queue waited for a peer
//   - push-expired: a peer was unreachable for longer than Push.MaxAge
//   - push-refused: the peer is banned
//   - registry-evicted: the registry was full
func (s Stats) Drops() map[string]uint64 { return s.drops }

func (c *counters) stats() Stats {
	return Stats{
		GossipDelivered: c.gossipDelivered.Load(), GossipDuplicate: c.gossipDuplicate.Load(),
		GossipRejected: c.gossipRejected.Load(), GossipIgnored: c.gossipIgnored.Load(),
		GossipBadSignature: c.gossipBadSignature.Load(),
		PushSent:           c.pushSent.Load(), PushReceived: c.pushReceived.Load(), PushReopened: c.pushReopened.Load(),
		RequestsOut: c.requestsOut.Load(), RequestsFailed: c.requestsFailed.Load(),
		RequestsIn: c.requestsIn.Load(), RequestsRefused: c.requestsRefused.Load(), FramesBad: c.framesBad.Load(),
		Dials: c.dials.Load(), DialFailures: c.dialFailures.Load(), TableEmpty: c.tableEmpty.Load(),
		RegistryStored: c.registryStored.Load(), RegistryBad: c.registryBad.Load(),
		drops: c.drops(),
	}
}

func (c *counters) drops() map[string]uint64 {
	out := map[string]uint64{}
	for cause, n := range c.dropCounters() {
		if v := n.Load(); v > 0 {
			out[cause] = v
		}
	}
	return out
}

func (c *counters) dropCounters() map[string]*atomic.Uint64 {
	return map[string]*atomic.Uint64{
		"gossip-validation-queue": &c.dropValidation,
		"gossip-throttled":        &c.dropThrottled,
		"gossip-rpc":              &c.dropRPC,
		"gossip-undeliverable":    &c.dropUndeliverable,
		"gossip-inbox":            &c.dropInbox,
		"gossip-rate":             &c.dropRate,
		"push-full":               &c.dropPushFull,
		"push-expired":            &c.dropPushExpired,
		"push-refused":            &c.dropPushRefused,
		"registry-evicted":        &c.registryLost,
	}
}

// Stats returns the work and losses of the host since it started.
func (h *Host) Stats() Stats {
	s := h.count.stats()
	s.Penalties, s.Bans = h.book.snapshot()
	all, missing := h.Kept()
	s.Kept, s.KeptMissing = len(all), len(missing)
	s.Addrs, s.Peers = len(h.net.Addrs()), len(h.Peers())
	s.RoutingTable = h.discovery.dht.RoutingTable().Size()
	s.Providers = h.discovery.store.size()
	s.RegistryPeers = h.registry.Len()
	return s
}
