package client

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/client/cost"
	"ojud/node/client/when"
	"ojud/voting"
	"ojud/voting/rules"
)

// AppealView says what an appeal is about, can bring and costs. Times are in the chain's seconds.
type AppealView struct {
	Case    string   `json:"case"`
	Verdict string   `json:"verdict"` // of the first panel
	Loser   string   `json:"loser"`   // who alone may appeal; two addresses if an undecided case is split
	By      int64    `json:"by"`
	Left    string   `json:"left"`
	Bond    Lamports `json:"bond"`  // from the vault
	Rent    Lamports `json:"rent"`  // from the wallet; it comes back when the case is closed
	Seats   int      `json:"seats"` // of the appeal
	Win     Lamports `json:"win"`   // goes to the loser's vault if the verdict changes, its bonds included
	Lose    Lamports `json:"lose"`  // is gone if it does not, the bond that is posted already included
	task    *program.Task
}

// AppealDone is the result of Appeal.
type AppealDone struct {
	Sent
	Appeal AppealView `json:"appeal"`
	Now    CaseView   `json:"now"`
}

// ReviewAppeal says what an appeal of the client's agent would bring and cost. The error says why
// it cannot appeal.
func ReviewAppeal(ctx context.Context, c *Client, task onchain.Address) (AppealView, error) {
	if c.key == nil {
		return AppealView{}, errNoKey
	}
	d, t, now, err := c.appealable(ctx, task)
	if err != nil {
		return AppealView{}, err
	}
	roster, _, err := ledger.Read(ctx, c.chain, c.program.Roster(), program.DecodeRoster)
	if err != nil {
		return AppealView{}, err
	}
	v, err := appealView(c.self, task, d, t, now)
	if err != nil {
		return v, err
	}
	switch v.Seats = d.AppealRoom(roster, t); {
	case v.Seats == 0:
		return v, fmt.Errorf("%w: only %d judges are left that did not sit in this case; an appeal needs %d, and half of the weight of the votes, which is %s", errNotNow, len(d.Others(roster, t)), rules.MinAppealSeats, Lamports(d.Votes()))
	case !d.CanTurn(roster, t, c.self):
		return v, fmt.Errorf("%w: the votes of both panels decide, and if all %d judges that are left voted for this party, those of the first panel would outweigh them", errNotNow, v.Seats)
	}
	v.Rent = Lamports(cost.Rent(program.CaseSize(v.Seats) - program.CaseSize(0)))
	return v, c.loses(d, t)
}

// appealable reads a case of which the time to appeal runs.
func (c *court) appealable(ctx context.Context, task onchain.Address) (*program.Case, *program.Task, int64, error) {
	d, _, err := c.chain.Case(ctx, task)
	if errors.Is(err, ledger.ErrNotFound) {
		return nil, nil, 0, c.noCase(ctx, task)
	}
	if err != nil {
		return nil, nil, 0, err
	}
	t, err := c.task(ctx, task)
	if err != nil {
		return nil, nil, 0, err
	}
	now, err := c.chain.Now(ctx)
	if err != nil {
		return nil, nil, 0, err
	}
	if why := d.NoAppeal(); why != "" {
		return nil, nil, 0, fmt.Errorf("%w: case %s cannot be appealed: %s", errNotNow, task, why)
	}
	return d, t, now.Unix, nil
}

// loses refuses a key that is not the loser's.
func (c *court) loses(d *program.Case, t *program.Task) error {
	if !slices.Contains(d.Losers(t), c.self) {
		return fmt.Errorf("%w: only the party that the verdict is against may do this, that is %s, and this key is %s; give the right --key", errNotNow, d.LoserNames(t), c.self)
	}
	return nil
}

// appealView says what an appeal is about.
func appealView(self, task onchain.Address, d *program.Case, t *program.Task, now int64) (AppealView, error) {
	v := AppealView{
		task: t, Case: task.String(), Verdict: d.Verdict.String(), Loser: d.LoserNames(t), By: d.AppealBy, Left: when.Left(d.AppealBy, now),
		Bond: Lamports(d.Rules.Fee) * voting.MaxSeats,
	}
	if now >= d.AppealBy {
		return v, fmt.Errorf("%w: the time to appeal is over (%s); the verdict becomes final when somebody says so, and nodes do", errNotNow, when.In(d.AppealBy, now))
	}
	win, lose, err := d.AppealStakes(t, self)
	v.Win, v.Lose = Lamports(win), Lamports(lose)
	return v, err
}

// Appeal asks for judges that did not sit. The client's agent must be the loser.
func Appeal(ctx context.Context, c *Client, task onchain.Address) (AppealDone, error) {
	v, err := ReviewAppeal(ctx, c, task)
	if err != nil {
		return AppealDone{Appeal: v}, err
	}
	if err := c.bondFits(ctx, v.task, func(*program.Rules, *program.Task) (uint64, error) { return uint64(v.Bond), nil }); err != nil {
		return AppealDone{Appeal: v}, err
	}
	sent, err := c.landed(ctx, action{
		name: "appeal", purpose: "appeal:" + task.String(), instructions: []onchain.Instruction{c.program.Appeal(c.self, task)}, pays: v.Rent,
		done: c.caseIs(task, func(d *program.Case) bool { return d.AppealSeats > 0 }),
	})
	if err != nil {
		return AppealDone{Appeal: v}, err
	}
	now, err := c.Case(ctx, task)
	return AppealDone{sent, v, now}, err
}

// Waive gives the loser's appeal up: the verdict is final and pays at once. From the end of the
// time to appeal on anybody may do it.
func Waive(ctx context.Context, c *Client, task onchain.Address) (TaskDone, error) {
	if c.key == nil {
		return TaskDone{}, errNoKey
	}
	d, t, now, err := c.appealable(ctx, task)
	if err != nil {
		return TaskDone{}, err
	}
	signer := onchain.Address{}
	if now < d.AppealBy {
		if signer, err = c.self, c.loses(d, t); err != nil {
			return TaskDone{}, err
		} else if len(d.Losers(t)) > 1 {
			return TaskDone{}, fmt.Errorf("%w: both parties may appeal, so neither can give that up for the other; the case ends when the time to appeal is over (%s)", errNotNow, when.In(d.AppealBy, now))
		}
	}
	sent, err := c.landed(ctx, action{
		name: "make the verdict final", purpose: "finish:" + task.String(),
		instructions: []onchain.Instruction{c.program.FinishCase(task, t.Creator, t.Worker, signer)},
		done:         c.caseIs(task, func(d *program.Case) bool { return d.Status.Over() }),
	})
	return c.taskDone(ctx, task, sent, err)
}

// caseIs asks the chain about a case.
func (c *court) caseIs(task onchain.Address, is func(*program.Case) bool) func(context.Context) (bool, error) {
	return func(ctx context.Context) (bool, error) {
		d, _, err := c.chain.Case(ctx, task)
		return err == nil && is(d), err
	}
}
