package network

import (
	"testing"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/p2p/directory"
	"ojud/voting"
)

func rosterOf(stakes ...uint64) *program.Roster {
	r := &program.Roster{}
	for i, stake := range stakes {
		r.Entries = append(r.Entries, program.RosterEntry{
			Authority: onchain.Address{byte(i + 1)}, Peer: voting.Key{byte(i + 1)}, Stake: stake, State: program.EntryActive,
		})
	}
	return r
}

// TestRoster: the newest Roster counts, older ones stay known for draws, and a change of a stake
// counts as a change.
func TestRoster(t *testing.T) {
	r := &Roster{}
	if _, ok := r.Entry(voting.Key{1}); ok || r.Now() != nil || len(r.Around(0)) != 0 || len(r.Seats(0, &program.Drawn{Seats: make([]program.SeatDrawn, 2)})) != 2 {
		t.Error("a Roster that was not seen says something")
	}
	first, same, second, old := rosterOf(5, 5), rosterOf(5, 5), rosterOf(5, 6, 7), rosterOf(1)
	for i, step := range []struct {
		slot    uint64
		roster  *program.Roster
		changed bool
	}{{10, first, false}, {11, same, false}, {12, second, true}, {5, old, false}} {
		if changed := r.Learn(step.slot, step.roster); changed != step.changed {
			t.Errorf("step %d: changed is %t", i, changed)
		}
	}
	if r.Now() != second {
		t.Error("an older Roster replaced a newer one")
	}
	if e, ok := r.EntryOf(voting.Key{3}); !ok || e.Stake != 7 {
		t.Errorf("%+v %t", e, ok)
	}
	if around := r.Around(11); len(around) != 2 || around[0] != second || around[1] != first {
		t.Errorf("%v", around)
	}
	if around := r.Around(10); len(around) != 2 || around[0] != first {
		t.Error("the Roster of the slot does not come first")
	}
	seats := r.Seats(12, &program.Drawn{Seats: []program.SeatDrawn{{Index: 2}, {Index: 9}}})
	if seats[0].Judge != (voting.Key{3}) || !seats[1].Judge.IsZero() {
		t.Errorf("%+v", seats)
	}
}

// TestRostersAreForgotten: small Rosters are remembered up to a number, large ones up to a size.
func TestRostersAreForgotten(t *testing.T) {
	for _, c := range []struct{ judges, want int }{{3, mostRosters}, {2_000, 37}, {program.MaxJudges, 7}, {40_000, leastRosters}} {
		r := &Roster{}
		for slot := range uint64(mostRosters + 9) {
			now := &program.Roster{Entries: make([]program.RosterEntry, c.judges)}
			now.SeasonSlot = slot
			r.Learn(slot, now)
		}
		if got := len(r.Around(0)); got != c.want {
			t.Errorf("%d Rosters of %d judges are remembered", got, c.judges)
		}
	}
}

// TestAdmit: an announcement in the name of a judge on the Roster is kept if it comes from the
// judge's node.
func TestAdmit(t *testing.T) {
	r := &Roster{}
	of := func(authority, node byte) directory.Announcement {
		id, err := PeerOf(voting.Key{node})
		if err != nil {
			t.Fatal(err)
		}
		return directory.Announcement{Authority: onchain.Address{authority}.String(), Peer: id.String()}
	}
	if !r.Admit(of(1, 2)) || r.Staked(of(1, 1)) {
		t.Error("before the Roster is known all are kept, and none is staked")
	}
	r.Learn(1, rosterOf(5, 5))
	for name, c := range map[string]struct {
		a             directory.Announcement
		admit, staked bool
	}{"own node": {of(1, 1), true, true}, "another node": {of(1, 2), false, false}, "no judge": {of(9, 9), true, false}} {
		if r.Admit(c.a) != c.admit || r.Staked(c.a) != c.staked {
			t.Errorf("%s: admitted %t, staked %t", name, r.Admit(c.a), r.Staked(c.a))
		}
	}
}
