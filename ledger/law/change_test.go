package law_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"ojud/ledger/law"
	"ojud/ledger/program"
)

// TestChanges: two versions differ in exactly what was set, whatever the parameter is.
func TestChanges(t *testing.T) {
	base := program.DefaultParams()
	if all := law.Changes(base, base); len(all) != 0 {
		t.Errorf("a version differs from itself: %v", all)
	}
	for _, p := range base.List() {
		next, err := base.With(p.Name, p.Value+1)
		if err != nil {
			t.Fatal(err)
		}
		up, down := " rises from ", " falls from "
		if p.Name == "preset" {
			up, down = " changes from truth to seed", " changes from seed to truth"
		}
		all := law.Changes(base, next)
		if len(all) != 1 || all[0].Name != p.Name || all[0].Old != p.Value || all[0].New != p.Value+1 || !strings.Contains(all[0].String(), p.Name+up) {
			t.Errorf("%s: %v", p.Name, all)
		}
		if back := law.Changes(next, base); len(back) != 1 || !strings.Contains(back[0].String(), p.Name+down) {
			t.Errorf("%s back: %v", p.Name, back)
		}
	}
}

func TestUnits(t *testing.T) {
	for _, c := range []struct {
		name  string
		bytes int
		value uint64
		want  string
	}{
		{"min_stake", 8, 1_500_000_000, "1.5sol"}, {"season_seconds", 4, 172_800, "2d"}, {"commit_seconds", 4, 420, "7m"},
		{"evidence_seconds", 4, 90_000, "25h"}, {"draw_seconds", 4, 0, "0s"}, {"cover_bps", 2, 525, "5.25%"}, {"claim_bps", 2, 200, "2%"},
		{"risk_bps", 2, 1, "0.01%"}, {"max_rounds", 1, 3, "3"}, {"max_judges", 2, 512, "512"},
		{"preset", 1, 1, "truth"}, {"preset", 1, 2, "seed"}, {"preset", 1, 3, "3"},
	} {
		if got := law.UnitOf(program.Parameter{Name: c.name, Bytes: c.bytes}).Argument(c.value); got != c.want {
			t.Errorf("%s of %d is %q, want %q", c.name, c.value, got, c.want)
		}
	}
}

// TestForJudges: what nobody has called harmless concerns judges, so a new parameter does.
func TestForJudges(t *testing.T) {
	for name, want := range map[string]bool{"min_stake": true, "season_seconds": true, "verify_seconds": false} {
		if got := (law.Change{Name: name}).ForJudges(); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestBound: the error names the field, the range and what to write.
func TestBound(t *testing.T) {
	p := program.DefaultParams()
	for _, c := range []struct {
		fault program.BoundError
		want  string
	}{
		{program.BoundError{Name: "commit_seconds", Value: 10, Lowest: 60, Highest: 1<<32 - 1}, "commit_seconds would be 10s and should be at least 1m; write --set commit_seconds=1m"},
		{program.BoundError{Name: "trade_bps", Value: 1_001, Highest: 1_000}, "trade_bps would be 10.01% and should be 0% to 10%; write --set trade_bps=10%"},
		{program.BoundError{Name: "min_stake", Value: 5, Lowest: 9, Highest: 8}, "no value of min_stake is possible"},
	} {
		if got := law.Bound(p, fmt.Errorf("outside: %w", &c.fault)); !strings.Contains(got.Error(), c.want) {
			t.Errorf("%q does not say %q", got, c.want)
		}
	}
	if other := errors.New("x"); !errors.Is(law.Bound(p, other), other) {
		t.Error("another error was changed")
	}
}
