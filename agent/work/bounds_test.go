package work

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestLossOfWorker: whatever happens to the tasks that a worker takes, it loses no more bonds than
// its budget. Without the budget the same trial loses more: the negative control.
func TestLossOfWorker(t *testing.T) {
	t.Parallel()
	worst := map[uint64]uint64{}
	for _, most := range []uint64{0, 70} {
		for seed := range uint64(100) {
			r := rand.New(rand.NewPCG(seed, 2))
			p := policy()
			p.AtOnce, p.Budget.Loss = 9, most
			w, held := NewWorker(p), map[string]*Held{}
			for look := range 60 {
				m := Market{Vault: 10_000, Offers: []Vacancy{vacancy(fmt.Sprint("t", look), 100)}}
				for _, h := range held {
					if r.IntN(8) > 0 { // a node may lag, and an account may be closed
						m.Held = append(m.Held, *h)
					}
				}
				for todo := w.Step(m); len(todo) > 0; todo = todo[1:] {
					switch a := todo[0].(type) {
					case Take: // the price has risen meanwhile, and the bonds with it
						held[a.Task] = &Held{Task: a.Task, Status: Making, Price: 100, ClaimBond: 2, AnswerBond: 30 + r.Uint64N(9)}
					case Make:
						todo = append(todo, w.Step(Made{Task: a.Task, Attempt: a.Attempt, Result: "r"})...)
					case Submit:
						held[a.Task].Status = []Phase{Disputed, Making}[r.IntN(2)]
					case Weigh:
						todo = append(todo, w.Step(Weighed{Task: a.Task, Chance: 97})...)
					case Counter:
						h := held[a.Task]
						h.Status = Over
						h.Outcome, h.Ruling = []End{Refunded, Paid, Split}[r.IntN(3)], []Ruling{Decided, Undecided}[r.IntN(2)]
					}
				}
				for name, h := range held {
					if h.Status == Making && r.IntN(4) == 0 {
						delete(held, name) // missed
					}
				}
			}
			worst[most] = max(worst[most], w.Spent.Lost)
		}
	}
	if worst[70] > 70 || worst[70] == 0 || worst[0] <= 70 {
		t.Errorf("lost %d of a budget of 70, and %d without one", worst[70], worst[0])
	}
}

// TestTightBudget: an offer whose bonds do not fit the budget is not taken, and the owner hears it.
func TestTightBudget(t *testing.T) {
	t.Parallel()
	p := policy()
	p.AtOnce, p.Budget.Loss = 9, 29
	w := NewWorker(p)
	if acts := w.Step(Market{Vault: 1000, Offers: []Vacancy{vacancy("a", 100)}}); len(has[Take](acts)) != 0 || len(has[Tell](acts)) != 1 {
		t.Errorf("%v", acts)
	}
	w.Policy.Budget.Loss = 60
	if acts := w.Step(Market{Vault: 1000, Offers: []Vacancy{vacancy("a", 100), vacancy("b", 100), vacancy("c", 100)}}); len(has[Take](acts)) != 2 {
		t.Errorf("%v", acts)
	}
}

// TestEnds: what an end costs follows from the rules of the court.
func TestEnds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		end     End
		ruling  Ruling
		w       uint64 // of a worker with bonds of 2 and 30
		creator uint64 // of a reward of 100 and a bond of 20
	}{
		{Paid, "", 0, 100}, {Paid, Decided, 0, 120}, {Paid, Undecided, 30, 100}, {Refunded, "", 0, 0}, {Refunded, Decided, 30, 0}, {Refunded, Undecided, 0, 20},
		{Split, Undecided, 15, 60}, {Gone, "", 30, 120},
	} {
		w, k := NewWorker(policy()), NewCreator(CreatorPolicy{})
		w.end(&Job{Phase: Judged, Price: 100, ClaimBond: 2, AnswerBond: 30}, c.end, c.ruling)
		k.end(&Item{Phase: Judged, Reward: 100, Bond: 20}, c.end, c.ruling)
		if w.Spent.Lost != c.w || k.Spent.Lost != c.creator {
			t.Errorf("%+v: %d and %d", c, w.Spent.Lost, k.Spent.Lost)
		}
	}
}

// TestLag: a task that a lagging node does not show is not over. One that is missing for longer is
// over by the worst that fits, and open again if it is there again.
func TestLag(t *testing.T) {
	t.Parallel()
	c := NewCreator(CreatorPolicy{Budget: Budget{Loss: 1000}})
	b := Books{Now: 10, Vault: 1000, Next: 7, Silence: 100, Kept: 50, Queue: []Order{{"o", "d", 100, 20, Tokens{}}}}
	c.Step(b)
	b.Next = 8
	c.Step(b) // the agent is read at a node that has the task, and the tasks at one that has not
	p := Posted{Number: 7, Task: "t", Document: "d", Status: Waiting, Price: 100, ObjectBond: 20, Result: "r"}
	seen := b
	seen.Posted = []Posted{p}
	if acts := c.Step(seen); len(has[Check](acts)) != 1 {
		t.Fatalf("%v", acts)
	}
	for range maxAbsent - 1 {
		c.Step(b)
	}
	if c.Items["o"].Phase != Waiting || c.Spent.Lost != 0 {
		t.Fatalf("%+v", c.Items["o"])
	}
	if c.Step(b); c.Items["o"].Outcome != Paid || c.Spent.Lost != 100 {
		t.Fatalf("%+v", c.Items["o"])
	}
	if acts := c.Step(seen); len(has[Check](acts)) != 1 || c.Spent.Lost != 0 {
		t.Errorf("it is there again: %v, lost %d", acts, c.Spent.Lost)
	}
	for _, k := range []struct {
		phase  Phase
		unseen int64
		want   uint64
	}{{Posting, 99, 0}, {Open, 99, 0}, {Making, 100, 120}, {Waiting, 1, 100}, {Accepting, 1, 100}, {Objecting, 1, 120}, {Disputed, 49, 0}, {Disputed, 50, 120}, {Judged, 1, 120}} {
		c := NewCreator(CreatorPolicy{})
		c.Items["o"] = &Item{ID: "o", Document: "d", Phase: k.phase, Number: 7, Reward: 100, Bond: 20, Seen: 10, Absent: maxAbsent - 1}
		b.Now, b.Queue = 10+k.unseen, nil
		if c.Step(b); c.Spent.Lost != k.want || c.Items["o"].Phase != Over {
			t.Errorf("%+v: %+v", k, c.Items["o"])
		}
	}
	w := NewWorker(policy())
	m := Market{Held: []Held{{Task: "a", Text: "sort", Status: Making, Price: 100, ClaimBond: 2, AnswerBond: 30}}}
	w.Step(m)
	for n := range maxAbsent {
		if len(w.Jobs) != 1 {
			t.Fatalf("it is over after %d looks", n)
		}
		w.Step(Market{})
	}
	if w.Spent.Lost != 2 {
		t.Errorf("lost %d", w.Spent.Lost)
	}
	if acts := w.Step(m); len(has[Make](acts)) != 1 || w.Spent.Lost != 0 || len(w.Past) != 0 {
		t.Errorf("it is there again: %v, %+v", acts, w.Spent)
	}
}

// TestClosedAtOnce: orders that were paid and whose accounts a stranger closes before the next look
// count against the budget.
func TestClosedAtOnce(t *testing.T) {
	t.Parallel()
	c := NewCreator(CreatorPolicy{AtOnce: 1, Budget: Budget{Loss: 250}})
	b, posts := Books{Vault: 10_000, Silence: 10, Kept: 10}, 0
	for n := range 20 {
		b.Queue = append(b.Queue, Order{fmt.Sprint("o", n), "d", 100, 20, Tokens{}})
	}
	for range 100 {
		acts := c.Step(b)
		if len(has[Stop](acts)) == 1 {
			break
		}
		for range has[Post](acts) {
			posts++
			b.Next++
			seen := b
			seen.Posted = []Posted{{Number: b.Next - 1, Task: "t", Document: "d", Status: Waiting, Price: 100, ObjectBond: 20, Result: "r"}}
			for _, k := range has[Check](c.Step(seen)) {
				c.Step(Inspected{ID: k.ID, Result: "r", Chance: 97})
			}
		}
	}
	if posts != 2 || c.Spent.Lost != 200 {
		t.Errorf("%d orders and %d lamports of 250", posts, c.Spent.Lost)
	}
}

// TestUnable: an estimate that could not be made is tried again before it decides.
func TestUnable(t *testing.T) {
	t.Parallel()
	w, c := NewWorker(policy()), NewCreator(CreatorPolicy{})
	m := Market{Held: []Held{{Task: "a", Text: "sort", Status: Disputed, Price: 100, AnswerBond: 30, Most: 3}}}
	c.Items["o"] = &Item{ID: "o", Document: "d", Phase: Waiting, Reward: 100}
	b := Books{Posted: []Posted{{Task: "t", Document: "d", Status: Waiting, Price: 100, Result: "r"}}}
	for n := range maxTries + 1 {
		if len(has[Weigh](w.Step(m))) != 1 || len(has[Check](c.Step(b))) != 1 {
			t.Fatalf("it gave up after %d tries", n)
		}
		w.Step(Weighed{Task: "a", Unable: true})
		c.Step(Inspected{ID: "o", Result: "r", Chance: even, Unable: true})
	}
	if w.Jobs["a"].Phase != Reworking || c.Items["o"].Phase != Accepting {
		t.Errorf("%s, %s", w.Jobs["a"].Phase, c.Items["o"].Phase)
	}
}

// TestNoUntrueDefence: a worker that believes the objection does not say the opposite before the
// court, even if that would be worth it.
func TestNoUntrueDefence(t *testing.T) {
	t.Parallel()
	p := policy()
	p.Reworks = 0
	w := NewWorker(p)
	w.Step(Market{Held: []Held{{Task: "a", Text: "sort", Status: Disputed, Price: 100, AnswerBond: 1}}})
	w.Step(Weighed{Task: "a", Chance: honest - 1, Why: "w"})
	if j := w.Jobs["a"]; j.Phase != Yielding || j.Defend() <= 0 {
		t.Errorf("%s, a defence is worth %d", j.Phase, j.Defend())
	}
}

// TestSpoiled: after three tasks whose checks no result passed, a worker takes none of that creator
// any more.
func TestSpoiled(t *testing.T) {
	t.Parallel()
	w := NewWorker(policy())
	for n := range maxSpoiled + 1 {
		v := vacancy(fmt.Sprint(n), 100)
		v.Creator.Agent = "c"
		if got := len(has[Take](w.Step(Market{Vault: 1000, Offers: []Vacancy{v}}))); got != map[bool]int{true: 1, false: 0}[n < maxSpoiled] {
			t.Fatalf("after %d tasks it takes %d", n, got)
		}
		if n == maxSpoiled {
			break
		}
		w.Step(Market{Held: []Held{{Task: v.Task, Status: Making, Free: true}}})
		for attempt := range 2 {
			w.Step(Made{Task: v.Task, Attempt: attempt + 1, Fault: "no"})
		}
		w.Step(Released{v.Task})
	}
}

// TestManyStarts: attempts that ends of the agent interrupt are made again, but not for ever.
func TestManyStarts(t *testing.T) {
	t.Parallel()
	w := NewWorker(policy())
	m := Market{Held: []Held{{Task: "a", Text: "sort", Status: Making}}}
	for n := range 2 * maxRestarts {
		if len(has[Make](w.Step(m))) == 0 {
			if n < maxRestarts {
				t.Errorf("it gives up after %d starts", n)
			}
			return
		}
		w.Step(Restarted{})
	}
	t.Error("it begins for ever")
}

// TestWithdrawn: an order whose document was removed before it was sent does not hold the queue.
func TestWithdrawn(t *testing.T) {
	t.Parallel()
	c := NewCreator(CreatorPolicy{})
	b := Books{Vault: 1000, Queue: []Order{{"a", "d", 100, 0, Tokens{}}, {"b", "e", 100, 0, Tokens{}}}}
	if acts := c.Step(b); len(has[Post](acts)) != 1 {
		t.Fatalf("%v", acts)
	}
	c.Step(Withdrawn{"a"})
	b.Queue = b.Queue[1:]
	if acts := c.Step(b); len(has[Post](acts)) != 1 || has[Post](acts)[0] != (Post{"b", 0}) {
		t.Errorf("%v", acts)
	}
}

// TestAttackBondOfAnAuction: a creator posts work that nobody can do, early in an auction whose
// highest price is 50 times the present one, and earns the bonds of claims.
func TestAttackBondOfAnAuction(t *testing.T) {
	for bond, taken := range map[uint64]bool{2: true, 10: true, 11: false, 54: false} {
		w := NewWorker(WorkerPolicy{Skills: []Skill{{Name: "sort", Words: []string{"sort"}}}, Undecided: []string{"split"}})
		acts := w.Step(Market{Vault: 1_000, Offers: []Vacancy{{
			Task: "a", Price: 100, ClaimBond: bond, AnswerBond: 30, WorkSeconds: 60, Undecided: "split", Text: "Please sort this.",
		}}})
		if got := len(w.Jobs) == 1; got != taken {
			t.Errorf("a bond of %d for a price of 100: taken %t, %v", bond, got, acts)
		}
	}
}
