package oju_test

import (
	"math"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

func auction(c *program.CreateTask) {
	c.Auction, c.AuctionSeconds, c.RewardMin, c.RewardMax = voting.ReverseDutch, 1_000, sol, sol+7_777
}

func marketScenes() map[string]func(*scene) {
	return map[string]func(*scene){
		"rewards and their cover": func(s *scene) {
			s.begin(func(p *program.Params) { p.CoverBps = 500 })
			s.no(program.ErrNotCovered, s.create("alice"))
			for i := range 7 {
				s.fund(judgeName(i), 4*sol)
				s.ok(s.join(judgeName(i), 2*sol)...)
			}
			s.no(program.ErrNotCovered, s.create("alice", of(7*sol/10)))
			s.ok(s.season())
			s.no(program.ErrNotCovered, s.create("alice", of(7*sol/10+1)))
			s.no(program.ErrNotCovered, s.create("alice", rising))
			s.ok(s.create("alice", of(7*sol/10)))
		},
		"terms": func(s *scene) {
			s.cast(7)
			for _, b := range []struct {
				code   program.Code
				change func(*program.CreateTask)
			}{
				{program.ErrBadReward, func(c *program.CreateTask) { c.RewardMin, c.RewardMax = 999_999, 999_999 }},
				{program.ErrBadReward, func(c *program.CreateTask) { c.RewardMin = 2 * sol }},
				{program.ErrBadReward, func(c *program.CreateTask) { c.RewardMax = 2 * sol }},
				{program.ErrBadReward, func(c *program.CreateTask) { auction(c); c.RewardMax = sol - 1 }},
				{program.ErrBadDuration, func(c *program.CreateTask) { c.AuctionSeconds = 1 }},
				{program.ErrBadDuration, func(c *program.CreateTask) { auction(c); c.AuctionSeconds = 2_592_001 }},
				{program.ErrBadDuration, func(c *program.CreateTask) { auction(c); c.AuctionSeconds = 0 }},
				{program.ErrBadDuration, func(c *program.CreateTask) { c.WorkSeconds = 59 }},
				{program.ErrBadDuration, func(c *program.CreateTask) { c.WorkSeconds = 31_536_001 }},
				{program.ErrBadDuration, func(c *program.CreateTask) { c.ClaimBy = s.now() }},
				{program.ErrBadDuration, func(c *program.CreateTask) { c.ClaimBy = -1 }},
				{program.ErrBadTerm, func(c *program.CreateTask) { auction(c); c.Auction = 2 }},
				{program.ErrBadTerm, func(c *program.CreateTask) { c.OnUndecided = 0 }},
				{program.ErrBadTerm, func(c *program.CreateTask) { c.OnUndecided = 4 }},
				{program.ErrWrongEngine, func(c *program.CreateTask) { c.Engine, c.EngineSeconds = s.prog.ID(), 600 }},
				{program.ErrWrongEngine, func(c *program.CreateTask) { c.EngineSeconds = 600 }},
				{program.ErrBadDuration, func(c *program.CreateTask) { c.Engine = engine }},
				{program.ErrMissingHash, func(c *program.CreateTask) { c.TaskHash = voting.Hash{} }},
				{program.ErrNotEnoughInVault, func(c *program.CreateTask) { c.RewardMin, c.RewardMax = 100*sol+1, 100*sol+1 }},
				{program.ErrNotEnoughInVault, func(c *program.CreateTask) { c.RewardMin, c.RewardMax = math.MaxUint64, math.MaxUint64 }},
			} {
				s.no(b.code, s.create("alice", b.change))
			}
			s.no(program.ErrNotAuthority, swap(s.create("alice"), 0, s.at("bob")))
			s.ok(s.pause(1))
			s.no(program.ErrPaused, s.create("alice"))
		},
		"cancel": func(s *scene) {
			s.cast(7)
			k := s.created()
			i := s.prog.CancelTask(s.at("alice"), k.at)
			s.no(program.ErrNotCreator, swap(i, 0, s.at("bob")))
			s.no(program.ErrWrongStatus, s.prog.CloseTask(k.at, s.at("alice"), s.under(k)))
			s.ok(i)
			s.no(program.ErrWrongStatus, i)
			s.no(program.ErrWrongStatus, s.claim(k, "bob", 0))
			s.ok(s.prog.CloseTask(k.at, s.at("alice"), s.under(k)))
		},
		"first come first served": func(s *scene) {
			s.cast(7)
			k := s.created()
			s.pass(100_000)
			s.no(program.ErrOwnTask, s.claim(k, "alice", 0))
			s.no(program.ErrPriceTooLow, s.claim(k, "bob", sol+1))
			s.no(program.ErrNotAuthority, swap(s.claim(k, "bob", 0), 3, s.prog.Agent(s.at("carol"))))
			s.no(program.ErrTooEarly, s.expire(k))
			s.ok(s.claim(k, "bob", sol))
		},
		"too few judges for these two": func(s *scene) {
			s.cast(7)
			s.agent("judge", onchain.Address{})
			s.ok(s.join("judge", sol)...)
			s.weighed()
			k := s.created()
			s.ok(s.exit("j0"))
			s.no(program.ErrTooFewImpartial, s.claim(k, "judge", 0))
			s.ok(s.claim(k, "bob", 0))
			k = s.created()
			s.ok(s.exit("j1"))
			s.no(program.ErrTooFewImpartial, s.claim(k, "bob", 0))
		},
		"reverse dutch auction": func(s *scene) {
			s.cast(7)
			for _, at := range []struct{ seconds, rise int64 }{{0, 0}, {1, 7}, {128, 995}, {500, 3_888}, {999, 7_769}, {1_001, 7_777}} {
				k := s.created(auction)
				s.pass(at.seconds)
				s.no(program.ErrPriceTooLow, s.claim(k, "bob", uint64(sol+at.rise+1)))
				s.ok(s.claim(k, "bob", uint64(sol+at.rise)))
			}
			k := s.created(auction)
			s.clock(s.now()-50, s.env.Clock.Slot) // a clock that went back counts as no time
			s.ok(s.claim(k, "bob", 0))
		},
		"claim by": func(s *scene) {
			s.cast(7)
			k := s.created(func(c *program.CreateTask) { c.ClaimBy = s.now() + 50 })
			s.pass(49)
			s.no(program.ErrTooEarly, s.expire(k))
			s.pass(1)
			s.no(program.ErrTooLate, s.claim(k, "bob", 0))
			s.ok(s.expire(k))
		},
		"work": func(s *scene) {
			s.cast(7)
			k := s.claimed()
			s.no(program.ErrNotWorker, swap(s.start(k), 0, s.at("carol")))
			s.pass(3_599)
			s.no(program.ErrTooEarly, s.expire(k))
			s.ok(s.start(k))
			s.no(program.ErrNotWorker, swap(s.submit(k), 0, s.at("carol")))
			s.no(program.ErrMissingHash, with(s.submit(k), program.EncodeInstruction(&program.SubmitResult{})))
			s.pass(1)
			s.no(program.ErrTooLate, s.submit(k))
			s.ok(s.expire(k))
			late := s.claimed()
			s.pass(3_600)
			s.no(program.ErrTooLate, s.start(late))
		},
		"release": func(s *scene) {
			s.cast(7)
			k := s.claimed(auction)
			s.no(program.ErrNotWorker, swap(swap(s.release(k), 0, s.at("carol")), 2, s.prog.Agent(s.at("bob"))))
			s.pass(359)
			s.ok(s.start(k))
			s.ok(s.release(k))
			s.no(program.ErrWorkerBarred, s.claim(k, "bob", 0))
			k.worker = "carol"
			s.ok(s.claim(k, "carol", 0))
			s.pass(1)
			s.no(program.ErrTooLate, s.release(k)) // the tenth of this task is used up
			s.ok(s.start(k))
			s.ok(s.submit(k))
			s.no(program.ErrWrongStatus, s.release(k))
		},
		"a missed deadline": func(s *scene) {
			s.cast(7)
			k := s.claimed(auction)
			s.pass(3_600)
			s.ok(s.expire(k))
			s.no(program.ErrWorkerBarred, s.claim(k, "bob", 0))
			s.ok(s.claim(k, "carol", 0))
			k.worker = "carol"
			s.ok(s.start(k))
			s.pass(3_600)
			s.ok(s.expire(k))
			s.ok(s.claim(k, "bob", 0))
		},
		"accepted": func(s *scene) {
			s.cast(7)
			k := s.verified()
			s.ok(s.accept(k))
			for _, i := range []func(task) onchain.Instruction{s.start, s.submit, s.accept, s.object, s.rework, s.counter, s.expire} {
				s.no(program.ErrWrongStatus, i(k))
			}
			s.no(program.ErrWrongStatus, s.prog.CancelTask(s.at("alice"), k.at))
			s.ok(s.prog.CloseTask(k.at, s.at("alice"), s.under(k)))
		},
	}
}
