package ledger

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/transact"
)

// Sender gets transactions into the chain, exactly once for a purpose: it simulates, signs, writes
// the signed transaction to the outbox, sends it, and sends it again until it landed. It signs anew
// only when the old one can no longer land: otherwise both could.
type Sender struct {
	client  *Client
	box     Outbox
	log     *slog.Logger
	metrics *metrics
	genesis onchain.Hash
	desk    *desk
	slots   chan struct{} // one for each Submit that works
	legacy  atomic.Int64  // Unix seconds until which the cluster is taken for one without version 1

	ctx    context.Context
	cancel context.CancelCauseFunc
	work   sync.WaitGroup

	mu          sync.Mutex
	submissions map[Purpose]*submission
	landed      map[Purpose]transact.Outcome // of Once, until Forget
	used        map[onchain.Signature]uint64 // signatures made lately, with their last valid block height
	broken      error                        // the outbox failed: nothing is sent any more
}

// SubmitOptions say how to send.
type SubmitOptions struct {
	// Purpose names the use of the transaction. If it is empty, the work is done once and never
	// again.
	Purpose Purpose
	// Payer pays the fee. Signers sign, too, where the instructions want them.
	Payer   *Keypair
	Signers []*Keypair
	// Before is the chain's time after which the transaction is useless, in Unix seconds; 0 means
	// never.
	Before int64
	// Done reports whether the act is done already. It is called before signing and after a
	// refusal. Nil means that only this transaction can do it.
	Done func(context.Context) (bool, error)
	// Along returns what may follow in the same transaction, after these events. It needs version 1
	// (SIMD-0385), and is left out if the cluster does not take that, if too much would be in the
	// transaction or its log, or if it was in one that failed or expired. Nil means nothing.
	Along func(context.Context, []program.Event) ([]onchain.Instruction, error)
	// Once is for acts that the program would accept a second time, such as a deposit. The
	// transaction counts as landed only when its block is final, about 13 s later on the main
	// cluster, because a confirmed block may vanish. The outbox keeps this outcome. Until Forget,
	// every later Submit of the Purpose returns it, even after a restart. Once requires a Purpose.
	Once bool
	// MaxFee bounds the fees in lamports; 0 means no bound. Submit returns ErrFee without signing
	// if the transaction would cost more.
	MaxFee uint64
}

// OpenSender makes a sender and continues with the outbox: it sends transactions again that may
// land, and drops expired ones. If the outbox holds transactions for another chain, it returns
// ErrOtherChain and changes nothing.
func OpenSender(ctx context.Context, c *Client, box Outbox) (*Sender, error) {
	genesis, err := c.Genesis(ctx)
	if err != nil {
		return nil, err
	}
	entries, err := box.Pending(ctx)
	if err != nil {
		return nil, fmt.Errorf("%w: reading it: %w", ErrOutbox, err)
	}
	for _, e := range entries {
		if err := e.Validate(); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrOutbox, err)
		}
		if e.Genesis != genesis {
			return nil, fmt.Errorf("%w: the outbox holds %s for the chain with genesis hash %s, the node at %s serves %s; point rpc at "+
				"the former chain, or start with an empty data directory", ErrOtherChain, e.Purpose, e.Genesis, c.caller.Host(), genesis)
		}
	}
	s := &Sender{
		client: c, box: box, log: c.log, metrics: c.metrics, genesis: genesis, slots: make(chan struct{}, c.cfg.Send.MaxInFlight),
		submissions: make(map[Purpose]*submission), landed: make(map[Purpose]transact.Outcome), used: make(map[onchain.Signature]uint64),
	}
	s.ctx, s.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	s.desk = newDesk(s.ctx, c)
	for _, e := range entries {
		s.resume(e)
	}
	return s, nil
}

// resume goes on with an entry that an earlier sender left.
func (s *Sender) resume(e transact.Entry) {
	if e.Landed != 0 {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.landed[e.Purpose] = transact.Outcome{Class: Landed, Signature: e.Signature, Slot: e.Landed}
		return
	}
	f := &submission{sender: s, purpose: e.Purpose, done: make(chan struct{})}
	s.mu.Lock()
	s.submissions[e.Purpose] = f
	s.mu.Unlock()
	s.metrics.pending.Inc()
	s.log.Info("going on with a transaction of an earlier run", "purpose", string(e.Purpose), "signature", e.Signature)
	s.start(f, func() (transact.Outcome, error) { return f.follow(e) })
}

// start runs a submission until it is over.
func (s *Sender) start(f *submission, run func() (transact.Outcome, error)) {
	s.work.Go(func() {
		out, err := run()
		if err != nil && s.ctx.Err() != nil {
			err = context.Cause(s.ctx)
		}
		s.mu.Lock()
		if errors.Is(err, ErrOutbox) && s.broken == nil {
			s.broken = err
		}
		delete(s.submissions, f.purpose)
		s.mu.Unlock()
		if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, errClosed) && !errors.Is(err, ErrFee) && !errors.Is(err, ErrNoFunds) {
			s.log.Error("a transaction could not be brought to its end", "purpose", string(f.purpose), "err", err)
		}
		f.tell(out, err)
		close(f.done)
	})
}

// Close stops. Transactions that may still land stay in the outbox.
func (s *Sender) Close() {
	s.mu.Lock()
	if s.broken == nil {
		s.broken = errClosed
	}
	s.mu.Unlock()
	s.cancel(errClosed)
	s.work.Wait()
}

// Submit gets the instructions into the chain as one transaction, and returns how that ended. An
// error means that it was not tried, or that the end is unknown. After ctx's error the transaction
// may still land; the sender watches it, and the next Submit of that purpose waits for it.
func (s *Sender) Submit(ctx context.Context, instructions []onchain.Instruction, o SubmitOptions) (transact.Outcome, error) {
	if err := o.complete(); err != nil {
		return transact.Outcome{}, err
	}
	out, err := s.submit(ctx, instructions, o)
	class := out.Class.String()
	if err != nil {
		class = "error"
	}
	s.metrics.ended.WithLabelValues(class).Inc()
	return out, err
}

func (o *SubmitOptions) complete() error {
	if o.Payer == nil {
		return errors.New("ledger: a transaction needs a fee payer")
	}
	if len(o.Purpose) > transact.MaxPurpose {
		return fmt.Errorf("ledger: a purpose of %d bytes, %d are possible", len(o.Purpose), transact.MaxPurpose)
	}
	if o.Purpose == "" && o.Once {
		return errors.New("ledger: what must happen once needs a purpose, by which it is known afterwards")
	}
	if o.Purpose == "" {
		once := make([]byte, 16)
		if _, err := rand.Read(once); err != nil {
			return fmt.Errorf("ledger: naming a purpose: %w", err)
		}
		o.Purpose = Purpose("once/" + hex.EncodeToString(once))
	}
	return nil
}

func (s *Sender) submit(ctx context.Context, instructions []onchain.Instruction, o SubmitOptions) (transact.Outcome, error) {
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-ctx.Done():
		return transact.Outcome{}, context.Cause(ctx)
	}
	for {
		if out, ok := s.known(o.Purpose); ok {
			return out, nil
		}
		f, report, mine, err := s.board(o.Purpose)
		if err != nil {
			return transact.Outcome{}, err
		}
		if mine {
			s.start(f, func() (transact.Outcome, error) { return f.run(ctx, instructions, o) })
		}
		out, err := f.wait(ctx, report)
		out.Resumed = !mine
		if err != nil || mine || out.Class != transact.Expired && (out.Class != transact.GaveUp || out.Pending) {
			return out, err
		}
		<-f.done // the old one can no longer land: now this one
	}
}

// known returns the outcome of a purpose that must happen once and did.
func (s *Sender) known(p Purpose) (transact.Outcome, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out, ok := s.landed[p]
	out.Resumed = true
	return out, ok
}

// Forget removes a landed transaction of Once from the outbox, after the caller has recorded that
// it landed. It does nothing if there is none, and returns ErrInFlight if it is still under way.
func (s *Sender) Forget(ctx context.Context, p Purpose) error {
	s.mu.Lock()
	out, ok := s.landed[p]
	running := s.submissions[p] != nil
	s.mu.Unlock()
	if running {
		return fmt.Errorf("%w: %s", errInFlight, p)
	}
	if !ok {
		return nil
	}
	if err := s.box.Drop(ctx, p, out.Signature); err != nil {
		return fmt.Errorf("%w: dropping %s: %w", ErrOutbox, p, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.landed, p)
	return nil
}

// board returns the submission of a purpose: one under way without a waiting caller, or a new one,
// which the caller starts.
func (s *Sender) board(p Purpose) (f *submission, mine chan report, fresh bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken != nil {
		return nil, nil, false, s.broken
	}
	if f = s.submissions[p]; f == nil {
		f, fresh = &submission{sender: s, purpose: p, done: make(chan struct{})}, true
		s.submissions[p] = f
	}
	if f.report != nil {
		return nil, nil, false, fmt.Errorf("%w: %s", errInFlight, p)
	}
	f.report = make(chan report, 1)
	return f, f.report, fresh, nil
}
