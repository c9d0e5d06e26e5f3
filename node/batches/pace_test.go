package batches

import (
	"crypto/sha256"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"ojud/golden/proctor"
	"ojud/ledger/law"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

// params are rules under which there are batches.
func params() program.Params {
	p := program.DefaultParams()
	p.BatchSeconds, p.ChallengeSeconds, p.AppealSeconds = 43_200, 14_400, 3_600
	return p
}

// TestPace: whatever is drawn, every case begins early enough to end before the batch has to be
// open, also if others are slower, and the tasks are posted in their order.
func TestPace(t *testing.T) {
	p := params()
	for n := range uint64(200) {
		span := window(p)
		if n%2 == 1 {
			span = int64(n)
		}
		if span < 1 {
			t.Fatalf("a batch has %d s, and nothing of it can be posted", p.BatchSeconds)
		}
		all := pace(rand.New(rand.NewPCG(n, 1)), 40, span)
		var slow habits
		for range fewest * int(n%2) {
			slow = append(slow, habit{claim: 1 << 40, submit: 1 << 40, object: 1 << 40, answer: 1 << 40})
		}
		for i, one := range all {
			one = slow.pace(one, span)
			if last := one.post + one.claim + one.submit + one.object + one.answer; last > span || span+longest(p) > int64(p.BatchSeconds) {
				t.Fatalf("leaf %d is before the court after %d of %d s: %+v", i, last, span, one)
			}
			if i > 0 && one.post < all[i-1].post {
				t.Errorf("leaf %d is posted before the one before it", i)
			}
		}
	}
}

// TestAttackDepositLostByAnAppeal: a stranger that knows a golden case wants the deposit of its
// batch. The case takes as long as the rules permit: each level uses up all rounds, and the loser
// appeals in the last second. The last case that is posted still ends before the batch has to be
// open. A batch without this time is not committed (see fits).
func TestAttackDepositLostByAnAppeal(t *testing.T) {
	p := params()
	round := int64(p.DrawSeconds) + int64(p.CommitSeconds) + int64(p.RevealSeconds)
	for _, c := range []struct {
		appeal uint32
		levels int64
	}{{0, 1}, {3_600, 2}, {7_200, 2}} {
		p.AppealSeconds = c.appeal
		takes := c.levels*int64(p.MaxRounds)*round + int64(c.appeal)
		if got := longest(p); got != takes {
			t.Errorf("with %d s to appeal a case takes %d s, and %d are counted", c.appeal, takes, got)
		}
		if left := int64(p.BatchSeconds) - window(p) - takes; left < int64(p.BatchSeconds)/20 {
			t.Errorf("with %d s to appeal, %d s are left to open the leaves of %d", c.appeal, left, p.BatchSeconds)
		}
	}
	p.BatchSeconds = uint32(longest(p))
	if window(p) >= 1 {
		t.Errorf("a batch of %d s is committed, and one case may take as long", p.BatchSeconds)
	}
}

// batch makes a batch of a test in a new directory.
func batch(t *testing.T, leaves int, seed string) *proctor.Batch {
	t.Helper()
	plan := proctor.DefaultPlan()
	plan.Leaves, plan.Seed = leaves, sha256.Sum256([]byte(seed))
	p := program.New(onchain.Address{1})
	plan.Place = func(leaf int) proctor.Location {
		return proctor.Location{Creator: voting.Key{2}, Number: uint64(leaf), Task: voting.Key(p.Task(onchain.Address{2}, uint64(leaf)))}
	}
	b, err := proctor.Make(plan)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestAttackTimesForetold: a judge that knows everything about a batch but its seeds wants to know
// which tasks of its creator are golden by the times of their steps. They follow from the seeds
// alone, and those of a proctor that starts again are the same.
func TestAttackTimesForetold(t *testing.T) {
	one, dir := batch(t, 12, "one"), filepath.Join(t.TempDir(), "batch")
	if err := one.Save(dir); err != nil {
		t.Fatal(err)
	}
	again, err := proctor.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	p := params()
	draw := func(b *proctor.Batch) []times { return pace(b.Chance(), 12, window(p)) }
	if !slices.Equal(draw(one), draw(again)) {
		t.Error("a proctor that starts again has other times")
	}
	if slices.Equal(draw(one), draw(batch(t, 12, "another"))) {
		t.Error("batches with other seeds have the same times")
	}
}

// TestAttackClaimHeld: a stranger claims a task of a batch and does nothing, or a pause keeps it on
// the market, until the batch has to be open. The leaf waited for a case, the batch was not open in
// time, and the deposit was lost. Now it is opened as void when no case can follow.
func TestAttackClaimHeld(t *testing.T) {
	made, p := batch(t, 2, "held"), params()
	round := int64(p.DrawSeconds) + int64(p.CommitSeconds) + int64(p.RevealSeconds)
	leaf := made.Leaves()[0]
	for _, c := range []struct {
		status program.TaskStatus
		left   int64
		waits  bool
	}{
		{program.Created, round + 1, true}, {program.Created, round, false}, {program.Claimed, round + 1, true},
		{program.InProgress, 1, false}, {program.Verification, 1, true}, {program.Judiciary, 1, true},
	} {
		task := &program.Task{
			Status: c.status, Seal: leaf.Hash(), TaskHash: leaf.Task, ResultHash: leaf.Result, ObjectionHash: leaf.Objection, CounterHash: leaf.Counter,
		}
		r := &reading{
			law: &law.Rules{Time: 100, Now: &program.Rules{Params: p}}, batch: &program.Batch{OpenBy: 100 + c.left},
			tasks: []*program.Task{task}, cases: make([]*program.Case, 1),
		}
		openable, waiting := (&Life{leaves: made.Leaves()[:1]}).sorted(r)
		if got := len(waiting) == 1; got != c.waits || len(openable)+len(waiting) != 1 {
			t.Errorf("%s with %d s left: %d leaves wait, and %d can be opened", c.status, c.left, len(waiting), len(openable))
		}
	}
}

// TestSteps: how far a leaf is follows from the chain alone. Whatever strangers did to its task, it
// is not taken for a golden case.
func TestSteps(t *testing.T) {
	leaf := batch(t, 2, "steps").Leaves()[0]
	ours := func(who onchain.Address) bool { return who == onchain.Address{3} }
	whole := program.Task{
		Seal: leaf.Hash(), TaskHash: leaf.Task, ResultHash: leaf.Result, ObjectionHash: leaf.Objection, CounterHash: leaf.Counter, Worker: onchain.Address{3}, CreatedAt: 10,
	}
	over := &program.Case{Status: voting.Decided}
	for name, c := range map[string]struct {
		want   step
		change func(r *reading, t *program.Task)
	}{
		"on the market":          {posted, func(_ *reading, t *program.Task) { t.Status = program.Created }},
		"claimed":                {claimed, func(_ *reading, t *program.Task) { t.Status = program.Claimed }},
		"started":                {claimed, func(_ *reading, t *program.Task) { t.Status = program.InProgress }},
		"claimed by a stranger":  {taken, func(_ *reading, t *program.Task) { t.Status, t.Worker = program.Claimed, onchain.Address{4} }},
		"a stranger's result":    {lost, func(_ *reading, t *program.Task) { t.Status, t.ResultHash = program.Verification, voting.Hash{1} }},
		"submitted":              {submitted, func(_ *reading, t *program.Task) { t.Status = program.Verification }},
		"objected":               {objected, func(_ *reading, t *program.Task) { t.Status = program.Disputed }},
		"a stranger's objection": {lost, func(_ *reading, t *program.Task) { t.Status, t.ObjectionHash = program.Disputed, voting.Hash{1} }},
		"before the court":       {judging, func(_ *reading, t *program.Task) { t.Status = program.Judiciary }},
		"its verdict can be appealed": {judging, func(r *reading, t *program.Task) {
			t.Status, r.cases[0] = program.Judiciary, &program.Case{Status: voting.Appealable, Level: 1, AppealBy: 99}
		}},
		"appealed, and judged again": {judging, func(r *reading, t *program.Task) {
			t.Status, r.cases[0] = program.Judiciary, &program.Case{Status: voting.Committing, Level: 2, AppealBy: 99, AppealSeats: 7}
		}},
		"decided by the appeal": {decided, func(r *reading, t *program.Task) {
			t.Status, r.cases[0] = program.Complete, &program.Case{Status: voting.Decided, Level: 2, AppealBy: 99, AppealSeats: 7}
		}},
		"decided":             {decided, func(r *reading, t *program.Task) { t.Status, r.cases[0] = program.Complete, over }},
		"over without a case": {lost, func(_ *reading, t *program.Task) { t.Status = program.Complete }},
		"paid by silence": {lost, func(r *reading, t *program.Task) {
			t.Status, t.CounterHash, r.cases[0] = program.Complete, voting.Hash{}, over
		}},
		"another task at the number": {lost, func(_ *reading, t *program.Task) { t.Status, t.Seal = program.Created, voting.Hash{1} }},
		"older than the batch": {lost, func(r *reading, t *program.Task) {
			t.Status, r.batch = program.Created, &program.Batch{CommittedAt: 11}
		}},
		"not posted": {unposted, func(r *reading, _ *program.Task) { r.tasks[0] = nil }},
		"its number is used up": {lost, func(r *reading, _ *program.Task) {
			r.tasks[0], r.agents[onchain.Address(leaf.Creator)] = nil, &program.Agent{TasksCreated: leaf.Number + 1}
		}},
		"open": {open, func(r *reading, t *program.Task) {
			r.batch, t.Status, r.cases[0] = &program.Batch{Open: voting.Hash{1}}, program.Complete, &program.Case{Golden: leaf.Answer}
		}},
		"applied": {applied, func(r *reading, t *program.Task) {
			r.batch, t.Status, r.cases[0] = &program.Batch{Open: voting.Hash{1}}, program.Complete, &program.Case{Golden: leaf.Answer, Applied: 1}
		}},
		"open and void": {void, func(r *reading, t *program.Task) {
			r.batch, t.Status = &program.Batch{Open: voting.Hash{1}}, program.Complete
		}},
	} {
		task := whole
		r := &reading{tasks: []*program.Task{&task}, cases: make([]*program.Case, 1), agents: map[onchain.Address]*program.Agent{}}
		c.change(r, &task)
		if got := r.step(0, leaf, ours); got != c.want {
			t.Errorf("%s: %s, wanted %s", name, got, c.want)
		}
	}
}
