package host

import (
	"fmt"
	"net"
	"regexp"
	"strconv"
	"strings"
)

// Remote is a capability of an agent of another host: agent://KEY@HOST:PORT/ID/CAPABILITY.
type Remote struct {
	// Operator is the did:key of the operator of that host, which its certificate has to show.
	// Empty: the address has none.
	Operator string
	Host     string // HOST:PORT
	Target          // the capability may be "*" in a pattern
}

// maxAddress bounds an address on another host, in bytes.
const maxAddress = 500

var (
	keyForm  = regexp.MustCompile(`^z6Mk[1-9A-HJ-NP-Za-km-z]{40,48}$`)
	nameForm = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$`)
)

// IsRemote reports whether an address is one on another host. It may still be malformed.
func IsRemote(text string) bool {
	place, _, _ := strings.Cut(strings.TrimPrefix(text, scheme), "/")
	return strings.ContainsAny(place, ":.@[")
}

// ParseRemote reads agent://[KEY@]HOST:PORT/ID/CAPABILITY. KEY is the did:key of the operator
// without "did:key:".
func ParseRemote(text string) (r Remote, err error) {
	malformed := func(why string) (Remote, error) {
		return r, fmt.Errorf("%.200q is no address on another host: %s; write agent://HOST:PORT/ID/CAPABILITY, or agent://KEY@HOST:PORT/ID/CAPABILITY", text, why)
	}
	rest, found := strings.CutPrefix(text, scheme)
	if !found || len(text) > maxAddress {
		return malformed(fmt.Sprintf("it begins with %s and has at most %d bytes", scheme, maxAddress))
	}
	place, name, _ := strings.Cut(rest, "/")
	if key, at, named := strings.Cut(place, "@"); named {
		if !keyForm.MatchString(key) {
			return malformed("before @ stands the key of the operator, z6Mk…")
		}
		r.Operator, place = outside+key, at
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
	if r.Operator != "" {
		key = strings.TrimPrefix(r.Operator, outside) + "@"
	}
	return scheme + key + r.Host + "/" + r.Name()
}

// Covers reports whether an address of a file covers one that an agent calls: the same host and
// agent, and the same capability, or any if the file says "*". An address without a key is that of
// the file.
func (r Remote) Covers(to Remote) bool {
	return r.Host == to.Host && matches(r.Name(), to.Name()) && (to.Operator == "" || to.Operator == r.Operator)
}
