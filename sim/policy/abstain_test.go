package policy

import (
	"testing"

	"ojud/test/longtest"
	"ojud/voting"
)

// TestAbstentions: 14 of 28 abstentions leave 50 % of the panel, which is too little, and one is
// saved where another judge abstains by itself; of 7 it takes 4, and of the 28 of an appeal 14.
// Each costs a pay in both rounds.
func TestAbstentions(t *testing.T) {
	longtest.Only(t)
	all := report(t).Silences
	if len(all) != len(corruptedRewards) {
		t.Fatalf("%d rows for %d rewards", len(all), len(corruptedRewards))
	}
	for _, a := range all {
		seats, pay := 13, .05 // percent of the reward
		switch a.Reward {
		case .1:
			seats, pay = 4, .5
		case 100: // a tenth of the seat's weight is 40 pays
			pay = .025
		case 1_000:
			pay = .0025
		}
		near(t, "first panel", a.First, 2*pay*float64(seats)-1e-9, 2*pay*float64(seats)+1e-9)
		near(t, "both panels", a.Both, 2*pay*float64(seats+14)-1e-9, 2*pay*float64(seats+14)+1e-9)
		if a.Seats != seats || a.Appeal != 14 || a.Dearest < a.First || a.Stands >= .5 {
			t.Errorf("%+v", a)
		}
	}
}

// TestAbstentionsAppealed: what abstentions leave undecided stays so if nobody appeals, and is
// decided if the party in the right does, unless they are bought in the appeal, too.
func TestAbstentionsAppealed(t *testing.T) {
	o := DefaultSetup()
	list := courts(asDecided)
	quiet := list[smallAt]
	quiet.play = quiet.quiet
	for _, c := range []struct {
		court  court
		stands bool
	}{{list[smallAt], false}, {quiet, true}} {
		all, err := playCoalitions(t.Context(), drawnPool(.95, .2), c.court, o, 5)
		if err != nil {
			t.Fatal(err)
		}
		four := all[4].clean
		for side := range 2 {
			if four.AtFirst[side] < .9 || (four.Void[side] > .9) != c.stands || all[0].clean.Void[side] > .1 {
				t.Errorf("stands %t: %.2f of the first panels are void, and %.2f of the cases", c.stands, four.AtFirst[side], four.Void[side])
			}
		}
	}
}

// TestUndecidedAppealPaid: the bond of an appeal against no verdict is its party's, and comes back
// with a verdict for it: with half of the panel bought, the party in the right gets all that it
// would have had with an honest panel.
func TestUndecidedAppealPaid(t *testing.T) {
	list := courts(asDecided)
	p := drawnPool(.95, .2)
	for _, truth := range []act{accept, reject} {
		d := newDispute(p, truth, 1_000_000_000, 5, uint64(truth))
		bribed := group{seats: 4, act: abstain, redraw: true}
		end, err := list[smallAt].play(d, bribed)
		if err != nil {
			t.Fatal(err)
		}
		honest, err := list[smallAt].play(d, group{})
		if err != nil {
			t.Fatal(err)
		}
		if end.first != voting.Undecided || honest.first != end.verdict || right(end.verdict) != truth {
			t.Fatalf("%s, then %s; honest %s", end.first, end.verdict, honest.first)
		}
		mine, its := end.worker, honest.worker
		if truth == reject {
			mine, its = end.creator, honest.creator
		}
		if mine != its || !end.appealed || end.reversed {
			t.Errorf("the party in the right has %+d, before an honest panel %+d: %+v", mine, its, end)
		}
	}
	if n := fewest(make([]coalition, 3), func(*coalition) float64 { return 0 }); n != -1 {
		t.Errorf("no coalition reaches it, but %d do", n)
	}
}
