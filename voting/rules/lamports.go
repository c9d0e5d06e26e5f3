package rules

import (
	"errors"
	"math/bits"
)

// BasisPoints is the unit of shares in the settings: 10,000 = 100 %.
const BasisPoints = 10_000

// ErrOverflow is returned when an amount does not fit in 64 bits. The program has an error of that
// name (section 8).
var ErrOverflow = errors.New("voting: amount does not fit in 64 bits")

// sum adds amounts in lamports.
func sum(amounts ...uint64) (uint64, error) {
	var total, carry uint64
	for _, a := range amounts {
		if total, carry = bits.Add64(total, a, 0); carry != 0 {
			return 0, ErrOverflow
		}
	}
	return total, nil
}

// mulDiv returns ⌊a·b/c⌋ with a 128-bit intermediate (protocol section 6).
func mulDiv(a, b, c uint64) (uint64, error) {
	hi, lo := bits.Mul64(a, b)
	if hi >= c {
		return 0, ErrOverflow // also c = 0
	}
	q, _ := bits.Div64(hi, lo, c)
	return q, nil
}

// mulLess reports whether a·b < c·d, exactly.
func mulLess(a, b, c, d uint64) bool {
	hi1, lo1 := bits.Mul64(a, b)
	hi2, lo2 := bits.Mul64(c, d)
	return hi1 < hi2 || hi1 == hi2 && lo1 < lo2
}
