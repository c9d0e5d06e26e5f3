package reach

import (
	"bytes"
	"errors"
	"io"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/libp2p/go-libp2p"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/p2p/protocol/circuitv2/client"
	ma "github.com/multiformats/go-multiaddr"
)

// pipe is a stream of a peer at an address. It reads zeros without end.
type pipe struct {
	network.Stream
	from  peer.ID
	at    string
	ended bool
}

type end struct {
	network.Conn
	of *pipe
}

func (p *pipe) Conn() network.Conn          { return end{of: p} }
func (p *pipe) Read(b []byte) (int, error)  { return len(b), nil }
func (p *pipe) Write(b []byte) (int, error) { return len(b), nil }
func (p *pipe) Close() error                { p.ended = true; return nil }
func (p *pipe) Reset() error                { p.ended = true; return nil }
func (e end) RemotePeer() peer.ID           { return e.of.from }
func (e end) RemoteMultiaddr() ma.Multiaddr { return ma.StringCast(e.of.at) }
func judgesOnly(p peer.ID) bool             { return strings.HasPrefix(string(p), "judge") }
func stream(from peer.ID, at string) *pipe  { return &pipe{from: from, at: at} }

// carry reads and writes n bytes.
func (c *circuitEnd) carry(t *testing.T, n int) {
	t.Helper()
	piece := make([]byte, carried)
	for i := range n / carried {
		move := c.Read
		if i%2 == 0 {
			move = c.Write
		}
		if k, err := move(piece); k != carried || err != nil {
			t.Fatal(k, err)
		}
	}
}

// TestPace: a relay holds back each judge, all of them together, and a whole day. A judge that
// comes again has no fresh allowance, and another one is not held back by it.
func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		took := func(c *circuitEnd, n int) time.Duration {
			began := time.Now()
			c.carry(t, n)
			return time.Since(began).Round(time.Second)
		}
		s := newService(t.Context(), Relay{RateKiB: 1 << 20, JudgeKiB: 64, DayMiB: 1 << 20}, judgesOnly, nil)
		one := s.admit(stream("judge 1", "/ip4/11.0.0.1/tcp/1"))
		if d := took(one, 192<<10); d != 2*time.Second { // the first 64 KiB are free
			t.Errorf("one judge: %s", d)
		}
		if err := one.Close(); err != nil {
			t.Fatal(err)
		}
		if d := took(s.admit(stream("judge 1", "/ip4/11.0.0.1/tcp/1")), 64<<10); d != time.Second {
			t.Errorf("the same judge again: %s", d)
		}
		if d := took(s.admit(stream("judge 2", "/ip4/11.0.0.1/tcp/1")), 64<<10); d != 0 {
			t.Errorf("another judge: %s", d)
		}
		time.Sleep(time.Minute)
		s.admit(stream("judge 3", "/ip4/11.0.0.1/tcp/1"))
		if len(s.judges) > 3 {
			t.Errorf("%d rates are kept", len(s.judges))
		}
		s = newService(t.Context(), Relay{RateKiB: 64, JudgeKiB: 1 << 20, DayMiB: 1 << 20}, judgesOnly, nil)
		if d := took(s.admit(stream("judge 1", "/ip4/11.0.0.1/tcp/1")), 64<<10) + took(s.admit(stream("judge 2", "/ip4/11.0.0.1/tcp/1")), 64<<10); d != time.Second {
			t.Errorf("two judges together: %s", d)
		}
	})
}

// TestDay: no more than its bound is carried in any 24 hours, also after a rest.
func TestDay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t.Context(), Relay{RateKiB: 1 << 20, JudgeKiB: 1 << 20, DayMiB: 128}, judgesOnly, nil)
		time.Sleep(100 * time.Hour)
		began, c, sent := time.Now(), s.admit(stream("judge", "/ip4/11.0.0.1/tcp/1")), 0
		piece := make([]byte, 64<<10)
		for time.Since(began) < 24*time.Hour {
			n, err := c.Read(piece)
			if err != nil {
				t.Fatal(err)
			}
			sent += n
		}
		if mib := sent >> 20; mib < 126 || mib > 128 {
			t.Errorf("%d MiB in a day", mib)
		}
	})
}

// TestAttackGuests: strangers get a few links, for a short time, and a small part of what is
// carried, so that an operator pays little for them and judges lose nothing. The negative control
// is a judge.
func TestAttackGuests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t.Context(), Relay{RateKiB: 512, JudgeKiB: 512, DayMiB: 1 << 20, Guests: 8}, judgesOnly, nil)
		var in []*pipe
		var open []*circuitEnd
		for i := range 100 {
			p := stream(peer.ID(rune('a'+i)), "/ip4/11.0.0.7/tcp/1")
			if i >= 50 {
				p.at = "/ip4/11.0.1." + string(rune('1'+i%9)) + "/tcp/1"
			}
			if c := s.admit(p); c != nil {
				in, open = append(in, p), append(open, c)
			}
			if i == 49 && len(open) != guestLinks {
				t.Errorf("one address has %d links", len(open))
			}
		}
		if len(open) != 8 {
			t.Fatalf("guests have %d links", len(open))
		}
		began := time.Now()
		for _, c := range open {
			c.carry(t, 64<<10)
		}
		if d := time.Since(began).Round(time.Second); d != 7*time.Second {
			t.Errorf("512 KiB of guests took %s", d)
		}
		judge := stream("judge", "/ip4/11.0.0.7/tcp/1")
		c := s.admit(judge)
		began = time.Now()
		c.carry(t, 256<<10)
		if d := time.Since(began).Round(time.Second); d > time.Second {
			t.Errorf("a judge waited %s", d)
		}
		time.Sleep(guestTime)
		synctest.Wait()
		for _, p := range in {
			if !p.ended {
				t.Error("the link of a guest goes on")
			}
		}
		if judge.ended || len(s.open) != 1 {
			t.Errorf("the link of a judge ended, or %d links are remembered", len(s.open))
		}
	})
}

// TestAttackGuestsTakeTheDay: strangers send as much as they can for a day, and a judge still has
// seven eighths of what a day allows. Without a share of their own they would have all of it.
func TestAttackGuestsTakeTheDay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t.Context(), Relay{RateKiB: 1 << 10, JudgeKiB: 1 << 10, DayMiB: 64, Guests: 8}, judgesOnly, nil)
		sent := 0
		for began := time.Now(); time.Since(began) < 24*time.Hour; sent += carried {
			c := s.admit(stream("stranger", "/ip4/11.0.0.7/tcp/1"))
			c.carry(t, carried)
			if err := c.Reset(); err != nil {
				t.Fatal(err)
			}
		}
		if mib := sent >> 20; mib < 7 || mib > 8 {
			t.Errorf("strangers sent %d MiB of 64 in a day", mib)
		}
		if left := s.day.Tokens(); left < 2<<20 {
			t.Errorf("a judge may send %.0f bytes at once", left)
		}
	})
}

// TestGuest: an agent, with a key that nobody knows, reaches a judge that has no address of its own
// through a relay, and both send. Without guests it does not, and nobody reaches an agent so.
func TestGuest(t *testing.T) {
	t.Parallel()
	for _, guests := range []int{8, 0} {
		start := func(opts ...libp2p.Option) host.Host {
			h, err := libp2p.New(append([]libp2p.Option{libp2p.ListenAddrStrings("/ip4/127.0.0.1/tcp/0"), libp2p.EnableRelay(), libp2p.DisableMetrics()}, opts...)...)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = h.Close() })
			return h
		}
		server, judge, agent := start(), start(libp2p.NoListenAddrs), start(libp2p.NoListenAddrs)
		cfg := Default().Serve
		cfg.Guests = guests
		s := newService(t.Context(), cfg, func(p peer.ID) bool { return p == judge.ID() }, nil)
		if err := errors.Join(s.serve(server, true), s.serve(server, true)); err != nil || !s.serving() {
			t.Fatal(err)
		}
		at := peer.AddrInfo{ID: server.ID(), Addrs: server.Addrs()}
		for _, h := range []host.Host{judge, agent} {
			if err := h.Connect(t.Context(), at); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := client.Reserve(t.Context(), judge, at); err != nil {
			t.Fatal(err)
		}
		if _, err := client.Reserve(t.Context(), agent, at); err == nil {
			t.Error("an agent has a place")
		}
		judge.SetStreamHandler("/echo", func(st network.Stream) {
			_, err := io.Copy(st, st)
			if err := errors.Join(err, st.Close()); err != nil {
				t.Error(err)
			}
		})
		via := ma.StringCast(server.Addrs()[0].String() + "/p2p/" + server.ID().String() + "/p2p-circuit")
		err := agent.Connect(t.Context(), peer.AddrInfo{ID: judge.ID(), Addrs: []ma.Multiaddr{via}})
		if guests == 0 {
			if err == nil {
				t.Error("without guests an agent is carried")
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		st, err := agent.NewStream(t.Context(), judge.ID(), "/echo")
		if err != nil {
			t.Fatal(err)
		}
		said := bytes.Repeat([]byte("x"), 8<<10)
		_, err = st.Write(said)
		if err := errors.Join(err, st.CloseWrite()); err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(st); err != nil || !bytes.Equal(got, said) {
			t.Fatalf("%d bytes came back: %v", len(got), err)
		}
		if s.links.Load() != 1 || s.bytes.Load() < 16<<10 || !strings.Contains(s.says(), "1 links now") {
			t.Errorf("counted: %d links, %d bytes: %s", s.links.Load(), s.bytes.Load(), s.says())
		}
		if err := s.serve(server, false); err != nil || s.says() != "" {
			t.Errorf("it goes on: %s, %v", s.says(), err)
		}
	}
}

// TestBehind: a server asks no router and tells no local network. A machine of a home does.
func TestBehind(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		have         []string
		router, near bool
	}{
		"server":                  {[]string{"127.0.0.1/8", "11.0.0.7/24", "2a00::7/64"}, false, false},
		"server with containers":  {[]string{"11.0.0.7/24", "172.17.0.1/16"}, false, false},
		"home":                    {[]string{"127.0.0.1/8", "192.168.1.7/24", "fe80::1/64"}, true, true},
		"home with IPv6":          {[]string{"192.168.1.7/24", "2a00::7/64"}, true, true},
		"IPv6 only":               {[]string{"::1/128", "2a00::7/64", "fe80::1/64"}, false, false},
		"IPv6 only, local subnet": {[]string{"2a00::7/64", "fd00::7/64"}, false, true},
	} {
		r := New(Default(), Wiring{Public: true, Machine: func() (out []netip.Prefix, _ error) {
			for _, text := range c.have {
				out = append(out, netip.MustParsePrefix(text))
			}
			return out, nil
		}})
		if router, near := r.behind(netip.Addr.Is4), r.behind(netip.Addr.IsValid); router != c.router || near != c.near {
			t.Errorf("%s: asks its router: %t, tells its network: %t", name, router, near)
		}
	}
	broken := New(Default(), Wiring{Public: true, Machine: func() ([]netip.Prefix, error) { return nil, errors.New("no") }})
	if broken.behind(netip.Addr.Is4) {
		t.Error("a machine without known addresses asks its router")
	}
}
