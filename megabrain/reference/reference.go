// Package reference has the reference algorithms of the MegaBrain Protocol, revision 1, appendix B,
// as they are written there: in floating point, with their faults. Nothing is paid by them. Tests
// and the simulation put them beside package pay, which corrects them.
package reference

import (
	"math"
	"slices"
)

// Evaluation is an evaluator's score of one result, with the weight of the evaluator.
type Evaluation struct {
	Score      float64 // 0 to 100
	Confidence float64 // 0 to 1
	Reputation float64
}

// Aggregate is B.2: the weighted mean without the scores that lie more than two deviations from the
// weighted mean of all, the indices of those, and whether half of the weight lies within one
// deviation (the invariant).
func Aggregate(evaluations []Evaluation) (score float64, outliers []int, valid bool) {
	mean, std := moments(evaluations)
	var kept []Evaluation
	var near, all float64
	for i, e := range evaluations {
		all += e.weight()
		if math.Abs(e.Score-mean) <= std+1e-9 {
			near += e.weight()
		}
		if math.Abs(e.Score-mean) > 2*std+1e-9 {
			outliers = append(outliers, i)
			continue
		}
		kept = append(kept, e)
	}
	score, _ = moments(kept)
	return score, outliers, near >= all/2
}

func (e Evaluation) weight() float64 { return e.Confidence * e.Reputation }

func moments(evaluations []Evaluation) (mean, std float64) {
	var sum, all float64
	for _, e := range evaluations {
		sum += e.weight() * e.Score
		all += e.weight()
	}
	mean = sum / all
	for _, e := range evaluations {
		std += e.weight() * (e.Score - mean) * (e.Score - mean)
	}
	return mean, math.Sqrt(std / all)
}

// Normalise is B.3: a worker's score relative to all scores of the task, through a sigmoid, times
// the difficulty (0.5 to 2), at most 1.
func Normalise(score float64, all []float64, difficulty float64) float64 {
	var mean, std float64
	for _, s := range all {
		mean += s / float64(len(all))
	}
	for _, s := range all {
		std += (s - mean) * (s - mean) / float64(len(all))
	}
	z := (score - mean) / max(math.Sqrt(std), 0.01)
	return min(difficulty/(1+math.Exp(-z)), 1)
}

// Workers is the part of B.4 for the workers of the dominant cluster: by score, with the bonus for
// those above the 90th percentile. The percentile is interpolated, as numpy does by default.
func Workers(pool, bonus float64, scores []float64) []float64 {
	var sum float64
	for _, s := range scores {
		sum += s
	}
	high, eligible := percentile(scores, 90), 0.
	for _, s := range scores {
		if s > high {
			eligible++
		}
	}
	out := make([]float64, len(scores))
	for i, s := range scores {
		out[i] = pool * s / sum
		if s > high {
			out[i] += bonus / eligible
		}
	}
	return out
}

func percentile(scores []float64, p float64) float64 {
	sorted := slices.Sorted(slices.Values(scores))
	at := p / 100 * float64(len(sorted)-1)
	low := int(at)
	if low == len(sorted)-1 {
		return sorted[low]
	}
	return sorted[low] + (at-float64(low))*(sorted[low+1]-sorted[low])
}

// Evaluators is the part of B.4 for evaluators: each gets the pool times its alignment times its
// confidence. The distance at which nothing is paid is the greatest of them, or most if that is
// given, because the text does not say which it means.
func Evaluators(pool float64, distances, confidence []float64, most float64) []float64 {
	if most == 0 {
		most = slices.Max(distances)
	}
	out := make([]float64, len(distances))
	for i, d := range distances {
		out[i] = pool * (1 - math.Abs(d/most)) * confidence[i]
	}
	return out
}
