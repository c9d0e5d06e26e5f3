package braindemo

import (
	"strings"
	"testing"

	"ojud/node/cluster"
	"ojud/test/longtest"
)

// TestBrainStory takes a minute, so that a plain "go test" leaves it out. In a court of seven
// judges a task of MegaBrain goes to the court and back, no lamport is lost, and cheating does not
// pay.
func TestBrainStory(t *testing.T) {
	longtest.Only(t)
	cfg := cluster.DefaultConfig().Sized(7).Fast()
	cfg.Dir, cfg.Chain.RPC, cfg.Chain.WS = t.TempDir(), "127.0.0.1:0", "127.0.0.1:0"
	c, err := cluster.Start(t.Context(), cfg, cluster.Deps{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(t.Context(), c, cfg.Dir, t.Logf)
	if err != nil {
		t.Error(err)
	}
	if err := c.Stop(); err != nil {
		t.Error(err)
	}
	var b strings.Builder
	if _, err := r.WriteTo(&b); err != nil {
		t.Error(err)
	}
	t.Log(b.String())
}

// TestCheck: what went wrong in a task is an error. It is the negative control of TestBrainStory.
func TestCheck(t *testing.T) {
	t.Parallel()
	right := Played{Status: "settled", Verdict: "accept", Budget: 100, Paid: 60, Slashed: 5, Agents: []Earned{
		{Name: "worker 1", Honest: true, Paid: 60}, {Name: "worker 3", Manner: "copying", Slashed: 5}, {Name: "evaluator 1", Honest: true, Bonds: 9},
	}}
	if err := right.check(); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*Played){
		"lamports before":   func(p *Played) { p.LamportsBefore = 1 },
		"not settled":       func(p *Played) { p.Status = "inconclusive" },
		"not accept":        func(p *Played) { p.Verdict = "reject" },
		"is honest and has": func(p *Played) { p.Agents[2].Bonds = -9 },
		"and earned 1":      func(p *Played) { p.Agents[1].Paid, p.Paid = 6, 66 },
		"agents got":        func(p *Played) { p.Paid = 61 },
	} {
		p := right
		p.Agents = append([]Earned(nil), right.Agents...)
		change(&p)
		if err := p.check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
}
