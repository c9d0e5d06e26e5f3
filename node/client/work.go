package client

import (
	"context"
	"fmt"
	"strings"

	"ojud/agent/judge"
	"ojud/casefile"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
)

// Claim claims a task at the present price or more, and begins the work if start is true. It
// refuses a price below least; 0 means the present price.
func (c *Client) Claim(ctx context.Context, task onchain.Address, least Lamports, start bool) (TaskDone, error) {
	me, t, err := c.mine(ctx, task)
	if err != nil {
		return TaskDone{}, err
	}
	claimed := t.Worker == me && t.Status >= program.Claimed
	if !claimed {
		if err := c.allow(ctx, t, "claim the task", "", program.Created); err != nil {
			return TaskDone{}, err
		}
	}
	if least == 0 { // a price never falls, but a rollback may put other terms at this address
		now, err := c.chain.Now(ctx)
		if err != nil {
			return TaskDone{}, err
		}
		price, err := t.Offer().Price(now.Unix)
		if err != nil {
			return TaskDone{}, fmt.Errorf("client: price: %w", err)
		}
		least = Lamports(price)
	}
	var all []onchain.Instruction
	if !claimed {
		all = append(all, c.program.ClaimTask(me, t.Creator, task, program.ClaimTask{MinReward: uint64(least)}))
	}
	if start && (!claimed || t.Status == program.Claimed) {
		all = append(all, c.program.StartTask(me, task))
	}
	sent, err := c.landed(ctx, action{
		name: "claim the task", purpose: "claim:" + task.String(), instructions: all,
		done: c.when(task, func(t *program.Task) bool {
			return t.Worker == me && (t.Status > program.Claimed || t.Status == program.Claimed && !start)
		}),
	})
	return c.taskDone(ctx, task, sent, err)
}

// Start records that the work has begun.
func (c *Client) Start(ctx context.Context, task onchain.Address) (TaskDone, error) {
	me, t, err := c.mine(ctx, task)
	if err != nil {
		return TaskDone{}, err
	}
	if t.Status != program.InProgress {
		if err := c.allow(ctx, t, "start", roleWorker, program.Claimed); err != nil {
			return TaskDone{}, err
		}
	}
	sent, err := c.landed(ctx, action{
		name: "start", purpose: "start:" + task.String(), instructions: []onchain.Instruction{c.program.StartTask(me, task)},
		done: c.when(task, func(t *program.Task) bool { return t.Worker == me && t.Status == program.InProgress }),
	})
	return c.taskDone(ctx, task, sent, err)
}

// CheckResult checks a result against the output_schema of its task. It gets the task's document
// from nodes. The error is ErrMisfit if the result breaks the schema, ErrNoContent if no node has
// the document, and ErrSchema if the schema is unusable.
func (c *Client) CheckResult(ctx context.Context, task onchain.Address, result Document) error {
	t, err := c.task(ctx, task)
	if err != nil {
		return err
	}
	raw, err := c.Fetch(ctx, t.TaskHash)
	if err != nil {
		return err
	}
	return checkResult(ctx, raw, result.Content)
}

// maxViolations bounds how many faults of a result an error names.
const maxViolations = 5

func checkResult(ctx context.Context, task, result []byte) error {
	doc, err := casefile.ParseTask(task)
	if err != nil {
		return fmt.Errorf("%w: the task's document: %w", ErrSchema, err)
	}
	s, err := judge.Compile(doc.Value.OutputSchema, judge.DefaultLimits())
	if err != nil {
		return fmt.Errorf("%w: %w", ErrSchema, err)
	}
	faults, err := s.Check(ctx, result)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrSchema, err)
	}
	var texts []string
	for _, fault := range faults[:min(len(faults), maxViolations)] {
		texts = append(texts, fault.String())
	}
	if len(texts) > 0 {
		return fmt.Errorf("%w: %s", ErrMisfit, strings.Join(texts, "; "))
	}
	return nil
}

// Submit submits a result and publishes it. It first starts a task that is claimed and not started.
// With open, the creator's time to answer begins at once.
func (c *Client) Submit(ctx context.Context, task onchain.Address, result Document, open bool) (TaskDone, error) {
	me, t, err := c.mine(ctx, task)
	if err != nil {
		return TaskDone{}, err
	}
	var all []onchain.Instruction
	switch {
	case t.Worker == me && t.Status >= program.Submitted && t.ResultHash == result.Hash && !t.Status.Over():
	default:
		if err := c.allow(ctx, t, "submit a result", roleWorker, program.Claimed, program.InProgress); err != nil {
			return TaskDone{}, err
		}
		if t.Status == program.Claimed {
			all = append(all, c.program.StartTask(me, task))
		}
		all = append(all, c.program.SubmitResult(me, task, program.SubmitResult{ResultHash: result.Hash}))
	}
	if open && t.Status <= program.Submitted {
		all = append(all, c.program.OpenVerification(task))
	}
	sent, err := c.landed(ctx, action{
		name: "submit the result", purpose: "submit:" + task.String() + ":" + result.Hash.String()[:16], instructions: all,
		done: c.when(task, func(t *program.Task) bool {
			return t.Worker == me && t.ResultHash == result.Hash && (t.Status > program.Submitted || t.Status == program.Submitted && !open)
		}),
	})
	return c.taskDone(ctx, task, sent, err, result)
}

// OpenVerification starts the creator's time to answer. Anyone may call it.
func (c *Client) OpenVerification(ctx context.Context, task onchain.Address) (TaskDone, error) {
	_, t, err := c.mine(ctx, task)
	if err != nil {
		return TaskDone{}, err
	}
	if t.Status != program.Verification {
		if err := c.allow(ctx, t, "open the verification", "", program.Submitted); err != nil {
			return TaskDone{}, err
		}
	}
	sent, err := c.landed(ctx, action{
		name: "open the verification", purpose: "verify:" + task.String(),
		instructions: []onchain.Instruction{c.program.OpenVerification(task)},
		done:         c.when(task, func(t *program.Task) bool { return t.Status == program.Verification }),
	})
	return c.taskDone(ctx, task, sent, err)
}

// Rework accepts an objection, and the work begins again.
func (c *Client) Rework(ctx context.Context, task onchain.Address) (TaskDone, error) {
	me, t, err := c.mine(ctx, task)
	if err != nil {
		return TaskDone{}, err
	}
	if t.Status != program.InProgress || t.Reworks == 0 {
		if err := c.allow(ctx, t, "rework", roleWorker, program.Disputed); err != nil {
			return TaskDone{}, err
		}
	}
	sent, err := c.landed(ctx, action{
		name: "rework", purpose: fmt.Sprintf("rework:%s:%d", task, t.Reworks),
		instructions: []onchain.Instruction{c.program.Rework(me, t.Creator, task)},
		done: c.when(task, func(t *program.Task) bool {
			return t.Worker == me && t.Status == program.InProgress && t.Reworks > 0
		}),
	})
	return c.taskDone(ctx, task, sent, err)
}

// CounterObject defends the result. It opens a case, and publishes the counter-objection and its
// exhibits.
func (c *Client) CounterObject(ctx context.Context, task onchain.Address, doc Document, exhibits ...Document) (TaskDone, error) {
	me, t, err := c.mine(ctx, task)
	if err != nil {
		return TaskDone{}, err
	}
	if t.Status != program.Judiciary || t.CounterHash != doc.Hash {
		if err := c.allow(ctx, t, "counter-object", roleWorker, program.Disputed); err != nil {
			return TaskDone{}, err
		}
		if err := c.bondFits(ctx, me, t); err != nil {
			return TaskDone{}, err
		}
	}
	sent, err := c.landed(ctx, action{
		name: "counter-object", purpose: "counter:" + task.String(),
		instructions: []onchain.Instruction{c.program.CounterObject(me, task, program.CounterObject{CounterHash: doc.Hash})},
		done: c.when(task, func(t *program.Task) bool {
			return t.Status >= program.Judiciary && t.CounterHash == doc.Hash
		}),
	})
	return c.taskDone(ctx, task, sent, err, append([]Document{doc}, exhibits...)...)
}
