package oju_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

// sizes are the Rosters whose costs are measured.
func sizes() []int { return []int{28, 128, 512, 2_048, program.MaxJudges} }

// curve measures the compute units of instructions that depend on the number of judges, with that
// many.
func curve(t *testing.T, judges int) map[string]uint64 {
	s, units := alone(t), map[string]uint64{}
	measure := func(what string, list ...onchain.Instruction) {
		t.Helper()
		r := s.send(limited(list...)...)
		units[what] = r.Units
		if r.Err != nil {
			t.Errorf("%s, %d judges: %v", what, judges, r.Err)
		}
	}
	s.begin(withGolden, apart)
	s.crowd(judges - 1)
	last := judgeName(judges - 1)
	s.fund(last, 20*sol)
	measure("join_roster", s.join(last, 2*sol)...)
	measure("top_up", s.prog.TopUp(s.at(last), program.TopUp{Amount: 1}))
	for _, who := range []string{"dave", "erin"} {
		s.agent(who, onchain.Address{})
	}
	s.fork(func() { // every second judge is a novice, and the others' weights double
		r := s.roster()
		for i := range r.Entries {
			e := &r.Entries[i]
			if i%2 == 0 {
				e.Right, e.Seen, e.Owned, e.Since = 20, 20, e.Owned|program.OwnProven, 5
			}
		}
		s.set(s.prog.Roster(), r)
		s.pass(int64(s.law().SeasonSeconds))
		measure("begin_season", s.season())
	})
	s.fork(func() { // all are proven
		r := s.roster()
		for i := range r.Entries {
			e := &r.Entries[i]
			e.Right, e.Wrong, e.Seen, e.Owned, e.Since = 40, 12, 60, e.Owned|program.OwnProven, 5
		}
		s.set(s.prog.Roster(), r)
		s.pass(int64(s.law().SeasonSeconds))
		measure("begin_season, all proven", s.season())
	})
	s.fork(func() { // nearly all are novices with a record
		r := s.roster()
		for i := range r.Entries {
			e := &r.Entries[i]
			if e.Right, e.Wrong, e.Seen = 10, 5, 20; i%8 == 0 {
				e.Right, e.Wrong, e.Owned = 20, 0, e.Owned|program.OwnProven
			}
		}
		s.set(s.prog.Roster(), r)
		s.pass(int64(s.law().SeasonSeconds))
		measure("begin_season, novices", s.season())
	})
	s.fork(func() { // all are novices
		s.pass(int64(s.law().SeasonSeconds))
		measure("begin_season, all novices", s.season())
	})
	k := s.contested()
	s.reach(k)
	measure("draw", s.prog.Draw(k.at))
	panel := s.panel(k)
	s.fork(func() { // others are the lighter the earlier they come, and too light together
		r, c := s.roster(), s.caseOf(k)
		for i := range r.Entries {
			if !c.Sat(i) {
				r.Entries[i].Weight = uint64(sol/100 + i)
			}
		}
		s.set(s.prog.Roster(), r)
		s.vote(k, all(panel, voting.Accept))
		measure("settle, others rising", s.settle(k))
	})
	v := all(panel, voting.Accept)
	for _, who := range panel[25:] {
		v[who] = voting.Reject
	}
	s.vote(k, v)
	measure("settle", s.settle(k))
	if judges > 56 {
		measure("appeal", s.appeal(k, "alice"))
		s.reach(k)
		measure("draw of an appeal", s.prog.Draw(k.at))
		s.vote(k, all(s.panel(k), voting.Reject))
		measure("settle of an appeal", s.settle(k))
	}
	return units
}

// TestCurve compares what the instructions cost that depend on the number of judges with a golden
// file. All must fit in a transaction in the largest court.
func TestCurve(t *testing.T) {
	rows := map[string][]string{}
	for n, judges := range sizes() {
		for name, units := range curve(t, judges) {
			for len(rows[name]) < n {
				rows[name] = append(rows[name], "-") // the court is too small
			}
			rows[name] = append(rows[name], fmt.Sprint(units))
		}
	}
	var b strings.Builder
	line := func(name string, row []string) {
		fmt.Fprintf(&b, "%-26s", name)
		for _, units := range row {
			fmt.Fprintf(&b, " %8s", units)
		}
		b.WriteByte('\n')
	}
	var head []string
	for _, judges := range sizes() {
		head = append(head, fmt.Sprint(judges))
	}
	line("judges", head)
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		line(name, rows[name])
	}
	golden(t, "testdata/curve.txt", b.String())
}
