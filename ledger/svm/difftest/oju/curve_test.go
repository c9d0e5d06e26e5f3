package oju_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/test/longtest"
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
	for _, c := range seasons() {
		s.fork(func() {
			r, p := s.roster(), s.law().Params
			for i := range r.Entries {
				c.change(&r.Entries[i], i, len(r.Entries))
			}
			s.set(s.prog.Roster(), r)
			switch c.when {
			case due:
				s.pass(int64(p.SeasonSeconds))
			case early:
				s.pass(int64(p.SlotsApart()))
			case empty:
				s.pass(int64(p.LongestCase()))
			}
			measure(c.name, s.season())
		})
	}
	s.fork(func() { // all but the last 28 are the creator's
		r := s.roster()
		for i := range max(0, judges-voting.MaxSeats) {
			r.Entries[i].Operator = s.at("alice")
		}
		s.set(s.prog.Roster(), r)
		k := s.created()
		measure("claim_task, others of the creator", s.claim(k, "bob", 0))
	})
	k := s.contested()
	s.reach(k)
	s.fork(func() { // only a page weighs, and all but the last 28 of it are the creator's
		r := s.roster()
		r.Pages = [len(r.Pages)]uint64{}
		for i := range r.Entries {
			e := &r.Entries[i]
			if e.Weight = 0; i >= judges-128 && i < judges {
				e.Weight, e.Owned = 3*sol/2, e.Owned|program.OwnWeight
			}
			if e.Weight > 0 && i < judges-voting.MaxSeats {
				e.Operator, e.Weight = s.at("alice"), 50*sol
			}
			r.Pages[i/128] += e.Weight
		}
		s.set(s.prog.Roster(), r)
		measure("draw, a page of the creator", s.prog.Draw(k.at))
	})
	measure("draw", s.prog.Draw(k.at))
	panel := s.panel(k)
	for _, c := range settlements() {
		s.fork(func() {
			r, held := s.roster(), s.caseOf(k)
			for i := range r.Entries {
				if !held.Sat(i) {
					c.change(s, &r.Entries[i], i)
				}
			}
			s.set(s.prog.Roster(), r)
			s.vote(k, all(panel, voting.Accept))
			task := s.taskOf(k)
			task.WorkerOperator = s.at("bob's operator")
			s.set(k.at, task)
			measure(c.name, s.settle(k))
		})
	}
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

// A season begins when its time is over, or earlier if too few judges weigh.
const (
	due   = iota
	early // no judge has a weight in either season
	empty // none has one in this season
)

// season is a state of the Roster before a season begins.
type season struct {
	name   string
	when   int
	change func(e *program.RosterEntry, i, judges int)
}

// seasons are the states of which we know that a season is dear in them.
func seasons() []season {
	proven := func(e *program.RosterEntry) {
		e.Right, e.Wrong, e.Seen, e.Owned, e.Since = 40, 12, 60, e.Owned|program.OwnProven, 5
	}
	novice := func(e *program.RosterEntry) { e.Right, e.Wrong, e.Seen = 10, 5, 20 }
	// Weights of the season before that are the judge's, and none in this one.
	before := func(e *program.RosterEntry) {
		e.WeightBefore, e.Weight, e.Owned = max(e.Weight, 1), 0, e.Owned|program.OwnWeight|2
	}
	// No weight in either season, as two seasons leave it in which nobody weighs.
	never := func(e *program.RosterEntry) {
		e.WeightBefore, e.Weight, e.Owned = 0, 0, e.Owned|program.OwnWeight|program.OwnWeight<<1
	}
	last := func(e *program.RosterEntry, i, judges int) {
		if novice(e); i >= judges-voting.MaxSeats {
			proven(e)
		}
	}
	eighth := func(e *program.RosterEntry, i int) {
		if novice(e); i%8 == 0 {
			proven(e)
		}
	}
	return []season{
		{"begin_season", due, func(e *program.RosterEntry, i, _ int) { // every second judge's weight doubles
			if i%2 == 0 {
				e.Right, e.Seen, e.Owned, e.Since = 20, 20, e.Owned|program.OwnProven, 5
			}
		}},
		{"begin_season, all novices", due, func(*program.RosterEntry, int, int) {}},
		{"begin_season, all proven", due, func(e *program.RosterEntry, _, _ int) { proven(e) }},
		{"begin_season, novices", due, func(e *program.RosterEntry, i, _ int) {
			if e.Right, e.Wrong, e.Seen = 10, 5, 20; i%8 == 0 {
				e.Right, e.Wrong, e.Owned = 20, 0, e.Owned|program.OwnProven
			}
		}},
		{"season of weights of before, all proven", due, func(e *program.RosterEntry, _, _ int) { proven(e); before(e) }},
		{"season of weights of before, an eighth", due, func(e *program.RosterEntry, i, _ int) { eighth(e, i); before(e) }},
		{"season of weights of before, the last", due, func(e *program.RosterEntry, i, n int) { last(e, i, n); before(e) }},
		{"season of none that weighed, the last", due, func(e *program.RosterEntry, i, n int) { last(e, i, n); never(e) }},
		{"early season, all proven", early, func(e *program.RosterEntry, _, _ int) { proven(e); never(e) }},
		{"early season, an eighth proven", early, func(e *program.RosterEntry, i, _ int) { eighth(e, i); never(e) }},
		{"early season, half of them proven", early, func(e *program.RosterEntry, i, _ int) {
			if novice(e); i%2 == 0 {
				proven(e)
			}
			e.Stake = 8 * sol
			never(e)
		}},
		{"early season, the last proven", early, func(e *program.RosterEntry, i, n int) { last(e, i, n); never(e) }},
		{"season after an empty one, all proven", empty, func(e *program.RosterEntry, _, _ int) { proven(e); before(e) }},
		{"season after an empty one, an eighth", empty, func(e *program.RosterEntry, i, _ int) { eighth(e, i); before(e) }},
		{"season after an empty one, the last", empty, func(e *program.RosterEntry, i, n int) { last(e, i, n); before(e) }},
		{"season after an empty one, all novices", empty, func(e *program.RosterEntry, _, _ int) { novice(e); before(e) }},
	}
}

// settlement is a state of the judges that did not sit.
type settlement struct {
	name   string
	change func(s *scene, e *program.RosterEntry, i int)
}

// settlements are those in which we know that it is dear to see whether an appeal can be heard.
func settlements() []settlement {
	rise := func(s *scene, e *program.RosterEntry, i int) { e.Weight = uint64(sol/100 + i) }
	bob := func(s *scene, e *program.RosterEntry, _ int) { e.Operator = s.at("bob's operator") }
	return []settlement{
		{"settle, others of the worker's operator", bob},
		{"settle, others rising", rise}, // and together too light
		{"settle, others of the creator", func(s *scene, e *program.RosterEntry, _ int) { e.Operator = s.at("alice") }},
		{"settle, others of the worker", func(s *scene, e *program.RosterEntry, _ int) { e.Operator = s.at("bob") }},
		{"settle, others have lost", func(s *scene, e *program.RosterEntry, _ int) {
			e.Weight, e.Stake = 10*sol, s.law().MinStake/2
		}},
		{"settle, others have lost too much", func(s *scene, e *program.RosterEntry, _ int) {
			e.Weight, e.Stake = 10*sol, s.law().MinStake/2-1
		}},
		{"settle, others rising or the worker's", func(s *scene, e *program.RosterEntry, i int) {
			if rise(s, e, i); i%16 != 0 {
				e.Operator = s.at("bob")
			}
		}},
	}
}

// TestCurve compares what the instructions cost that depend on the number of judges with a golden
// file, and with the page and the picture in docs. All must fit in a transaction in the largest
// court, and leave a twentieth of it.
func TestCurve(t *testing.T) {
	longtest.Only(t)
	rows := map[string][]uint64{}
	for n, judges := range sizes() {
		for name, units := range curve(t, judges) {
			if rows[name] == nil {
				rows[name] = make([]uint64, len(sizes()))
			}
			if rows[name][n] = units; units > 1_330_000 {
				t.Errorf("%s, %d judges: %d units", name, judges, units)
			}
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%-40s", "judges")
	for _, judges := range sizes() {
		fmt.Fprintf(&b, " %8d", judges)
	}
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		fmt.Fprintf(&b, "\n%-40s", name)
		for _, units := range rows[name] {
			if units == 0 {
				b.WriteString("        -") // the court is too small
			} else {
				fmt.Fprintf(&b, " %8d", units)
			}
		}
	}
	b.WriteByte('\n')
	golden(t, "testdata/curve.txt", b.String())
	curves(t, rows)
}
