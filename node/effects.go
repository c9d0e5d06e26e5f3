package node

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"ojud/ledger/journal"
	"ojud/node/record"
	"ojud/node/status"
	"ojud/node/why"
	"ojud/node/work"
	"ojud/voting"
)

// effects executes the effects of the machine.
type effects struct {
	journal   *journal.Journal
	cases     *record.Cases
	evaluator *evaluator
	notices   *notices
	twins     *twins
	submitter *submitter
	audit     *status.Audit
	work      *work.Group
	log       *slog.Logger
}

// execute executes effects in order. Records that follow each other share one write. An error stops
// the node, because nothing that comes after a failed write may happen.
func (x *effects) execute(ctx context.Context, all []voting.Effect) error {
	for len(all) > 0 {
		var records []voting.Record
		for len(all) > 0 {
			p, ok := all[0].(voting.Persist)
			if !ok {
				break
			}
			records, all = append(records, p.Record), all[1:]
		}
		if err := x.persist(records); err != nil {
			return err
		}
		if slices.ContainsFunc(records, isCast) {
			x.work.Spawn(ctx, func(context.Context) error { return x.noteCasts(records) })
		}
		if len(all) > 0 {
			if err := x.start(ctx, all[0]); err != nil {
				return err
			}
			all = all[1:]
		}
	}
	return nil
}

func (x *effects) persist(records []voting.Record) error {
	if len(records) == 0 {
		return nil
	}
	err := x.journal.PersistAll(records...)
	if errors.Is(err, journal.ErrWouldEquivocate) {
		return fmt.Errorf("%w: %w", ErrTwin, err)
	}
	return err
}

func isCast(r voting.Record) bool {
	_, ok := r.(voting.Cast)
	return ok
}

// noteCasts writes down which votes were signed.
func (x *effects) noteCasts(records []voting.Record) error {
	for _, r := range records {
		if c, ok := r.(voting.Cast); ok {
			if err := x.audit.Note(c.Task, why.LogEntry{Round: c.Round, Deed: why.Cast, What: c.Opening.Choice.String()}); err != nil {
				return err
			}
		}
	}
	return nil
}

// start starts one effect. Slow effects go on in the background and answer with an event.
func (x *effects) start(ctx context.Context, e voting.Effect) error {
	x.log.Debug("effect", "what", e)
	switch e := e.(type) {
	case voting.AskJudge:
		x.work.Spawn(ctx, func(ctx context.Context) error { return x.evaluator.deliberate(ctx, e) })
	case voting.AskAbstain:
		x.work.Spawn(ctx, func(ctx context.Context) error { return x.evaluator.abstain(ctx, e) })
	case voting.StopJudge:
		x.evaluator.runner.Stop(e.Task, e.Round)
	case voting.Announce:
		return x.announce(ctx, e)
	case voting.Submit:
		x.work.Spawn(ctx, func(ctx context.Context) error { return x.submitter.submit(ctx, e) })
	case voting.CatchUp:
		x.work.Spawn(ctx, func(ctx context.Context) error { x.notices.catchUp(ctx, e); return nil })
	case voting.RecoverOpening:
		x.work.Spawn(ctx, func(ctx context.Context) error { x.evaluator.recover(ctx, e); return nil })
	case voting.Testify:
		x.cases.Testify(e)
	case voting.Conflict:
		return x.twins.conflict(e)
	case voting.Forget:
		x.evaluator.runner.Forget(e.Task)
		x.cases.Forget(e.Task)
		return errors.Join(x.journal.Events().Archive(e.Task), x.journal.Forget(e.Task))
	default:
		return fmt.Errorf("node: effect %T is not known here", e)
	}
	return nil
}

// announce sends a notice to others. A statement that this node signed waits until a copy of this
// node would have answered.
func (x *effects) announce(ctx context.Context, e voting.Announce) error {
	switch own := e.Notice.(type) {
	case voting.Commit:
		x.work.Spawn(ctx, func(ctx context.Context) error { return x.announceOwn(ctx, own.Task, e) })
		return nil
	case voting.Relay:
		x.work.Spawn(ctx, func(ctx context.Context) error { return x.requestRelay(ctx, own, e) })
		return nil
	}
	return x.notices.announce(ctx, e)
}

func (x *effects) announceOwn(ctx context.Context, task voting.Key, e voting.Announce) error {
	if !x.twins.mayShow(ctx, task) {
		return nil
	}
	return x.notices.announce(ctx, e)
}

// requestRelay asks the others to bring this node's commitment to the chain (ADR 0019).
func (x *effects) requestRelay(ctx context.Context, own voting.Relay, e voting.Announce) error {
	x.log.Warn("the own commitment does not get to the chain: the other judges are asked to bring it there",
		"case", address(own.Task), "round", own.Round)
	x.notices.metrics.relays.Inc()
	if err := x.audit.Note(own.Task, why.LogEntry{Round: own.Round, Deed: why.Pleaded, What: voting.OpCommit.String()}); err != nil {
		return err
	}
	return x.announceOwn(ctx, own.Task, e)
}
