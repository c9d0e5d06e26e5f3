package crank

import (
	"context"
	"encoding/binary"

	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
)

// caseRent is the rent of a task's Case. Whoever opens it gets it back when it is closed. A node
// lends it to no task that holds less, so that to lock a node's lamports costs as many.
func caseRent(t *program.Task) uint64 { return rent(uint64(program.CaseSize(int(t.Seats)))) }

// heardWaiting notes a task that an engine may decide from now on.
func heardWaiting(_ *Crank, e program.Event) (onchain.Address, mark, bool) {
	t, ok := e.(*program.TaskMoved)
	if !ok || t.To != program.Judiciary || t.Deadline == 0 {
		return onchain.Address{}, mark{}, false
	}
	return t.Task, mark{at: t.At, until: t.Deadline, worth: t.Amount}, true
}

// foundWaiting reads the deadline of a Task in the judiciary: only an engine has one.
func foundWaiting(c *Crank, shown []byte) (mark, bool) {
	at, now := int64(binary.LittleEndian.Uint64(shown)), c.d.Clock()
	if now < at {
		return mark{at: now, until: at}, true
	}
	return mark{at: at}, at != 0
}

// planEngine settles a task by the verdict of its engine, or ends the wait for a silent one. It
// looks for a verdict whenever a quarter of the time that is left has passed, so that a node which
// is up sees one in time, however short that is. Nobody but nodes may be there to use it, so they
// do not leave it to the parties first.
func planEngine(ctx context.Context, c *Crank, a *ledger.Account) (duty, bool, error) {
	t, err := program.DecodeTask(a.Data)
	if err != nil || t.Status != program.Judiciary || t.Deadline == 0 {
		return duty{}, false, err
	}
	p, now := c.d.Chain.Program(), c.d.Clock()
	if now >= t.Deadline {
		d := duty{at: t.Deadline, act: p.Expire(a.Address, t.Creator, t.Worker)}
		if t.OnSilence == program.CourtDecides {
			d.act, d.rent = p.OpenCase(c.d.Self.Address(), a.Address, t.Rules), caseRent(t)
		}
		return d, d.rent <= a.Lamports, nil
	}
	if t.IsDispute() { // which waits for its respondent, and for no engine
		return duty{at: t.Deadline}, true, nil
	}
	v, err := c.said(ctx, a.Address, t)
	switch {
	case err != nil:
		return duty{}, false, err
	case v != nil:
		return duty{at: t.Deadline - int64(t.EngineSeconds), until: t.Deadline, act: p.SettleByEngine(a.Address, t)}, true, nil
	}
	if next := now + max((t.Deadline-now)/4, 1); next < t.Deadline {
		return duty{at: next, until: t.Deadline}, true, nil
	}
	return duty{at: t.Deadline}, true, nil
}

// said returns the verdict of a task's engine, or nil. Anything else at the address is none.
func (c *Crank) said(ctx context.Context, task onchain.Address, t *program.Task) (*program.VerdictAccount, error) {
	all, _, err := c.d.Chain.Accounts(ctx, program.EngineVerdict(t.Engine, t.EngineGroup, task))
	if err != nil || all[0] == nil || all[0].Owner != t.Engine {
		return nil, err
	}
	v, err := program.DecodeVerdictAccount(all[0].Data)
	if err != nil || v.IsFinal != 1 || v.Subject != task {
		return nil, nil //nolint:nilerr // an engine that writes nonsense has not decided
	}
	return v, nil
}
