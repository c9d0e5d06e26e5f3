package providers

import (
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

	"ojud/ledger/rpc"
)

// maxVisitAnswer bounds an answer of a provider that another judge offers, in bytes.
const maxVisitAnswer = 4 << 20

// errPrivate refuses an address that is not public.
var errPrivate = errors.New("the RPC node that another judge offers is at a private address")

// Visit returns how the providers that other judges offer are called: at public addresses only,
// unless the node's own provider is on this machine or a private network, through no proxy, and
// with smaller answers. The transport replaces the network; nil: the network.
func Visit(own string, cfg rpc.Calls, transport http.RoundTripper, m *rpc.Metrics) func(string) (*rpc.Caller, error) {
	cfg.MaxAnswer, cfg.MaxInFlight = min(cfg.MaxAnswer, maxVisitAnswer), min(cfg.MaxInFlight, 4)
	near := Near(own)
	if transport == nil {
		dialer := &net.Dialer{Timeout: cfg.Timeout, Control: guard(near)}
		transport = &http.Transport{
			DialContext: dialer.DialContext, ForceAttemptHTTP2: true, TLSHandshakeTimeout: cfg.Timeout, ResponseHeaderTimeout: cfg.Timeout,
			MaxResponseHeaderBytes: 64 << 10, MaxIdleConnsPerHost: 2, MaxIdleConns: 2 * maxGuests, IdleConnTimeout: 30 * time.Second,
		}
	}
	return func(text string) (*rpc.Caller, error) {
		if !Offerable(text, near) {
			return nil, fmt.Errorf("%w: it must be a public URL without a key", rpc.ErrRefused)
		}
		return rpc.NewCaller(text, cfg, transport, m)
	}
}

// guard refuses addresses that are not public, after names are resolved.
func guard(near bool) func(network, address string, c syscall.RawConn) error {
	return func(_, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err == nil && !near && !public(at.Addr()) {
			err = errPrivate
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

// special are further blocks that are not public: carriers' NAT, protocol assignments, benchmarks,
// reserved; and those that carry an IPv4 address, which may be private.
func special() []netip.Prefix {
	return []netip.Prefix{
		netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"),
		netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("240.0.0.0/4"), netip.MustParsePrefix("64:ff9b::/96"),
		netip.MustParsePrefix("64:ff9b:1::/48"), netip.MustParsePrefix("2002::/16"), netip.MustParsePrefix("2001::/32"),
	}
}

// Near reports whether a URL leads to this machine or a private network by its name alone.
func Near(text string) bool {
	u, err := url.Parse(text)
	if err != nil {
		return false
	}
	a, err := netip.ParseAddr(u.Hostname())
	if err == nil {
		return !public(a)
	}
	return strings.EqualFold(u.Hostname(), "localhost") || !strings.Contains(u.Hostname(), ".")
}

// Offerable reports whether a URL may be offered to other judges: it holds nothing that may be a
// key, and leads to a public place, or to any if the court is near.
func Offerable(text string, near bool) bool {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	key := u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Path != "" && u.Path != "/"
	return !key && (near || !Near(text))
}
