package client

import (
	"errors"
	"strings"
	"testing"
	"time"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/client/advice"
	"ojud/node/library"
	"ojud/p2p/p2ptest"
	"ojud/voting"
)

// FuzzDecider: what is read as an engine is written as it was read.
func FuzzDecider(f *testing.F) {
	for _, text := range []string{
		"ojusigners111111111111111111111111111111111", "ojusigners111111111111111111111111111111111/9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin",
		"/", "11111111111111111111111111111111", "ojusigners111111111111111111111111111111111/", "a/b/c",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		by, err := ParseDecider(text)
		if err == nil && (by.Program.IsZero() || by.String() != strings.TrimSpace(text)) {
			t.Errorf("%q is %q", text, by)
		}
	})
}

// TestSilentEngine: a worker claims a task with a foreign engine only if it has listed that engine.
// The engine says nothing in its time, and the court takes the task.
func TestSilentEngine(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		w := newWorld(t, nil)
		w.judges(3)
		creator, worker := w.agent(20), w.agent(21)
		ctx, done, engine := t.Context(), ok[TaskDone](t), onchain.Address{7}
		offer := terms()
		offer.Engine = Engine{Decider: Decider{Program: engine}, Seconds: 3600}
		created := done(creator.CreateTask(ctx, load(t, library.TaskFile, example("eleptiger.task")), offer, false))
		task := key(t, created.Task.Task)
		review := ok[advice.Review](t)(worker.ReviewTask(ctx, task))
		if len(review.Warnings) == 0 || !strings.Contains(review.Warnings[0].Why, engine.String()) {
			t.Errorf("the review: %+v", review)
		}
		if _, err := worker.Claim(ctx, task, 0, true); !errors.Is(err, errNotNow) || !strings.Contains(err.Error(), "--allow-engine "+engine.String()) {
			t.Errorf("claimed with an engine that is not listed: %v", err)
		}
		done(worker.Claim(ctx, task, 0, true, Trust{Decider: Decider{Program: engine}}))
		done(worker.Submit(ctx, task, load(t, library.ResultFile, file(t, "bad.json", `{"painting":"x"}`))))
		objection, _, err := library.WriteObjection("The result does not match the schema.", nil)
		if err != nil {
			t.Fatal(err)
		}
		done(creator.Object(ctx, task, objection))
		countered := done(worker.CounterObject(ctx, task, load(t, library.CounterObjectionFile, example("counter"))))
		if m := countered.Task.Move; m.Who != roleAnyone || !strings.Contains(m.What, engine.String()) || m.By == 0 {
			t.Errorf("the next move: %+v", m)
		}
		if _, err := SettleByEngine(ctx, creator, task); !errors.Is(err, errNotNow) || !strings.Contains(err.Error(), "has not decided") {
			t.Errorf("settled without a verdict: %v", err)
		}
		w.warp(time.Hour)
		if d := done(SettleByEngine(ctx, creator, task)); d.Result != "landed" || d.Task.Status != "judiciary" || d.Task.Move.Who != roleCourt {
			t.Errorf("the engine was silent: %+v", d)
		}
		w.checkWatch(creator, task)
		if _, err := SettleByEngine(ctx, creator, task); !errors.Is(err, errNotNow) {
			t.Errorf("settled after the verdict of the court: %v", err)
		}
	})
}

// TestAttackTermsOfAGoodEngine: a creator names an engine that the worker trusts, on terms of its
// own: a fee for its second key, no time to decide, or a silence that gives it the work. To trust
// an engine is not to take such terms.
func TestAttackTermsOfAGoodEngine(t *testing.T) {
	t.Parallel()
	by, second, fee := Decider{Program: onchain.Address{7}, Group: onchain.Address{8}}, onchain.Address{9}, Lamports(0)
	rules := program.Params{CommitSeconds: 420, RevealSeconds: 180}
	fair := program.Task{
		RewardMin: 1000, OnUndecided: voting.SplitEscrow, Engine: by.Program, EngineGroup: by.Group, EngineFee: 100, EngineAgent: second, EngineSeconds: 600,
	}
	for name, c := range map[string]struct {
		terms func(*program.Task)
		list  []Trust
		says  string // empty: it is claimed
	}{
		"fair terms":              {func(*program.Task) {}, []Trust{{Decider: by}}, ""},
		"the court decides":       {func(t *program.Task) { *t = program.Task{} }, nil, ""},
		"not on the list":         {func(*program.Task) {}, nil, "not on your list"},
		"another group":           {func(*program.Task) {}, []Trust{{Decider: Decider{by.Program, second}}}, "not on your list"},
		"all bonds are the fee":   {func(t *program.Task) { t.EngineFee = 1 << 62 }, []Trust{{Decider: by}}, "you allow 0.0000001 SOL at most"},
		"one lamport more":        {func(t *program.Task) { t.EngineFee++ }, []Trust{{Decider: by}}, "its fee is 0.000000101 SOL"},
		"a fee, and none allowed": {func(*program.Task) {}, []Trust{{Decider: by, Fee: &fee}}, "you allow 0"},
		"the second key":          {func(*program.Task) {}, []Trust{{Decider: by, Agent: onchain.Address{1}}}, "goes to the agent " + second.String()},
		"the agent of the list":   {func(*program.Task) {}, []Trust{{Decider: by, Agent: second}}, ""},
		"no fee at all":           {func(t *program.Task) { t.EngineFee, t.EngineAgent = 0, onchain.Address{} }, []Trust{{Decider: by, Agent: second}}, ""},
		"no time":                 {func(t *program.Task) { t.EngineSeconds = 599 }, []Trust{{Decider: by}}, "it has 9m59s to decide, and you demand 10m0s"},
		"less than a day":         {func(*program.Task) {}, []Trust{{Decider: by, Seconds: 86_400}}, "you demand 24h0m0s"},
		"a short time is allowed": {func(t *program.Task) { t.EngineSeconds = 60 }, []Trust{{Decider: by, Seconds: 60}}, ""},
		"silence refunds": {func(t *program.Task) { t.OnSilence, t.OnUndecided = program.EndByTerm, voting.RefundCreator }, []Trust{{Decider: by}},
			"the creator has your work for nothing"},
		"silence splits":         {func(t *program.Task) { t.OnSilence = program.EndByTerm }, []Trust{{Decider: by}}, ""},
		"the court may refund":   {func(t *program.Task) { t.OnUndecided = voting.RefundCreator }, []Trust{{Decider: by}}, ""},
		"another entry takes it": {func(t *program.Task) { t.EngineSeconds = 60 }, []Trust{{Decider: by}, {Decider: by, Seconds: 60}}, ""},
		"all terms are taken":    {func(t *program.Task) { t.EngineFee, t.EngineSeconds = 1<<62, 60 }, []Trust{{Decider: by, AnyTerms: true}}, ""},
		"all terms, not anybody": {func(t *program.Task) { t.EngineGroup = second }, []Trust{{Decider: by, AnyTerms: true}}, "not on your list"},
	} {
		task := fair
		c.terms(&task)
		if why, fix := refusal(&task, rules, c.list); (why == "") != (c.says == "") || !strings.Contains(why, c.says) || (fix == "") != (why == "") {
			t.Errorf("%s: %q, %q", name, why, fix)
		}
	}
}

// TestAttackSilenceIsTheCreators: the creator keeps the silence of an honest engine for itself, and
// would give it a minute. The client posts no such minute, the review says what silence means, and
// a worker that trusts the engine does not claim the task.
func TestAttackSilenceIsTheCreators(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		w := newWorld(t, nil)
		creator, worker := w.agent(20), w.agent(21)
		ctx, doc, engine := t.Context(), load(t, library.TaskFile, example("eleptiger.task")), Decider{Program: onchain.Address{7}, Group: onchain.Address{8}}
		offer := terms()
		offer.OnUndecided, offer.Engine = "refund", Engine{Decider: engine, Seconds: 60, ByTerm: true}
		if _, err := creator.CreateTask(ctx, doc, offer, false); err == nil || !strings.Contains(err.Error(), "the engine has 1m0s") {
			t.Errorf("posted: %v", err)
		}
		offer.Engine.Seconds = 600
		warned := func(r advice.Review) bool {
			all := ""
			for _, w := range r.Warnings {
				all += w.Term + ": " + w.Why + "\n"
			}
			return strings.Contains(all, "if it says nothing in that time, the creator gets the whole reward back, has your work and loses its bond") &&
				strings.Contains(all, "engine not allowed: the engine "+engine.String()+" is on your list, but not on these terms: if it says nothing")
		}
		if r := ok[advice.Review](t)(creator.ReviewOffer(ctx, doc, offer)); !warned(r) {
			t.Errorf("of the offer: %+v", r)
		}
		posted, err := creator.CreateTask(ctx, doc, offer, false)
		if err != nil && !errors.Is(err, library.ErrNotPublished) { // no node runs
			t.Fatal(err)
		}
		task := key(t, posted.Task.Task)
		if r := ok[advice.Review](t)(worker.ReviewTask(ctx, task, Trust{Decider: engine})); !warned(r) {
			t.Errorf("of the task: %+v", r)
		}
		refused[TaskDone](t, errNotNow, "not on these terms", "--allow-engine-terms")(worker.Claim(ctx, task, 0, true, Trust{Decider: engine}))
		refused[TaskDone](t, errNotNow, "0 judges and a panel needs 3")(worker.Claim(ctx, task, 0, true, Trust{Decider: engine, AnyTerms: true}))
	})
}

// TestAttackVerdictLeftLying: two of three signers decide for the worker in the last minute of the
// engine's time. Their silence would be the creator's, and nobody else uses the verdict. The
// signature that decides settles.
func TestAttackVerdictLeftLying(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		w := newWorld(t, nil)
		w.judges(3)
		creator, worker, first, last := w.agent(20), w.agent(21), w.agent(22), w.agent(23)
		ctx, done := t.Context(), ok[TaskDone](t)
		made := ok[EngineDone](t)(CreateSigners(ctx, first, onchain.Address{}, 2, first.self, last.self, creator.self))
		by := ok[Decider](t)(ParseDecider(made.Signers.Engine))
		offer := terms()
		offer.OnUndecided, offer.Engine = "refund", Engine{Decider: by, Seconds: 3600, ByTerm: true, Fee: 1000, Agent: first.self}
		task := key(t, done(creator.CreateTask(ctx, load(t, library.TaskFile, example("eleptiger.task")), offer, false)).Task.Task)
		refused[EngineDone](t, errNotNow, "no engine decides this task now")(SignVerdict(ctx, last, task, "accept")) // words before the dispute
		done(worker.Claim(ctx, task, 0, true, Trust{Decider: by, AnyTerms: true}))
		done(worker.Submit(ctx, task, load(t, library.ResultFile, file(t, "bad.json", `{"painting":"x"}`))))
		objection, _, err := library.WriteObjection("No.", nil)
		if err != nil {
			t.Fatal(err)
		}
		done(creator.Object(ctx, task, objection))
		done(worker.CounterObject(ctx, task, load(t, library.CounterObjectionFile, example("counter"))))
		w.warp(59 * time.Minute)
		if d := ok[EngineDone](t)(SignVerdict(ctx, first, task, "accept")); d.Settled || d.Signers.Verdict != "" {
			t.Errorf("one of three: %+v", d)
		}
		if d := ok[EngineDone](t)(SignVerdict(ctx, last, task, "accept")); !d.Settled || d.Signers.Verdict != "accept" {
			t.Errorf("two of three: %+v", d)
		}
		if v := ok[TaskView](t)(worker.Task(ctx, task)); v.Status != "complete" || v.Outcome != "paid" {
			t.Errorf("the task is %s, %s", v.Status, v.Outcome)
		}
	})
}
