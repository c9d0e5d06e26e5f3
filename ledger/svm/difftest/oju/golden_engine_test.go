package oju_test

import (
	"crypto/sha256"
	"testing"

	goldens "ojud/golden"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

// TestAttackLeafWithAnEngine: a proctor names its own program as engine of a golden case. By its
// word or its silence it would choose whether the leaf has a case. Such a leaf is void, whatever
// the engine does.
func TestAttackLeafWithAnEngine(t *testing.T) {
	s := alone(t)
	s.proctored(7)
	s.agent("engineer", onchain.Address{})
	s.fund("carol", sol)
	b := s.batched(voting.Accept, voting.Reject)
	decided, silent := s.contestedWith(func(c *program.CreateTask) { b.sealed(0)(c); s.byEngine(c) }), s.contestedWith(func(c *program.CreateTask) { b.sealed(1)(c); s.byEngine(c) })
	s.says(decided, voting.ForCreator)
	s.ok(s.settleByEngine(decided))
	s.pass(600)
	s.ok(s.openCase(silent, "carol"))
	s.draw(silent)
	s.round(silent, all(s.panel(silent), voting.Accept)) // all are wrong
	s.openAll(b)
	same(t, "void", s.batchOf(b).Void, 2)
	same(t, "the answer in the case", s.caseOf(silent).Golden, 0)
	s.refused(program.ErrNotGolden, s.apply(b, 1))
}

// TestAttackChallengeByADispute: a challenge costs the loser 35 fees or more. As a dispute of
// others it would cost seven, and bring a tenth of the deposit, 112 fees. It ends no batch.
func TestAttackChallengeByADispute(t *testing.T) {
	s := alone(t)
	s.proctored(7)
	b := s.batched(voting.Accept, voting.Reject)
	s.rightly(b)
	s.openAll(b)
	s.ok(s.bring("bob", "bob", "alice", "terms", func(i *program.OpenDispute) {
		i.Seats, i.TermsHash, i.ClaimHash = 7, sha256.Sum256(b.leaves[0].Question()), sha256.Sum256(goldens.Denial())
	}))
	k := task{at: program.DisputeAddress(s.prog, s.at("bob"), s.at("alice"), sha256.Sum256(b.leaves[0].Question())), creator: "alice", worker: "bob"}
	s.until(s.taskOf(k).Deadline)
	s.ok(s.openCase(k, "payer"))
	s.draw(k)
	s.settledDispute(k, voting.Accept)
	s.refused(program.ErrNotFalse, s.uphold(b, 0, k))
	same(t, "the deposit", s.batchOf(b).Deposit, 2*risk)
}

// TestAttackChallengeByAnEngine: a worker names its own program as engine of a challenge. It says
// that a true leaf is false, for a tenth of the deposit, 112 fees. No panel was asked, so there is
// no case to show.
func TestAttackChallengeByAnEngine(t *testing.T) {
	s := alone(t)
	s.proctored(7)
	s.agent("engineer", onchain.Address{})
	b := s.batched(voting.Accept, voting.Reject)
	s.rightly(b)
	s.openAll(b)
	k := s.next("alice")
	s.ok(s.create("alice", func(c *program.CreateTask) { c.TaskHash = sha256.Sum256(b.leaves[0].Question()); s.byEngine(c) }))
	s.ok(s.claim(k, "bob", 0))
	k.worker = "bob"
	s.ok(s.start(k))
	s.ok(s.prog.SubmitResult(s.at("bob"), s.at("alice"), k.at, s.under(k), program.SubmitResult{ResultHash: sha256.Sum256(goldens.Denial())}))
	s.ok(s.object(k))
	s.ok(s.counter(k))
	s.says(k, voting.ForWorker)
	s.ok(s.settleByEngine(k))
	s.refused(program.ErrWrongOwner, s.uphold(b, 0, k))
	same(t, "the deposit", s.batchOf(b).Deposit, 2*risk)
}
