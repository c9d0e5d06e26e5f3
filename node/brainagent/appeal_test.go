package brainagent

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/node/client"
	"ojud/node/megabrain"
)

// failed is a world whose agent scored the results as they are, and whose creator opened the
// opposite: the two that agree are wrong, and the agent was as sure as it says.
func failed(t *testing.T, sure uint8) *world {
	t.Helper()
	w := newWorld(t, brain.EvaluatorRole)
	k := &w.task
	w.account.Parameters.Golden = 10
	k.Status, k.Seal, k.Marks.Opened, k.Marks.Posted = brain.Settled, k.Work[0].ResultHash, brain.Shown, brain.PostedByPoster
	for i := range 3 {
		k.Finding.Facts[i] = brain.Fact{Complete: 10_000, Cluster: uint8(1 + i/2*2)}
		k.Work[i].Inside = uint8(1 - i/2)
		k.Judges[0].Said[i] = brain.Rating{Score: uint8(10 + 40*(i/2)*2), Confidence: sure}
		k.Judges[1].Said[i] = brain.Rating{Score: uint8(90 - 40*(i/2)*2), Confidence: 90}
	}
	k.Judges[0].State, k.Judges[0].Past, k.Judges[1].Past = seatRevealed, brain.PastTested|brain.PastFailed, brain.PastTested
	return w
}

// objects lets the agent of a world live, with an appeal that costs so much.
func (w *world) objects(dir string, most, stake, fee uint64, appeals *[]megabrain.Grievance) (Takings, bool) {
	return w.live(dir, brain.EvaluatorRole, 5, func(e *Equipment) {
		e.Plan.Appeal = most
		e.AppealCosts = func(context.Context, *brain.TaskAccount, *brain.ClassAccount) (client.Lamports, client.Lamports, error) {
			return client.Lamports(stake), client.Lamports(fee), nil
		}
		e.Appeal = func(_ context.Context, g megabrain.Grievance) (megabrain.Contested, error) {
			return megabrain.Contested{}, w.effect(func() {
				if w.task.Marks.Opened != brain.Appealed { // else it brings its documents again
					*appeals = append(*appeals, g)
				}
				w.task.Marks.Opened, w.task.Appeal.Appellant = brain.Appealed, self
			})
		}
	})
}

// TestAppealed: an evaluator that was right and was failed appeals once, also if it is killed
// before or after that, and counts what came of it.
func TestAppealed(t *testing.T) {
	t.Parallel()
	const stake, fee = sol / 20, sol * 28 / 1000
	for kill := range 3 { // 1 registers, 2 appeals
		for _, after := range []bool{false, true} {
			for _, won := range []bool{true, false} {
				synctest.Test(t, func(t *testing.T) {
					w, dir := failed(t, 95), t.TempDir()
					w.kill, w.after = kill, after
					var appeals []megabrain.Grievance
					if _, dead := w.objects(dir, sol/10, stake, fee, &appeals); dead {
						w.objects(dir, sol/10, stake, fee, &appeals)
					}
					if len(appeals) != 1 || appeals[0].Task != at || appeals[0].Worker != 1 || appeals[0].Reason == "" {
						t.Fatalf("kill %d, after %v: it appealed by %+v", kill, after, appeals)
					}
					earned := client.Lamports(0)
					if w.task.Marks.Opened = brain.Overturned; won {
						earned = stake + sol/20
					} else {
						w.task.Marks.Opened, w.task.Appeal.Refused = brain.Shown, 1
					}
					if got, _ := w.objects(dir, sol/10, stake, fee, &appeals); len(appeals) != 1 || got.Lost != stake+fee || got.Earned != earned {
						t.Errorf("kill %d, after %v, won %v: %+v after %d appeals", kill, after, won, got, len(appeals))
					}
				})
			}
		}
	}
}

// TestAppealsTheAnswer: two results were opened as right, and the agent was surer of the one
// that only means the same as the answer. It appeals about the answer: the checks of a question
// decide an appeal about that one alone.
func TestAppealsTheAnswer(t *testing.T) {
	t.Parallel()
	for answer := range 2 {
		synctest.Test(t, func(t *testing.T) {
			w := failed(t, 95)
			if w.task.Work[0].ResultHash == w.task.Work[1].ResultHash {
				w.task.Work[1].ResultHash[0]++
			}
			w.task.Seal, w.task.Judges[0].Said[answer].Confidence = w.task.Work[answer].ResultHash, 91
			var appeals []megabrain.Grievance
			w.objects(t.TempDir(), sol/10, sol/20, sol*28/1000, &appeals)
			if len(appeals) != 1 || appeals[0].Worker != answer+1 {
				t.Errorf("the answer is that of worker %d, and it appealed by %+v", answer+1, appeals)
			}
		})
	}
}

// TestAttackFalseAnswer: an agent does not appeal what it was not sure of, what costs more than its
// settings allow, what a small bond makes a loss, and what it did not fail. So no creator makes it
// spend more than it said, or than it can expect to win.
func TestAttackFalseAnswer(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct {
		sure             uint8
		most, stake, fee uint64
		change           func(*world)
	}{
		"no setting":    {95, 0, sol / 20, sol / 50, nil},
		"not sure":      {80, sol, sol / 20, sol / 50, nil},
		"too expensive": {95, sol / 20, sol / 20, sol / 50, nil},
		"a small bond":  {95, sol, sol / 1000, sol * 28 / 1000, func(w *world) { w.task.Money.Bond = sol / 1000 }},
		"not failed":    {95, sol, sol / 20, sol / 50, func(w *world) { w.task.Judges[0].Past = brain.PastTested }},
		"too late":      {95, sol, sol / 20, sol / 50, func(w *world) { w.task.Clock.Deadline = w.now }},
		"it was right":  {95, sol, sol / 20, sol / 50, func(w *world) { w.task.Seal = w.task.Work[2].ResultHash }},
		"another's seat": {95, sol, sol / 20, sol / 50, func(w *world) {
			w.task.Judges[0].Agent = onchain.Address{77}
		}},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := failed(t, x.sure)
			if x.change != nil {
				x.change(w)
			}
			var appeals []megabrain.Grievance
			if got, _ := w.objects(t.TempDir(), x.most, x.stake, x.fee, &appeals); len(appeals) > 0 || got.Lost > 0 {
				t.Errorf("%s: %+v, %+v", name, appeals, got)
			}
		})
	}
}

// TestAttackFirstAppeal: an appeal of another comes first, is meant to fail, and doubles the stake.
// The agent looks again at what its own would cost and bring.
func TestAttackFirstAppeal(t *testing.T) {
	t.Parallel()
	const stake, fee = sol / 20, sol * 28 / 1000
	for most, want := range map[uint64]int{stake + fee: 0, 2*stake + fee: 1} {
		synctest.Test(t, func(t *testing.T) {
			w, tries, appeals := failed(t, 95), 0, 0
			got, _ := w.live(t.TempDir(), brain.EvaluatorRole, 5, func(e *Equipment) {
				e.Plan.Appeal = most
				e.AppealCosts = func(_ context.Context, k *brain.TaskAccount, _ *brain.ClassAccount) (client.Lamports, client.Lamports, error) {
					return client.Lamports(stake << k.Appeal.Refused), fee, nil
				}
				e.Appeal = func(context.Context, megabrain.Grievance) (megabrain.Contested, error) {
					if tries++; tries == 1 {
						w.task.Appeal.Refused, w.task.Appeal.Appellant = 1, onchain.Address{77}
						return megabrain.Contested{}, errors.New("the task is in court")
					}
					if w.task.Marks.Opened != brain.Appealed {
						appeals++
					}
					w.task.Marks.Opened, w.task.Appeal.Appellant = brain.Appealed, self
					return megabrain.Contested{}, nil
				}
			})
			if appeals != want || got.Lost != client.Lamports(uint64(want)*(2*stake+fee)) {
				t.Errorf("at most %d: %d appeals, %+v", most, appeals, got)
			}
		})
	}
}

// twice is a world that shows its task at two addresses.
type twice struct{ *world }

func (w twice) Tasks(ctx context.Context, _ onchain.Address) (out []megabrain.Seen, err error) {
	for _, one := range []onchain.Address{at, {200}} {
		s, err := w.Task(ctx, one)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

func (w twice) Task(ctx context.Context, one onchain.Address) (megabrain.Seen, error) {
	s, err := w.world.Task(ctx, one)
	s.At = one
	return s, err
}

// TestAttackManyAnswers: a creator opens several golden tasks wrongly at once. The agent begins no
// more appeals than its bound on losses allows, before it sees any of them land.
func TestAttackManyAnswers(t *testing.T) {
	t.Parallel()
	const stake, fee = sol / 20, sol * 28 / 1000
	for bound, want := range map[uint64]int{stake + fee: 1, 2 * (stake + fee): 2} {
		synctest.Test(t, func(t *testing.T) {
			w, tried := failed(t, 95), map[onchain.Address]bool{}
			w.live(t.TempDir(), brain.EvaluatorRole, 5, func(e *Equipment) {
				e.Desk, e.Plan.Appeal, e.Plan.Budget.Loss = twice{w}, sol, bound
				e.AppealCosts = func(context.Context, *brain.TaskAccount, *brain.ClassAccount) (client.Lamports, client.Lamports, error) {
					return stake, fee, nil
				}
				e.Appeal = func(_ context.Context, g megabrain.Grievance) (megabrain.Contested, error) {
					tried[g.Task] = true
					return megabrain.Contested{}, errors.New("it did not land yet")
				}
			})
			if len(tried) != want {
				t.Errorf("with a bound of %d it appeals in %d tasks", bound, len(tried))
			}
		})
	}
}

// TestAppealOfAnother: while the agent was off, another's appeal came after its own. What it won is
// what the court said of its own, and it does not appeal again.
func TestAppealOfAnother(t *testing.T) {
	t.Parallel()
	const stake, fee = sol / 20, sol * 28 / 1000
	other := onchain.Address{77}
	for name, x := range map[string]struct {
		before   uint8 // appeals that the court rejected before
		then     func(*brain.TaskAccount)
		earned   client.Lamports
		appealed int
	}{
		"rejected, and another's upheld": {0, func(k *brain.TaskAccount) {
			k.Marks.Opened, k.Appeal.Refused, k.Appeal.Appellant = brain.Overturned, 1, other
		}, 0, 1},
		"rejected, and another's too": {0, func(k *brain.TaskAccount) {
			k.Marks.Opened, k.Appeal.Refused, k.Appeal.Appellant = brain.Shown, 2, other
		}, 0, 1},
		"rejected": {0, func(k *brain.TaskAccount) { k.Marks.Opened, k.Appeal.Refused = brain.Shown, 1 }, 0, 1},
		"undecided after one that was rejected": {1, func(k *brain.TaskAccount) {
			k.Marks.Opened = brain.Shown
		}, stake, 1},
		"another task at the address": {0, func(k *brain.TaskAccount) {
			k.Marks.Opened, k.Appeal, k.Judges[0].Agent = brain.Shown, brain.Appeal{}, other
		}, 0, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			w, dir := failed(t, 95), t.TempDir()
			w.task.Appeal.Refused = x.before
			var appeals []megabrain.Grievance
			w.objects(dir, sol, stake, fee, &appeals)
			x.then(&w.task)
			if got, _ := w.objects(dir, sol, stake, fee, &appeals); len(appeals) != x.appealed || got.Lost != stake+fee || got.Earned != x.earned {
				t.Errorf("%s: %+v after %d appeals", name, got, len(appeals))
			}
			w.task.Clock.Deadline++ // another appeal came after that, and was rejected, too
			if w.task.Appeal.Appellant = other; w.task.Marks.Opened == brain.Shown {
				w.task.Appeal.Refused++
			}
			if got, _ := w.objects(dir, sol, stake, fee, &appeals); len(appeals) != x.appealed || got.Lost != stake+fee || got.Earned != x.earned {
				t.Errorf("%s, and later: %+v after %d appeals", name, got, len(appeals))
			}
		})
	}
	synctest.Test(t, func(t *testing.T) { // its appeal did not land, and the task was made again
		w, dir := failed(t, 95), t.TempDir()
		var appeals []megabrain.Grievance
		w.kill = 2 // before it appeals
		w.objects(dir, sol, stake, fee, &appeals)
		w.task.Judges[0].Agent = other
		if got, dead := w.objects(dir, sol, stake, fee, &appeals); dead || len(appeals) != 0 || got.Lost != 0 {
			t.Errorf("%+v after %d appeals", got, len(appeals))
		}
	})
}
