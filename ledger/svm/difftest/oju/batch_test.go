package oju_test

import (
	"crypto/sha256"
	"fmt"
	"slices"

	goldens "ojud/golden"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

const (
	gain  = 10 * pay       // of a right vote in a golden case
	risk  = 28 * 40 * pay  // what 28 seats lose by a leaf
	leafs = 28 * 1_000_000 // the proctor's fee
)

// withGolden are the parameters of a court with golden cases.
func withGolden(p *program.Params) {
	p.BatchSeconds, p.ChallengeSeconds, p.GoldenBps, p.LeafFee = 43_200, 14_400, 5_000, leafs
}

// batch is a batch of pat, the proctor. Its tasks are alice's next ones, and bob works.
type batch struct {
	number uint64
	leaves []goldens.Leaf
	proofs []goldens.Proof
	root   voting.Hash
	tasks  []task
}

// proctored is a court with golden cases, judges, pat, and leaves to commit.
func (s *scene) proctored(judges int, change ...func(*program.Params)) {
	s.t.Helper()
	s.cast(judges, append([]func(*program.Params){withGolden}, change...)...)
	s.fund("pat", 1_000*sol)
	s.ok(s.prog.AdmitProctor(s.at("authority"), program.AdmitProctor{Proctor: s.at("pat")}))
	s.allow(64, sol)
}

// allow sets the Pot's allowance, and adds lamports to it.
func (s *scene) allow(leaves, lamports uint64) {
	s.t.Helper()
	pot := s.pot()
	pot.Allowance = leaves * 10_000
	pot.Golden += lamports
	s.set(s.prog.Pot(), pot)
	a := s.accounts[s.prog.Pot()]
	a.Lamports += lamports
	s.put(s.prog.Pot(), a)
}

// drawn makes a batch with these answers. It is not committed.
func (s *scene) drawn(answers ...voting.Choice) *batch {
	s.t.Helper()
	b := &batch{number: s.pot().Batches}
	first := s.agentOf("alice").TasksCreated
	for i, answer := range answers {
		name := func(what string) voting.Hash { return hash(fmt.Sprint(what, " ", first, " ", i)) }
		k := task{at: s.prog.Task(s.at("alice"), first+uint64(i)), creator: "alice", worker: "bob"}
		b.tasks = append(b.tasks, k)
		b.leaves = append(b.leaves, goldens.Leaf{
			Address: voting.Key(k.at), Task: name("task"), Result: hash("result"), Objection: hash("objection"), Counter: hash("counter"),
			Answer: answer, Generator: hash("generator"), Seed: name("seed"),
		})
	}
	var err error
	if b.root, b.proofs, err = goldens.Commit(b.leaves); err != nil {
		s.t.Fatal(err)
	}
	return b
}

func (s *scene) commitBatch(b *batch, change ...func(*program.CommitBatch)) onchain.Instruction {
	i := program.CommitBatch{Root: b.root, Leaves: uint32(len(b.leaves)), Deposit: risk * uint64(len(b.leaves))}
	for _, f := range change {
		f(&i)
	}
	return s.prog.BatchCalls(b.number).Commit(s.at("pat"), s.law().Number, i)
}

// batched commits to a batch.
func (s *scene) batched(answers ...voting.Choice) *batch {
	s.t.Helper()
	b := s.drawn(answers...)
	s.ok(s.commitBatch(b))
	return b
}

// sealed changes the terms of a task to those of a leaf.
func (b *batch) sealed(i int) func(*program.CreateTask) {
	return func(c *program.CreateTask) { c.TaskHash, c.Seal = b.leaves[i].Task, b.leaves[i].Hash() }
}

// judge posts a leaf, and lets its panel vote.
func (s *scene) judge(b *batch, i int, vote func(panel []string) votes, change ...func(*program.CreateTask)) {
	s.t.Helper()
	k := s.seated(append(slices.Clone(change), b.sealed(i))...)
	same(s.t, "task", k.at, b.tasks[i].at)
	s.round(k, vote(s.panel(k)))
}

// says lets all vote the same.
func voteAll(choice voting.Choice) func([]string) votes {
	return func(panel []string) votes { return all(panel, choice) }
}

// rightly posts all leaves, and all judges are right.
func (s *scene) rightly(b *batch) {
	s.t.Helper()
	for i := range b.leaves {
		s.judge(b, i, voteAll(b.leaves[i].Answer))
	}
}

func (b *batch) leaf(i int) program.OpenLeaf {
	l := b.leaves[i]
	o := program.OpenLeaf{
		Index: uint32(i), TaskHash: l.Task, ResultHash: l.Result, ObjectionHash: l.Objection, CounterHash: l.Counter,
		Answer: l.Answer, Generator: l.Generator, Seed: l.Seed,
	}
	for _, h := range b.proofs[i].Path {
		o.Path = append(o.Path, h[:]...)
	}
	return o
}

// openLeaf opens a leaf, as void if there is no case.
func (s *scene) openLeaf(b *batch, i int, change ...func(*program.OpenLeaf)) onchain.Instruction {
	o := b.leaf(i)
	for _, f := range change {
		f(&o)
	}
	_, there := s.accounts[s.prog.Case(b.tasks[i].at)]
	return s.prog.BatchCalls(b.number).OpenLeaf(s.at("pat"), b.tasks[i].at, !there, o)
}

func (s *scene) openAll(b *batch) {
	s.t.Helper()
	for i := range b.leaves {
		s.ok(s.openLeaf(b, i))
	}
}

func (s *scene) apply(b *batch, i int) onchain.Instruction {
	return s.prog.BatchCalls(b.number).ApplyLeaf(b.tasks[i].at)
}

func (s *scene) closeBatch(b *batch) onchain.Instruction {
	return s.prog.BatchCalls(b.number).Close(s.at("pat"))
}

func (s *scene) batchOf(b *batch) *program.Batch {
	return read(s, s.prog.Batch(b.number), program.DecodeBatch)
}

// challenged asks a panel whether a leaf is false. All seats vote the same.
func (s *scene) challenged(b *batch, i int, vote voting.Choice, terms ...func(*program.CreateTask)) task {
	s.t.Helper()
	k := s.asking(b, i, goldens.Denial(), terms...)
	s.round(k, all(s.panel(k), vote))
	return k
}

// half is a challenge whose panel leaves judges for an appeal.
func half(c *program.CreateTask) { c.Seats = 14 }

// asking posts the question of a leaf with an answer, and draws the panel. It is a cheap task of
// carol, and dave works: the least bond is enough.
func (s *scene) asking(b *batch, i int, answer []byte, terms ...func(*program.CreateTask)) task {
	s.t.Helper()
	if _, there := s.accounts[s.prog.Agent(s.at("dave"))]; !there {
		s.agent("dave", onchain.Address{})
	}
	k := s.next("carol")
	s.ok(s.create("carol", func(c *program.CreateTask) {
		c.TaskHash, c.RewardMin, c.RewardMax = sha256.Sum256(b.leaves[i].Question()), sol/5, sol/5
		for _, change := range terms {
			change(c)
		}
	}))
	s.ok(s.claim(k, "dave", 0))
	k.worker = "dave"
	s.ok(s.start(k))
	s.ok(s.prog.SubmitResult(s.at("dave"), s.at("carol"), k.at, s.under(k), program.SubmitResult{ResultHash: sha256.Sum256(answer)}))
	s.ok(s.object(k))
	s.ok(s.counter(k))
	s.draw(k)
	return k
}

func (s *scene) uphold(b *batch, i int, k task) onchain.Instruction {
	l := b.leaves[i]
	return s.prog.BatchCalls(b.number).Uphold(program.Challenge{Proctor: s.at("pat"), Golden: b.tasks[i].at, Task: k.at, Worker: s.at(k.worker)}, l.Generator, l.Seed)
}

// contest is the appeal of a proctor against the verdict that its leaf is false.
func (s *scene) contest(b *batch, i int, k task) onchain.Instruction {
	l := b.leaves[i]
	c := program.Challenge{Proctor: s.at("pat"), Golden: b.tasks[i].at, Task: k.at, Worker: s.at(k.worker)}
	return s.prog.BatchCalls(b.number).AppealChallenge(c, l.Generator, l.Seed)
}

// mixed is a vote in which j0 is wrong, j1 abstains, j2 is silent, and all others are right.
func mixed(right voting.Choice) func([]string) votes {
	return func(panel []string) votes {
		v := all(panel, right)
		v["j0"], v["j1"] = 3-right, voting.Abstain
		delete(v, "j2")
		return v
	}
}

func batchScenes() map[string]func(*scene) {
	return map[string]func(*scene){
		"applied": func(s *scene) {
			s.proctored(7)
			b := s.batched(voting.Accept, voting.Reject)
			for i, l := range b.leaves {
				s.judge(b, i, mixed(l.Answer))
			}
			s.no(program.ErrNotGolden, s.apply(b, 0))
			s.openAll(b)
			s.no(program.ErrLeafOpen, s.openLeaf(b, 0))
			s.no(program.ErrTooEarly, s.apply(b, 0))
			s.pass(14_400)
			s.ok(s.apply(b, 0))
			s.no(program.ErrNotGolden, s.apply(b, 0))
			s.no(program.ErrTooEarly, s.closeBatch(b))
			s.ok(s.apply(b, 1))
			s.ok(s.closeBatch(b))
		},
		"commit": func(s *scene) {
			s.proctored(7)
			b := s.drawn(voting.Accept, voting.Reject)
			deposit := func(n uint64) func(*program.CommitBatch) { return func(i *program.CommitBatch) { i.Deposit = n } }
			s.no(program.ErrBadBatch, s.commitBatch(b, func(i *program.CommitBatch) { i.Leaves = 1 }))
			s.no(program.ErrBadBatch, s.commitBatch(b, func(i *program.CommitBatch) { i.Leaves = 257 }))
			s.no(program.ErrBadBatch, s.commitBatch(b, func(i *program.CommitBatch) { i.Root = voting.Hash{} }))
			s.no(program.ErrTooManyLeaves, s.commitBatch(b, func(i *program.CommitBatch) { i.Leaves = 65 }, deposit(65*risk)))
			s.no(program.ErrDepositTooSmall, s.commitBatch(b, deposit(2*risk-1)))
			s.no(program.ErrNotProctor, swap(s.commitBatch(b), 3, s.prog.Proctor(s.at("alice"))))
			s.ok(s.prog.RevokeProctor(s.at("authority"), s.at("pat"), s.at("authority")))
			s.no(program.ErrNotProctor, s.commitBatch(b))
			s.no(program.ErrNotAuthority, s.prog.AdmitProctor(s.at("alice"), program.AdmitProctor{Proctor: s.at("pat")}))
			s.ok(s.prog.AdmitProctor(s.at("authority"), program.AdmitProctor{Proctor: s.at("pat")}))
			s.no(program.ErrAlreadyExists, s.prog.AdmitProctor(s.at("authority"), program.AdmitProctor{Proctor: s.at("pat")}))
			s.no(program.ErrNotAuthority, s.prog.RevokeProctor(s.at("alice"), s.at("pat"), s.at("authority")))
			s.ok(s.commitBatch(b))
			s.no(program.ErrWrongAddress, s.commitBatch(b))
		},
		"open": func(s *scene) {
			s.proctored(7)
			b := s.batched(voting.Accept, voting.Reject, voting.Accept)
			s.judge(b, 0, voteAll(voting.Accept))
			k := s.seated(b.sealed(1))
			s.no(program.ErrWrongStatus, s.openLeaf(b, 1))
			s.no(program.ErrNotEnoughAccounts, cut(s.openLeaf(b, 0), 3))
			s.no(program.ErrWrongAddress, swap(s.openLeaf(b, 0), 3, s.prog.Case(k.at)))
			s.no(program.ErrNotProctor, swap(s.openLeaf(b, 0), 0, s.at("alice")))
			s.no(program.ErrBadChoice, s.openLeaf(b, 0, func(o *program.OpenLeaf) { o.Answer = 3 }))
			s.no(program.ErrNotInBatch, s.openLeaf(b, 0, func(o *program.OpenLeaf) { o.Answer = 2 }))
			s.no(program.ErrNotInBatch, s.openLeaf(b, 0, func(o *program.OpenLeaf) { o.Index = 2 }))
			s.no(program.ErrNotInBatch, s.openLeaf(b, 0, func(o *program.OpenLeaf) { o.Path = o.Path[:33] }))
			s.ok(s.openLeaf(b, 0))
			s.ok(s.openLeaf(b, 2)) // void
			s.pass(43_200)
			s.no(program.ErrTooLate, s.openLeaf(b, 1))
			s.ok(s.closeBatch(b))
		},
		"challenged": func(s *scene) {
			s.proctored(7)
			b := s.batched(voting.Accept, voting.Reject)
			s.rightly(b)
			s.openAll(b)
			lost := s.challenged(b, 0, voting.Reject)
			s.no(program.ErrNotFalse, s.uphold(b, 0, lost))
			won := s.challenged(b, 0, voting.Accept)
			s.no(program.ErrNotFalse, s.uphold(b, 1, won))
			s.no(program.ErrNotInBatch, with(s.uphold(b, 0, won), s.uphold(b, 1, won).Data))
			s.no(program.ErrNotGolden, swap(swap(s.uphold(b, 0, won), 1, lost.at), 2, s.prog.Case(lost.at)))
			s.ok(s.uphold(b, 0, won))
		},
		"late": func(s *scene) {
			s.proctored(7)
			b := s.batched(voting.Accept, voting.Reject)
			s.rightly(b)
			s.openAll(b)
			k := s.challenged(b, 1, voting.Accept)
			s.ok(s.pause(1))
			s.pass(14_400)
			s.no(program.ErrPaused, s.apply(b, 0))
			s.ok(s.pause(0))
			s.no(program.ErrTooEarly, s.apply(b, 0))
			s.pass(14_400)
			s.ok(s.apply(b, 0))
			s.no(program.ErrTooLate, s.uphold(b, 1, k))
		},
		"failed": func(s *scene) {
			s.proctored(7)
			for range 2 { // out of balance, and not open
				b := s.batched(voting.Reject, voting.Reject)
				s.judge(b, 0, voteAll(voting.Reject))
				s.ok(s.openLeaf(b, 0))
				s.no(program.ErrTooEarly, s.closeBatch(b))
				if b.number == 0 {
					s.ok(s.openLeaf(b, 1))
				}
				s.pass(14_400)
				s.no(program.ErrBatchIncomplete, s.apply(b, 0))
				if b.number == 1 {
					s.pass(28_800)
				}
				s.ok(s.closeBatch(b))
			}
		},
		"paused": func(s *scene) {
			s.proctored(7)
			b := s.batched(voting.Accept, voting.Reject)
			s.ok(s.pause(1))
			s.pass(4_320)
			s.ok(s.pause(0))
			s.openAll(b) // void
			s.ok(s.closeBatch(b))
			b = s.batched(voting.Accept, voting.Reject)
			s.ok(s.pause(1))
			s.pass(4_320)
			s.ok(s.pause(0))
			s.ok(s.openLeaf(b, 0)) // and not the other one
			s.pass(38_880)
			s.ok(s.closeBatch(b))
		},
		"not judged": func(s *scene) {
			s.proctored(7)
			b := s.batched(voting.Accept, voting.Reject)
			s.judge(b, 0, voteAll(voting.Accept))
			k := s.contested(b.sealed(1))
			s.pass(1_800)
			s.ok(s.expireCase(k))
			s.openAll(b)
			s.pass(14_400)
			s.ok(s.apply(b, 1))
			s.ok(s.apply(b, 0))
			s.ok(s.closeBatch(b))
		},
		"novices": func(s *scene) {
			s.proctored(12, apart)
			for _, proven := range []int{12, 8, 7, 6} {
				s.proven()
				r := s.roster()
				for i := range r.Entries[proven:] {
					e := &r.Entries[proven+i]
					e.Seen, e.Right, e.Wrong, e.Owned, e.Stake = 5, 5, 0, e.Owned&^program.OwnProven, sol/2+uint64(i)*sol/4
				}
				s.set(s.prog.Roster(), r)
				s.weighed()
			}
		},
		"credential": func(s *scene) {
			s.proctored(10, func(p *program.Params) { p.Credential = 1 })
			for _, bad := range []int{2, 5} {
				r := s.roster()
				for i := range r.Entries {
					e := &r.Entries[i]
					e.Right, e.Wrong, e.Seen, e.Owned = 13, 7, 20, e.Owned|program.OwnProven
					if i < bad {
						e.Right, e.Wrong = 12, 8
					}
				}
				s.set(s.prog.Roster(), r)
				s.weighed()
			}
		},
	}
}

// siegeOfBatches uses every instruction of golden cases.
func (s *scene) siegeOfBatches() {
	s.t.Helper()
	s.fund("pat", 100*sol)
	by := s.config().Authority
	s.ok(s.prog.AdmitProctor(by, program.AdmitProctor{Proctor: s.at("pat")}))
	s.ok(s.prog.RevokeProctor(by, s.at("pat"), by))
	s.ok(s.prog.AdmitProctor(by, program.AdmitProctor{Proctor: s.at("pat")}))
	s.allow(5, sol)
	b := s.batched(voting.Accept, voting.Reject)
	s.rightly(b)
	s.openAll(b)
	s.pass(14_400)
	for i := range b.leaves {
		s.ok(s.apply(b, i))
	}
	s.ok(s.closeBatch(b))
	b = s.batched(voting.Accept, voting.Reject, voting.Accept)
	s.judge(b, 0, voteAll(voting.Accept))
	s.ok(s.openLeaf(b, 0))
	s.ok(s.openLeaf(b, 1)) // void
	s.ok(s.contest(b, 0, s.challenged(b, 0, voting.Accept, seven)))
	s.ok(s.uphold(b, 0, s.challenged(b, 0, voting.Accept)))
}
