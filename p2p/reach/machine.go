package reach

import (
	"fmt"
	"net"
	"net/netip"
	"slices"

	ma "github.com/multiformats/go-multiaddr"
	manet "github.com/multiformats/go-multiaddr/net"
)

// machine returns the addresses of this machine, each with its network.
func machine() (out []netip.Prefix, err error) {
	all, err := net.InterfaceAddrs()
	if err != nil {
		return nil, fmt.Errorf("p2p: addresses of this machine: %w", err)
	}
	for _, a := range all {
		if p, err := netip.ParsePrefix(a.String()); err == nil {
			out = append(out, p)
		}
	}
	return out, nil
}

// behind reports whether this machine has a private address of some kind and no public IPv4
// address. Servers have one, and their networks want neither UPnP nor mDNS.
func (r *Reach) behind(kind func(netip.Addr) bool) bool {
	all, err := r.parts.Machine()
	if err != nil {
		r.parts.Log.Warn("the addresses of this machine are not known, so its router and its local network are left alone", "error", err)
		return false
	}
	private := func(p netip.Prefix) bool { return kind(p.Addr()) && home(p.Addr()) }
	return slices.ContainsFunc(all, private) && !slices.ContainsFunc(all, func(p netip.Prefix) bool { return p.Addr().Is4() && public(p.Addr()) })
}

// home reports whether an address is one of a local network. Those that a machine gives itself
// (link-local) are none: clouds tell secrets at some of them.
func home(a netip.Addr) bool {
	return !public(a) && !a.IsLoopback() && !a.IsLinkLocalUnicast() && !a.IsUnspecified() && !a.IsMulticast()
}

func public(a netip.Addr) bool {
	at, err := manet.FromIP(a.AsSlice())
	return err == nil && manet.IsPublicAddr(at)
}

// four reports whether an address is not one of IPv6. A name may lead to both.
func four(a ma.Multiaddr) bool {
	return len(a) > 0 && a[0].Protocol().Code != ma.P_IP6 && a[0].Protocol().Code != ma.P_DNS6
}

// sixOnly reports whether all addresses are of IPv6, on a machine that has IPv4, too.
func sixOnly(addrs []ma.Multiaddr, have func() ([]netip.Prefix, error)) bool {
	if slices.ContainsFunc(addrs, four) {
		return false
	}
	all, err := have()
	return err != nil || slices.ContainsFunc(all, func(p netip.Prefix) bool {
		return p.Addr().Is4() && !p.Addr().IsLoopback() && !p.Addr().IsLinkLocalUnicast()
	})
}
