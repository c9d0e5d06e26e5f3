package p2p_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/p2p"
	"ojud/p2p/p2ptest"
)

// pair makes two connected hosts.
func pair(t *testing.T, opts ...p2ptest.Option) (a, b *p2p.Host) {
	t.Helper()
	net := p2ptest.NewNet(t, p2ptest.Latency)
	a, b = net.Node(opts...), net.Node(opts...)
	if err := a.Connect(t.Context(), p2ptest.Info(t, b)); err != nil {
		t.Fatal(err)
	}
	return a, b
}

func TestRequest(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		a, b := pair(t)
		err := b.Handle("blob", p2p.DefaultLimits(), func(_ context.Context, from peer.ID, req []byte) ([]byte, error) {
			if from != a.ID() {
				t.Errorf("from %s, want %s", from, a.ID())
			}
			return bytes.ToUpper(req), nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []int{0, 1, 60 << 10} {
			req := bytes.Repeat([]byte{'x'}, size)
			start := time.Now()
			resp, err := a.Request(t.Context(), b.ID(), "blob", req)
			if err != nil || !bytes.Equal(resp, bytes.ToUpper(req)) {
				t.Errorf("%d bytes: %d came back, error %v", size, len(resp), err)
			}
			t.Logf("%d bytes there and back: %v", size, time.Since(start))
		}
	})
}

// TestRequestClasses: the asker can tell every kind of refusal, and whether to ask another peer.
func TestRequestClasses(t *testing.T) {
	secret := errors.New("open /home/judge/key: denied")
	for _, c := range []struct {
		name   string
		answer error
		want   error
		text   string
	}{
		{"not found", p2p.ErrNotFound, p2p.ErrNotFound, "p2p: not found"},
		{"busy", p2p.ErrBusy, p2p.ErrBusy, "p2p: busy"},
		{"refused", p2p.Fail(p2p.ErrRefused, "not for you"), p2p.ErrRefused, `p2p: refused: "not for you"`},
		{"bad request", fmt.Errorf("parsing: %w", p2p.ErrBadRequest), p2p.ErrBadRequest, "p2p: bad request"},
		{"internal", secret, p2p.ErrInternal, "p2p: internal error"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p2ptest.Run(t, func(t *testing.T) {
				a, b := pair(t)
				if err := b.Handle("blob", p2p.DefaultLimits(), func(context.Context, peer.ID, []byte) ([]byte, error) {
					return nil, c.answer
				}); err != nil {
					t.Fatal(err)
				}
				_, err := a.Request(t.Context(), b.ID(), "blob", nil)
				var refused *p2p.Error
				if !errors.Is(err, c.want) || !errors.As(err, &refused) || refused.Error() != c.text {
					t.Errorf("error %v (%q)", err, refused)
				}
			})
		})
	}
}

func TestRequestUnreachable(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		a, b := pair(t)
		lim := p2p.DefaultLimits()
		lim.Timeout = 2 * time.Second
		if err := errors.Join(a.Limit("slow", lim), b.Handle("slow", lim, func(ctx context.Context, _ peer.ID, _ []byte) ([]byte, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})); err != nil {
			t.Fatal(err)
		}
		cancelled, cancel := context.WithCancel(t.Context())
		cancel()
		for name, c := range map[string]struct {
			ctx   context.Context
			to    peer.ID
			what  string
			given bool // the caller gave up
		}{
			"no such protocol": {t.Context(), b.ID(), "nothing", false},
			"no such peer":     {t.Context(), p2ptest.Identity(t).Peer(), "slow", false},
			"ourselves":        {t.Context(), a.ID(), "slow", false},
			"too slow":         {t.Context(), b.ID(), "slow", false},
			"given up":         {cancelled, b.ID(), "slow", true},
		} {
			start := time.Now()
			_, err := a.Request(c.ctx, c.to, c.what, []byte("x"))
			if !errors.Is(err, p2p.ErrUnreachable) || errors.Is(err, context.Canceled) != c.given {
				t.Errorf("%s: error %v", name, err)
			}
			if took := time.Since(start); took > 16*time.Second {
				t.Errorf("%s: took %v", name, took)
			}
		}
		if _, err := a.Request(t.Context(), b.ID(), "slow", make([]byte, lim.MaxRequest+1)); !errors.Is(err, p2p.ErrTooLarge) {
			t.Errorf("too large: error %v", err)
		}
	})
}

// TestRequestLimits: one peer gets its own share of the handlers and its own rate. Its further
// requests are answered with busy.
func TestRequestLimits(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		net := p2ptest.NewNet(t, p2ptest.Latency)
		holder, greedy, modest := net.Node(), net.Node(), net.Node()
		lim := p2p.DefaultLimits()
		lim.Concurrency, lim.PerPeer, lim.RatePerPeer, lim.Burst = 8, 4, 10, 20
		release := make(chan struct{})
		var inside atomic.Int32
		if err := holder.Handle("blob", lim, func(context.Context, peer.ID, []byte) ([]byte, error) {
			inside.Add(1)
			<-release
			return []byte("here"), nil
		}); err != nil {
			t.Fatal(err)
		}
		ask := func(h *p2p.Host, n int) <-chan error {
			if err := h.Connect(t.Context(), p2ptest.Info(t, holder)); err != nil {
				t.Fatal(err)
			}
			out := make(chan error, n)
			for range n {
				go func() {
					_, err := h.Request(t.Context(), holder.ID(), "blob", nil)
					out <- err
				}()
			}
			return out
		}
		many, few := ask(greedy, 30), ask(modest, 2)
		p2ptest.Eventually(t, 2*time.Second, "six requests at work, and the others refused", func() bool { return inside.Load() == 6 && len(many) == 26 })
		close(release)
		count := func(in <-chan error, n int) (served, busy int) {
			for range n {
				switch err := <-in; {
				case err == nil:
					served++
				case errors.Is(err, p2p.ErrBusy):
					busy++
				default:
					t.Error(err)
				}
			}
			return served, busy
		}
		if served, busy := count(many, 30); served != 4 || busy != 26 {
			t.Errorf("greedy peer: %d served, %d refused, want 4 and 26", served, busy)
		}
		if served, _ := count(few, 2); served != 2 {
			t.Errorf("modest peer: %d of 2 served", served)
		}
	})
}

// TestConversation: messages go both ways on one stream until either side ends it.
func TestConversation(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		a, b := pair(t)
		if err := b.HandleStream("data", p2p.DefaultLimits(), func(_ context.Context, s *p2p.Stream) error {
			for price := 13; ; price-- {
				offer, err := s.ReadMsg()
				if err != nil {
					return err
				}
				if string(offer) == "no deal" {
					return p2p.Fail(p2p.ErrRefused, "then not")
				}
				if price == 10 {
					return s.WriteMsg([]byte("sold"))
				}
				if err := s.WriteMsg(fmt.Append(nil, price)); err != nil {
					return err
				}
			}
		}); err != nil {
			t.Fatal(err)
		}
		s, err := a.OpenStream(t.Context(), b.ID(), "data")
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"13", "12", "11", "sold"} {
			if err := s.WriteMsg([]byte("cheaper")); err != nil {
				t.Fatal(err)
			}
			if got, err := s.ReadMsg(); string(got) != want || err != nil {
				t.Errorf("%q, %v, want %q", got, err, want)
			}
		}
		if _, err := s.ReadMsg(); !errors.Is(err, io.EOF) {
			t.Errorf("after the end: %v", err)
		}
		s.Close()
		refused(t, a, b.ID())
	})
}

func refused(t *testing.T, a *p2p.Host, b peer.ID) {
	t.Helper()
	s, err := a.OpenStream(t.Context(), b, "data")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.WriteMsg([]byte("no deal")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.ReadMsg(); !errors.Is(err, p2p.ErrRefused) {
		t.Errorf("refusal came as %v", err)
	}
}

// TestConversationTimes: a silent partner ends a conversation after Timeout, a talkative one after
// Lifetime.
func TestConversationTimes(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		a, b := pair(t)
		lim := p2p.DefaultLimits()
		lim.Timeout, lim.Lifetime = 5*time.Second, 20*time.Second
		ended := make(chan time.Time, 1)
		if err := b.HandleStream("data", lim, func(_ context.Context, s *p2p.Stream) error {
			defer func() { ended <- time.Now() }()
			for {
				if _, err := s.ReadMsg(); err != nil {
					return err
				}
			}
		}); err != nil {
			t.Fatal(err)
		}
		for name, c := range map[string]struct{ every, want time.Duration }{
			"silent":    {time.Hour, lim.Timeout},
			"talkative": {2 * time.Second, lim.Lifetime},
		} {
			s, err := a.OpenStream(t.Context(), b.ID(), "data")
			if err != nil {
				t.Fatal(err)
			}
			if err := s.WriteMsg([]byte("hello")); err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			for end := start.Add(c.want + time.Second); time.Now().Before(end); time.Sleep(min(c.every, c.want+time.Second)) {
				if s.WriteMsg([]byte("still here")) != nil {
					break
				}
			}
			if took := (<-ended).Sub(start); took < c.want-time.Second || took > c.want+time.Second {
				t.Errorf("%s: ended after %v, want %v", name, took, c.want)
			}
			s.Close()
		}
	})
}

func TestHandleNames(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		h := p2ptest.NewNet(t, 0).Node()
		none := func(context.Context, peer.ID, []byte) ([]byte, error) { return nil, nil }
		bad := p2p.DefaultLimits()
		bad.Concurrency = 0
		for _, c := range []struct {
			name string
			lim  p2p.StreamLimits
			ok   bool
		}{
			{"blob", p2p.DefaultLimits(), true},
			{"blob", p2p.DefaultLimits(), false},     // taken
			{"registry", p2p.DefaultLimits(), false}, // ours
			{"Blob/../x", p2p.DefaultLimits(), false},
			{"other", bad, false},
		} {
			if err := h.Handle(c.name, c.lim, none); (err == nil) != c.ok {
				t.Errorf("%s: error %v", c.name, err)
			}
		}
		if err := h.HandlePush("blob", func(peer.ID, []byte) {}); err == nil {
			t.Error("a name was taken twice")
		}
		if err := h.Limit("blob", p2p.DefaultLimits()); err == nil {
			t.Error("limits of a served protocol were changed")
		}
	})
}
