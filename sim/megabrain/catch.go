package megabrain

import (
	"math"
	"math/rand/v2"

	"ojud/megabrain/reputation"
)

// How many evaluators of each kind are tested, in how many golden tasks.
const (
	tested = 2000
	tests  = 50
)

// Caught is how many evaluators of a kind are taken for rubber stamps, in percent.
type Caught struct {
	Name   string  `json:"name"`
	Honest bool    `json:"honest"`
	Ten    float64 `json:"within_10_golden_tasks"`
	All    float64 `json:"within_50_golden_tasks"`
	Passed float64 `json:"passed"` // golden tasks of those that are not caught
}

// catch gives evaluators of each kind golden tasks until they are caught.
func (s Sample) catch() (out []Caught) {
	for i, k := range []struct {
		name   string
		honest bool
		score  evaluator
	}{
		{"honest", true, honestEvaluator},
		{"honest, but coarse", true, coarseEvaluator},
		{"rubber stamps", false, stampingEvaluator},
		{"varying rubber stamps", false, varyingEvaluator},
		{"lazy", false, lazyEvaluator},
		{"spiteful", false, spitefulEvaluator},
		{"half-looking", false, halfEvaluator},
		{"knowing half of golden", false, knowingEvaluator},
	} {
		c := Caught{Name: k.name, Honest: k.honest}
		r := rand.New(rand.NewPCG(s.Seed, uint64(1000+i)))
		passed, taken := 0., 0.
		for range tested {
			at, ok := s.catchOne(r, k.score)
			if at <= 10 {
				c.Ten++
			}
			if at <= tests {
				c.All++
			}
			passed, taken = passed+float64(ok), taken+float64(min(at, tests))
		}
		for _, x := range []*float64{&c.Ten, &c.All} {
			*x = math.Round(1000**x/tested) / 10
		}
		c.Passed = math.Round(1000*passed/taken) / 10
		out = append(out, c)
	}
	return out
}

// catchOne returns in which golden task an evaluator is caught, or one more than there are, and how
// many it passed.
func (s Sample) catchOne(r *rand.Rand, score evaluator) (at, passed int) {
	book, terms := reputation.New(reputation.Defaults(), nil), s.terms()
	for at = 1; at <= tests; {
		papers := []paper{made(r, 0, 0, 45, 1+r.IntN(3)), honestWorker.work(r, nil, 0), honestWorker.work(r, nil, 0)}
		scores, _ := score(r, papers, sight{golden: true})
		seen := marked(papers, scores)
		if !reputation.Both(seen) {
			continue
		}
		ok := reputation.Tells(seen, terms.Pass, terms.Sigma)
		if ok {
			passed++
		}
		if book.Golden("x", reputation.Evaluator, class, 0, ok) {
			return at, passed
		}
		at++
	}
	return at, passed
}
