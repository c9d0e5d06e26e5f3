package p2p

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/libp2p/go-libp2p"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/p2p/net/connmgr"
	"github.com/libp2p/go-libp2p/p2p/transport/quic"
	"github.com/libp2p/go-libp2p/p2p/transport/tcp"
	ma "github.com/multiformats/go-multiaddr"
	manet "github.com/multiformats/go-multiaddr/net"
	"github.com/prometheus/client_golang/prometheus"
)

// trimGrace is how long a new connection is safe from the connection manager.
const trimGrace = 20 * time.Second

// newLibp2p builds the libp2p host: TCP and QUIC, noise and TLS, yamux, and what package reach
// adds.
func (h *Host) newLibp2p() (host.Host, error) {
	ctx, cfg, deps := h.ctx, h.cfg, h.deps
	if len(deps.Libp2p) == 0 { // on a simulated transport this machine's ports do not matter
		if err := free(ctx, cfg); err != nil {
			return nil, err
		}
	}
	opts, closers, err := h.libp2pOptions()
	if err == nil {
		var net host.Host
		if net, err = libp2p.New(append(opts, deps.Libp2p...)...); err == nil {
			return net, listening(cfg, net)
		}
		// The library names the functions that build its parts before the cause.
		if err = fmt.Errorf("p2p: starting libp2p: %w", err); strings.Contains(err.Error(), "failed to listen on any addresses") {
			err = errUnbound(strings.Join(cfg.Listen, " or "))
		}
	}
	for _, c := range closers {
		err = errors.Join(err, c())
	}
	return nil, err
}

// libp2pOptions returns the options, and a function that closes them if they are not used.
func (h *Host) libp2pOptions() ([]libp2p.Option, []func() error, error) {
	cfg, metrics := h.cfg, libraryMetrics(h.cfg, h.deps)
	manager, err := resourceManager(cfg.Limits, metrics != nil)
	if err != nil {
		return nil, nil, err
	}
	trim, err := connmgr.NewConnManager(cfg.MaxPeers*9/10, cfg.MaxPeers, connmgr.WithGracePeriod(trimGrace))
	closers := []func() error{manager.Close}
	if err != nil {
		return nil, closers, fmt.Errorf("p2p: connection manager: %w", err)
	}
	closers = append(closers, trim.Close)
	addrs, err := h.addrsFactory()
	if err != nil {
		return nil, closers, err
	}
	reached, err := h.reach.Options(h.ctx)
	if err != nil {
		return nil, closers, err
	}
	opts := append(reached,
		libp2p.Identity(h.id.Key()),
		libp2p.ListenAddrStrings(cfg.Listen...),
		libp2p.Transport(tcp.NewTCPTransport), libp2p.Transport(libp2pquic.NewTransport),
		libp2p.ResourceManager(manager), libp2p.ConnectionManager(trim), libp2p.ConnectionGater(gater{cfg, h.book, h.reach}),
		libp2p.AddrsFactory(addrs),
		libp2p.UserAgent("ojud"), libp2p.Ping(false),
		// After a cut every dial of the last minutes failed. Black-hole detection would then refuse
		// the dials that restore the links.
		libp2p.UDPBlackHoleSuccessCounter(nil), libp2p.IPv6BlackHoleSuccessCounter(nil),
	)
	if !cfg.ObserveAddrs {
		opts = append(opts, libp2p.DisableIdentifyAddressDiscovery())
	}
	if metrics != nil {
		return append(opts, libp2p.PrometheusRegisterer(metrics)), closers, nil
	}
	return append(opts, libp2p.DisableMetrics()), closers, nil
}

// libraryMetrics returns where the library's metrics go; nil: nowhere.
func libraryMetrics(cfg Config, deps Deps) prometheus.Registerer {
	if !cfg.LibraryMetrics {
		return nil
	}
	return deps.Metrics
}

// addrsFactory returns the function that selects the addresses told to others.
func (h *Host) addrsFactory() (func([]ma.Multiaddr) []ma.Multiaddr, error) {
	announce, err := parseAddrs("announce", h.cfg.Announce)
	if err != nil || len(announce) == 0 {
		return func(in []ma.Multiaddr) []ma.Multiaddr { return h.cfg.filter(h.reach.Tell(in)) }, err
	}
	return func([]ma.Multiaddr) []ma.Multiaddr { return announce }, nil
}

// free checks that nobody listens on the configured addresses. The library itself would share a TCP
// port with another node (SO_REUSEPORT), and then each gets some of the other's connections.
func free(ctx context.Context, cfg Config) error {
	addrs, err := parseAddrs("listen", cfg.Listen)
	if err != nil {
		return err
	}
	for _, a := range addrs {
		network, address, err := manet.DialArgs(a)
		if err != nil {
			return errUnbound(a.String())
		}
		var sockets net.ListenConfig
		var socket io.Closer
		if strings.HasPrefix(network, "tcp") {
			socket, err = sockets.Listen(ctx, network, address)
		} else {
			socket, err = sockets.ListenPacket(ctx, network, address)
		}
		if err != nil {
			return errUnbound(a.String())
		}
		if err := socket.Close(); err != nil {
			return fmt.Errorf("p2p: %s: %w", a, err)
		}
	}
	return nil
}

// listening checks that every configured address was bound, and otherwise closes the host. The
// library needs only one, and a node that cannot be reached over TCP would look healthy.
func listening(cfg Config, h host.Host) error {
	want, err := parseAddrs("listen", cfg.Listen)
	if err != nil {
		return errors.Join(err, h.Close())
	}
	for _, a := range want {
		same := func(got ma.Multiaddr) bool { return portless(got) == portless(a) }
		if !slices.ContainsFunc(h.Network().ListenAddresses(), same) {
			return errors.Join(errUnbound(a.String()), h.Close())
		}
	}
	return nil
}

func errUnbound(addr string) error {
	return fmt.Errorf("p2p: cannot listen on %s: port in use, or not an address of this machine; stop the other program, "+
		"or take another address (setting p2p.listen, flag --listen, or --p2p-port of a devnet)", addr)
}

// portless returns an address without its port, because port 0 becomes a real one.
func portless(a ma.Multiaddr) string {
	out := ""
	for _, c := range a {
		switch code := c.Protocol().Code; code {
		case ma.P_TCP, ma.P_UDP:
			out += "/" + c.Protocol().Name
		case ma.P_CERTHASH:
		default:
			out += c.String()
		}
	}
	return out
}
