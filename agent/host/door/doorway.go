package door

import (
	"context"
	"net"
	"net/http"
	"sync"

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
