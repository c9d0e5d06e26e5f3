package providers

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/net/idna"

	"ojud/ledger/rpc"
)

// maxVisitAnswer bounds an answer of a provider that another judge offers, in bytes.
const maxVisitAnswer = 4 << 20

// errPrivate refuses an address that is not public.
var errPrivate = errors.New("the RPC node that another judge offers is at a private address; ledger.visit_private allows that, for a court on one machine or a LAN")

// Visit returns how the providers that other judges offer are called: at public addresses only,
// unless the settings allow private ones, through no proxy, and with smaller answers. That the
// node's own provider is on this machine allows nothing: many judges have one. The transport
// replaces the network; nil: the network.
func Visit(private bool, cfg rpc.Calls, transport http.RoundTripper, m *rpc.Metrics) func(string) (*rpc.Caller, error) {
	cfg.MaxAnswer, cfg.MaxInFlight = min(cfg.MaxAnswer, maxVisitAnswer), min(cfg.MaxInFlight, 4)
	if transport == nil {
		dialer := &net.Dialer{Timeout: cfg.Timeout, Control: guard(private)}
		transport = &http.Transport{
			DialContext: dialer.DialContext, ForceAttemptHTTP2: true, TLSHandshakeTimeout: cfg.Timeout, ResponseHeaderTimeout: cfg.Timeout,
			MaxResponseHeaderBytes: 64 << 10, MaxIdleConnsPerHost: 2, MaxIdleConns: maxAlone, IdleConnTimeout: 30 * time.Second,
		}
	}
	return func(text string) (*rpc.Caller, error) {
		if !Offerable(text, private) {
			return nil, fmt.Errorf("%w: it must be a public URL without a key", rpc.ErrRefused)
		}
		return rpc.NewCaller(text, cfg, transport, m)
	}
}

// errBehind refuses a name of a network.json that leads to an address that is not public.
var errBehind = errors.New("the RPC node of network.json has a public name, which leads to a private address; if that is meant, name its URL by ledger.rpc or --rpc")

// guard refuses addresses that are not public, after names are resolved.
func guard(private bool) func(network, address string, c syscall.RawConn) error {
	return refuse(errPrivate, private)
}

func refuse(why error, private bool) func(network, address string, c syscall.RawConn) error {
	return func(_, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err == nil && !public(at.Addr()) && (!private || local(at.Addr())) {
			err = why
		}
		return err
	}
}

// public reports whether everybody can mean the same host by an address.
func public(a netip.Addr) bool {
	a = a.Unmap()
	private := a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() || a.IsUnspecified() || a.IsMulticast()
	return !private && a.IsGlobalUnicast() && !slices.ContainsFunc(special(), func(p netip.Prefix) bool { return p.Contains(a) })
}

// local reports whether an address means something on one link only, or hands out the credentials
// of a cloud. No court is there.
func local(a netip.Addr) bool {
	a = a.Unmap()
	metadata := []string{"100.100.100.200", "fd00:ec2::254", "fd20:ce::254"}
	return a.IsLinkLocalUnicast() || a.IsMulticast() || a.IsUnspecified() || slices.Contains(metadata, a.WithZone("").String())
}

// special are further blocks that are not public: carriers' NAT, protocol assignments, benchmarks,
// reserved; and those that carry an IPv4 address, which may be private.
func special() []netip.Prefix {
	return []netip.Prefix{
		netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"),
		netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("240.0.0.0/4"), netip.MustParsePrefix("64:ff9b::/96"),
		netip.MustParsePrefix("64:ff9b:1::/48"), netip.MustParsePrefix("2002::/16"), netip.MustParsePrefix("2001::/32"),
		netip.MustParsePrefix("::/96"),
	}
}

// Inside reports whether a URL leads to this machine or a private network by its name alone.
func Inside(text string) bool {
	u, err := url.Parse(text)
	if err != nil {
		return false
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	a, err := netip.ParseAddr(host)
	if err == nil {
		return !public(a)
	}
	last := host[strings.LastIndexByte(host, '.')+1:]
	number := last != "" && strings.Trim(last, "0123456789") == "" || strings.HasPrefix(last, "0x") // 127.1, which resolvers take
	return last == host || number || slices.ContainsFunc(inner(), func(name string) bool { return strings.HasSuffix("."+host, "."+name) })
}

// inner are the names of machines and home networks that no public name ends with.
func inner() []string {
	return []string{
		"localhost", "local", "localdomain", "lan", "home", "corp", "private", "intranet", "internal", "home.arpa", "fritz.box",
	}
}

// Transport is HTTP over the network. The URLs that a network.json names and the owner does not are
// dialled at public addresses only, unless they are inside by their names: a public name could lead
// behind the owner's router, today or later.
func Transport(cfg rpc.Calls, told ...string) *http.Transport {
	t := rpc.NewTransport(cfg)
	t.DialContext = dialling(cfg, nil, told...)
	return t
}

// dialling returns how Transport dials. The resolver may be nil.
func dialling(cfg rpc.Calls, names *net.Resolver, told ...string) func(ctx context.Context, network, address string) (net.Conn, error) {
	far := map[string]bool{}
	for _, text := range told {
		u, err := url.Parse(text)
		if err != nil || u.Host == "" || Inside(text) {
			continue
		}
		host := strings.ToLower(u.Hostname())
		if name, err := idna.Lookup.ToASCII(host); err == nil {
			host = name // as HTTP writes it
		}
		far[host] = true
	}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		d := net.Dialer{Timeout: cfg.Timeout, KeepAlive: 30 * time.Second, Resolver: names}
		if host, _, err := net.SplitHostPort(address); err == nil && far[strings.ToLower(host)] {
			d.Control = refuse(errBehind, false)
		}
		return d.DialContext(ctx, network, address)
	}
}

// Offerable reports whether a URL may be offered to other judges: it holds nothing that may be a
// key, and leads to a public place, or to any if private ones are allowed.
func Offerable(text string, private bool) bool {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	key := u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Path != "" && u.Path != "/"
	return !key && (private || !Inside(text))
}
