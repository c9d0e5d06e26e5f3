package voting

import "fmt"

// OnUndecided is what a task wants done when the court cannot decide (D1, Task.on_undecided).
type OnUndecided uint8

// What can be done with the escrow of an undecided case.
const (
	RefundCreator OnUndecided = iota + 1
	PayWorker
	SplitEscrow // half to the worker, rounded down, the rest to the creator
)

// Outcome is what became of the reward (Task.outcome).
type Outcome uint8

// The outcomes of a task.
const (
	NoOutcome Outcome = iota
	Paid
	Refunded
	Split
)

// Party is a side of a task.
type Party uint8

// The parties.
const (
	Creator Party = iota + 1
	Worker
)

// PaymentKind is why a party is paid (protocol section 7, event Paid).
type PaymentKind uint8

// The kinds of payments.
const (
	PayReward PaymentKind = iota + 1
	PayRefund
	PayBondBack
	PayExcess // of an auction; no settlement pays it
)

// Payment moves lamports from the Task account to the vault of a party.
type Payment struct {
	To     Party
	Kind   PaymentKind
	Amount uint64
}

// Terms are what the Task account holds for its parties while the case is open, in lamports.
type Terms struct {
	Escrow      uint64
	CreatorBond uint64
	WorkerBond  uint64
	OnUndecided OnUndecided
}

// decide pays the winner of a verdict: the escrow and its own bond. The loser's bond goes to the judges (D7).
func (t Terms) decide(v Verdict) (outcome Outcome, bond uint64, pay []Payment) {
	if v == ForWorker {
		pay = payments(Payment{Worker, PayReward, t.Escrow}, Payment{Worker, PayBondBack, t.WorkerBond})
		return Paid, t.CreatorBond, pay
	}
	pay = payments(Payment{Creator, PayRefund, t.Escrow}, Payment{Creator, PayBondBack, t.CreatorBond})
	return Refunded, t.WorkerBond, pay
}

// undecided pays by the task's own term and returns both bonds (D1).
func (t Terms) undecided() (Outcome, []Payment, error) {
	outcome, toWorker := Refunded, uint64(0)
	switch t.OnUndecided {
	case RefundCreator:
	case PayWorker:
		outcome, toWorker = Paid, t.Escrow
	case SplitEscrow:
		outcome, toWorker = Split, t.Escrow/2
	default:
		return NoOutcome, nil, fmt.Errorf("voting: on_undecided %d is none of 1, 2, 3", t.OnUndecided)
	}
	return outcome, payments(
		Payment{Worker, PayReward, toWorker},
		Payment{Creator, PayRefund, t.Escrow - toWorker},
		Payment{Creator, PayBondBack, t.CreatorBond},
		Payment{Worker, PayBondBack, t.WorkerBond},
	), nil
}

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
