package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"ojud/ledger/program"
	"ojud/node/client"
	"ojud/voting"
)

// The terms of StoryAppeal.
const (
	smallPanel = 7
	bribed     = 5  // of the first panel
	heardBy    = 21 // other judges at least
)

// corrupt pays five of the first seven judges for voting against the worker, as soon as the chain
// shows who they are.
func (p *play) corrupt(ctx context.Context) error {
	if p.cfg.Story != StoryAppeal {
		return nil
	}
	c, err := p.caseWhen(ctx, func(c *program.Case) bool { return len(c.Seats) >= bribed })
	if err != nil {
		return err
	}
	for _, s := range c.Seats[:bribed] {
		p.others.sold = append(p.others.sold, voting.Key(s.Judge))
	}
	p.offers.Make(p.others.sold...)
	p.say("The creator pays %d of the %d judges that were drawn, outside of the court, for rejecting the work.", bribed, len(c.Seats))
	p.others.vaults = [2]client.Lamports{p.worker.vault, p.creator.vault}
	return errors.Join(p.worker.count(ctx), p.creator.count(ctx))
}

// caseWhen waits until the case is as asked.
func (p *play) caseWhen(ctx context.Context, is func(*program.Case) bool) (c *program.Case, err error) {
	err = p.pollFor(ctx, p.longest(), 200*time.Millisecond, func() (bool, error) {
		if c, _, err = p.treasury.client.Case(ctx, p.task); err != nil {
			return false, ctx.Err() // it may come later
		}
		return is(c), nil
	})
	return c, err
}

// appeal lets the worker ask for other judges.
func (p *play) appeal(ctx context.Context) error {
	if p.cfg.Story != StoryAppeal {
		return nil
	}
	c, err := p.caseWhen(ctx, func(c *program.Case) bool { return c.Status == voting.Appealable || c.Status.Over() })
	if err != nil {
		return err
	}
	err = errors.Join(
		p.check(c.Status == voting.Appealable && c.Verdict == voting.ForCreator, "the first panel of %d decided for the creator, and the worker may appeal", len(c.Seats)),
		p.moved(ctx, p.worker, 0), p.moved(ctx, p.creator, 0),
	)
	if err != nil {
		return err
	}
	_, wrong := client.Appeal(ctx, p.creator.Client, p.task)
	done, err := client.Appeal(ctx, p.worker.Client, p.task)
	if err != nil {
		return fmt.Errorf("cluster: the worker: %w", err)
	}
	p.say("The worker appeals with a bond of %s, to %d judges that did not sit. It can win %s, or lose %s.", done.Appeal.Bond, done.Appeal.Seats, done.Appeal.Win, done.Appeal.Lose)
	p.others.appeal = done.Appeal
	return errors.Join(
		p.check(wrong != nil, "the winner cannot appeal"),
		p.check(done.Appeal.Seats >= heardBy, "%d other judges hear the case", done.Appeal.Seats),
		p.moved(ctx, p.worker, -int64(done.Appeal.Bond)),
	)
}

// reversed checks how the appeal ended.
func (p *play) reversed(ctx context.Context) error {
	const _ = uint(3 - voting.Choices) // the worker's side is accept
	if p.cfg.Story != StoryAppeal {
		return nil
	}
	c, _, err := p.treasury.client.Case(ctx, p.task)
	if err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	twice, fined, honest := 0, 0, 0
	for i, s := range c.First {
		if slices.ContainsFunc(c.Seats, func(a program.Seat) bool { return a.Judge == s.Judge }) {
			twice++
		}
		switch {
		case i < bribed && s.Slashed > 0 && s.Earned == 0:
			fined++
		case i >= bribed && s.Slashed == 0:
			honest++
		}
	}
	for _, s := range c.Seats {
		if s.Choice == voting.Accept && s.Earned > 0 && s.Slashed == 0 {
			honest++
		}
	}
	claim := p.record.Payments(p.worker.key.Address())[program.PaymentName(voting.PayClaimBack)] // comes back, whoever wins
	defer func() { p.worker.vault, p.creator.vault = p.others.vaults[0], p.others.vaults[1] }()  // the report is about all
	return errors.Join(
		p.check(c.Verdict == voting.ForWorker && c.Level == 2, "the appeal decided for the worker"),
		p.check(twice == 0, "no judge sat twice"),
		p.check(fined == bribed, "each of the %d bribed judges lost %s and earned nothing", bribed, client.Lamports(c.First[0].Slashed)),
		p.check(honest == len(c.First)-bribed+len(c.Seats), "no other judge lost anything"),
		p.moved(ctx, p.worker, int64(p.others.appeal.Win+claim)),
	)
}

// waive lets the loser of another story give up its appeal, so that nobody waits for it. It ends
// with ctx.
func (p *play) waive(ctx context.Context) {
	const _ = uint(6 - voting.Statuses) // may a seventh status be waived?
	const _ = uint(3 - voting.Verdicts) // a fourth verdict needs its loser
	c, err := p.caseWhen(ctx, func(c *program.Case) bool { return c.Status == voting.Appealable || c.Status.Over() })
	if err != nil || c.Status.Over() {
		return
	}
	loser := p.worker
	if c.Verdict == voting.ForWorker {
		loser = p.creator
	}
	p.say("The %s gives up its appeal.", loser.name)
	if _, err := client.Waive(ctx, loser.Client, p.task); err != nil && ctx.Err() == nil {
		p.log.Warn("the verdict was not made final before the time to appeal is over", "err", err)
	}
}
