package oju_test

import (
	"slices"
	"strings"
	"testing"

	"ojud/ledger/program"
)

// TestOpenRosterGroundAfterTheBlock shows an attack that the program does not refuse (docs/attacks.md): who knows the block can change the
// Roster before the draw, by a top-up of any judge that weighs less than the most, and have another panel. When that is refused this
// test fails, and belongs to the attacks.
func TestOpenRosterGroundAfterTheBlock(t *testing.T) {
	s := alone(t)
	s.cast(20, func(p *program.Params) { p.PanelSeats = 7 })
	k := s.contested()
	s.reach(k) // from here on everybody can work out the panel
	panels, best := map[string]bool{}, 0
	for lamports := range uint64(40) {
		s.fork(func() {
			draw := s.prog.Draw(k.at)
			if lamports > 0 {
				s.ok(s.prog.TopUp(s.at("alice"), program.TopUp{Judge: s.at("j0"), Amount: lamports * 25_000_000}), draw)
			} else {
				s.ok(draw)
			}
			panel := s.panel(k)
			panels[panelName(panel)] = true
			// The attacker's are j0 to j3: a fifth of the judges.
			best = max(best, len(slices.DeleteFunc(panel, func(n string) bool { return n > "j3" || len(n) > 2 })))
		})
	}
	t.Logf("40 top-ups gave %d panels; with a fifth of the judges, at best %d of 7 seats instead of 1.4", len(panels), best)
	if len(panels) < 2 {
		t.Error("a top-up after the block changes no panel any more: make this test one of the attacks that are refused")
	}
}

func panelName(panel []string) string {
	slices.Sort(panel)
	return strings.Join(panel, " ")
}
