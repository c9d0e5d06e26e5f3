package reach

import (
	"context"
	"fmt"
	"net/netip"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p"
	"github.com/libp2p/go-libp2p/core/event"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/p2p/host/eventbus"
	"github.com/libp2p/go-libp2p/p2p/protocol/circuitv2/client"
	pb "github.com/libp2p/go-libp2p/p2p/protocol/circuitv2/pb"
	"github.com/libp2p/go-libp2p/p2p/protocol/circuitv2/proto"
	"github.com/libp2p/go-libp2p/p2p/protocol/circuitv2/relay"
	"github.com/libp2p/go-libp2p/p2p/protocol/circuitv2/util"
	ma "github.com/multiformats/go-multiaddr"
)

func addrs(texts ...string) (out []ma.Multiaddr) {
	for _, s := range texts {
		out = append(out, ma.StringCast(s))
	}
	return out
}

// TestACL: a relay serves two judges, and neither a stranger nor a judge that wants to reach one.
func TestACL(t *testing.T) {
	t.Parallel()
	judges := func(p peer.ID) bool { return p == "judge" || p == "other" }
	a, at := newACL(judges, false), ma.StringCast("/ip4/11.0.0.1/tcp/1")
	if !a.AllowReserve("judge", at) || a.AllowReserve("stranger", at) {
		t.Error("wrong places")
	}
	if !a.AllowConnect("judge", at, "other") || a.AllowConnect("stranger", at, "judge") || a.AllowConnect("judge", at, "stranger") {
		t.Error("wrong links")
	}
	a = newACL(judges, true)
	if a.AllowReserve("agent", at) || !a.AllowConnect("agent", at, "judge") || a.AllowConnect("judge", at, "agent") {
		t.Error("wrong links of guests")
	}
	for i := range 2 * pairBurst {
		a.AllowConnect(peer.ID(fmt.Sprint("agent", i)), at, "judge")
	}
	if a.AllowConnect("fresh", at, "judge") || !a.AllowConnect("fresh", at, "other") || !a.AllowConnect("fresh", ma.StringCast("/ip4/11.0.0.2/tcp/1"), "judge") {
		t.Error("guests with new names at one address are not held back, or others are")
	}
	if none := New(Default(), Wiring{Public: true}); none.parts.Member("judge") {
		t.Error("somebody is a judge before the Roster is known")
	}
}

// TestPairs: one judge opens a few links to another at once, and then one in each pause. Other
// pairs are not held back, and what is remembered is bounded.
func TestPairs(t *testing.T) {
	t.Parallel()
	a, now := newACL(nil, true), time.Now()
	one := pair{"judge", "other"}
	count := func(p pair, at time.Time) (n int) {
		for a.opens(p, at) {
			n++
		}
		return n
	}
	for _, c := range []struct {
		p    pair
		at   time.Duration
		want int
	}{{one, 0, pairBurst}, {one, pairPause - 1, 0}, {pair{"third", "other"}, 0, pairBurst}, {one, pairPause, 1}, {one, time.Hour, pairBurst}} {
		if n := count(c.p, now.Add(c.at)); n != c.want {
			t.Errorf("%v after %s: %d links, want %d", c.p, c.at, n, c.want)
		}
	}
	for i := range 2 * pairsMost {
		a.opens(pair{"judge", peer.ID(fmt.Sprint(i))}, now)
	}
	if len(a.pairs) != pairsMost || a.opens(pair{"new", "other"}, now) || !a.opens(pair{"new", "other"}, now.Add(2*time.Hour)) {
		t.Errorf("%d pairs are remembered, at most %d", len(a.pairs), pairsMost)
	}
}

// TestAttackCircuits: a judge that opens links to another and sends nothing does not take all its
// places at a relay. The negative control has no bound on a pair, and an honest judge is refused.
func TestAttackCircuits(t *testing.T) {
	t.Parallel()
	if held, err := holdCircuits(t, pairBurst); held != pairBurst || err != nil {
		t.Errorf("the attacker holds %d links, want %d; an honest judge: %v", held, pairBurst, err)
	}
	if held, err := holdCircuits(t, 1<<20); held <= pairBurst || err == nil {
		t.Errorf("the negative control: the attacker holds %d links, and an honest judge is let in", held)
	}
}

// holdCircuits opens as many idle links to a judge as its relay lets through, and returns how an
// honest judge fares then.
func holdCircuits(t *testing.T, burst int) (held int, honest error) {
	start := func(opts ...libp2p.Option) host.Host {
		h, err := libp2p.New(append([]libp2p.Option{libp2p.ListenAddrStrings("/ip4/127.0.0.1/tcp/0"), libp2p.EnableRelay(), libp2p.DisableMetrics()}, opts...)...)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = h.Close() })
		return h
	}
	server, victim, evil, judge := start(), start(libp2p.NoListenAddrs), start(), start()
	who := newACL(func(peer.ID) bool { return true }, false)
	who.burst = burst
	s := Default().Serve
	carrier, err := relay.New(server, newService(t.Context(), s, who.member, nil).options(who)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = carrier.Close() })
	at := peer.AddrInfo{ID: server.ID(), Addrs: server.Addrs()}
	for _, h := range []host.Host{victim, evil, judge} {
		if err := h.Connect(t.Context(), at); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := client.Reserve(t.Context(), victim, at); err != nil {
		t.Fatal(err)
	}
	open := func() bool {
		st, err := evil.NewStream(t.Context(), server.ID(), proto.ProtoIDv2Hop)
		if err != nil {
			return false
		}
		ask := &pb.HopMessage{Type: pb.HopMessage_CONNECT.Enum(), Peer: &pb.Peer{Id: []byte(victim.ID())}}
		var got pb.HopMessage
		return util.NewDelimitedWriter(st).WriteMsg(ask) == nil && util.NewDelimitedReader(st, 4096).ReadMsg(&got) == nil && got.GetStatus() == pb.Status_OK
	}
	for held < s.Circuits && open() {
		held++
	}
	via := ma.StringCast(server.Addrs()[0].String() + "/p2p/" + server.ID().String() + "/p2p-circuit")
	return held, judge.Connect(t.Context(), peer.AddrInfo{ID: victim.ID(), Addrs: []ma.Multiaddr{via}})
}

// TestLocal: only judges are dialled, at a few addresses of the local network, not too often.
// Strangers that fill the memory lose their places to judges, and a stranger that becomes a judge
// is dialled then.
func TestLocal(t *testing.T) {
	t.Parallel()
	judges := map[peer.ID]bool{"judge": true}
	l, now := newLocal(func(p peer.ID) bool { return judges[p] }, atHome), time.Now()
	for i := range 10 * nearMost {
		l.take(peer.AddrInfo{ID: peer.ID(fmt.Sprint("stranger ", i)), Addrs: addrs("/ip4/192.168.1.9/tcp/1")}, now)
	}
	if len(l.near) > nearMost || len(l.due(now)) != 0 {
		t.Fatalf("%d nodes, %d to dial", len(l.near), len(l.due(now)))
	}
	many := peer.AddrInfo{ID: "judge", Addrs: addrs("/ip4/8.8.8.8/tcp/22", "/ip4/127.0.0.1/tcp/22", "/ip4/192.168.2.9/tcp/22", "/ip4/10.9.9.9/tcp/22")}
	if l.take(many, now) {
		t.Error("addresses of the internet, of this machine or of another private network were taken")
	}
	for i := range 20 {
		many.Addrs = append(many.Addrs, ma.StringCast(fmt.Sprintf("/ip4/192.168.1.7/tcp/%d", i+1)))
	}
	if !l.take(many, now) || len(l.near) > nearMost {
		t.Fatalf("a judge found no room among strangers: %d", len(l.near))
	}
	dial := l.due(now)
	if len(dial) != 1 || dial[0].ID != "judge" || len(dial[0].Addrs) != nearAddrs {
		t.Fatalf("to dial: %+v", dial)
	}
	if l.take(many, now); len(l.due(now.Add(nearAgain/2))) != 0 || len(l.due(now.Add(nearAgain))) != 1 {
		t.Error("named again, it is dialled at once, or never again")
	}
	if !l.knows("judge", dial[0].Addrs[0]) || l.knows("judge", ma.StringCast("/ip4/10.0.0.1/tcp/1")) {
		t.Error("private addresses that were not found are allowed, or one that was found is not")
	}
	var other peer.ID
	for p := range l.near {
		if p != "judge" {
			other = p
		}
	}
	if l.knows(other, ma.StringCast("/ip4/192.168.1.9/tcp/1")) {
		t.Error("a stranger's private address is allowed")
	}
	judges[other] = true
	if due := l.due(now.Add(nearAgain / 2)); len(due) != 1 || due[0].ID != other {
		t.Errorf("a stranger became a judge: %+v", due)
	}
}

// atHome is the machine of a home. It is also in a network of link-local addresses, and in a VPN.
func atHome() ([]netip.Prefix, error) {
	return []netip.Prefix{
		netip.MustParsePrefix("127.0.0.1/8"), netip.MustParsePrefix("192.168.1.2/24"), netip.MustParsePrefix("169.254.1.1/16"), netip.MustParsePrefix("100.100.0.1/32"),
	}, nil
}

// TestAttackMetadata: who names a judge by mDNS at an address where a cloud tells its secrets has
// nobody dial there. The negative control is an address of a home.
func TestAttackMetadata(t *testing.T) {
	t.Parallel()
	for at, want := range map[string]bool{"/ip4/169.254.169.254/tcp/80": false, "/ip4/100.100.100.200/tcp/80": false, "/ip4/192.168.1.9/tcp/4600": true} {
		l := newLocal(func(peer.ID) bool { return true }, atHome)
		if l.take(peer.AddrInfo{ID: "judge", Addrs: addrs(at)}, time.Now()) != want {
			t.Errorf("%s is taken: %t", at, !want)
		}
	}
}

// TestAttackLocalNetwork: somebody in the home names a judge at wrong addresses, again and again,
// and names all judges of the Roster. The judge is dialled at its own address, too, and finds a
// place.
func TestAttackLocalNetwork(t *testing.T) {
	t.Parallel()
	l, now := newLocal(func(peer.ID) bool { return true }, atHome), time.Now()
	say := func(p peer.ID, at string) bool { return l.take(peer.AddrInfo{ID: p, Addrs: addrs(at)}, now) }
	dialled := func() (out []ma.Multiaddr) {
		now = now.Add(nearAgain)
		for _, ai := range l.due(now) {
			if ai.ID == "judge" {
				out = ai.Addrs
			}
			l.answered(ai.ID, false)
		}
		return out
	}
	own := ma.StringCast("/ip4/192.168.1.7/tcp/4600")
	say("judge", own.String())
	for i := range 100 {
		say("judge", fmt.Sprintf("/ip4/192.168.1.66/tcp/%d", i+1))
	}
	if got := dialled(); !slices.ContainsFunc(got, own.Equal) || len(got) != nearWords {
		t.Errorf("the first word was lost: %v", got)
	}
	for i := range 100 { // now the judge is silent, and the liar first
		say("judge", fmt.Sprintf("/ip4/192.168.1.66/tcp/%d", i+1000))
	}
	found := false
	for range 5 {
		say("judge", own.String())
		found = found || slices.ContainsFunc(dialled(), own.Equal)
	}
	if !found {
		t.Error("a judge is never dialled at its own address")
	}
	for i := range nearMost {
		say(peer.ID(fmt.Sprint("named ", i)), "/ip4/192.168.1.66/tcp/1")
	}
	dialled()
	if !say("late", "/ip4/192.168.1.8/tcp/4600") {
		t.Error("judges that do not answer keep their places")
	}
}

// TestSentence: each state has one sentence that says how others reach the node, or why not.
func TestSentence(t *testing.T) {
	t.Parallel()
	const self = "12D3KooWPT98FXMfDQYavZm66EeVjTqP9Nnehn1gyaydqV8L8BQw"
	me, err := peer.Decode(self)
	if err != nil {
		t.Fatal(err)
	}
	through := addrs("/ip4/11.0.0.9/udp/4600/quic-v1/p2p/"+self+"/p2p-circuit", "/ip4/11.0.0.9/tcp/4600/p2p/"+self+"/p2p-circuit")
	open, off := Default(), Default()
	off.On = false
	judge := func(peer.ID) bool { return true }
	for _, c := range []struct {
		cfg         Settings
		parts       Wiring
		now         Way
		told, works []ma.Multiaddr
		closed      bool
		reached     string
		says        string
		advice      string
	}{
		{open, Wiring{Public: true}, Way{Direct: 5, Seers: 5}, addrs("/ip4/11.0.0.7/tcp/1"), addrs("/ip4/11.0.0.7/tcp/1"), false, directly, "reached this node directly at /ip4/11.0.0.7/tcp/1.", ""},
		{open, Wiring{Public: true}, Way{}, nil, addrs("/ip4/11.0.0.7/tcp/1"), false, nobody, "was reached at /ip4/11.0.0.7/tcp/1, and has no direct link now", "open the port"},
		{open, Wiring{Public: true}, Way{Direct: 5, Seers: 5}, nil, addrs("/ip6/2a00::7/tcp/1"), false, directly, "IPv6 only", ""},
		{open, Wiring{Public: true}, Way{Direct: 3, Seers: 3}, nil, addrs("/ip4/11.0.0.7/tcp/1"), false, directly, "directly", "a court needs 4 nodes"},
		{open, Wiring{Public: true}, Way{Seers: 4}, through, nil, true, relayOnly, "at a relay at /ip4/11.0.0.9/udp/4600/quic-v1/p2p/" + self + ", where it has a place (no link has come there yet)", ""},
		{open, Wiring{Public: true}, Way{Seers: 4, Through: 1}, through, nil, true, relayOnly, "(links came through 1 of them lately)", ""},
		{open, Wiring{Public: true}, Way{Direct: 5, Seers: 5}, through, addrs("/ip6/2a00::7/tcp/1"), false, directly, "judges that have IPv4 alone ask for it at a relay at", ""},
		{open, Wiring{Public: true}, Way{}, nil, nil, false, nobody, "not reach this node at all, because it is linked to no other", "open the port"},
		{open, Wiring{Public: true}, Way{Direct: 2, Seers: 2}, nil, nil, false, nobody, "it is not on the Roster", "on 4 addresses"},
		{open, Wiring{Public: true, Member: judge}, Way{Direct: 2, Seers: 2}, nil, nil, false, nobody, "2 addresses only", "on 4 addresses"},
		{open, Wiring{Public: true}, Way{Direct: 5, Seers: 5}, nil, nil, true, nobody, "serve only judges on the Roster", "open the port"},
		{open, Wiring{Public: true, Member: judge}, Way{Direct: 5, Seers: 5}, nil, nil, true, nobody, "no relay of the court has taken it yet", "open the port"},
		{open, Wiring{Public: true, Fixed: []string{"/ip4/11.0.0.7/tcp/1"}}, Way{Seers: 4}, nil, nil, false, unknown, "p2p.announce", ""},
		{open, Wiring{}, Way{}, addrs("/ip4/127.0.0.1/tcp/1"), nil, false, untested, "p2p.addresses is \"private\"", ""},
		{off, Wiring{Public: true}, Way{}, nil, nil, false, untested, "no address: p2p.reach.on is false", ""},
	} {
		r := New(c.cfg, c.parts)
		r.judge(&c.now, c.told, c.works, c.closed, me)
		advice := c.now.Advice()
		if c.now.Reached != c.reached || !strings.Contains(c.now.How, c.says) || !strings.Contains(advice, c.advice) || (advice == "") != (c.advice == "") || c.now.At == nil {
			t.Errorf("%s, want %s: %s\nadvice %q, want %q", c.now.Reached, c.reached, c.now.How, advice, c.advice)
		}
	}
}

// TestSettings: settings that cannot work are refused, and the certificate must be there.
func TestSettings(t *testing.T) {
	t.Parallel()
	for _, s := range []Settings{Default(), Brief()} {
		if err := s.Validate(); err != nil {
			t.Fatal(err)
		}
	}
	for name, change := range map[string]func(*Settings){
		"reach.relays":                   func(s *Settings) { s.Relays = 9 },
		"reach.relay.places":             func(s *Settings) { s.Serve.Places = 0 },
		"reach.relay.places_per_ip":      func(s *Settings) { s.Serve.PlacesPerIP = 0 },
		"reach.relay.circuits_per_judge": func(s *Settings) { s.Serve.Circuits = 0 },
		"reach.relay.guests":             func(s *Settings) { s.Serve.Guests = -1 },
		"reach.relay.rate_kib":           func(s *Settings) { s.Serve.RateKiB = 1 },
		"reach.relay.rate_kib_per_judge": func(s *Settings) { s.Serve.JudgeKiB = 1 },
		"reach.relay.day_mib":            func(s *Settings) { s.Serve.DayMiB = 1 },
		"reach.tls_key":                  func(s *Settings) { s.Certificate = "cert.pem" },
	} {
		s := Default()
		if change(&s); s.Validate() == nil || !strings.Contains(s.Validate().Error(), name) {
			t.Errorf("%s: %v", name, s.Validate())
		}
	}
	s := Default()
	s.Certificate, s.Key = "no.pem", "no.key"
	if _, err := New(s, Wiring{Public: true}).Options(t.Context()); err == nil || !strings.Contains(err.Error(), "reach.tls_certificate") {
		t.Errorf("a missing certificate: %v", err)
	}
}

// TestSource: relays are searched for only after the start, and only among nodes with an address of
// their own.
func TestSource(t *testing.T) {
	t.Parallel()
	all := []peer.AddrInfo{{ID: "open", Addrs: addrs("/ip4/11.0.0.7/tcp/1")}, {ID: "hidden", Addrs: addrs("/ip4/11.0.0.9/tcp/4600/p2p/12D3KooWPT98FXMfDQYavZm66EeVjTqP9Nnehn1gyaydqV8L8BQw/p2p-circuit")}, {ID: "unknown"}}
	r := New(Default(), Wiring{Member: func(peer.ID) bool { return true }, Judges: func() []peer.AddrInfo { return slices.Clone(all) }})
	if ids := relaysOf(t, r, 8); ids != nil {
		t.Errorf("before the start: %v", ids)
	}
	if r.Begin(struct{ host.Host }{}) {
		t.Error("a host that is not public has something to run")
	}
	if ids := relaysOf(t, r, 8); !slices.Equal(ids, []peer.ID{"open"}) {
		t.Errorf("candidates: %v", ids)
	}
}

func relaysOf(t *testing.T, r *Reach, n int) (ids []peer.ID) {
	for ai := range r.source(t.Context(), n) {
		ids = append(ids, ai.ID)
	}
	return ids
}

// TestAttackRelays: strangers that announce themselves in numbers are no relay of a node. Judges of
// one machine are one relay together, and one network comes first once only. The negative control
// has the strangers on the Roster at hosts of their own: they are taken.
func TestAttackRelays(t *testing.T) {
	t.Parallel()
	var said []peer.AddrInfo
	for i := range 97 {
		said = append(said, peer.AddrInfo{ID: peer.ID(fmt.Sprint("stranger", i)), Addrs: addrs(fmt.Sprintf("/ip4/66.%d.6.6/tcp/1", i))},
			peer.AddrInfo{ID: peer.ID(fmt.Sprint("crowd", i)), Addrs: addrs(fmt.Sprintf("/ip4/77.7.7.7/tcp/%d", i+1), fmt.Sprintf("/ip6/2a00:1:2:3::%d/tcp/1", i+1))},
			peer.AddrInfo{ID: peer.ID(fmt.Sprint("rack", i)), Addrs: addrs(fmt.Sprintf("/ip4/88.8.8.%d/tcp/1", i+1))})
	}
	said = append(said, peer.AddrInfo{ID: "judge", Addrs: addrs("/ip4/11.0.0.7/tcp/1")})
	boot := []peer.AddrInfo{{ID: "boot", Addrs: addrs("/dns4/court.example/tcp/1")}}
	begin := func(member func(peer.ID) bool) *Reach {
		r := New(Default(), Wiring{Public: true, Member: member, Bootstrap: boot, Judges: func() []peer.AddrInfo { return slices.Clone(said) }})
		r.Begin(struct{ host.Host }{})
		return r
	}
	kinds := func(ids []peer.ID) map[string]int {
		out := map[string]int{}
		for _, id := range ids {
			out[strings.TrimRight(string(id), "0123456789")]++
		}
		return out
	}
	r := begin(func(p peer.ID) bool { return !strings.HasPrefix(string(p), "stranger") })
	got := kinds(relaysOf(t, r, 20))
	if got["stranger"] != 0 || got["crowd"] != 1 || got["judge"] != 1 || got["boot"] != 1 {
		t.Errorf("relays: %v", got)
	}
	if got := kinds(relaysOf(t, r, 4)); len(got) != 4 {
		t.Errorf("the first four are not of four networks: %v", got)
	}
	if got := kinds(relaysOf(t, begin(func(peer.ID) bool { return true }), 100)); got["stranger"] < 50 {
		t.Errorf("the negative control: %v", got)
	}
	if got := kinds(relaysOf(t, begin(nil), 20)); len(got) != 1 || got["boot"] != 1 {
		t.Errorf("before the Roster is read: %v", got)
	}
}

// TestRelaysEnd: a message on the reachability that arrives while the search for relays ends does
// not begin it again. (With one Close of the library's, some of these searches go on for ever.)
func TestRelaysEnd(t *testing.T) {
	h, err := libp2p.New(libp2p.NoListenAddrs, libp2p.EnableRelay(), libp2p.DisableMetrics())
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	say, err := h.EventBus().Emitter(new(event.EvtLocalReachabilityChanged), eventbus.Stateful)
	if err != nil {
		t.Fatal(err)
	}
	defer say.Close()
	var told sync.WaitGroup
	ctx, cancel := context.WithCancel(t.Context())
	told.Go(func() {
		for ctx.Err() == nil {
			if err := say.Emit(event.EvtLocalReachabilityChanged{Reachability: network.ReachabilityPrivate}); err != nil {
				t.Error(err)
				return
			}
		}
	})
	r := New(Default(), Wiring{Public: true})
	for range 1000 {
		stop, err := r.findRelays(h)
		if err != nil {
			t.Fatal(err)
		}
		runtime.Gosched()
		if err := stop(); err != nil {
			t.Fatal(err)
		}
	}
	cancel()
	told.Wait()
	var stacks strings.Builder
	if err := pprof.Lookup("goroutine").WriteTo(&stacks, 2); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(stacks.String(), "autorelay.(*relayFinder).background("); n > 0 {
		t.Errorf("%d of 1000 searches for relays did not end", n)
	}
}
