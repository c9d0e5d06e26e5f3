package remote

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"net"
	"net/http"
	"net/netip"
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

	mu   sync.Mutex
	down map[string]time.Time // nodes that did not answer, until they are asked again
}

// How long a node of a stranger may take, and when one that did not answer is asked again.
const (
	farTime  = 10 * time.Second
	downTime = 2 * time.Minute
	maxDown  = 1024
)

// errInside refuses an address that is not public.
var errInside = errors.New("it is named by a class or a task, and leads to this machine or to a private network; if it is yours, name it by --memory")

// errDown means that a node did not answer a short time ago, and is not asked now.
var errDown = errors.New("the memory node did not answer, and is asked again after two minutes")

// Get returns an artifact of a node, if it has at most so many bytes.
func (s *Strangers) Get(ctx context.Context, node string, hash [32]byte, most int64) (content []byte, err error) {
	err = s.ask(ctx, node, func(ctx context.Context, c *Auditor) (err error) {
		c.Most = most
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
	s.mu.Lock()
	wait := time.Now().Before(s.down[node])
	s.mu.Unlock()
	if wait {
		return errDown
	}
	own, stop := context.WithTimeout(ctx, farTime)
	defer stop()
	c, err := s.dial(own, node)
	if err == nil {
		err = errors.Join(do(own, c), c.Close())
	}
	var answered *refusal
	if err == nil || errors.As(err, &answered) || errors.Is(err, ErrLarger) || errors.Is(err, errLost) || ctx.Err() != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.down == nil || len(s.down) >= maxDown {
		s.down = map[string]time.Time{}
	}
	s.down[node] = time.Now().Add(downTime)
	return err
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
