package oju_test

import (
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

// task is a task and its parties.
type task struct {
	at              onchain.Address
	creator, worker string
}

// terms returns the terms of a task that costs one SOL at once.
func terms(change ...func(*program.CreateTask)) program.CreateTask {
	c := program.CreateTask{
		TaskHash: hash("task"), Seal: hash("seal"), RewardMin: sol, RewardMax: sol, WorkSeconds: 3_600, OnUndecided: voting.SplitEscrow,
	}
	for _, f := range change {
		f(&c)
	}
	return c
}

// next returns the task that a creator would make now.
func (s *scene) next(creator string) task {
	return task{at: s.prog.Task(s.at(creator), s.agentOf(creator).TasksCreated), creator: creator}
}

func (s *scene) create(creator string, change ...func(*program.CreateTask)) onchain.Instruction {
	return s.prog.CreateTask(s.at(creator), s.agentOf(creator).TasksCreated, s.law().Number, terms(change...))
}

func (s *scene) created(change ...func(*program.CreateTask)) task {
	s.t.Helper()
	k := s.next("alice")
	s.ok(s.create("alice", change...))
	return k
}

func (s *scene) claimed(change ...func(*program.CreateTask)) task {
	s.t.Helper()
	k := s.created(change...)
	s.ok(s.claim(k, "bob", 0))
	k.worker = "bob"
	return k
}

func (s *scene) started(change ...func(*program.CreateTask)) task {
	s.t.Helper()
	k := s.claimed(change...)
	s.ok(s.start(k))
	return k
}

func (s *scene) verified(change ...func(*program.CreateTask)) task {
	s.t.Helper()
	k := s.started(change...)
	s.ok(s.submit(k))
	return k
}

func (s *scene) disputed(change ...func(*program.CreateTask)) task {
	s.t.Helper()
	k := s.verified(change...)
	s.ok(s.object(k))
	return k
}

func (s *scene) contested(change ...func(*program.CreateTask)) task {
	s.t.Helper()
	k := s.disputed(change...)
	s.ok(s.counter(k))
	return k
}

func (s *scene) seated(change ...func(*program.CreateTask)) task {
	s.t.Helper()
	k := s.contested(change...)
	s.draw(k)
	return k
}

func (s *scene) claim(k task, worker string, least uint64) onchain.Instruction {
	return s.prog.ClaimTask(s.at(worker), k.at, s.under(k), program.ClaimTask{MinReward: least})
}

func (s *scene) release(k task) onchain.Instruction { return s.prog.ReleaseTask(s.at(k.worker), k.at) }

func (s *scene) start(k task) onchain.Instruction { return s.prog.StartTask(s.at(k.worker), k.at) }

func (s *scene) submit(k task) onchain.Instruction {
	return s.prog.SubmitResult(s.at(k.worker), s.at(k.creator), k.at, s.under(k), program.SubmitResult{ResultHash: hash("result")})
}

func (s *scene) accept(k task) onchain.Instruction {
	return s.prog.Accept(s.at(k.creator), s.at(k.worker), k.at)
}

func (s *scene) object(k task) onchain.Instruction {
	return s.prog.Object(s.at(k.creator), k.at, s.under(k), program.Object{ObjectionHash: hash("objection")})
}

func (s *scene) rework(k task) onchain.Instruction {
	return s.prog.Rework(s.at(k.worker), s.at(k.creator), k.at, s.under(k))
}

func (s *scene) counter(k task) onchain.Instruction {
	return s.prog.CounterObject(s.at(k.worker), k.at, s.under(k), program.CounterObject{CounterHash: hash("counter")})
}

func (s *scene) expire(k task) onchain.Instruction {
	worker := onchain.Address{}
	if k.worker != "" {
		worker = s.at(k.worker)
	}
	return s.prog.Expire(k.at, s.at(k.creator), worker)
}

func (s *scene) settle(k task) onchain.Instruction {
	return s.prog.Settle(k.at, s.at(k.creator), s.at(k.worker))
}

func (s *scene) publish(k task, payer string) onchain.Instruction {
	return s.prog.PublishVerdict(s.at(payer), k.at)
}

func (s *scene) expireCase(k task) onchain.Instruction {
	return s.prog.ExpireCase(k.at, s.at(k.creator), s.at(k.worker))
}

func (s *scene) taskOf(k task) *program.Task { return read(s, k.at, program.DecodeTask) }
func (s *scene) caseOf(k task) *program.Case { return read(s, s.prog.Case(k.at), program.DecodeCase) }

// reach moves the chain to the block that a draw waits for.
func (s *scene) reach(k task) {
	seed := s.caseOf(k).SeedSlot
	if s.env.Clock.Slot <= seed {
		s.advance(seed + 1 - s.env.Clock.Slot)
		return
	}
	s.blocks(hashes(seed+4, 8))
}

func (s *scene) draw(k task) {
	s.t.Helper()
	s.reach(k)
	s.ok(s.prog.Draw(k.at))
}

// panel returns the names of the judges in the order of their seats.
func (s *scene) panel(k task) []string {
	var names []string
	for _, seat := range s.caseOf(k).Seats {
		names = append(names, s.names[seat.Judge])
	}
	return names
}
