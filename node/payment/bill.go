package payment

import (
	"ojud/casefile"
	"ojud/ledger/onchain"
)

// bill is one answer that this node owes for. Its voucher is the highest of the channel: one for
// all.
type bill struct {
	Holder     casefile.DID     `json:"holder"`
	Payee      casefile.Address `json:"payee"`      // authority; zero before the first promise
	Price      casefile.Amount  `json:"price"`      // lamports, here and below
	Due        casefile.Amount  `json:"due"`        // of the price, what no voucher promises
	Promised   casefile.Amount  `json:"promised"`   // of the price, what the latest promise is about
	Cumulative casefile.Amount  `json:"cumulative"` // up to where the channel has to pay for that; 0: nothing is promised
	At         int64            `json:"at"`         // Unix seconds
}

// promise notes that a voucher up to there promises what was due.
func (b *bill) promise(payee onchain.Address, upTo uint64) {
	b.Payee, b.Promised, b.Due, b.Cumulative = casefile.Address(payee), b.Due, 0, casefile.Amount(upTo)
}

// lapse notes that the voucher expired when the channel had paid so much: the rest is due again.
func (b *bill) lapse(paid uint64) {
	if !b.drawn(paid) {
		b.Due += min(b.Promised, b.Cumulative-casefile.Amount(paid))
		b.Promised, b.Cumulative = 0, 0
	}
}

// drawn reports whether the channel has paid for what was promised, if anything was.
func (b *bill) drawn(paid uint64) bool { return uint64(b.Cumulative) <= paid }
