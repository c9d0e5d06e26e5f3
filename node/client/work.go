package client

import (
	"context"
	"fmt"
	"slices"

	"ojud/ledger/law"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/client/fit"
	"ojud/node/client/when"
	"ojud/node/library"
)

// Claim claims a task at the present price or more, posts the claim's bond, and begins the work if
// start is true. It refuses a price below least; 0 means the present price. It refuses a task that
// somebody else than the court decides, unless engine and terms are as one of trusted says.
func (c *Client) Claim(ctx context.Context, task onchain.Address, least Lamports, start bool, trusted ...Trust) (TaskDone, error) {
	return c.act(ctx, task, func(t *program.Task) (step, error) {
		s := step{
			name: "claim the task", in: []program.TaskStatus{program.Created}, bond: claimBond, begun: t.Worker == c.self && t.Status >= program.Claimed,
			done: func(t *program.Task) bool {
				return t.Worker == c.self && (t.Status > program.Claimed || t.Status == program.Claimed && !start)
			},
		}
		if least == 0 { // a price never falls, but a rollback may put other terms at this address
			_, market, err := law.Clock(ctx, c.chain)
			if err != nil {
				return s, err
			}
			price, err := t.Offer().Price(market)
			if err != nil {
				return s, fmt.Errorf("client: price: %w", err)
			}
			least = Lamports(price)
		}
		if t.Status == program.Created {
			if err := c.accepts(ctx, t, trusted); err != nil {
				return s, err
			}
			if err := c.judgeable(ctx, t); err != nil {
				return s, err
			}
			if err := library.Spread(ctx, c, task, t.TaskHash); err != nil {
				return s, err
			}
		}
		if !s.begun {
			s.instructions = append(s.instructions, c.program.ClaimTask(c.self, task, t.Rules, program.ClaimTask{MinReward: uint64(least)}))
		}
		if start && (!s.begun || t.Status == program.Claimed) {
			s.instructions = append(s.instructions, c.program.StartTask(c.self, task))
		}
		return s, nil
	})
}

// judgeable refuses a claim that the program would refuse, because too few judges would be left for
// a dispute between the creator and this client, and says why.
func (c *court) judgeable(ctx context.Context, t *program.Task) error {
	me, err := c.mine(ctx)
	if err != nil {
		return err
	}
	rules, err := law.Version(ctx, c.chain, t.Rules)
	if err != nil {
		return err
	}
	roster, _, err := c.chain.Roster(ctx)
	if err != nil {
		return err
	}
	all, left := roster.Impartial(t, me, rules.Params)
	switch least := int(rules.MinSeats); {
	case left >= least:
		return nil
	case all < least:
		return fmt.Errorf("%w: this court has %d judges and a panel needs %d, so it could not decide a dispute; wait until more judges have joined", errNotNow, all, least)
	default:
		return fmt.Errorf("%w: if there were a dispute, only %d of the court's %d judges could judge it, and a panel needs %d: the others are, or are run by, "+
			"the creator %s%s or you%s; claim another task, or let an agent with another operator claim this one",
			errNotNow, left, all, least, t.Creator, runBy(t.CreatorOperator), runBy(me.Operator))
	}
}

// runBy names a declared operator.
func runBy(operator onchain.Address) string {
	if operator.IsZero() {
		return ""
	}
	return fmt.Sprintf(" (operator %s)", operator)
}

// Release gives a claim back with its bond, and the task returns to the market. That is possible
// for a short time after the claim (releaseBy).
func (c *Client) Release(ctx context.Context, task onchain.Address) (TaskDone, error) {
	return c.act(ctx, task, func(t *program.Task) (step, error) {
		s := step{
			name: "release the task", what: "release", role: roleWorker, in: []program.TaskStatus{program.Claimed, program.InProgress},
			about:        fmt.Sprint(t.Claims),
			instructions: []onchain.Instruction{c.program.ReleaseTask(c.self, task)},
			done:         func(t *program.Task) bool { return t.Worker != c.self && t.LastWorker == c.self },
		}
		if t.Worker != c.self || !slices.Contains(s.in, t.Status) {
			return s, nil // the refusal says why
		}
		now, err := c.chain.Now(ctx)
		if err != nil {
			return s, err
		}
		if by := releaseBy(t); now.Unix >= by {
			return s, fmt.Errorf("%w: the time to release the task for nothing is over (%s); submit a result, or lose the claim's bond of %s at the deadline",
				errNotNow, when.In(by, now.Unix), Lamports(t.ClaimBond))
		}
		return s, nil
	})
}

// Start records that the work has begun.
func (c *Client) Start(ctx context.Context, task onchain.Address) (TaskDone, error) {
	return c.act(ctx, task, func(*program.Task) (step, error) {
		return step{
			name: "start", role: roleWorker, in: []program.TaskStatus{program.Claimed},
			instructions: []onchain.Instruction{c.program.StartTask(c.self, task)},
			done:         func(t *program.Task) bool { return t.Worker == c.self && t.Status == program.InProgress },
		}, nil
	})
}

// Document returns the document of a task, from nodes. The error is ErrNoContent if none has it.
func (c *Client) Document(ctx context.Context, task onchain.Address) ([]byte, error) {
	t, err := c.task(ctx, task)
	if err != nil {
		return nil, err
	}
	return c.Fetch(ctx, t.TaskHash)
}

// CheckResult checks a result as fit.Result does. It gets the task's document from nodes; the error
// is ErrNoContent if none has it.
func (c *Client) CheckResult(ctx context.Context, task onchain.Address, result library.Document) error {
	raw, err := c.Document(ctx, task)
	if err != nil {
		return err
	}
	return fit.Result(ctx, raw, result.Content, fit.Modules(raw, func(hash [32]byte) ([]byte, error) { return c.Fetch(ctx, hash) })...)
}

// Submit submits a result and publishes it, and the creator's time to answer begins. It first
// starts a task that is claimed and not started.
func (c *Client) Submit(ctx context.Context, task onchain.Address, result library.Document) (TaskDone, error) {
	return c.act(ctx, task, func(t *program.Task) (step, error) {
		shown := func(t *program.Task) bool {
			return t.Worker == c.self && t.Status >= program.Verification && t.ResultHash == result.Hash
		}
		s := step{
			name: "submit the result", what: "submit a result", role: roleWorker, in: []program.TaskStatus{program.Claimed, program.InProgress},
			about: result.Hash.String(), begun: shown(t) && !t.Status.Over(), done: shown,
		}
		if !s.begun && t.Status == program.Claimed {
			s.instructions = append(s.instructions, c.program.StartTask(c.self, task))
		}
		if !s.begun {
			s.instructions = append(s.instructions, c.program.SubmitResult(c.self, t.Creator, task, t.Rules, program.SubmitResult{ResultHash: result.Hash}))
		}
		return s, nil
	}, result)
}

// Rework accepts an objection, and the work begins again.
func (c *Client) Rework(ctx context.Context, task onchain.Address) (TaskDone, error) {
	return c.act(ctx, task, func(t *program.Task) (step, error) {
		return step{
			name: "rework", role: roleWorker, in: []program.TaskStatus{program.Disputed}, about: fmt.Sprint(t.Reworks),
			instructions: []onchain.Instruction{c.program.Rework(c.self, t.Creator, task, t.Rules)},
			done: func(t *program.Task) bool {
				return t.Worker == c.self && t.Status == program.InProgress && t.Reworks > 0
			},
		}, nil
	})
}

// CounterObject defends the result. It opens a case, and publishes the counter-objection and its
// exhibits.
func (c *Client) CounterObject(ctx context.Context, task onchain.Address, doc library.Document, exhibits ...library.Document) (TaskDone, error) {
	return c.act(ctx, task, func(t *program.Task) (step, error) {
		return step{
			name: "counter-object", role: roleWorker, in: []program.TaskStatus{program.Disputed}, bond: counterBond,
			instructions: []onchain.Instruction{c.program.CounterObject(c.self, task, t.Rules, program.CounterObject{CounterHash: doc.Hash})},
			done:         func(t *program.Task) bool { return t.Status >= program.Judiciary && t.CounterHash == doc.Hash },
		}, nil
	}, append([]library.Document{doc}, exhibits...)...)
}
