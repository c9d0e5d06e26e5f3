package client

import (
	"errors"
	"strings"
	"testing"

	"ojud/ledger/onchain"
	"ojud/node/library"
	"ojud/p2p/p2ptest"
)

// terms returns plain terms.
func terms() Offer {
	return Offer{RewardMin: sol, RewardMax: sol, WorkSeconds: 3600, ClaimWithin: 3600, OnUndecided: "split"}
}

// key reads the address in a view.
func key(t testing.TB, text string) onchain.Address {
	t.Helper()
	k, err := onchain.ParseAddress(text)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// ok fails the test on an error and returns the value.
func ok[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// TestCourt settles a dispute of a creator, a worker and three judges through this package alone.
// It does every step twice: the second time must change and pay nothing.
func TestCourt(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		w := newWorld(t, nil)
		w.judges(3)
		creator, worker := w.agent(20), w.agent(21)
		ctx := t.Context()
		done, agentDone := ok[TaskDone](t), ok[AgentDone](t)
		if again := agentDone(creator.Register(ctx, Profile{}, 5*sol)); again.Result != "already_done" || again.Agent.Vault != 5*sol {
			t.Errorf("registering again: %+v", again)
		}

		doc := load(t, library.TaskFile, example("eleptiger.task"))
		created := done(creator.CreateTask(ctx, doc, terms(), false))
		task := key(t, created.Task.Task)
		if created.Result != "landed" || created.Task.Status != "created" || created.Published[0].Accepted != 3 {
			t.Errorf("created: %+v", created)
		}
		if again := done(creator.CreateTask(ctx, doc, terms(), false)); again.Result != "already_done" || again.Task.Task != task.String() {
			t.Errorf("created again: %+v", again)
		}
		result, counter := load(t, library.ResultFile, file(t, "bad.json", `{"painting":"x"}`)), load(t, library.CounterObjectionFile, example("counter"))
		objection, exhibits, err := library.WriteObjection("The result does not match the schema.", []string{file(t, "proof.txt", "🐘")})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			claimed := done(worker.Claim(ctx, task, 0, true))
			if claimed.Task.Status != "in progress" || claimed.Task.Worker != worker.Me() {
				t.Errorf("claimed: %+v", claimed)
			}
		}
		for range 2 {
			if d := done(worker.Submit(ctx, task, result)); d.Task.Status != "verification" || d.Task.Move.Who != "creator" {
				t.Errorf("submitted: %+v", d)
			}
		}
		for range 2 {
			d := done(creator.Object(ctx, task, objection, exhibits...))
			if d.Task.Status != "disputed" || d.Task.CreatorBond != sol/5 || len(d.Published) != 2 || d.Published[1].Accepted != 3 {
				t.Errorf("objected: %+v", d)
			}
		}
		if _, err := PublishVerdict(ctx, worker, task); !errors.Is(err, errNotNow) || !strings.Contains(err.Error(), "has no case") {
			t.Errorf("published before there is a case: %v", err)
		}
		if d := done(worker.CounterObject(ctx, task, counter)); d.Task.Status != "judiciary" || d.Task.WorkerBond != sol/10 {
			t.Errorf("counter-objected: %+v", d)
		}
		w.checkWatch(creator, task)
		w.checkEnd(creator, worker, task)
		w.checkVerdict(creator, task)
		if content, err := worker.Fetch(ctx, exhibits[0].Hash); err != nil || string(content) != "🐘" {
			t.Errorf("fetched %q, %v", content, err)
		}
		if _, err := worker.Fetch(ctx, [32]byte{1}); !errors.Is(err, library.ErrNoContent) {
			t.Errorf("fetching content that no node has: %v", err)
		}
	})
}

// checkVerdict checks that the verdict is published once, and says what the case says.
func (w *world) checkVerdict(c *Client, task onchain.Address) {
	w.t.Helper()
	ctx := w.t.Context()
	if _, err := c.Verdict(ctx, task); !errors.Is(err, errNotNow) || !strings.Contains(err.Error(), "--publish") {
		w.t.Errorf("a verdict that nobody published: %v", err)
	}
	published := ok[VerdictDone](w.t)
	first, again := published(PublishVerdict(ctx, c, task)), published(PublishVerdict(ctx, c, task))
	if first.Result != "landed" || again.Result != "already_done" {
		w.t.Errorf("published: %+v, and again: %+v", first, again)
	}
	v := ok[VerdictView](w.t)(c.Verdict(ctx, task))
	if v != first.Verdict || v.Verdict != "reject" || !v.Final || !v.Checked || v.Level != 1 || v.Weights.Reject != 6*sol ||
		v.Creator == "" || v.Worker == v.Creator || v.Reward == 0 || v.Result == "" {
		w.t.Errorf("the verdict is %+v", v)
	}
}

// checkWatch checks that Watch reports the court's work line by line.
func (w *world) checkWatch(c *Client, task onchain.Address) {
	w.t.Helper()
	var kinds []string
	last, err := c.Watch(w.t.Context(), task, func(change Change) error {
		kinds = append(kinds, change.Kind)
		return nil
	})
	got := strings.Join(kinds, " ")
	want := []string{"opened", "drawn", "committed committed committed", "revealed revealed revealed", "decided"}
	at := 0
	for _, k := range want {
		i := strings.Index(got[at:], k)
		if i < 0 {
			w.t.Errorf("%q comes not in its turn in %q", k, got)
			break
		}
		at += i
	}
	if err != nil || !last.Over || last.Verdict != "reject" || len(last.Seats) != 3 || last.Weights.Reject != 6*sol {
		w.t.Errorf("watched: %+v, %v", last, err)
	}
}

// checkEnd checks that the creator has everything back, and that the judges share the worker's
// bond.
func (w *world) checkEnd(creator, worker *Client, task onchain.Address) {
	w.t.Helper()
	ctx := w.t.Context()
	v := ok[TaskView](w.t)(creator.Task(ctx, task))
	if v.Status != "complete" || v.Outcome != "refunded" || v.Resolution != "verdict" || v.Move.Who != "" {
		w.t.Errorf("the end: %+v", v)
	}
	c, l := ok[AgentView](w.t)(creator.Agent(ctx, onchain.Address{})), ok[AgentView](w.t)(worker.Agent(ctx, onchain.Address{}))
	if c.Vault != 5*sol || c.CasesWon != 1 || l.Vault != 5*sol-sol/10 || l.CasesLost != 1 {
		w.t.Errorf("creator %+v, worker %+v", c, l)
	}
	var rounds uint32
	for _, j := range ok[[]JudgeView](w.t)(creator.Judges(ctx)) {
		rounds += j.Record.Majority
	}
	if rounds != 3 {
		w.t.Errorf("%d judges in the majority", rounds)
	}
	if all := ok[[]TaskView](w.t)(creator.Tasks(ctx, Filter{Live: true})); len(all) != 0 {
		w.t.Errorf("live tasks: %+v", all)
	}
	if all := ok[[]CaseView](w.t)(creator.Cases(ctx, false)); len(all) != 1 || all[0].Case != task.String() || all[0].Seats != nil {
		w.t.Errorf("cases: %+v", all)
	}
}
