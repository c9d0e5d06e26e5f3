package payment

import (
	"ojud/casefile"
	"ojud/ledger/onchain"
)

// bill is one answer that this node owes for. The channel's highest voucher covers all its bills.
type bill struct {
	Holder     casefile.DID     `json:"holder"`
	Payee      casefile.Address `json:"payee"`      // authority; zero before the first promise
	Price      casefile.Amount  `json:"price"`      // lamports, here and below
	Due        casefile.Amount  `json:"due"`        // the part of the price that no voucher promises
	Promised   casefile.Amount  `json:"promised"`   // the part of the price in the latest promise
	Cumulative casefile.Amount  `json:"cumulative"` // the channel must pay up to here for that; 0: nothing is promised
	At         int64            `json:"at"`         // Unix seconds
}

// promise records that a voucher up to there promises the due part.
func (b *bill) promise(payee onchain.Address, upTo uint64) {
	b.Payee, b.Promised, b.Due, b.Cumulative = casefile.Address(payee), b.Due, 0, casefile.Amount(upTo)
}

// lapse records that the voucher expired when the channel had paid so much. The rest is due again.
func (b *bill) lapse(paid uint64) {
	if !b.drawn(paid) {
		b.Due += min(b.Promised, b.Cumulative-casefile.Amount(paid))
		b.Promised, b.Cumulative = 0, 0
	}
}

// drawn reports whether the channel has paid the promised part, if there is one.
func (b *bill) drawn(paid uint64) bool { return uint64(b.Cumulative) <= paid }
