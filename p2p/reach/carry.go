package reach

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/protocol"
	"github.com/libp2p/go-libp2p/p2p/protocol/circuitv2/pb"
	"github.com/libp2p/go-libp2p/p2p/protocol/circuitv2/proto"
	"github.com/libp2p/go-libp2p/p2p/protocol/circuitv2/relay"
	"github.com/libp2p/go-libp2p/p2p/protocol/circuitv2/util"
	ma "github.com/multiformats/go-multiaddr"
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/time/rate"
)

const (
	// carried is the size of a piece that a relay passes on.
	carried = 4 << 10
	// guestTime is how long a link of a guest lasts at most.
	guestTime = 2 * time.Minute
	// guestLinks bounds the links of the guests of one host at one time.
	guestLinks = 4
	// guestShare is the part of all that is carried which guests may have: one of so many.
	guestShare = 8
	// refuseTime is how long a guest has to take a refusal.
	refuseTime = 5 * time.Second
	// hours divides a day's allowance: so much of it may go at once after a rest.
	hours = 24
)

// service is the relay of a node. The library's part passes on what it reads; this one bounds who
// may send how much, and sees each link as the stream by which it was opened.
type service struct {
	cfg     Relay
	member  func(peer.ID) bool
	metrics relay.MetricsTracer
	ctx     context.Context // ends with the node

	bytes atomic.Uint64
	links atomic.Int64
	all   *rate.Limiter // of everybody
	day   *rate.Limiter // of everybody, in a day
	guest *rate.Limiter // of all guests

	guestDay *rate.Limiter // of all guests, in a day

	mu      sync.Mutex
	running *relay.Relay
	open    map[*circuitEnd]struct{}
	judges  map[peer.ID]*pacer
}

// pacer is the rate of one judge, while it has a link.
type pacer struct {
	*rate.Limiter
	links int
}

func newService(ctx context.Context, s Relay, member func(peer.ID) bool, metrics prometheus.Registerer) *service {
	if metrics == nil {
		metrics = prometheus.NewRegistry() // nobody reads it
	}
	kib := func(n int) *rate.Limiter {
		n = max(n<<10, 2*carried)
		return rate.NewLimiter(rate.Limit(n), n)
	}
	// In any 24 hours it lets through what is there at their beginning, and what comes: a 25th, and
	// 24 of them.
	hour := s.DayMiB << 20 / (hours + 1)
	daily := func(hour int) *rate.Limiter {
		return rate.NewLimiter(rate.Limit(hour)/rate.Limit(time.Hour/time.Second), max(hour, carried))
	}
	return &service{
		cfg: s, member: member, ctx: ctx, metrics: relay.NewMetricsTracer(relay.WithRegisterer(metrics)),
		all: kib(s.RateKiB), guest: kib(s.RateKiB / guestShare), day: daily(hour), guestDay: daily(hour / guestShare),
		open: map[*circuitEnd]struct{}{}, judges: map[peer.ID]*pacer{},
	}
}

// options returns the options of the library's relay. It has no bound on one link, because a link
// of a panel lasts and carries more than 128 KiB, and gossip would not use a bounded link. Who may
// use it, how many, and all they send are bounded instead.
func (s *service) options(who relay.ACLFilter) []relay.Option {
	return []relay.Option{
		relay.WithResources(relay.Resources{
			ReservationTTL: time.Hour, MaxReservations: s.cfg.Places, MaxCircuits: s.cfg.Circuits, BufferSize: carried,
			MaxReservationsPerIP: s.cfg.PlacesPerIP, MaxReservationsPerASN: s.cfg.Places,
		}),
		relay.WithInfiniteLimits(), relay.WithACL(who), relay.WithMetricsTracer(counted{s.metrics, s}),
	}
}

// serve begins or ends the relay.
func (s *service) serve(h host.Host, on bool) error {
	s.mu.Lock()
	was := s.running
	s.mu.Unlock()
	if on == (was != nil) {
		return nil
	}
	if !on {
		s.mu.Lock()
		s.running = nil
		s.mu.Unlock()
		return was.Close()
	}
	now, err := relay.New(watched{h, s}, s.options(newACL(s.member, s.cfg.Guests > 0))...)
	if err != nil {
		return fmt.Errorf("p2p: carrying links for judges behind routers: %w", err)
	}
	s.mu.Lock()
	s.running = now
	s.mu.Unlock()
	return nil
}

// serving reports whether the relay runs.
func (s *service) serving() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running != nil
}

// admit returns a stream of the relay protocol with its bounds; nil: there is no room.
func (s *service) admit(in network.Stream) *circuitEnd {
	p := in.Conn().RemotePeer()
	out := &circuitEnd{Stream: in, of: s, from: p, judge: s.member(p)}
	if hosts, _ := places([]ma.Multiaddr{in.Conn().RemoteMultiaddr()}); len(hosts) > 0 {
		out.host = hosts[0]
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if out.judge {
		j := s.judges[p]
		if j == nil {
			s.forget()
			n := s.cfg.JudgeKiB << 10
			j = &pacer{Limiter: rate.NewLimiter(rate.Limit(n), max(n, 2*carried))}
			s.judges[p] = j
		}
		j.links++
		out.pace = []*rate.Limiter{j.Limiter, s.all, s.day}
	} else {
		all, near := 0, 0
		for c := range s.open {
			if !c.judge {
				all++
				if c.host == out.host {
					near++
				}
			}
		}
		if all >= s.cfg.Guests || near >= guestLinks {
			return nil
		}
		out.pace = []*rate.Limiter{s.guest, s.guestDay, s.all, s.day}
		out.end = time.AfterFunc(guestTime, func() { _ = out.Reset() }) // it may have ended by itself
	}
	s.open[out] = struct{}{}
	return out
}

func (s *service) left(c *circuitEnd) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, c)
	if j := s.judges[c.from]; c.judge && j != nil {
		j.links--
	}
	if c.end != nil {
		c.end.Stop()
	}
}

// forget drops the rates of judges without links, but not those who have just used theirs up.
func (s *service) forget() {
	maps.DeleteFunc(s.judges, func(_ peer.ID, j *pacer) bool { return j.links == 0 && j.Tokens() >= float64(j.Burst()) })
}

// expel ends what this node carries for judges that left the Roster.
func (s *service) expel(h host.Host) {
	s.mu.Lock()
	open := slices.Collect(maps.Keys(s.open))
	s.mu.Unlock()
	for _, c := range open {
		if c.judge && !s.member(c.from) {
			_ = c.Reset() // it may have ended by itself
		}
	}
	for _, c := range h.Network().Conns() {
		if relayed(c) || s.member(c.RemotePeer()) {
			continue
		}
		for _, st := range c.GetStreams() {
			if st.Protocol() == proto.ProtoIDv2Stop && st.Stat().Direction == network.DirOutbound {
				_ = st.Reset() // it may have ended by itself
			}
		}
	}
}

// says describes in one sentence what this node carries; empty: nothing.
func (s *service) says() string {
	if !s.serving() {
		return ""
	}
	whom := "judges"
	if s.cfg.Guests > 0 {
		whom = "judges and agents"
	}
	day := int64(s.cfg.DayMiB) << 20
	return fmt.Sprintf("This node carries links of %s to judges that nobody can dial: %d links now, and %.1f MiB since its start, of at most %d KiB a second and %d MiB a day (about %d GB a month in, and as much out).",
		whom, s.links.Load(), float64(s.bytes.Load())/(1<<20), s.cfg.RateKiB, s.cfg.DayMiB, min(day*30, int64(s.cfg.RateKiB)<<10*86400*30)/1e9)
}

// watched is a host whose relay sees only streams with bounds.
type watched struct {
	host.Host
	of *service
}

// SetStreamHandler bounds the streams of the relay protocol.
func (w watched) SetStreamHandler(p protocol.ID, f network.StreamHandler) {
	if p != proto.ProtoIDv2Hop {
		w.Host.SetStreamHandler(p, f)
		return
	}
	w.Host.SetStreamHandler(p, func(in network.Stream) {
		if c := w.of.admit(in); c != nil {
			f(c)
		} else {
			w.of.refuse(in)
		}
	})
}

// refuse tells a guest that it is not carried.
func (s *service) refuse(in network.Stream) {
	why := pb.Status_RESOURCE_LIMIT_EXCEEDED
	if s.cfg.Guests == 0 {
		why = pb.Status_PERMISSION_DENIED
	}
	err := in.SetWriteDeadline(time.Now().Add(refuseTime))
	if err == nil {
		err = util.NewDelimitedWriter(in).WriteMsg(&pb.HopMessage{Type: pb.HopMessage_STATUS.Enum(), Status: why.Enum()})
	}
	if err == nil && in.Close() == nil {
		return
	}
	_ = in.Reset() // it may have ended by itself
}

// circuitEnd is the stream by which a link through this node was opened. All that the link carries
// passes it once: it is read here or written here.
type circuitEnd struct {
	network.Stream
	of    *service
	from  peer.ID
	host  string // of its address
	judge bool
	pace  []*rate.Limiter
	end   *time.Timer // of a guest
	once  sync.Once
}

// Read reads a piece, and returns when the next one may be read.
func (c *circuitEnd) Read(b []byte) (int, error) {
	n, err := c.Stream.Read(b)
	c.wait(n)
	return n, err
}

// Write writes a piece, and returns when the next one may be written.
func (c *circuitEnd) Write(b []byte) (int, error) {
	n, err := c.Stream.Write(b)
	c.wait(n)
	return n, err
}

func (c *circuitEnd) wait(n int) {
	for _, l := range c.pace {
		if err := l.WaitN(c.of.ctx, n); err != nil {
			return // the node ends
		}
	}
}

// Close ends the link.
func (c *circuitEnd) Close() error {
	c.once.Do(func() { c.of.left(c) })
	return c.Stream.Close()
}

// Reset ends the link at once.
func (c *circuitEnd) Reset() error {
	c.once.Do(func() { c.of.left(c) })
	return c.Stream.Reset()
}

// counted counts what a relay carries.
type counted struct {
	relay.MetricsTracer
	of *service
}

// BytesTransferred counts a piece.
func (m counted) BytesTransferred(n int) {
	m.of.bytes.Add(uint64(n))
	m.MetricsTracer.BytesTransferred(n)
}

// ConnectionOpened counts a link.
func (m counted) ConnectionOpened() {
	m.of.links.Add(1)
	m.MetricsTracer.ConnectionOpened()
}

// ConnectionClosed counts a link that ended.
func (m counted) ConnectionClosed(d time.Duration) {
	m.of.links.Add(-1)
	m.MetricsTracer.ConnectionClosed(d)
}
