package oju_test

import (
	"github.com/gagliardetto/solana-go"

	"ojud/ledger/program"
	"ojud/ledger/svm/difftest"
)

const (
	creatorBond = sol / 5 // of a reward of one SOL
	workerBond  = sol / 10
	pay         = sol / 2_000 // half of the fee of a seat
	withheld    = 40 * pay
	earned      = sol - sol/200 // a reward of one SOL less the trade fee
)

func disputeScenes() map[string]func(*scene) {
	return map[string]func(*scene){
		"verification": func(s *scene) {
			s.cast(7)
			k := s.verified()
			s.no(program.ErrNotCreator, swap(s.accept(k), 0, s.at("bob")))
			s.no(program.ErrNotCreator, swap(s.object(k), 0, s.at("bob")))
			s.no(program.ErrMissingHash, with(s.object(k), program.EncodeInstruction(&program.Object{})))
			s.pass(28_799)
			s.no(program.ErrTooEarly, s.expire(k))
			s.pass(1)
			s.no(program.ErrTooLate, s.object(k))
			s.ok(s.accept(k))
		},
		"a silent creator pays": func(s *scene) {
			s.cast(7)
			k := s.verified()
			s.pass(28_800)
			s.ok(s.expire(k))
			s.no(program.ErrWrongStatus, s.expire(k))
		},
		"a silent worker is not paid": func(s *scene) {
			s.cast(7)
			k := s.disputed()
			s.pass(28_799)
			s.no(program.ErrTooEarly, s.expire(k))
			s.pass(1)
			s.no(program.ErrTooLate, s.rework(k))
			s.no(program.ErrTooLate, s.counter(k))
			s.ok(s.expire(k))
		},
		"expire in every status": func(s *scene) {
			s.cast(7, oneRound)
			k := s.created(func(c *program.CreateTask) { c.ClaimBy = s.now() + 50 })
			s.expires(k, program.Created, program.ErrTooEarly, 50)
			k = s.claimed()
			s.expires(k, program.Claimed, program.ErrTooEarly, 3_600)
			s.ok(s.claim(k, "carol", 0))
			k.worker = "carol"
			s.ok(s.start(k))
			s.expires(k, program.InProgress, program.ErrTooEarly, 3_600)
			s.expires(s.verified(), program.Verification, program.ErrTooEarly, 28_800)
			s.expires(s.disputed(), program.Disputed, program.ErrTooEarly, 28_800)
			k = s.contested()
			s.expires(k, program.Judiciary, program.ErrWrongStatus, 0)
			s.pass(1_800)
			s.ok(s.expireCase(k))
			s.expires(k, program.Undecided, program.ErrWrongStatus, 0)
			k = s.verified()
			s.ok(s.accept(k))
			s.expires(k, program.Complete, program.ErrWrongStatus, 0)
			k = s.created()
			s.ok(s.prog.CancelTask(s.at("alice"), k.at))
			s.expires(k, program.Cancelled, program.ErrWrongStatus, 0)
			k = s.created(func(c *program.CreateTask) { c.ClaimBy = s.now() + 50 })
			s.expires(k, program.Created, program.ErrTooEarly, 50)
			s.expires(k, program.Expired, program.ErrWrongStatus, 0)
		},
		"rework": func(s *scene) {
			s.cast(7)
			k := s.disputed()
			s.no(program.ErrNotWorker, swap(s.rework(k), 0, s.at("carol")))
			for range 3 {
				s.ok(s.rework(k))
				s.ok(s.submit(k))
				s.ok(s.object(k))
			}
			s.no(program.ErrReworksExhausted, s.rework(k))
			s.ok(s.counter(k))
		},
		"a missed rework": func(s *scene) {
			s.cast(7)
			k := s.disputed()
			s.ok(s.rework(k))
			s.pass(3_600)
			s.ok(s.expire(k))
		},
		"bonds": func(s *scene) {
			s.cast(7)
			k := s.verified()
			s.ok(s.prog.Withdraw(s.at("alice"), program.Withdraw{Amount: 99*sol - creatorBond + 1}))
			s.no(program.ErrNotEnoughInVault, s.object(k))
			s.ok(s.prog.Deposit(s.at("alice"), s.at("alice"), program.Deposit{Amount: 1}))
			s.ok(s.object(k))
			s.no(program.ErrNotWorker, swap(s.counter(k), 0, s.at("carol")))
			s.no(program.ErrMissingHash, with(s.counter(k), program.EncodeInstruction(&program.CounterObject{})))
			s.ok(s.prog.Withdraw(s.at("bob"), program.Withdraw{Amount: 100*sol - sol/50 - workerBond + 1}))
			s.no(program.ErrNotEnoughInVault, s.counter(k))
			s.ok(s.prog.Deposit(s.at("bob"), s.at("bob"), program.Deposit{Amount: 1}))
			s.ok(s.counter(k))
			s.no(program.ErrWrongStatus, s.expire(k))
		},
		"least bond": func(s *scene) {
			s.cast(7, func(p *program.Params) { p.WorkerBps, p.FeeMin, p.FeeBps = 0, 0, 0 })
			small := func(c *program.CreateTask) { c.RewardMin, c.RewardMax = 1_000_000, 1_000_000 }
			k := s.disputed(small)
			s.ok(s.counter(k))
		},
		"a prefunded case": func(s *scene) {
			s.cast(7)
			k := s.disputed()
			at := s.prog.Case(k.at)
			s.put(at, difftest.Wallet(solana.PublicKey(at), 1_000_000).Account)
			s.ok(s.counter(k))
		},
	}
}

// expires checks that a task has that status and cannot be expired now, with the error at. If after
// is not zero, it can be expired after those seconds.
func (s *scene) expires(k task, status program.TaskStatus, at program.Code, after int64) {
	s.t.Helper()
	if got := s.taskOf(k).Status; got != status {
		s.t.Fatalf("the task is %s, not %s", got, status)
	}
	s.no(at, s.expire(k))
	if after > 0 {
		s.pass(after)
		s.ok(s.expire(k))
	}
}
