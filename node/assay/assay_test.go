package assay

import (
	"strings"
	"testing"

	"go.uber.org/goleak"

	"ojud/node/cluster"
	"ojud/test/longtest"
	"ojud/test/parallel"
)

// TestMain checks that the tests leave no goroutine behind. Each starts a whole court.
func TestMain(m *testing.M) { goleak.VerifyTestMain(parallel.Tests{M: m, AtOnce: 2}) }

// measure starts a court and measures its judges.
func measure(t *testing.T, judges int, cfg Measure) Findings {
	t.Helper()
	b, err := NewBench(cfg, judges)
	if err != nil {
		t.Fatal(err)
	}
	c := cluster.DefaultConfig().Sized(judges).Fast().Golden(cfg.Share)
	c.Dir, c.Chain.RPC, c.Chain.WS = t.TempDir(), "127.0.0.1:0", "127.0.0.1:0"
	court, err := cluster.Start(t.Context(), c, cluster.Deps{Judge: b.Judge})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := court.Stop(); err != nil {
			t.Error(err)
		}
	})
	r, err := b.Run(t.Context(), court, c.Dir, t.Logf)
	var text strings.Builder
	if _, bad := r.WriteTo(&text); bad != nil {
		t.Error(bad)
	}
	t.Logf("\n%s", text.String())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestAssay brings a batch of golden cases through a court of eight whole nodes, beside ordinary
// cases. The chain's records are what the judges voted, wrong votes lose four times what right ones
// win, and no lamport comes or goes.
func TestAssay(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	cfg := DefaultMeasure(8)
	cfg.Share, cfg.Leaves, cfg.Rejecters, cfg.Copiers, cfg.AtOnce = maxShare, 4, 2, 2, 4
	r := measure(t, 8, cfg)
	if r.Golden != 4 || r.Ordinary != 12 || r.LamportsBefore != r.LamportsAfter || r.Undecided != 0 {
		t.Errorf("%+v", r)
	}
	for _, j := range r.Judges {
		if int(j.Record.Right) != j.Right || int(j.Record.Wrong) != j.Wrong || int(j.Record.Seen) != j.Seen || j.Seen != 4 || j.Right+j.Wrong != 4 {
			t.Errorf("%+v", j)
		}
		if j.Kind == Rejects && j.Right != 2 {
			t.Errorf("%s rejects everything and is right in %d of 4", j.Name, j.Right)
		}
		if won, lost := j.GoldenWon > 0, j.GoldenLost > 0; won != (j.Right > 0) && r.Pot > 0 || lost != (j.Wrong > 0) {
			t.Errorf("%+v", j)
		}
	}
}
