package brainagent

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/megabrain/arbiter"
	"ojud/megabrain/finding"
	"ojud/node/client"
	"ojud/node/megabrain"
)

// sure is the chance, in percent, that the court accepts an outcome that this agent found: it is
// arithmetic, but a result may come to the court that the agent has not seen.
const sure = 95

// unseen is that chance if nobody shows a result, and the agent took it for no effort, as the court
// does: somebody may show it there.
const unseen = 80

// worth is what a dispute is expected to bring.
func worth(sure int64, wronged, bond, stake, fee uint64) int64 {
	win, lose := int64(wronged+bond), int64(stake)
	return win/100*sure + win%100*sure/100 - (lose/100*(100-sure) + (lose%100*(100-sure)+99)/100) - int64(fee)
}

// contest disputes the posted outcome if the agent finds another one by which it has more, and if
// that is worth the stake and the fee of judges. It does so once for each outcome.
func (a *Participant) contest(ctx context.Context, s megabrain.Seen, n int, p *place, c *brain.ClassAccount) error {
	task, t := s.At.String(), s.Task
	if old := p.Contest; old != nil && old.Calls != calls(t) {
		paid, lost := a.past(old, t)
		a.state.Earned, a.state.Lost, p.Contest = a.state.Earned+paid, a.state.Lost+lost, nil
		if err := a.store.save(&a.state); err != nil {
			return err
		}
	}
	if c := p.Contest; c != nil && a.landed(c, t) { // the outcome stands again
		if c.Lost {
			return nil
		}
		c.Landed, c.Lost = true, true
		a.state.Lost += c.Stake + c.Fee
		a.tell("", task, fmt.Sprintf("the court was not with its dispute: it lost %s", client.Lamports(c.Stake+c.Fee)))
		return a.store.save(&a.state)
	}
	f, chance, err := a.find(ctx, s.At, t)
	if err != nil {
		if ctx.Err() == nil {
			a.tell(task, task, "cannot check the posted outcome: "+err.Error())
		}
		return nil
	}
	if f.Agrees {
		return nil
	}
	wronged := arbiter.Net(t, c.Parameters, arbiter.Conclusion(f.Finding, [32]byte{}), brain.PostedByDisputant, a.seat(n)) -
		arbiter.Net(t, c.Parameters, t.Finding, brain.PostedByPoster, a.seat(n))
	if wronged <= 0 {
		a.tell(task, task, "finds another outcome than the posted one, by which it would not have more; somebody whom it wrongs may dispute it")
		return nil
	}
	stake, fee, err := a.Desk.Costs(ctx, f)
	if err != nil {
		if ctx.Err() == nil {
			a.tell(task, task, "cannot say what a dispute costs: "+err.Error())
		}
		return nil
	}
	prize := t.Money.Bond
	if arbiter.Withheld(t, c.Parameters, arbiter.Conclusion(f.Finding, [32]byte{})) {
		prize = 0
	}
	value := worth(chance, uint64(wronged), prize, uint64(stake), uint64(fee))
	b := a.Plan.Budget
	words := fmt.Sprintf("finds another outcome than the posted one, by which it has %s more", client.Lamports(wronged))
	switch {
	case value <= 0:
		a.tell(task, task, words+fmt.Sprintf("; it does not dispute that, because the stake is %s and the fee %s", stake, fee))
		return nil
	case b.Loss > 0 && a.state.Lost+uint64(stake)+uint64(fee) > b.Loss:
		a.tell(task, task, words+fmt.Sprintf("; the stake of %s and the fee of %s do not fit its budget", stake, fee))
		return nil
	}
	p.Contest = &contest{Calls: calls(t), Poster: t.Poster.String(), Stake: uint64(stake), Fee: uint64(fee), Prize: prize}
	if err := a.store.save(&a.state); err != nil {
		return err
	}
	a.tell(task, task, words+fmt.Sprintf(", and disputes that: it is worth %s", client.Lamports(value)))
	if _, err := a.Desk.Dispute(ctx, f, "Another outcome follows from the results."); err != nil {
		if ctx.Err() == nil {
			a.tell(task, task, "could not dispute the outcome: "+err.Error())
		}
		return nil
	}
	p.Contest.Landed = true
	return a.store.save(&a.state)
}

// calls tells outcomes of a task apart: before another one is posted, further ones are called.
func calls(t *brain.TaskAccount) [3]uint8 {
	return [3]uint8{t.Counts.Drawn, t.Counts.Seated, t.Marks.Last}
}

// past is what a dispute brought and cost about an outcome that counts no more. The court was with
// it if the poster has lost a dispute. If it had no prize, the stake came back without one.
func (a *Participant) past(c *contest, t *brain.TaskAccount) (paid, lost uint64) {
	won := slices.ContainsFunc(t.Judges[:t.Counts.Seated], func(e brain.Evaluator) bool {
		return e.Agent.String() == c.Poster && e.Past&brain.PastLost != 0
	})
	switch {
	case !a.landed(c, t) || c.Lost:
		return 0, 0
	case won:
		return c.Prize, c.Fee
	case c.Prize == 0:
		return 0, c.Fee
	}
	return 0, c.Stake + c.Fee
}

// find finds the outcome of a task, and how sure that is. If all memory nodes lack a result, it is
// no effort, if the posted outcome is false without it, too. Else one worker that shows its result
// to nobody would keep all agents from disputing.
func (a *Participant) find(ctx context.Context, at onchain.Address, t *brain.TaskAccount) (megabrain.Found, int64, error) {
	f, err := a.Desk.Find(ctx, at, megabrain.Gaps(false))
	if !errors.Is(err, megabrain.ErrAbsent) {
		return f, sure, err
	}
	g, without := a.Desk.Find(ctx, at, megabrain.NoEffort)
	if without != nil || !parts(g.Finding, t.Finding) {
		return f, 0, err
	}
	return g, unseen, nil
}

// parts reports whether an outcome says of results that are there that one is no effort, or that
// two mean different things, and what was found says the opposite. No other result changes that.
func parts(found finding.Assessment, posted brain.Conclusion) bool {
	for i, one := range found.Facts {
		if one.LowEffort {
			continue
		}
		if posted.Facts[i].LowEffort == 1 {
			return true
		}
		for j, other := range found.Facts[:i] {
			if !other.LowEffort && one.Cluster > 0 && one.Cluster == other.Cluster && posted.Facts[i].Cluster != posted.Facts[j].Cluster {
				return true
			}
		}
	}
	return false
}

// landed reports whether the chain has, or had, the agent's dispute. One that another's came before
// is not there, and is sent again if the outcome stands after that.
func (a *Participant) landed(c *contest, t *brain.TaskAccount) bool {
	return c.Landed || t.Disputant == a.Self && (!t.Dispute.IsZero() || c.Calls != calls(t))
}

// bring brings the documents of the agent's own dispute to the court's nodes once after each start,
// because the last one may have ended between the transaction and that.
func (a *Participant) bring(ctx context.Context, at onchain.Address, t *brain.TaskAccount, p *place) error {
	task := at.String()
	if p.Contest == nil {
		return nil // a person opened it
	}
	if !p.Contest.Landed {
		p.Contest.Landed = true
		if err := a.store.save(&a.state); err != nil {
			return err
		}
	}
	if a.shown[at] {
		return nil
	}
	f, _, err := a.find(ctx, at, t)
	if err == nil {
		_, err = a.Desk.Dispute(ctx, f, "Another outcome follows from the results.")
	}
	if err != nil {
		if ctx.Err() == nil {
			a.tell(task, task, "cannot bring its documents to the court's nodes and tries again: "+err.Error())
		}
		return nil
	}
	a.shown[at] = true
	return nil
}

// seat is the name of the agent's seat in a settlement.
func (a *Participant) seat(n int) string {
	if a.role == brain.WorkerRole {
		return fmt.Sprintf("w%d", n)
	}
	return fmt.Sprintf("e%d", n)
}
