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

// TestCourtSixOnly settles a case in a network without IPv4: the chain, six judges that everybody
// reaches and two behind routers that let nobody in, each with the default settings. Everybody must
// be linked to everybody, tell addresses of IPv6 alone, and vote. Nobody reaches the control, which
// listens on IPv4 alone, but through relays. Only make nat runs it.
func TestCourtSixOnly(t *testing.T) {
	if testing.Short() || *scenarioFlag != "all" {
		t.Log("NOT RUN: only with -scenarios all")
		return
	}
	if !spaces(t) {
		return
	}
	if _, err := exec.LookPath("nft"); err != nil {
		t.Logf("NOT RUN: no network without IPv4 was tried: %v: apt-get install -y nftables", err)
		return
	}
	n := newSix(t, 15)
	c := emptyLaboratory(t, "--commit", "60s", "--reveal", "40s")
	chain := n.machine()
	c.processes.begin, c.url, c.host = chain.start, "http://["+chain.ip+"]:8899/network.json", chain.ip
	c.rpc, c.p2p = 8899, 4700
	c.openChain()
	for i := range 6 {
		c.addJudge(fmt.Sprint("open", i+1), "", n.machine())
	}
	for i := range 2 {
		c.addJudge(fmt.Sprint("home", i+1), "", n.home())
	}
	c.addJudge("deaf", "", n.machine(), "p2p.listen=/ip4/0.0.0.0/tcp/4600,/ip4/0.0.0.0/udp/4600/quic-v1") // the control
	for _, s := range c.seats {
		if !holds(2*patience, func() bool { return s.links() >= len(c.seats) }) {
			t.Fatalf("%s has %d links: %+v\n%s", s.name, s.links(), s.way(), s.tail())
		}
	}
	c.until("all have a weight", func() bool { return c.roster() > len(c.seats) })
	began := time.Now()
	task := c.dispute()
	if !holds(2*patience, func() bool { return c.look(task).Status == "decided" }) {
		t.Fatalf("no verdict: %+v", c.look(task))
	}
	v := c.look(task)
	if v.Verdict != "accept" || len(v.Seats) != 10 || v.Committed != 10 || v.Revealed != 10 {
		t.Errorf("the case: %+v", v)
	}
	t.Logf("10 seats decided %.0f s after the task was posted", time.Since(began).Seconds())
	ways := map[string]int{}
	for i, s := range c.seats {
		want := "direct"
		if i >= 6 {
			want = "relayed"
		}
		var how string
		if !holds(patience, func() bool { how = s.way().Reached; return how == want }) {
			t.Errorf("%s is reached so: %+v, want %s", s.name, s.way(), want)
		}
		ways[how]++
		for _, at := range s.way().At {
			if !strings.HasPrefix(at, "/ip6/2a00:") {
				t.Errorf("%s tells %s", s.name, at)
			}
		}
	}
	t.Logf("they are reached so: %v", ways)
}

// six is a closed internet without IPv4. Its addresses count as public, and each machine has a
// network of its own.
type six struct{ *lan }

func newSix(t *testing.T, number int) six {
	t.Helper()
	n := six{&lan{t: t, name: fmt.Sprintf("%s%d-%d", spacePrefix, os.Getpid(), number)}}
	n.hub = n.space("2a00:77::1")
	n.must(n.hub.ip4("link", "add", "br0", "type", "bridge"), n.hub.ip4("addr", "add", "2a00:77::1/32", "dev", "br0", "nodad"),
		n.hub.ip4("link", "set", "br0", "up"), n.hub.forward())
	return n
}

// machine makes one that everybody reaches.
func (n six) machine() *space {
	n.t.Helper()
	s := n.space(fmt.Sprintf("2a00:77:%d::1", n.last))
	port := fmt.Sprint("port", n.last)
	n.must(n.hub.ip4("link", "add", port, "type", "veth", "peer", "name", "eth0", "netns", s.name), n.hub.ip4("link", "set", port, "master", "br0", "up"),
		s.ip4("addr", "add", s.ip+"/32", "dev", "eth0", "nodad"), s.ip4("link", "set", "eth0", "up"), s.ip4("route", "add", "default", "via", "2a00:77::1"))
	return s
}

// home makes a machine behind a router that answers only whom the home has asked.
func (n six) home() *space {
	n.t.Helper()
	router := n.machine()
	net := fmt.Sprintf("2a00:88:%d::", n.last)
	s := n.space(net + "2")
	n.must(router.ip4("link", "add", "lan", "type", "veth", "peer", "name", "eth0", "netns", s.name), router.ip4("link", "set", "lan", "up"),
		router.ip4("addr", "add", net+"1/64", "dev", "lan", "nodad"), s.ip4("addr", "add", s.ip+"/64", "dev", "eth0", "nodad"), s.ip4("link", "set", "eth0", "up"),
		s.ip4("route", "add", "default", "via", net+"1"), n.hub.ip4("route", "add", net+"/64", "via", router.ip), router.forward())
	file := filepath.Join(n.t.TempDir(), "rules.nft")
	n.must(os.WriteFile(file, []byte(`table ip6 home {
 chain through {
  type filter hook forward priority filter; policy drop;
  ct state established,related accept
  iifname "lan" accept
  icmpv6 type { destination-unreachable, packet-too-big } accept
 }
}
`), 0o600), router.do(func() error { return command("nft", "-f", file) }))
	return s
}

// forward makes a machine a router of IPv6.
func (s *space) forward() error {
	return s.do(func() error { return os.WriteFile("/proc/sys/net/ipv6/conf/all/forwarding", []byte("1"), 0) })
}
