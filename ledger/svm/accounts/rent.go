package accounts

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
