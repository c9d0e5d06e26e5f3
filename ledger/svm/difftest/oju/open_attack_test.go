package oju_test

import (
	"math/big"
	"testing"

	goldens "ojud/golden"
	"ojud/ledger/program"
	"ojud/voting"
)

// TestAttackAbstentionsBought: four of seven judges are paid to abstain in both rounds, so the
// case is undecided. Before, that was its end: a worker that handed in garbage got half of the
// reward, 0.4475 SOL, for four bribes of a vote's pay. Now the creator appeals, and other judges
// decide: the worker loses its bond. To get the same, it has to buy 14 abstentions of the other 28
// seats, too.
func TestAttackAbstentionsBought(t *testing.T) {
	for _, appealed := range []bool{false, true} {
		s := alone(t)
		s.cast(36)
		creator, worker := int64(s.vault("alice")), int64(s.vault("bob"))
		k := s.contested(seven, func(c *program.CreateTask) { c.OnUndecided = voting.SplitEscrow })
		for range 2 {
			s.abstained(k, 4)
		}
		same(t, "status", s.caseOf(k).Status, voting.Appealable)
		same(t, "verdict", s.caseOf(k).Verdict, voting.Undecided)
		s.refused(program.ErrTooEarly, s.finish(k, "bob")) // it is not the worker's alone to give up
		s.endUndecided(k, appealed)
		gain, loss := int64(s.vault("bob"))-worker, creator-int64(s.vault("alice"))
		t.Logf("appealed %t: the worker %+d, the creator %+d lamports", appealed, gain, -loss)
		if appealed && (gain >= 0 || loss > 0) || !appealed && gain < int64(sol)/5 {
			t.Errorf("appealed %t: the worker gains %d, and the creator loses %d", appealed, gain, loss)
		}
	}
}

// bribed votes for a challenge with the first seats of its panel, and against it with the others.
func (s *scene) bribed(k task, seats int) []string {
	s.t.Helper()
	return s.ballot(k, seats, 0)
}

// TestAttackChallengeBribed: the two parties of a challenge are the attacker. Before, five bribed
// judges of seven were enough to end an honest batch: the loser waived its appeal, the proctor was
// no party, and the parties gained a tenth of the deposit. Now the panel has 14 seats or more, a
// waiver counts for nothing, and the proctor appeals without a bond.
func TestAttackChallengeBribed(t *testing.T) {
	s := alone(t)
	b := s.honest(28, 8)
	parties := func() int64 { return int64(s.vault("carol") + s.vault("dave")) }
	before := parties()
	few := s.asking(b, 0, goldens.Denial(), seven)
	s.bribed(few, 5)
	s.ok(s.finish(few, "carol"))
	s.refused(program.ErrNotFalse, s.uphold(b, 0, few))
	t.Logf("five of seven: the parties %+d lamports", parties()-before)
	waived := s.asking(b, 0, goldens.Denial(), half)
	s.bribed(waived, 10)
	s.ok(s.finish(waived, "carol"))
	s.refused(program.ErrNotFalse, s.uphold(b, 0, waived))
	full := s.asking(b, 0, goldens.Denial()) // all 28 judges sit, so nobody is left for an appeal
	s.bribed(full, 19)
	same(t, "no appeal", s.caseOf(full).AppealBy, 0)
	s.refused(program.ErrNotFalse, s.uphold(b, 0, full))

	before, deposit := parties(), s.batchOf(b).Deposit
	k := s.asking(b, 0, goldens.Denial(), half)
	p := s.bribed(k, 10)
	liars := s.wealth(p...)
	s.refused(program.ErrNotProctor, swap(s.contest(b, 0, k), 0, s.at("carol")))
	s.refused(program.ErrNotLoser, s.contest(b, 1, k))
	s.ok(s.contest(b, 0, k))
	s.draw(k)
	s.round(k, all(s.panel(k), voting.Reject))
	s.refused(program.ErrNotFalse, s.uphold(b, 0, k))
	same(t, "the deposit", s.batchOf(b).Deposit, deposit)
	t.Logf("ten of 14, appealed: the parties %+d lamports, the ten liars %+d", parties()-before, s.wealth(p...)-liars)
	if parties() >= before || s.wealth(p...)-liars != -10*20*pay {
		t.Errorf("the parties %+d, the liars %+d", parties()-before, s.wealth(p...)-liars)
	}

	before = parties()
	k = s.asking(b, 0, goldens.Denial(), half)
	s.bribed(k, 10)
	s.ok(s.contest(b, 0, k))
	s.draw(k)
	s.bribed(k, 10)
	s.ok(s.uphold(b, 0, k))
	t.Logf("ten of 14 in both panels: the parties %+d lamports, of a reward of %d", parties()-before, sol/5)
	if gain := parties() - before; gain > int64(sol/5) {
		t.Errorf("the parties gain %d lamports, more than the reward, which the court covers", gain)
	}
}

// alternate returns answers by turns.
func alternate(leaves int) (all []voting.Choice) {
	for i := range leaves {
		all = append(all, voting.Choice(1+i%2))
	}
	return all
}

// TestAttackChallengeRepeated: colluders of a court of 28 bring challenges until a panel is theirs.
// With seven seats, as before, that took 51 tries of nine of them; a failed one costs its bond.
// With 14 seats nine never have two thirds, and ten have them once in 13,000. And then the proctor
// appeals.
func TestAttackChallengeRepeated(t *testing.T) {
	choose := func(n, k int64) *big.Rat { return new(big.Rat).SetInt(new(big.Int).Binomial(n, k)) }
	// theirs is how often more than 66 % of a panel are colluders.
	theirs := func(colluders, seats int64) float64 {
		sum := new(big.Rat)
		for k := (66*seats)/100 + 1; k <= min(seats, colluders); k++ {
			sum.Add(sum, new(big.Rat).Mul(choose(colluders, k), choose(28-colluders, seats-k)))
		}
		p, _ := sum.Quo(sum, choose(28, seats)).Float64()
		return p
	}
	const bounty = 256 * 560 / 10 // fees of a seat: a tenth of the deposit of the largest batch
	for _, colluders := range []int64{8, 9, 10, 11, 12} {
		small, large := theirs(colluders, 7), theirs(colluders, 14)
		t.Logf("%d of 28: %.5f of panels of 7, a win costs %.0f fees; %.7f of panels of 14, %.0f fees; it brings at most %d", colluders, small, 35/small, large, 42/large, bounty)
		if pays := 42/large < bounty; pays != (colluders > 11) {
			t.Errorf("%d colluders: one win costs %.0f fees", colluders, 42/large)
		}
	}
}
