package arbiter

import (
	"fmt"

	"ojud/ledger/brain"
	"ojud/megabrain/pay"
)

// Assignment is a task as package pay settles it, by the outcome that was posted, if there is one.
// Workers are w0, w1 and on, evaluators e0, e1 and on. The program divides the money in the same
// way.
func Assignment(k *brain.TaskAccount, p brain.Parameters) pay.Assignment {
	sh := p.Shares
	a := pay.Assignment{
		Budget: k.Money.Budget, Deadline: 1 << 40, Difficulty: int(k.Marks.Difficulty), Undistributed: "return", Parameters: pay.Parameters{
			WorkerPool: int(sh.WorkerPool), EvaluatorPool: int(sh.EvaluatorPool), BonusPool: int(sh.BonusPool), Consensus: int(sh.Consensus),
			Pass: int(sh.Pass), Sigma: int(sh.Sigma), MaxEvaluators: int(sh.MaxEvaluators), Effort: int(sh.Effort), Missed: int(sh.Missed),
			LowEffort: int(sh.LowEffort), Deviation: int(sh.Deviation), RubberStamp: int(sh.RubberStamp), Evaluation: 1,
			Doubt: pay.Doubt{MaxWorkers: int(p.MaxWorkers), Reject: int(p.Reject), Poster: int(sh.Poster)},
		}, Unposted: k.Marks.Posted == brain.PostedByNobody,
	}
	if k.Marks.Last&brain.LastEvaluator != 0 {
		a.Parameters.MaxEvaluators = int(k.Counts.Seated)
	}
	if k.Marks.Last&brain.LastWorker != 0 || k.Marks.Posted == brain.CourtUndecided {
		a.Parameters.MaxWorkers = 0
	}
	for i, w := range k.Work[:k.Counts.Drawn] {
		fact := k.Finding.Facts[i]
		if !k.Found() {
			fact = brain.Fact{Complete: 10_000}
		}
		complete := int(fact.Complete)
		s := pay.Submission{ID: fmt.Sprintf("w%d", i), Stake: k.Money.WorkerStake, Complete: &complete, LowEffort: fact.LowEffort == 1}
		if w.State == revealed {
			s.Submitted = &w.CommittedAt
		}
		if fact.Cluster > 0 {
			s.Cluster = fmt.Sprintf("c%d", fact.Cluster)
		}
		if fact.CopyOf > 0 {
			s.CopyOf = fmt.Sprintf("w%d", fact.CopyOf-1)
		}
		a.Workers = append(a.Workers, s)
	}
	for i, e := range k.Judges[:k.Counts.Seated] {
		if e.Agent == k.Poster && k.Marks.Posted == brain.PostedByPoster {
			a.Poster = fmt.Sprintf("e%d", i)
		}
		rubber := k.Finding.Rubber[i] == 1 && k.Found()
		a.Evaluators = append(a.Evaluators, pay.Evaluator{ID: fmt.Sprintf("e%d", i), Stake: k.Money.EvaluatorStake, Reputation: int(e.Reputation), RubberStamp: rubber})
		for j, w := range k.Work[:k.Counts.Drawn] {
			if said := e.Said[j]; e.State == revealed && w.State == revealed && said.Score != brain.Silent {
				a.Evaluations = append(a.Evaluations, pay.Evaluation{
					Evaluator: fmt.Sprintf("e%d", i), Worker: fmt.Sprintf("w%d", j), Score: int(said.Score), Confidence: int(said.Confidence),
				})
			}
		}
	}
	return a
}

// Net is what a seat gets by an outcome, less what it loses. Posted says whose outcome it is. If
// further workers are called, their results mean what most others mean, and evaluators say of them
// what they say of others on average. If further evaluators are called, they say what the others
// say on average. Who posts the next outcome gets the share for that.
func Net(t *brain.TaskAccount, p brain.Parameters, c brain.Conclusion, posted uint8, seat string) int64 {
	then := *t
	then.Finding, then.Marks.Posted = c, posted
	a := Assignment(&then, p)
	out := pay.Settle(a)
	for out.Call > 0 {
		a.Poster, a.Unposted = "", false
		for range out.Call {
			if out.Status == pay.FurtherWorker {
				join(&a)
			} else {
				agree(&a)
			}
		}
		out = pay.Settle(a)
	}
	for _, part := range out.Parts {
		if part.ID == seat {
			return int64(part.Paid+part.Bonus) - int64(part.Slashed)
		}
	}
	return 0
}

// join adds a worker to the largest cluster.
func join(a *pay.Assignment) {
	sizes, next := map[string]int{}, pay.Submission{ID: fmt.Sprintf("w%d", len(a.Workers)), Stake: a.Workers[0].Stake, Submitted: new(int64), Cluster: "c1"}
	for _, w := range a.Workers {
		if w.Submitted == nil || w.Cluster == "" || w.CopyOf != "" || w.LowEffort {
			continue
		}
		if sizes[w.Cluster]++; sizes[w.Cluster] > sizes[next.Cluster] {
			next.Cluster = w.Cluster
		}
	}
	a.Workers = append(a.Workers, next)
	for _, e := range a.Evaluators {
		mean, n := pay.Evaluation{Evaluator: e.ID, Worker: next.ID}, 0
		for _, said := range a.Evaluations {
			if said.Evaluator == e.ID && said.Confidence > 0 {
				mean.Score, mean.Confidence, n = mean.Score+said.Score, mean.Confidence+said.Confidence, n+1
			}
		}
		if n > 0 {
			mean.Score, mean.Confidence = mean.Score/n, mean.Confidence/n
			a.Evaluations = append(a.Evaluations, mean)
		}
	}
}

// agree adds an evaluator that says of each result what the others say on average.
func agree(a *pay.Assignment) {
	next := a.Evaluators[0]
	next.ID, next.Reputation, next.RubberStamp = fmt.Sprintf("e%d", len(a.Evaluators)), 0, false
	for _, e := range a.Evaluators {
		next.Reputation += e.Reputation
	}
	next.Reputation /= len(a.Evaluators)
	a.Evaluators = append(a.Evaluators, next)
	for _, w := range a.Workers {
		mean, n := pay.Evaluation{Evaluator: next.ID, Worker: w.ID}, 0
		for _, said := range a.Evaluations {
			if said.Worker == w.ID && said.Evaluator != next.ID && said.Confidence > 0 {
				mean.Score, mean.Confidence, n = mean.Score+said.Score, mean.Confidence+said.Confidence, n+1
			}
		}
		if n > 0 {
			mean.Score, mean.Confidence = mean.Score/n, mean.Confidence/n
			a.Evaluations = append(a.Evaluations, mean)
		}
	}
}
