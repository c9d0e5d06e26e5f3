package pay

import (
	"fmt"
	"slices"
)

// How a task ends.
const (
	Paid             = "settled"
	Inconclusive     = "inconclusive"
	FurtherEvaluator = "further_evaluator" // nothing is paid before further ones have evaluated
	FurtherWorker    = "further_worker"    // nothing is paid before further ones have worked
)

// Settlement is how the budget and the stakes of a task are divided.
type Settlement struct {
	Status     string      `json:"status"`
	Why        string      `json:"why"`
	Call       int         `json:"call,omitempty"` // how many further ones are called
	Cluster    string      `json:"cluster"`        // the dominant one
	Noise      int         `json:"noise_bps"`      // of the results that count, those in no cluster
	Judgements []Judgement `json:"judgements"`
	Pools      Pools       `json:"pools"`
	Parts      []Part      `json:"payments"`

	Undistributed   uint64 `json:"undistributed,string"`
	UndistributedTo string `json:"undistributed_to"`
	Slashed         uint64 `json:"slashed,string"` // goes to the treasury, never to a party
}

// Pools are the parts of the budget. None pays more than it holds.
type Pools struct {
	Worker    uint64 `json:"worker,string"`
	Evaluator uint64 `json:"evaluator,string"`
	Bonus     uint64 `json:"bonus,string"`
}

// Part is what one worker or evaluator gets.
type Part struct {
	ID       string `json:"id"`
	Role     string `json:"role"` // worker or evaluator
	Paid     uint64 `json:"paid,string"`
	Bonus    uint64 `json:"bonus,string"`
	Slashed  uint64 `json:"slashed,string"`
	Returned uint64 `json:"returned,string"` // of the stake
	Quality  int    `json:"quality_bps"`
	Freeze   int    `json:"freeze_days,omitempty"`
	Restore  int    `json:"restore_tasks,omitempty"`
	Why      string `json:"why"`
}

// settling is a settlement while it is made.
type settling struct {
	Assignment
	out   Settlement
	votes map[string][]vote // by worker
	said  map[[2]string]Evaluation
	found map[string]Judgement
}

// Settle divides the budget and the stakes of a task that Parse has read.
func Settle(a Assignment) Settlement {
	if a.Unposted {
		a = a.unsaid()
	}
	s := settling{Assignment: a, votes: map[string][]vote{}, said: map[[2]string]Evaluation{}, found: map[string]Judgement{}}
	budget := s.budget()
	s.out = Settlement{UndistributedTo: a.Undistributed, Judgements: []Judgement{}, Parts: []Part{}, Pools: Pools{
		share(budget, a.Parameters.WorkerPool), share(budget, a.Parameters.EvaluatorPool), share(budget, a.Parameters.BonusPool),
	}}
	s.listen()
	for _, w := range a.Workers {
		if s.counts(w) {
			s.found[w.ID] = aggregate(w.ID, s.votes[w.ID], 100*a.Parameters.Sigma)
			j := s.found[w.ID]
			j.Cluster = w.Cluster
			s.out.Judgements = append(s.out.Judgements, j)
			if j.Cluster == "" {
				s.out.Noise++
			}
		}
	}
	if n := len(s.out.Judgements); n > 0 {
		s.out.Noise = s.out.Noise * whole / n
	}
	s.decide()
	if s.out.Call > 0 {
		return s.out
	}
	s.payWorkers()
	s.payEvaluators()
	s.out.Undistributed = budget
	for _, p := range s.out.Parts {
		s.out.Undistributed -= p.Paid + p.Bonus
		s.out.Slashed += p.Slashed
	}
	return s.out
}

// closing is when the evaluations of one evaluator had to be there: the window begins with the last
// result, with the deadline if one is missing, or when a further evaluator was called.
func (s *settling) closing(e Evaluator) int64 {
	last := int64(0)
	for _, w := range s.Workers {
		at := s.dueFrom(w)
		if w.Submitted != nil {
			at = min(at, *w.Submitted)
		}
		last = max(last, at)
	}
	return max(last, e.Called) + int64(s.Parameters.Evaluation)
}

// unsaid leaves out what only an outcome says: what means the same, how complete results are, and
// who copied, made no effort or stamped.
func (a Assignment) unsaid() Assignment {
	a.Workers, a.Evaluators = slices.Clone(a.Workers), slices.Clone(a.Evaluators)
	for i := range a.Workers {
		w := &a.Workers[i]
		w.Cluster, w.Complete, w.CopyOf, w.LowEffort = "", nil, "", false
	}
	for i := range a.Evaluators {
		a.Evaluators[i].RubberStamp = false
	}
	return a
}

// listen keeps the evaluations that were in time, of evaluators that do not rubber-stamp.
func (s *settling) listen() {
	by, closing := map[string]Evaluator{}, map[string]int64{}
	for _, e := range s.Evaluators {
		by[e.ID], closing[e.ID] = e, s.closing(e)
	}
	for _, e := range s.Evaluations {
		who := by[e.Evaluator]
		if e.At > closing[who.ID] || who.RubberStamp {
			continue
		}
		s.said[[2]string{e.Evaluator, e.Worker}] = e
		s.votes[e.Worker] = append(s.votes[e.Worker], vote{
			by: e.Evaluator, score: 100 * e.Score, confidence: e.Confidence, weight: uint64(e.Confidence) * uint64(who.Reputation),
		})
	}
}

// decide finds the dominant cluster, and whether the evaluators support it.
func (s *settling) decide() {
	cluster, members := s.dominant()
	if cluster == "" {
		s.out.Status, s.out.Why = Inconclusive, "no cluster of results is dominant"
		if s.out.Call = s.missing(); s.out.Call > 0 {
			s.out.Status = FurtherWorker
		}
		return
	}
	total := 0
	for _, w := range members {
		j := s.found[w.ID]
		if !j.Valid {
			s.out.Status, s.out.Why = Inconclusive, fmt.Sprintf("the result of %s: %s", w.ID, j.Why)
			if len(s.Evaluators) < s.Parameters.MaxEvaluators {
				s.out.Status, s.out.Call = FurtherEvaluator, 1
			}
			return
		}
		total += j.Score * complete(w) / whole
	}
	if total < 100*s.Parameters.Pass*len(members) {
		if s.Parameters.Reject > 0 && len(s.Evaluators) < s.Parameters.MaxEvaluators {
			s.out.Status, s.out.Call, s.out.Why = FurtherEvaluator, 1, "too few evaluators reject the dominant cluster"
			return
		}
		if s.Parameters.Reject == 0 || s.rejected(members) || !slices.ContainsFunc(members, func(w Submission) bool { return s.quality(w) > 0 }) {
			s.out.Status, s.out.Why = Inconclusive, "the scores do not support the dominant cluster"
			return
		}
	}
	s.out.Status, s.out.Cluster, s.out.Why = Paid, cluster, fmt.Sprintf("%d of the %d results that count mean the same",
		len(members), len(s.found))
}

// dominant is the cluster that has enough of the results that count. A cluster has two members at
// least, unless the task has one worker.
func (s *settling) dominant() (string, []Submission) {
	clusters := map[string][]Submission{}
	for _, w := range s.Workers {
		if s.counts(w) && w.Cluster != "" {
			clusters[w.Cluster] = append(clusters[w.Cluster], w)
		}
	}
	for name, members := range clusters { // at most one has more than half
		if len(members)*whole >= s.Parameters.Consensus*len(s.found) && len(members) >= min(2, len(s.Workers)) {
			return name, members
		}
	}
	return "", nil
}

// missing is how many further workers make a cluster dominant at least, if all of them agree with
// it. It is 0 if so many may not be called. They work at the same time, so that they do not see the
// results of each other. If nobody said which results mean the same, more of them do not help.
func (s *settling) missing() int {
	if s.Unposted && len(s.found) > 0 {
		return 0
	}
	sizes, most := map[string]int{}, 0
	for _, w := range s.Workers {
		if s.counts(w) && w.Cluster != "" {
			sizes[w.Cluster]++
			most = max(most, sizes[w.Cluster])
		}
	}
	for more := 1; more <= s.Parameters.MaxWorkers-len(s.Workers); more++ {
		if (most+more)*whole >= s.Parameters.Consensus*(len(s.found)+more) && most+more >= 2 {
			return more
		}
	}
	return 0
}

// rejected says whether enough of the weight of the evaluations of a cluster is below the pass
// mark. Who is far from the others is slashed for that, and does not decide.
func (s *settling) rejected(members []Submission) bool {
	var against, all uint64
	for _, w := range members {
		for _, v := range s.votes[w.ID] {
			if slices.Contains(s.found[w.ID].Outliers, v.by) {
				continue
			}
			all += v.weight
			if v.score*complete(w)/whole < 100*s.Parameters.Pass {
				against += v.weight
			}
		}
	}
	return against*whole >= all*uint64(s.Parameters.Reject)
}

func complete(w Submission) int {
	if w.Complete == nil {
		return whole
	}
	return *w.Complete
}

// quality is that of a result on which the evaluators agree.
func (s *settling) quality(w Submission) int {
	return normalised(s.found[w.ID].Score, complete(w), s.Difficulty)
}

func (s *settling) payWorkers() {
	var sum uint64
	var qualities []int
	for _, w := range s.Workers {
		if s.inside(w) {
			qualities = append(qualities, s.quality(w))
			sum += uint64(s.quality(w))
		}
	}
	best := exceptional(qualities)
	winners := 0
	for _, b := range best {
		if b {
			winners++
		}
	}
	for _, w := range s.Workers {
		p := Part{ID: w.ID, Role: "worker", Quality: s.quality(w)}
		slash := 0
		switch {
		case w.Submitted == nil:
			slash, p.Why = s.Parameters.Missed, "submitted nothing"
		case *w.Submitted > s.dueFrom(w):
			slash, p.Why = s.Parameters.Missed, "submitted after the deadline"
		case w.CopyOf != "":
			slash, p.Why = s.Parameters.Missed, "copied the result of "+w.CopyOf
		case w.LowEffort:
			slash, p.Why, p.Restore = s.Parameters.LowEffort, "made no effort", s.Parameters.RestoreTasks
		case s.inside(w):
			p.Paid, p.Why = mulDiv(s.out.Pools.Worker, uint64(p.Quality), sum), "in the dominant cluster"
			if best[0] {
				p.Bonus = s.out.Pools.Bonus / uint64(winners)
				p.Why += ", and exceptional"
			}
			best = best[1:]
		case s.out.Status == Inconclusive:
			p.Paid, p.Why = s.effort(w), "a share for the effort"
		default:
			p.Why = "outside the dominant cluster"
		}
		s.add(p, w.Stake, slash)
	}
}

func (s *settling) inside(w Submission) bool {
	return s.out.Status == Paid && s.counts(w) && w.Cluster == s.out.Cluster
}

// effort is what a result earns in a task without outcome: a share of its place in the pool, by its
// quality if the evaluators agree on that.
func (s *settling) effort(w Submission) uint64 {
	place := s.out.Pools.Worker / uint64(len(s.Workers))
	if s.found[w.ID].Valid {
		place = share(place, s.quality(w))
	}
	return share(place, s.Parameters.Effort)
}

// payEvaluators gives each evaluator at most an equal part of the pool: for each result that it had
// to evaluate, the alignment with the consensus times its confidence. Where there is none, it gets
// the share for effort. So it does if none of them posted an outcome, because the workers get that,
// too, and no evaluator should gain by waiting for another. Before that, a share is set apart for
// who posted it, which gets as much of it as of its part. So nobody is paid for posting alone.
func (s *settling) payEvaluators() {
	posting := uint64(0)
	if s.Poster != "" {
		posting = share(s.out.Pools.Evaluator, s.Parameters.Poster)
	}
	place := (s.out.Pools.Evaluator - posting) / uint64(len(s.Evaluators))
	for _, e := range s.Evaluators {
		p := Part{ID: e.ID, Role: "evaluator"}
		slash, given, outlier := 0, 0, false
		for _, j := range s.out.Judgements {
			said, ok := s.said[[2]string{e.ID, j.Worker}]
			if !ok || said.Confidence == 0 {
				continue // without confidence it says nothing
			}
			given++
			aligned := s.Parameters.Effort
			if j.Valid && !s.Unposted {
				aligned = alignment(100*said.Score, j.Score, 100*s.Parameters.Sigma)
			}
			p.Quality += aligned * said.Confidence / 100
			outlier = outlier || slices.Contains(j.Outliers, e.ID)
		}
		if n := len(s.out.Judgements); n > 0 {
			p.Quality /= n
		}
		p.Paid = share(place, p.Quality)
		switch {
		case e.RubberStamp:
			slash, p.Why, p.Freeze = s.Parameters.RubberStamp, "rubber-stamped", s.Parameters.FreezeDays
		case len(s.out.Judgements) == 0:
			p.Why = "there was no result to evaluate"
		case given == 0:
			slash, p.Why = s.Parameters.Deviation, "evaluated nothing in time"
		case outlier:
			slash, p.Why = s.Parameters.Deviation, "far from what the others agree on"
		case given < len(s.out.Judgements):
			p.Why = fmt.Sprintf("evaluated %d of %d results", given, len(s.out.Judgements))
		default:
			p.Why = "evaluated all results"
		}
		if e.ID == s.Poster {
			p.Paid += share(posting, p.Quality)
			p.Why += ", and posted the outcome"
		}
		if s.Unposted && slash == 0 {
			p.Why += ", and nobody posted an outcome"
		}
		s.add(p, e.Stake, slash)
	}
}

// add takes the slash from the stake and returns the rest.
func (s *settling) add(p Part, stake uint64, slash int) {
	p.Slashed = share(stake, slash)
	p.Returned = stake - p.Slashed
	s.out.Parts = append(s.out.Parts, p)
}
