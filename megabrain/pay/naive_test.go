package pay_test

import (
	"fmt"
	"math/big"
	"sort"

	"ojud/megabrain/pay"
)

// naive settles a task a second time, on fractions of unbounded size and by other ways to the same
// sums: it takes nothing from the package but the form of a task.
type naive struct {
	pay.Assignment
	counted map[string]bool
	score   map[string]*big.Int // of the results on which evaluators agree
	far     map[string]bool     // evaluators
	off     map[[2]string]bool  // an evaluator is far from the others about a result
	refused map[string]bool     // results without agreement
}

type due struct{ paid, bonus, slashed *big.Int }

func (d due) String() string {
	return fmt.Sprintf("%v paid, %v bonus, %v slashed", d.paid, d.bonus, d.slashed)
}

func rat(a, b int64) *big.Rat { return big.NewRat(a, b) }

func floor(r *big.Rat) *big.Int { return new(big.Int).Div(r.Num(), r.Denom()) }

func of(amount *big.Int, part *big.Rat) *big.Int {
	return floor(new(big.Rat).Mul(new(big.Rat).SetInt(amount), part))
}

func lamports(n uint64) *big.Int { return new(big.Int).SetUint64(n) }

func (n *naive) ends() int64 {
	if n.Extension != nil {
		return n.Deadline + n.Extension.Seconds
	}
	return n.Deadline
}

func (n *naive) endsFor(w pay.Submission) int64 {
	if later := w.Called + int64(n.Parameters.Submission); w.Called > 0 && later > n.ends() {
		return later
	}
	return n.ends()
}

func (n *naive) total() *big.Int {
	b := lamports(n.Budget)
	if n.Extension != nil {
		b.Add(b, lamports(n.Extension.Budget))
	}
	return b
}

// heard are the evaluations of a result that were in time.
func (n *naive) heard(worker string) (out []pay.Evaluation) {
	start := int64(0)
	for _, w := range n.Workers {
		at := n.endsFor(w)
		if w.Submitted != nil && *w.Submitted < at {
			at = *w.Submitted
		}
		if at > start {
			start = at
		}
	}
	for _, e := range n.Evaluations {
		for _, who := range n.Evaluators {
			from := start
			if who.Called > from {
				from = who.Called
			}
			if who.ID == e.Evaluator && e.Worker == worker && (n.Unposted || !who.RubberStamp) && e.At-from <= int64(n.Parameters.Evaluation) {
				out = append(out, e)
			}
		}
	}
	return out
}

func (n *naive) weight(e pay.Evaluation) int64 {
	for _, who := range n.Evaluators {
		if who.ID == e.Evaluator {
			return int64(who.Reputation) * int64(e.Confidence)
		}
	}
	return 0
}

// agree looks for the centre by trying every score twice as fine as they are given.
func (n *naive) agree(worker string) {
	var all []pay.Evaluation
	var sum int64
	for _, e := range n.heard(worker) {
		if n.weight(e) > 0 {
			all = append(all, e)
			sum += n.weight(e)
		}
	}
	n.refused[worker] = true
	if len(all) < 2 {
		return
	}
	half := all[0].Score + all[1].Score // the centre, in half points
	if len(all) > 2 {
		var centres []int
		for c := 0; c <= 100; c++ {
			var below, above int64
			for _, e := range all {
				if e.Score < c {
					below += n.weight(e)
				}
				if e.Score > c {
					above += n.weight(e)
				}
			}
			if 2*below <= sum && 2*above <= sum {
				centres = append(centres, c)
			}
		}
		half = centres[0] + centres[len(centres)-1]
	}
	apart := func(e pay.Evaluation) int {
		if d := 2*e.Score - half; d > 0 {
			return d
		}
		return half - 2*e.Score
	}
	var near int64
	friends := 0
	for _, e := range all {
		if apart(e) <= 2*n.Parameters.Sigma {
			near += n.weight(e)
			friends++
		}
	}
	if friends < 2 || rat(near, sum).Cmp(rat(1, 2)) < 0 {
		return
	}
	delete(n.refused, worker)
	top, bottom := new(big.Int), new(big.Int)
	for _, e := range all {
		if apart(e) > 4*n.Parameters.Sigma {
			n.far[e.Evaluator], n.off[[2]string{e.Evaluator, worker}] = true, true
			continue
		}
		top.Add(top, big.NewInt(n.weight(e)*int64(e.Score)))
		bottom.Add(bottom, big.NewInt(n.weight(e)))
	}
	n.score[worker] = floor(new(big.Rat).Mul(new(big.Rat).SetFrac(top, bottom), rat(100, 1)))
}

// quality is odds of the score, multiplied by the difficulty.
func (n *naive) quality(w pay.Submission, difficulty int64) int64 {
	if n.score[w.ID] == nil {
		return 0
	}
	full := int64(10_000)
	if w.Complete != nil && !n.Unposted {
		full = int64(*w.Complete)
	}
	q := new(big.Rat).SetInt(of(n.score[w.ID], rat(full, 10_000)))
	q.Quo(q, rat(10_000, 1))
	if q.Cmp(rat(1, 1)) == 0 {
		return 10_000
	}
	odds := new(big.Rat).Quo(q, new(big.Rat).Sub(rat(1, 1), q))
	odds.Mul(odds, rat(difficulty, 100))
	q.Quo(odds, new(big.Rat).Add(odds, rat(1, 1)))
	return floor(q.Mul(q, rat(10_000, 1))).Int64()
}

// winners are the members of the dominant cluster, and how the task ends.
func (n *naive) winners() (string, []pay.Submission) {
	for _, first := range n.Workers {
		var members []pay.Submission
		for _, w := range n.Workers {
			if n.counted[w.ID] && w.Cluster == first.Cluster && w.Cluster != "" {
				members = append(members, w)
			}
		}
		if n.Unposted || len(members) == 0 || len(members) == 1 && len(n.Workers) > 1 ||
			rat(int64(len(members)), int64(len(n.counted))).Cmp(rat(int64(n.Parameters.Consensus), 10_000)) < 0 {
			continue
		}
		sum := int64(0)
		for _, w := range members {
			if n.refused[w.ID] && len(n.Evaluators) < n.Parameters.MaxEvaluators {
				return pay.FurtherEvaluator, nil
			}
			if n.refused[w.ID] {
				return pay.Inconclusive, nil
			}
			sum += n.quality(w, 100)
		}
		if rat(sum, int64(len(members))).Cmp(rat(int64(100*n.Parameters.Pass), 1)) < 0 {
			switch {
			case n.Parameters.Reject > 0 && len(n.Evaluators) < n.Parameters.MaxEvaluators:
				return pay.FurtherEvaluator, nil
			case n.Parameters.Reject == 0 || n.against(members).Cmp(rat(int64(n.Parameters.Reject), 10_000)) >= 0:
				return pay.Inconclusive, nil
			}
			sum = 0
			for _, w := range members {
				sum += n.quality(w, int64(n.Difficulty))
			}
			if sum == 0 {
				return pay.Inconclusive, nil
			}
		}
		return pay.Paid, members
	}
	for _, first := range n.Workers {
		like := int64(0)
		for _, w := range n.Workers {
			if n.counted[w.ID] && w.Cluster == first.Cluster && w.Cluster != "" {
				like++
			}
		}
		more := int64(n.Parameters.MaxWorkers - len(n.Workers))
		asked := !n.Unposted || len(n.counted) == 0
		if more > 0 && asked && like+more > 1 && rat(like+more, int64(len(n.counted))+more).Cmp(rat(int64(n.Parameters.Consensus), 10_000)) >= 0 {
			return pay.FurtherWorker, nil
		}
	}
	return pay.Inconclusive, nil
}

// against is the share of the weight that is below the pass mark.
func (n *naive) against(members []pay.Submission) *big.Rat {
	var low, all int64
	for _, w := range members {
		full := int64(10_000)
		if w.Complete != nil && !n.Unposted {
			full = int64(*w.Complete)
		}
		for _, e := range n.heard(w.ID) {
			if n.off[[2]string{e.Evaluator, w.ID}] {
				continue
			}
			all += n.weight(e)
			if of(big.NewInt(int64(100*e.Score)), rat(full, 10_000)).Int64() < int64(100*n.Parameters.Pass) {
				low += n.weight(e)
			}
		}
	}
	return rat(low, all)
}

func settleNaively(a pay.Assignment) (status string, out map[string]due) {
	n := naive{a, map[string]bool{}, map[string]*big.Int{}, map[string]bool{}, map[[2]string]bool{}, map[string]bool{}}
	for _, w := range n.Workers {
		if w.Submitted != nil && *w.Submitted <= n.endsFor(w) && (n.Unposted || w.CopyOf == "" && !w.LowEffort) {
			n.counted[w.ID] = true
			n.agree(w.ID)
		}
	}
	status, members := n.winners()
	if status == pay.FurtherEvaluator || status == pay.FurtherWorker {
		return status, nil
	}
	out = map[string]due{}
	bps := func(b int) *big.Rat { return rat(int64(b), 10_000) }
	workers, evaluators := of(n.total(), bps(n.Parameters.WorkerPool)), of(n.total(), bps(n.Parameters.EvaluatorPool))
	bonus := of(n.total(), bps(n.Parameters.BonusPool))
	quality, sum := map[string]int64{}, int64(0)
	var sorted []int64
	for _, w := range members {
		quality[w.ID] = n.quality(w, int64(n.Difficulty))
		sum += quality[w.ID]
		sorted = append(sorted, quality[w.ID])
	}
	sort.Slice(sorted, func(i, j int) bool { return sorted[i] < sorted[j] })
	var best []string
	for _, w := range members {
		notAbove := 0
		for _, q := range sorted {
			if q <= quality[w.ID] {
				notAbove++
			}
		}
		if 10*notAbove >= 9*len(sorted) && quality[w.ID] > sorted[(len(sorted)-1)/2] {
			best = append(best, w.ID)
		}
	}
	for _, w := range n.Workers {
		d := due{new(big.Int), new(big.Int), new(big.Int)}
		switch {
		case n.counted[w.ID] && quality[w.ID] > 0:
			d.paid = of(workers, rat(quality[w.ID], sum))
			for _, id := range best {
				if id == w.ID {
					d.bonus = of(bonus, rat(1, int64(len(best))))
				}
			}
		case n.counted[w.ID] && status == pay.Inconclusive:
			d.paid = of(workers, rat(1, int64(len(n.Workers))))
			if !n.refused[w.ID] {
				d.paid = of(d.paid, rat(n.quality(w, int64(n.Difficulty)), 10_000))
			}
			d.paid = of(d.paid, bps(n.Parameters.Effort))
		case w.Submitted == nil || *w.Submitted > n.endsFor(w) || w.CopyOf != "" && !n.Unposted:
			d.slashed = of(lamports(w.Stake), bps(n.Parameters.Missed))
		case w.LowEffort && !n.Unposted:
			d.slashed = of(lamports(w.Stake), bps(n.Parameters.LowEffort))
		}
		out[w.ID] = d
	}
	posting := new(big.Int)
	if n.Poster != "" {
		posting = of(evaluators, bps(n.Parameters.Poster))
	}
	place := of(new(big.Int).Sub(evaluators, posting), rat(1, int64(len(n.Evaluators))))
	for _, e := range n.Evaluators {
		out[e.ID] = n.evaluator(e, place)
		if e.ID == n.Poster {
			out[e.ID].paid.Add(out[e.ID].paid, n.evaluator(e, posting).paid)
		}
	}
	return status, out
}

func (n *naive) evaluator(e pay.Evaluator, place *big.Int) due {
	d := due{new(big.Int), new(big.Int), new(big.Int)}
	sum, given := int64(0), 0
	for worker := range n.counted {
		for _, said := range n.heard(worker) {
			if said.Evaluator != e.ID || said.Confidence == 0 {
				continue
			}
			given++
			aligned := int64(n.Parameters.Effort)
			if !n.refused[worker] && !n.Unposted {
				off := new(big.Int).Sub(n.score[worker], big.NewInt(int64(100*said.Score)))
				lost := of(off.Abs(off), rat(10_000, int64(200*n.Parameters.Sigma)))
				if aligned = 10_000 - lost.Int64(); aligned < 0 {
					aligned = 0
				}
			}
			sum += floor(rat(aligned*int64(said.Confidence), 100)).Int64()
		}
	}
	if len(n.counted) > 0 {
		d.paid = of(place, rat(floor(rat(sum, int64(len(n.counted)))).Int64(), 10_000))
	}
	switch {
	case e.RubberStamp && !n.Unposted:
		d.slashed = of(lamports(e.Stake), rat(int64(n.Parameters.RubberStamp), 10_000))
	case len(n.counted) > 0 && given == 0, n.far[e.ID]:
		d.slashed = of(lamports(e.Stake), rat(int64(n.Parameters.Deviation), 10_000))
	}
	return d
}
