package rules

import (
	"fmt"

	"ojud/voting"
)

// Party is a side of a task, or the Pot, which has a share in what the worker is paid.
type Party uint8

// The parties.
const (
	Creator Party = iota + 1
	Worker
	Pot // of the court, for golden cases
)

// Payment moves lamports from the Task account to the vault of a party or to the Pot.
type Payment struct {
	To     Party
	Kind   voting.PaymentKind
	Amount uint64
}

// Terms are the amounts that the Task account holds for its parties while the case is open, in
// lamports.
type Terms struct {
	Escrow      uint64
	CreatorBond uint64
	WorkerBond  uint64
	ClaimBond   uint64 // comes back whatever the verdict is
	OnUndecided voting.OnUndecided
	TradeBps    uint16 // of what the worker is paid: the share of the Pot
	Prepaid     bool   // a dispute of others: all bonds go to the judges, whatever the verdict is
}

// decide pays the winner of a verdict: the escrow and its own bond. The loser's bond goes to the
// judges.
func (t Terms) decide(v voting.Verdict) (outcome voting.Outcome, bond uint64, pay []Payment, err error) {
	const _ = uint(3 - voting.Verdicts) // a fourth verdict needs its payments
	if v == voting.ForWorker {
		trade, err := Trade(t.Escrow, t.TradeBps)
		pay = payments(Payment{Worker, voting.PayReward, t.Escrow - trade}, Payment{Pot, voting.PayTrade, trade}, Payment{Worker, voting.PayBondBack, t.WorkerBond}, t.claim())
		return voting.Paid, t.CreatorBond, pay, err
	}
	pay = payments(Payment{Creator, voting.PayRefund, t.Escrow}, Payment{Creator, voting.PayBondBack, t.CreatorBond}, t.claim())
	return voting.Refunded, t.WorkerBond, pay, nil
}

// undecided pays by the task's own term and returns both bonds.
func (t Terms) undecided() (voting.Outcome, []Payment, error) {
	outcome, toWorker := voting.Refunded, uint64(0)
	switch t.OnUndecided {
	case voting.RefundCreator:
	case voting.PayWorker:
		outcome, toWorker = voting.Paid, t.Escrow
	case voting.SplitEscrow:
		outcome, toWorker = voting.Split, t.Escrow/2
	default:
		return voting.NoOutcome, nil, fmt.Errorf("voting: on_undecided %d is none of 1, 2, 3", t.OnUndecided)
	}
	trade, err := Trade(toWorker, t.TradeBps)
	return outcome, payments(
		Payment{Worker, voting.PayReward, toWorker - trade},
		Payment{Pot, voting.PayTrade, trade},
		Payment{Creator, voting.PayRefund, t.Escrow - toWorker},
		Payment{Creator, voting.PayBondBack, t.CreatorBond},
		Payment{Worker, voting.PayBondBack, t.WorkerBond},
		t.claim(),
	), err
}

// claim returns the bond of the claim: the work was not late.
func (t Terms) claim() Payment { return Payment{Worker, voting.PayClaimBack, t.ClaimBond} }

// payments leaves out payments of nothing.
func payments(all ...Payment) []Payment {
	kept := all[:0]
	for _, p := range all {
		if p.Amount != 0 {
			kept = append(kept, p)
		}
	}
	return kept
}
