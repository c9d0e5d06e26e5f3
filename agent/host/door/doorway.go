package door

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"

	"ojud/agent/host"
	"ojud/agent/talk/link"
)

// crowd counts those who have shown nothing yet: at most maxNameless, and eachPlace of one place.
type crowd struct {
	mu     sync.Mutex
	places map[string]int
	all    int
}

// enter lets somebody of a place in. Left is to be called once that one is counted elsewhere, or is
// gone.
func (c *crowd) enter(place string) (left func(), ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.all >= maxNameless || c.places[place] >= eachPlace {
		return nil, false
	}
	if c.places == nil {
		c.places = map[string]int{}
	}
	c.all++
	c.places[place]++
	return sync.OnceFunc(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.all--
		if c.places[place]--; c.places[place] == 0 {
			delete(c.places, place)
		}
	}), true
}

// seats count the sessions of those who have signed a call, by the delegate to whom the first link
// of their chain was given. Each has at most a quarter of what is left, so that there is always one
// for a delegate that has few.
type seats struct {
	most int

	mu  sync.Mutex
	of  map[string]int
	all int
}

// take gives a delegate a seat, or the operator if it is empty. Leave gives it back.
func (s *seats) take(delegate string) (leave func(), err error) {
	const share = 4
	s.mu.Lock()
	defer s.mu.Unlock()
	left := s.most - s.all - 1
	switch {
	case left < 0:
		return nil, &host.Refused{Code: host.Busy, Words: fmt.Sprintf("the host has %d sessions, and that is the limit; try again later", s.all)}
	case delegate != "" && s.of[delegate]+1 > left/share:
		return nil, &host.Refused{Code: host.Busy, Words: fmt.Sprintf("the delegate %s has %d of %d sessions, and one delegate has at most a quarter of what is left of %d; end one, or try again later", delegate, s.of[delegate], s.all, s.most)}
	}
	if s.of == nil {
		s.of = map[string]int{}
	}
	s.all++
	s.of[delegate]++
	return sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.all--
		if s.of[delegate]--; s.of[delegate] == 0 {
			delete(s.of, delegate)
		}
	}), nil
}

// doorway bounds the connections that have sent no request yet, before anything is read of them. It
// closes those above at once.
type doorway struct {
	net.Listener
	crowd crowd
}

// newcomer is a connection that has sent no request yet.
type newcomer struct {
	net.Conn
	known func() // gives its place in the doorway back
}

func (c *newcomer) Close() error {
	c.known()
	return c.Conn.Close()
}

// Accept implements net.Listener.
func (d *doorway) Accept() (net.Conn, error) {
	for {
		c, err := d.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if known, ok := d.crowd.enter(link.Place(c.RemoteAddr().String())); ok {
			return &newcomer{c, known}, nil
		}
		_ = c.Close() // it may be closed already
	}
}

// arrivedKey is where the context of a request has its newcomer.
type arrivedKey struct{}

// note puts a connection into the context of its requests.
func note(ctx context.Context, c net.Conn) context.Context {
	secure, ok := c.(interface{ NetConn() net.Conn })
	if !ok {
		return ctx
	}
	return context.WithValue(ctx, arrivedKey{}, secure.NetConn())
}

// arrived says that a connection has sent its request, so that it is counted elsewhere from now on.
func arrived(r *http.Request) {
	if c, ok := r.Context().Value(arrivedKey{}).(*newcomer); ok {
		c.known()
	}
}
