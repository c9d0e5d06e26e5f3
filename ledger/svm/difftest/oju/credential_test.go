package oju_test

import (
	"slices"
	"testing"

	goldens "ojud/golden"
	"ojud/ledger/program"
	"ojud/voting"
)

// TestAttackForgedChallenge: a rival ends the batch of an honest proctor, and gets a tenth of its
// deposit, by a verdict about something else: that another leaf is false, that this one is true, or
// that a leaf with a seed of its own making is false, which is so.
func TestAttackForgedChallenge(t *testing.T) {
	s := alone(t)
	s.proctored(7)
	b := s.batched(voting.Accept, voting.Reject)
	s.rightly(b)
	s.openAll(b)
	affirmed := s.asking(b, 0, []byte(`{"leaf_is_false":false}`))
	s.refused(program.ErrNotFalse, s.uphold(b, 0, affirmed)) // no verdict yet
	s.round(affirmed, all(s.panel(affirmed), voting.Accept))
	s.refused(program.ErrNotFalse, s.uphold(b, 0, affirmed))
	s.refused(program.ErrNotFalse, s.uphold(b, 0, s.challenged(b, 0, voting.Reject)))
	forged := *b
	forged.leaves = slices.Clone(b.leaves)
	forged.leaves[0].Seed = hash("a seed of a rival")
	k := s.challenged(&forged, 0, voting.Accept)
	s.refused(program.ErrNotInBatch, s.uphold(&forged, 0, k))
	s.refused(program.ErrNotFalse, s.uphold(b, 0, k))
	s.refused(program.ErrNotFalse, s.uphold(b, 1, k))
	running := s.asking(b, 0, goldens.Denial())
	s.refused(program.ErrNotFalse, s.uphold(b, 0, running))
	won := s.challenged(b, 1, voting.Accept) // by a court that errs
	s.pass(14_400)
	s.ok(s.apply(b, 0))
	s.refused(program.ErrTooLate, s.uphold(b, 1, won))
}

// TestBlindJudgesLoseTheCredential: of 28 judges, four always reject, four vote by the day, and 20
// are wrong in 3 to 6 cases of 28. After these golden cases no blind one holds the credential, and
// every other does.
func TestBlindJudgesLoseTheCredential(t *testing.T) {
	s := alone(t)
	s.proctored(28, func(p *program.Params) { p.Credential = 1 })
	s.allow(28, 100*sol)
	var answers []voting.Choice
	for i := range 28 {
		answers = append(answers, voting.Choice(1+i%2))
	}
	b := s.batched(answers...)
	for i, answer := range answers {
		s.judge(b, i, func(panel []string) votes {
			v := all(panel, answer)
			for n := range 28 {
				name := judgeName(n)
				if _, sits := v[name]; !sits {
					continue
				}
				switch {
				case n < 4:
					v[name] = voting.Reject
				case n < 8:
					v[name] = voting.Choice(1 + i/6%2)
				case (i+n)%20 < 3:
					v[name] = 3 - answer
				}
			}
			return v
		})
	}
	s.openAll(b)
	s.pass(14_400)
	for i := range b.leaves {
		s.ok(s.apply(b, i))
	}
	s.weighed()
	for n := range 28 {
		e := s.entry(judgeName(n))
		if e.Weighs() != (n >= 8) {
			t.Errorf("%s has %d right, %d wrong of %d, and weighs %d", judgeName(n), e.Right, e.Wrong, e.Seen, e.Weight)
		}
	}
	blind, honest := s.entry("j0"), s.entry("j20")
	t.Logf("always reject: %d/%d/%d, %d lamports of stake, %d of rewards; right in 75 %%: %d/%d/%d, %d, %d",
		blind.Right, blind.Wrong, blind.Seen, blind.Stake, blind.Rewards, honest.Right, honest.Wrong, honest.Seen, honest.Stake, honest.Rewards)
}
