package oju_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/svm/accounts"
	"ojud/voting"
	"ojud/voting/rules"
)

// TestAttackDrawGroundThroughTheRoster: an attacker that knows the block changes the Roster in the
// transaction of the draw, in every possible way, or begins the next season. The panel stays the
// same (ADR 0033). A control draws from the current Roster, as the program once did: there the same
// moves give other panels.
func TestAttackDrawGroundThroughTheRoster(t *testing.T) {
	s := alone(t)
	s.cast(20, func(p *program.Params) { p.PanelSeats = 7 })
	other := s.seated() // waits for its settlement: two judges were absent
	s.vote(other, all(s.panel(other)[2:], voting.Accept))
	s.until(s.caseOf(other).RevealEnds)
	s.pass(86_400)
	k := s.contested()
	leader := ""
	s.fork(func() { // the leader of the seed slot knows its block before others
		s.advance(s.caseOf(k).SeedSlot - s.env.Clock.Slot)
		s.ok(s.topUp("j0", 9*sol), s.topUp("j1", 9*sol), s.season())
		s.reach(k)
		leader = s.drawnAfter(k)
	})
	s.reach(k) // from here on anybody can compute the panel
	want := s.drawnAfter(k)
	same(t, "the panel after a season of the seed slot", leader, want)
	momentary := map[string]bool{}
	for name, move := range s.rosterMoves(other) {
		for _, later := range []uint64{0, 200, 511} {
			s.fork(func() {
				if later > 0 {
					slot := s.caseOf(k).SeedSlot + 1 + later
					s.clock(s.now()+int64(later)*2/5, slot)
					s.blocks(hashes(slot-1, 512))
				}
				if got := s.drawnAfter(k, move...); !follows(got, want, strings.HasPrefix(name, "evidence")) {
					t.Errorf("%s, %d slots later: the panel is %s, not %s", name, later, got, want)
				}
				momentary[s.momentary(k, move...)] = true
			})
		}
	}
	if len(momentary) < 40 {
		t.Errorf("the control gave %d panels: the moves move nothing", len(momentary))
	}
	s.fork(func() { // slots without a block: the chain knows the block for longer than exits are remembered
		seed := s.caseOf(k).SeedSlot
		s.clock(s.now()+300, seed+513)
		s.blocks(append(hashes(seed+512, 8), hashes(seed, 8)...))
		s.ok(s.prog.Draw(k.at))
		if c := s.caseOf(k); c.Status != voting.AwaitingDraw || c.SeedSlot == seed {
			t.Errorf("513 slots later: %s by slot %d", c.Status, c.SeedSlot)
		}
	})
	s.refused(program.ErrNotOnRoster, s.topUp("alice", 1))
	s.ok(s.topUp("j0", 1), s.season())
	s.refused(program.ErrSeasonRuns, s.season()) // a second one would let the Roster forget the first
	same(t, "the panel after all", s.drawnAfter(k), want)
}

// TestAttackSeedMovedByLeaving: a judge of a court with no judge to spare knows a panel that it
// does not want. If it left, and the court had too few judges then, seasons could begin at any
// time: after two of them the Roster would have forgotten the draw's, and another block would
// decide. But who leaves counts as long as it has a weight.
func TestAttackSeedMovedByLeaving(t *testing.T) {
	s := alone(t)
	s.cast(int(program.DefaultParams().MinSeats))
	k := s.contested()
	s.reach(k)
	want := s.drawnAfter(k)
	s.ok(s.exit("j0"))
	s.refused(program.ErrSeasonRuns, s.season())
	same(t, "the panel", s.drawnAfter(k), want)
	s.clock(s.now()+205, s.env.Clock.Slot+513)
	s.refused(program.ErrSeasonRuns, s.season()) // it is drawn until the season is over
}

// TestAttackSeasonEndsEarly: a judge adds stake and begins a season as soon as the longest case is
// over, so that it is drawn by this stake before others can react. It is refused: only a season
// that seats nobody ends so early.
func TestAttackSeasonEndsEarly(t *testing.T) {
	s := alone(t)
	s.cast(8)
	s.pass(int64(s.law().LongestCase()))
	s.refused(program.ErrSeasonRuns, s.season())
	s.until(s.roster().SeasonAt + int64(s.law().SeasonSeconds))
	s.ok(s.season())
}

// TestAttackTwoSeasonsInOneWindow: the chain stood still for a day. A second season within 512
// slots would let the Roster forget the one that a draw may still go by.
func TestAttackTwoSeasonsInOneWindow(t *testing.T) {
	s := alone(t)
	s.cast(8)
	s.pass(86_400)
	s.ok(s.season())
	s.clock(s.now()+86_400, s.env.Clock.Slot+512)
	s.refused(program.ErrSeasonRuns, s.season())
	s.clock(s.now(), s.env.Clock.Slot+1)
	s.ok(s.season())
}

// rosterMoves returns all changes that judges and others can make to the Roster at once. other is a
// case whose time is over.
func (s *scene) rosterMoves(other task) map[string][]onchain.Instruction {
	moves := map[string][]onchain.Instruction{"a settlement": {s.settle(other)}}
	for lamports := range uint64(40) {
		moves[fmt.Sprint("a top-up of ", lamports)] = []onchain.Instruction{s.topUp("j0", 1+lamports*25_000_000)}
	}
	for i := range 4 { // a fifth of the judges is the attacker's
		moves[fmt.Sprint("an exit of ", i)] = []onchain.Instruction{s.exit(judgeName(i))}
	}
	s.fund("late", 20*sol)
	moves["a judge more"] = s.join("late", 9*sol)
	for _, name := range s.panel(other)[:3] {
		moves["evidence against "+name] = s.slash(other, 1, name)
	}
	moves["the next season"] = []onchain.Instruction{s.season()}
	moves["a top-up, an exit, a judge more and the next season"] = slices.Concat(moves["a top-up of 39"], moves["an exit of 3"], moves["a judge more"], moves["the next season"])
	moves["all at once"] = slices.Concat(moves["evidence against "+s.panel(other)[0]], moves["a settlement"], moves["an exit of 3"], moves["a top-up of 7"])
	return moves
}

func (s *scene) topUp(judge string, lamports uint64) onchain.Instruction {
	return s.prog.TopUp(s.at(judge), program.TopUp{Amount: lamports})
}

// follows reports whether a panel is the wanted one. If a judge lost all that it had, it is passed
// over, and the others move up (ADR 0027).
func follows(got, want string, lost bool) bool {
	if got == want || !lost {
		return got == want
	}
	var left []string
	drawn := strings.Fields(got)
	for _, seat := range strings.Fields(want) {
		if slices.Contains(drawn, seat) {
			left = append(left, seat)
		}
	}
	return len(left) == len(drawn)-1 && slices.Equal(drawn[:len(left)], left)
}

// drawnAfter returns the panel after the moves and the draw in one transaction. It
// runs in a fork.
func (s *scene) drawnAfter(k task, moves ...onchain.Instruction) string {
	s.t.Helper()
	drawn := ""
	s.fork(func() {
		s.ok(slices.Concat(moves, []onchain.Instruction{s.prog.Draw(k.at)})...)
		drawn = panelOf(s.caseOf(k).Voting(0, nil).Seats)
	})
	return drawn
}

// momentary returns the panel that the current Roster gives.
func (s *scene) momentary(k task, moves ...onchain.Instruction) string {
	s.t.Helper()
	c, block := s.caseOf(k), s.env.SlotHashes
	i := slices.IndexFunc(block, func(b accounts.SlotHash) bool { return b.Slot == c.SeedSlot })
	lot := rules.Lot{Program: voting.Key(s.prog.ID()), Task: voting.Key(k.at), Round: 1, DrawnSlot: c.SeedSlot, SlotHash: voting.Hash(block[i].Hash)}
	drawn := ""
	s.fork(func() {
		if len(moves) > 0 {
			s.ok(moves...)
		}
		candidates := s.roster().Candidates(math.MaxUint64)
		for i := range candidates {
			candidates[i].Stake = 0
			if e := s.roster().Entries[i]; candidates[i].Active {
				candidates[i].Stake = min(e.Stake, c.MaxSeatWeight) // its weight, if a season began now
			}
		}
		eligible, err := rules.Eligible(candidates, s.taskOf(k).Parties(), rules.LawOf(c.Rules).Staked(c.MinStake, c.MaxSeatWeight))
		if err != nil {
			s.t.Fatal(err)
		}
		seats, err := rules.Draw(lot.Seed(), eligible, c.Rules.PanelSeats, c.Rules.MinSeats)
		if err != nil {
			s.t.Fatal(err)
		}
		drawn = panelOf(seats)
	})
	return drawn
}

func panelOf(seats []voting.Seat) string {
	var b strings.Builder
	for _, seat := range seats {
		fmt.Fprintf(&b, "%d ", seat.Index)
	}
	return b.String()
}
