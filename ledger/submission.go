package ledger

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ojud/ledger/onchain"
	"ojud/ledger/transact"
)

// submission is the transaction under way for one purpose.
type submission struct {
	sender  *Sender
	purpose Purpose
	done    chan struct{} // closed when it is over
	report  chan report   // the waiting caller; nil: none. Guarded by sender.mu
}

type report struct {
	outcome transact.Outcome
	err     error
}

// tell reports to the waiting caller, and ends its wait.
func (f *submission) tell(out transact.Outcome, err error) {
	f.sender.mu.Lock()
	defer f.sender.mu.Unlock()
	if f.report != nil {
		f.report <- report{out, err}
		f.report = nil
	}
}

// wait waits for the report, or leaves the submission to itself when ctx ends.
func (f *submission) wait(ctx context.Context, mine chan report) (transact.Outcome, error) {
	select {
	case r := <-mine:
		return r.outcome, r.err
	case <-ctx.Done():
	}
	f.sender.mu.Lock()
	defer f.sender.mu.Unlock()
	select {
	case r := <-mine: // it came at the same time
		return r.outcome, r.err
	default:
	}
	if f.report == mine {
		f.report = nil
	}
	return transact.Outcome{}, fmt.Errorf("ledger: %s: nobody waits any more, it may still land: %w", f.purpose, context.Cause(ctx))
}

// run signs and sends until the transaction landed or is useless. ctx is the caller's: when it ends
// nothing is signed any more, but a signed transaction is followed to its end.
func (f *submission) run(ctx context.Context, instructions []onchain.Instruction, o SubmitOptions) (transact.Outcome, error) {
	s := f.sender
	ctx, stop := join(ctx, s.ctx)
	defer stop()
	last := transact.Outcome{Class: transact.Expired}
	for n := 0; n < s.client.cfg.Send.MaxSignings; n++ {
		if n > 0 {
			s.metrics.resigned.Inc()
		}
		if o.Before != 0 && s.past(ctx, o.Before) {
			last.Class = transact.GaveUp
			return last, nil
		}
		out, err := f.attempt(ctx, instructions, o)
		alone := o.Along == nil
		o.Along = nil // whatever it was: what goes along must not keep the act from landing
		if err != nil || out.Class != transact.Expired && (alone || out.Class != Rejected) {
			return out, err
		}
		last = out
		if ctx.Err() != nil {
			return last, context.Cause(ctx)
		}
	}
	return last, nil
}

// join returns a context that ends with the first of two.
func join(ctx, other context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(other, func() { cancel(context.Cause(other)) })
	return ctx, func() { stop(); cancel(nil) }
}

// attempt signs one transaction and follows it to its end.
func (f *submission) attempt(ctx context.Context, instructions []onchain.Instruction, o SubmitOptions) (transact.Outcome, error) {
	s := f.sender
	if done, err := asked(ctx, o.Done); err != nil || done {
		return transact.Outcome{Class: AlreadyDone}, err
	}
	e, err := s.sign(ctx, instructions, o)
	var r *Rejection
	if errors.As(err, &r) {
		return refused(ctx, transact.Outcome{Rejection: r}, o.Done)
	}
	if err != nil {
		return transact.Outcome{}, err
	}
	if ctx.Err() != nil {
		return transact.Outcome{}, context.Cause(ctx)
	}
	if err := s.box.Keep(context.WithoutCancel(ctx), e); err != nil {
		return transact.Outcome{}, fmt.Errorf("%w: keeping %s: %w", ErrOutbox, e.Purpose, err)
	}
	s.metrics.pending.Inc()
	out, err := f.follow(e)
	if err == nil && out.Class == Rejected {
		return refused(ctx, out, o.Done)
	}
	return out, err
}

func asked(ctx context.Context, done func(context.Context) (bool, error)) (bool, error) {
	if done == nil {
		return false, nil
	}
	return done(ctx)
}

// refused is the outcome of a refusal: the purpose of the transaction may be done already.
func refused(ctx context.Context, out transact.Outcome, done func(context.Context) (bool, error)) (transact.Outcome, error) {
	out.Class = Rejected
	yes, err := asked(ctx, done)
	if err == nil && yes {
		out.Class = AlreadyDone
	}
	return out, err
}

// follow sends an entry until it landed or cannot land any more, and says so in the outbox.
func (f *submission) follow(e transact.Entry) (transact.Outcome, error) {
	s, ctx := f.sender, context.WithoutCancel(f.sender.ctx)
	out, err := f.track(e)
	if err != nil {
		return out, err
	}
	kept := e.Once && out.Class == Landed
	if kept {
		e.Landed = out.Slot
		err = s.box.Keep(ctx, e)
	} else {
		err = s.box.Drop(ctx, e.Purpose, e.Signature)
	}
	if err != nil {
		return out, fmt.Errorf("%w: noting the end of %s: %w", ErrOutbox, e.Purpose, err)
	}
	s.metrics.pending.Dec()
	if out.Class == Landed {
		out.Events, out.Complete = s.events(s.ctx, e.Signature)
	}
	if kept {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.landed[e.Purpose] = out
	}
	return out, nil
}

// staleClock is the time without a new block after which the clock is read again.
const staleClock = 3 * time.Second

// past reports whether the chain's time is that late, as far as a confirmed block has shown.
func (s *Sender) past(ctx context.Context, before int64) bool {
	m, ok := s.client.clock.Last()
	if !s.client.clock.Fresh(staleClock) {
		if now, err := s.client.Now(ctx); err == nil {
			m, ok = now, true
		}
	}
	return ok && m.Unix >= before
}
