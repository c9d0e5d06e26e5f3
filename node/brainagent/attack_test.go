package brainagent

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ojud/agent"
	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/megabrain/finding"
	"ojud/node/client"
	"ojud/node/megabrain"
	"ojud/node/trader"
)

// hostile workers show the results that stand in it.
type hostile struct {
	*world
	results []string
	input   json.RawMessage // what the last thought was given
}

func (h *hostile) Results(context.Context, onchain.Address, int) (out []megabrain.HandedIn, err error) {
	for i, text := range h.results {
		out = append(out, megabrain.HandedIn{Worker: onchain.Address{byte(20 + i)}.String(), Hash: "ab", Text: text})
	}
	return out, nil
}

func (h *hostile) Think(ctx context.Context, c trader.Chore) (trader.Product, error) {
	h.input = c.Input
	return h.world.Think(ctx, c)
}

// TestAttackResults: whatever workers hand in, the input of an evaluator is one that a model's
// agent takes.
func TestAttackResults(t *testing.T) {
	t.Parallel()
	text := func(piece string) string { return `"` + strings.Repeat(piece, (finding.MaxResult-2)/len(piece)) + `"` }
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for name, result := range map[string]string{
		"a name twice": `{"a":1,"a":1}`, "no UTF-8": "\"\xff\"", "not JSON": "{", "nobody has it": "", "too large": strings.Repeat(" ", 256<<10),
		"deep": nested(70), "as deep as a court reads": nested(64), "as deep as a report has room": nested(61),
		"signs of HTML": text("<"), "line separators": text("\u2028"), "control characters": text(`\u0001`), "many values": "[" + strings.Repeat("1,", 11_000) + "1]",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := &hostile{world: newWorld(t, brain.EvaluatorRole)}
				for range brain.MaxSeats - 1 {
					h.results = append(h.results, result)
				}
				h.results = append(h.results, `{"year":1931}`)
				h.task.Clock.Deadline = h.now + 600
				h.live(t.TempDir(), brain.EvaluatorRole, 3, func(e *Equipment) { e.Desk, e.Thinkers[class] = h, h })
				if h.commits != 1 || h.thoughts != 1 {
					t.Errorf("%d commitments after %d thoughts", h.commits, h.thoughts)
				}
				limits := agent.DefaultConfig().Schema
				if len(h.input) > agent.DefaultConfig().InputBytes {
					t.Errorf("the input has %d bytes", len(h.input))
				}
				if _, err := limits.Decode(h.input); err != nil {
					t.Errorf("%v: %.200s", err, h.input)
				}
				if !strings.Contains(string(h.input), `{"year":1931}`) {
					t.Errorf("the honest result is not in the input: %.200s", h.input)
				}
			})
		})
	}
}

// TestAttackEmptyQuestion: a task may ask nothing, and silence costs the whole stake. A question
// that was not found is another thing.
func TestAttackEmptyQuestion(t *testing.T) {
	t.Parallel()
	for _, there := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			w, want := newWorld(t, brain.WorkerRole), 0
			if there {
				want = 1
			}
			w.live(t.TempDir(), brain.WorkerRole, 5, func(e *Equipment) {
				e.Question = func(context.Context, onchain.Address, *brain.TaskAccount) (string, bool, error) {
					return "", there, nil
				}
			})
			if w.thoughts != want || w.commits != want {
				t.Errorf("found %v: %d thoughts, %d commitments", there, w.thoughts, w.commits)
			}
		})
	}
}

// TestAttackQuestionWithheld: a requester gives the text of its question to nobody, and silence
// costs the whole stake. The agent waits for it until half of its window is left, and begins then.
func TestAttackQuestionWithheld(t *testing.T) {
	t.Parallel()
	for _, r := range []brain.Role{brain.WorkerRole, brain.EvaluatorRole} {
		for _, late := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				w, want := newWorld(t, r), 0
				w.task.Clock.Deadline = w.now + 13*3600
				if late {
					want, w.task.Clock.Deadline = 1, w.now+3600
				}
				w.live(t.TempDir(), r, 5, func(e *Equipment) {
					e.Question = func(context.Context, onchain.Address, *brain.TaskAccount) (string, bool, error) {
						return "sha256:ab", true, megabrain.ErrElsewhere
					}
				})
				if w.thoughts != want || w.commits != want {
					t.Errorf("role %d, late %v: %d thoughts, %d commitments", r, late, w.thoughts, w.commits)
				}
			})
		}
	}
}

// wronged is a world whose posted outcome wrongs the agent.
func wronged(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, brain.WorkerRole)
	w.task.Work[0].State, w.task.Status, w.task.Marks.Posted, w.task.Poster = seatRevealed, brain.Posted, 1, onchain.Address{99}
	w.wrong(brain.WorkerRole)
	return w
}

// racing is a world in which the dispute of a friend of the poster comes before the agent's.
type racing struct{ *world }

func (r racing) Dispute(ctx context.Context, f megabrain.Found, why string) (megabrain.Disputed, error) {
	if r.task.Marks.Rejected > 0 {
		return r.world.Dispute(ctx, f, why)
	}
	r.task.Status, r.task.Disputant, r.task.Dispute = brain.Disputed, onchain.Address{77}, onchain.Address{9}
	return megabrain.Disputed{}, errors.New("the task is disputed")
}

// TestAttackFirstDispute: a dispute that comes first, and is meant to fail, does not make the agent
// mute.
func TestAttackFirstDispute(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, dir := wronged(t), t.TempDir()
		race := func(e *Equipment) { e.Desk = racing{w} }
		w.live(dir, brain.WorkerRole, 3, race)
		w.task.Status, w.task.Marks.Rejected = brain.Posted, 1
		w.live(dir, brain.WorkerRole, 3, race)
		if w.disputes != 1 || w.task.Disputant != self {
			t.Errorf("%d disputes of the agent", w.disputes)
		}
		w.task.Finding, w.task.Money.Bond, w.task.Marks.Posted = w.task.Counter, 0, brain.PostedByDisputant
		w.settle(sol/4, 0)
		if took, _ := w.live(dir, brain.WorkerRole, 3, race); took.Earned != sol/4+sol/20 || took.Lost != sol/50 {
			t.Errorf("%+v", took)
		}
	})
}

// TestFurtherEvaluator: after a rejection, settling may call a further evaluator, and the outcome
// is posted again with no rejection counted. The agent does not dispute a second time, and counts
// what it lost once, before the task is over.
func TestFurtherEvaluator(t *testing.T) {
	t.Parallel()
	for _, seen := range []bool{true, false} { // the state between
		synctest.Test(t, func(t *testing.T) {
			w, dir := wronged(t), t.TempDir()
			w.live(dir, brain.WorkerRole, 3, nil)
			w.task.Status, w.task.Marks.Rejected = brain.Posted, 1
			if seen {
				w.live(dir, brain.WorkerRole, 3, nil)
			}
			w.task.Marks.Rejected = 0
			if took, _ := w.live(dir, brain.WorkerRole, 3, nil); took.Lost != sol/20+sol/50 {
				t.Errorf("%+v", took)
			}
			w.settle(0, 0)
			if took, _ := w.live(dir, brain.WorkerRole, 3, nil); w.disputes != 1 || took.Lost != sol/20+sol/50 || took.Open != 0 {
				t.Errorf("%d disputes, %+v", w.disputes, took)
			}
		})
	}
}

// TestUndecided: if the court does not decide, the stake comes back, and the fee does not.
func TestUndecided(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, dir := wronged(t), t.TempDir()
		w.live(dir, brain.WorkerRole, 3, nil)
		w.task.Marks.Posted = 0
		w.settle(0, 0)
		if took, _ := w.live(dir, brain.WorkerRole, 3, nil); took.Lost != sol/50 {
			t.Errorf("%+v", took)
		}
	})
}

// TestAttackSameAddress: a task that is settled, closed and made again at its address between two
// looks is another one: its question is asked for, and the answer of the first is not its answer.
func TestAttackSameAddress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, dir := newWorld(t, brain.WorkerRole), t.TempDir()
		w.live(dir, brain.WorkerRole, 3, nil)
		first, then := w.said, w.task
		w.task.Work[0].State, w.task.Work[0].Commitment, w.task.Clock.CreatedSlot, w.said = seatDrawn, [32]byte{}, 999, ""
		took, _ := w.live(dir, brain.WorkerRole, 3, nil)
		if w.said == first || w.thoughts != 2 || w.commits != 2 || took.Lost != sol/20 || took.Open != 1 {
			t.Errorf("first %s, then %s, after %d thoughts and %d commitments; %+v", first, w.said, w.thoughts, w.commits, took)
		}
		w.task = then // as a node shows it that is behind
		if took, _ := w.live(dir, brain.WorkerRole, 3, nil); took.Lost != sol/20 || took.Open != 1 || w.thoughts != 2 {
			t.Errorf("%+v after %d thoughts", took, w.thoughts)
		}
	})
}

// withheld is a world in which the third worker, a friend of the poster, shows its result to
// nobody.
type withheld struct {
	*world
	fault error
}

func (w withheld) Find(ctx context.Context, at onchain.Address, g megabrain.Gaps) (megabrain.Found, error) {
	if g != megabrain.NoEffort {
		return megabrain.Found{}, w.fault
	}
	return w.world.Find(ctx, at, g)
}

// TestAttackWithheld: a worker that shows its result to nobody does not keep agents from disputing
// an outcome that is false without it, too. An outcome that may be right with it is not disputed,
// nor one of a time in which memory nodes do not answer.
func TestAttackWithheld(t *testing.T) {
	t.Parallel()
	all := brain.Fact{Complete: 10_000, Cluster: 1}
	for name, c := range map[string]struct {
		posted [3]brain.Fact
		fault  error
		want   int
	}{
		"no effort":                 {[3]brain.Fact{{Complete: 10_000, LowEffort: 1}, all, {Complete: 10_000, Cluster: 3}}, megabrain.ErrAbsent, 1},
		"parted":                    {[3]brain.Fact{{Complete: 10_000}, all, all}, megabrain.ErrAbsent, 1},
		"only one worked":           {[3]brain.Fact{{LowEffort: 1}, {LowEffort: 1}, all}, megabrain.ErrAbsent, 1},
		"right with it":             {[3]brain.Fact{all, all, all}, megabrain.ErrAbsent, 0},
		"no memory node answers":    {[3]brain.Fact{{Complete: 10_000, LowEffort: 1}, all, all}, errors.New("connection refused"), 0},
		"the same without a result": {[3]brain.Fact{all, all, {LowEffort: 1}}, megabrain.ErrAbsent, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w, dir := wronged(t), t.TempDir()
				w.facts.Facts[2] = finding.Fact{LowEffort: true}
				if name == "only one worked" {
					w.facts.Facts[1] = w.facts.Facts[2]
				}
				copy(w.task.Finding.Facts[:], c.posted[:])
				change := func(e *Equipment) { e.Desk = withheld{w, c.fault} }
				w.live(dir, brain.WorkerRole, 3, change)
				if w.disputes != c.want {
					t.Errorf("%d disputes, want %d", w.disputes, c.want)
				}
				if w.live(dir, brain.WorkerRole, 3, change); w.disputes != c.want {
					t.Errorf("after a start %d disputes, want %d", w.disputes, c.want)
				}
			})
		})
	}
}

// flooded is a world with two tasks: the address of the small one comes first.
type flooded struct {
	*world
	mu    sync.Mutex
	began []string
}

func (f *flooded) Tasks(ctx context.Context, _ onchain.Address) (out []megabrain.Seen, err error) {
	for _, one := range []onchain.Address{at, {200}} {
		s, err := f.Task(ctx, one)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

func (f *flooded) Task(ctx context.Context, one onchain.Address) (megabrain.Seen, error) {
	s, err := f.world.Task(ctx, one)
	if s.At = one; err == nil && one == at {
		s.Task.Money.Budget, s.Task.Money.WorkerStake = sol/1000, sol/20_000
		s.Task.Clock.Deadline -= 1_000
	}
	return s, err
}

func (f *flooded) Think(ctx context.Context, c trader.Chore) (trader.Product, error) {
	var q question
	if err := json.Unmarshal(c.Input, &q); err != nil {
		return trader.Product{}, err
	}
	f.mu.Lock()
	f.began = append(f.began, q.Task)
	f.mu.Unlock()
	<-ctx.Done()
	return trader.Product{}, ctx.Err()
}

// TestAttackSmallTasks: the task that holds most of the stake is done first, whatever addresses and
// deadlines others have, and a task below the least budget of the class is not done at all.
func TestAttackSmallTasks(t *testing.T) {
	t.Parallel()
	for least, want := range map[uint64]int{0: 2, sol / 100: 1} {
		synctest.Test(t, func(t *testing.T) {
			f := &flooded{world: newWorld(t, brain.WorkerRole)}
			f.live(t.TempDir(), brain.WorkerRole, 3, func(e *Equipment) {
				e.Desk, e.Thinkers[class], e.Plan.AtOnce, e.Plan.Classes[0].Least = f, f, 2, least
			})
			if len(f.began) != want || want == 1 && f.began[0] != (onchain.Address{200}).String() {
				t.Errorf("least %d: it began with %v", least, f.began)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		f := &flooded{world: newWorld(t, brain.WorkerRole)}
		f.live(t.TempDir(), brain.WorkerRole, 3, func(e *Equipment) { e.Desk, e.Thinkers[class] = f, f })
		if len(f.began) != 1 || f.began[0] != (onchain.Address{200}).String() {
			t.Errorf("one at a time: it began with %v", f.began)
		}
	})
}

// slow is a program that never ends by itself.
type slow struct{ took *time.Duration }

func (s slow) Think(ctx context.Context, _ trader.Chore) (trader.Product, error) {
	began := time.Now()
	<-ctx.Done()
	*s.took = time.Since(began)
	return trader.Product{}, ctx.Err()
}

// TestTimeToCommit: thinking ends while there is time to commit to what came of it.
func TestTimeToCommit(t *testing.T) {
	t.Parallel()
	for left, want := range map[int64]time.Duration{4_000: 3_970 * time.Second, 60: 54 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			w, took := newWorld(t, brain.WorkerRole), time.Duration(0)
			w.task.Clock.Deadline = w.now + left
			w.live(t.TempDir(), brain.WorkerRole, int(left), func(e *Equipment) {
				e.Thinkers[class], e.Plan.Classes[0].Attempts = slow{&took}, 1
			})
			if took != want {
				t.Errorf("of %d s it thinks %s, want %s", left, took, want)
			}
		})
	}
}

// TestFurtherWorkers: an evaluator that is asked again about further workers makes a new answer,
// also if it is killed at that moment. Its old one would say nothing of them.
func TestFurtherWorkers(t *testing.T) {
	t.Parallel()
	for kill := range 3 {
		synctest.Test(t, func(t *testing.T) {
			w, dir := newWorld(t, brain.EvaluatorRole), t.TempDir()
			w.live(dir, brain.EvaluatorRole, 3, nil)
			first := w.said
			w.task.Counts.Drawn, w.task.Judges[0].State, w.task.Judges[0].Asked = 4, seatDrawn, 2
			w.effects, w.kill, w.after = 0, kill, kill == 2
			w.live(dir, brain.EvaluatorRole, 3, nil)
			w.live(dir, brain.EvaluatorRole, 3, nil)
			if w.said == first || w.thoughts != 2 || w.commits != 2 || w.mistakes != 0 {
				t.Errorf("first %s, then %s, after %d thoughts and %d commitments", first, w.said, w.thoughts, w.commits)
			}
		})
	}
}

// TestAttackSecondLie: the court was with the agent's dispute, further evaluators were called, and
// another one posted the same lie. The agent counted its dispute as lost, and was silent about
// that.
func TestAttackSecondLie(t *testing.T) {
	t.Parallel()
	for _, past := range []uint8{brain.PastLost, 0} {
		synctest.Test(t, func(t *testing.T) {
			w, dir := wronged(t), t.TempDir()
			w.live(dir, brain.WorkerRole, 3, nil)
			w.task.Judges[1].Agent, w.task.Judges[1].Past = w.task.Poster, past
			w.task.Status, w.task.Counts.Seated, w.task.Poster = brain.Posted, 3, onchain.Address{98}
			w.task.Dispute, w.task.Disputant, w.task.Judges[2].State = onchain.Address{}, onchain.Address{}, seatRevealed
			w.facts.Stamped = make([]bool, 3)
			took, _ := w.live(dir, brain.WorkerRole, 3, nil)
			earned, lost := client.Lamports(sol/20), client.Lamports(sol/50)
			if past == 0 { // the control: the court was not with it
				earned, lost = 0, sol/20+sol/50
			}
			if w.disputes != 2 || took.Earned != earned || took.Lost != lost {
				t.Errorf("%d disputes, %+v", w.disputes, took)
			}
		})
	}
}
