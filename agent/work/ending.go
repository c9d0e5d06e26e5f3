package work

import "slices"

// Ending is how a job or an item ended, and what was counted for it.
type Ending struct {
	Outcome End    `json:"outcome,omitempty"`
	Lost    uint64 `json:"lost,string"`   // that was counted
	Guessed bool   `json:"guessed"`       // the outcome was not seen
	Was     Phase  `json:"was,omitempty"` // before it was over
}

// maxAbsent is in how many looks a task must be missing, one after the other, before it counts as
// gone. A node of the chain may lag.
const maxAbsent = 3

// stake is what the job has, or may need, at stake.
func (j *Job) stake() uint64 { return j.ClaimBond + j.AnswerBond }

// risk is the most that the job can lose: the bond of its claim if it misses the deadline, or the
// bond of its answer before the court. The court gives the bond of a claim back.
func (j *Job) risk() uint64 { return max(j.ClaimBond, j.AnswerBond) }

// back returns a job that is over by a guess, or that was given back, although the chain still has
// it: an older state of the chain was seen, or is seen now.
func (w *Worker) back(task string) *Job {
	for n := len(w.Past) - 1; n >= 0; n-- {
		if j := w.Past[n]; j.Task == task && (j.Guessed || j.Outcome == Returned) {
			w.Past = slices.Delete(w.Past, n, n+1)
			w.Spent.Lost -= min(j.Lost, w.Spent.Lost)
			j.Phase, j.Lost, j.Guessed, j.Outcome, j.Absent, j.running = j.Was, 0, false, "", 0, false
			if j.Phase == Making { // what was under way is made again
				j.Attempt = max(j.Attempt-1, 0)
			}
			return &j
		}
	}
	return nil
}

// end closes a job. Of an end that was not seen it counts the worst.
func (w *Worker) end(j *Job, o End, r Ruling) []Act {
	switch j.Lost = j.loses(o, r); o {
	case Paid:
		w.Earned += j.Price
	case Split:
		w.Earned += j.Price / 2
	}
	w.Spent.Lost += j.Lost
	delete(w.Jobs, j.Task)
	j.Was, j.Phase, j.Outcome = j.Phase, Over, o
	if w.Past = append(w.Past, *j); len(w.Past) > maxPast {
		w.Past = w.Past[len(w.Past)-maxPast:]
	}
	return []Act{Tell{j.Task, "is over: " + string(o)}}
}

// loses is what the job loses by an end (protocol, section 6): the bond of its claim if it missed
// the deadline; that of its answer if the verdict is against it, or if an undecided case pays it;
// and half of it if an undecided case is split.
func (j *Job) loses(o End, r Ruling) uint64 {
	switch {
	case o == Missed || o == Gone && j.Phase == Reworking:
		return j.ClaimBond
	case o == Refunded && r == Decided, o == Paid && r == Undecided, o == Gone && (j.Phase == Answering || j.Phase == Judged):
		return j.AnswerBond
	case o == Split:
		return j.AnswerBond / 2
	}
	return 0 // nothing was at stake, or it came back
}

// open is what jobs besides one have at stake, and the most that they can lose.
func (w *Worker) open(but *Job) (staked, risked uint64) {
	for _, j := range w.Jobs {
		if j != but {
			staked, risked = staked+j.stake(), risked+j.risk()
		}
	}
	return staked, risked
}

// maxSpoiled is how many tasks of one creator a worker gives up until it takes no further one, if
// no more were paid: some checks cannot be passed.
const maxSpoiled = 3

// spoils reports whether too many tasks of a creator came to nothing here.
func (w *Worker) spoils(creator string) bool {
	spoiled, paid := 0, 0
	for _, j := range w.Past {
		switch {
		case creator == "" || j.Creator != creator:
		case j.Outcome == Paid:
			paid++
		case j.Fault != "" && (j.Outcome == Missed || j.Outcome == Returned):
			spoiled++
		}
	}
	return spoiled >= maxSpoiled && spoiled > paid
}

// risk is the most that the order can cost.
func (i *Item) risk() uint64 { return i.Reward + i.Bond }

// gone closes an item whose task is missing on the chain in several looks: a node may lag. What
// became of it follows from the time since the task was seen, or else counts as the worst.
func (c *Creator) gone(i *Item, b Books) []Act {
	if i.Absent++; i.Absent < maxAbsent {
		return nil
	}
	i.Guessed = true
	unseen := b.Now - i.Seen
	switch i.Phase {
	case Posting, Open, Making:
		if unseen < b.Silence { // no result can have been paid by silence
			return c.end(i, Refunded, "")
		}
	case Disputed:
		if unseen < min(b.Kept, b.Silence) { // there was no case, and no further result
			return c.end(i, Refunded, "")
		}
	case Accepting, Waiting: // there was no objection, so that the reward is the most
		return c.end(i, Paid, "")
	}
	return c.end(i, Gone, "")
}

// back opens an item that was over by a guess, although the chain still has its task.
func (c *Creator) back(i *Item) {
	c.Spent.Lost -= min(i.Lost, c.Spent.Lost)
	i.Phase, i.Outcome, i.Lost, i.Guessed, i.Absent = i.Was, "", 0, false, 0
}

// end closes an item. Of an end that was not seen it counts the worst.
func (c *Creator) end(i *Item, o End, r Ruling) []Act {
	i.Lost = i.loses(o, r)
	c.Spent.Lost += i.Lost
	i.Was, i.Phase, i.Outcome, i.running = i.Phase, Over, o, false
	return []Act{Tell{i.Task, "is over: " + string(o)}}
}

// loses is what the order costs by an end (protocol, section 6): the reward if it is paid, with the
// bond of the objection if the verdict is against it; the bond if an undecided case is refunded;
// and half of both if it is split.
func (i *Item) loses(o End, r Ruling) uint64 {
	switch {
	case o == Gone || o == Paid && r == Decided:
		return i.Reward + i.Bond
	case o == Paid:
		return i.Reward
	case o == Split:
		return i.Reward/2 + i.Bond/2
	case o == Refunded && r == Undecided:
		return i.Bond
	}
	return 0
}

// open is what orders besides one have at stake, and the most that they can cost.
func (c *Creator) open(but *Item) (staked, risked uint64) {
	for _, i := range c.Items {
		if i != but && i.Phase != Over {
			staked, risked = staked+i.risk(), risked+i.risk()
		}
	}
	return staked, risked
}
