package client

import (
	"context"
	"errors"
	"fmt"

	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
)

// VerdictView is the lasting result of a case, by which any program may pay.
type VerdictView struct {
	Case      string  `json:"case"`    // address of the task
	Account   string  `json:"account"` // of the verdict
	Program   string  `json:"program"` // that owns it
	Verdict   string  `json:"verdict"`
	Final     bool    `json:"final"`
	Level     uint8   `json:"level"`
	Round     uint8   `json:"round"`
	DecidedAt int64   `json:"decided_at"`
	Weights   Weights `json:"weights"`
	Facts     string  `json:"facts"`
	VerdictSubject
	// Checked is whether the task and the case are still on the chain and have these facts.
	Checked bool `json:"checked"`
}

// VerdictSubject is who and what a verdict is about. An escrow compares it with its own terms.
type VerdictSubject struct {
	Creator string   `json:"creator"`
	Worker  string   `json:"worker"`
	Result  string   `json:"result"` // hash
	Reward  Lamports `json:"reward"`
}

// VerdictDone is the result of PublishVerdict.
type VerdictDone struct {
	Sent
	Verdict VerdictView `json:"verdict"`
}

// Verdict shows the published verdict of a task's case.
func (c *court) Verdict(ctx context.Context, task onchain.Address) (VerdictView, error) {
	at := c.program.Verdict(task)
	v, _, err := ledger.Read(ctx, c.chain, at, program.DecodeVerdictAccount)
	if errors.Is(err, ledger.ErrNotFound) {
		return VerdictView{}, c.noVerdict(ctx, task)
	}
	if err != nil {
		return VerdictView{}, err
	}
	view := VerdictView{
		Case: task.String(), Account: at.String(), Program: c.program.ID().String(), Verdict: v.Verdict.String(), Final: v.IsFinal == 1,
		Level: v.Level, Round: v.Round, DecidedAt: v.DecidedAt, Facts: v.Facts.String(),
		VerdictSubject: VerdictSubject{v.Creator.String(), v.Worker.String(), v.ResultHash.String(), Lamports(v.Reward)},
		Weights:        Weights{Lamports(v.SeatedWeight), Lamports(v.AcceptWeight), Lamports(v.RejectWeight), Lamports(v.AbstainWeight)},
	}
	t, _, err := c.chain.Task(ctx, task)
	if err == nil && v.IsFinal == 1 {
		var d *program.Case
		if d, _, err = c.chain.Case(ctx, task); err == nil {
			if view.Checked = c.program.Facts(t, d) == v.Facts; !view.Checked {
				return view, fmt.Errorf("client: the verdict at %s says the facts %s, and task and case have %s: the RPC node does not tell the truth",
					at, v.Facts, c.program.Facts(t, d))
			}
		}
	}
	if errors.Is(err, ledger.ErrNotFound) { // closed
		err = nil
	}
	return view, err
}

// noVerdict says why a case has no published verdict.
func (c *court) noVerdict(ctx context.Context, task onchain.Address) error {
	v, err := c.Case(ctx, task)
	switch {
	case err != nil:
		return err
	case v.Over:
		return fmt.Errorf("%w: nobody has published the verdict of %s; anyone can, as long as the case is there: ojud case verdict %s --publish",
			errNotNow, task, task)
	}
	return fmt.Errorf("%w: the case is not decided: %s", errNotNow, v.What)
}

// PublishVerdict writes down for good how a case ended. The client's key pays the account's rent.
func PublishVerdict(ctx context.Context, c *Client, task onchain.Address) (VerdictDone, error) {
	if c.key == nil {
		return VerdictDone{}, errNoKey
	}
	published := func(ctx context.Context) (bool, error) {
		v, _, err := ledger.Read(ctx, c.chain, c.program.Verdict(task), program.DecodeVerdictAccount)
		if errors.Is(err, ledger.ErrNotFound) {
			return false, nil
		}
		return err == nil && v.IsFinal == 1, err
	}
	done, err := published(ctx)
	if err != nil {
		return VerdictDone{}, err
	}
	if !done {
		if v, err := c.Case(ctx, task); err != nil {
			return VerdictDone{}, err
		} else if !v.Over {
			return VerdictDone{}, c.noVerdict(ctx, task)
		}
	}
	sent, err := c.landed(ctx, action{
		name: "publish the verdict", purpose: "verdict:" + task.String(), done: published,
		instructions: []onchain.Instruction{c.program.PublishVerdict(c.key.Address(), task)},
	})
	if err != nil {
		return VerdictDone{}, err
	}
	v, err := c.Verdict(ctx, task)
	return VerdictDone{Sent: sent, Verdict: v}, err
}
