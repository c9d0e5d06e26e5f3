package oju_test

import (
	"testing"

	goldens "ojud/golden"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

// The attacks in this file work. docs/attacks.md lists them under "What is not refused", and these
// tests fail as soon as one of them does not pay any more.

// TestAttackAbstentionsBought: four of seven judges are paid to abstain in both rounds. The case is
// undecided, so half of the reward goes to a worker that handed in garbage, and there is no appeal.
// Each bribed judge forgoes the pay of one vote.
func TestAttackAbstentionsBought(t *testing.T) {
	s := alone(t)
	s.cast(28)
	creator, worker := int64(s.vault("alice")), int64(s.vault("bob"))
	k := s.contested(seven, func(c *program.CreateTask) { c.OnUndecided = voting.SplitEscrow })
	for range 2 {
		s.draw(k)
		p := s.panel(k)
		v := all(p, voting.Reject)
		for _, n := range p[:4] {
			v[n] = voting.Abstain
		}
		s.round(k, v)
	}
	same(t, "status", s.caseOf(k).Status, voting.EndedUndecided)
	s.refused(program.ErrWrongAddress, s.appeal(k, "alice"))
	if gain := int64(s.vault("bob")) - worker; gain < int64(sol)/5 {
		t.Errorf("the worker gains %d lamports: take the attack off the list of those that work", gain)
	}
	if loss := creator - int64(s.vault("alice")); loss < int64(sol)/5 {
		t.Errorf("the creator loses %d lamports", loss)
	}
}

// TestAttackChallengeBribed: the two parties of a challenge are the attacker, and five of its seven
// judges are bribed. The proctor is no party and cannot appeal, the loser waives its appeal, and an
// honest batch of 40 leaves loses its deposit.
func TestAttackChallengeBribed(t *testing.T) {
	s := alone(t)
	s.proctored(28)
	s.allow(256, 10*sol)
	answers := make([]voting.Choice, 40)
	for i := range answers {
		answers[i] = voting.Choice(1 + i%2)
	}
	b := s.batched(answers...)
	for i, l := range b.leaves {
		s.judge(b, i, voteAll(l.Answer), cheap)
	}
	s.openAll(b)
	s.agent("dave", onchain.Address{})
	before := int64(s.vault("carol") + s.vault("dave"))
	k := s.asking(b, 0, goldens.Denial(), func(c *program.CreateTask) { c.Seats, c.FeeMin = 7, 0 })
	p := s.panel(k)
	v := all(p, voting.Reject)
	for _, n := range p[:5] {
		v[n] = voting.Accept
	}
	s.round(k, v)
	if s.caseOf(k).Status == voting.Appealable {
		s.refused(program.ErrNotLoser, swap(s.appeal(k, "pat"), 2, s.prog.Agent(s.at("carol"))))
		s.ok(s.finish(k, "carol"))
	}
	s.ok(s.uphold(b, 0, k))
	if gain := int64(s.vault("carol")+s.vault("dave")) - before; gain < int64(sol) {
		t.Errorf("the parties gain %d lamports: take the attack off the list of those that work", gain)
	}
}
