package payment

import (
	"fmt"

	"ojud/casefile"
	"ojud/datasource/exchange"
)

// account is the payee's side of a channel: its earnings and the highest voucher, in lamports.
type account struct {
	Counted    casefile.Amount    `json:"counted"`    // answers that were paid claim the channel's lamports up to here
	Cumulative casefile.Amount    `json:"cumulative"` // of the voucher; 0: none
	Expires    int64              `json:"expires"`    // of the voucher, Unix seconds
	Signature  casefile.Signature `json:"signature"`  // of the voucher

	Paid    casefile.Amount `json:"paid"`    // by the channel, at the last look
	Answers uint64          `json:"answers"` // the number of paid answers
	Earned  casefile.Amount `json:"earned"`  // their prices
	Lost    casefile.Amount `json:"lost"`    // of that, expired before it was pulled
	Pulled  casefile.Amount `json:"pulled"`  // moved since this account exists
}

// newAccount makes an account from the chain. The records of earlier answers are lost.
func newAccount(paid uint64) account {
	return account{Counted: casefile.Amount(paid), Paid: casefile.Amount(paid)}
}

// backing returns how far the channel has paid or can be made to pay. Counted never exceeds it.
func (a *account) backing() casefile.Amount { return max(a.Paid, a.Cumulative) }

// learn records how much the channel has paid, and drops a voucher that is pulled or has expired.
// It returns the lamports that moved, and those that were earned and are lost.
func (a *account) learn(paid uint64, now int64) (pulled, lost uint64) {
	if casefile.Amount(paid) > a.Paid {
		pulled = paid - uint64(a.Paid)
		a.Paid, a.Pulled = casefile.Amount(paid), a.Pulled+casefile.Amount(pulled)
	}
	if a.Cumulative <= a.Paid || now >= a.Expires {
		a.Cumulative, a.Expires, a.Signature = 0, 0, casefile.Signature{}
	}
	if back := a.backing(); a.Counted > back {
		lost = uint64(a.Counted - back)
		a.Counted, a.Lost = back, a.Lost+casefile.Amount(lost)
	}
	return pulled, lost
}

// take accepts a voucher for an answer if it covers lamports that no other answer claims, and if
// the payer's vault holds them. Call learn first. least is the number of seconds that a voucher
// must still be valid. After an error, one of exchange.Err…, nothing has changed.
func (a *account) take(v Signed, price, vault uint64, now, least int64) error {
	next, why := a.with(v, now, least)
	err := next.claim(price, vault)
	switch {
	case err == nil:
		*a = next
		return nil
	case why != nil:
		return why
	}
	return err
}

// with returns the account with a better voucher, or the reason why it is not taken.
func (a *account) with(v Signed, now, least int64) (account, error) {
	next, cumulative := *a, casefile.Amount(v.Cumulative)
	switch {
	case cumulative < a.backing() || cumulative <= a.Paid || cumulative == a.Cumulative && v.Expires <= a.Expires:
		return next, nil // it adds nothing, but the account may hold enough
	case v.Expires-now < least:
		return next, fmt.Errorf("%w: in %d s, it has to be good for %d", exchange.ErrVoucherTime, v.Expires-now, least)
	case v.Expires < a.Expires:
		return next, fmt.Errorf("%w: at %d, before an earlier one, which does at %d", exchange.ErrVoucherTime, v.Expires, a.Expires)
	}
	next.Cumulative, next.Expires, next.Signature = cumulative, v.Expires, casefile.Signature(v.Signature)
	return next, nil
}

// claim counts an answer if the lamports are there.
func (a *account) claim(price, vault uint64) error {
	free := uint64(a.backing() - a.Counted)
	if price > free {
		return fmt.Errorf("%w: %d lamports beyond what is paid or owed, the answer costs %d", exchange.ErrVoucherLow, free, price)
	}
	counted := a.Counted + casefile.Amount(price)
	if counted > a.Paid && uint64(counted-a.Paid) > vault {
		return fmt.Errorf("%w: %d lamports, and %d would have to be drawn", exchange.ErrVault, vault, uint64(counted-a.Paid))
	}
	a.Counted, a.Answers, a.Earned = counted, a.Answers+1, a.Earned+casefile.Amount(price)
	return nil
}

// chance describes the chain for a pull.
type chance struct {
	vault uint64 // of the payer
	rent  uint64 // the cost of making the Channel; 0: it exists
	now   int64
}

// gain returns the lamports that a pull would bring.
func (a *account) gain(vault uint64) uint64 {
	if a.Cumulative <= a.Paid {
		return 0
	}
	return min(uint64(a.Cumulative-a.Paid), vault)
}

// pulls decides about a pull: at once if it brings enough fees beyond the rent, and late if it
// brings anything. most is the highest fee; 0: do not pull.
func (a *account) pulls(c chance, cfg Config) (most uint64) {
	gain := a.gain(c.vault)
	if gain <= c.rent+cfg.PullFee || c.now >= a.Expires {
		return 0
	}
	if gain-c.rent < cfg.PullFee*cfg.MinPullFees && c.now < a.Expires-seconds(cfg.PullBeforeExpiry) {
		return 0
	}
	return gain - c.rent - 1 // never at a loss
}

// again returns when to look again if nothing new comes: at the late time, and then after each
// sixth of that time, because the payer may fill its vault. 0: never.
func (a *account) again(now int64, cfg Config) int64 {
	late := a.Expires - seconds(cfg.PullBeforeExpiry)
	switch {
	case a.Cumulative == 0:
		return 0
	case now < late:
		return late
	}
	return min(now+seconds(cfg.PullBeforeExpiry/6), a.Expires)
}
