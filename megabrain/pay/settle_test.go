package pay_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ojud/megabrain/meaning"
	"ojud/megabrain/pay"
)

// task has three workers that agree and two evaluators that agree about them.
func task(t *testing.T, change func(a *pay.Assignment)) pay.Assignment {
	t.Helper()
	a, err := pay.Parse([]byte(`{"budget":"1000000","deadline":1000,"workers":[{"id":"w","stake":"50000","submitted":null,"cluster":""}],` +
		`"evaluators":[{"id":"e","stake":"30000","reputation":1},{"id":"f","stake":"30000","reputation":1}],"evaluations":[]}`))
	if err != nil {
		t.Fatal(err)
	}
	a.Workers, a.Evaluators, a.Parameters.MaxWorkers = nil, nil, 0
	for i, cluster := range []string{"a", "a", "b"} {
		at := int64(900 + i)
		a.Workers = append(a.Workers, pay.Submission{ID: fmt.Sprintf("w%d", i), Stake: 50_000, Submitted: &at, Cluster: cluster})
	}
	for i := range 2 {
		a.Evaluators = append(a.Evaluators, pay.Evaluator{ID: fmt.Sprintf("e%d", i), Stake: 30_000, Reputation: 5000})
	}
	for i, scores := range [][]int{{80, 80}, {60, 60}, {40, 40}} {
		score(&a, i, scores...)
	}
	change(&a)
	return read(t, a)
}

// score sets what the evaluators say about a worker, with full confidence.
func score(a *pay.Assignment, worker int, scores ...int) {
	id := a.Workers[worker].ID
	a.Evaluations = slices.DeleteFunc(a.Evaluations, func(e pay.Evaluation) bool { return e.Worker == id })
	for i, s := range scores {
		a.Evaluations = append(a.Evaluations, pay.Evaluation{Evaluator: a.Evaluators[i].ID, Worker: id, Score: s, Confidence: 100, At: 1001})
	}
}

// junk lets the last of three evaluators say 100 of the results that agree, and the others this.
func junk(a *pay.Assignment, others int) {
	further(a)
	a.Parameters.MaxEvaluators = 3
	score(a, 0, others, others, 100)
	score(a, 1, others, others, 100)
	score(a, 2, 40, 40, 40)
}

// further adds an evaluator.
func further(a *pay.Assignment) {
	a.Evaluators = append(a.Evaluators, pay.Evaluator{ID: fmt.Sprintf("e%d", len(a.Evaluators)), Stake: 30_000, Reputation: 5000})
}

func read(t *testing.T, a pay.Assignment) pay.Assignment {
	t.Helper()
	raw, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	again, err := pay.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(a, again) {
		t.Fatalf("%s is read as %+v", raw, again)
	}
	return again
}

func part(t *testing.T, s pay.Settlement, id string) pay.Part {
	t.Helper()
	for _, p := range s.Parts {
		if p.ID == id {
			return p
		}
	}
	t.Fatalf("%s: %s gets no part", s.Status, id)
	return pay.Part{}
}

// TestNoise: the noise is the part of the results that count that is in no cluster. A task of noise
// alone is inconclusive.
func TestNoise(t *testing.T) {
	for noise, want := range []int{0, 3333, 6666, 10000} {
		a := task(t, func(a *pay.Assignment) {
			a.Parameters.MaxWorkers = len(a.Workers)
			for i := range a.Workers {
				a.Workers[i].Cluster = "a"
				if i < noise {
					a.Workers[i].Cluster = ""
				}
			}
		})
		if s := pay.Settle(a); s.Noise != want || noise == 3 && s.Status != pay.Inconclusive {
			t.Errorf("%d of 3: %d, %s", noise, s.Noise, s.Status)
		}
	}
}

// TestSettle has a line for each row of the tables of stakes and slashes, and for each way to end.
func TestSettle(t *testing.T) {
	late := int64(1001)
	tests := []struct {
		name   string
		change func(a *pay.Assignment)
		status string
		id     string
		want   pay.Part // paid, bonus, slashed
	}{
		{"the better of two", func(*pay.Assignment) {}, pay.Paid, "w0", pay.Part{Paid: 400_000, Bonus: 100_000}},
		{"the other", func(*pay.Assignment) {}, pay.Paid, "w1", pay.Part{Paid: 300_000}},
		{"outside the cluster", func(*pay.Assignment) {}, pay.Paid, "w2", pay.Part{}},
		{"an evaluator", func(*pay.Assignment) {}, pay.Paid, "e0", pay.Part{Paid: 100_000}},
		{"no bonus among equals", func(a *pay.Assignment) { score(a, 1, 80, 80) }, pay.Paid, "w0", pay.Part{Paid: 350_000}},
		{"half of the structure", func(a *pay.Assignment) { half := 5000; a.Workers[0].Complete = &half; score(a, 1, 80, 80) },
			pay.Paid, "w0", pay.Part{Paid: 233_333}},
		{"a hard task lifts low scores", func(a *pay.Assignment) { a.Difficulty = 200 }, pay.Paid, "w1", pay.Part{Paid: 320_356}},
		{"an easy task lowers them", func(a *pay.Assignment) { a.Difficulty = 50 }, pay.Paid, "w1", pay.Part{Paid: 273_901}},
		{"no result", func(a *pay.Assignment) { a.Workers[2].Submitted = nil; score(a, 2) }, pay.Paid, "w2", pay.Part{Slashed: 50_000}},
		{"a late result", func(a *pay.Assignment) { a.Workers[2].Submitted = &late }, pay.Paid, "w2", pay.Part{Slashed: 50_000}},
		{"an extension makes it timely", func(a *pay.Assignment) {
			a.Workers[2].Submitted, a.Extension = &late, &pay.Extension{Seconds: 8640, Budget: 10_000}
		}, pay.Paid, "w0", pay.Part{Paid: 404_000, Bonus: 101_000}},
		{"a copy", func(a *pay.Assignment) { a.Workers[2].Cluster, a.Workers[2].CopyOf = "a", "w0" }, pay.Paid, "w2", pay.Part{Slashed: 50_000}},
		{"low effort", func(a *pay.Assignment) { a.Workers[2].LowEffort = true }, pay.Paid, "w2", pay.Part{Slashed: 25_000}},
		{"an evaluator that posted", func(a *pay.Assignment) { a.Poster = "e0" }, pay.Paid, "e0", pay.Part{Paid: 110_000}},
		{"one that posted and evaluated nothing", func(a *pay.Assignment) {
			further(a)
			a.Poster = "e2"
		}, pay.Paid, "e2", pay.Part{Slashed: 7500}},
		{"beside one that posted", func(a *pay.Assignment) { a.Poster = "e0" }, pay.Paid, "e1", pay.Part{Paid: 90_000}},
		{"nobody posted", func(a *pay.Assignment) {
			a.Unposted = true
			for i := range a.Workers {
				a.Workers[i].Cluster = ""
			}
		}, pay.Inconclusive, "e0", pay.Part{Paid: 10_000}},
		{"a copy, and nobody posted", func(a *pay.Assignment) {
			a.Unposted, a.Workers[2].CopyOf, a.Workers[2].LowEffort = true, "w0", true
		}, pay.Inconclusive, "w2", pay.Part{Paid: 9333}},
		{"a rubber stamp", func(a *pay.Assignment) {
			further(a)
			a.Evaluators[2].RubberStamp = true
			score(a, 0, 80, 80, 100)
		}, pay.Paid, "e2", pay.Part{Slashed: 22_500}},
		{"an evaluator that says nothing", further, pay.Paid, "e2", pay.Part{Slashed: 7500}},
		{"an outlier", func(a *pay.Assignment) { further(a); score(a, 0, 80, 80, 20) }, pay.Paid, "e2", pay.Part{Slashed: 7500}},
		{"evaluations after their window", func(a *pay.Assignment) { a.Evaluations[0].At = 45_000 }, pay.FurtherEvaluator, "", pay.Part{}},
		{"two disagree", func(a *pay.Assignment) { score(a, 0, 95, 40) }, pay.FurtherEvaluator, "", pay.Part{}},
		{"all disagree", func(a *pay.Assignment) {
			a.Parameters.MaxEvaluators = 3
			further(a)
			score(a, 0, 90, 50, 10)
			score(a, 1, 60, 60, 60)
			score(a, 2, 40, 40, 40)
		}, pay.Inconclusive, "w0", pay.Part{Paid: 23_333}},
		{"each its own", func(a *pay.Assignment) { a.Workers[1].Cluster = "c" }, pay.Inconclusive, "w0", pay.Part{Paid: 18_666}},
		{"evaluators of an inconclusive task are paid", func(a *pay.Assignment) { a.Workers[1].Cluster = "c" }, pay.Inconclusive, "e1", pay.Part{Paid: 100_000}},
		{"noise", func(a *pay.Assignment) { a.Workers[0].Cluster, a.Workers[1].Cluster = "", "" }, pay.Inconclusive, "w2", pay.Part{Paid: 9333}},
		{"two say that results are bad", func(a *pay.Assignment) { score(a, 0, 30, 30) }, pay.FurtherEvaluator, "", pay.Part{}},
		{"bad results that agree", func(a *pay.Assignment) { a.Parameters.MaxEvaluators = 2; score(a, 0, 30, 30); score(a, 1, 30, 30) },
			pay.Inconclusive, "w0", pay.Part{Paid: 6999}},
		{"too few say that results are bad", func(a *pay.Assignment) {
			a.Parameters.MaxEvaluators = 3
			further(a)
			score(a, 0, 35, 40, 55)
			score(a, 1, 35, 40, 55)
			score(a, 2, 40, 40, 40)
		}, pay.Paid, "w0", pay.Part{Paid: 350_000}},
		{"an outlier does not decide that junk is paid", func(a *pay.Assignment) { junk(a, 10) }, pay.Inconclusive, "e2", pay.Part{Paid: 22_219, Slashed: 7500}},
		{"nothing divides a pool among results without quality", func(a *pay.Assignment) { junk(a, 0) }, pay.Inconclusive, "w0", pay.Part{}},
		{"a quality that is rounded to nothing", func(a *pay.Assignment) {
			junk(a, 60)
			tiny := 1
			a.Workers[0].Complete, a.Workers[1].Complete, a.Difficulty = &tiny, &tiny, 50
			a.Parameters.Reject, a.Parameters.Pass = 10_000, 1
			score(a, 0, 100, 100, 100)
			score(a, 1, 100, 100, 100)
		}, pay.Inconclusive, "w0", pay.Part{}},
		{"a copy calls a further worker", func(a *pay.Assignment) {
			a.Parameters.MaxWorkers = 4
			a.Workers[1].Cluster, a.Workers[2].CopyOf = "c", "w0"
		}, pay.FurtherWorker, "", pay.Part{}},
		{"one more changes nothing", func(a *pay.Assignment) { a.Parameters.MaxWorkers, a.Workers[1].Cluster = 4, "c" },
			pay.Inconclusive, "w0", pay.Part{Paid: 18_666}},
		{"an absent worker calls a further one", func(a *pay.Assignment) {
			a.Parameters.MaxWorkers, a.Workers[1].Submitted, a.Workers[2].Cluster = 5, nil, "a"
			a.Workers = a.Workers[:2]
			score(a, 1)
			a.Evaluations = a.Evaluations[:2]
		}, pay.FurtherWorker, "", pay.Part{}},
		{"a further worker has its own window", func(a *pay.Assignment) {
			late := int64(80_000)
			a.Workers[1].Called, a.Workers[1].Submitted = 2000, &late
		}, pay.Paid, "w1", pay.Part{Paid: 300_000}},
		{"one worker left", func(a *pay.Assignment) {
			a.Workers[1].Submitted, a.Workers[2].Submitted = nil, nil
			score(a, 1)
			score(a, 2)
		}, pay.Inconclusive, "w0", pay.Part{Paid: 18_666}},
		{"all absent", func(a *pay.Assignment) {
			for i := range a.Workers {
				a.Workers[i].Submitted = nil
				score(a, i)
			}
		}, pay.Inconclusive, "e0", pay.Part{}},
		{"a task for one worker", func(a *pay.Assignment) {
			score(a, 1)
			score(a, 2)
			a.Workers = a.Workers[:1]
		}, pay.Paid, "w0", pay.Part{Paid: 700_000}},
	}
	for _, k := range tests {
		s := pay.Settle(task(t, k.change))
		if s.Status != k.status {
			t.Errorf("%s: %s (%s), want %s", k.name, s.Status, s.Why, k.status)
			continue
		}
		if k.id == "" {
			continue
		}
		if p := part(t, s, k.id); p.Paid != k.want.Paid || p.Bonus != k.want.Bonus || p.Slashed != k.want.Slashed {
			t.Errorf("%s: %+v, want %+v", k.name, p, k.want)
		}
	}
}

// TestConsequences: what a violation does to a reputation stands beside its slash.
func TestConsequences(t *testing.T) {
	s := pay.Settle(task(t, func(a *pay.Assignment) {
		further(a)
		a.Workers[2].LowEffort, a.Evaluators[2].RubberStamp = true, true
	}))
	if p := part(t, s, "w2"); p.Restore != 5 {
		t.Errorf("%+v: want restoration after 5 tasks", p)
	}
	if p := part(t, s, "e2"); p.Freeze != 30 {
		t.Errorf("%+v: want a freeze of 30 days", p)
	}
}

// TestClass: the class of a task finds the clusters of the results that count.
func TestClass(t *testing.T) {
	classed := func(results ...string) func(a *pay.Assignment) {
		return func(a *pay.Assignment) {
			a.Class = &meaning.Fields{Meaning: []string{"/total"}, Prose: []string{"/why"}}
			for i, r := range results {
				a.Workers[i].Cluster, a.Workers[i].Result = "", json.RawMessage(r)
			}
		}
	}
	const first, second, third = `{"total":7,"why":"Three and four are seven."}`, `{"why":"Three and four are seven.","total":7.0}`, `{"total":8,"why":"Three and four are seven."}`
	for _, k := range []struct {
		name   string
		change func(a *pay.Assignment)
		status string
		err    string
	}{
		{"two of three", classed(first, second, third), pay.Paid, ""},
		{"a field is missing", classed(first, `{"total":7}`, third), pay.Inconclusive, ""},
		{"no result", func(a *pay.Assignment) { classed(first, second, third)(a); a.Workers[2].Result = nil }, "", "without a result"},
		{"a cluster as well", func(a *pay.Assignment) { classed(first, second, third)(a); a.Workers[2].Cluster = "a" }, "", "names a cluster"},
		{"no class", func(a *pay.Assignment) { classed(first, second, third)(a); a.Class = nil }, "", "no class"},
		{"a class of nothing", func(a *pay.Assignment) { classed(first, second, third)(a); a.Class = &meaning.Fields{} }, "", "0 fields"},
	} {
		a := task(t, func(*pay.Assignment) {})
		k.change(&a)
		a, err := pay.Parse(mustJSON(t, a))
		if (k.err == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), k.err) {
			t.Errorf("%s: %v, want %q", k.name, err, k.err)
		}
		if err != nil {
			continue
		}
		if s := pay.Settle(a); s.Status != k.status || s.Status == pay.Paid && s.Cluster != "w0" {
			t.Errorf("%s: %s in %q", k.name, s.Status, s.Cluster)
		}
	}
}

// drawn is a random task, with every kind of fault.
func drawn(t *testing.T, r *rand.Rand) pay.Assignment {
	return task(t, func(a *pay.Assignment) {
		*a = pay.Assignment{
			Budget: 1 + r.Uint64N(1<<uint(4+r.IntN(48))), Deadline: 1000, Difficulty: 50 + r.IntN(151),
			Undistributed: []string{"return", "treasury", "burn"}[r.IntN(3)], Parameters: a.Parameters, Evaluations: []pay.Evaluation{},
		}
		a.Parameters.MaxEvaluators, a.Parameters.MaxWorkers = 2+r.IntN(5), r.IntN(10)
		if r.IntN(2) == 0 {
			a.Parameters.Reject = r.IntN(10_001) * r.IntN(2)
		}
		if r.IntN(8) == 0 {
			a.Extension = &pay.Extension{Seconds: 1 + r.Int64N(86_400), Budget: a.Budget}
		}
		for i := range 1 + r.IntN(9) {
			w := pay.Submission{ID: fmt.Sprintf("w%d", i), Stake: a.Budget/20 + 1 + r.Uint64N(5), Cluster: []string{"a", "a", "a", "b", ""}[r.IntN(5)]}
			if at := 900 + int64(i) + 100*r.Int64N(2); r.IntN(12) > 0 {
				w.Submitted = &at
			}
			if full := r.IntN(10_001); r.IntN(4) == 0 {
				w.Complete = &full
			}
			w.LowEffort = r.IntN(15) == 0
			if r.IntN(10) == 0 {
				w.Called = 950 + r.Int64N(100)
			}
			if i > 0 && r.IntN(10) == 0 && w.Submitted != nil && a.Workers[0].Submitted != nil && *a.Workers[0].Submitted < *w.Submitted {
				w.CopyOf = "w0"
			}
			a.Workers = append(a.Workers, w)
		}
		for i := range 2 + r.IntN(5) {
			a.Evaluators = append(a.Evaluators, pay.Evaluator{
				ID: fmt.Sprintf("e%d", i), Stake: a.Budget*3/100 + 1 + r.Uint64N(5), Reputation: 1 + r.IntN(10_000), RubberStamp: r.IntN(15) == 0,
			})
		}
		switch r.IntN(4) {
		case 0:
			a.Unposted = true
		case 1:
			a.Poster = fmt.Sprintf("e%d", r.IntN(len(a.Evaluators)))
			a.Parameters.Poster = r.IntN(10_001)
		}
		for _, w := range a.Workers {
			truth, spread := r.IntN(101), 1+r.IntN(40)
			for _, e := range a.Evaluators {
				if w.Submitted == nil || r.IntN(15) == 0 {
					continue
				}
				s := min(max(truth+r.IntN(spread)-spread/2, 0), 100)
				if r.IntN(8) == 0 {
					s = r.IntN(101)
				}
				a.Evaluations = append(a.Evaluations, pay.Evaluation{
					Evaluator: e.ID, Worker: w.ID, Score: s, Confidence: min(r.IntN(130), 100), At: 1000 + r.Int64N(45_000),
				})
			}
		}
	})
}

// TestProperties settles random tasks: the second implementation comes to the same lamports, no
// pool pays more than it holds, and budget and stakes are divided to the last lamport.
func TestProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(18, 1))
	ends := map[string]int{}
	for i := range 1500 {
		a := drawn(t, r)
		s := pay.Settle(a)
		ends[s.Status]++
		status, want := settleNaively(a)
		if status != s.Status {
			t.Fatalf("task %d: %s (%s), the second implementation says %s", i, s.Status, s.Why, status)
		}
		for _, p := range s.Parts {
			got := due{lamports(p.Paid), lamports(p.Bonus), lamports(p.Slashed)}
			if got.String() != want[p.ID].String() {
				t.Fatalf("task %d: %s gets %v, by the second implementation %v", i, p.ID, got, want[p.ID])
			}
		}
		if s.Status != pay.FurtherEvaluator && s.Status != pay.FurtherWorker {
			conserved(t, a, s)
		}
	}
	for _, status := range []string{pay.Paid, pay.Inconclusive, pay.FurtherEvaluator, pay.FurtherWorker} {
		if ends[status] < 100 {
			t.Errorf("only %d of 1500 tasks end %s", ends[status], status)
		}
	}
}

func conserved(t *testing.T, a pay.Assignment, s pay.Settlement) {
	t.Helper()
	budget, stakes, out, back := lamports(a.Budget), new(big.Int), lamports(s.Undistributed), lamports(s.Slashed)
	if a.Extension != nil {
		budget.Add(budget, lamports(a.Extension.Budget))
	}
	paid := map[string]*big.Int{"worker": {}, "evaluator": {}, "bonus": {}}
	for _, p := range s.Parts {
		paid[p.Role].Add(paid[p.Role], lamports(p.Paid))
		paid["bonus"].Add(paid["bonus"], lamports(p.Bonus))
		back.Add(back, lamports(p.Returned))
	}
	for _, w := range a.Workers {
		stakes.Add(stakes, lamports(w.Stake))
	}
	for _, e := range a.Evaluators {
		stakes.Add(stakes, lamports(e.Stake))
	}
	for role, percent := range map[string]int64{"worker": 70, "evaluator": 20, "bonus": 10} {
		if most := of(budget, rat(percent, 100)); paid[role].Cmp(most) > 0 {
			t.Fatalf("the %s pool of %v pays %v", role, most, paid[role])
		}
		out.Add(out, paid[role])
	}
	if out.Cmp(budget) != 0 || back.Cmp(stakes) != 0 || len(s.Parts) != len(a.Workers)+len(a.Evaluators) {
		t.Fatalf("%v of a budget of %v, %v of stakes of %v, %d parts", out, budget, back, stakes, len(s.Parts))
	}
}

// TestMonotone: a better score never earns less, all else equal.
func TestMonotone(t *testing.T) {
	for _, others := range [][]int{{60}, {50, 90}, {55, 55, 55}, {30, 70, 90, 90, 100, 20, 60, 80, 85, 95}} {
		for _, difficulty := range []int{50, 100, 200} {
			var before uint64
			for mine := range 101 {
				p := part(t, pay.Settle(task(t, func(a *pay.Assignment) {
					a.Difficulty, a.Workers, a.Evaluations, a.Parameters.MaxEvaluators = difficulty, nil, nil, 2
					for i, s := range append([]int{mine}, others...) {
						at := int64(900 + i)
						a.Workers = append(a.Workers, pay.Submission{ID: fmt.Sprintf("w%d", i), Stake: 50_000, Submitted: &at, Cluster: "a"})
						score(a, i, s, s)
					}
				})), "w0")
				if p.Paid+p.Bonus < before {
					t.Fatalf("beside %v, %d points earn %d, and one point less earned %d", others, mine, p.Paid+p.Bonus, before)
				}
				before = p.Paid + p.Bonus
			}
		}
	}
}

// TestSplitting: a worker that takes more places of one task earns no more for each stake.
func TestSplitting(t *testing.T) {
	earns := func(mine int) uint64 {
		s := pay.Settle(task(t, func(a *pay.Assignment) {
			a.Workers, a.Evaluations = nil, nil
			for i := range 4 + mine {
				at := int64(900 + i)
				a.Workers = append(a.Workers, pay.Submission{ID: fmt.Sprintf("w%d", i), Stake: 50_000, Submitted: &at, Cluster: "a"})
				score(a, i, 80, 80)
			}
		}))
		var sum uint64
		for i := range mine {
			sum += part(t, s, fmt.Sprintf("w%d", 4+i)).Paid
		}
		return sum / uint64(mine)
	}
	for mine := 2; mine < 10; mine++ {
		if earns(mine) > earns(1) {
			t.Errorf("%d places earn %d for each stake, one earns %d", mine, earns(mine), earns(1))
		}
	}
}

// TestParse has inputs of a stranger.
func TestParse(t *testing.T) {
	good := string(mustJSON(t, task(t, func(*pay.Assignment) {})))
	for _, k := range []struct{ old, changed, want string }{
		{`"budget":"1000000"`, `"budget":"0"`, "budget is 0"},
		{`"budget":"1000000"`, `"budget":"-1"`, "form"},
		{`"budget":"1000000"`, `"budget":"99999999999999999999"`, "form"},
		{`"budget":"1000000"`, `"budget":1000000`, "form"},
		{`"budget":"1000000"`, `"budget":"2000000"`, "workers[0].stake is 50000 lamports; it is 100000 to"},
		{`"score":80`, `"score":101`, "score is 101"},
		{`"score":80`, `"score":NaN`, "not JSON"},
		{`"score":80`, `"score":80.5`, "form"},
		{`"confidence":100`, `"confidence":-1`, "confidence is -1"},
		{`"deadline":1000`, `"deadline":0`, "deadline is 0"},
		{`"deadline":1000`, `"deadline":1000,"poster":"w0"`, "poster is \"w0\", no evaluator"},
		{`"deadline":1000`, `"deadline":1000,"poster":"e0","unposted":true`, "poster is \"e0\", and unposted"},
		{`"difficulty":100`, `"difficulty":201`, "difficulty is 201"},
		{`"undistributed":"return"`, `"undistributed":"me"`, "undistributed"},
		{`"reputation":5000`, `"reputation":0`, "reputation is 0"},
		{`"id":"w1"`, `"id":"e0"`, "nobody has two parts"},
		{`"id":"w1"`, `"id":""`, "id has 0 bytes"},
		{`"evaluator":"e1"`, `"evaluator":"w1"`, "no evaluator"},
		{`"evaluator":"e1"`, `"evaluator":"e0"`, "second"},
		{`"worker":"w2"`, `"worker":"w9"`, "submitted nothing"},
		{`"copy_of":""`, `"copy_of":"w1"`, "not submitted before"},
		{`"worker_pool_bps":7000`, `"worker_pool_bps":7001`, "more than the budget"},
		{`"consensus_bps":6600`, `"consensus_bps":5000`, "consensus_bps"},
		{`"deadline":1000`, `"deadline":1000,"extension":{"seconds":86400,"budget":"99999"}`, "cost at least 100000"},
		{`"deadline":1000`, `"deadline":1000,"extension":{"seconds":0,"budget":"99999"}`, "extension.seconds is 0"},
		{`"deadline":1000`, `"deadline":1000,"deadline":1000`, "twice"},
		{`"deadline":1000`, `"deadline":1000,"more":1`, "more"},
		{`"deadline":1000`, `"deadline":1000,"Budget":"7"`, "Budget"},
		{`"stake":"50000"`, `"stake":"50000","Stake":"7"`, "Stake"},
		{`"worker_pool_bps":7000`, `"Worker_Pool_Bps":7000`, "Worker_Pool_Bps"},
		{`"budget":"1000000"`, `"budget":"9007199254740993"`, "budget is 9007199254740993"},
		{`"budget":"1000000"`, `"budget":"9223372036854775807","extension":{"seconds":259200,"budget":"0"}`, "budget is"},
		{`"complete"`, `"`, ""},
	} {
		_, err := pay.Parse([]byte(strings.Replace(good, k.old, k.changed, 1)))
		if (k.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), k.want) {
			t.Errorf("%s: %v, want %q", k.changed, err, k.want)
		}
	}
	if _, err := pay.Parse(make([]byte, pay.MaxBytes+1)); err == nil {
		t.Error("a file beyond the limit is read")
	}
}

// TestLargest: the largest amounts overflow nowhere.
func TestLargest(t *testing.T) {
	const most = 1 << 53
	s := pay.Settle(task(t, func(a *pay.Assignment) {
		a.Budget, a.Parameters.Extension = most/4, 10_000
		a.Extension = &pay.Extension{Seconds: 3 * 86_400, Budget: most - most/4}
		a.Workers = nil
		a.Evaluations = nil
		for i := range 1000 {
			a.Workers = append(a.Workers, pay.Submission{ID: fmt.Sprintf("w%d", i), Stake: most})
		}
		for len(a.Evaluators) < 20 {
			further(a)
		}
		for i := range a.Evaluators {
			a.Evaluators[i].Stake, a.Evaluators[i].RubberStamp = most, true
		}
	}))
	if s.Undistributed != most || s.Slashed != 1000*most+20*(most/4*3) {
		t.Errorf("%d not distributed, %d slashed", s.Undistributed, s.Slashed)
	}
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// FuzzParse: whatever a stranger writes is refused or settled, within the pools.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"budget":"1000","deadline":9,"workers":[{"id":"w","stake":"50","submitted":5,"cluster":"a"}],"evaluators":[{"id":"e","stake":"30","reputation":1},` +
		`{"id":"f","stake":"30","reputation":9}],"evaluations":[{"evaluator":"e","worker":"w","score":80,"confidence":90,"at":9},{"evaluator":"f","worker":"w","score":70,"confidence":90,"at":9}]}`))
	f.Add([]byte(`{"budget":"1000","deadline":9,"class":{"meaning":["/a"],"prose":["/b"]},"workers":[{"id":"w","stake":"50","submitted":5,"result":{"a":1,"b":"On May 5 Ada won 2 of 3."}},` +
		`{"id":"v","stake":"50","submitted":5,"result":{"a":1.0,"b":"Ada won two of three on 5 May."}}],"evaluators":[{"id":"e","stake":"30","reputation":1},` +
		`{"id":"f","stake":"30","reputation":9}],"evaluations":[{"evaluator":"e","worker":"w","score":80,"confidence":90,"at":9},{"evaluator":"f","worker":"w","score":70,"confidence":90,"at":9}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		a, err := pay.Parse(raw)
		if err != nil {
			return
		}
		if s := pay.Settle(a); s.Status != pay.FurtherEvaluator && s.Status != pay.FurtherWorker && a.Parameters.WorkerPool == 7000 && a.Parameters.EvaluatorPool == 2000 && a.Parameters.BonusPool == 1000 {
			conserved(t, a, s)
		}
	})
}
