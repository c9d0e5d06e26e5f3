package reach

import (
	"maps"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/p2p/protocol/circuitv2/relay"
	ma "github.com/multiformats/go-multiaddr"
	manet "github.com/multiformats/go-multiaddr/net"
)

// What one judge may open to one other through a relay: so many links at once, and then one in each
// pause. A judge ends a link without a handshake in 15 s, and has few links with one peer (see
// p2p.limits.conns_per_peer). So one judge cannot hold all links of another. All guests of one
// address count as one.
const (
	pairBurst = 6
	pairPause = 15 * time.Second
	pairsMost = 1 << 16 // that are remembered
)

// acl says who may use a relay: judges on the Roster, and guests that want to reach one of them.
type acl struct {
	member func(peer.ID) bool
	guests bool
	burst  int
	now    func() time.Time

	mu    sync.Mutex
	pairs map[pair]time.Time // when all that a pair may open is there again
	swept time.Time
}

// pair is who opens a link and whom it reaches. The first is a peer, or the host of a guest.
type pair struct {
	from string
	to   peer.ID
}

func newACL(member func(peer.ID) bool, guests bool) *acl {
	return &acl{member: member, guests: guests, burst: pairBurst, now: time.Now, pairs: map[pair]time.Time{}}
}

// AllowReserve reports whether a peer may be reached through this node.
func (a *acl) AllowReserve(p peer.ID, _ ma.Multiaddr) bool { return a.member(p) }

// AllowConnect reports whether one peer may reach another through this node now.
func (a *acl) AllowConnect(from peer.ID, at ma.Multiaddr, to peer.ID) bool {
	who := string(from)
	if !a.member(from) {
		hosts, _ := places([]ma.Multiaddr{at})
		if !a.guests || len(hosts) == 0 {
			return false
		}
		who = "guest " + hosts[0]
	}
	return a.member(to) && a.opens(pair{who, to}, a.now())
}

// opens counts a link of a pair, and reports whether it is within its bound.
func (a *acl) opens(p pair, now time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	full, known := a.pairs[p]
	if !known && len(a.pairs) >= pairsMost {
		if now.Sub(a.swept) < pairPause {
			return false // a look at all of them for each request would be work for nothing
		}
		a.swept = now
		maps.DeleteFunc(a.pairs, func(_ pair, full time.Time) bool { return !full.After(now) })
		if len(a.pairs) >= pairsMost {
			return false
		}
	}
	if full.Before(now) {
		full = now
	}
	if full = full.Add(pairPause); full.Sub(now) > time.Duration(a.burst)*pairPause {
		return false
	}
	a.pairs[p] = full
	return true
}

// apart keeps the nodes that others can dial, each once, and one of each host. The first ones are
// of different networks. So whoever has one machine is one relay of a search.
func apart(in []peer.AddrInfo) []peer.AddrInfo {
	var first, later []peer.AddrInfo
	ids, hosts, networks := map[peer.ID]bool{}, map[string]bool{}, map[string]bool{}
	for _, ai := range in {
		ai.Addrs = direct(ai.Addrs)
		own, wide := places(ai.Addrs)
		taken := func(of map[string]bool) func(string) bool { return func(s string) bool { return of[s] } }
		if len(own) == 0 || ids[ai.ID] || slices.ContainsFunc(own, taken(hosts)) {
			continue
		}
		ids[ai.ID] = true
		if slices.ContainsFunc(wide, taken(networks)) {
			later = append(later, ai)
		} else {
			first = append(first, ai)
		}
		for i := range own {
			hosts[own[i]], networks[wide[i]] = true, true
		}
	}
	return append(first, later...)
}

// places returns the host of each address, and its network: a /16 of IPv4, and a /32 of IPv6, of
// which a /48 counts as one host, because one customer of a provider may have as much.
func places(in []ma.Multiaddr) (hosts, networks []string) {
	for _, a := range in {
		if len(a) == 0 {
			continue
		}
		host, wide := a[0].String(), a[0].String() // a name
		if ip, err := manet.ToIP(a); err == nil {
			if four := ip.To4(); four != nil {
				host, wide = four.String(), four.Mask(net.CIDRMask(16, 32)).String()
			} else {
				host, wide = ip.Mask(net.CIDRMask(48, 128)).String(), ip.Mask(net.CIDRMask(32, 128)).String()
			}
		}
		hosts, networks = append(hosts, host), append(networks, wide)
	}
	return hosts, networks
}

// Guarded lets some peers be reached through a relay, and everybody open links to them: burst at
// once from one host to one peer, and then one every 15 s.
func Guarded(member func(peer.ID) bool, burst int) relay.ACLFilter {
	a := newACL(member, true)
	a.burst = burst
	return a
}
