package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"ojud/ledger"
	"ojud/ledger/law"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/transact"
	"ojud/node/library"
)

// Sent is the result of an action on the chain.
type Sent struct {
	// Result is "landed", or "already_done" if the chain shows that it was done before. Then
	// nothing was sent or paid.
	Result    string `json:"result"`
	Signature string `json:"signature,omitempty"` // of the transaction, base58
	Slot      uint64 `json:"slot,omitempty"`
}

// action is one transaction.
type action struct {
	name         string // for people: "claim the task"
	purpose      string // equal actions have equal purposes
	instructions []onchain.Instruction
	signers      []*ledger.Keypair                   // that sign besides the client's key
	done         func(context.Context) (bool, error) // nil if the chain does not show whether it was done
	once         bool                                // the program would accept it twice
	pays         Lamports                            // that it takes from the wallet, besides fees and rent
}

// do sends an action and waits for its result.
func (c *Client) do(ctx context.Context, d action) (Sent, []program.Event, error) {
	if c.key == nil {
		return Sent{}, nil, errNoKey
	}
	out, err := c.sender.Submit(ctx, d.instructions, ledger.SubmitOptions{
		Purpose: ledger.Purpose(d.purpose), Payer: c.key, Signers: d.signers, Done: d.done, Once: d.once,
	})
	if err != nil {
		return Sent{}, nil, c.trouble(d, out, err)
	}
	sent := Sent{Result: out.Class.String(), Slot: out.Slot}
	switch out.Class {
	case ledger.Landed:
		sent.Signature = out.Signature.String()
		return sent, out.Events, nil
	case ledger.AlreadyDone:
		sent.Slot = 0
		return sent, nil, nil
	case ledger.Rejected:
		return Sent{}, nil, fmt.Errorf("client: could not %s: %w", d.name, law.Explain(ctx, c.chain, out.Rejection))
	}
	return Sent{}, nil, fmt.Errorf("client: could not %s: the chain did not take the transaction in time, and it cannot land any more; do it again", d.name)
}

// step is an action of the client's key on a task.
type step struct {
	name         string               // for people: "accept the result"
	what         string               // for people, in a refusal: "accept"
	role         string               // that may act; empty if anyone may
	in           []program.TaskStatus // in which it may be done
	bond         bondOf               // that it takes from the vault; nil if none
	about        string               // tells equal actions on one task apart
	instructions []onchain.Instruction
	begun        bool // the key has done a part of it already
	done         func(*program.Task) bool
}

// act does a step on a task and publishes documents. plan gets the task as it is now. If the chain
// shows that the step was done before, act does not do it again.
func (c *Client) act(ctx context.Context, task onchain.Address, plan func(*program.Task) (step, error), docs ...library.Document) (TaskDone, error) {
	if c.key == nil {
		return TaskDone{}, errNoKey
	}
	t, err := c.task(ctx, task)
	if err != nil {
		return TaskDone{}, err
	}
	s, err := plan(t)
	if err != nil {
		return TaskDone{}, err
	}
	if !s.begun && !s.done(t) {
		if err := c.allow(ctx, t, cmp.Or(s.what, s.name), s.role, s.in...); err != nil {
			return TaskDone{}, err
		}
		if s.bond != nil {
			if err := c.bondFits(ctx, t, s.bond); err != nil {
				return TaskDone{}, err
			}
		}
	}
	sent, err := c.landed(ctx, action{
		name: s.name, purpose: strings.Join([]string{s.name, task.String(), s.about}, ":"),
		instructions: s.instructions, done: c.when(task, s.done),
	})
	return c.taskDone(ctx, task, sent, err, docs...)
}

// trouble explains a failed Submit, and says whether the transaction may still land.
func (c *Client) trouble(d action, out transact.Outcome, err error) error {
	var funds *transact.FundsError
	switch {
	case errors.As(err, &funds):
		funds.Need = max(funds.Need, uint64(d.pays+feeReserve))
		next := "send some SOL to it"
		if c.network.Faucet {
			next = "this court has a faucet: ojud airdrop " + Lamports(funds.Need-min(funds.Need, funds.Balance)).Argument()
		}
		return fmt.Errorf("client: could not %s: %w; %s", d.name, funds, next)
	case out.Signature.IsZero() && !errors.Is(err, context.Canceled):
		return fmt.Errorf("client: could not %s: %w", d.name, err)
	case out.Signature.IsZero():
		return fmt.Errorf("client: stopped before it was certain whether to %s had landed; look before you do it again: %w: %w", d.name, errUnsettled, err)
	}
	return fmt.Errorf("client: to %s, transaction %s was sent and may still land within two minutes; look before you do it again: %w: %w",
		d.name, out.Signature, errUnsettled, err)
}

// landed is do without the events.
func (c *Client) landed(ctx context.Context, d action) (Sent, error) {
	sent, _, err := c.do(ctx, d)
	return sent, err
}
