package p2p_test

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"io"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/p2p"
	"ojud/p2p/p2ptest"
	"ojud/p2p/wire"
)

// attacker is a bare libp2p host on the simulated network, without any of our limits.
func attacker(t *testing.T, net *p2ptest.Net, addr string) host.Host {
	t.Helper()
	h, err := libp2p.New(net.Transport(), libp2p.ListenAddrStrings(addr), libp2p.DisableIdentifyAddressDiscovery(),
		libp2p.ResourceManager(&network.NullResourceManager{}), libp2p.DisableMetrics())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

// siege is a host with one protocol of each kind, an honest peer and an attacker.
type siege struct {
	net      *p2ptest.Net
	victim   *p2p.Host
	honest   *p2p.Host
	attacker host.Host
	asked    atomic.Int64 // requests that reached the handler
	pushed   atomic.Int64 // bytes that reached the push handler
}

func newSiege(t *testing.T) *siege {
	t.Helper()
	net := p2ptest.NewNet(t, 5*time.Millisecond)
	s := &siege{net: net, victim: net.Node(), honest: net.Node()}
	s.attacker = attacker(t, net, "/ip4/203.0.113.9/udp/1/quic-v1")
	lim := p2p.DefaultLimits()
	lim.MaxRequest, lim.Timeout = 1000, 5*time.Second
	if err := errors.Join(
		s.honest.Limit("blob", lim),
		s.victim.Handle("blob", lim, func(context.Context, peer.ID, []byte) ([]byte, error) {
			s.asked.Add(1)
			return []byte("here"), nil
		}),
		s.victim.HandlePush("vote", func(_ peer.ID, msg []byte) { s.pushed.Add(int64(len(msg))) }),
		s.attacker.Connect(t.Context(), p2ptest.Info(t, s.victim)),
		s.honest.Connect(t.Context(), p2ptest.Info(t, s.victim)),
	); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *siege) open(t *testing.T, name string) network.Stream {
	t.Helper()
	st, err := s.attacker.NewStream(t.Context(), s.victim.ID(), p2p.ProtocolID("test", name))
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// answers checks that the victim still serves an honest peer.
func (s *siege) answers(t *testing.T) {
	t.Helper()
	if resp, err := s.honest.Request(t.Context(), s.victim.ID(), "blob", []byte("?")); err != nil || string(resp) != "here" {
		t.Errorf("the honest peer got %q, %v", resp, err)
	}
}

// ended waits until the victim has closed a stream and returns how long it took.
func ended(t *testing.T, s network.Stream) time.Duration {
	t.Helper()
	start := time.Now()
	if err := s.SetReadDeadline(start.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, s); err != nil && time.Since(start) >= time.Minute {
		t.Errorf("the stream still lives after a minute")
	}
	return time.Since(start)
}

// TestHostileFrames: frames that are too large, too slow, endless or nonsense end their stream.
// They never reach a handler, and do not hurt other peers.
func TestHostileFrames(t *testing.T) {
	huge := binary.AppendUvarint([]byte{0}, 1<<40)
	for name, c := range map[string]struct {
		send   func(io.Writer) error
		points bool // the attacker could know
	}{
		"oversize claim":  {write(huge), true}, // no length we would ever read
		"over the limit":  {write(binary.AppendUvarint([]byte{0}, 70<<10)), false},
		"unknown status":  {write([]byte{77, 1, 1}), true},
		"endless length":  {write([]byte{0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}), true},
		"half a frame":    {write([]byte{0, 100, 1}), false},
		"random garbage":  {garbage, true},
		"drop by drop":    {drops, false},
		"a refusal first": {write(wire.AppendFrame(nil, wire.Busy, nil)), false},
	} {
		for _, proto := range []string{"blob", "vote"} {
			t.Run(name+" on "+proto, func(t *testing.T) {
				p2ptest.Run(t, func(t *testing.T) {
					s := newSiege(t)
					st := s.open(t, proto)
					if err := c.send(st); err != nil {
						t.Logf("sending: %v", err) // the victim hung up first
					}
					if took := ended(t, st); took > 30*time.Second {
						t.Errorf("given up after %v", took)
					}
					if s.asked.Load() != 0 || s.pushed.Load() != 0 {
						t.Errorf("a handler was reached: %d requests, %d bytes", s.asked.Load(), s.pushed.Load())
					}
					if got := s.victim.Points(s.attacker.ID()); c.points && got == 0 {
						t.Errorf("no points for what no honest node sends")
					}
					s.answers(t)
					if s.victim.Points(s.honest.ID()) != 0 {
						t.Errorf("the honest peer got points")
					}
				})
			})
		}
	}
}

func write(b []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	}
}

func garbage(w io.Writer) error {
	b := make([]byte, 4096)
	if _, err := rand.Read(b); err != nil {
		return err
	}
	b[0] |= 0x80 // so that it is not by chance a frame
	return write(b)(w)
}

// drops sends one byte a second of a frame of 900.
func drops(w io.Writer) error {
	if err := write(binary.AppendUvarint([]byte{0}, 900))(w); err != nil {
		return err
	}
	for range 60 {
		if err := write([]byte{1})(w); err != nil {
			return err
		}
		time.Sleep(time.Second)
	}
	return nil
}

// TestFlood: a peer that pushes without pause is slowed down to its rate. An honest peer loses
// nothing, and memory stays bounded.
func TestFlood(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		s := newSiege(t)
		st := s.open(t, "vote")
		frame := wire.AppendFrame(nil, wire.OK, make([]byte, 100))
		go func() { _, _ = io.Copy(io.Discard, st) }() // acknowledgements
		start := time.Now()
		for range 30_000 {
			if _, err := st.Write(frame); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.honest.Push("vote", []peer.ID{s.victim.ID()}, []byte("mine")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		p2ptest.NoDrops(t, s.honest, s.victim)
		cfg := p2ptest.Config(0).Push
		most := cfg.BurstPerPeer + int(cfg.RatePerPeer*time.Since(start).Seconds()) + 1
		if got := s.victim.Stats().Of("push_received"); got > most+1 {
			t.Errorf("%d messages read within %v, the rate allows %d", got, time.Since(start), most)
		}
		s.answers(t)
		if err := st.Reset(); err != nil {
			t.Error(err)
		}
	})
}

// TestStreamFlood: a peer opens 10,000 streams and leaves them open. The victim still serves
// others, and returns to its earlier state after the peer leaves.
func TestStreamFlood(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		s := newSiege(t)
		s.answers(t)
		before := runtime.NumGoroutine()
		opened, failed := 0, 0
		for i := range 10_000 {
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			st, err := s.attacker.NewStream(ctx, s.victim.ID(), p2p.ProtocolID("test", []string{"blob", "vote"}[i%2]))
			if err == nil {
				opened++
				err = write([]byte{0})(st)
			}
			if err != nil {
				failed++
			}
			cancel()
		}
		during := runtime.NumGoroutine()
		s.answers(t)
		if grown := during - before; grown > 4*p2ptest.Config(0).Limits.StreamsPerPeer {
			t.Errorf("%d goroutines more for %d streams", grown, opened)
		}
		if err := s.attacker.Network().ClosePeer(s.victim.ID()); err != nil {
			t.Error(err)
		}
		p2ptest.Eventually(t, time.Minute, "as many goroutines as before", func() bool { return runtime.NumGoroutine() <= before+20 })
		t.Logf("%d opened, %d failed; goroutines %d, %d, %d", opened, failed, before, during, runtime.NumGoroutine())
	})
}
