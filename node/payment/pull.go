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
	// maxRest bounds the time between two checks of Run, because the chain's clock may jump.
	maxRest = 10 * time.Minute
	// retryMin and retryMax bound the wait after a failed pull, in seconds. It doubles each time.
	retryMin, retryMax = 30, 3600
)

// look is when to check a payer next, by the chain's clock, and how many pulls have failed.
type look struct {
	at    int64
	tries uint
}

// Run pulls until ctx ends. It reads the chain at the start, after it accepted a voucher that is
// worth its fee, and shortly before one expires. An error comes from the store.
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

// next returns the payer to check now, or how long to wait.
func (t *Till) next() (due onchain.Address, rest time.Duration, err error) {
	now := t.deps.Clock()
	if now == 0 {
		return due, time.Second, nil
	}
	first := now + seconds(maxRest)
	err = all(t.deps.Store, accountKind, func(rest []byte, a account) error {
		if len(rest) != len(due) {
			return errRecord
		}
		if at, waits := t.when(onchain.Address(rest), a); waits && at < first {
			first, due = at, onchain.Address(rest)
		}
		return nil
	})
	return due, time.Duration(max(0, first-now)) * time.Second, err
}

// when returns when to check a payer. Without a voucher there is nothing to pull.
func (t *Till) when(payer onchain.Address, a account) (at int64, waits bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if a.Cumulative == 0 {
		delete(t.looks, payer)
		return 0, false
	}
	return t.looks[payer].at, true // 0 after a start
}

// plan schedules a check of a payer: now, if its voucher is worth a pull.
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

// visit pulls from a payer if it is worth it. After a failure it tries again, later each time.
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

// postpone schedules the next check of a payer, later each time.
func (t *Till) postpone(payer onchain.Address) {
	t.mu.Lock()
	defer t.mu.Unlock()
	tries := t.looks[payer].tries
	t.looks[payer] = look{at: t.deps.Clock() + min(int64(retryMin)<<min(tries, 10), retryMax), tries: tries + 1}
}

// decide records what the chain has paid, and returns the voucher to pull and the highest fee.
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

func (t *Till) signed(payer onchain.Address, a account) Signed {
	return Signed{program.Voucher{Domain: t.deps.Domain, Payer: payer, Payee: t.deps.Self, Cumulative: uint64(a.Cumulative), Expires: a.Expires},
		voting.Signature(a.Signature)}
}

// pull sends a voucher to the program and records the result.
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
	if most, _, err = t.decide(ctx, payer); most > 0 { // decide drops the pulled voucher
		t.postpone(payer)
	}
	return err
}
