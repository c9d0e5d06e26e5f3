// Package crowd bounds the connections of a port. Clients that send half a request cannot keep the
// others away.
package crowd

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// Crowd is a listener. If one connection more comes than it holds, the oldest one leaves of those
// that have not sent a whole request, among those of the address with the most of them. A
// connection that is being answered stays. A server has to use Remember and Answered, and its
// handlers Arrived.
type Crowd struct {
	net.Listener
	most int

	mu     sync.Mutex
	change sync.Cond
	closed bool
	number uint64
	guests map[*guest]struct{}
}

// guest is a connection.
type guest struct {
	net.Conn
	crowd  *Crowd
	from   string
	number uint64 // of its coming, or of its last answer
	busy   bool   // it sent a whole request, or is a websocket
}

// Of bounds the connections of a listener.
func Of(l net.Listener, most int) *Crowd {
	c := &Crowd{Listener: l, most: most, guests: map[*guest]struct{}{}}
	c.change.L = &c.mu
	return c
}

// Accept waits for a connection, and for room for it.
func (c *Crowd) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	if err != nil {
		return nil, err
	}
	from, _, err := net.SplitHostPort(conn.RemoteAddr().String())
	if err != nil {
		from = conn.RemoteAddr().String()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.guests) >= c.most && !c.closed {
		if !c.evict() {
			c.change.Wait()
		}
	}
	g := &guest{Conn: conn, crowd: c, from: from}
	c.join(g)
	return g, nil
}

// join gives a guest the next number, with mu held.
func (c *Crowd) join(g *guest) {
	c.number++
	g.number = c.number
	c.guests[g] = struct{}{}
}

// evict closes a connection, with mu held. It returns false if all are being answered.
func (c *Crowd) evict() bool {
	of := map[string]int{}
	for g := range c.guests {
		if !g.busy {
			of[g.from]++
		}
	}
	var out *guest
	for g := range c.guests {
		if g.busy {
			continue
		}
		if out == nil || of[g.from] > of[out.from] || of[g.from] == of[out.from] && g.number < out.number {
			out = g
		}
	}
	if out == nil {
		return false
	}
	delete(c.guests, out)
	_ = out.Conn.Close() // it is over in any case
	return true
}

// Close ends the waiting of Accept, too.
func (c *Crowd) Close() error {
	c.mu.Lock()
	c.closed = true
	c.change.Broadcast()
	c.mu.Unlock()
	return c.Listener.Close()
}

// Close makes room.
func (g *guest) Close() error {
	g.crowd.mu.Lock()
	delete(g.crowd.guests, g)
	g.crowd.change.Broadcast()
	g.crowd.mu.Unlock()
	return g.Conn.Close()
}

// set says whether a guest is being answered.
func (g *guest) set(busy bool) {
	g.crowd.mu.Lock()
	defer g.crowd.mu.Unlock()
	if _, there := g.crowd.guests[g]; !there {
		return
	}
	if g.busy = busy; !busy {
		g.crowd.join(g)
		g.crowd.change.Broadcast()
	}
}

type guestKey struct{}

// Remember puts a connection where handlers find it: a server's ConnContext.
func Remember(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, guestKey{}, conn)
}

// Arrived says that a request is there as a whole.
func Arrived(r *http.Request) {
	if g, ok := r.Context().Value(guestKey{}).(*guest); ok {
		g.set(true)
	}
}

// Answered hears that a connection waits for the next request: a server's ConnState.
func Answered(conn net.Conn, state http.ConnState) {
	if g, ok := conn.(*guest); ok && state == http.StateIdle {
		g.set(false)
	}
}
