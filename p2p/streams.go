package p2p

import (
	"cmp"
	"fmt"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/protocol"

	"ojud/config/bounds"
)

// Limits bounds one request or stream protocol, on both sides of it. Start from
// DefaultLimits.
type Limits struct {
	MaxRequest  int           // bytes of a message to the serving side
	MaxResponse int           // bytes of a message from the serving side
	Timeout     time.Duration // a whole request; on a raw stream, the wait for each message
	Lifetime    time.Duration // a whole raw stream
	Concurrency int           // handlers at once, all peers
	PerPeer     int           // handlers at once for one peer
	RatePerPeer float64       // requests or streams a second from one peer
	Burst       int           // of them at once, before the rate holds
}

// MaxFrame is the largest message any protocol may allow, in bytes.
const MaxFrame = 64 << 20

// DefaultLimits suit small questions with answers of up to 1 MiB.
func DefaultLimits() Limits {
	return Limits{
		MaxRequest: 64 << 10, MaxResponse: 1 << 20, Timeout: 15 * time.Second, Lifetime: 10 * time.Minute,
		Concurrency: 256, PerPeer: 16, RatePerPeer: 50, Burst: 200,
	}
}

// Validate names the first field out of bounds.
func (l Limits) Validate() error {
	return bounds.Check("p2p: limits.",
		bounds.Of("max_request", l.MaxRequest, 0, MaxFrame),
		bounds.Of("max_response", l.MaxResponse, 0, MaxFrame),
		bounds.AtLeast("timeout", l.Timeout, 10*time.Millisecond),
		bounds.AtLeast("lifetime", l.Lifetime, l.Timeout),
		bounds.AtLeast("concurrency", l.Concurrency, 1),
		bounds.AtLeast("per_peer", l.PerPeer, 1),
		positive("rate_per_peer", l.RatePerPeer),
		bounds.AtLeast("burst", l.Burst, 1),
	)
}

// streams keeps the limits of the protocols in use.
type streams struct {
	h *Host

	mu     sync.Mutex
	limits map[string]Limits
	served map[string]bool
}

func newStreams(h *Host) *streams {
	return &streams{h: h, limits: map[string]Limits{}, served: map[string]bool{}}
}

// Limit sets the limits of a protocol this host asks on but does not serve. A
// host that serves it uses the limits given to Handle. Without either,
// DefaultLimits hold.
func (h *Host) Limit(name string, lim Limits) error {
	if err := lim.Validate(); err != nil {
		return err
	}
	h.streams.mu.Lock()
	defer h.streams.mu.Unlock()
	if h.streams.served[name] {
		return fmt.Errorf("p2p: %s is served here: its limits are those given to Handle", name)
	}
	h.streams.limits[name] = lim
	return nil
}

func (s *streams) limitsOf(name string) Limits {
	s.mu.Lock()
	defer s.mu.Unlock()
	if lim, ok := s.limits[name]; ok {
		return lim
	}
	return DefaultLimits()
}

// claim takes a name for a handler, once.
func (s *streams) claim(name string, lim Limits) error {
	if err := cmp.Or(checkName(name), lim.Validate()); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.served[name] {
		return fmt.Errorf("p2p: protocol %s has a handler already", name)
	}
	s.served[name], s.limits[name] = true, lim
	return nil
}

// serve registers what is done with each admitted stream of a protocol. It is
// done on a goroutine of its own, and Close waits for it.
func (s *streams) serve(name string, g *guard, do func(network.Stream)) {
	s.h.net.SetStreamHandler(s.h.protocol(name), func(raw network.Stream) {
		if !s.h.begin() {
			reset(raw)
			return
		}
		defer s.h.work.Done()
		from := raw.Conn().RemotePeer()
		if s.h.book.banned(from) {
			reset(raw)
			return
		}
		leave, ok := g.enter(from)
		if !ok {
			s.h.count.requestsRefused.Add(1)
			refuse(raw, g.limits.Timeout)
			return
		}
		defer leave()
		do(raw)
	})
}

func (h *Host) protocol(name string) protocol.ID { return ProtocolID(h.cfg.Network, name) }
