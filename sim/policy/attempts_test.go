package policy

import (
	"flag"
	"math"
	"testing"

	"ojud/test/longtest"
	"ojud/voting/rules"
)

var attemptCases = flag.Int("policy.attempts", minCases, "disputes in each pool for TestAttempts; 2000 for the figures of ADR 0022")

// TestAttempts plays other parameters against the promises that are open, in the pools whose judges
// hold the credential. With -v it prints the table of docs/adr/0022-what-pay-cannot-buy.md. The
// attempt with the highest loss by reversal must make the bribe of a first panel dearer, or the lab
// does not measure it.
func TestAttempts(t *testing.T) {
	longtest.Only(t)
	o := DefaultSetup()
	o.Cases, o.purse = *attemptCases, 10
	dearest := map[string]float64{}
	t.Logf("%-32s%16s%16s%12s%12s%14s", "attempt", "bribe of first", "bribe of both", "objection", "counter-o.", "right in 70 %")
	for _, a := range []struct {
		name   string
		change func(*rules.Law)
	}{
		{"as decided", func(*rules.Law) {}},
		{"reversal takes 10 pays", func(l *rules.Law) { l.Reversal = 10 }},
		{"reversal takes 40 pays", func(l *rules.Law) { l.Reversal = 40 }},
		{"reversal takes 80 pays", func(l *rules.Law) { l.Reversal = 80 }},
		{"fee of 20 bps", func(l *rules.Law) { l.FeeMin, l.FeeBps = 2*l.FeeMin, 2*l.FeeBps }},
		{"bonds of 30 and 20 %", func(l *rules.Law) { l.CreatorBps, l.WorkerBps = 3_000, 2_000 }},
		{"bonds of 60 and 30 %", func(l *rules.Law) { l.CreatorBps, l.WorkerBps = 6_000, 3_000 }},
	} {
		law := asDecided
		a.change(&law)
		list := courts(law)
		all, err := play(t.Context(), o, list)
		if err != nil {
			t.Fatal(err)
		}
		found, err := bribes(law, all)
		if err != nil {
			t.Fatal(err)
		}
		least, objection, counter := math.Inf(1), math.Inf(-1), math.Inf(-1)
		each(all, truthAt, func(c *cell, share float64, _ string) {
			if c.pool.holds {
				least = min(least, c.named("right in 70 %", share, evenly))
				objection, counter = max(objection, c.groundless(accept)), max(counter, c.groundless(reject))
			}
		})
		dearest[a.name] = found[1].Dearest
		t.Logf("%-32s%7.1f to %4.1f%%%15.1f%%%+11.1f%%%+11.1f%%%+14.2f", a.name, found[1].First, found[1].Dearest, found[1].Both, objection, counter, least)
	}
	if dearest["reversal takes 80 pays"] < 2*dearest["as decided"] {
		t.Errorf("a higher loss makes a bribe no dearer: %v", dearest)
	}
}
