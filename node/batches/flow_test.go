package batches

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ojud/golden/proctor"
	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/client"
	"ojud/test/longtest"
	"ojud/voting"
)

// flow is what the chain shows of a disputed task beside its documents: terms, and seconds between
// its steps.
type flow struct {
	reward, fee                   uint64
	work, within                  uint32
	seats                         uint8
	undecided                     voting.OnUndecided
	begun                         bool // the work began in the transaction of the claim
	claim, submit, object, answer int64
	near                          int64 // how far the most similar task before it is
}

// marks turn a flow into what a classifier counts: values as they are, and times in steps.
func (f flow) marks() []string {
	step := func(n int64) int { return int(2 * math.Log2(float64(n+1))) }
	return []string{
		fmt.Sprint("reward ", int(2*math.Log2(float64(f.reward)))), fmt.Sprint("digits ", digits(f.reward)), fmt.Sprint("fee ", f.fee), fmt.Sprint("work ", f.work),
		fmt.Sprint("within ", f.within), fmt.Sprint("seats ", f.seats), fmt.Sprint("undecided ", f.undecided), fmt.Sprint("begun ", f.begun),
		fmt.Sprint("claim ", step(f.claim)), fmt.Sprint("submit ", step(f.submit)), fmt.Sprint("object ", step(f.object)), fmt.Sprint("answer ", step(f.answer)),
		fmt.Sprint("near ", f.near), fmt.Sprint("all ", step(f.claim+f.submit+f.object+f.answer)), fmt.Sprint("terms ", f.work, f.within, f.seats, f.fee, f.undecided),
	}
}

// beside notes how far the most similar of the tasks before is: whoever copies shows it.
func (f flow) beside(seen habits) flow {
	best := math.Inf(1)
	apart := func(a, b int64) float64 { return math.Abs(math.Log(float64(a+2) / float64(b+2))) }
	for _, h := range seen {
		best = min(best, apart(f.claim, h.claim)+apart(f.submit, h.submit)+apart(f.object, h.object)+apart(f.answer, h.answer))
	}
	f.near = int64(min(5*best, 100))
	return f
}

func digits(n uint64) (d int) {
	for ; n > 0 && n%10 == 0; n /= 10 {
	}
	for ; n > 0; n /= 10 {
		d++
	}
	return d
}

// bayes is the AUC of the best of a naive Bayes classifier of all marks and of one for each mark.
// It learns from one half of both, and is asked about the other.
func bayes(t *testing.T, what string, golden, others []flow) (best float64) {
	t.Helper()
	best = 0.5
	name := ""
	for only := -1; only < len(flow{}.marks()); only++ {
		take := func(f flow) []string {
			if all := f.marks(); only >= 0 {
				return all[only : only+1]
			}
			return f.marks()
		}
		seen := [2]map[string]float64{{}, {}}
		for side, all := range [][]flow{others, golden} {
			for _, f := range all[:len(all)/2] {
				for _, m := range take(f) {
					seen[side][m]++
				}
			}
		}
		score := func(f flow) (sum float64) {
			for _, m := range take(f) {
				if seen[0][m]+seen[1][m] > 2 {
					sum += math.Log((seen[1][m]+1)/float64(len(golden)/2+2)) - math.Log((seen[0][m]+1)/float64(len(others)/2+2))
				}
			}
			return sum
		}
		if v := auc(score, golden[len(golden)/2:], others[len(others)/2:]); math.Abs(v-0.5) >= math.Abs(best-0.5) {
			best, name = v, "all marks"
			if only >= 0 {
				name = golden[0].marks()[only]
			}
		}
	}
	t.Logf("%-44s AUC %.3f (by %q or its like)", what, best, name)
	return best
}

// auc is how often a golden task has a higher score than another one: 0.5 is chance.
func auc(score func(flow) float64, golden, others []flow) float64 {
	type scored struct {
		score float64
		yes   bool
	}
	var all []scored
	for _, f := range golden {
		all = append(all, scored{score(f), true})
	}
	for _, f := range others {
		all = append(all, scored{score(f), false})
	}
	slices.SortFunc(all, func(x, y scored) int { return cmp.Compare(x.score, y.score) })
	ranks := 0.0
	for i := 0; i < len(all); {
		k := i
		for k < len(all) && all[k].score == all[i].score {
			k++
		}
		for _, s := range all[i:k] {
			if s.yes {
				ranks += float64(i+k+1) / 2
			}
		}
		i = k
	}
	n, m := float64(len(golden)), float64(len(others))
	return (ranks - n*(n+1)/2) / (n * m)
}

// market says on which terms ordinary creators of a court trade, and how slow they are: the mean of
// the quickest, in seconds. The slowest need nine times as long.
type market struct {
	offer func(r *rand.Rand, o *client.Offer)
	quick float64
}

// usual takes what the commands offer.
func usual(*rand.Rand, *client.Offer) {}

// varied changes terms in half of the tasks, to values that people write.
func varied(r *rand.Rand, o *client.Offer) {
	if r.IntN(2) == 0 {
		return
	}
	o.WorkSeconds = []uint32{3600, 2 * 3600, 8 * 3600, 48 * 3600}[r.IntN(4)]
	o.ClaimWithin = []uint32{0, 3600, 24 * 3600}[r.IntN(3)]
	o.OnUndecided = []string{"split", "pay", "refund"}[r.IntN(3)]
	o.Seats = []uint8{0, 7, 14, 28}[r.IntN(4)]
}

// hasty is a market of programs, which give each other minutes.
func hasty(r *rand.Rand, o *client.Offer) {
	o.WorkSeconds, o.ClaimWithin, o.Seats = 120*(1+uint32(r.IntN(5))), 600, 7
}

// ordinary is a disputed task of ordinary agents. They have the rewards of the proctor's plan,
// which is the proctor's to choose.
func (m market) ordinary(t *testing.T, r *rand.Rand, p program.Params, reward uint64) (habit, flow) {
	t.Helper()
	o := client.DefaultOffer(client.Lamports(reward))
	m.offer(r, &o)
	i, err := o.Terms(p, voting.Hash{1}, 0)
	if err != nil {
		t.Fatal(err)
	}
	task := &program.Task{
		Creator: onchain.Address{byte(r.IntN(200)) + 1}, CounterHash: voting.Hash{1}, RewardMin: reward, RewardMax: reward, WorkSeconds: i.WorkSeconds, ClaimBy: i.ClaimBy,
		OnUndecided: i.OnUndecided, Seats: i.Seats, FeeMin: i.FeeMin, Seal: voting.Hash{byte(r.Uint32()), byte(r.Uint32()), byte(r.Uint32())},
	}
	f := terms(i)
	mean := m.quick * math.Pow(9, r.Float64())
	wait := func(most int64) int64 { return within(int64(r.ExpFloat64()*mean), most) }
	f.claim, f.submit, f.object, f.answer = wait(1<<40), wait(int64(i.WorkSeconds)), wait(int64(p.VerifySeconds)), wait(int64(p.AnswerSeconds))
	if i.ClaimBy != 0 {
		f.claim = within(f.claim, i.ClaimBy)
	}
	return habit{task, f.claim, f.submit, f.object, f.answer}, f
}

func terms(i program.CreateTask) flow {
	return flow{reward: i.RewardMin, fee: i.FeeMin, work: i.WorkSeconds, within: uint32(i.ClaimBy), seats: i.Seats, undecided: i.OnUndecided}
}

// flowOf is the flow of a leaf as this package posts it.
func flowOf(t *testing.T, l proctor.Leaf, at times, others habits, p program.Params) flow {
	t.Helper()
	i, err := others.offer(l, at.pick, p).Terms(p, l.Task, 0)
	if err != nil {
		t.Fatal(err)
	}
	f := terms(i)
	at = others.pace(at, window(p))
	f.claim, f.submit, f.object, f.answer = at.claim, within(at.submit, int64(i.WorkSeconds)), within(at.object, int64(p.VerifySeconds)), within(at.answer, int64(p.AnswerSeconds))
	if i.ClaimBy != 0 {
		f.claim = within(at.claim, i.ClaimBy)
	}
	return f
}

// naive is the flow of a leaf as it was posted at first: the whole panel, for ever on the market,
// claimed and begun at once, and round hours of work.
func naive(l proctor.Leaf, at times, p program.Params) flow {
	hours := []uint32{1, 2, 4, 8, 24, 48}
	return flow{
		reward: l.Reward, work: hours[at.pick%6] * 3600, seats: p.PanelSeats, undecided: voting.SplitEscrow, begun: true,
		claim: 1, submit: at.submit, object: at.object, answer: at.answer,
	}
}

// TestAttackFlow: a judge knows golden cases by what the chain shows of their tasks beside the
// documents, and judges them alone. It knows our source code, and which tasks of the past were
// golden. In three markets it does no better than chance (at most 0.55). If the proctor posts as at
// first, or copies all times of one task, the same classifier finds golden cases.
func TestAttackFlow(t *testing.T) {
	longtest.Only(t)
	p := params()
	const batches, leaves = 50, 40
	span := window(p)
	var made []*proctor.Batch // the same in each market
	for n := range uint64(batches) {
		made = append(made, batch(t, leaves, fmt.Sprint("flow ", n)))
	}
	for name, m := range map[string]market{"terms of the commands": {usual, 95}, "half on terms of their own": {varied, 60}, "programs in a hurry": {hasty, 2}} {
		r := rand.New(rand.NewPCG(48, uint64(len(name))))
		var hidden, first, copied, others []flow
		var seen habits
		plan := proctor.DefaultPlan()
		for n, b := range made {
			id := uint64(n)
			at := pace(b.Chance(), leaves, span)
			for range leaves {
				one := plan.Rewards[0] // a market has more tasks than one batch
				switch k := r.IntN(100); {
				case k >= 90:
					one = plan.Rewards[2]
				case k >= 50:
					one = plan.Rewards[1]
				}
				task, f := m.ordinary(t, r, p, rounded(one.Least+r.Uint64N(one.Most-one.Least+1)))
				seen, others = append(seen, task), append(others, f.beside(seen))
				seen = seen[max(len(seen)-mostSeen, 0):]
			}
			for i, l := range b.Leaves() {
				hidden = append(hidden, flowOf(t, l, at[i], seen, p).beside(seen))
				first = append(first, naive(l, at[i], p).beside(seen))
				at[i].whose = [1 + steadies]uint64{id, id, id, id, id} // all of one task
				copied = append(copied, flowOf(t, l, at[i], seen, p).beside(seen))
			}
		}
		if v := bayes(t, name, hidden, others); v > 0.55 || v < 0.45 {
			t.Errorf("%s: golden cases are known by their flow, AUC %.3f", name, v)
		}
		if v := bayes(t, name+", copied to the second", copied, others); v < 0.8 {
			t.Errorf("%s: the classifier is blind: AUC %.3f for times that are copied", name, v)
		}
		if v := bayes(t, name+", posted as at first", first, others); v < 0.99 {
			t.Errorf("%s: the classifier is blind: AUC %.3f for a proctor that does not hide", name, v)
		}
	}
}

// rounded keeps two digits, as people do.
func rounded(n uint64) uint64 {
	unit := uint64(1)
	for n/unit >= 100 {
		unit *= 10
	}
	return n / unit * unit
}

// TestAttackMarkedTerms: somebody wants golden cases to wear its mark, and offers tasks with
// strange terms that nobody disputes, or with rewards that are far from theirs. None is imitated,
// and neither are tasks that an engine decides, or terms that the rules in force do not take.
func TestAttackMarkedTerms(t *testing.T) {
	p := params()
	leaf := batch(t, 2, "marks").Leaves()[0]
	usually := habits(nil).offer(leaf, 0, p)
	task := func(change func(*program.Task)) *program.Task {
		one := &program.Task{
			Creator: onchain.Address{7}, CounterHash: voting.Hash{1}, RewardMin: leaf.Reward, RewardMax: leaf.Reward, WorkSeconds: 7_777, Seats: 14,
			OnUndecided: voting.PayWorker,
		}
		change(one)
		return one
	}
	for name, one := range map[string]*program.Task{
		"nobody disputes it": task(func(t *program.Task) { t.CounterHash = voting.Hash{} }),
		"an auction":         task(func(t *program.Task) { t.RewardMax++ }),
		"an engine decides":  task(func(t *program.Task) { t.Engine = onchain.Address{1} }),
	} {
		if imitable(one) {
			t.Errorf("%s, and golden cases wear its terms", name)
		}
	}
	fits := task(func(*program.Task) {})
	if !imitable(fits) {
		t.Fatal("a disputed task is not imitated")
	}
	var all habits
	for range fewest - 1 {
		all = append(all, habit{Task: fits})
	}
	if got := all.offer(leaf, 5, p); got != usually {
		t.Errorf("%d tasks are imitated: %+v", len(all), got)
	}
	all = append(all, habit{Task: fits})
	got := all.offer(leaf, 5, p)
	if got.WorkSeconds != 7_777 || got.Seats != 14 || got.OnUndecided != "pay" || got.ClaimWithin != 0 || got.Seal != leaf.Hash() || uint64(got.RewardMin) != leaf.Reward {
		t.Errorf("%+v", got)
	}
	for range nearest {
		far := task(func(t *program.Task) { t.RewardMin, t.RewardMax, t.WorkSeconds = 90*leaf.Reward, 90*leaf.Reward, 9_999 })
		all = append(all, habit{Task: far})
	}
	far := 0
	for pick := range uint64(nearest) {
		if all.offer(leaf, pick, p).WorkSeconds == 9_999 {
			far++
		}
	}
	if far != nearest-fewest {
		t.Errorf("%d of %d offers have the terms of rewards that are far away", far, nearest)
	}
	for i := range all {
		all[i].Task = task(func(t *program.Task) { t.WorkSeconds = p.MinWorkSeconds - 1 })
	}
	if got := all.offer(leaf, 5, p); got != usually {
		t.Errorf("terms that the rules do not take are imitated: %+v", got)
	}
}

// TestHabits: how long the parties of a task took is read from its history, of a step that was done
// again the last time. A history with a hole says nothing.
func TestHabits(t *testing.T) {
	moved := func(to program.TaskStatus, at int64) program.Event { return &program.TaskMoved{To: to, At: at} }
	history := []ledger.Occurred{
		{Events: []program.Event{moved(program.Created, 100)}}, {Events: []program.Event{moved(program.Claimed, 110), &program.LeafOpened{At: 7}}},
		{Events: []program.Event{moved(program.InProgress, 110)}}, {Events: []program.Event{moved(program.Verification, 130)}},
		{Events: []program.Event{moved(program.Disputed, 140)}}, {Events: []program.Event{moved(program.InProgress, 150)}},
		{Events: []program.Event{moved(program.Verification, 170)}}, {Events: []program.Event{moved(program.Disputed, 200)}},
		{Events: []program.Event{moved(program.Judiciary, 240)}}, {Events: []program.Event{moved(program.Complete, 900)}},
	}
	h, ok := habitOf(&program.Task{CreatedAt: 100}, history)
	if want := [steadies]int64{10, 60, 30, 40}; !ok || h.steps() != want || h.tempo() != 35.5 {
		t.Errorf("%v %v, tempo %g", h.steps(), ok, h.tempo())
	}
	for name, bad := range map[string][]ledger.Occurred{"no claim": history[2:], "no counter-objection": history[:8], "nothing": nil} {
		if h, ok := habitOf(&program.Task{CreatedAt: 100}, bad); ok {
			t.Errorf("%s: %v", name, h.steps())
		}
	}
}
