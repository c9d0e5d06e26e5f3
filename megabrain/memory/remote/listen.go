package remote

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"golang.org/x/net/netutil"

	"ojud/agent/talk/link"
	"ojud/megabrain/memory"
	"ojud/p2p/direct"
)

const (
	maxConns   = 256
	maxHeaders = 16 << 10
	idle       = 30 * time.Second // a peer that says nothing for so long is left
	slowest    = 2 * time.Minute  // a request has to be there by then
)

// protocol is what is spoken over libp2p. 64 streams of 4 MiB bound the memory by default.
func protocol(maxArtifact int64) direct.Protocol {
	return direct.Protocol{Name: "/ojud/memory/1", Most: int(max(maxArtifact, memory.MaxDocument)) + maxHeaders, Streams: 64}
}

// ServeHTTP serves a listener until ctx ends.
func (d *Desk) ServeHTTP(ctx context.Context, l net.Listener) error {
	s := &http.Server{
		Handler:           http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { d.serve(w, r, link.Place(r.RemoteAddr)) }),
		ReadHeaderTimeout: idle, ReadTimeout: slowest, WriteTimeout: slowest, IdleTimeout: idle, MaxHeaderBytes: maxHeaders,
	}
	stop := context.AfterFunc(ctx, func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		_ = s.Shutdown(end) // connections that do not end in time are cut by Close
		_ = s.Close()
	})
	defer stop()
	if err := s.Serve(netutil.LimitListener(l, maxConns)); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
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
