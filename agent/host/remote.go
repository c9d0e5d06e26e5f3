package host

import (
	"fmt"
	"net"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
)

// Remote is a capability of an agent of another host: agent://KEY@HOST:PORT/ID/CAPABILITY over TLS,
// or agent://PEER@HOST:PORT/ID/CAPABILITY over libp2p.
type Remote struct {
	// Operator is the did:key of the operator of that host, which its certificate has to show.
	// Empty: the address has none.
	Operator string
	// Peer is the id of the host over libp2p, which is the key of its operator. Empty: over TLS.
	Peer   string
	Relay  string // the id of the relay at Host that carries for the peer; empty: none
	Host   string // HOST:PORT
	Target        // the capability may be "*" in a pattern
}

// maxAddress bounds an address on another host, in bytes.
const maxAddress = 500

var (
	keyForm  = regexp.MustCompile(`^z6Mk[1-9A-HJ-NP-Za-km-z]{40,48}$`)
	peerForm = regexp.MustCompile(`^12D3KooW[1-9A-HJ-NP-Za-km-z]{44}$`)
	nameForm = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$`)
)

// IsRemote reports whether an address is one on another host. It may still be malformed.
func IsRemote(text string) bool {
	place, _, _ := strings.Cut(strings.TrimPrefix(text, scheme), "/")
	return strings.ContainsAny(place, ":.@[")
}

// ParseRemote reads agent://[KEY@]HOST:PORT/ID/CAPABILITY. KEY is the did:key of the operator
// without "did:key:". Instead of KEY stands PEER, or PEER+RELAY, for a host over libp2p.
func ParseRemote(text string) (r Remote, err error) {
	malformed := func(why string) (Remote, error) {
		return r, fmt.Errorf("%.200q is no address on another host: %s; write agent://HOST:PORT/ID/CAPABILITY, agent://KEY@HOST:PORT/ID/CAPABILITY, or for libp2p agent://PEER@HOST:PORT/ID/CAPABILITY", text, why)
	}
	rest, found := strings.CutPrefix(text, scheme)
	if !found || len(text) > maxAddress {
		return malformed(fmt.Sprintf("it begins with %s and has at most %d bytes", scheme, maxAddress))
	}
	place, name, _ := strings.Cut(rest, "/")
	if key, at, named := strings.Cut(place, "@"); named {
		place = at
		peer, relay, carried := strings.Cut(key, "+")
		switch {
		case keyForm.MatchString(key):
			r.Operator = outside + key
		case peerForm.MatchString(peer) && (!carried || peerForm.MatchString(relay) && relay != peer):
			r.Peer, r.Relay = peer, relay
		default:
			return malformed("before @ stands the key of the operator, z6Mk…, or the peer, 12D3KooW…, with + and its relay if there is one")
		}
	}
	machine, port, err := net.SplitHostPort(place)
	if err != nil {
		return malformed("HOST:PORT is missing")
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return malformed("the port is a number from 1 to 65535")
	}
	if net.ParseIP(machine) == nil && !nameForm.MatchString(machine) {
		return malformed("the host is a name or an IP address")
	}
	r.Host = net.JoinHostPort(machine, port)
	id, capability, found := strings.Cut(name, "/")
	if !found || ValidID(id) != nil || !capabilityForm.MatchString(capability) && capability != "*" {
		return malformed("ID and CAPABILITY are missing or have other characters")
	}
	r.Target = Target{id, capability}
	return r, nil
}

// String returns the address.
func (r Remote) String() string {
	key := ""
	switch {
	case r.Relay != "":
		key = r.Peer + "+" + r.Relay + "@"
	case r.Peer != "":
		key = r.Peer + "@"
	case r.Operator != "":
		key = strings.TrimPrefix(r.Operator, outside) + "@"
	}
	return scheme + key + r.Host + "/" + r.Name()
}

// Multiaddr is the address of the peer as libp2p writes it.
func (r Remote) Multiaddr() (string, error) {
	at, err := Multiaddr(r.Host)
	if r.Relay != "" {
		at += "/p2p/" + r.Relay + "/p2p-circuit"
	}
	return at + "/p2p/" + r.Peer, err
}

// Multiaddr writes HOST:PORT as libp2p does.
func Multiaddr(place string) (string, error) {
	machine, port, err := net.SplitHostPort(place)
	if err != nil {
		return "", err
	}
	kind := "dns"
	if ip, err := netip.ParseAddr(machine); err == nil {
		if kind = "ip6"; ip.Is4() {
			kind = "ip4"
		}
	}
	return "/" + kind + "/" + machine + "/tcp/" + port, nil
}

// Covers reports whether an address of a file covers one that an agent calls: the same host and
// agent, and the same capability, or any if the file says "*", or Describe. An address without a
// key is that of the file, and a peer is the same way to it.
func (r Remote) Covers(to Remote) bool {
	return r.Host == to.Host && r.Peer == to.Peer && r.Relay == to.Relay && (matches(r.Name(), to.Name()) || to.Target == Target{r.Agent, Describe}) && (to.Operator == "" || to.Operator == r.Operator)
}
