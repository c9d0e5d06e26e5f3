package svm

import "github.com/gagliardetto/solana-go"

// accountOverhead is the size of an account without its data, in bytes.
const accountOverhead = 128

// MinimumBalance returns the lamports that make an account with that many bytes of data exempt from
// rent.
func (r Rent) MinimumBalance(dataLen int) uint64 {
	base := (accountOverhead + uint64(dataLen)) * r.LamportsPerByte
	switch r.ExemptionThreshold {
	case 1:
		return base
	case 2:
		return 2 * base
	}
	return floatToUint(float64(base) * r.ExemptionThreshold)
}

// floatToUint is Rust's saturating `as u64`.
func floatToUint(f float64) uint64 {
	switch {
	case !(f > 0):
		return 0
	case f >= 1<<64:
		return ^uint64(0)
	}
	return uint64(f)
}

// IsExempt reports whether the balance is at least the minimum.
func (r Rent) IsExempt(lamports uint64, dataLen int) bool {
	return lamports >= r.MinimumBalance(dataLen)
}

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
	rent    Rent
	relaxed bool
}

// state returns an account's state before a transaction.
func (r rentRule) state(a Account) rentState {
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
func (r rentRule) allows(before rentState, after Account) bool {
	size := len(after.Data)
	keeps := r.relaxed && before.kind == rentExempt && after.Lamports >= before.lamports &&
		size <= before.size && after.Owner == before.owner
	if after.Lamports == 0 || keeps || r.rent.IsExempt(after.Lamports, size) {
		return true
	}
	return before.kind == rentPaying && size == before.size && after.Lamports <= before.lamports
}
