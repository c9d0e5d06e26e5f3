package status

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// ownNames refuses requests for a host that is not this server. A web page can point its own name
// at this machine (DNS rebinding) and let a browser read the answers; such a request carries the
// name of the page. It also refuses requests that a page of another origin sends.
func (a *API) ownNames(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if host := hostname(r.Host); !a.isOwn(host, r) {
			a.refuse(w, http.StatusForbidden, fmt.Sprintf("this server does not answer to the host %q; ask it as localhost or by the address "+
				"at which it listens, or add the name to the setting api.hosts", host))
			return
		}
		if origin := r.Header.Get("Origin"); origin != "" && !sameOrigin(origin, r.Host) {
			a.refuse(w, http.StatusForbidden, fmt.Sprintf("this server does not answer to web pages of another origin (%q)", origin))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// hostname returns the name or address in a Host header, without port and brackets.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
}

// isOwn reports whether a host is this server: localhost, a loopback address, the address at which
// the request arrived, or a configured name. An address cannot be rebound as a name can.
func (a *API) isOwn(host string, r *http.Request) bool {
	named := func(name string) bool { return strings.EqualFold(host, name) }
	if named("localhost") || slices.ContainsFunc(a.cfg.Hosts, named) {
		return true
	}
	ip := net.ParseIP(host)
	if ip == nil {
		listen, _, err := net.SplitHostPort(a.cfg.Listen)
		return err == nil && listen != "" && strings.EqualFold(host, listen)
	}
	at, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return ip.IsLoopback() || ok && ip.Equal(at.IP)
}

// sameOrigin reports whether an Origin header names the host of the request.
func sameOrigin(origin, host string) bool {
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && strings.EqualFold(u.Host, host)
}
