package node

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gagliardetto/solana-go"

	"ojud/voting"
)

// address is a key as the chain's client names it.
func address(k voting.Key) solana.PublicKey { return solana.PublicKey(k) }

// execute does what the machine wants, in order. Records that follow each other share one write. An error stops the node: what
// comes after a failed write must not happen.
func (n *Node) execute(ctx context.Context, effects []voting.Effect) error {
	for len(effects) > 0 {
		var records []voting.Record
		for len(effects) > 0 {
			p, ok := effects[0].(voting.Persist)
			if !ok {
				break
			}
			records, effects = append(records, p.Record), effects[1:]
		}
		if err := n.persist(records); err != nil {
			return err
		}
		if slices.ContainsFunc(records, isCast) {
			n.spawn(ctx, func(context.Context) error { return n.noteCasts(records) })
		}
		if len(effects) > 0 {
			if err := n.do(ctx, effects[0]); err != nil {
				return err
			}
			effects = effects[1:]
		}
	}
	return nil
}

func (n *Node) persist(records []voting.Record) error {
	if len(records) == 0 {
		return nil
	}
	err := n.journal.PersistAll(records...)
	if twin(err) {
		return fmt.Errorf("%w: %w", ErrTwin, err)
	}
	return err
}

// do starts one effect; what takes time goes on by itself and answers with an event.
func (n *Node) do(ctx context.Context, e voting.Effect) error {
	n.log.Debug("effect", "what", e)
	switch e := e.(type) {
	case voting.AskJudge:
		n.spawn(ctx, func(ctx context.Context) error { return n.deliberate(ctx, e) })
	case voting.AskAbstain:
		n.spawn(ctx, func(ctx context.Context) error { return n.abstain(ctx, e) })
	case voting.StopJudge:
		n.runner.Stop(e.Task, e.Round)
	case voting.Announce:
		switch own := e.Notice.(type) {
		case voting.Commit:
			n.spawn(ctx, func(ctx context.Context) error { return n.announceCommit(ctx, own.Task, e) })
			return nil
		case voting.Relay:
			n.spawn(ctx, func(ctx context.Context) error { return n.plead(ctx, own, e) })
			return nil
		}
		return n.announce(ctx, e)
	case voting.Submit:
		n.spawn(ctx, func(ctx context.Context) error { return n.submit(ctx, e) })
	case voting.CatchUp:
		n.spawn(ctx, func(ctx context.Context) error { return n.catchUp(ctx, e) })
	case voting.RecoverOpening:
		n.spawn(ctx, func(ctx context.Context) error { return n.recover(ctx, e) })
	case voting.Testify:
		n.docket.testify(e)
	case voting.Conflict:
		return n.conflict(e)
	case voting.Forget:
		n.runner.Forget(e.Task)
		n.docket.forget(e.Task)
		return errors.Join(n.journal.Events().Archive(e.Task), n.journal.Forget(e.Task))
	default:
		return fmt.Errorf("node: effect %T is not known here", e)
	}
	return nil
}
