package brainagent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/node/client"
	"ojud/node/megabrain"
	"ojud/node/trader"
)

// follow goes on with every task in which the agent has a seat, first where most is at stake: a
// flood of small tasks delays small tasks alone. Before that come tasks whose answer is made: to
// commit to it asks no memory node. The error is that of the disk.
func (a *Participant) follow(ctx context.Context, all []megabrain.Seen, classes map[onchain.Address]*brain.ClassAccount) error {
	slices.SortStableFunc(all, func(x, y megabrain.Seen) int {
		return cmp.Or(cmp.Compare(a.ready(y), a.ready(x)), cmp.Compare(a.held(y.Task), a.held(x.Task)), cmp.Compare(x.Task.Clock.Deadline, y.Task.Clock.Deadline))
	})
	listed := map[onchain.Address]bool{}
	for _, head := range all {
		listed[head.At] = true
		held := a.state.Seats[head.At.String()] != nil
		account, served := classes[head.Task.Parties.Class]
		if served && (head.Task.Open() || a.state.Appeals[head.At.String()] != nil) {
			if err := a.appeals(ctx, head, account); err != nil || ctx.Err() != nil {
				return err
			}
		}
		if !held && (!served || head.Task.Status >= brain.Settled || same(a.foreign[head.At], head)) {
			continue
		}
		s, err := a.Desk.Task(ctx, head.At)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			a.tell(head.At.String(), head.At.String(), "cannot read the task and tries again: "+err.Error())
			continue
		}
		if p, made := a.state.Seats[head.At.String()], s.Task.Clock.CreatedSlot; p != nil && p.Made != made {
			if p.Made > made {
				continue // a node that is behind
			}
			if err := a.unseen(head.At); err != nil {
				return err
			}
		}
		n := a.number(s.Task)
		if n < 0 {
			a.foreign[head.At] = head
			continue
		}
		if s.Task.Status >= brain.Settled {
			if err := a.end(head.At, s.Task, n); err != nil {
				return err
			}
			continue
		}
		if account == nil {
			continue // it could not be read, and the next look tries again
		}
		if err := a.step(ctx, s, n, account); err != nil || ctx.Err() != nil {
			return err
		}
	}
	for task := range a.state.Appeals {
		if at, err := onchain.ParseAddress(task); err == nil && !listed[at] {
			if _, err := a.Desk.Task(ctx, at); errors.Is(err, megabrain.ErrNoAccount) {
				delete(a.state.Appeals, task) // what it cost is counted, and nobody sees the end
			}
		}
	}
	for at := range a.decided {
		if !listed[at] {
			delete(a.decided, at)
		}
	}
	for at := range a.foreign {
		if !listed[at] {
			delete(a.foreign, at)
		}
	}
	for task := range a.state.Seats {
		if at, err := onchain.ParseAddress(task); err == nil && !listed[at] {
			if err := a.gone(ctx, at); err != nil {
				return err
			}
		}
	}
	return nil
}

// ready is 1 if the agent has only to commit to what it made.
func (a *Participant) ready(s megabrain.Seen) int {
	if p := a.state.Seats[s.At.String()]; p != nil && p.answer && (s.Task.Status == brain.Working || s.Task.Status == brain.Evaluating) {
		return 1
	}
	return 0
}

// same reports whether nobody was drawn between two looks at a task.
func same(before, now megabrain.Seen) bool {
	return before.Task != nil && before.Task.Counts == now.Task.Counts && before.Task.Clock.CreatedSlot == now.Task.Clock.CreatedSlot
}

// number is the agent's seat in its role, or -1.
func (a *Participant) number(t *brain.TaskAccount) int {
	if a.role == brain.WorkerRole {
		return slices.IndexFunc(t.Work[:t.Counts.Drawn], func(w brain.WorkSeat) bool { return w.Agent == a.Self })
	}
	return slices.IndexFunc(t.Judges[:t.Counts.Seated], func(e brain.Evaluator) bool { return e.Agent == a.Self })
}

// held is what a task holds of the stake of one in the agent's role.
func (a *Participant) held(t *brain.TaskAccount) uint64 {
	if a.role == brain.WorkerRole {
		return t.Money.WorkerStake
	}
	return t.Money.EvaluatorStake
}

// The states of a seat.
const (
	seatDrawn    = 0
	seatRevealed = 2
)

// step does what can be done in a task now.
func (a *Participant) step(ctx context.Context, s megabrain.Seen, n int, c *brain.ClassAccount) error {
	task, t := s.At.String(), s.Task
	p := a.state.Seats[task]
	if p == nil {
		p = &place{Made: t.Clock.CreatedSlot, Class: t.Parties.Class.String(), Risk: a.held(t)}
		p.answer = a.store.has(p.answerFile(task))
		a.state.Seats[task] = p
		if err := a.store.save(&a.state); err != nil {
			return err
		}
		a.tell("", task, fmt.Sprintf("was drawn as seat %d of the task, which holds %s of its stake", n+1, client.Lamports(p.Risk)))
	}
	if bond := t.Money.Bond; t.Marks.Posted == 1 && t.Poster == a.Self && bond > 0 && p.Bond != bond {
		p.Bond = bond
		if err := a.store.save(&a.state); err != nil {
			return err
		}
	}
	state, stage := t.Work[n].State, brain.Working
	if a.role == brain.EvaluatorRole {
		state, stage = t.Judges[n].State, brain.Evaluating
		if asked := t.Judges[n].Asked; asked > p.Asked {
			if err := a.anew(task, p, asked); err != nil {
				return err
			}
		}
	}
	switch {
	case t.Status == stage && state == seatDrawn && s.Now < t.Clock.Deadline && p.answer:
		a.commit(ctx, s.At, p)
	case t.Status == stage && state == seatDrawn && s.Now < t.Clock.Deadline:
		return a.start(ctx, s, p, c)
	case t.Status == brain.Posted && s.Now < t.Clock.Deadline && t.Poster != a.Self && a.Plan.Dispute:
		return a.contest(ctx, s, n, p, c)
	case t.Status == brain.Disputed && t.Disputant == a.Self:
		return a.bring(ctx, s.At, t, p)
	}
	return nil
}

// anew lets an evaluator begin again: further workers were called, and it is asked about them.
func (a *Participant) anew(task string, p *place, asked uint8) error {
	old := p.answerFile(task)
	p.Asked, p.Attempt, p.Fault = asked, 0, ""
	p.answer = a.store.has(p.answerFile(task))
	if err := a.store.save(&a.state); err != nil {
		return err
	}
	a.tell("", task, "is asked about further workers")
	return a.store.drop(old)
}

// commit commits to what was made. The chain takes one commitment of a seat each time it is asked.
func (a *Participant) commit(ctx context.Context, at onchain.Address, p *place) {
	task := at.String()
	raw, err := a.store.read(p.answerFile(task), maxAnswer)
	if err == nil {
		if a.role == brain.WorkerRole {
			var w handedIn
			if w, err = readWork(raw); err == nil {
				_, err = a.Desk.Commit(ctx, at, w.Result, w.Summary, nil)
			}
		} else {
			var e scored
			if e, err = readScores(raw); err == nil {
				_, err = a.Desk.Evaluate(ctx, at, e.Scores, raw, e.reasons())
			}
		}
	}
	switch {
	case err == nil:
		a.tell(task, task, "has committed to what it made")
	case ctx.Err() == nil:
		a.tell(task, task, "cannot commit to what it made and tries again: "+err.Error())
	}
}

// end counts what came of a task that is over.
func (a *Participant) end(at onchain.Address, t *brain.TaskAccount, n int) error {
	task := at.String()
	p := a.state.Seats[task]
	if p == nil {
		return nil
	}
	paid, slashed := t.Work[n].Paid, t.Work[n].Slashed
	if a.role == brain.EvaluatorRole {
		paid, slashed = t.Judges[n].Paid, t.Judges[n].Slashed
	}
	upheld := t.Upheld()
	if p.Bond > 0 && a.role == brain.EvaluatorRole && t.Judges[n].Past&brain.PastLost != 0 {
		slashed += p.Bond
	}
	if c := p.Contest; c != nil && c.Calls != calls(t) {
		won, cost := a.past(c, t)
		paid, slashed = paid+won, slashed+cost
	} else if c != nil && !c.Lost && a.landed(c, t) {
		slashed += c.Fee
		switch {
		case t.Disputant == a.Self && upheld:
			paid += c.Prize
		case t.Found(): // else the court did not decide
			slashed += c.Stake
		}
	}
	a.state.Earned += paid
	a.state.Lost += slashed
	text := fmt.Sprintf("the task is %s: it earned %s and lost %s", t.Status, client.Lamports(paid), client.Lamports(slashed))
	return a.over(at, text)
}

// gone looks whether a task that is no longer listed was closed.
func (a *Participant) gone(ctx context.Context, at onchain.Address) error {
	if _, err := a.Desk.Task(ctx, at); !errors.Is(err, megabrain.ErrNoAccount) {
		return nil // the list was of another time
	}
	return a.unseen(at)
}

// unseen counts a task that was closed before the agent saw its end, as badly as it can have ended.
func (a *Participant) unseen(at onchain.Address) error {
	p := a.state.Seats[at.String()]
	worst := p.Risk + p.Bond
	if c := p.Contest; c != nil && c.Landed && !c.Lost {
		worst += c.Stake + c.Fee
	}
	a.state.Lost += worst
	return a.over(at, fmt.Sprintf("the task was closed before the agent saw its end; it counts as if %s were lost", client.Lamports(worst)))
}

// over forgets a task.
func (a *Participant) over(at onchain.Address, text string) error {
	task := at.String()
	answer := a.state.Seats[task].answerFile(task)
	delete(a.state.Seats, task)
	delete(a.shown, at)
	if err := a.store.save(&a.state); err != nil {
		return err
	}
	a.tell("", task, text)
	return a.store.drop(answer)
}

// classOf is the class of the plan.
func (a *Participant) classOf(at onchain.Address) (trader.BrainClass, bool) {
	i := slices.IndexFunc(a.Plan.Classes, func(c trader.BrainClass) bool { return c.At == at })
	if i < 0 {
		return trader.BrainClass{}, false
	}
	return a.Plan.Classes[i], true
}
