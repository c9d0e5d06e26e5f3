package marketdemo

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"ojud/node/cluster"
	"ojud/test/longtest"
)

// TestMarket takes a minute, so that a plain "go test" leaves it out. In a court of nine judges
// agents trade, no lamport is lost, and cheating does not pay.
func TestMarket(t *testing.T) {
	longtest.Only(t)
	cfg := Rules(cluster.DefaultConfig().Sized(9).Fast())
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

// TestCheck: what went wrong in a market is an error. It is the negative control of TestMarket.
func TestCheck(t *testing.T) {
	t.Parallel()
	right := Trades{Judged: 3, Agents: []Trader{
		{Name: "creator 1", Creator: true, Tasks: 2, Change: -100, rewards: 100}, {Name: "worker 1", Tasks: 1, Paid: 1, Change: 100},
		{Name: "creator 3", Creator: true, Cheats: true, Tasks: 1, Change: -120, rewards: 100}, {Name: "worker 5", Cheats: true, Tasks: 1, Change: -20},
	}}
	if err := right.check(); err != nil {
		t.Fatal(err)
	}
	late := right
	late.Agents = append(slices.Clone(right.Agents), Trader{Name: "worker 2"})
	if err := late.check(); err != nil {
		t.Errorf("an honest worker for whom nothing was left: %v", err)
	}
	for want, change := range map[string]func(*Trades){
		"lamports before":       func(r *Trades) { r.LamportsBefore = 1 },
		"judged 1":              func(r *Trades) { r.Judged = 1 },
		"not over":              func(r *Trades) { r.Agents[0].live = 1 },
		"worker 5 did not":      func(r *Trades) { r.Agents[3].Tasks = 0 },
		"honest workers did":    func(r *Trades) { r.Agents[1].Tasks = 0 },
		"lost 1 case":           func(r *Trades) { r.Agents[1].Lost = 1 },
		"earned 0":              func(r *Trades) { r.Agents[1].Change = 0 },
		"paid for 0 of 1":       func(r *Trades) { r.Agents[1].Paid = 0 },
		"paid for 1 tasks":      func(r *Trades) { r.Agents[3].Paid = 1 },
		"has 130 less":          func(r *Trades) { r.Agents[0].Change = -130 },
		"for work of 100":       func(r *Trades) { r.Agents[2].Change = -100 },
		"cheats and earned 100": func(r *Trades) { r.Agents[3].Change = 100 },
	} {
		r := right
		r.Agents = slices.Clone(right.Agents)
		change(&r)
		if err := errors.Join(r.check(), r.conserved()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// TestTable: the table of the agents and the reasons below it fit a terminal of 100 columns.
func TestTable(t *testing.T) {
	t.Parallel()
	fought := Trader{Name: "creator 3", Kind: "objects to everything", Creator: true, Cheats: true, Tasks: 12, Paid: 3, Won: 10, Lost: 12, Change: -12_345_678_901, fought: 11, gone: 9}
	fought.Why = fought.because()
	var b strings.Builder
	if _, err := (Trades{Agents: []Trader{fought}}).WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if len(line) > 100 {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
	if !strings.Contains(b.String(), "\ncreator 3: it fought 11 right results before the court") {
		t.Errorf("no reason in %s", b.String())
	}
}
