package reach

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"
	manet "github.com/multiformats/go-multiaddr/net"
)

// observers is the number of nodes on different addresses that must see an address of this node
// before libp2p believes it. So a court needs as many nodes that others can reach.
const observers = 4

// Way says how others reach a node.
type Way struct {
	// How says it in one sentence.
	How string `json:"how"`
	// Reached is "direct", "relayed" or "no", "unknown" while it is tried out, and "untested" if
	// the settings say that nothing is tried out.
	Reached string   `json:"reached"`
	At      []string `json:"at"` // addresses
	// Direct and Relayed count this node's links.
	Direct  int `json:"direct_links"`
	Relayed int `json:"relayed_links"`
	// Seers counts the linked nodes on different addresses, which tell this node its own. A /64 of
	// IPv6 is one address.
	Seers int `json:"seen_from_addresses"`
	// Through counts the relays through which a link came to this node lately.
	Through int `json:"reached_through_relays"`
	// Carries says in one sentence what this node carries for others, and its bounds; empty: it
	// carries nothing.
	Carries string `json:"carries"`
	// Carried counts the links of others that go through this node. CarriedBytes counts what they
	// sent since its start.
	Carried      int    `json:"carried_links"`
	CarriedBytes uint64 `json:"carried_bytes"`
}

// Values of Way.Reached.
const (
	directly  = "direct"
	relayOnly = "relayed"
	nobody    = "no"
	unknown   = "unknown"
	untested  = "untested"
)

// Way looks at the node's addresses and links.
func (r *Reach) Way() Way {
	r.mu.Lock()
	h, tried := r.host, r.tried
	r.mu.Unlock()
	if h == nil {
		return Way{Reached: unknown, How: "This node has not started yet."}
	}
	var out Way
	from := map[string]bool{}
	for _, c := range h.Network().Conns() {
		if relayed(c) {
			out.Relayed++
			continue
		}
		out.Direct++
		if at := c.RemoteMultiaddr(); manet.IsPublicAddr(at) {
			hosts, _ := places([]ma.Multiaddr{at})
			for _, host := range hosts {
				from[host] = true
			}
		}
	}
	out.Seers, out.Through = len(from), r.relays.proven(time.Now())
	if out.Carried, out.CarriedBytes = r.Carried(); r.relay != nil {
		out.Carries = r.relay.says()
	}
	r.judge(&out, h.Addrs(), tried.Reachable, len(tried.Unreachable) > 0 && len(tried.Unknown) == 0, h.ID())
	return out
}

// Carried returns the links of others that go through this node, and the bytes that they sent.
func (r *Reach) Carried() (links int, bytes uint64) {
	if r.relay == nil {
		return 0, 0
	}
	return int(r.relay.links.Load()), r.relay.bytes.Load()
}

// judge fills in how others reach this node: told are its addresses, and works those at which it
// was reached.
func (r *Reach) judge(out *Way, told, works []ma.Multiaddr, closed bool, self peer.ID) {
	switch relays := slices.DeleteFunc(slices.Clone(told), func(a ma.Multiaddr) bool { return !circuit(a) }); {
	case !r.parts.Public:
		out.Reached, out.At = untested, texts(told)
		out.How = "Others reach this node at " + list(out.At) + " if they are on its network: p2p.addresses is \"private\", so nothing is tried out."
	case !r.cfg.On:
		out.Reached, out.At = untested, texts(told)
		out.How = "Others may reach this node at " + list(out.At) + ": p2p.reach.on is false, so nothing is tried out."
	case len(works) > 0 && out.Direct == 0:
		out.Reached, out.At = nobody, texts(works)
		out.How = "This node was reached at " + list(out.At) + ", and has no direct link now, so that nobody can try it again."
	case len(works) > 0:
		out.Reached, out.At = directly, texts(works)
		out.How = "Others reached this node directly at " + list(out.At) + when(works, relays) + "."
	case len(relays) > 0:
		out.Reached, out.At = relayOnly, texts(relays)
		tried := "no link has come there yet"
		if out.Through > 0 {
			tried = fmt.Sprintf("links came through %d of them lately", out.Through)
		}
		out.How = "Others can ask for this node at " + relayNames(relays) + ", where it has a place (" + tried + "), and both then try to link directly."
	case len(r.parts.Fixed) > 0 && !closed:
		out.Reached, out.At = unknown, r.parts.Fixed
		out.How = "Others are told " + list(out.At) + " (p2p.announce), and no node has tried it yet."
	default:
		out.Reached = nobody
		out.How = "Others do not reach this node at all, because " + r.why(*out, closed, self) + "."
	}
	if out.At == nil {
		out.At = []string{}
	}
}

// when says for which family of addresses a node was reached, if that is IPv6 alone.
func when(works, relays []ma.Multiaddr) string {
	switch {
	case slices.ContainsFunc(works, four):
		return ""
	case len(relays) > 0:
		return " (IPv6 only; judges that have IPv4 alone ask for it at " + relayNames(relays) + ")"
	}
	return " (IPv6 only: judges that have IPv4 alone do not reach it there)"
}

// why says why nobody reaches this node.
func (r *Reach) why(out Way, closed bool, self peer.ID) string {
	member := r.parts.Member(self)
	switch {
	case out.Direct == 0:
		return "it is linked to no other node, so that nobody can try its addresses"
	case out.Seers < observers && !closed && !member:
		return fmt.Sprintf("it is not on the Roster, so that no relay serves it, and it sees other nodes on %d addresses only: it believes its own address when it was told by %d", out.Seers, observers)
	case !member:
		return "its router lets nobody in, and the relays of a court serve only judges on the Roster"
	case r.cfg.Relays == 0:
		return "its router lets nobody in, and p2p.reach.relays is 0"
	case out.Seers < observers && !closed:
		return fmt.Sprintf("it sees other nodes on %d addresses only (it believes its own address when it was told by %d), and no relay has taken it yet", out.Seers, observers)
	}
	return "its router lets nobody in, and no relay of the court has taken it yet"
}

// Closed reports whether nobody reaches the node.
func (r Way) Closed() bool { return r.Reached == nobody }

// Advice returns what the owner can do; empty if there is nothing.
func (r Way) Advice() string {
	few := fmt.Sprintf("a court needs %d nodes that others can reach, on %d addresses, because libp2p believes an address of its own only after %d others saw it", observers, observers, observers)
	switch {
	case r.Reached == nobody:
		return "wait a few minutes after a start or a first stake, open the port of p2p.listen for TCP and UDP in the router, and set p2p.announce if the address is fixed; " + few
	case r.Reached != untested && r.Seers < observers:
		return few
	}
	return ""
}

func texts(in []ma.Multiaddr) (out []string) {
	for _, a := range in {
		out = append(out, a.String())
	}
	return out
}

func list(in []string) string {
	if len(in) == 0 {
		return "no address"
	}
	return strings.Join(in, " and ")
}

// relayNames names the relays in addresses, each once.
func relayNames(in []ma.Multiaddr) string {
	var ids, out []string
	for _, a := range in {
		relay, _ := ma.SplitFunc(a, func(c ma.Component) bool { return c.Protocol().Code == ma.P_CIRCUIT })
		if info, err := peer.AddrInfoFromP2pAddr(relay); err == nil && !slices.Contains(ids, info.ID.String()) {
			ids = append(ids, info.ID.String())
			out = append(out, relay.String())
		}
	}
	switch len(out) {
	case 0:
		return "a relay"
	case 1:
		return "a relay at " + out[0]
	}
	return fmt.Sprintf("%d relays, the first at %s", len(out), out[0])
}
