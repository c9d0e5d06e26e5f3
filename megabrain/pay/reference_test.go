package pay_test

import (
	"math"
	"testing"

	"ojud/megabrain/pay"
	"ojud/megabrain/reference"
)

// TestReferenceOutliers: B.2 finds no outlier among fewer than six evaluators of one weight,
// however far apart they are, because none of n numbers lies more than √(n−1) deviations from their
// mean. Ours finds one among three.
func TestReferenceOutliers(t *testing.T) {
	found := func(n int) int {
		e := make([]reference.Evaluation, n)
		for i := range e {
			e[i] = reference.Evaluation{Score: 100, Confidence: 1, Reputation: 1}
		}
		e[0].Score = 0
		_, outliers, _ := reference.Aggregate(e)
		return len(outliers)
	}
	for n := 2; n < 6; n++ {
		if found(n) != 0 {
			t.Errorf("B.2 finds the one of %d evaluators that says 0 where all others say 100", n)
		}
	}
	if found(6) != 1 {
		t.Error("control: B.2 does not find the one of six")
	}
	for n := 3; n < 6; n++ {
		s := pay.Settle(task(t, func(a *pay.Assignment) {
			for len(a.Evaluators) < n {
				further(a)
			}
			score(a, 0, append([]int{0}, []int{100, 100, 100, 100}[:n-1]...)...)
			score(a, 1, []int{80, 80, 80, 80, 80}[:n]...)
		}))
		if p := part(t, s, "e0"); p.Slashed != 7500 {
			t.Errorf("ours does not find the one of %d: %+v", n, p)
		}
	}
}

// TestReferenceInvariant: the invariant of B.2, half of the weight within one deviation, holds for
// every pair of scores of one weight, even 0 and 100: it says nothing. Ours refuses all pairs that
// differ by more than the tolerance, and calls a further evaluator.
func TestReferenceInvariant(t *testing.T) {
	broken, refused := 0, 0
	for x := range 101 {
		for y := range 101 {
			pair := []reference.Evaluation{{Score: float64(x), Confidence: 1, Reputation: 1}, {Score: float64(y), Confidence: 1, Reputation: 1}}
			if _, _, valid := reference.Aggregate(pair); !valid {
				broken++
			}
		}
	}
	if broken != 0 {
		t.Errorf("B.2 refuses %d pairs", broken)
	}
	for y := range 101 {
		s := pay.Settle(task(t, func(a *pay.Assignment) { score(a, 0, 60, y) }))
		if s.Status == pay.FurtherEvaluator {
			refused++
		}
		if want := y < 40 || y > 80; want != (s.Status == pay.FurtherEvaluator) {
			t.Errorf("60 and %d: %s", y, s.Status)
		}
	}
	if refused != 60 {
		t.Errorf("ours refuses %d of 101", refused)
	}
}

// TestReferenceQuality: B.3 says the same of three results with 95, 96 and 97 points as of three
// with 5, 6 and 7, and in a hard task all that is not below the mean counts as 1. Ours tells them
// apart, and pays none of the bad ones.
func TestReferenceQuality(t *testing.T) {
	good, bad := []float64{95, 96, 97}, []float64{5, 6, 7}
	for i := range good {
		if g, b := reference.Normalise(good[i], good, 1), reference.Normalise(bad[i], bad, 1); math.Abs(g-b) > 1e-9 {
			t.Errorf("B.3 tells good from bad: %v, %v", g, b)
		}
	}
	all := []float64{50, 60, 70, 80, 90}
	if a, b := reference.Normalise(70, all, 2), reference.Normalise(90, all, 2); a != 1 || b != 1 {
		t.Errorf("B.3 tells the median from the best in a hard task: %v, %v", a, b)
	}
	ours := func(scores ...int) pay.Settlement {
		return pay.Settle(task(t, func(a *pay.Assignment) {
			a.Difficulty, a.Workers[2].Cluster, a.Parameters.MaxEvaluators = 200, "a", 2
			for i, s := range scores {
				score(a, i, s, s)
			}
		}))
	}
	if s := ours(5, 6, 7); s.Status != pay.Inconclusive {
		t.Errorf("ours pays bad results: %s", s.Status)
	}
	s := ours(60, 70, 90)
	if a, b, c := part(t, s, "w0").Paid, part(t, s, "w1").Paid, part(t, s, "w2").Paid; a >= b || b >= c {
		t.Errorf("ours pays %d, %d and %d for 60, 70 and 90 points", a, b, c)
	}
}

// TestReferencePool: B.4 pays each of two evaluators that agree the whole pool, 40 of 20, if the
// greatest distance is a constant. If it is the greatest of those that there are, two evaluators
// are equally far from their mean and get nothing. Ours pays each a half.
func TestReferencePool(t *testing.T) {
	if paid := reference.Evaluators(20, []float64{0, 0}, []float64{1, 1}, 100); paid[0]+paid[1] != 40 {
		t.Errorf("B.4 pays %v of a pool of 20", paid)
	}
	if paid := reference.Evaluators(20, []float64{2, 2}, []float64{1, 1}, 0); paid[0]+paid[1] != 0 {
		t.Errorf("B.4 pays %v to two that are 2 from their mean", paid)
	}
	s := pay.Settle(task(t, func(*pay.Assignment) {}))
	if a, b := part(t, s, "e0").Paid, part(t, s, "e1").Paid; a != 100_000 || b != 100_000 || s.Pools.Evaluator != 200_000 {
		t.Errorf("ours pays %d and %d of a pool of %d", a, b, s.Pools.Evaluator)
	}
	near := pay.Settle(task(t, func(a *pay.Assignment) { score(a, 0, 78, 82) }))
	if p := part(t, near, "e0"); p.Paid < 90_000 {
		t.Errorf("ours pays %d for two points beside the consensus", p.Paid)
	}
}

// TestReferenceBonus: B.4 gives the bonus to those above the 90th percentile, which of fewer than
// ten is the best alone or, if two are the best, nobody. Ours divides it among the best.
func TestReferenceBonus(t *testing.T) {
	paid := reference.Workers(70, 10, []float64{90, 90, 60})
	if sum := paid[0] + paid[1] + paid[2]; math.Abs(sum-70) > 1e-9 {
		t.Errorf("B.4 pays a bonus: %v", paid)
	}
	s := pay.Settle(task(t, func(a *pay.Assignment) {
		a.Workers[2].Cluster = "a"
		score(a, 0, 60, 60)
		score(a, 1, 60, 60)
		score(a, 2, 90, 90)
		for i := range 2 {
			at := int64(990 + i)
			a.Workers = append(a.Workers, pay.Submission{ID: []string{"x", "y"}[i], Stake: 50_000, Submitted: &at, Cluster: "a"})
			score(a, 3+i, 60+30*i, 60+30*i)
		}
	}))
	if a, b := part(t, s, "w2"), part(t, s, "y"); a.Bonus != 50_000 || b.Bonus != 50_000 {
		t.Errorf("ours: %+v, %+v", a, b)
	}
}
