package process

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"ojud/p2p/reach"
)

// way asks the node how others reach it; zero without an answer.
func (s *seat) way() reach.Way {
	var status struct {
		Reach reach.Way `json:"reach"`
	}
	if raw, err := s.api("/v1/status"); err != nil || json.Unmarshal([]byte(raw), &status) != nil {
		return reach.Way{}
	}
	return status.Reach
}

// TestCourtBehindNAT settles a case of 28 judges, 20 of them behind routers of four kinds.
// Everybody must be linked to everybody, directly or through the court's own relays, and every seat
// must vote.
// Only make nat runs it.
func TestCourtBehindNAT(t *testing.T) {
	if testing.Short() || *scenarioFlag != "all" {
		t.Log("NOT RUN: only with -scenarios all; TestNAT has pairs of hosts")
		return
	}
	n, ok := newInternet(t, 14)
	if !ok {
		return
	}
	began := time.Now()
	c := emptyLaboratory(t, "--commit", "90s", "--reveal", "60s")
	chain := n.public()
	c.processes.begin, c.url, c.host = chain.start, "http://"+chain.ip+":8899/network.json", chain.ip
	c.rpc, c.p2p = 8899, 4700
	c.openChain()
	set := []string{"p2p.reach.port_mapping=false"}
	for i := range 7 {
		c.addJudge(fmt.Sprint("open", i+1), "", n.public(), set...)
	}
	kinds := []nat{restricted, fullCone, symmetric, carrier}
	var hidden []*seat
	for i := range 20 {
		hidden = append(hidden, c.addJudge(fmt.Sprint("home", i+1), "", n.home(kinds[i%len(kinds)]), set...))
	}
	t.Logf("27 judges started after %.0f s", time.Since(began).Seconds())
	linked := time.Now()
	for _, s := range c.seats {
		if !holds(2*patience, func() bool { return s.links() >= len(c.seats) }) {
			t.Fatalf("%s has %d links: %+v\n%s", s.name, s.links(), s.way(), s.tail())
		}
	}
	t.Logf("everybody is linked to everybody %.0f s after the last was started", time.Since(linked).Seconds())
	c.until("all have a weight", func() bool { return c.roster() > len(c.seats) })

	voted := time.Now()
	task := c.dispute()
	if !holds(2*patience, func() bool { return c.look(task).Status == "decided" }) {
		t.Fatalf("no verdict: %+v", c.look(task))
	}
	v := c.look(task)
	if v.Verdict != "accept" || len(v.Seats) != 28 || v.Committed != 28 || v.Revealed != 28 {
		t.Errorf("the case: %+v", v)
	}
	t.Logf("28 seats decided %.0f s after the task was posted", time.Since(voted).Seconds())
	ways, direct, relayed := map[string]int{}, 0, 0
	for _, s := range hidden {
		w := s.way()
		ways[w.Reached]++
		direct, relayed = direct+w.Direct, relayed+w.Relayed
	}
	carried := 0
	for _, s := range c.seats[:7] {
		carried += s.way().Carried
	}
	t.Logf("20 judges behind routers are reached so: %v; of their links %d are direct and %d relayed; the 7 open ones carry %d; %.0f s in all", ways, direct, relayed, carried, time.Since(began).Seconds())
	if relayed == 0 || direct == 0 || ways["direct"] == 0 || ways["relayed"] == 0 || carried == 0 {
		t.Error("the routers of this network are not what they should be")
	}
}
