package rules_test

import (
	"errors"
	"math/big"
	"reflect"
	"slices"

	"ojud/voting"
	"ojud/voting/rules"
)

// The settlement of version 1 once more, with fractions and integers of any size.

var errSlow = errors.New("does not fit in 64 bits")

func slowNum(x uint64) *big.Int { return new(big.Int).SetUint64(x) }

func slowAdd(xs ...uint64) *big.Int {
	total := new(big.Int)
	for _, x := range xs {
		total.Add(total, slowNum(x))
	}
	return total
}

// slowFloor is ⌊a·b/c⌋.
func slowFloor(a, b, c *big.Int) *big.Int {
	p := new(big.Int).Mul(a, b)
	return p.Div(p, c)
}

// slowFit turns x back into lamports.
func slowFit(x *big.Int) (uint64, error) {
	if !x.IsUint64() {
		return 0, errSlow
	}
	return x.Uint64(), nil
}

// slowVerdict is the verdict on the seats by fractions: quorum when (A + R)/S ≥ 2/3, accept when
// A/(A + R) > 66/100.
func slowVerdict(seats []voting.Seat) voting.Verdict {
	const _ = uint(3 - voting.Choices) // these fractions know two sides and the abstention
	a, r, s := new(big.Int), new(big.Int), new(big.Int)
	for _, x := range seats {
		s.Add(s, slowNum(x.Weight))
		if x.Revealed && !x.Equivocated && x.Choice == voting.Accept {
			a.Add(a, slowNum(x.Weight))
		}
		if x.Revealed && !x.Equivocated && x.Choice == voting.Reject {
			r.Add(r, slowNum(x.Weight))
		}
	}
	sides := new(big.Int).Add(a, r)
	if sides.Sign() == 0 || new(big.Rat).SetFrac(sides, s).Cmp(big.NewRat(2, 3)) < 0 {
		return voting.NoVerdict
	}
	if new(big.Rat).SetFrac(a, sides).Cmp(big.NewRat(66, 100)) > 0 {
		return voting.ForWorker
	}
	return voting.ForCreator
}

// slowShares divides pot among weights.
func slowShares(pot *big.Int, weights []uint64) []*big.Int {
	out := make([]*big.Int, len(weights))
	total := slowAdd(weights...)
	for i := range weights {
		upTo := slowFloor(pot, slowAdd(weights[:i+1]...), total)
		before := slowFloor(pot, slowAdd(weights[:i]...), total)
		out[i] = upTo.Sub(upTo, before)
	}
	return out
}

// slowResultOf returns how a seat ended the round.
func slowResultOf(s voting.Seat, v voting.Verdict) voting.Result {
	if s.Equivocated {
		return voting.Equivocated
	}
	if !s.Revealed {
		return voting.Absent
	}
	if s.Choice == voting.Abstain {
		return voting.Abstained
	}
	if v == voting.NoVerdict {
		return voting.Voted
	}
	if v == voting.ForWorker && s.Choice == voting.Accept || v == voting.ForCreator && s.Choice == voting.Reject {
		return voting.Majority
	}
	return voting.Minority
}

// slowCosts returns the cost of a result.
func slowCosts(r rules.FirstRules, result voting.Result, s rules.Standing) int64 {
	switch result {
	case voting.Absent:
		return int64(r.AbsentBps)
	case voting.Minority:
		return int64(r.MinorityBps)
	case voting.Abstained:
		used := new(big.Rat).SetInt64(int64(s.Abstained))
		free := new(big.Rat).SetFrac64(int64(s.Seated)*int64(r.AbstainBps), 10_000)
		if used.Cmp(free.Add(free, new(big.Rat).SetInt64(int64(r.AbstainFree)))) >= 0 {
			return int64(r.AbsentBps)
		}
	}
	return 0
}

// slowSlash returns the amount to take of a stake.
func slowSlash(weight uint64, bps int64, s rules.Standing) uint64 {
	amount := slowFloor(slowNum(weight), big.NewInt(bps), big.NewInt(10_000))
	if !s.Present {
		return 0
	}
	if amount.Cmp(slowNum(s.Stake)) > 0 {
		return s.Stake
	}
	return amount.Uint64()
}

// slowSettle is rules.SettleFirst for rounds that can be settled.
func slowSettle(in rules.FirstRound) (rules.FirstSettlement, error) {
	out := rules.FirstSettlement{Round: in.Round, Verdict: slowVerdict(in.Seats), Carry: in.Carry}
	slashed := new(big.Int)
	for i, s := range in.Seats {
		end := rules.SeatEnd{Result: slowResultOf(s, out.Verdict)}
		end.Slashed = slowSlash(s.Weight, slowCosts(in.Rules, end.Result, in.Standings[i]), in.Standings[i])
		slashed.Add(slashed, slowNum(end.Slashed))
		out.Seats = append(out.Seats, end)
		out.Tally = slowTally(out.Tally, s)
	}
	pot := slashed.Add(slashed, slowNum(in.Pot))
	if out.Verdict == voting.NoVerdict && in.Round < in.Rules.MaxRounds {
		out.Status, out.Round = voting.AwaitingDraw, in.Round+1
		var err error
		out.Pot, err = slowFit(pot)
		return out, err
	}
	if out.Verdict == voting.NoVerdict {
		return slowUndecided(in, out, pot)
	}
	return slowDecided(in, out, pot)
}

func slowTally(t rules.Tally, s voting.Seat) rules.Tally {
	t.Seated += s.Weight
	if s.Revealed && !s.Equivocated {
		switch s.Choice {
		case voting.Accept:
			t.Accept += s.Weight
		case voting.Reject:
			t.Reject += s.Weight
		case voting.Abstain:
			t.Abstain += s.Weight
		}
	}
	return t
}

func slowDecided(in rules.FirstRound, out rules.FirstSettlement, pot *big.Int) (rules.FirstSettlement, error) {
	const _ = uint(3 - voting.Verdicts) // a fourth verdict needs its payments
	out.Status, out.Carry = voting.Decided, 0
	if out.Verdict == voting.ForWorker {
		out.Outcome, out.Bond = voting.Paid, in.Terms.CreatorBond
		out.Payments = []rules.Payment{
			{To: rules.Worker, Kind: voting.PayReward, Amount: in.Terms.Escrow},
			{To: rules.Worker, Kind: voting.PayBondBack, Amount: in.Terms.WorkerBond},
		}
	} else {
		out.Outcome, out.Bond = voting.Refunded, in.Terms.WorkerBond
		out.Payments = []rules.Payment{
			{To: rules.Creator, Kind: voting.PayRefund, Amount: in.Terms.Escrow},
			{To: rules.Creator, Kind: voting.PayBondBack, Amount: in.Terms.CreatorBond},
		}
	}
	return slowAward(in, out, pot.Add(pot, slowAdd(in.Carry, out.Bond)), voting.Majority)
}

func slowUndecided(in rules.FirstRound, out rules.FirstSettlement, pot *big.Int) (rules.FirstSettlement, error) {
	out.Status, out.Verdict = voting.EndedUndecided, voting.Undecided
	worker := uint64(0)
	switch in.Terms.OnUndecided {
	case voting.RefundCreator:
		out.Outcome = voting.Refunded
	case voting.PayWorker:
		out.Outcome, worker = voting.Paid, in.Terms.Escrow
	case voting.SplitEscrow:
		out.Outcome, worker = voting.Split, in.Terms.Escrow/2
	}
	out.Payments = []rules.Payment{
		{To: rules.Worker, Kind: voting.PayReward, Amount: worker},
		{To: rules.Creator, Kind: voting.PayRefund, Amount: in.Terms.Escrow - worker},
		{To: rules.Creator, Kind: voting.PayBondBack, Amount: in.Terms.CreatorBond},
		{To: rules.Worker, Kind: voting.PayBondBack, Amount: in.Terms.WorkerBond},
	}
	return slowAward(in, out, pot, voting.Voted)
}

// slowAward shares pot among the seats with the winning result.
func slowAward(in rules.FirstRound, out rules.FirstSettlement, pot *big.Int, winner voting.Result) (rules.FirstSettlement, error) {
	var err error
	if out.Shared, err = slowFit(pot); err != nil {
		return out, err
	}
	var who []int
	var weights []uint64
	for i := range out.Seats {
		if out.Seats[i].Result == winner {
			who, weights = append(who, i), append(weights, in.Seats[i].Weight)
		}
	}
	carry := slowAdd(out.Carry)
	if len(who) == 0 {
		carry.Add(carry, pot)
	}
	for j, share := range slowShares(pot, weights) {
		if in.Standings[who[j]].Present {
			out.Seats[who[j]].Earned = share.Uint64()
		} else {
			carry.Add(carry, share)
		}
	}
	out.Carry, err = slowFit(carry)
	return out, err
}

// slowExpire is rules.ExpireFirst.
func slowExpire(in rules.FirstRound) (rules.FirstSettlement, error) {
	out := rules.FirstSettlement{Round: in.Round, Carry: in.Carry}
	for _, s := range in.Seats {
		out.Seats = append(out.Seats, rules.SeatEnd{Result: s.Result})
	}
	return slowUndecided(in, out, slowAdd(in.Pot))
}

// slowSame compares settlements; payments of nothing do not count.
func slowSame(a, b rules.FirstSettlement) bool {
	paid := func(all []rules.Payment) []rules.Payment {
		return slices.DeleteFunc(slices.Clone(all), func(p rules.Payment) bool { return p.Amount == 0 })
	}
	same := slices.Equal(a.Seats, b.Seats) && slices.Equal(paid(a.Payments), paid(b.Payments))
	a.Seats, b.Seats, a.Payments, b.Payments = nil, nil, nil, nil
	return same && reflect.DeepEqual(a, b)
}
