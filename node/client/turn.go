package client

import (
	"context"
	"fmt"
	"slices"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/client/cost"
	"ojud/node/client/when"
)

// The roles in a task.
const (
	roleAnyone  = "anyone"
	roleCreator = "creator"
	roleWorker  = "worker"
	roleCourt   = "court"
)

// Move is the next step in a task and the role that takes it.
type Move struct {
	Who  string `json:"who"`            // anyone, creator, worker, court; empty when the task is over
	What string `json:"what"`           // in plain words
	By   int64  `json:"by,omitempty"`   // Unix seconds of the chain's clock
	Left string `json:"left,omitempty"` // By in words
}

// sentence returns the move in words.
func (m Move) sentence() string {
	if m.Who == "" {
		return m.What
	}
	s := fmt.Sprintf("it is the %s's move: %s", m.Who, m.What)
	if m.Who == roleAnyone {
		s = "anyone can move: " + m.What
	}
	if m.Left != "" {
		s += ", " + m.Left
	}
	return s
}

// turn returns the next move at a time of the chain's clock.
func turn(t *program.Task, now int64) Move {
	m := plainTurn(t)
	m.By = cost.Expiry(t)
	if waits(t) {
		m.By = t.Deadline
	}
	if m.By == 0 {
		return m
	}
	m.Left = when.Left(m.By, now)
	if now >= m.By && waits(t) && !t.IsDispute() {
		return Move{Who: roleAnyone, What: "settle it: its engine was silent, so " + map[program.OnSilence]string{
			program.CourtDecides: "the court decides", program.EndByTerm: "its term for undecided cases decides",
		}[t.OnSilence], By: m.By, Left: m.Left}
	}
	if now >= m.By && !waits(t) {
		return Move{Who: roleAnyone, What: "expire it: " + expired(t.Status), By: m.By, Left: m.Left}
	}
	return m
}

// releaseBy returns the time before which the worker may give its claim back for nothing. It is 0
// if it may not in this state.
func releaseBy(t *program.Task) int64 {
	if t.Status != program.Claimed && t.Status != program.InProgress || t.SubmittedAt != 0 {
		return 0
	}
	free := t.WorkSeconds / 10
	return t.ClaimedAt + int64(free-min(free, t.ReleasedSeconds))
}

func plainTurn(t *program.Task) Move {
	switch t.Status {
	case program.Created:
		return Move{Who: roleAnyone, What: "claim it (the creator may cancel it)"}
	case program.Claimed:
		return Move{Who: roleWorker, What: "start, and submit a result"}
	case program.InProgress:
		return Move{Who: roleWorker, What: "submit a result"}
	case program.Verification:
		return Move{Who: roleCreator, What: "accept or object (silence pays the worker)"}
	case program.Disputed:
		return Move{Who: roleWorker, What: "rework or counter-object (silence refunds the creator)"}
	case program.Judiciary:
		if waits(t) && t.IsDispute() {
			return Move{Who: roleCreator, What: "answer the dispute, or let the court decide without an answer"}
		} else if waits(t) {
			return Move{Who: roleAnyone, What: "settle it by the verdict of the engine " + deciderOf(t).String()}
		}
		return Move{Who: roleCourt, What: "decide the case"}
	}
	return Move{What: ending(t)}
}

// expired describes the effect of expire.
func expired(s program.TaskStatus) string {
	switch s {
	case program.Created:
		return "nobody claimed it, the creator is refunded"
	case program.Verification:
		return "the creator was silent, the worker is paid"
	case program.Disputed:
		return "the worker was silent, the creator is refunded"
	}
	return "the worker missed the deadline, the task returns to the market and the claim's bond is the creator's"
}

// ending describes the end of a task.
func ending(t *program.Task) string {
	how := map[program.Resolution]string{
		program.ByAcceptance: "the creator accepted", program.ByCreatorSilence: "the creator was silent",
		program.ByWorkerSilence: "the worker was silent", program.ByVerdict: "by verdict of the court",
		program.ByUndecided: "the court could not decide", program.ByCancellation: "the creator cancelled it",
		program.ByExpiry: "nobody claimed it in time", program.ByEngine: "by verdict of its engine",
		program.ByEngineSilence: "its engine was silent",
	}[t.Resolution]
	return fmt.Sprintf("over: %s, %s", program.OutcomeName(t.Outcome), how)
}

// allow returns an error that explains why the client's key may not act now, before a fee is paid.
// The role is empty if anyone may act.
func (c *court) allow(ctx context.Context, t *program.Task, what, role string, in ...program.TaskStatus) error {
	me := c.self
	now, err := c.chain.Now(ctx)
	if err != nil {
		return err
	}
	need := map[string]onchain.Address{roleCreator: t.Creator, roleWorker: t.Worker}[role]
	switch {
	case !slices.Contains(in, t.Status):
		return fmt.Errorf("%w: cannot %s, the task is %s; %s", errNotNow, what, t.Status, turn(t, now.Unix).sentence())
	case role != "" && need != me:
		return fmt.Errorf("%w: only the %s can %s, that is %s, and this key is %s; give the right --key", errNotNow, role, what, need, me)
	case cost.Expiry(t) != 0 && now.Unix >= cost.Expiry(t):
		return fmt.Errorf("%w: the time to %s is over (%s); %s", errNotNow, what, when.In(cost.Expiry(t), now.Unix), turn(t, now.Unix).sentence())
	case t.Status == program.Created && me == t.Creator && role == "":
		return fmt.Errorf("%w: this is your own task; another agent has to claim it", errNotNow)
	case t.Status == program.Created && me == t.LastWorker && role == "":
		return fmt.Errorf("%w: you missed the deadline of this task or gave it back, and may not be the next to claim it", errNotNow)
	}
	return nil
}
