package pay

import "math/bits"

// mulDiv is a·b/c, rounded down, without overflow on the way. The result fits: every caller divides
// by at least as much as it multiplies with, or has bounded factors.
func mulDiv(a, b, c uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	q, _ := bits.Div64(hi, lo, c)
	return q
}

// mulDivUp is a·b/c, rounded up.
func mulDivUp(a, b, c uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	q, r := bits.Div64(hi, lo, c)
	if r > 0 {
		q++
	}
	return q
}

// share is so many basis points of an amount, rounded down.
func share(amount uint64, bps int) uint64 { return mulDiv(amount, uint64(bps), whole) }
