package client

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ojud/ledger/law"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/client/cost"
	"ojud/node/library"
	"ojud/voting/rules"
)

// Accept pays the worker, less the share of the court's Pot.
func (c *Client) Accept(ctx context.Context, task onchain.Address) (TaskDone, error) {
	return c.act(ctx, task, func(t *program.Task) (step, error) {
		return step{
			name: "accept the result", what: "accept", role: roleCreator, in: []program.TaskStatus{program.Verification},
			instructions: []onchain.Instruction{c.program.Accept(c.self, t.Worker, task)},
			done:         func(t *program.Task) bool { return t.Resolution == program.ByAcceptance },
		}, nil
	})
}

// Object rejects a result, posts the bond, and publishes the objection and its exhibits.
func (c *Client) Object(ctx context.Context, task onchain.Address, doc library.Document, exhibits ...library.Document) (TaskDone, error) {
	return c.act(ctx, task, func(t *program.Task) (step, error) {
		return step{
			name: "object", role: roleCreator, in: []program.TaskStatus{program.Verification}, bond: objectionBond, about: doc.Hash.String(),
			instructions: []onchain.Instruction{c.program.Object(c.self, task, t.Rules, program.Object{ObjectionHash: doc.Hash})},
			done:         func(t *program.Task) bool { return t.Status >= program.Disputed && t.ObjectionHash == doc.Hash },
		}, nil
	}, append([]library.Document{doc}, exhibits...)...)
}

// bondOf returns the bond of an action on a task.
type bondOf func(*program.Rules, *program.Task) (uint64, error)

func objectionBond(c *program.Rules, t *program.Task) (uint64, error) {
	creator, _, err := t.Law(c.Params).Bonds(t.Reward, t.Seats)
	return creator, err
}

func counterBond(c *program.Rules, t *program.Task) (uint64, error) {
	_, worker, err := t.Law(c.Params).Bonds(t.Reward, t.Seats)
	return worker, err
}

func claimBond(_ *program.Rules, t *program.Task) (uint64, error) {
	return rules.Law{ClaimBps: t.ClaimBps}.Claim(t.RewardMax)
}

// bondFits returns an error with the missing amount if the vault cannot post the bond.
func (c *court) bondFits(ctx context.Context, t *program.Task, of bondOf) error {
	terms, err := law.Version(ctx, c.chain, t.Rules)
	if err != nil {
		return err
	}
	a, err := c.agent(ctx, c.self)
	if err != nil {
		return err
	}
	bond, err := of(terms, t)
	if err != nil {
		return fmt.Errorf("client: bond: %w", err)
	}
	if a.Vault < bond {
		return fmt.Errorf("%w: this takes a bond of %s, and the vault holds %s; run: ojud agent deposit %s", errNotNow,
			Lamports(bond), Lamports(a.Vault), Lamports(bond-a.Vault).Argument())
	}
	return nil
}

// Cancel takes an unclaimed task off the market.
func (c *Client) Cancel(ctx context.Context, task onchain.Address) (TaskDone, error) {
	return c.act(ctx, task, func(*program.Task) (step, error) {
		return step{
			name: "cancel the task", what: "cancel", role: roleCreator, in: []program.TaskStatus{program.Created},
			instructions: []onchain.Instruction{c.program.CancelTask(c.self, task)},
			done:         func(t *program.Task) bool { return t.Status == program.Cancelled },
		}, nil
	})
}

// Expire carries out what follows from a deadline that has passed. Anyone may call it.
func (c *Client) Expire(ctx context.Context, task onchain.Address) (TaskDone, error) {
	if c.key == nil {
		return TaskDone{}, errNoKey
	}
	t, err := c.task(ctx, task)
	if err != nil {
		return TaskDone{}, err
	}
	now, err := c.chain.Now(ctx)
	if err != nil {
		return TaskDone{}, err
	}
	if by := cost.Expiry(t); by == 0 || now.Unix < by {
		return TaskDone{}, fmt.Errorf("%w: no time is over for this task; %s", errNotNow, turn(t, now.Unix).sentence())
	}
	expire := action{
		name: "expire the task", purpose: fmt.Sprintf("expire:%s:%d:%d", task, t.Status, t.Claims),
		instructions: []onchain.Instruction{c.program.Expire(task, t.Creator, t.Worker)},
		// A node may have been faster, because nodes expire tasks, too.
		done: c.when(task, func(now *program.Task) bool { return now.Status != t.Status || now.Claims != t.Claims }),
	}
	sent, err := c.landed(ctx, expire)
	for try := 0; try < 10 && errors.Is(err, program.ErrTooEarly) && ctx.Err() == nil; try++ {
		select { // an RPC node may be behind the one whose clock was read
		case <-ctx.Done():
		case <-time.After(time.Second):
			sent, err = c.landed(ctx, expire)
		}
	}
	return c.taskDone(ctx, task, sent, err)
}
