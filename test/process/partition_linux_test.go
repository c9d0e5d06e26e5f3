package process

import (
	"fmt"
	"testing"
	"time"

	"ojud/test/longtest"
)

// newLANLaboratory starts a court on a LAN: one machine for the chain and a judge, and one for each
// seat.
func newLANLaboratory(t *testing.T, number, seats int, rules []string, set ...string) (*laboratory, *ethernetSwitch) {
	t.Helper()
	c, n := emptyLaboratory(t, rules...), newLAN(t, number)
	e := newEthernetSwitch(n)
	chain := e.machine()
	c.processes.begin, c.url, c.host = chain.start, "http://"+chain.ip+":8899/network.json", chain.ip
	c.rpc, c.p2p = 8899, 4700
	c.openChain()
	for i := range seats {
		at := e.machine()
		c.addJudge(fmt.Sprint("j", i+1), "", at, set...)
	}
	c.gather()
	return c, e
}

// TestPartitions cuts the network in twenty ways during a case. The nodes are processes in network
// namespaces. Each case must be decided, in the next round if the first is void. All links and all
// votes must be back within 5 s after the network heals. All scenarios: make partitions, about 15
// minutes.
func TestPartitions(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	chosen := scenarios(t, "links", "halves")
	if len(chosen) == 0 || !spaces(t) {
		return
	}
	c, e := newLANLaboratory(t, 10, 4, []string{"--commit", "20s", "--reveal", "20s"})
	took := []time.Duration{}
	for _, s := range chosen {
		t.Run(s.name, func(t *testing.T) {
			if p := c.play(t, s, e); p.heal > 0 {
				took = append(took, p.heal)
			}
		})
		if err := e.heal(); err != nil {
			t.Fatal(err)
		}
		if t.Failed() {
			break
		}
	}
	c.inspect()
	t.Logf("%d healed: p50 %s, longest %s", len(took), percentile(took, 50), percentile(took, 100))
}

// TestPartitionsControl checks that nodes that never dial again stay apart after a cut that
// outlasts their links.
func TestPartitionsControl(t *testing.T) {
	if testing.Short() || *scenarioFlag != "all" {
		t.Log("NOT RUN: only with -scenarios all, for it takes two minutes; TestPartitions has to see that a cut works, too")
		return
	}
	if !spaces(t) {
		return
	}
	c, e := newLANLaboratory(t, 11, 3, []string{"--commit", "20s", "--reveal", "20s"}, "p2p.redial.min_interval=1h", "p2p.redial.max_interval=1h")
	if err := e.set([]string{"cut", "j1", "all"}); err != nil {
		t.Fatal(err)
	}
	c.until("j1 has no links", func() bool { return c.seats[0].links() == 0 })
	if err := e.heal(); err != nil {
		t.Fatal(err)
	}
	end := time.After(4 * healLimit)
	for c.seats[0].links() < len(c.seats) {
		select {
		case <-end:
			return // not healed, as expected
		case <-time.After(200 * time.Millisecond):
		}
	}
	t.Error("the links are back although nobody dials again: the cut of this harness is too weak to show anything")
}

// TestOneHost runs the nodes of a whole panel on one machine, behind one address that is not
// loopback, and checks that all links form. Only make partitions runs it. TestOneAddress in package
// p2p is the short form with 28 hosts in one process.
func TestOneHost(t *testing.T) {
	if testing.Short() || *scenarioFlag != "all" {
		t.Log("NOT RUN: only with -scenarios all; package p2p has 28 nodes behind one address in one process")
		return
	}
	if !spaces(t) {
		return
	}
	const nodes = 28
	c, n := emptyLaboratory(t), newLAN(t, 12)
	c.processes.begin, c.url, c.host = n.hub.start, "http://"+n.hub.ip+":8899/network.json", n.hub.ip
	c.rpc, c.p2p = 8899, 4700
	c.openChain()
	machine := n.machine()
	for i := range nodes {
		c.addJudge(fmt.Sprint("j", i+1), "", machine, "p2p.listen=/ip4/"+machine.ip+"/tcp/0,/ip4/"+machine.ip+"/udp/0/quic-v1")
	}
	began := time.Now()
	for _, s := range c.seats {
		c.until(s.name+" has all links", func() bool { return s.links() >= nodes })
	}
	t.Logf("%d nodes behind one address, all %d links between them, %s after the last was started", nodes, nodes*(nodes-1)/2, time.Since(began).Round(time.Millisecond))
}
