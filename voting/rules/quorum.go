package rules

// PassPercent is the share of accept among accept and reject that must be exceeded for the worker
// to be paid (seed 000).
const PassPercent = 66

// QuorumNumerator and QuorumDenominator are the share of the seated weight that must take a side:
// 2/3.
const (
	QuorumNumerator   = 2
	QuorumDenominator = 3
)

// A quorum is more than half of the panel and at most all of it, so that two disjoint groups never
// both have one.
const (
	_ = uint(2*QuorumNumerator - QuorumDenominator - 1)
	_ = uint(QuorumDenominator - QuorumNumerator)
)

// Quorum reports whether enough weight took a side: 3·(accept + reject) ≥ 2·seated. It guarantees
// that with all seats of equal weight at least two thirds of the panel decided, so that a third
// that stays away or abstains cannot stop a verdict, and a smaller group cannot make one.
func (t Tally) Quorum() bool {
	sides, err := sum(t.Accept, t.Reject)
	if err != nil || sides == 0 {
		return false
	}
	return !mulLess(QuorumDenominator, sides, QuorumNumerator, t.Seated)
}

// Passes reports whether accept wins: 100·accept > 66·(accept + reject). It guarantees that with 28
// equal seats 19 accepts pay and 18 do not: 19 = 2f + 1 for the f = 9 judges that may lie.
func (t Tally) Passes() bool {
	sides, err := sum(t.Accept, t.Reject)
	return err == nil && mulLess(PassPercent, sides, 100, t.Accept)
}
