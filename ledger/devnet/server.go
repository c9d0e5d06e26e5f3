package devnet

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"ojud/ledger/devnet/bank"
)

// Server is a chain with its RPC.
type Server struct {
	*chain
	deps    Deps
	now     func() time.Time
	hub     *hub
	methods methods
	busy    chan struct{} // one element for each request in progress
	memory  *memoryListener

	mu      sync.Mutex
	rpc, ws net.Addr // while Serve runs
}

// New opens the chain, or creates it, and is ready to answer. The slots do not move yet. The error
// is one of the configuration or of bank.Open.
func New(config Config, deps Deps) (*Server, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	if deps.Logger == nil {
		return nil, errors.New("devnet: deps: Logger must be set")
	}
	if deps.Now == nil {
		deps.Now = time.Now
	}
	if deps.Genesis.NewSeed == nil {
		deps.Genesis.NewSeed = randomSeed
	}
	m, err := newMetrics(deps.Metrics)
	if err != nil {
		return nil, err
	}
	s := &Server{
		chain: &chain{config: config, log: deps.Logger, metrics: m}, deps: deps, now: deps.Now,
		busy: make(chan struct{}, config.MaxRequests), hub: newHub(config, deps.Logger, m),
	}
	if s.bank, err = bank.Open(config.Chain, deps.Genesis, deps.Now(), s.hub.publish, deps.Logger); err != nil {
		m.unregister()
		return nil, err
	}
	s.hub.start(s.bank)
	s.methods = s.table()
	s.memory = newMemoryListener(s.Handler(), config.Timeout)
	return s, nil
}

func randomSeed() ([]byte, error) {
	seed := make([]byte, 32)
	_, err := rand.Read(seed)
	return seed, err
}

// Bank returns the chain behind the server. The caller may read and process with it, but must not
// Close it.
func (s *Server) Bank() *bank.Bank { return s.bank }

// Seal ends the open slot in manual mode. An error is final.
func (s *Server) Seal() error {
	if err := s.bank.Seal(s.now()); err != nil {
		return err
	}
	s.metrics.sealed(s.bank)
	return nil
}

// Warp moves the chain's clock forward. bank.Bank.Warp explains the effect on slots.
func (s *Server) Warp(by time.Duration) error { return s.bank.Warp(by, s.now()) }

// Run moves the slots until the context ends; then the error is nil. In manual mode it only waits.
func (s *Server) Run(ctx context.Context) error {
	if s.deps.Manual {
		<-ctx.Done()
		return nil
	}
	tick := time.NewTicker(s.config.Chain.SlotTime)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if err := s.Seal(); err != nil {
			return fmt.Errorf("devnet: seal a slot: %w", err)
		}
	}
}

// Close ends websockets and connections made with Dial, and closes the chain. Serve and Run must
// have returned.
func (s *Server) Close() error {
	s.hub.close()
	err := s.memory.stop()
	if closing := s.bank.Close(); closing != nil {
		err = closing
	}
	s.metrics.unregister()
	return err
}

// call runs a method of JSON-RPC. Everything in the result is on disk when it returns.
func (s *Server) call(name string, raw json.RawMessage) (any, error) {
	began := time.Now()
	result, err := s.methods.run(name, raw)
	if err == nil {
		err = s.bank.Sync()
	}
	s.metrics.called(s.label(name), err, time.Since(began))
	if e := (*rpcError)(nil); err != nil && !errors.As(err, &e) {
		s.log.Error("a call failed", "method", name, "err", err)
	}
	return result, err
}

// label keeps names invented by strangers out of the metrics.
func (s *Server) label(name string) string {
	if _, ok := s.methods[name]; ok {
		return name
	}
	return "unknown"
}

var _ http.RoundTripper = transport{}
