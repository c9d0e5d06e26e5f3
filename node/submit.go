package node

import (
	"context"
	"errors"
	"fmt"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger"
	"ojud/ledger/program"
	"ojud/voting"
)

// submit gets a transaction into the chain and answers with how it ended.
func (n *Node) submit(ctx context.Context, e voting.Submit) error {
	out, err := n.send(ctx, e)
	if errors.Is(err, ledger.ErrOutbox) {
		return err
	}
	if ctx.Err() != nil {
		return nil
	}
	class := out.Voting(err)
	n.metrics.submits.WithLabelValues(e.Op.String(), class.String()).Inc()
	n.logSubmit(e, out, err)
	if bad := n.noteSubmit(e, out, err); bad != nil {
		return bad
	}
	n.answer(ctx, func(at int64) voting.Event {
		return voting.SubmitDone{At: at, Op: e.Op, Task: e.Task, Round: e.Round, Seat: e.Seat, Class: class}
	})
	return nil
}

func (n *Node) logSubmit(e voting.Submit, out ledger.Outcome, err error) {
	attrs := []any{"op", e.Op, "case", address(e.Task), "round", e.Round}
	switch {
	case errors.Is(err, ledger.ErrNoFunds):
		n.log.Error("the authority has no lamports for fees: votes cannot reach the chain; send it some now", append(attrs, "err", err)...)
		n.lookNow()
	case err != nil:
		n.log.Warn("transaction not sent", append(attrs, "err", err)...)
	case out.Class == ledger.Rejected:
		n.log.Info("transaction refused", append(attrs, "err", out.Rejection)...)
	default:
		n.log.Info("transaction", append(attrs, "class", out.Class, "slot", out.Slot)...)
	}
}

func (n *Node) send(ctx context.Context, e voting.Submit) (ledger.Outcome, error) {
	instructions, err := n.instructions(ctx, e)
	if err != nil {
		return ledger.Outcome{}, err
	}
	return n.sender.Submit(ctx, instructions, ledger.SubmitOptions{
		Purpose: ledger.PurposeOf(e.Op, address(e.Task), e.Round, e.Seat),
		Payer:   n.home.Keys.Authority, Before: e.Before, Done: n.client.Done(e),
	})
}

// instructions are what an operation is on the chain (protocol section 5).
func (n *Node) instructions(ctx context.Context, e voting.Submit) ([]solana.Instruction, error) {
	p, task, self := n.client.Program(), address(e.Task), n.home.Keys.Authority.Address()
	one := func(i solana.Instruction) ([]solana.Instruction, error) { return []solana.Instruction{i}, nil }
	switch e.Op {
	case voting.OpDraw:
		return one(p.Draw(task))
	case voting.OpCommit:
		sealed, err := n.home.Keys.seal(n.domain, e.Task, e.Round, e.Opening)
		if err != nil {
			return nil, err
		}
		return one(p.Commit(self, task, program.Commit{Round: e.Round, Commitment: e.Commitment, Sealed: sealed}))
	case voting.OpCarry:
		return p.RelayCommit(n.domain.Network, e.Peer, e.Relay)
	case voting.OpReveal, voting.OpRelay:
		return one(p.Reveal(task, address(e.Judge), e.Round, e.Opening))
	case voting.OpSettle, voting.OpExpire:
		terms, err := n.terms(ctx, e.Task)
		if err != nil {
			return nil, err
		}
		if e.Op == voting.OpExpire {
			return one(p.ExpireCase(task, terms.Creator, terms.Worker))
		}
		return one(p.Settle(task, terms.Creator, terms.Worker))
	case voting.OpSlash:
		return p.SlashEquivocation(e.Seat, n.domain.Network, e.Evidence)
	case voting.OpClaim:
		return one(p.ClaimReward(program.ClaimReward{Judge: address(e.Judge)}))
	}
	return nil, fmt.Errorf("node: operation %d is not known here", e.Op)
}
