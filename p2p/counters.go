package p2p

import "sync/atomic"

// counters are what the host counts, always, with or without Prometheus.
type counters struct {
	gossipDelivered, gossipDuplicate, gossipRejected, gossipIgnored, gossipBadSignature atomic.Uint64
	dropValidation, dropThrottled, dropRPC, dropUndeliverable, dropInbox, dropRate      atomic.Uint64

	pushSent, pushReceived, pushReopened           atomic.Uint64
	dropPushFull, dropPushExpired, dropPushRefused atomic.Uint64

	requestsOut, requestsFailed, requestsIn, requestsRefused, framesBad atomic.Uint64

	dials, dialFailures, tableEmpty           atomic.Uint64
	registryStored, registryBad, registryLost atomic.Uint64
}

// Stats is a snapshot of what a host did and lost since it started.
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
	RequestsFailed  uint64 // of those, not answered or refused
	RequestsIn      uint64 // requests and raw streams served
	RequestsRefused uint64 // of others, over our limits
	FramesBad       uint64 // malformed or oversize frames from others

	Dials        uint64 // attempts of the re-dialler
	DialFailures uint64 // of those, failed
	TableEmpty   uint64 // health checks that found the routing table empty

	RegistryStored uint64 // announcements learned
	RegistryBad    uint64 // announcements refused as malformed or forged

	Penalties map[string]uint64 // calls of Penalize, by reason
	Bans      uint64            // peers refused for a while

	Addrs         int // addresses told to others; none: nobody can dial us
	Peers         int // connected peers
	Kept          int // peers in the set given to Keep
	KeptMissing   int // of those, not connected
	RoutingTable  int // peers in the DHT routing table
	Providers     int // provider records kept for others
	RegistryPeers int // judges in the registry

	drops map[string]uint64
}

// Drops returns every message that was lost on this host, by cause; causes with
// nothing lost are left out. In a healthy run it is empty.
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
