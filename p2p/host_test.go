package p2p_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/p2p/transport/tcp"
	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/goleak"

	"ojud/p2p"
	"ojud/p2p/identity"
	"ojud/p2p/p2ptest"
)

// realConfig listens on loopback, on ports the system chooses.
func realConfig() p2p.Config {
	cfg := p2ptest.Config(0)
	cfg.Listen = []string{"/ip4/127.0.0.1/tcp/0", "/ip4/127.0.0.1/udp/0/quic-v1"}
	cfg.ObserveAddrs = true
	return cfg
}

func realHost(t testing.TB, cfg p2p.Config, deps p2p.Deps) *p2p.Host {
	t.Helper()
	h, err := p2p.New(context.Background(), cfg, p2ptest.Identity(t), deps)
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

// exercise lets two hosts use everything once.
func exercise(t *testing.T, a, b *p2p.Host) {
	t.Helper()
	box := newBox()
	topic := listen(t, a, newBox())
	listen(t, b, box)
	echo := func(_ context.Context, _ peer.ID, req []byte) ([]byte, error) { return req, nil }
	if err := b.Handle("blob", p2p.DefaultLimits(), echo); err != nil {
		t.Fatal(err)
	}
	if err := b.HandlePush("vote", func(_ peer.ID, msg []byte) { box.add(msg) }); err != nil {
		t.Fatal(err)
	}
	a.Keep([]peer.AddrInfo{p2ptest.Info(t, b)})
	p2ptest.Eventually(t, 10*time.Second, "the link and the topic", func() bool { return len(topic.Peers()) == 1 })
	if err := topic.Publish(t.Context(), []byte("gossip")); err != nil {
		t.Error(err)
	}
	if err := a.Push("vote", []peer.ID{b.ID()}, []byte("push")); err != nil {
		t.Error(err)
	}
	if resp, err := a.Request(t.Context(), b.ID(), "blob", []byte("x")); err != nil || string(resp) != "x" {
		t.Errorf("%q, %v", resp, err)
	}
	p2ptest.Eventually(t, 10*time.Second, "both messages", func() bool { n, _, _ := box.count(); return n == 2 })
	p2ptest.Eventually(t, 10*time.Second, "the routing table", func() bool { return a.Stats().Of("dht_peers") == 1 })
	p2ptest.Eventually(t, 10*time.Second, "the acknowledgement", func() bool { return a.Stats().Of("push_sent") == 1 })
}

// TestCloseLeavesNothing: on real sockets, after Close and after the end of the context, no
// goroutine of ours or the libraries' is left.
func TestCloseLeavesNothing(t *testing.T) {
	before := goleak.IgnoreCurrent()
	ctx, cancel := context.WithCancel(context.Background())
	deps := p2p.Deps{Topics: []string{"rounds"}}
	b, err := p2p.New(ctx, realConfig(), p2ptest.Identity(t), deps)
	if err != nil {
		t.Fatal(err)
	}
	a, err := p2p.New(context.Background(), realConfig(), p2ptest.Identity(t), deps)
	if err != nil {
		t.Fatal(err)
	}
	exercise(t, a, b)
	cancel()
	p2ptest.Eventually(t, 10*time.Second, "the end of the host whose context ended", func() bool { return len(b.Peers()) == 0 })
	for range 2 {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if err := goleak.Find(before); err != nil {
		t.Error(err)
	}
}

// TestCloseWaits: Close ends the context of a running handler and waits until it returns.
func TestCloseWaits(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		a, b := pair(t)
		var done atomic.Bool
		begun := make(chan struct{})
		if err := b.Handle("blob", p2p.DefaultLimits(), func(ctx context.Context, _ peer.ID, _ []byte) ([]byte, error) {
			close(begun)
			<-ctx.Done()
			time.Sleep(time.Minute) // writing something down
			done.Store(true)
			return nil, ctx.Err()
		}); err != nil {
			t.Fatal(err)
		}
		go func() { _, _ = a.Request(t.Context(), b.ID(), "blob", nil) }() // the other side closes
		<-begun
		if err := b.Close(); err != nil {
			t.Error(err)
		}
		if !done.Load() {
			t.Error("closed before the handler had returned")
		}
	})
}

// TestTransports: the hosts talk over TCP alone, over QUIC alone, and with both.
func TestTransports(t *testing.T) {
	both := realConfig().Listen
	for name, addrs := range map[string][]string{"tcp": both[:1], "quic": both[1:], "both": both} {
		t.Run(name, func(t *testing.T) {
			cfg := realConfig()
			cfg.Listen = addrs
			deps := p2p.Deps{Topics: []string{"rounds"}}
			exercise(t, realHost(t, cfg, deps), realHost(t, cfg, deps))
		})
	}
}

// TestPortInUse: a host that cannot listen on one of its addresses does not start on the others
// alone.
func TestPortInUse(t *testing.T) {
	taken, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	cfg := realConfig()
	cfg.Listen[0] = fmt.Sprintf("/ip4/127.0.0.1/tcp/%d", taken.Addr().(*net.TCPAddr).Port)
	before := goleak.IgnoreCurrent()
	h, err := p2p.New(context.Background(), cfg, p2ptest.Identity(t), p2p.Deps{})
	if err == nil {
		t.Fatal("started", h.Close())
	}
	if !strings.Contains(err.Error(), cfg.Listen[0]) || !strings.Contains(err.Error(), "port in use") {
		t.Errorf("error %v", err)
	}
	if err := goleak.Find(before); err != nil {
		t.Error(err)
	}
	// If no address is left, the library itself fails, with the names of its functions, and leaves
	// goroutines behind.
	cfg.Listen = cfg.Listen[:1]
	if _, err := p2p.New(context.Background(), cfg, p2ptest.Identity(t), p2p.Deps{}); err == nil || strings.Contains(err.Error(), "func") ||
		!strings.Contains(err.Error(), cfg.Listen[0]+": port in use") || !strings.Contains(err.Error(), "p2p.listen") {
		t.Errorf("error %v", err)
	}
}

// TestPortOfAnotherHost: two hosts never share a port, although the library listens with
// SO_REUSEPORT.
func TestPortOfAnotherHost(t *testing.T) {
	for _, addr := range []string{"/ip4/127.0.0.1/tcp/0", "/ip4/127.0.0.1/udp/0/quic-v1"} {
		cfg := realConfig()
		cfg.Listen = []string{addr}
		addrs, err := realHost(t, cfg, p2p.Deps{}).Addrs()
		if err != nil || len(addrs) == 0 {
			t.Fatal(addrs, err)
		}
		cfg.Listen[0], _, _ = strings.Cut(addrs[0].String(), "/p2p/")
		h, err := p2p.New(context.Background(), cfg, p2ptest.Identity(t), p2p.Deps{})
		if err == nil {
			t.Fatal("a second host listens on ", cfg.Listen, h.Close())
		}
		if !strings.Contains(err.Error(), cfg.Listen[0]+": port in use") || !strings.Contains(err.Error(), "--p2p-port") {
			t.Error(err)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	bad := realConfig()
	bad.Network = ""
	for name, c := range map[string]struct {
		cfg  p2p.Config
		id   identity.Identity
		deps p2p.Deps
	}{
		"configuration": {bad, p2ptest.Identity(t), p2p.Deps{}},
		"no identity":   {realConfig(), identity.Identity{}, p2p.Deps{}},
		"topic name":    {realConfig(), p2ptest.Identity(t), p2p.Deps{Topics: []string{"a/b"}}},
	} {
		before := goleak.IgnoreCurrent()
		if h, err := p2p.New(context.Background(), c.cfg, c.id, c.deps); err == nil {
			t.Errorf("%s: started, %v", name, h.Close())
		}
		if err := goleak.Find(before); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAnnounce: the addresses told to others follow the configuration.
func TestAnnounce(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*p2p.Config)
		want   string
	}{
		"private":  {func(*p2p.Config) {}, "/ip4/127.0.0.1/"},
		"public":   {func(c *p2p.Config) { c.Addresses = p2p.AddressesPublic }, ""},
		"announce": {func(c *p2p.Config) { c.Announce = []string{"/dns4/judge.example/tcp/1"} }, "/dns4/judge.example/tcp/1/p2p/"},
	} {
		cfg := realConfig()
		c.change(&cfg)
		addrs, err := realHost(t, cfg, p2p.Deps{}).Addrs()
		if err != nil || (len(addrs) == 0) != (c.want == "") {
			t.Errorf("%s: %v, %v", name, addrs, err)
		}
		for _, a := range addrs {
			if !strings.HasPrefix(a.String(), c.want) {
				t.Errorf("%s: %v", name, a)
			}
		}
	}
}

// TestPublicPolicy: with public addresses only, a private one is not dialled even if a peer names
// it.
func TestPublicPolicy(t *testing.T) {
	cfg := realConfig()
	other := realHost(t, cfg, p2p.Deps{})
	cfg.Addresses = p2p.AddressesPublic
	if err := realHost(t, cfg, p2p.Deps{}).Connect(t.Context(), p2ptest.Info(t, other)); err == nil {
		t.Error("a loopback address was dialled")
	}
}

// TestMetrics: every number of Stats is exposed, with the library's beside it, and gone after
// Close.
func TestMetrics(t *testing.T) {
	reg := prometheus.NewPedanticRegistry()
	cfg := realConfig()
	cfg.LibraryMetrics = true
	h := realHost(t, cfg, p2p.Deps{Metrics: reg, Topics: []string{"rounds"}})
	exercise(t, h, realHost(t, realConfig(), p2p.Deps{Topics: []string{"rounds"}}))
	h.Penalize(p2ptest.Identity(t).Peer(), 1, "test")
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	library := 0
	for _, f := range families {
		got[f.GetName()] = len(f.GetMetric())
		if strings.HasPrefix(f.GetName(), "libp2p_") {
			library++
		}
	}
	for name, series := range map[string]int{
		"ojud_p2p_peers": 1, "ojud_p2p_push_sent_total": 1, "ojud_p2p_gossip_total": 5,
		"ojud_p2p_dropped_total": 10, "ojud_p2p_penalties_total": 1, "ojud_p2p_dht_peers": 1,
	} {
		if got[name] != series {
			t.Errorf("%s has %d series, want %d", name, got[name], series)
		}
	}
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range regexp.MustCompile(`(ojud|libp2p)_[a-z0-9_]+[a-z0-9]`).FindAllString(string(doc), -1) {
		if got[name] == 0 && name != "ojud_p2p" && name != "libp2p_rcmgr_blocked_resources" { // nothing was blocked
			t.Errorf("doc.go asks for %s, which is not exposed", name)
		}
	}
	if library < 10 {
		t.Errorf("%d families of the library", library)
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	after, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range after {
		if strings.HasPrefix(f.GetName(), "ojud_p2p_") {
			t.Errorf("%s is left after close", f.GetName())
		}
	}
}

// syncBuffer is a log to which several goroutines write.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

// TestLogs: the log tells an operator of a refused peer, but not of every dial.
func TestLogs(t *testing.T) {
	var log syncBuffer
	h := realHost(t, realConfig(), p2p.Deps{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	bad := p2ptest.Identity(t).Peer()
	h.Penalize(bad, 1000, "forged-vote")
	log.mu.Lock()
	defer log.mu.Unlock()
	if text := log.b.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, bad.String()) || !strings.Contains(text, "forged-vote") {
		t.Errorf("log: %s", text)
	}
}

// TestHiddenNode: a node that others cannot dial logs that, once in a while.
func TestHiddenNode(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		var log syncBuffer
		net := p2ptest.NewNet(t, 0)
		h := net.Node(func(c *p2p.Config, d *p2p.Deps) {
			c.Listen = []string{"/ip4/10.0.0.1/udp/1/quic-v1"}
			c.Addresses = p2p.AddressesPublic
			d.Logger = slog.New(slog.NewTextHandler(&log, nil))
		})
		time.Sleep(90 * time.Minute)
		log.mu.Lock()
		defer log.mu.Unlock()
		if n := strings.Count(log.b.String(), "nobody can dial"); n != 2 || h.Stats().Of("announced_addrs") != 0 {
			t.Errorf("said %d times in 90 minutes, %d addresses", n, h.Stats().Of("announced_addrs"))
		}
	})
}

// TestStreamFloodTCP is TestStreamFlood on a multiplexer without a limit of its own. Only our
// resource manager protects our memory from a peer.
func TestStreamFloodTCP(t *testing.T) {
	cfg := realConfig()
	cfg.Listen = cfg.Listen[:1]
	victim, honest := realHost(t, cfg, p2p.Deps{}), realHost(t, cfg, p2p.Deps{})
	lim := p2p.DefaultLimits()
	echo := func(_ context.Context, _ peer.ID, req []byte) ([]byte, error) { return req, nil }
	if err := victim.Handle("blob", lim, echo); err != nil {
		t.Fatal(err)
	}
	bad, err := libp2p.New(libp2p.NoListenAddrs, libp2p.Transport(tcp.NewTCPTransport), libp2p.ResourceManager(&network.NullResourceManager{}), libp2p.DisableMetrics())
	if err != nil {
		t.Fatal(err)
	}
	defer bad.Close()
	if err := bad.Connect(t.Context(), p2ptest.Info(t, victim)); err != nil {
		t.Fatal(err)
	}
	before := runtime.NumGoroutine()
	for range 10_000 {
		s, err := bad.NewStream(t.Context(), victim.ID(), p2p.ProtocolID("test", "blob"))
		if err == nil {
			_, err = s.Write([]byte{0, 100})
		}
		if err != nil && len(bad.Network().Conns()) == 0 {
			t.Fatalf("the attacker was thrown out: %v", err)
		}
	}
	if err := honest.Connect(t.Context(), p2ptest.Info(t, victim)); err != nil {
		t.Fatal(err)
	}
	if resp, err := honest.Request(t.Context(), victim.ID(), "blob", []byte("x")); err != nil || string(resp) != "x" {
		t.Errorf("the honest peer got %q, %v", resp, err)
	}
	if grown := runtime.NumGoroutine() - before; grown > 4*cfg.Limits.StreamsPerPeer {
		t.Errorf("%d goroutines more", grown)
	}
}
