package megabrain

import (
	"math"

	"ojud/megabrain/reference"
)

// asWritten pays by the reference algorithms of the protocol. Copies are not seen, because it has
// no way to see them, and the largest cluster of two and more is dominant.
func (t task) asWritten(f *Figures, p *purse) {
	size, papers := map[int]int{}, t.papers[:seats]
	for _, paper := range papers {
		size[paper.answer]++
	}
	dominant := -1
	for answer, n := range size {
		if n >= 2 {
			dominant = answer
		}
	}
	if dominant < 0 {
		f.Inconclusive++
		for _, s := range t.workers[:seats] {
			p.add(0, s, 0)
		}
		for _, s := range t.judges[:judges] {
			p.add(1, s, 0)
		}
		return
	}
	if dominant == 0 {
		f.Right++
	} else {
		f.Wrong++
	}
	var all, raw, distances, confidence []float64
	outlier := make([]bool, judges)
	distances, confidence = make([]float64, judges), make([]float64, judges)
	for i := range papers {
		var e []reference.Evaluation
		for n := range judges {
			e = append(e, reference.Evaluation{Score: float64(t.scores[n][i]), Confidence: .9, Reputation: .5})
			all = append(all, float64(t.scores[n][i]))
		}
		score, outliers, _ := reference.Aggregate(e)
		raw = append(raw, score)
		for n := range judges {
			distances[n] += math.Abs(e[n].Score-score) / seats
			confidence[n] = .9
		}
		for _, n := range outliers {
			outlier[n] = true
		}
	}
	var in []int
	var scores []float64
	for i, paper := range papers {
		if paper.answer == dominant {
			in, scores = append(in, i), append(scores, reference.Normalise(raw[i], all, 1))
		}
	}
	gain := make([]float64, seats)
	for k, paid := range reference.Workers(70, 10, scores) {
		gain[in[k]] = paid
	}
	for i, s := range t.workers[:seats] {
		p.add(0, s, gain[i])
	}
	sum := 0.
	for n, paid := range reference.Evaluators(20, distances, confidence, 100) {
		sum += paid
		if outlier[n] {
			paid -= 3. / 4
		}
		p.add(1, t.judges[n], paid)
	}
	if sum > 20 {
		f.Overdrawn++
	}
}
