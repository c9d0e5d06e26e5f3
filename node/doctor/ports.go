package doctor

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"syscall"

	"ojud/node"
	"ojud/node/api"
	"ojud/node/status"
)

// Ports checks that a node could listen where its settings say: at the API's address and at those
// of libp2p. It returns a fatal finding for each address that is wrong or in use, and nothing if
// all are free. A node that runs already holds its own ports.
func Ports(ctx context.Context, cfg node.Config) (out []status.Finding) {
	if cfg.API.Listen != "off" {
		out = append(out, bound(ctx, "--api", "api.listen", "tcp", cfg.API.Listen)...)
	}
	for _, addr := range cfg.P2P.Listen {
		network, address, err := socket(addr)
		if err != nil {
			out = append(out, status.Finding{Name: "port", Fatal: true, Detail: err.Error(),
				Next: "write p2p.listen (flag --listen) as /ip4/0.0.0.0/tcp/4600 or /ip4/0.0.0.0/udp/4600/quic-v1"})
			continue
		}
		out = append(out, bound(ctx, "--listen", "p2p.listen", network, address)...)
	}
	return out
}

// Twin returns a fatal finding if a node runs on the home already.
func Twin(ctx context.Context, home node.Home) (out []status.Finding) {
	l, err := api.Open(home.Dir)
	if err != nil {
		return nil
	}
	if _, err := l.Status(ctx); err != nil {
		return nil
	}
	return []status.Finding{{Name: "node", Fatal: true, Detail: "another copy of this node is running on " + home.Dir,
		Next: "stop it first, or take another home with --home"}}
}

// socket returns the network and the address of the socket that a multiaddr needs; the network is
// empty for other kinds.
func socket(multiaddr string) (network, address string, err error) {
	parts := strings.Split(multiaddr, "/")
	if len(parts) < 5 || parts[0] != "" {
		return "", "", fmt.Errorf("%q is not a multiaddr with an IP address and a port", multiaddr)
	}
	switch ip, port := net.ParseIP(parts[2]), parts[4]; {
	case parts[1] != "ip4" && parts[1] != "ip6":
		return "", "", nil
	case ip == nil:
		return "", "", fmt.Errorf("%q has no IP address after /%s/", multiaddr, parts[1])
	default:
		return parts[3] + strings.TrimPrefix(parts[1], "ip"), net.JoinHostPort(ip.String(), port), nil
	}
}

// bound opens a socket and closes it.
func bound(ctx context.Context, flag, setting, network, address string) []status.Finding {
	var lc net.ListenConfig
	var err error
	switch network {
	case "tcp", "tcp4", "tcp6":
		var l net.Listener
		if l, err = lc.Listen(ctx, network, address); err == nil {
			err = l.Close()
		}
	case "udp4", "udp6":
		var l net.PacketConn
		if l, err = lc.ListenPacket(ctx, network, address); err == nil {
			err = l.Close()
		}
	default:
		return nil
	}
	switch {
	case err == nil, errors.Is(err, syscall.EAFNOSUPPORT) && strings.HasPrefix(address, "[::]:"): // a node does without
		return nil
	case errors.Is(err, syscall.EADDRINUSE):
		return []status.Finding{{Name: "port", Fatal: true, Detail: fmt.Sprintf("another program uses the %s port of %s", network, address),
			Next: fmt.Sprintf("stop that program, or take another address with %s (setting %s)", flag, setting)}}
	}
	return []status.Finding{{Name: "port", Fatal: true, Detail: fmt.Sprintf("this machine cannot listen on %s: %v", address, err),
		Next: fmt.Sprintf("take another address with %s (setting %s)", flag, setting)}}
}
