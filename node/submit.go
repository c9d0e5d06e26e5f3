package node

import (
	"context"
	"errors"
	"log/slog"

	"ojud/ledger"
	"ojud/ledger/program"
	"ojud/ledger/transact"
	"ojud/node/record"
	"ojud/node/status"
	"ojud/node/why"
	"ojud/voting"
)

// submitter brings transactions for cases to the chain.
type submitter struct {
	keys    Keys
	domain  voting.Domain
	chain   *chain
	cases   *record.Cases
	loop    *loop
	audit   *status.Audit
	monitor *status.Monitor
	metrics *metrics
	log     *slog.Logger
}

// submit brings a transaction to the chain and answers with its outcome.
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
	s.loop.answer(ctx, func(at int64) voting.Event {
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
