package payment

import (
	"fmt"

	"ojud/casefile"
	"ojud/datasource/exchange"
)

// account is the payee's side of a channel: what was earned, and the highest voucher that was
// accepted and is not pulled. Amounts are lamports.
type account struct {
	Counted    casefile.Amount    `json:"counted"`    // up to here lamports of the channel are claimed by answers that were paid for
	Cumulative casefile.Amount    `json:"cumulative"` // of the voucher; 0: there is none
	Expires    int64              `json:"expires"`    // of the voucher, Unix seconds
	Signature  casefile.Signature `json:"signature"`  // of the voucher

	Paid    casefile.Amount `json:"paid"`    // what the channel had paid when it was last looked at
	Answers uint64          `json:"answers"` // that were paid for
	Earned  casefile.Amount `json:"earned"`  // their prices
	Lost    casefile.Amount `json:"lost"`    // of that, what expired before it was pulled
	Pulled  casefile.Amount `json:"pulled"`  // what moved since there is this account
}

// newAccount is one of which nothing is known but what the chain says: what was paid so far was for
// answers that are forgotten.
func newAccount(paid uint64) account {
	return account{Counted: casefile.Amount(paid), Paid: casefile.Amount(paid)}
}

// backing is up to where the channel has paid or can be made to pay. Counted never exceeds it.
func (a *account) backing() casefile.Amount { return max(a.Paid, a.Cumulative) }

// learn notes what the channel has paid, and trims a voucher that is pulled or has expired. It
// returns what moved, and what was earned and will not come.
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

// take accepts a voucher for an answer if lamports that no other answer claims are behind it, and
// the payer's vault holds them. learn has been called. least is how many seconds a voucher has to
// be good for. On an error, one of exchange.Err…, nothing has changed.
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

// with is the account with a voucher that is better than the one it has, or why it is not taken.
func (a *account) with(v Signed, now, least int64) (account, error) {
	next, cumulative := *a, casefile.Amount(v.Cumulative)
	switch {
	case cumulative < a.backing() || cumulative <= a.Paid || cumulative == a.Cumulative && v.Expires <= a.Expires:
		return next, nil // it adds nothing; what is there may be enough
	case v.Expires-now < least:
		return next, fmt.Errorf("%w: in %d s, it has to be good for %d", exchange.ErrVoucherTime, v.Expires-now, least)
	case v.Expires < a.Expires:
		return next, fmt.Errorf("%w: at %d, before an earlier one, which does at %d", exchange.ErrVoucherTime, v.Expires, a.Expires)
	}
	next.Cumulative, next.Expires, next.Signature = cumulative, v.Expires, casefile.Signature(v.Signature)
	return next, nil
}

// claim counts an answer, if the lamports are there.
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

// chance is what a pull meets on the chain.
type chance struct {
	vault uint64 // of the payer
	rent  uint64 // what making the Channel costs; 0: it is there
	now   int64
}

// gain is what a pull would bring.
func (a *account) gain(vault uint64) uint64 {
	if a.Cumulative <= a.Paid {
		return 0
	}
	return min(uint64(a.Cumulative-a.Paid), vault)
}

// pulls decides about a pull: at once if it brings enough fees beyond the rent, late if it brings
// anything. most is what the fee may be then; 0: there is to be no pull.
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

// again is when a look is worth while if nothing new comes: when it is late, and then every sixth
// of that time, for the payer may fill its vault. 0: never.
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
