package oju_test

import (
	"testing"

	"ojud/ledger/program"
	"ojud/voting"
)

// of sets the reward of a task.
func of(reward uint64) func(*program.CreateTask) {
	return func(c *program.CreateTask) { c.RewardMin, c.RewardMax = reward, reward }
}

// TestAttackRewardAboveTheCover: who owns a court of 28 judges with 1 SOL each puts 28 SOL at risk,
// and decides a case of 1,000 SOL. Before, any reward was taken. Now a task of more than 5 % of
// what the judges have at stake, 1.4 SOL here, is refused. What leaves, or is slashed, covers
// nothing, and an auction is measured by its highest price.
func TestAttackRewardAboveTheCover(t *testing.T) {
	s := alone(t)
	s.cast(28, func(p *program.Params) { p.CoverBps = 500 })
	const most = 28 * sol / 20
	s.refused(program.ErrNotCovered, s.create("alice", of(1_000*sol)))
	s.refused(program.ErrNotCovered, s.create("alice", of(most+1)))
	s.refused(program.ErrNotCovered, s.create("alice", rising))
	s.fork(func() { s.ok(s.create("alice", of(most))) })
	s.fork(func() { // a stake that leaves
		s.ok(s.exit("j0"))
		s.pass(86_400)
		s.ok(s.prog.TopUp(s.at("j0"), program.TopUp{Amount: 5 * sol}), s.season())
		s.refused(program.ErrNotCovered, s.create("alice", of(most-sol/20+1)))
		s.ok(s.create("alice", of(most-sol/20)))
	})
	s.fork(func() { // a stake of this moment, which no judge can be drawn with
		s.fund("late", 20*sol)
		s.ok(append(s.join("late", 10*sol), s.topUp("j0", 9*sol))...)
		s.refused(program.ErrNotCovered, s.create("alice", of(most+1)))
	})
	k := s.seated() // stakes that are slashed
	v := all(s.panel(k), voting.Accept)
	s.commits(k, v)
	s.until(s.caseOf(k).RevealEnds)
	s.ok(s.settle(k))
	s.pass(86_400)
	s.ok(s.season())
	same(t, "weight", s.roster().Weight, s.roster().TotalStake)
	s.refused(program.ErrNotCovered, s.create("alice", of(most)))
	s.ok(s.create("alice", of(s.roster().TotalStake/20)))
}

// TestAttackCoverLifted: the authority lifts the limit, so that a large reward meets few judges. No
// version may lift it, or raise it above a tenth.
func TestAttackCoverLifted(t *testing.T) {
	s := alone(t)
	s.cast(7, func(p *program.Params) { p.CoverBps = 500 })
	for _, bps := range []uint16{0, 1_001, 10_000} {
		s.refused(program.ErrBadConfig, s.announce(func(p *program.Params) { p.CoverBps = bps }))
	}
	s.enact(func(p *program.Params) { p.CoverBps = 1_000 })
	s.ok(s.create("alice", of(7*sol/10)))
	s.refused(program.ErrNotCovered, s.create("alice", of(7*sol/10+1)))
}
