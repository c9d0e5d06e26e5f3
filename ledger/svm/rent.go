package svm

import (
	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm/accounts"
)

// rentState is the state that the runtime compares before and after a transaction.
type rentState struct {
	kind     rentKind
	lamports uint64
	size     int
	owner    solana.PublicKey
}

type rentKind uint8

const (
	rentNone   rentKind = iota // no lamports
	rentPaying                 // below the minimum; only for old accounts
	rentExempt
)

// rentRule compares accounts before and after a transaction. Under the relaxed rule (SIMD-0392), an
// existing account may keep its balance. The minimum applies only if the balance falls, the data
// grows or the owner changes.
type rentRule struct {
	rent    accounts.Rent
	relaxed bool
}

func ruleOf(env *accounts.Environment) rentRule {
	return rentRule{env.Rent, env.Features.RelaxRentCheck}
}

// state returns an account's state before a transaction.
func (r rentRule) state(a accounts.Account) rentState {
	out := rentState{rentPaying, a.Lamports, len(a.Data), a.Owner}
	switch {
	case a.Lamports == 0:
		out.kind = rentNone
	case r.relaxed || r.rent.IsExempt(a.Lamports, len(a.Data)):
		out.kind = rentExempt
	}
	return out
}

// allows reports whether an account may change from one state to the other. No account may become
// rent-paying, and a rent-paying one may be neither resized nor credited.
func (r rentRule) allows(before rentState, after accounts.Account) bool {
	size := len(after.Data)
	keeps := r.relaxed && before.kind == rentExempt && after.Lamports >= before.lamports &&
		size <= before.size && after.Owner == before.owner
	if after.Lamports == 0 || keeps || r.rent.IsExempt(after.Lamports, size) {
		return true
	}
	return before.kind == rentPaying && size == before.size && after.Lamports <= before.lamports
}
