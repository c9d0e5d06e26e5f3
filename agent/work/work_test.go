package work

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func policy() WorkerPolicy {
	return WorkerPolicy{Skills: []Skill{{Name: "sort", Words: []string{"sort"}, Least: 50, Attempts: 2}}, AtOnce: 1, LeastSeconds: 30, Undecided: []string{"split"}, MostLost: 1, Reworks: 1}
}

func vacancy(task string, price uint64) Vacancy {
	return Vacancy{Task: task, Price: price, ClaimBond: 2, AnswerBond: 30, WorkSeconds: 60, Undecided: "split", Text: "Please Sort this."}
}

// has reports whether an act of that kind is among the acts.
func has[A Act](acts []Act) (out []A) {
	for _, a := range acts {
		if a, ok := a.(A); ok {
			out = append(out, a)
		}
	}
	return out
}

// TestChoice: a worker takes the best task that fits, and tells why not another.
func TestChoice(t *testing.T) {
	t.Parallel()
	bad := map[string]func(*Vacancy){
		"lost more cases than it won, 1 to 0": func(v *Vacancy) { v.Creator.Lost = 1 }, "at least 0.00000005 SOL": func(v *Vacancy) { v.Price = 49 }, "30 s are the least": func(v *Vacancy) { v.WorkSeconds = 29 },
		"undecided": func(v *Vacancy) { v.Undecided = "refund" }, "another program": func(v *Vacancy) { v.Foreign = true },
		"may not claim": func(v *Vacancy) { v.Barred = true }, "its data may change": func(v *Vacancy) { v.Loose = "its data may change" }, "no node": func(v *Vacancy) { v.Text = "" },
	}
	for want, change := range bad {
		v := vacancy("a", 100)
		change(&v)
		acts := NewWorker(policy()).Step(Market{Vault: 1000, Offers: []Vacancy{v}})
		if len(has[Take](acts)) != 0 || len(acts) != 1 || !strings.Contains(acts[0].(Tell).Text, want) {
			t.Errorf("%s: %v", want, acts)
		}
	}
	w := NewWorker(policy())
	risky := vacancy("c", 120)
	risky.Creator = Reputation{Won: 5, Lost: 4}
	acts := w.Step(Market{Vault: 1000, Offers: []Vacancy{vacancy("a", 90), vacancy("b", 100), risky}})
	if got := has[Take](acts); len(got) != 1 || got[0] != (Take{"b", 100}) {
		t.Errorf("%v", acts)
	}
	if acts := w.Step(Market{Vault: 1000, Offers: []Vacancy{vacancy("a", 90)}, Held: []Held{{Task: "b", Status: Making, Price: 100}}}); len(has[Take](acts)) != 0 || len(has[Make](acts)) != 1 {
		t.Errorf("a worker with a task takes another one: %v", acts)
	}
	poor := NewWorker(policy())
	if acts := poor.Step(Market{Vault: 31, Offers: []Vacancy{vacancy("a", 90)}}); len(acts) != 1 || !strings.Contains(acts[0].(Tell).Text, "ojud agent deposit") {
		t.Errorf("it cannot pay the bonds: %v", acts)
	}
	for _, vault := range []uint64{31, 30} {
		if acts := poor.Step(Market{Vault: vault, Offers: []Vacancy{vacancy("a", 90)}}); len(acts) != 0 {
			t.Errorf("it says so twice: %v", acts)
		}
	}
	if acts := poor.Step(Market{Vault: 32, Offers: []Vacancy{vacancy("a", 90)}}); len(has[Take](acts)) != 1 {
		t.Errorf("it has money now: %v", acts)
	}
	tight := policy()
	tight.Budget.Stake = 31
	if acts := NewWorker(tight).Step(Market{Vault: 1000, Offers: []Vacancy{vacancy("a", 90)}}); len(has[Take](acts)) != 0 {
		t.Errorf("it would exceed its budget: %v", acts)
	}
}

// TestAnswers: the expected worth decides whether a worker defends, works again or gives in.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		chance, reworks int
		want            Phase
	}{{97, 1, Answering}, {97, 0, Answering}, {50, 0, Answering}, {3, 1, Reworking}, {3, 0, Yielding}, {20, 0, Yielding}, {40, 0, Answering}} {
		p := policy()
		p.Reworks = c.reworks
		w := NewWorker(p)
		m := Market{Held: []Held{{Task: "a", Text: "sort", Status: Disputed, Price: 100, AnswerBond: 30, Most: 3}}}
		if acts := w.Step(m); len(has[Weigh](acts)) != 1 {
			t.Fatalf("%v", acts)
		}
		w.Step(Weighed{Task: "a", Chance: c.chance, Why: "w"})
		if got := w.Jobs["a"].Phase; got != c.want {
			t.Errorf("chance %d: %s, want %s (defence %d)", c.chance, got, c.want, w.Jobs["a"].Defend())
		}
	}
}

// TestObjections: the expected worth decides whether a creator objects.
func TestObjections(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		chance int
		object bool
		bond   uint64
		want   Phase
	}{{97, false, 20, Accepting}, {3, false, 20, Objecting}, {50, false, 20, Accepting}, {50, true, 20, Objecting}, {40, false, 1000, Accepting}} {
		k := NewCreator(CreatorPolicy{AtOnce: 1, Object: c.object})
		k.Step(Books{Vault: 1000, Queue: []Order{{"o", "d", 100, 0, Tokens{}}}})
		seen := Books{Next: 1, Posted: []Posted{{Task: "t", Document: "d", Status: Waiting, Price: 100, ObjectBond: c.bond, Result: "r"}}}
		if acts := k.Step(seen); len(has[Check](acts)) != 1 {
			t.Fatalf("%v", acts)
		}
		k.Step(Inspected{ID: "o", Result: "r", Chance: c.chance})
		if got := k.Items["o"].Phase; got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

// TestBudgets: an agent that has used up its budget begins nothing, and ends when nothing is open.
func TestBudgets(t *testing.T) {
	t.Parallel()
	for name, b := range map[string]Budget{"loss": {Loss: 5}, "tokens": {Tokens: 5}, "dollars": {Micros: 5}} {
		p := policy()
		p.Budget = b
		w := NewWorker(p)
		w.Spent = Spent{Lost: 5, Use: Use{5, 5}}
		if acts := w.Step(Market{Vault: 1000, Offers: []Vacancy{vacancy("a", 100)}}); len(acts) != 1 || len(has[Stop](acts)) != 1 {
			t.Errorf("%s: %v", name, acts)
		}
		w.Jobs["b"] = &Job{Task: "b", Phase: Waiting}
		if acts := w.Step(Market{Held: []Held{{Task: "b", Status: Waiting}}}); len(acts) != 0 {
			t.Errorf("%s, with an open task: %v", name, acts)
		}
	}
	c := NewCreator(CreatorPolicy{AtOnce: 3, Budget: Budget{Loss: 150}})
	if acts := c.Step(Books{Vault: 1000, Queue: []Order{{"a", "d", 100, 0, Tokens{}}, {"b", "e", 100, 0, Tokens{}}}}); len(has[Post](acts)) != 1 {
		t.Errorf("%v", acts)
	}
	open := Books{Vault: 900, Next: 1, Queue: []Order{{"a", "d", 100, 0, Tokens{}}, {"b", "e", 100, 0, Tokens{}}}, Posted: []Posted{{Task: "t", Document: "d", Status: Open}}}
	if acts := c.Step(open); len(has[Post](acts)) != 0 {
		t.Errorf("it would pay more than its budget: %v", acts)
	}
	open.Posted[0].Status, open.Posted[0].Outcome, open.Posted[0].Price = Over, Paid, 100
	if acts := c.Step(open); len(has[Stop](acts)) != 1 {
		t.Errorf("%v", acts)
	}
}

// TestFunds: a creator keeps the bonds of its open tasks in the vault, and fills it if it may. If
// it waits for money, it says so once.
func TestFunds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		most, vault, wallet uint64
		want                []Act
		waits               string
	}{
		{0, 119, 1000, nil, "ojud agent deposit"}, {500, 119, 1000, []Act{Fund{500}}, ""}, {500, 119, 300, nil, "because the wallet has"}, {500, 120, 0, []Act{Post{"b", 1}}, ""}, {50, 119, 1000, []Act{Fund{120}}, ""},
	} {
		k := NewCreator(CreatorPolicy{AtOnce: 2, Vault: c.most})
		k.Items["a"] = &Item{ID: "a", Document: "d", Phase: Open, Reward: 100}
		b := Books{Vault: c.vault, Wallet: c.wallet, Next: 1, Queue: []Order{{"b", "e", 100, 0, Tokens{}}}, Posted: []Posted{{Task: "t", Document: "d", Status: Open, ObjectBond: 20}}}
		acts := k.Step(b)
		if told := has[Tell](acts); c.waits != "" {
			if len(told) != 1 || !strings.Contains(told[0].Text, c.waits) || len(acts) != 1 || len(k.Step(b)) != 0 {
				t.Errorf("%+v: %v", c, acts)
			}
			b.Vault, b.Wallet = b.Vault-1, b.Wallet-1
			if acts := k.Step(b); len(acts) != 0 {
				t.Errorf("%+v: it says so again because its money changed: %v", c, acts)
			}
			b.Vault = 1000 // a deposit; then the money goes for another order
			if acts := k.Step(b); len(has[Post](acts)) != 1 {
				t.Errorf("%+v: %v", c, acts)
			}
			delete(k.Items, "b")
			b.Vault, b.Wallet, b.Queue[0].ID = c.vault, c.wallet, "c"
			if acts := k.Step(b); len(has[Tell](acts)) != 1 {
				t.Errorf("%+v: it does not say that the next order waits: %v", c, acts)
			}
		} else if !slices.Equal(acts, c.want) {
			t.Errorf("%+v: %v", c, acts)
		}
	}
	k := NewCreator(CreatorPolicy{Vault: 30})
	k.Items["a"] = &Item{ID: "a", Document: "d", Phase: Objecting, Result: "r", Reward: 100}
	b := Books{Vault: 10, Wallet: 1000, Posted: []Posted{{Task: "t", Document: "d", Status: Waiting, Result: "r", ObjectBond: 20}}}
	if acts := k.Step(b); !slices.Equal(acts, []Act{Fund{30}, Object{"a", "t"}}) {
		t.Errorf("%v", acts)
	}
}

// court is a chain with one creator's tasks. It is slow: a transaction lands when the next look
// begins, also if its sender was killed. With blind set it takes a post under any free number, as a
// program without numbers would: the negative control.
type court struct {
	tasks   []*Posted
	workers []bool
	pending []func()
	posts   map[string]int // landed, by document
	claims  map[string]int
	submits map[string]int
	paid    map[string]int
	blind   bool
}

func newCourt(blind bool) *court {
	return &court{posts: map[string]int{}, claims: map[string]int{}, submits: map[string]int{}, paid: map[string]int{}, blind: blind}
}

func (c *court) land() {
	for _, f := range c.pending {
		f()
	}
	c.pending = nil
}

func (c *court) books(queue []Order, next uint64) Books {
	b := Books{Vault: 10_000, Queue: queue, Next: next}
	for _, p := range c.tasks {
		b.Posted = append(b.Posted, *p)
	}
	return b
}

func (c *court) market() (m Market) {
	m.Vault = 10_000
	for i, p := range c.tasks {
		switch {
		case p.Status == Open:
			m.Offers = append(m.Offers, vacancy(p.Task, p.Price))
		case c.workers[i]:
			m.Held = append(m.Held, Held{Task: p.Task, Status: p.Status, Price: p.Price, ClaimBond: 2, AnswerBond: 30, Outcome: p.Outcome})
		}
	}
	return m
}

// send makes a transaction of an act that lands later. Those whose state does not allow it any more
// fail, as in the program.
func (c *court) send(a Act, documents map[string]string) {
	find := func(task string, status Phase, then func(p *Posted, i int)) {
		c.pending = append(c.pending, func() {
			for i, p := range c.tasks {
				if p.Task == task && p.Status == status {
					then(p, i)
				}
			}
		})
	}
	switch a := a.(type) {
	case Post:
		c.pending = append(c.pending, func() {
			if next := uint64(len(c.tasks)); a.Number == next || c.blind {
				c.tasks = append(c.tasks, &Posted{Number: next, Task: fmt.Sprint("t", next), Document: documents[a.ID], Status: Open, Price: 100, ObjectBond: 20})
				c.workers = append(c.workers, false)
				c.posts[documents[a.ID]]++
			}
		})
	case Take:
		find(a.Task, Open, func(p *Posted, i int) { p.Status, c.workers[i] = Making, true; c.claims[p.Task]++ })
	case Submit:
		find(a.Task, Making, func(p *Posted, _ int) { p.Status, p.Result = Waiting, a.Result; c.submits[p.Task]++ })
	case Accept:
		find(a.Task, Waiting, func(p *Posted, _ int) { p.Status, p.Outcome = Over, Paid; c.paid[p.Task]++ })
	}
}

// again returns a machine as it comes back from the disk.
func again[M any](t *testing.T, raw []byte, into M) M {
	t.Helper()
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatal(err)
	}
	return into
}

// play lets a creator and a worker trade while both are killed at random: after the state is stored
// and before the act, after the act, or while work is under way. It returns how many orders were
// posted more than once.
func play(t *testing.T, seed uint64, blind bool) (twice int) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	queue, documents := []Order{}, map[string]string{}
	for i := range 4 {
		o := Order{fmt.Sprint("o", i), fmt.Sprint("d", i), 100, 0, Tokens{}}
		queue, documents[o.ID] = append(queue, o), o.Document
	}
	k := newCourt(blind)
	cp := CreatorPolicy{AtOnce: 2, Ends: true}
	c, w := NewCreator(cp), NewWorker(policy())
	diskC, diskW := []byte("{}"), []byte("{}")
	step := func(m interface{ Step(News) []Act }, disk *[]byte, n News) (alive, stopped bool) {
		for todo := []News{n}; len(todo) > 0; todo = todo[1:] {
			acts := m.Step(todo[0])
			if len(acts) == 0 {
				continue
			}
			raw, err := json.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			*disk = raw
			for _, a := range acts {
				if r.IntN(8) == 0 {
					return false, false
				}
				switch a := a.(type) {
				case Stop:
					return true, true
				case Make:
					todo = append(todo, Made{Task: a.Task, Attempt: a.Attempt, Result: fmt.Sprint("r", a.Attempt)})
				case Check:
					todo = append(todo, Inspected{ID: a.ID, Result: a.Result, Chance: 97})
				default:
					k.send(a, documents)
				}
				if r.IntN(8) == 0 {
					return false, false
				}
			}
		}
		return true, false
	}
	for range 1000 {
		next := uint64(len(k.tasks))
		if r.IntN(2) == 0 { // a look may be older than what lands
			k.land()
			next = uint64(len(k.tasks))
		}
		b := k.books(queue, next)
		if alive, stopped := step(c, &diskC, b); stopped {
			break
		} else if !alive {
			c = again(t, diskC, NewCreator(cp))
			c.Step(Restarted{})
		}
		if alive, _ := step(w, &diskW, k.market()); !alive {
			w = again(t, diskW, NewWorker(policy()))
			w.Step(Restarted{})
		}
	}
	k.land()
	for _, counts := range []map[string]int{k.posts, k.claims, k.submits, k.paid} {
		if len(counts) < len(queue) {
			t.Fatalf("seed %d: %d of %d orders came through: %+v, %s, %s", seed, len(counts), len(queue), k, diskC, diskW)
		}
		for name, n := range counts {
			if n > 1 && !blind {
				t.Errorf("seed %d: %s %d times", seed, name, n)
			}
		}
	}
	for _, n := range k.posts {
		twice += n - 1
	}
	return twice
}

// TestKilled: agents that are killed at any point post, claim, hand in and pay once. Without the
// number of a task in what is posted, the same trial finds orders that are posted twice.
func TestKilled(t *testing.T) {
	t.Parallel()
	blind := 0
	for seed := range uint64(300) {
		play(t, seed, false)
		if seed < 100 {
			blind += play(t, seed, true)
		}
	}
	if blind == 0 {
		t.Error("the negative control finds no order that was posted twice")
	}
}

// TestLostDisk: a worker whose disk was lost goes on with the tasks that the chain shows.
func TestLostDisk(t *testing.T) {
	t.Parallel()
	w := NewWorker(policy())
	acts := w.Step(Market{Held: []Held{{Task: "a", Text: "sort it", Status: Making, Price: 100}, {Task: "b", Status: Over, Outcome: Paid}}})
	if got := has[Make](acts); len(got) != 1 || got[0].Skill != "sort" || len(w.Jobs) != 1 {
		t.Errorf("%v", acts)
	}
}

// TestUnsuited: a result that fails the checks is made again, and then the task is given up.
func TestUnsuited(t *testing.T) {
	t.Parallel()
	w := NewWorker(policy())
	m := Market{Held: []Held{{Task: "a", Text: "sort", Status: Making, ClaimBond: 2, AnswerBond: 30, Free: true}}}
	w.Step(m)
	acts := w.Step(Made{Task: "a", Attempt: 1, Result: "r", Fault: "no"})
	if got := has[Make](acts); len(got) != 1 || got[0].Attempt != 2 || got[0].Fault != "no" {
		t.Fatalf("%v", acts)
	}
	if acts = w.Step(Made{Task: "a", Attempt: 2, Result: "r", Fault: "no"}); len(has[Release](acts)) != 1 || len(has[Submit](acts)) != 0 {
		t.Fatalf("%v", acts)
	}
	w.Step(Failed{Task: "a", Why: "the network is down"})
	if acts = w.Step(m); !slices.Equal(acts, []Act{Release{"a"}}) {
		t.Errorf("a release that failed is not tried again: %v", acts)
	}
	if acts = w.Step(Released{"a"}); len(w.Jobs) != 0 || w.Spent.Lost != 0 || !slices.Contains(acts, Act(Tell{"a", "is over: returned"})) {
		t.Errorf("%v", acts)
	}
	if acts = w.Step(m); !slices.Equal(acts, []Act{Release{"a"}}) {
		t.Errorf("an older look shows the claim, and the work begins again: %v", acts)
	}
	m.Held[0].Free = false
	if acts = w.Step(m); len(acts) != 0 {
		t.Errorf("it is too late for a release: %v", acts)
	}
	back := vacancy("a", 100)
	back.Barred = true
	if acts = w.Step(Market{Offers: []Vacancy{back}}); w.Spent.Lost != 2 || !slices.Contains(acts, Act(Tell{"a", "is over: missed"})) {
		t.Errorf("lost %d: %v", w.Spent.Lost, acts)
	}
}
