package payment

import (
	"context"
	"time"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

// channelSize is the size of the account that the first pull makes.
const channelSize = program.ChannelSize

const (
	// maxRest is after how long Run looks at what it has in memory again: the chain's clock may
	// jump.
	maxRest = 10 * time.Minute
	// retryMin and retryMax bound the wait after a pull that failed, in seconds; it doubles.
	retryMin, retryMax = 30, 3600
)

// look is when a payer is to be looked at, in seconds of the chain's clock, and how often a pull
// from it has failed.
type look struct {
	at    int64
	tries uint
}

// Run pulls until ctx ends. It reads the chain when there is something to decide: at the start,
// when a voucher was accepted that is worth its fee, and shortly before one expires. An error is
// one of the store.
func (t *Till) Run(ctx context.Context) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for ctx.Err() == nil {
		payer, rest, err := t.next()
		if err != nil {
			return err
		}
		if rest == 0 {
			t.visit(ctx, payer)
			continue
		}
		timer.Reset(rest)
		select {
		case <-timer.C:
		case <-t.wake:
		case <-ctx.Done():
		}
	}
	return nil
}

// next is the payer to look at now, or how long there is none.
func (t *Till) next() (due onchain.Address, rest time.Duration, err error) {
	now := t.deps.Clock()
	if now == 0 {
		return due, time.Second, nil
	}
	first := now + seconds(maxRest)
	err = all(t.deps.Store, accountKind, func(rest []byte, a account) error {
		if len(rest) != len(due) {
			return ErrRecord
		}
		if at, waits := t.when(onchain.Address(rest), a); waits && at < first {
			first, due = at, onchain.Address(rest)
		}
		return nil
	})
	return due, time.Duration(max(0, first-now)) * time.Second, err
}

// when is when a payer is to be looked at; of one without a voucher nothing is to be had.
func (t *Till) when(payer onchain.Address, a account) (at int64, waits bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if a.Cumulative == 0 {
		delete(t.looks, payer)
		return 0, false
	}
	return t.looks[payer].at, true // 0 after a start
}

// plan has a payer looked at: now, if its voucher is worth a pull.
func (t *Till) plan(payer onchain.Address, a account, c chance) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if a.pulls(c, t.cfg) == 0 {
		t.looks[payer] = look{at: a.again(c.now, t.cfg)}
		return
	}
	if t.looks[payer].tries == 0 {
		t.looks[payer] = look{at: c.now}
	}
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

// visit looks at a payer and pulls what is worth it. What fails is tried again, later and later.
func (t *Till) visit(ctx context.Context, payer onchain.Address) {
	most, signed, err := t.decide(ctx, payer)
	if err == nil && most > 0 {
		err = t.pull(ctx, payer, signed, most)
	}
	if err != nil && ctx.Err() == nil {
		t.deps.Log.Warn("a payment cannot be pulled yet", "judge", payer, "err", err)
		t.postpone(payer)
	}
}

// postpone has a payer looked at again, after longer and longer.
func (t *Till) postpone(payer onchain.Address) {
	t.mu.Lock()
	defer t.mu.Unlock()
	tries := t.looks[payer].tries
	t.looks[payer] = look{at: t.deps.Clock() + min(int64(retryMin)<<min(tries, 10), retryMax), tries: tries + 1}
}

// decide notes what the chain has paid, and whether there is to be a pull, of what, and what it may
// cost.
func (t *Till) decide(ctx context.Context, payer onchain.Address) (most uint64, s Signed, err error) {
	ctx, cancel := context.WithTimeout(ctx, t.cfg.ChainTimeout)
	defer cancel()
	c, err := t.look(ctx, payer)
	if err != nil {
		return 0, s, err
	}
	if err := t.turn.take(ctx); err != nil {
		return 0, s, err
	}
	defer t.turn.give()
	a, ok, err := load[account](t.deps.Store, partyKey(accountKind, payer))
	if err != nil || !ok {
		return 0, s, err
	}
	before := a
	pulled, lost := a.learn(c.paid, c.now)
	if a != before {
		if err := t.keep(payer, a, batch{}, pulled, lost); err != nil {
			return 0, s, err
		}
	}
	most = a.pulls(c.chance, t.cfg)
	if most == 0 {
		t.mu.Lock()
		t.looks[payer] = look{at: a.again(c.now, t.cfg)}
		t.mu.Unlock()
	}
	return most, t.signed(payer, a), nil
}

// signed is the voucher of an account.
func (t *Till) signed(payer onchain.Address, a account) Signed {
	return Signed{program.Voucher{Domain: t.deps.Domain, Payer: payer, Payee: t.deps.Self, Cumulative: uint64(a.Cumulative), Expires: a.Expires},
		voting.Signature(a.Signature)}
}

// pull shows a voucher to the program and notes what came of it.
func (t *Till) pull(ctx context.Context, payer onchain.Address, s Signed, most uint64) error {
	t.deps.Log.Info("pulling a payment", "judge", payer, "up_to", s.Cumulative)
	err := t.deps.Pull(ctx, s, most)
	result := "landed"
	if err != nil {
		result = "failed"
	}
	t.metrics.pulls.WithLabelValues(result).Inc()
	if err != nil {
		return err
	}
	if most, _, err = t.decide(ctx, payer); most > 0 { // decide trims what was pulled
		t.postpone(payer)
	}
	return err
}
