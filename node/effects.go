package node

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"ojud/ledger"
	"ojud/ledger/journal"
	"ojud/ledger/program"
	"ojud/ledger/transact"
	"ojud/node/record"
	"ojud/node/status"
	"ojud/node/why"
	"ojud/node/work"
	"ojud/voting"
)

type effects struct {
	journal   *journal.Journal
	cases     *record.Cases
	evaluator *evaluator
	notices   *notices
	catchUp   catchUp
	twins     *twins
	submitter *submitter
	audit     *status.Audit
	votes     *status.VoteCounter
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

func (x *effects) noteCasts(records []voting.Record) error {
	for _, r := range records {
		if c, ok := r.(voting.Cast); ok {
			if reason := x.votes.Cast(c.Opening); reason != "" {
				x.evaluator.metrics.abstain.WithLabelValues(string(reason)).Inc()
			}
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
		x.work.Spawn(ctx, func(ctx context.Context) error { x.catchUp.round(ctx, e); return nil })
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
	if err := x.audit.Note(own.Task, why.LogEntry{Round: own.Round, Deed: why.Requested, What: voting.OpCommit.String()}); err != nil {
		return err
	}
	return x.announceOwn(ctx, own.Task, e)
}

// submitter brings transactions for cases to the chain.
type submitter struct {
	keys    Keys
	domain  voting.Domain
	chain   *chain
	cases   *record.Cases
	inbox   *inbox
	audit   *status.Audit
	monitor *status.Monitor
	metrics *metrics
	log     *slog.Logger
}

func (s *submitter) submit(ctx context.Context, e voting.Submit) error {
	out, err := s.send(ctx, e)
	if errors.Is(err, ledger.ErrOutbox) {
		return err
	}
	if ctx.Err() != nil {
		return nil
	}
	class := out.Voting(err)
	s.metrics.submits.WithLabelValues(e.Op.String(), class.String()).Inc()
	s.report(e, out, err)
	if bad := s.note(e, out, err); bad != nil {
		return bad
	}
	s.inbox.answer(ctx, func(at int64) voting.Event {
		return voting.SubmitDone{At: at, Op: e.Op, Task: e.Task, Round: e.Round, Seat: e.Seat, Class: class}
	})
	return nil
}

func (s *submitter) report(e voting.Submit, out transact.Outcome, err error) {
	attrs := []any{"op", e.Op, "case", address(e.Task), "round", e.Round}
	switch {
	case errors.Is(err, ledger.ErrNoFunds):
		s.log.Error("the authority has no lamports for fees: votes cannot reach the chain; send it some now", append(attrs, "err", err)...)
		s.monitor.CheckNow()
	case err != nil:
		s.log.Warn("transaction not sent", append(attrs, "err", err)...)
	case out.Class == ledger.Rejected:
		s.log.Debug("transaction refused", append(attrs, "err", out.Rejection)...)
	default:
		s.log.Debug("transaction", append(attrs, "class", out.Class, "slot", out.Slot)...)
	}
}

// note writes down the outcome of a transaction for the node's own seat.
func (s *submitter) note(e voting.Submit, out transact.Outcome, err error) error {
	if e.Op != voting.OpCommit && e.Op != voting.OpReveal && e.Op != voting.OpClaim {
		return nil
	}
	entry := why.LogEntry{Round: e.Round, Deed: why.Sent, What: e.Op.String(), How: why.InVain, Text: out.Class.String()}
	switch {
	case errors.Is(err, ledger.ErrNoFunds):
		entry.How, entry.Text = why.NoFunds, err.Error()
	case err != nil:
		entry.How, entry.Text = why.NotSent, err.Error()
	case out.Class == ledger.AlreadyDone && out.Signature.IsZero() && e.Op != voting.OpClaim:
		entry.How = why.Others
	case out.Class == ledger.Landed || out.Class == ledger.AlreadyDone:
		entry.How = why.Landed
	case out.Class == ledger.Rejected:
		entry.How, entry.Text = why.Refused, out.Rejection.Error()
	}
	return s.audit.Note(e.Task, entry)
}

// send collects all data that an operation needs besides its event, and sends the operation.
func (s *submitter) send(ctx context.Context, e voting.Submit) (out transact.Outcome, err error) {
	var sealed []byte
	var terms *program.Task
	switch e.Op {
	case voting.OpCommit:
		sealed, err = s.keys.seal(s.domain, e.Task, e.Round, e.Opening)
	case voting.OpSettle, voting.OpExpire:
		terms, err = s.cases.Terms(ctx, e.Task)
	}
	if err != nil {
		return out, err
	}
	return s.chain.send(ctx, e, sealed, terms)
}
