package remote

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"ojud/datasource/kind"
	"ojud/megabrain/memory"
	"ojud/p2p/direct"
)

// Strangers asks memory nodes that strangers name, such as those of a class: at the addresses to
// which a data source may connect, through no proxy, and with little patience. It sends them no
// token, and remembers no heads. It is safe for concurrent use.
type Strangers struct {
	Private bool // also those of this machine and of private networks: the court is there
	Cut     bool // do not read on to the end of an artifact that is too large
	// Often bounds the questions to one node in half a minute; 0 does not. Whoever looks at a page
	// has the node that shows it ask hosts that a stranger chose.
	Often int

	now   func() time.Time // nil: time.Now
	mu    sync.Mutex
	nodes map[string]health
}

// health is how a node answers.
type health struct {
	down  time.Time     // until then it is not asked
	since time.Time     // from then on, its slow answers are counted
	slow  time.Duration // they took so long
	asked []time.Time   // the latest questions, if they are bounded
}

// How long a node of a stranger may take. One that does not answer, or whose slow answers take more
// than mostSlow in downTime, is not asked for downTime: its readers have other tasks.
const (
	farTime    = 10 * time.Second
	slowAnswer = 2 * time.Second
	mostSlow   = 8 * time.Second
	downTime   = 2 * time.Minute
	oftenTime  = 30 * time.Second
	maxNodes   = 1024
)

// errInside refuses an address that is not public.
var errInside = errors.New("it is named by a class or a task, and leads to this machine or to a private network; if it is yours, name it by --memory")

// errDown means that a node did not answer a short time ago, or slowly, and is not asked now.
var errDown = errors.New("the memory node did not answer, or too slowly, and is asked again after two minutes")

// errOften means that a host was asked as often as it may be for a view.
var errOften = errors.New("the memory node was asked often enough in half a minute; try again later")

// Get returns an artifact of a node, if it has at most so many bytes.
func (s *Strangers) Get(ctx context.Context, node string, hash [32]byte, most int64) (content []byte, err error) {
	err = s.ask(ctx, node, func(ctx context.Context, c *Auditor) (err error) {
		c.Most, c.Cut = most, s.Cut
		content, err = c.Get(ctx, memory.Digest(hash))
		return err
	})
	return content, err
}

// Put has a node keep an artifact for a term at least.
func (s *Strangers) Put(ctx context.Context, node string, content []byte, term time.Duration) error {
	return s.ask(ctx, node, func(ctx context.Context, c *Auditor) error {
		_, err := c.Put(ctx, content, term)
		return err
	})
}

func (s *Strangers) ask(ctx context.Context, node string, do func(context.Context, *Auditor) error) (err error) {
	began := s.time()
	if err := s.may(node, began); err != nil {
		return err
	}
	own, stop := context.WithTimeout(ctx, farTime)
	defer stop()
	c, err := s.dial(own, node)
	if err == nil {
		err = errors.Join(do(own, c), c.Close())
	}
	var answered *refusal
	silent := err != nil && !errors.As(err, &answered) && !errors.Is(err, ErrLarger) && !errors.Is(err, errLost) && ctx.Err() == nil
	s.judge(node, began, silent)
	return err
}

// may says why a node may not be asked now, or counts that it is.
func (s *Strangers) may(node string, now time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now.Before(s.nodes[node].down) {
		return errDown
	}
	if s.Often == 0 {
		return nil
	}
	node = hostOf(node)
	h := s.nodes[node]
	h.asked = slices.DeleteFunc(h.asked, func(at time.Time) bool { return now.Sub(at) > oftenTime })
	if len(h.asked) >= s.Often {
		return errOften
	}
	h.asked = append(h.asked, now)
	s.set(node, h)
	return nil
}

// hostOf is the host and the port of an address: a class may name one host by many paths.
func hostOf(node string) string {
	if u, err := url.Parse(node); err == nil && u.Host != "" {
		return strings.ToLower(u.Host)
	}
	part := strings.Split(node, "/")
	return strings.Join(part[:min(3, len(part))], "/")
}

// set notes how a node is. The caller holds mu.
func (s *Strangers) set(node string, h health) {
	if s.nodes == nil || len(s.nodes) >= maxNodes {
		s.nodes = map[string]health{}
	}
	s.nodes[node] = h
}

func (s *Strangers) time() time.Time {
	if s.now == nil {
		return time.Now()
	}
	return s.now()
}

// judge counts how a node answered.
func (s *Strangers) judge(node string, began time.Time, silent bool) {
	now := s.time()
	took := now.Sub(began)
	if !silent && took < slowAnswer {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.nodes[node]
	if now.Sub(h.since) > downTime {
		h.since, h.slow = now, 0
	}
	if h.slow += took; silent || h.slow > mostSlow {
		h = health{down: now.Add(downTime), asked: h.asked}
	}
	s.set(node, h)
}

// dial connects to a node. Names are looked up once, and the address that is connected to is the
// one that was looked at.
func (s *Strangers) dial(ctx context.Context, node string) (*Auditor, error) {
	to := kind.Network{AllowPrivate: s.Private}
	if !strings.HasPrefix(node, "/") {
		return overHTTP(node, nil, &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := to.Dial(ctx, network, address)
			if errors.Is(err, kind.ErrRefused) {
				err = errInside
			}
			return conn, err
		}})
	}
	part := strings.Split(node, "/")
	if len(part) < 4 || part[1] != "ip4" && part[1] != "ip6" || strings.Contains(node, "p2p-circuit") {
		return nil, errors.New("a class names a node over libp2p by its IP address, and without a relay")
	}
	at, err := netip.ParseAddr(part[2])
	if err != nil || !to.Allows(at) {
		return nil, errInside
	}
	return overLibp2p(ctx, node, nil, passing)
}

// passing is a key for one conversation, of which a node knows nothing.
func passing() (direct.Key, error) {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	return direct.Key{Public: public, Sign: func(m []byte) [ed25519.SignatureSize]byte {
		return [ed25519.SignatureSize]byte(ed25519.Sign(private, m))
	}}, err
}
