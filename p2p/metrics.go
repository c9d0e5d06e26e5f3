package p2p

import (
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
)

// counters are the host's counters, with or without Prometheus.
type counters struct {
	gossip   struct{ delivered, duplicate, rejected, ignored, badSignature atomic.Uint64 }
	push     struct{ sent, received, reopened atomic.Uint64 }
	requests struct{ sent, failed, served, refused, badFrames atomic.Uint64 }
	links    struct{ dials, failed, tableEmpty atomic.Uint64 }
	// dropped are the messages lost on this host, by cause.
	dropped struct {
		validation, throttled, rpc, undeliverable, inbox, rate atomic.Uint64
		pushFull, pushExpired, pushRefused                     atomic.Uint64
	}
}

// state is the state of a host that is measured besides its counters.
type state struct {
	addrs, peers, kept, missing, table, providers, judges, carried int
	stored, bad, evicted, bans, bytes                              uint64
	penalties                                                      map[string]uint64
}

func (h *Host) state() (s state) {
	all, missing := h.Kept()
	s.addrs, s.peers, s.kept, s.missing = len(h.net.Addrs()), len(h.Peers()), len(all), len(missing)
	s.table, s.providers, s.judges = h.discovery.dht.RoutingTable().Size(), h.discovery.store.size(), h.directory.Len()
	s.stored, s.bad, s.evicted = h.directory.Counts()
	s.penalties, s.bans = h.book.snapshot()
	s.carried, s.bytes = h.reach.Carried()
	return s
}

// metric is one number of a host. Metrics of one name have a label each.
type metric struct {
	name, label, value string
	kind               prometheus.ValueType
	number             uint64
	help               string
}

func (m metric) desc() *prometheus.Desc {
	var labels []string
	if m.label != "" {
		labels = []string{m.label}
	}
	name := "ojud_p2p_" + m.name
	if m.kind == prometheus.CounterValue {
		name += "_total"
	}
	return prometheus.NewDesc(name, m.help, labels, nil)
}

func (c *counters) metrics(s state) []metric {
	count := func(name string, n *atomic.Uint64, help string) metric {
		return metric{name: name, kind: prometheus.CounterValue, number: n.Load(), help: help}
	}
	total := func(name string, n uint64, help string) metric {
		return metric{name: name, kind: prometheus.CounterValue, number: n, help: help}
	}
	gauge := func(name string, n int, help string) metric {
		return metric{name: name, kind: prometheus.GaugeValue, number: uint64(n), help: help}
	}
	by := func(label, value string, m metric) metric {
		m.label, m.value = label, value
		return m
	}
	gossip := func(result string, n *atomic.Uint64) metric {
		return by("result", result, count("gossip", n, "Gossip messages received, by what became of them."))
	}
	dropped := func(cause string, n uint64) metric {
		return by("cause", cause, total("dropped", n, "Messages lost on this host, by cause."))
	}
	d := &c.dropped
	all := []metric{
		gossip("delivered", &c.gossip.delivered), gossip("duplicate", &c.gossip.duplicate), gossip("rejected", &c.gossip.rejected),
		gossip("ignored", &c.gossip.ignored), gossip("bad_signature", &c.gossip.badSignature),
		count("push_sent", &c.push.sent, "Messages written to peers over direct streams."),
		count("push_received", &c.push.received, "Messages received over direct streams."),
		count("push_reopened", &c.push.reopened, "Direct streams opened again after an error."),
		count("requests_sent", &c.requests.sent, "Requests sent to peers."),
		count("requests_failed", &c.requests.failed, "Requests sent that got no answer or a refusal."),
		count("requests_served", &c.requests.served, "Requests and conversations of peers admitted."),
		count("requests_refused", &c.requests.refused, "Requests of peers refused as over a limit."),
		count("frames_bad", &c.requests.badFrames, "Malformed or oversize frames received."),
		count("dials", &c.links.dials, "Attempts to restore a kept link."),
		count("dials_failed", &c.links.failed, "Attempts to restore a kept link that failed."),
		count("dht_empty_checks", &c.links.tableEmpty, "Health checks that found the DHT routing table empty."),
		total("registry_stored", s.stored, "Announcements of judges learned."),
		total("registry_bad", s.bad, "Announcements refused as malformed or forged."),
		total("bans", s.bans, "Peers refused for a while."),
		total("carried_bytes", s.bytes, "Bytes that went through this host over links of others (p2p.reach.relay)."),
		gauge("carried_links", s.carried, "Links of others that go through this host."),
		gauge("announced_addrs", s.addrs, "Addresses told to others; 0 means that nobody can dial this host."),
		gauge("peers", s.peers, "Connected peers."),
		gauge("kept_peers", s.kept, "Peers a link must be kept to."),
		gauge("kept_peers_missing", s.missing, "Of those, peers not connected."),
		gauge("dht_peers", s.table, "Peers in the DHT routing table."),
		gauge("dht_providers", s.providers, "Provider records kept for others."),
		gauge("registry_judges", s.judges, "Judges in the registry."),
		dropped("gossip-validation-queue", d.validation.Load()), // the queue before validation was full
		dropped("gossip-throttled", d.throttled.Load()),         // validation was throttled
		dropped("gossip-rpc", d.rpc.Load()),                     // the queue to a peer was full
		dropped("gossip-undeliverable", d.undeliverable.Load()), // the caller of Next was too slow
		dropped("gossip-inbox", d.inbox.Load()),                 // the same
		dropped("gossip-rate", d.rate.Load()),                   // a peer sent more than Gossip.RatePerPeer
		dropped("push-full", d.pushFull.Load()),                 // more than Push.Queue waited for a peer
		dropped("push-expired", d.pushExpired.Load()),           // a peer was unreachable for longer than Push.MaxAge
		dropped("push-refused", d.pushRefused.Load()),           // the peer is banned
		dropped("registry-evicted", s.evicted),                  // the registry was full
	}
	for reason, n := range s.penalties {
		all = append(all, by("reason", reason, total("penalties", n, "Penalties given to peers, by reason.")))
	}
	return all
}

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

func (collector) Describe(out chan<- *prometheus.Desc) {
	for _, m := range (&counters{}).metrics(state{penalties: map[string]uint64{"": 0}}) {
		out <- m.desc()
	}
}

func (c collector) Collect(out chan<- prometheus.Metric) {
	for _, m := range c.h.count.metrics(c.h.state()) {
		var labels []string
		if m.label != "" {
			labels = []string{m.value}
		}
		out <- prometheus.MustNewConstMetric(m.desc(), m.kind, float64(m.number), labels...)
	}
}

// Stats is the work and the losses of a host since it started, by the name of the metric without
// its prefix and _total, and, if it has a label, "/" and the label's value: push_sent,
// gossip/rejected, dropped/push-full. A value of 0 is there, too, except for penalties.
type Stats map[string]uint64

// Stats returns the work and losses of the host since it started.
func (h *Host) Stats() Stats {
	s := Stats{}
	for _, m := range h.count.metrics(h.state()) {
		name := m.name
		if m.label != "" {
			name += "/" + m.value
		}
		s[name] = m.number
	}
	return s
}

// Of returns a number that a host always has. It panics if there is no metric of that name.
func (s Stats) Of(name string) int {
	n, ok := s[name]
	if !ok {
		panic("p2p: no metric " + name)
	}
	return int(n) // counts fit
}

// Drops returns the number of messages lost on this host, by cause, without causes that lost
// nothing. In a healthy run it is empty.
func (s Stats) Drops() map[string]uint64 { return s.by("dropped/") }

// Penalties returns the calls of Penalize, by reason.
func (s Stats) Penalties() map[string]uint64 { return s.by("penalties/") }

func (s Stats) by(prefix string) map[string]uint64 {
	out := map[string]uint64{}
	for name, n := range s {
		if label, ok := strings.CutPrefix(name, prefix); ok && n > 0 {
			out[label] = n
		}
	}
	return out
}
