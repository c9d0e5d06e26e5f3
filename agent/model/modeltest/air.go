package modeltest

import (
	"context"
	"net"
	"sync"
)

// air is a listener without sockets.
type air struct {
	host   string
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newAir(host string) *air {
	return &air{host: host, conns: make(chan net.Conn), closed: make(chan struct{})}
}

// dial makes a connection that Accept returns the other end of.
func (a *air) dial(ctx context.Context) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case a.conns <- far:
		return near, nil
	case <-a.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (a *air) Accept() (net.Conn, error) {
	select {
	case c := <-a.conns:
		return c, nil
	case <-a.closed:
		return nil, net.ErrClosed
	}
}

func (a *air) Close() error {
	a.once.Do(func() { close(a.closed) })
	return nil
}

func (a *air) Addr() net.Addr { return place(a.host) }

type place string

func (place) Network() string  { return "air" }
func (p place) String() string { return string(p) }
