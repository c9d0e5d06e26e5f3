package kind

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"syscall"
	"time"
)

// Network lists the addresses, besides public ones, to which a source may connect.
type Network struct {
	// AllowPrivate allows this machine and private networks (RFC 1918, RFC 4193). It never allows
	// the addresses under which clouds hand out credentials.
	AllowPrivate bool `json:"allow_private,omitempty"`
	// Networks are always allowed, even special ones such as "169.254.10.0/24".
	Networks []netip.Prefix `json:"networks,omitempty"`
}

const maxNetworks = 32

func (n Network) validate() error {
	if len(n.Networks) > maxNetworks {
		return wrong("networks", "has %d entries; at most %d", len(n.Networks), maxNetworks)
	}
	return nil
}

var (
	// private lists the networks of allow_private, including this machine.
	private = prefixes("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "127.0.0.0/8", "fc00::/7", "::1/128")
	// metadata hands out a cloud's credentials inside of private ranges.
	metadata = prefixes("fd00:ec2::254/128", "fd20:ce::254/128")
	// special lists addresses that are not public (RFC 6890 and its successors).
	special = prefixes(
		"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
		"192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15",
		"198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
		"::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "3fff::/20", "5f00::/16", "fc00::/7", "fe80::/10",
		"fec0::/10", "ff00::/8")
	// IPv6 addresses that carry an IPv4 address: NAT64 (RFC 6052) and 6to4 (RFC 3056).
	nat64, sixToFour = netip.MustParsePrefix("64:ff9b::/96"), netip.MustParsePrefix("2002::/16")
)

func prefixes(texts ...string) []netip.Prefix {
	var out []netip.Prefix
	for _, text := range texts {
		out = append(out, netip.MustParsePrefix(text))
	}
	return out
}

func among(list []netip.Prefix, ip netip.Addr) bool {
	return slices.ContainsFunc(list, func(p netip.Prefix) bool { return p.Contains(ip) })
}

// Allows reports whether a connection to ip may be opened.
func (n Network) Allows(ip netip.Addr) bool {
	ip = ip.Unmap()
	if !ip.IsValid() || ip.Zone() != "" {
		return false
	}
	if among(n.Networks, ip) {
		return true
	}
	bytes := ip.AsSlice()
	switch {
	case nat64.Contains(ip):
		return n.Allows(netip.AddrFrom4([4]byte(bytes[12:])))
	case sixToFour.Contains(ip):
		return n.Allows(netip.AddrFrom4([4]byte(bytes[2:6])))
	case among(metadata, ip):
		return false
	}
	return !among(special, ip) || n.AllowPrivate && among(private, ip)
}

// dialer opens connections only to allowed addresses. It checks the address at the connection
// itself. So a name that resolves to another address the second time (DNS rebinding) gains nothing.
type dialer struct {
	network Network
	lookup  func(ctx context.Context, host string) ([]netip.Addr, error)
}

func newDialer(network Network, env Env) *dialer {
	lookup := env.LookupIP
	if lookup == nil {
		lookup = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	return &dialer{network, lookup}
}

// Dial opens a connection to an allowed address.
func (n Network) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	return newDialer(n, Env{}).dial(ctx, network, address)
}

// oneDial bounds the attempt to reach one address.
const oneDial = 5 * time.Second

func (d *dialer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	addresses, err := d.resolve(ctx, host)
	if err != nil {
		return nil, err
	}
	base := net.Dialer{Timeout: oneDial, Control: d.check}
	var failed []error
	for _, ip := range addresses {
		conn, err := base.DialContext(ctx, network, net.JoinHostPort(ip.String(), port))
		if err == nil {
			return conn, nil
		}
		failed = append(failed, err)
	}
	return nil, errors.Join(failed...)
}

func (d *dialer) resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	const most = 8
	all := []netip.Addr{}
	if ip, err := netip.ParseAddr(host); err == nil {
		all = append(all, ip)
	} else if all, err = d.lookup(ctx, host); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDown, err)
	}
	allowed := slices.DeleteFunc(slices.Clone(all), func(ip netip.Addr) bool { return !d.network.Allows(ip) })
	if len(allowed) == 0 {
		return nil, fmt.Errorf("%w: %s is at %v, which is no public address; if that is meant, set allow_private (ojud source add --allow-private) or list it in networks", ErrRefused, host, all)
	}
	return allowed[:min(len(allowed), most)], nil
}

// check is the Control of a net.Dialer. It is the last check, on the address of the connection.
func (d *dialer) check(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil || !d.network.Allows(to.Addr()) {
		return fmt.Errorf("%w: %s is no public address; if it is meant, set allow_private (ojud source add --allow-private) or list it in networks", ErrRefused, address)
	}
	return nil
}
