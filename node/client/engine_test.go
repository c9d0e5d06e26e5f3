package client

import (
	"errors"
	"strings"
	"testing"
	"time"

	"ojud/ledger/onchain"
	"ojud/node/library"
	"ojud/p2p/p2ptest"
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
		review := ok[Review](t)(worker.ReviewTask(ctx, task))
		if len(review.Warnings) == 0 || !strings.Contains(review.Warnings[0].Why, engine.String()) {
			t.Errorf("the review: %+v", review)
		}
		if _, err := worker.Claim(ctx, task, 0, true); !errors.Is(err, errNotNow) || !strings.Contains(err.Error(), "--allow-engine "+engine.String()) {
			t.Errorf("claimed with an engine that is not listed: %v", err)
		}
		done(worker.Claim(ctx, task, 0, true, Decider{Program: engine}))
		done(worker.Submit(ctx, task, load(t, library.ResultFile, example("bad.result"))))
		objection, _, err := library.WriteObjection("It is not ASCII.", nil)
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
