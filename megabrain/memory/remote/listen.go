package remote

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/netutil"

	"ojud/agent/talk/link"
	"ojud/megabrain/memory"
	"ojud/p2p/direct"
)

const (
	maxConns   = 256
	eachConns  = 64 // of one machine
	maxHeaders = 16 << 10
	idle       = 30 * time.Second // a peer that says nothing for so long is left
	slowest    = 2 * time.Minute  // a request has to be there by then
)

// protocol is what is spoken over libp2p. 64 streams of 4 MiB bound the memory by default.
func protocol(maxArtifact int64) direct.Protocol {
	return direct.Protocol{Name: "/ojud/memory/1", Most: int(max(maxArtifact, memory.MaxDocument)) + maxHeaders, Streams: 64, Each: 16}
}

// ServeHTTP serves a listener until ctx ends. No page of a browser may ask. The Host has to be an
// address, of this machine if the listener is for it alone, or one of the names: a page could
// otherwise have its own name lead here (DNS rebinding), and read as its visitor.
func (d *Desk) ServeHTTP(ctx context.Context, l net.Listener, names ...string) error {
	near := Loopback(l.Addr().String())
	s := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case browsed(r):
				http.Error(w, "No page of a browser may ask a memory node.", http.StatusForbidden)
			case !Knows(r.Host, near, names):
				http.Error(w, "This memory node does not know itself by this name. Ask it by its IP address, or start it with --host and the name.", http.StatusForbidden)
			default:
				d.serve(w, r, link.Place(r.RemoteAddr))
			}
		}),
		ReadHeaderTimeout: idle, ReadTimeout: slowest, WriteTimeout: slowest, IdleTimeout: idle, MaxHeaderBytes: maxHeaders,
	}
	stop := context.AfterFunc(ctx, func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		_ = s.Shutdown(end) // connections that do not end in time are cut by Close
		_ = s.Close()
	})
	defer stop()
	if err := s.Serve(Doors(l, maxConns, eachConns)); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// browsed reports whether a page of a browser sent a request. Only browsers send these headers.
func browsed(r *http.Request) bool {
	return r.Header.Get("Origin") != "" || r.Header.Get("Sec-Fetch-Site") != "" || r.Header.Get("Sec-Fetch-Mode") != ""
}

// Doors bounds the connections of a listener, in all and from one machine or network of IPv6.
func Doors(l net.Listener, all, each int) net.Listener {
	return netutil.LimitListener(doors{l, newShelf(int64(all), int64(each))}, all)
}

// Knows reports whether a Host means this node: by an address, or by one of its names. A node that
// is near answers this machine alone.
func Knows(host string, near bool, names []string) bool {
	if near && Loopback(host) {
		return true
	}
	host = strings.TrimSuffix(hostname(host), ".")
	ip := net.ParseIP(host)
	return !near && (ip != nil || strings.EqualFold(host, "localhost")) || slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, host) })
}

// hostname is an address without its port.
func hostname(address string) string {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = strings.TrimSuffix(strings.TrimPrefix(address, "["), "]")
	}
	return host
}

// Loopback reports whether an address, with or without a port, is one of this machine.
func Loopback(address string) bool {
	host := hostname(address)
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// Listen serves libp2p at an address such as /ip4/127.0.0.1/tcp/4001 until ctx ends. It returns the
// addresses that a peer dials, and wait, which waits for the end.
func (d *Desk) Listen(ctx context.Context, key direct.Key, address string) (at []string, wait func() error, err error) {
	return direct.Listen(ctx, key, protocol(d.node.Conditions().MaxArtifact), address, func(ctx context.Context, t *direct.Talk) {
		leave, ok := d.gate.enter("stream of "+t.Peer, d.now())
		if !ok {
			return
		}
		defer leave()
		for {
			if err := d.exchange(ctx, t); err != nil {
				d.log.Debug("a stream is over", "peer", t.Peer, "err", err)
				return
			}
		}
	})
}

// exchange answers one frame.
func (d *Desk) exchange(ctx context.Context, t *direct.Talk) error {
	reading, cancel := context.WithTimeout(ctx, idle)
	frame, err := t.Read(reading)
	cancel()
	if err != nil {
		return err
	}
	r, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(frame)))
	if err != nil {
		return err
	}
	w := &recorder{header: http.Header{}, status: http.StatusOK}
	d.serve(w, r.WithContext(ctx), t.Peer)
	var out bytes.Buffer
	res := http.Response{
		StatusCode: w.status, ProtoMajor: 1, ProtoMinor: 1, Header: w.header, ContentLength: int64(w.body.Len()), Body: http.NoBody,
	}
	if w.body.Len() > 0 {
		res.Body = readCloser{&w.body}
	}
	if err := res.Write(&out); err != nil {
		return err
	}
	writing, cancel := context.WithTimeout(ctx, slowest)
	defer cancel()
	return t.Write(writing, out.Bytes())
}

// recorder keeps an answer for a frame.
type recorder struct {
	header http.Header
	status int
	wrote  bool
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (r *recorder) Header() http.Header { return r.header }

// WriteHeader implements http.ResponseWriter.
func (r *recorder) WriteHeader(status int) {
	if !r.wrote {
		r.status, r.wrote = status, true
	}
}

// Write implements http.ResponseWriter.
func (r *recorder) Write(b []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	return r.body.Write(b)
}

// readCloser is a body that needs no end.
type readCloser struct{ *bytes.Buffer }

func (readCloser) Close() error { return nil }
