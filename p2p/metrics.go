package p2p

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"
)

// collector shows Stats to Prometheus: what the tests assert is what the
// operator sees.
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
