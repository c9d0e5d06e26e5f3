package megabrain

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/megabrain/finding"
	"ojud/node/client"
)

// Created is a task that was created.
type Created struct {
	client.Sent
	Task string `json:"task"`
}

// whole is all of something, in basis points.
const whole = 10_000

// shareUp is a share of a budget, rounded up, as the program computes it.
func shareUp(budget uint64, bps uint16) uint64 {
	return budget/whole*uint64(bps) + (budget%whole*uint64(bps)+whole-1)/whole
}

// The latest deadline is so many submission windows after the latest draw. The default one is so
// many seconds after the earliest, because the chain's clock goes on until the transaction lands.
const (
	windows = 4
	slack   = 60
)

// Create makes a task, with its budget, whose results are due in so many seconds; 0 means the
// window of the class. Stakes of 0 become the least that the class allows. A second run with the
// same identifier finds the task. A task without metadata names the memory nodes of its class, so
// that a stranger finds the document of the class there.
func (d *Desk) Create(ctx context.Context, class onchain.Address, i brain.CreateTask, seconds uint32) (Created, error) {
	c, err := d.Class(ctx, class)
	if err != nil {
		return Created{}, err
	}
	now, err := d.clock(ctx)
	if err != nil {
		return Created{}, err
	}
	if i.WorkerStake == 0 {
		i.WorkerStake = max(1, shareUp(i.TotalBudget, c.Parameters.Shares.WorkerStake))
	}
	if i.EvaluatorStake == 0 {
		i.EvaluatorStake = max(1, shareUp(i.TotalBudget, c.Parameters.Shares.EvaluatorStake))
	}
	draw, window := c.Parameters.Times.Draw, c.Parameters.Times.Submission
	if seconds == 0 {
		seconds = draw + window + min(window, slack)
	}
	if least, most := draw+window+1, draw+windows*window; seconds < least || seconds > most {
		return Created{}, fmt.Errorf("megabrain: the results are due in %d s; a draw of this class takes up to %d s and a submission window %d s, so it is %d to %d s", seconds, draw, window, least, most)
	}
	if most := uint8(c.Parameters.Shares.MaxEvaluators); i.EvaluatorCount > most {
		return Created{}, fmt.Errorf("megabrain: the task has %d evaluators; a task of this class has at most %d", i.EvaluatorCount, most)
	}
	i.SubmissionDeadline = now + int64(seconds)
	if i.Seal == [32]byte{} {
		rand.Read(i.Seal[:]) // nobody tells it from a golden task
	}
	if len(i.Metadata) == 0 {
		if _, err := storeOf(ctx, d, c, Seen{}); err != nil {
			return Created{}, err
		}
		i.Metadata = []byte(finding.Metadata(d.nodes.of(c.ID), maxRoom))
	}
	at := d.prog.Task(d.self, i.TaskID)
	sent, err := d.send(ctx, order{
		name: "create the task", pays: i.TotalBudget, calls: []onchain.Instruction{d.prog.CreateTask(d.self, class, i)},
		done: func(ctx context.Context) (bool, error) {
			s, err := d.Task(ctx, at)
			return err == nil && s.Task.Parties.Class == class && s.Task.Terms == brain.TermsHash(i.Description, i.Metadata) &&
				s.Task.Money.Budget == i.TotalBudget, absent(err)
		},
	})
	return Created{sent, at.String()}, err
}

// absent makes no error of an account that is not there yet.
func absent(err error) error {
	if errors.Is(err, ErrNoAccount) {
		return nil
	}
	return err
}

// Extend gives the workers of the client's task more time for more budget, once.
func (d *Desk) Extend(ctx context.Context, at onchain.Address, i brain.ExtendTask) (client.Sent, error) {
	s, err := d.Task(ctx, at)
	if err != nil {
		return client.Sent{}, err
	}
	return d.send(ctx, order{
		name: "extend the task", pays: i.Budget, calls: []onchain.Instruction{d.prog.ExtendTask(d.self, s.Task.Parties.Class, at, i)},
		done: func(ctx context.Context) (bool, error) {
			s, err := d.Task(ctx, at)
			return err == nil && s.Task.Marks.Extended == 1, err
		},
	})
}

// Close closes the client's task that is over: what nobody earned, and the rent, come back.
func (d *Desk) Close(ctx context.Context, at onchain.Address) (client.Sent, error) {
	return d.send(ctx, order{
		name: "close the task", calls: []onchain.Instruction{d.prog.CloseTask(d.self, at)},
		done: func(ctx context.Context) (bool, error) {
			_, err := d.Task(ctx, at)
			return errors.Is(err, ErrNoAccount), absent(err)
		},
	})
}

// Carried is what carried a task on.
type Carried struct {
	client.Sent
	Task string `json:"task"`
	Did  string `json:"did"`
}

// Carry sends the instruction that a task waits for and that anybody may send.
func (d *Desk) Carry(ctx context.Context, at onchain.Address) (Carried, error) {
	s, err := d.Task(ctx, at)
	if err != nil {
		return Carried{}, err
	}
	dispute, _, _ := s.Task.InCourt()
	by := brain.Around{Verdict: d.office.Program().Verdict(dispute)}
	if s.Task.Open() || s.Task.Status == brain.DrawWorkers || s.Task.Status == brain.DrawEvaluators {
		c, err := d.Class(ctx, s.Task.Parties.Class)
		if err != nil {
			return Carried{}, err
		}
		by.Near, by.Creator = c.Near, c.Creator
	}
	i, name, err := d.prog.Next(at, s.Task, by, s.Now)
	if err != nil {
		return Carried{}, fmt.Errorf("megabrain: %w", err)
	}
	sent, err := d.send(ctx, order{name: name, calls: []onchain.Instruction{i}, done: func(ctx context.Context) (bool, error) {
		then, err := d.Task(ctx, at)
		return err == nil && moved(s.Task, then.Task), err
	}})
	return Carried{sent, at.String(), name}, err
}

// moved reports whether a task went on. A draw whose block was forgotten gets another block.
func moved(before, then *brain.TaskAccount) bool {
	return then.Status != before.Status || then.Clock.SeedSlot != before.Clock.SeedSlot || then.Marks.Opened != before.Marks.Opened
}
