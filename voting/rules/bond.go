package rules

// Bond returns the bond of an objection or a counter-objection for a task of that reward:
// max(minBond, ⌊reward·bps/10,000⌋) lamports (protocol section 6). ErrOverflow is only possible
// with bps above 10,000, which no Config has.
func Bond(reward, minBond uint64, bps uint16) (uint64, error) {
	share, err := mulDiv(reward, uint64(bps), BasisPoints)
	if err != nil {
		return 0, err
	}
	return max(minBond, share), nil
}

// Trade returns the Pot's share of a payment to a worker: ⌊payment·bps/10,000⌋ lamports. It is
// never more than the payment, whatever bps is: ErrOverflow instead.
func Trade(payment uint64, bps uint16) (uint64, error) {
	if bps > BasisPoints {
		return 0, ErrOverflow
	}
	return mulDiv(payment, uint64(bps), BasisPoints)
}
