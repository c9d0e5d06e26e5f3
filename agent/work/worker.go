package work

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
)

// Job is a task that a worker has taken, or is about to take.
type Job struct {
	Task       string `json:"task"`
	Creator    string `json:"creator,omitempty"`
	Skill      string `json:"skill"`
	Phase      Phase  `json:"phase"`
	Price      uint64 `json:"price,string"`
	ClaimBond  uint64 `json:"claim_bond,string"`
	AnswerBond uint64 `json:"answer_bond,string"`
	Attempt    int    `json:"attempt"` // of the present round of work
	Reworks    int    `json:"reworks"`
	Most       int    `json:"most_reworks"`     // that the court allows
	Result     string `json:"result,omitempty"` // hash in hex
	Fault      string `json:"fault,omitempty"`  // of the last result, or the objection to it
	Chance     int    `json:"chance"`           // percent that the court accepts, as it estimated
	Tries      int    `json:"tries"`            // of the claim, or of an estimate
	Restarts   int    `json:"restarts"`         // of the agent while a result was made
	Absent     int    `json:"absent"`           // looks at the chain without the task, one after the other
	Beside     Beside `json:"beside,omitzero"`
	Ending

	running bool // in the background
	free    bool // the claim can be given back for nothing
}

// busy reports whether the job needs work now.
func (j *Job) busy() bool { return j.Phase != Waiting && j.Phase != Judged && j.Phase != Over }

// maxPast bounds the jobs that are over and kept for the owner.
const maxPast = 256

// Worker is the state of a worker.
type Worker struct {
	Policy WorkerPolicy    `json:"-"`
	Jobs   map[string]*Job `json:"jobs"`
	Past   []Job           `json:"past"` // the latest last
	Spent  Spent           `json:"spent"`
	Earned uint64          `json:"earned,string"` // prices of tasks that were paid

	told map[string]string // why an offer is not taken, by task
}

// NewWorker returns a worker that has done nothing.
func NewWorker(p WorkerPolicy) *Worker { return &Worker{Policy: p, Jobs: map[string]*Job{}} }

// Step takes news and returns what has to be done.
func (w *Worker) Step(n News) (acts []Act) {
	switch n := n.(type) {
	case Restarted:
		for _, task := range slices.Sorted(maps.Keys(w.Jobs)) {
			j := w.Jobs[task]
			if j.running = false; j.Phase == Making && j.Attempt > 0 && j.Restarts < maxRestarts {
				j.Attempt, j.Restarts = j.Attempt-1, j.Restarts+1 // it was under way
			}
			switch j.Phase {
			case Waiting, Disputed, Answering, Judged:
				acts = append(acts, Bring{Task: task})
			}
		}
	case Market:
		return w.look(n)
	case Made:
		return w.made(n)
	case Weighed:
		return w.weighed(n)
	case Released:
		if j := w.Jobs[n.Task]; j != nil && j.Phase == Yielding {
			return w.end(j, Returned, "")
		}
	case Failed:
		return w.failed(n)
	case Books, Inspected, Withdrawn: // a creator's
	}
	return acts
}

// maxRestarts bounds the attempts of a job that a new start makes again.
const maxRestarts = 10

// look compares the jobs with the chain, and takes further ones.
func (w *Worker) look(m Market) (acts []Act) {
	held := map[string]Held{}
	for _, h := range m.Held {
		held[h.Task] = h
		if w.Jobs[h.Task] != nil || h.Status == Over {
			continue
		}
		if j := w.back(h.Task); j != nil {
			w.Jobs[h.Task] = j
		} else { // the disk was lost, or a person claimed it
			w.Jobs[h.Task] = &Job{Task: h.Task, Skill: w.Policy.named(h.Text), Phase: h.Status, Price: h.Price, ClaimBond: h.ClaimBond, AnswerBond: h.AnswerBond, Reworks: h.Reworks, Chance: even}
		}
	}
	offers := map[string]Vacancy{}
	for _, o := range m.Offers {
		offers[o.Task] = o
	}
	for _, task := range slices.Sorted(maps.Keys(w.Jobs)) {
		j := w.Jobs[task]
		if h, ok := held[task]; ok {
			j.Absent = 0
			acts = append(acts, w.follow(j, h)...)
			continue
		}
		if o, ok := offers[task]; ok && j.Phase == Claiming && o.Price >= j.Price && !o.Barred {
			acts = append(acts, Take{task, j.Price})
			continue
		}
		switch {
		case j.Phase == Claiming:
			delete(w.Jobs, task) // somebody else was faster
		case offers[task].Barred: // it is on the market again, and this worker was the last
			acts = append(acts, w.end(j, Missed, "")...)
		case j.Absent+1 < maxAbsent:
			j.Absent++
		case j.Phase == Making || j.Phase == Submitting || j.Phase == Yielding && j.Result == "":
			j.Guessed = true
			acts = append(acts, w.end(j, Missed, "")...)
		default:
			j.Guessed = true
			acts = append(acts, w.end(j, Gone, "")...)
		}
	}
	return append(acts, w.take(m)...)
}

// follow goes on with a job whose task is as the chain has it.
func (w *Worker) follow(j *Job, h Held) []Act {
	j.Most, j.free = h.Most, h.Free
	if h.Status != Over && h.AnswerBond > 0 { // the price is known now
		j.Price, j.ClaimBond, j.AnswerBond = h.Price, h.ClaimBond, h.AnswerBond
	}
	switch h.Status {
	case Over:
		return w.end(j, h.Outcome, h.Ruling)
	case Making:
		switch j.Phase {
		case Reworking: // the rework is on the chain
			j.Phase, j.Attempt, j.Result = Making, 0, ""
			j.Reworks = max(j.Reworks+1, h.Reworks)
		case Submitting:
			return []Act{Submit{j.Task, j.Result}}
		case Yielding: // it has no result; at the deadline the task is open again
			if j.free {
				return []Act{Release{j.Task}}
			}
			return nil
		case Making:
		default:
			j.Phase, j.Tries = Making, 0
		}
		if j.running {
			return nil
		}
		return w.begin(j)
	case Waiting:
		acts := j.landed(Submitting)
		if j.Phase = Waiting; h.Late {
			return []Act{Expire{j.Task, "takes the reward, because the creator did not answer in time"}}
		}
		return acts
	case Disputed:
		switch {
		case h.Late || j.Phase == Yielding:
			j.Phase = Yielding
		case j.Phase == Answering:
			return []Act{Counter{j.Task}}
		case j.Phase == Reworking:
			return []Act{Rework{j.Task}}
		case j.running:
		default:
			j.Phase, j.running, j.Reworks = Disputed, true, max(j.Reworks, h.Reworks)
			return []Act{Weigh{j.Task}}
		}
	case Judged:
		acts := j.landed(Answering)
		if j.Phase = Judged; h.Lost {
			return append(acts, Waive{j.Task})
		}
		return acts
	}
	return nil
}

// landed brings the documents of a step to nodes that the chain shows although the job is still at
// it: the process that sent it may have died then, or given it up.
func (j *Job) landed(at Phase) []Act {
	if j.Phase != at {
		return nil
	}
	return []Act{Bring{Task: j.Task}}
}

// begin makes the next result of a job, or gives the job up.
func (w *Worker) begin(j *Job) []Act {
	skill := w.skill(j.Skill)
	if j.Attempt < max(1, skill.Attempts) && w.Policy.Budget.over(w.Spent) == "" {
		j.Attempt, j.running = j.Attempt+1, true
		return []Act{Make{Task: j.Task, Skill: j.Skill, Attempt: j.Attempt, Fault: j.Fault}}
	}
	j.Phase = Yielding
	acts := []Act{Tell{j.Task, "gives the task up, because it has no result that passes the checks: " + j.Fault}}
	if j.free {
		acts = append(acts, Release{j.Task})
	}
	return acts
}

// made takes a result, or lets another one be made.
func (w *Worker) made(m Made) []Act {
	w.Spent.add(m.Use)
	j := w.Jobs[m.Task]
	if j == nil {
		return nil
	}
	if j.running = false; j.Phase != Making || m.Attempt != j.Attempt {
		return nil
	}
	if m.Unable && j.Tries < maxTries { // the next look makes it again
		j.Attempt, j.Tries = j.Attempt-1, j.Tries+1
		return []Act{Tell{j.Task, "cannot work on it now, and tries again: " + m.Fault}}
	}
	if j.Tries = 0; m.Result == "" || m.Fault != "" && !w.Policy.Unchecked {
		j.Fault = cmp.Or(m.Fault, "there is no result")
		return append([]Act{Tell{j.Task, fmt.Sprintf("does not hand in attempt %d: %s", m.Attempt, j.Fault)}}, w.begin(j)...)
	}
	j.Phase, j.Result, j.Fault = Submitting, m.Result, ""
	return []Act{Submit{j.Task, j.Result}}
}

// Chances in percent.
const (
	even  = 50
	whole = 100
	// honest is the least chance with which a worker defends a result, whatever that is worth: it
	// says before the court that the result is right.
	honest = 40
)

// weighed decides how to answer an objection, by what each answer is expected to bring.
func (w *Worker) weighed(n Weighed) []Act {
	w.Spent.add(n.Use)
	j := w.Jobs[n.Task]
	if j == nil {
		return nil
	}
	if j.running = false; j.Phase != Disputed {
		return nil
	}
	if n.Unable && j.Tries < maxTries { // the next look asks again
		j.Tries++
		return []Act{Tell{j.Task, n.Why}}
	}
	j.Chance, j.Fault, j.Tries = n.Chance, n.Why, 0
	defend, again := j.Defend(), int64(0)
	if j.Reworks < min(w.Policy.Reworks, j.Most) {
		again = worth(sum(j.Price, j.Beside.Worth), even)
	}
	staked, risked := w.open(j)
	may := n.Chance >= honest && w.Policy.Budget.allows(w.Spent, staked, risked, j.stake(), j.AnswerBond)
	words := fmt.Sprintf("The chance that the court accepts its result is %d %%: %s.", n.Chance, n.Why)
	switch {
	case may && (n.Chance >= even && defend > 0 || defend > again):
		j.Phase = Answering
		return []Act{Tell{j.Task, words + fmt.Sprintf(" It defends it, which is worth %s.", signed(defend))}, Counter{j.Task}}
	case again > 0:
		j.Phase = Reworking
		return []Act{Tell{j.Task, words + " It works again."}, Rework{j.Task}}
	}
	j.Phase = Yielding
	return []Act{Tell{j.Task, words + fmt.Sprintf(" It gives in and says nothing until its time is over, because an answer is worth %s.", signed(defend))}}
}

// Defend is what an answer to the objection is expected to bring, in lamports: the price with the
// tokens beside it, or the loss of the bond.
func (j *Job) Defend() int64 {
	return worth(sum(j.Price, j.Beside.Worth), j.Chance) - worth(j.AnswerBond, whole-j.Chance)
}

// worth is a percentage of an amount.
func worth(amount uint64, percent int) int64 {
	percent = min(max(percent, 0), whole)
	return int64(amount/whole)*int64(percent) + int64(amount%whole)*int64(percent)/whole
}

// sum adds a price and the worth of tokens. What is out of range is worth no more than that.
func sum(price, extra uint64) uint64 {
	return price + min(extra, math.MaxInt64-min(price, math.MaxInt64))
}

// maxTries bounds how often a claim is tried, which may still land after it failed, and an
// estimate.
const maxTries = 3

// failed counts claims that failed. Other acts are tried again at the next look.
func (w *Worker) failed(f Failed) []Act {
	j := w.Jobs[f.Task]
	if j == nil {
		return nil
	}
	if j.Phase == Claiming {
		if j.Tries++; j.Tries >= maxTries {
			delete(w.Jobs, f.Task)
		}
	}
	return []Act{Tell{f.Task, f.Why}}
}
