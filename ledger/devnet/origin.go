package devnet

import (
	"encoding/json"
	"net"
	"net/http"
	"net/netip"
	"net/url"
)

// foreign reports whether a request comes from a page of elsewhere in a browser. Such a page may
// read the chain and send transactions, as with a validator. It may not take from the faucet or
// move the clock, for which nobody signs.
func foreign(r *http.Request) bool {
	host := hostOf(r.Host)
	if at, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok && local(hostOf(at.String())) && !local(host) {
		return true // a name that was pointed at this machine
	}
	for _, origin := range r.Header.Values("Origin") {
		u, err := url.Parse(origin)
		if err != nil {
			return true
		}
		_, number := netip.ParseAddr(host)
		if !local(u.Hostname()) && (number != nil || u.Hostname() != host) {
			return true
		}
	}
	return false
}

// hostOf is what stands before the port, if there is one.
func hostOf(address string) string {
	u := url.URL{Host: address}
	return u.Hostname()
}

// local reports whether a host is this machine for everybody.
func local(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.Unmap().IsLoopback()
}

// unsigned are the methods that change something without a signature.
func unsigned(method string) bool { return method == "devnet_warp" || method == "requestAirdrop" }

// callAs is call for a request that may come from a page of elsewhere.
func (s *Server) callAs(foreign bool) call {
	if !foreign {
		return s.call
	}
	return func(method string, params json.RawMessage) (any, error) {
		if unsigned(method) {
			return nil, &rpcError{Code: codeInvalidRequest, Message: method + " is not for pages of other sites"}
		}
		return s.call(method, params)
	}
}
