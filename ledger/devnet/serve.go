package devnet

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"ojud/ledger/devnet/crowd"
)

// stopTime is the time that requests have to finish when the server stops.
const stopTime = 5 * time.Second

// Serve listens on both ports and moves the slots until the context ends; then the error is nil.
// ready may be nil. It is called once with the addresses of JSON-RPC and of the websocket.
func (s *Server) Serve(ctx context.Context, ready func(rpc, ws net.Addr)) error {
	rpc, ws, err := s.listen(ctx)
	if err != nil {
		return err
	}
	s.setAddresses(rpc.Addr(), ws.Addr())
	defer s.setAddresses(nil, nil)
	s.log.Info("devnet is up", "rpc", rpc.Addr().String(), "ws", ws.Addr().String(), "genesis", s.bank.GenesisHash())
	if ready != nil {
		ready(rpc.Addr(), ws.Addr())
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return s.Run(ctx) })
	for _, l := range []net.Listener{rpc, ws} {
		server := s.httpServer()
		group.Go(func() error { return ignoreClosed(server.Serve(crowd.Of(l, s.config.MaxConns))) })
		group.Go(func() error { <-ctx.Done(); return s.stop(server) })
	}
	return group.Wait()
}

func (s *Server) httpServer() *http.Server {
	return &http.Server{
		Handler: s.Handler(), ReadHeaderTimeout: s.config.Timeout, ReadTimeout: s.config.Timeout,
		WriteTimeout: 2 * s.config.Timeout, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 16 << 10,
		ConnContext: crowd.Remember, ConnState: crowd.Answered,
	}
}

// stop lets requests finish and tells websockets to close.
func (s *Server) stop(server *http.Server) error {
	s.hub.disconnect()
	ctx, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		return server.Close()
	}
	return nil
}

func ignoreClosed(err error) error {
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return fmt.Errorf("devnet: serve: %w", err)
}

// listen opens both ports. Unless the websocket's port is configured, it is the one after the
// other's.
func (s *Server) listen(ctx context.Context) (rpc, ws net.Listener, err error) {
	var lc net.ListenConfig
	if rpc, err = lc.Listen(ctx, "tcp", s.config.RPC); err != nil {
		return nil, nil, fmt.Errorf("devnet: listen for RPC: %w", err)
	}
	address := s.config.WS
	if address == "" {
		host, _, err := net.SplitHostPort(s.config.RPC)
		if err != nil {
			return nil, nil, errors.Join(err, rpc.Close())
		}
		address = net.JoinHostPort(host, strconv.Itoa(rpc.Addr().(*net.TCPAddr).Port+1))
	}
	if ws, err = lc.Listen(ctx, "tcp", address); err != nil {
		return nil, nil, errors.Join(fmt.Errorf("devnet: listen for websockets: %w", err), rpc.Close())
	}
	return rpc, ws, nil
}

func (s *Server) setAddresses(rpc, ws net.Addr) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rpc, s.ws = rpc, ws
}

// addresses returns the addresses of the server for getClusterNodes, or nil while it does not
// listen.
func (s *Server) addresses() (rpc, ws *string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rpc != nil {
		a, b := s.rpc.String(), s.ws.String()
		rpc, ws = &a, &b
	}
	return rpc, ws
}
