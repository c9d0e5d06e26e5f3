package brainagent

import (
	"context"
	"fmt"
	"strings"

	"ojud/ledger/brain"
	"ojud/megabrain/arbiter"
	"ojud/node/client"
	"ojud/node/megabrain"
)

// appeal is the agent's appeal against a golden task.
type appeal struct {
	Worker int    `json:"worker"` // counted from 1
	Reason string `json:"reason"`
	Stake  uint64 `json:"stake,string"`
	Fee    uint64 `json:"fee,string"`
	Prize  uint64 `json:"prize,string"` // the bond of the class's creator, which it gets if the court is with it
	Landed bool   `json:"landed"`       // the chain has it, and stake and fee are counted as lost
	// Refused is how many appeals the court had rejected before this one.
	Refused uint8 `json:"refused,omitempty"`
	Over    bool  `json:"over,omitempty"` // it is counted, and others may appeal yet
}

// certain is the least confidence, in percent, with which the agent scored a result of which it
// says now that it was opened wrongly.
const certain = 90

// appeals looks at an opened golden task in which the agent has a seat as an evaluator. If it
// failed that, and its own score says that a result was opened wrongly, it asks the court, if that
// is worth the stake and the fee of judges and fits its settings. The error is that of the disk.
func (a *Participant) appeals(ctx context.Context, head megabrain.Seen, c *brain.ClassAccount) error {
	task := head.At.String()
	own := a.state.Appeals[task]
	if a.role != brain.EvaluatorRole || a.Plan.Appeal == 0 || a.decided[head.At] == head.Task.Clock.Deadline && own == nil {
		return nil
	}
	s, err := a.Desk.Task(ctx, head.At)
	if err != nil {
		if ctx.Err() == nil {
			a.tell(task, task, "cannot read the golden task and tries again: "+err.Error())
		}
		return nil
	}
	if own != nil {
		return a.heard(ctx, s, own, c)
	}
	a.decided[head.At] = head.Task.Clock.Deadline
	n, t := a.number(s.Task), s.Task
	if n < 0 || t.Marks.Opened != brain.Shown || s.Now >= t.Clock.Deadline || t.Appeal.Appellant == a.Self || !arbiter.Failed(t, c.Parameters, a.Self) {
		return nil
	}
	stake, fee, err := a.AppealCosts(ctx, t, c)
	if err != nil {
		delete(a.decided, head.At)
		if ctx.Err() == nil {
			a.tell(task, task, "cannot say what an appeal costs and tries again: "+err.Error())
		}
		return nil
	}
	// Code of the court makes the checks of a question on the answer, and not on what the outcome
	// put beside it, so that comes after.
	best, value, exact := (*appeal)(nil), int64(0), false
	for w := range int(t.Counts.Drawn) {
		it, sure := a.claim(t, c.Parameters, n, w)
		if it == nil {
			continue
		}
		it.Stake, it.Fee, it.Refused = uint64(stake), uint64(fee), t.Appeal.Refused
		v := worth(sure, spared(t, c.Parameters), it.Prize, it.Stake, it.Fee)
		if is := v > 0 && t.Work[w].ResultHash == t.Seal; best == nil || is && !exact || is == exact && v > value {
			best, value, exact = it, v, is
		}
	}
	b := a.Plan.Budget
	switch {
	case best == nil:
		a.tell(task, task, "failed a golden task, and none of its scores says that it is wrong")
		return nil
	case value <= 0:
		a.tell(task, task, fmt.Sprintf("failed a golden task that it holds wrong about worker %d; it does not appeal, because the stake is %s and the fee %s", best.Worker, stake, fee))
		return nil
	case best.Stake+best.Fee > a.Plan.Appeal || b.Loss > 0 && a.state.Lost+a.begun(task)+best.Stake+best.Fee > b.Loss:
		a.tell(task, task, fmt.Sprintf("failed a golden task that it holds wrong about worker %d; the stake of %s and the fee of %s do not fit its settings", best.Worker, stake, fee))
		return nil
	}
	if best.Reason, err = a.reasonFor(ctx, s, best.Worker); err != nil {
		delete(a.decided, head.At)
		if ctx.Err() == nil {
			a.tell(task, task, "cannot say why it appeals and tries again: "+err.Error())
		}
		return nil
	}
	if a.state.Appeals == nil {
		a.state.Appeals = map[string]*appeal{}
	}
	a.state.Appeals[task] = best
	if err := a.store.save(&a.state); err != nil {
		return err
	}
	a.tell(task, task, fmt.Sprintf("failed a golden task that it holds wrong about worker %d, and appeals: it is worth %s", best.Worker, client.Lamports(value)))
	return a.heard(ctx, s, best, c)
}

// begun is what appeals that did not land yet may cost, but for that of a task.
func (a *Participant) begun(but string) (sum uint64) {
	for task, it := range a.state.Appeals {
		if !it.Landed && task != but {
			sum += it.Stake + it.Fee
		}
	}
	return sum
}

// claim is what the agent's score says against the opening of a result, and how sure it was; nil:
// nothing.
func (a *Participant) claim(t *brain.TaskAccount, p brain.Parameters, n, w int) (*appeal, int64) {
	said := t.Judges[n].Said[w]
	right, ok := arbiter.OpenedAs(t, w)
	if !ok || said.Score == brain.Silent || said.Confidence < certain || (uint16(said.Score) >= p.Shares.Pass) == right {
		return nil, 0
	}
	it := &appeal{Worker: w + 1}
	if right {
		it.Prize = t.Money.Bond
	}
	return it, min(int64(said.Confidence), sure)
}

// spared is the part of an evaluator's stake that a failed golden task brings nearer to be lost.
func spared(t *brain.TaskAccount, p brain.Parameters) uint64 {
	const failure = 3 // of the alarm
	return t.Money.EvaluatorStake / 10_000 * uint64(p.Shares.RubberStamp) * failure / uint64(max(p.Golden, failure))
}

// reasonFor is what the agent said of a result when it scored it.
func (a *Participant) reasonFor(ctx context.Context, s megabrain.Seen, worker int) (string, error) {
	all, err := a.Desk.Results(ctx, s.At, 0)
	if err != nil || worker > len(all) {
		return "", err
	}
	right, _ := arbiter.OpenedAs(s.Task, worker-1)
	text := map[bool]string{true: "This result was opened as right, and it is wrong.", false: "This result was opened as wrong, and it is right."}[right]
	for _, says := range all[worker-1].Says {
		if says.Evaluator == a.Self.String() {
			text += fmt.Sprintf(" When I evaluated it, I gave it %d of 100 points, and was sure by %d of 100. %s", says.Score, says.Confidence, says.Rationale)
		}
	}
	return strings.TrimSpace(text), nil
}

// still looks again whether an appeal that did not land is to be sent: others may have appealed
// since, which doubles the stake, or clears the result.
func (a *Participant) still(ctx context.Context, s megabrain.Seen, own *appeal, c *brain.ClassAccount) (bool, error) {
	t, task, n := s.Task, s.At.String(), a.number(s.Task)
	if n < 0 { // another task at the address
		delete(a.state.Appeals, task)
		return false, a.store.save(&a.state)
	}
	stake, fee, err := a.AppealCosts(ctx, t, c)
	if err != nil {
		if ctx.Err() == nil {
			a.tell(task, task, "cannot say what an appeal costs and tries again: "+err.Error())
		}
		return false, nil
	}
	it, sure := a.claim(t, c.Parameters, n, own.Worker-1)
	cost, b := uint64(stake)+uint64(fee), a.Plan.Budget
	if it == nil || !arbiter.Failed(t, c.Parameters, a.Self) || cost > a.Plan.Appeal || b.Loss > 0 && a.state.Lost+a.begun(task)+cost > b.Loss ||
		worth(sure, spared(t, c.Parameters), it.Prize, uint64(stake), uint64(fee)) <= 0 {
		delete(a.state.Appeals, task)
		a.tell("", task, fmt.Sprintf("does not appeal any more: the stake is %s and the fee %s now, or nothing is left to appeal", stake, fee))
		return false, a.store.save(&a.state)
	}
	if own.Stake == uint64(stake) && own.Fee == uint64(fee) && own.Prize == it.Prize && own.Refused == t.Appeal.Refused {
		return true, nil
	}
	own.Stake, own.Fee, own.Prize, own.Refused = uint64(stake), uint64(fee), it.Prize, t.Appeal.Refused
	return true, a.store.save(&a.state)
}

// heard brings the agent's appeal to the court, once after each start, and counts what came of it.
func (a *Participant) heard(ctx context.Context, s megabrain.Seen, own *appeal, c *brain.ClassAccount) error {
	t, task := s.Task, s.At.String()
	if own.Over && t.Open() {
		return nil // each appeals once about a result
	}
	if own.Over {
		delete(a.state.Appeals, task)
		return a.store.save(&a.state)
	}
	mine := t.Appeal.Appellant == a.Self
	if mine && !own.Landed {
		own.Landed = true
		a.state.Lost += own.Stake + own.Fee
		if err := a.store.save(&a.state); err != nil {
			return err
		}
	}
	if !own.Landed && t.Marks.Opened == brain.Shown && s.Now < t.Clock.Deadline {
		if still, err := a.still(ctx, s, own, c); err != nil || !still {
			return err
		}
	}
	switch {
	case t.Marks.Opened == brain.Appealed && mine && a.shown[s.At], t.Marks.Opened == brain.Appealed && !mine:
		return nil
	case t.Marks.Opened == brain.Shown && own.Landed && !mine:
		return nil // another's came after it, or the node is behind
	case t.Marks.Opened == brain.Appealed && mine, t.Marks.Opened == brain.Shown && !mine && s.Now < t.Clock.Deadline:
		if _, err := a.Appeal(ctx, megabrain.Grievance{Task: s.At, Worker: own.Worker, Reason: own.Reason}); err != nil {
			if ctx.Err() == nil {
				a.tell(task, task, "could not appeal: "+err.Error())
			}
			return nil
		}
		a.shown[s.At] = true
		return nil
	}
	text := "its appeal was not heard"
	if own.Landed {
		won := uint64(0)
		switch {
		case mine && (t.Marks.Opened == brain.Overturned || t.Marks.Opened == brain.Void):
			won = own.Stake + own.Prize
		case t.Appeal.Refused == own.Refused: // it was about a result that tests nobody any more, or was not decided
			won = own.Stake
		}
		a.state.Earned += won
		text = fmt.Sprintf("its appeal is over: of %s it has %s back, with what it won", client.Lamports(own.Stake+own.Fee), client.Lamports(won))
	}
	if own.Over = own.Landed && t.Marks.Opened == brain.Shown; !own.Over {
		delete(a.state.Appeals, task)
	}
	delete(a.shown, s.At)
	a.tell("", task, text)
	return a.store.save(&a.state)
}
