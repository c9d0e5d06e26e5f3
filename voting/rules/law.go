package rules

import (
	"slices"

	"ojud/voting"
)

// Preset says whom the court pays: the two sets of rules of version 2.
type Preset uint8

// The presets.
const (
	PayTruth    Preset = iota + 1 // each vote for a side earns the same; golden cases tell right from wrong
	PayMajority                   // seed 000: a clear majority shares the loser's bond, and the minority pays
)

// Law is the parameters of a court under version 2. Half of a seat's fee is the seat's *pay*; what
// judges earn and lose is counted in pays, so that it grows with the reward.
type Law struct {
	Preset     Preset
	FeeMin     uint64 // lamports: the least fee of a seat
	FeeBps     uint16 // of the reward: the fee of a seat, if that is more
	CreatorBps uint16 // of the reward: the creator's bond
	WorkerBps  uint16 // of the reward: the worker's bond
	TradeBps   uint16 // of a worker's payment: the golden pot's share
	ClaimBps   uint16 // of the highest reward: posted with a claim
	CoverBps   uint16 // of the active weight: the highest reward
	GoldenBps  uint16 // of the settled cases: how many may be opened as golden
	RiskBps    uint16 // of a seat's weight: the most that a golden case takes, and that a reversal takes

	GoldenGain uint16 // pays: earned by a right vote in a golden case
	GoldenLoss uint16 // gains: lost by a wrong one
	Absence    uint16 // pays: lost by a seat that never committed
	Reversal   uint16 // pays: lost by a seat if an appeal clearly reverses its vote
	Minority   uint16 // pays: lost by a clear minority; 0 with PayTruth

	MaxRounds     uint8  // of a level
	MinStake      uint64 // lamports
	MaxSeatWeight uint64 // lamports
}

// SecondLaw is version 2 with its default parameters.
func SecondLaw(p Preset) Law {
	l := Law{
		Preset: p, FeeMin: 1_000_000, FeeBps: 10, CreatorBps: 2_000, WorkerBps: 1_000, TradeBps: 50, ClaimBps: 200, CoverBps: 500,
		GoldenBps: 1_000, RiskBps: 1_000, GoldenGain: 10, GoldenLoss: 4, Absence: 2, Reversal: 20, MaxRounds: 2,
		MinStake: 1_000_000_000, MaxSeatWeight: 10_000_000_000,
	}
	if p == PayMajority {
		l.Minority = 7 // a share of the worker's bond among 28 seats, at a reward of 1 SOL
	}
	return l
}

// Fee returns the cost of a seat for the loser: max(FeeMin, ⌊reward·FeeBps/10,000⌋).
func (l Law) Fee(reward uint64) (uint64, error) { return Bond(reward, l.FeeMin, l.FeeBps) }

// Raised is the law of a task whose terms raise the fee of a seat to that many lamports.
func (l Law) Raised(fee uint64) Law {
	l.FeeMin = max(l.FeeMin, fee)
	return l
}

// pay returns the pay of a vote for a side: half of the fee. The other half is the golden pot's.
// The pay is bounded so that the loss in a golden case stays within RiskBps of the seat's weight.
// So gains and losses keep their ratio at every reward, and blind votes never pay.
func (l Law) pay(reward, weight uint64) (uint64, error) {
	fee, err := l.Fee(reward)
	if err != nil {
		return 0, err
	}
	most, err := l.risk(weight)
	if golden := uint64(l.GoldenGain) * uint64(l.GoldenLoss); golden > 0 {
		return min(fee/2, most/golden), err
	}
	return fee / 2, err
}

// risk is the most that a golden case takes of a seat of that weight, and that a reversal takes.
func (l Law) risk(weight uint64) (uint64, error) {
	return mulDiv(weight, uint64(l.RiskBps), BasisPoints)
}

// pays is a number of pays of a seat.
func (l Law) pays(reward, weight, n uint64) (uint64, error) {
	pay, err := l.pay(reward, weight)
	if err != nil {
		return 0, err
	}
	return mulDiv(pay, n, 1)
}

// Bonds returns the amounts that the parties of a task risk: a share of the reward, and at least
// the fees of the first panel and of an appeal.
func (l Law) Bonds(reward uint64, seats uint8) (creator, worker uint64, err error) {
	fee, err := l.Fee(reward)
	if err != nil {
		return 0, 0, err
	}
	least, err := mulDiv(fee, uint64(seats)+voting.MaxSeats, 1)
	if err != nil {
		return 0, 0, err
	}
	if creator, err = Bond(reward, least, l.CreatorBps); err != nil {
		return 0, 0, err
	}
	worker, err = Bond(reward, least, l.WorkerBps)
	return creator, worker, err
}

// AppealBond returns the amount that the loser of a verdict risks with an appeal: the fees of the
// largest panel.
func (l Law) AppealBond(reward uint64) (uint64, error) {
	fee, err := l.Fee(reward)
	if err != nil {
		return 0, err
	}
	return mulDiv(fee, voting.MaxSeats, 1)
}

// MinAppealSeats is the smallest panel that hears an appeal.
const MinAppealSeats = 7

const _ = uint(voting.MaxSeats - MinAppealSeats)

// AppealSeats is the size of the panel that hears an appeal, if the judges that did not sit at the
// first level have these weights, and votes of that weight gave the verdict. It is 0 if they are
// too few, or if the heaviest panel of them could not reverse it: the first verdict is then final.
func AppealSeats(others []uint64, votes uint64) int {
	if len(others) < MinAppealSeats {
		return 0
	}
	heaviest := slices.Sorted(slices.Values(others))
	heaviest = heaviest[len(heaviest)-min(len(heaviest), voting.MaxSeats):]
	if all, err := sum(heaviest...); err != nil || !Suffices(all, votes) {
		return 0
	}
	return len(heaviest)
}

// Claim returns the amount that a worker posts with its claim. The creator gets it if the worker
// misses the deadline.
func (l Law) Claim(rewardMax uint64) (uint64, error) {
	return mulDiv(rewardMax, uint64(l.ClaimBps), BasisPoints)
}

// Cover is the highest reward that a court of that active weight admits.
func (l Law) Cover(activeWeight uint64) (uint64, error) {
	return mulDiv(activeWeight, uint64(l.CoverBps), BasisPoints)
}

// SeatWeight is the weight of a judge's seat: the weight of its season, at most its stake and
// MaxSeatWeight. It is 0 if the stake is less than half of MinStake: the judge is not drawn.
func (l Law) SeatWeight(season, stake uint64) uint64 {
	if stake < l.MinStake/2 {
		return 0
	}
	return min(season, stake, l.MaxSeatWeight)
}

// Staked is the law of a draw with these bounds of a seat's weight.
func (l Law) Staked(minStake, maxSeatWeight uint64) Law {
	l.MinStake, l.MaxSeatWeight = minStake, maxSeatWeight
	return l
}

// Exposure is the most that a live seat of that weight can lose, equivocation apart. That much of
// the judge's stake is reserved. It makes one of the three mistakes at most: a vote that was
// withheld is on no side. What an open leaf takes later, when the seat is not live, comes from the
// stake that the cooldown holds.
func (l Law) Exposure(reward, weight uint64) (uint64, error) {
	wrong, err := l.wrong(reward, weight)
	if err != nil {
		return 0, err
	}
	reversal, err := l.atRisk(reward, weight, max(l.Reversal, l.Minority))
	if err != nil {
		return 0, err
	}
	absence, err := l.pays(reward, weight, uint64(l.Absence))
	if err != nil {
		return 0, err
	}
	return max(wrong, reversal, absence), nil
}

// atRisk is a loss of some pays, at most RiskBps of the weight.
func (l Law) atRisk(reward, weight uint64, pays uint16) (uint64, error) {
	most, err := l.risk(weight)
	if err != nil {
		return 0, err
	}
	loss, err := l.pays(reward, weight, uint64(pays))
	return min(loss, most), err
}

// gain returns how much a seat earns by a right vote in a golden case.
func (l Law) gain(reward, weight uint64) (uint64, error) {
	return l.pays(reward, weight, uint64(l.GoldenGain))
}

// wrong returns how much a seat loses by a wrong vote in a golden case. In any case, a seat that
// committed and did not reveal loses as much.
func (l Law) wrong(reward, weight uint64) (uint64, error) {
	return l.pays(reward, weight, uint64(l.GoldenGain)*uint64(l.GoldenLoss))
}
