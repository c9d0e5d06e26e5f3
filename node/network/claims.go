package network

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/p2p"
	"ojud/p2p/directory"
)

// claimStream is the request protocol by which a judge's node tells with which others it is linked.
const claimStream = "links"

const (
	maxClaims   = 128 // links that a node tells
	maxPeerID   = 64  // bytes of one
	maxAsked    = 64  // nodes that are asked for a picture
	askedAtOnce = 8
	claimTime   = 3 * time.Second  // for an answer
	claimsTime  = 10 * time.Second // for all answers
	claimsFresh = 15 * time.Second // answers are asked for again after that
)

// gossip is the part of a host that asks and tells.
type gossip interface {
	Peers() []peer.ID
	Directory() *directory.Directory
	Handle(name string, lim p2p.StreamLimits, answer p2p.Handler) error
	Request(ctx context.Context, to peer.ID, name string, req []byte) ([]byte, error)
}

// Claims tells other judges' nodes with which judges this one is linked, and asks them the same.
// What they say is no proof: a node can leave links out or invent them. A link that both of its
// ends claim is one, unless both lie.
type Claims struct {
	host gossip
	wish chan struct{} // somebody looks at old answers

	mu   sync.Mutex
	at   time.Time // of the last answers
	said map[peer.ID][]peer.ID
}

// NewClaims returns the claims of a host. Serve answers others, and Run asks them.
func NewClaims(host gossip) *Claims { return &Claims{host: host, wish: make(chan struct{}, 1)} }

// Serve answers nodes that announce themselves as judges from now on. Others get nothing, and only
// links to such nodes are told.
func (c *Claims) Serve() error {
	l := p2p.DefaultLimits()
	l.MaxRequest, l.MaxResponse, l.Timeout, l.Lifetime = 1, maxClaims*(1+maxPeerID), claimTime, claimTime
	l.Concurrency, l.PerPeer, l.RatePerPeer, l.Burst = 16, 1, 0.2, 4
	return c.host.Handle(claimStream, l, func(_ context.Context, from peer.ID, _ []byte) ([]byte, error) {
		if _, judge := c.host.Directory().Judge(from); !judge {
			return nil, p2p.Fail(p2p.ErrRefused, "only judges are told")
		}
		return encodeLinks(c.linked()), nil
	})
}

// linked returns the judges to which this node is linked, in order.
func (c *Claims) linked() (out []peer.ID) {
	for _, p := range c.host.Peers() {
		if _, judge := c.host.Directory().Judge(p); judge {
			out = append(out, p)
		}
	}
	slices.Sort(out)
	return out[:min(len(out), maxClaims)]
}

// Said returns what judges' nodes say about their links, by who says it. It returns at once: if the
// answers are old, Run asks for others. Nobody is asked while nobody looks.
func (c *Claims) Said() map[peer.ID][]peer.ID {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.at.IsZero() || time.Since(c.at) > claimsFresh {
		select {
		case c.wish <- struct{}{}:
		default: // Run has not taken the last wish yet
		}
	}
	return c.said
}

// Run asks for what Said returns, when somebody wants it, until ctx ends.
func (c *Claims) Run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-c.wish:
		}
		c.mu.Lock()
		fresh := !c.at.IsZero() && time.Since(c.at) <= claimsFresh
		c.mu.Unlock()
		if fresh {
			continue // the wish was from before the last answers
		}
		said := c.ask(ctx)
		c.mu.Lock()
		c.said, c.at = said, time.Now()
		c.mu.Unlock()
	}
}

// ask asks the judges to which this node is linked.
func (c *Claims) ask(ctx context.Context) map[peer.ID][]peer.ID {
	ctx, cancel := context.WithTimeout(ctx, claimsTime)
	defer cancel()
	var mu sync.Mutex
	var group sync.WaitGroup
	out, room := map[peer.ID][]peer.ID{}, make(chan struct{}, askedAtOnce)
	linked := c.linked()
	for _, p := range linked[:min(len(linked), maxAsked)] {
		room <- struct{}{}
		group.Go(func() {
			defer func() { <-room }()
			raw, err := c.host.Request(ctx, p, claimStream, nil)
			if err != nil {
				return // it does not tell: it may be older, or gone
			}
			links, err := decodeLinks(raw)
			if err != nil {
				return // nonsense is no claim
			}
			mu.Lock()
			defer mu.Unlock()
			out[p] = links
		})
	}
	group.Wait()
	return out
}

// encodeLinks writes peer IDs, each with its length.
func encodeLinks(links []peer.ID) (out []byte) {
	for _, p := range links {
		if n := len(p); n > 0 && n <= maxPeerID {
			out = append(append(out, byte(n)), p...)
		}
	}
	return out
}

var errLinks = errors.New("network: these are not 0 to 128 different peer IDs in order, each with its length")

// decodeLinks reads what encodeLinks wrote.
func decodeLinks(raw []byte) (out []peer.ID, err error) {
	for len(raw) > 0 {
		n := int(raw[0])
		if n == 0 || n > maxPeerID || len(raw) < 1+n || len(out) == maxClaims {
			return nil, errLinks
		}
		p, err := peer.IDFromBytes(raw[1 : 1+n])
		if err != nil || len(out) > 0 && p <= out[len(out)-1] {
			return nil, errLinks
		}
		out, raw = append(out, p), raw[1+n:]
	}
	return out, nil
}
