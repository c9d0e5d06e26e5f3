package sequence_test

import (
	"crypto/sha256"
	"maps"
	"slices"

	"ojud/golden"
	"ojud/ledger/program"
	"ojud/voting"
)

// plan is what a proctor knows of a batch. It never changes.
type plan struct {
	proctor key
	leaves  []golden.Leaf
	proofs  []golden.Proof
}

// planned returns the leaf of a task, and whether there is one.
func (a *arena) planned(task key) (leaf golden.Leaf, there bool) {
	for _, n := range slices.Sorted(maps.Keys(a.plans)) {
		for _, l := range a.plans[n].leaves {
			if key(l.Address) == task {
				leaf, there = l, true
			}
		}
	}
	return leaf, there
}

// document returns the hash of a document of a task: mostly the one of its leaf, if it has one.
func (a *arena) document(task key, of func(golden.Leaf) voting.Hash) voting.Hash {
	if l, there := a.planned(task); there && a.r.IntN(20) != 0 {
		return of(l)
	}
	return a.hash()
}

// asking returns the hash of the question of some leaf that is open.
func (a *arena) asking() (voting.Hash, bool) {
	for _, at := range a.tasks() {
		if k, l, there := a.suspect(at); there && k.Applied == 0 {
			return sha256.Sum256(l.Question()), true
		}
	}
	return voting.Hash{}, false
}

// suspect returns the golden case of a task, and its leaf.
func (a *arena) suspect(at key) (k *program.Case, l golden.Leaf, there bool) {
	if k = a.caseOf(at); k == nil || k.Golden == 0 || get[program.Task](a, at) == nil {
		return nil, l, false
	}
	l, there = a.planned(at)
	return k, l, there
}

// batches returns the batches that run, by number.
func (a *arena) batches() (all []*program.Batch) {
	for _, n := range slices.Sorted(maps.Keys(a.plans)) {
		if b := get[program.Batch](a, a.at(place{kind: "batch", n: n})); b != nil {
			all = append(all, b)
		}
	}
	return all
}

// golden returns a call about golden cases.
func (a *arena) golden() *call {
	proctor := a.person("mallory")
	if get[program.Proctor](a, a.at(place{kind: "proctor", a: proctor})) == nil || a.r.IntN(30) == 0 {
		return a.admitting(proctor)
	}
	all := a.batches()
	if len(all) == 0 || a.r.IntN(12) == 0 {
		return a.committed(proctor)
	}
	b := pick(a, all...)
	w := who{batch: b.Number, wallet: b.Proctor}
	switch n := a.r.IntN(10); {
	case b.Opened < b.Leaves && n < 8:
		return a.opened(b)
	case b.Fair() && n < 7:
		a.until(b.ApplyFrom(a.config()))
		return a.applied(b)
	case n < 9:
		return a.upheld(b)
	case b.Fair():
		a.until(b.KeepUntil)
	case b.Opened < b.Leaves:
		a.until(b.OpenBy)
	}
	return a.call(&program.CloseBatch{}, w)
}

func (a *arena) admitting(proctor key) *call {
	w := who{actor: a.config().Authority, proctor: proctor}
	if w.actor.IsZero() {
		w.actor = a.somebody()
	}
	if v := get[program.Proctor](a, a.at(place{kind: "proctor", a: proctor})); v != nil {
		w.wallet = v.Payer
		return a.call(&program.RevokeProctor{}, w)
	}
	return a.call(&program.AdmitProctor{Proctor: proctor}, w)
}

// committed commits to two to four leaves, whose tasks will be the next ones of an agent.
func (a *arena) committed(proctor key) *call {
	pot, creator, law := get[program.Pot](a, a.at(place{kind: "pot"})), a.someAgent(), a.law()
	p := &plan{proctor: proctor}
	for n := range uint64(pick(a, 2, 2, 2, 3, 4)) {
		at := a.at(place{kind: "task", a: creator, n: a.agentOf(creator).TasksCreated + n})
		l := golden.Leaf{
			Address: voting.Key(at), Task: a.hash(), Result: a.hash(), Objection: a.hash(), Counter: a.hash(),
			Answer: voting.Choice(1 + n%2), Generator: voting.Hash{7},
		}
		l.Task[2] = byte(n)
		l.Seed = sha256.Sum256(append(l.Task[:], at[:]...))
		p.leaves = append(p.leaves, l)
	}
	root, proofs, err := golden.Commit(p.leaves)
	if err != nil {
		panic(err) // of leaves that are always the same but for their hashes
	}
	p.proofs = proofs
	if a.plans[pot.Batches] == nil { // else a call before was refused; its leaves may be in tasks
		a.plans[pot.Batches] = p
	} else {
		p = a.plans[pot.Batches]
		if root, _, err = golden.Commit(p.leaves); err != nil {
			panic(err)
		}
	}
	least, err := law.Law().Deposit(uint64(len(p.leaves)), 0)
	if err != nil {
		least = sol
	}
	return a.call(&program.CommitBatch{Root: root, Leaves: uint32(len(p.leaves)), Deposit: least * uint64(pick(a, 1, 1, 1, 20))}, who{actor: proctor, batch: pot.Batches})
}

// opened opens a leaf. It waits for a case that is not over.
func (a *arena) opened(b *program.Batch) *call {
	p, n := a.plans[b.Number], 0
	for i := range p.leaves {
		if b.Open[i/8]>>(i%8)&1 == 0 {
			n = i
			t := get[program.Task](a, key(p.leaves[i].Address))
			if t == nil && b.OpenBy > a.now()+3_600 && a.r.IntN(10) != 0 {
				return a.made(key(p.leaves[i].Address))
			}
			if t != nil && !t.Status.Over() && a.r.IntN(30) != 0 {
				return a.forward(key(p.leaves[i].Address))
			}
			break
		}
	}
	l := p.leaves[n]
	o := &program.OpenLeaf{
		Index: uint32(n), TaskHash: l.Task, ResultHash: l.Result, ObjectionHash: l.Objection, CounterHash: l.Counter,
		Answer: l.Answer, Generator: l.Generator, Seed: l.Seed, Path: []byte{},
	}
	for _, h := range p.proofs[n].Path {
		o.Path = append(o.Path, h[:]...)
	}
	w := who{actor: p.proctor, batch: b.Number, task: key(l.Address)}
	return a.call(o, w)
}

// made makes the task of a leaf, or the one that its creator makes before.
func (a *arena) made(at key) *call {
	for _, name := range append([]string{"both"}, a.court.agents...) {
		creator := a.person(name)
		if agent := a.agentOf(creator); agent != nil && agent.TasksCreated < 64 {
			for n := agent.TasksCreated; n < agent.TasksCreated+4; n++ {
				if a.at(place{kind: "task", a: creator, n: n}) == at {
					return a.create(creator)
				}
			}
		}
	}
	return a.besides()
}

func (a *arena) applied(b *program.Batch) *call {
	w := who{batch: b.Number}
	for _, l := range a.plans[b.Number].leaves {
		if k := a.caseOf(key(l.Address)); k != nil && (w.task.IsZero() || k.Applied == 0) {
			w.task = key(l.Address)
		}
	}
	return a.call(&program.ApplyLeaf{}, w)
}

// upheld brings a task that asks about a leaf of the batch.
func (a *arena) upheld(b *program.Batch) *call {
	if b.Opened == b.Leaves && b.Applied == 0 && a.r.IntN(4) != 0 {
		return a.denied(b)
	}
	p := a.plans[b.Number]
	l := pick(a, p.leaves...)
	w := who{batch: b.Number, golden: key(l.Address), task: key(l.Address), wallet: b.Proctor}
	for _, at := range a.tasks() {
		if t := get[program.Task](a, at); t != nil && t.TaskHash == sha256.Sum256(l.Question()) {
			if w.task = at; !t.Status.Over() {
				return a.forward(at)
			}
		}
	}
	return a.call(&program.UpholdChallenge{Generator: l.Generator, Seed: l.Seed}, w)
}

// contested is the appeal of a proctor against the verdict that one of its leaves is false; nil:
// the case is about no leaf.
func (a *arena) contested(at key, k *program.Case, t *program.Task) *call {
	for _, b := range a.batches() {
		for _, l := range a.plans[b.Number].leaves {
			if t.TaskHash == sha256.Sum256(l.Question()) {
				w := who{actor: b.Proctor, batch: b.Number, golden: key(l.Address), task: at, wallet: b.Proctor}
				return a.call(&program.AppealChallenge{Generator: l.Generator, Seed: l.Seed}, w)
			}
		}
	}
	return nil
}

// resultOf returns the result of a task: of a question, mostly that the leaf is false.
func (a *arena) resultOf(at key, t *program.Task) voting.Hash {
	for _, other := range a.tasks() {
		if _, l, there := a.suspect(other); there && t.TaskHash == sha256.Sum256(l.Question()) && a.r.IntN(6) != 0 {
			return sha256.Sum256(golden.Denial())
		}
	}
	return a.document(at, func(l golden.Leaf) voting.Hash { return l.Result })
}

// straight brings a batch to its end, without detours: every leaf is posted and judged in time.
// With a lie, a case finds that the first leaf is false.
func (a *arena) straight(lie bool) *call {
	all := a.batches()
	proctor := a.person("mallory")
	switch {
	case get[program.Proctor](a, a.at(place{kind: "proctor", a: proctor})) == nil:
		return a.admitting(proctor)
	case len(all) == 0:
		c := a.committed(proctor)
		if i, ok := c.ix.(*program.CommitBatch); ok {
			i.Deposit *= 20 // for panels of appeals, too
		}
		return c
	}
	b := all[0]
	for _, l := range a.plans[b.Number].leaves {
		at := key(l.Address)
		if t := get[program.Task](a, at); t == nil {
			return a.made(at)
		} else if !t.Status.Over() {
			return a.along(at, t, l.Answer)
		}
	}
	switch {
	case b.Opened < b.Leaves:
		return a.opened(b)
	case lie && b.Applied == 0:
		return a.denied(b)
	case b.Fair() && b.Applied < b.Opened-b.Void:
		if d := b.ApplyFrom(a.config()) - a.now(); d > 0 {
			a.pass(d, uint64(d)*5/2)
		}
		return a.applied(b)
	}
	return a.call(&program.CloseBatch{}, who{batch: b.Number, wallet: b.Proctor})
}

// denied brings the task that asks about the first leaf that is not void to its verdict, and its
// verdict to the batch.
func (a *arena) denied(b *program.Batch) *call {
	leaves := a.plans[b.Number].leaves
	l := leaves[max(0, slices.IndexFunc(leaves, func(l golden.Leaf) bool {
		k := a.caseOf(key(l.Address))
		return k != nil && k.Golden != 0
	}))]
	w := who{batch: b.Number, golden: key(l.Address), wallet: b.Proctor}
	for _, at := range a.tasks() {
		t := get[program.Task](a, at)
		if t == nil || t.TaskHash != sha256.Sum256(l.Question()) {
			continue
		}
		if !t.Status.Over() {
			return a.along(at, t, voting.Accept)
		}
		if w.task = at; t.Outcome == voting.Paid && (t.Resolution == program.ByVerdict || a.r.IntN(4) == 0) {
			return a.call(&program.UpholdChallenge{Generator: l.Generator, Seed: l.Seed}, w)
		}
	}
	creator := a.someAgent()
	c := a.create(creator)
	if i, ok := c.ix.(*program.CreateTask); ok {
		i.TaskHash, i.RewardMin, i.RewardMax, i.Auction, i.AuctionSeconds, i.ClaimBy, i.Seats, i.FeeMin = sha256.Sum256(l.Question()), a.law().MinReward, a.law().MinReward, 0, 0, 0, 0, 0
	}
	return c
}

// along is the next step of a task to its verdict. All judges vote the same.
func (a *arena) along(at key, t *program.Task, choice voting.Choice) *call {
	w := who{actor: t.Worker, task: at}
	l, leaf := a.planned(at)
	if !leaf {
		l = golden.Leaf{Objection: a.hash(), Counter: a.hash()}
	}
	switch t.Status {
	case program.Created:
		for w.actor = a.someAgent(); w.actor == t.Creator || w.actor == t.LastWorker; {
			w.actor = a.someAgent()
		}
		return a.call(&program.ClaimTask{}, w)
	case program.Claimed:
		return a.call(&program.StartTask{}, w)
	case program.InProgress:
		if leaf {
			return a.call(&program.SubmitResult{ResultHash: l.Result}, w)
		}
		return a.call(&program.SubmitResult{ResultHash: sha256.Sum256(golden.Denial())}, w)
	case program.Verification:
		return a.call(&program.Object{ObjectionHash: l.Objection}, who{actor: t.Creator, task: at})
	case program.Disputed:
		return a.call(&program.CounterObject{CounterHash: l.Counter}, w)
	}
	if t.Deadline != 0 {
		return a.waiting(at, t)
	}
	k := a.caseOf(at)
	if k.Status == voting.AwaitingDraw {
		return a.awaiting(at, k)
	}
	if k.Status == voting.Appealable {
		if a.r.IntN(4) == 0 {
			return a.appealable(at, k)
		}
		if leaf && len(k.Losers(t)) == 1 {
			return a.call(&program.FinishCase{}, who{task: at, loser: k.Losers(t)[0]})
		}
		a.until(k.AppealBy)
		return a.call(&program.FinishCase{}, who{task: at})
	}
	for _, seat := range k.Seats {
		if seat.Flags == 0 && a.now() < k.CommitEnds {
			c := a.commit(at, k.Round, seat.Judge, false)
			return a.voting(c, at, k.Round, seat.Judge, choice)
		}
	}
	for _, seat := range k.Seats {
		if seat.Flags == program.SeatCommitted && a.now() < k.RevealEnds {
			return a.reveal(at, k.Round, seat.Judge)
		}
	}
	return a.call(&program.Settle{}, who{task: at})
}

// voting changes the choice of a commitment.
func (a *arena) voting(c *call, at key, round uint8, judge key, choice voting.Choice) *call {
	o := a.said[ballot{at, judge, round}]
	o.Choice = choice
	a.said[ballot{at, judge, round}] = o
	i := *c.ix.(*program.Commit)
	i.Commitment = a.domain().Commitment(voting.Key(at), round, voting.Key(judge), o)
	c.ix = &i
	return c
}
