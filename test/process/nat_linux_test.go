package process

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// internet is a closed network whose addresses count as public: libp2p ignores private ones. Homes
// are behind routers that translate addresses in the kernel (nftables).
type internet struct {
	*lan
	wide  int // addresses given out
	homes int
}

// nat is a kind of router.
type nat string

// The kinds of routers. Each drops what nobody asked for.
const (
	// fullCone passes the node's port from outside to the home, as after UPnP or a rule by hand.
	fullCone nat = "full cone"
	// restricted keeps the port of a flow, and answers only whom the home has asked.
	restricted nat = "port-restricted"
	// symmetric takes another port for each flow.
	symmetric nat = "symmetric"
	// carrier is a restricted router behind that of a provider (CGNAT).
	carrier nat = "CGNAT"
)

// newInternet makes the network. It reports false if this machine lacks something, and says what.
func newInternet(t *testing.T, number int) (*internet, bool) {
	t.Helper()
	if !spaces(t) {
		return nil, false
	}
	if _, err := exec.LookPath("nft"); err != nil {
		t.Logf("NOT RUN: no NAT was tried: %v: apt-get install -y nftables", err)
		return nil, false
	}
	n := &internet{lan: &lan{t: t, name: fmt.Sprintf("%s%d-%d", spacePrefix, os.Getpid(), number)}, wide: 9}
	n.hub = n.space("11.0.0.1")
	n.must(n.hub.ip4("link", "add", "br0", "type", "bridge"), n.hub.ip4("addr", "add", "11.0.0.1/24", "dev", "br0"), n.hub.ip4("link", "set", "br0", "up"))
	return n, true
}

// public makes a machine with an address that everybody reaches.
func (n *internet) public() *space {
	n.t.Helper()
	n.wide++
	s := n.space(fmt.Sprintf("11.0.0.%d", n.wide))
	n.must(n.cable(n.hub, fmt.Sprint("port", n.last), s, "eth0"), n.hub.ip4("link", "set", fmt.Sprint("port", n.last), "master", "br0"),
		s.ip4("addr", "add", s.ip+"/24", "dev", "eth0"), s.ip4("route", "add", "default", "via", "11.0.0.1"))
	return s
}

// cable connects two machines.
func (n *internet) cable(a *space, end string, b *space, other string) error {
	if err := a.ip4("link", "add", end, "type", "veth", "peer", "name", other, "netns", b.name); err != nil {
		return err
	}
	if err := a.ip4("link", "set", end, "up"); err != nil {
		return err
	}
	return b.ip4("link", "set", other, "up")
}

// home makes a machine behind a router of its own.
func (n *internet) home(kind nat) *space {
	n.t.Helper()
	n.homes++
	outer, last := n.public(), ""
	if kind == carrier {
		last = fmt.Sprintf("100.64.%d", n.homes)
		inner := n.behind(outer, last)
		n.translate(outer, restricted, "")
		outer = inner
	}
	s := n.behind(outer, fmt.Sprintf("192.168.%d", n.homes))
	n.translate(outer, kind, s.ip)
	return s
}

// behind makes a machine whose only way out is a router.
func (n *internet) behind(router *space, net string) *space {
	n.t.Helper()
	s := n.space(net + ".2")
	n.must(n.cable(router, "lan", s, "eth0"), router.ip4("addr", "add", net+".1/24", "dev", "lan"), s.ip4("addr", "add", s.ip+"/24", "dev", "eth0"),
		s.ip4("route", "add", "default", "via", net+".1"), router.do(func() error { return os.WriteFile("/proc/sys/net/ipv4/ip_forward", []byte("1"), 0) }))
	return s
}

// translate makes a machine a router of a kind.
func (n *internet) translate(router *space, kind nat, home string) {
	n.t.Helper()
	how, in, pass := "masquerade", "", ""
	if kind == symmetric {
		how = "masquerade fully-random"
	}
	if kind == fullCone {
		in = fmt.Sprintf("iifname \"eth0\" udp dport 4600 dnat to %s\niifname \"eth0\" tcp dport 4600 dnat to %s", home, home)
		pass = "ct status dnat accept"
	}
	rules := fmt.Sprintf(`table ip home {
 chain before {
  type nat hook prerouting priority dstnat;
  %s
 }
 chain after {
  type nat hook postrouting priority srcnat;
  oifname "eth0" %s
 }
 chain through {
  type filter hook forward priority filter; policy drop;
  ct state established,related accept
  iifname "lan" accept
  %s
 }
 chain inside {
  type filter hook input priority filter; policy accept;
  iifname "eth0" ct state new drop
 }
}
`, in, how, pass)
	file := filepath.Join(n.t.TempDir(), "rules.nft")
	n.must(os.WriteFile(file, []byte(rules), 0o600), router.do(func() error { return command("nft", "-f", file) }))
}

// together starts two judges in one home, whose router makes no direct link between them.
func (n *internet) together(members, servers []byte, boot []string, seed byte, local bool) [2]*hosted {
	n.t.Helper()
	at, other := n.home(symmetric), seed+1
	p := hostPlan{Seed: seed, Members: members, Keep: append([]byte{other}, servers...), Listen: listenAll, Bootstrap: boot, Relays: 3, Serve: true, Local: local}
	a := startHost(n.t, at, p)
	p.Seed, p.Keep = other, append([]byte{seed}, servers...)
	p.Listen = []string{"/ip4/0.0.0.0/tcp/4601", "/ip4/0.0.0.0/udp/4601/quic-v1"}
	return [2]*hosted{a, startHost(n.t, at, p)}
}

// lose kills two of the five relays. Each judge has places at three, so some have lost the one that
// carried their link, and must be linked again through another.
func (n *internet) lose(dead []*hosted, left []byte, first, second []*hosted, carried func(i int) bool) {
	n.t.Helper()
	for _, h := range dead {
		n.must(h.kill())
	}
	began := time.Now()
	for i := range first {
		if !carried(i) {
			continue
		}
		// Once only the living servers and the other judge are left, no link is a dead one.
		if !first[i].until(patience, func(s hostState) bool {
			d, r := s.linked(second[i].id)
			return (d || r) && len(s.Direct) <= len(left)+1 && time.Since(began) > 45*time.Second
		}) {
			n.t.Errorf("pair %d is not linked again after two relays died: %+v", i, first[i].last)
		}
	}
	n.t.Logf("linked again through other relays, %.0f s after two of five died", time.Since(began).Seconds())
}

// listenAll are the addresses of a node with the default settings.
var listenAll = []string{"/ip4/0.0.0.0/tcp/4600", "/ip4/0.0.0.0/udp/4600/quic-v1"}

// TestNAT links two hosts, each behind a router, in a network with five hosts that everybody
// reaches. Where no hole can be made, a relay carries the link, also from an agent to a judge.
// Without relays such hosts are not linked. Two judges in one home find each other by mDNS.
func TestNAT(t *testing.T) {
	if testing.Short() || *scenarioFlag != "all" {
		t.Log("NOT RUN: no NAT was tried; make nat does (-scenarios all)")
		return
	}
	n, ok := newInternet(t, 13)
	if !ok {
		return
	}
	const publics = 5
	pairs := []struct {
		a, b   nat
		relays int
		guest  bool // the first is not on the Roster, and only dials, as the commands of an agent do
		want   string
	}{
		{fullCone, fullCone, 3, false, "direct"}, {fullCone, symmetric, 3, false, "direct"}, {restricted, restricted, 3, false, "direct"},
		{carrier, restricted, 3, false, "direct"}, {symmetric, restricted, 3, false, "relayed"}, {symmetric, symmetric, 3, false, "relayed"},
		{symmetric, restricted, 0, false, "none"}, {restricted, restricted, 3, true, "direct"}, {symmetric, symmetric, 3, true, "relayed"},
	}
	var members, servers []byte
	for i := range publics {
		servers = append(servers, byte(1+i))
	}
	members = append(append(members, servers...), 200, 201, 202, 203)
	for i, p := range pairs {
		if !p.guest {
			members = append(members, byte(100+2*i))
		}
		members = append(members, byte(101+2*i))
	}
	var boot []string
	for i, s := range servers {
		id, err := seeded(s)
		if err != nil {
			t.Fatal(err)
		}
		boot = append(boot, fmt.Sprintf("/ip4/11.0.0.%d/udp/4600/quic-v1/p2p/%s", 10+i, id.Peer()))
	}
	open := make([]*hosted, 0, publics)
	for _, s := range servers {
		open = append(open, startHost(t, n.public(), hostPlan{Seed: s, Members: members, Keep: servers, Listen: listenAll, Bootstrap: boot, Relays: 3, Serve: true}))
	}
	for _, h := range open {
		if !h.until(patience, func(s hostState) bool { return s.Way.Reached == "direct" }) {
			t.Fatalf("a public host is not reached: %+v", h.last)
		}
	}
	began := time.Now()
	first, second := make([]*hosted, len(pairs)), make([]*hosted, len(pairs))
	for i, p := range pairs {
		a, b := byte(100+2*i), byte(101+2*i)
		plan := hostPlan{Seed: a, Members: members, Keep: append([]byte{b}, servers...), Listen: listenAll, Bootstrap: boot, Relays: p.relays, Serve: true, Guest: p.guest}
		first[i] = startHost(t, n.home(p.a), plan)
		plan.Guest = false
		plan.Seed, plan.Keep = b, append([]byte{a}, servers...)
		second[i] = startHost(t, n.home(p.b), plan)
	}
	near, far := n.together(members, servers, boot, 200, true), n.together(members, servers, boot, 202, false)
	direct, relayed := 0, 0
	for i, p := range pairs {
		if p.want == "none" {
			continue
		}
		var soonest, took time.Duration
		if !first[i].until(patience, func(s hostState) bool {
			d, r := s.linked(second[i].id)
			if (d || r) && soonest == 0 {
				soonest = time.Since(began)
			}
			took = time.Since(began)
			return d || r && p.want == "relayed"
		}) {
			t.Errorf("%s, %s: not %s: %s", p.a, p.b, p.want, first[i].last.Way.How)
			continue
		}
		is := "relayed"
		if d, _ := first[i].last.linked(second[i].id); d {
			is = "direct"
			direct++
		} else {
			relayed++
		}
		t.Logf("%s and %s, agent %t: %s (linked after %.0f s, so after %.0f s); %s", p.a, p.b, p.guest, is, soonest.Seconds(), took.Seconds(), first[i].last.Way.How)
	}
	for i, p := range pairs {
		if p.want != "none" {
			continue
		}
		first[i].until(5*time.Second, func(hostState) bool { return false }) // read what it says now
		if d, r := first[i].last.linked(second[i].id); d || r {
			t.Errorf("%s, %s with %d relays: linked, direct %t", p.a, p.b, p.relays, d)
		}
		how := first[i].last.Way.How
		if !strings.Contains(how, "not at all") && !strings.Contains(how, "do not reach") {
			t.Errorf("%s: it says: %s", p.a, how)
		}
		t.Logf("%s and %s, relays %d: no link; %s", p.a, p.b, p.relays, how)
	}
	if !near[0].until(patience, func(s hostState) bool { d, _ := s.linked(near[1].id); return d }) {
		t.Error("two judges in one home do not find each other by mDNS")
	}
	if far[0].until(5*time.Second, func(s hostState) bool { d, _ := s.linked(far[1].id); return d }) {
		t.Error("two judges in one home are linked directly without mDNS, so that the test of it shows nothing")
	}
	n.lose(open[:2], servers[2:], first, second, func(i int) bool { return pairs[i].want == "relayed" })
	t.Logf("%d direct, %d relayed of %d pairs", direct, relayed, len(pairs))
}
