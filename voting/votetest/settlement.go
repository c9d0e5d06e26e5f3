package votetest

import (
	"ojud/voting"
	"ojud/voting/rules"
)

// Settle ends a round.
func (c *Chain) Settle(task voting.Key) error { return c.SettleBy(task, rules.Settle) }

// SettleBy ends a round by other rules.
func (c *Chain) SettleBy(task voting.Key, compute func(rules.RoundEnd) (rules.Settlement, error)) error {
	t := c.Task(task)
	if t == nil || !t.Case.Live() {
		return moot("WrongStatus")
	}
	if !t.Case.CanSettle(c.Now) {
		return moot("NotYetSettleable")
	}
	return c.settle(t, compute)
}

// ExpireCase ends a case that was not drawn in time.
func (c *Chain) ExpireCase(task voting.Key) error {
	const _ = uint(6 - voting.Statuses) // which operations does a seventh status take?
	t := c.Task(task)
	if t == nil || t.Case.Status != voting.AwaitingDraw {
		return moot("WrongStatus")
	}
	if !t.Case.CanExpire(c.Now) {
		return moot("TooEarly")
	}
	if t.Case.Appealed() {
		return c.expireAppeal(t)
	}
	return c.settle(t, rules.Expire)
}

// settle applies a settlement.
func (c *Chain) settle(t *Task, compute func(rules.RoundEnd) (rules.Settlement, error)) error {
	if t.Case.Appealed() {
		return c.settleAppeal(t)
	}
	r := &c.State.Roster
	in := rules.RoundEnd{
		Law: rules.LawOf(t.Case.Rules), Round: t.Case.Round, Seats: t.Case.Seats, Standings: r.Standings(t.Case.Seats), Terms: t.Terms,
	}
	out, err := compute(in)
	if err != nil {
		return err
	}
	drawn := t.Case.Status != voting.AwaitingDraw
	if drawn && out.Status.Over() && c.others(t, out.Verdict) > 0 {
		return c.await(t, in)
	}
	if c.Settled != nil {
		c.Settled(t, in, out)
	}
	if t.Case.Live() {
		c.closeSeats(&t.Case, out)
	}
	for i := range out.Seats {
		s := &t.Case.Seats[i]
		s.Result = out.Seats[i].Result
		s.Earned += out.Seats[i].Earned
		r.Entries[s.Index].Rewards += out.Seats[i].Earned
	}
	c.State.Pot += out.Golden
	c.pay(t, out)
	c.move(&t.Case, out)
	return nil
}

// closeSeats takes the slashes and updates the judges' records.
func (c *Chain) closeSeats(k *voting.Case, out rules.Settlement) {
	for i := range out.Seats {
		s := &k.Seats[i]
		e := &c.State.Roster.Entries[s.Index]
		e.Stake -= out.Seats[i].Slashed
		s.Slashed += out.Seats[i].Slashed
		e.Live--
		e.Locked -= exposed(k, s)
		e.count(out.Seats[i].Result)
		e.answersUntil(c.Now + int64(k.Rules.EvidenceSeconds))
	}
}

// pay empties the task into the vaults and the Pot; the lost bonds went to the judges and the Pot.
func (c *Chain) pay(t *Task, out rules.Settlement) {
	if !out.Status.Over() {
		return
	}
	for _, p := range out.Payments {
		switch p.To {
		case rules.Worker:
			t.WorkerPaid += p.Amount
		case rules.Creator:
			t.CreatorPaid += p.Amount
		case rules.Pot:
			c.State.Pot += p.Amount
		}
	}
	t.Terms.Escrow, t.Terms.CreatorBond, t.Terms.WorkerBond, t.AppealBond = 0, 0, 0, 0
	t.Outcome = out.Outcome
}

// move brings the case to its next state.
func (c *Chain) move(k *voting.Case, out rules.Settlement) {
	k.Status, k.Verdict, k.Round = out.Status, out.Verdict, out.Round
	if out.Status.Over() {
		k.SettledAt = c.Now
		return
	}
	c.again(k, out.Round)
}
