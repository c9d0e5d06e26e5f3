// Package naive is a second implementation of the settlement, which tests compare with the real
// one. It computes with fractions and integers of any size, straight from the sentences of section
// 6 of docs/protocol.md, and takes nothing from package voting/rules but its types. It is slow on
// purpose.
package naive

import (
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"slices"

	"ojud/voting"
	"ojud/voting/rules"
)

var errNaive = errors.New("naive: does not fit in 64 bits")

func num(x uint64) *big.Int { return new(big.Int).SetUint64(x) }

func add(xs ...uint64) *big.Int {
	total := new(big.Int)
	for _, x := range xs {
		total.Add(total, num(x))
	}
	return total
}

// floor is ⌊a·b/c⌋.
func floor(a, b, c *big.Int) *big.Int {
	p := new(big.Int).Mul(a, b)
	return p.Div(p, c)
}

// fit turns x back into lamports.
func fit(x *big.Int) (uint64, error) {
	if !x.IsUint64() {
		return 0, errNaive
	}
	return x.Uint64(), nil
}

// Verdict is the verdict on the seats by fractions: quorum when (A + R)/S ≥ 2/3, accept when
// A/(A + R) > 66/100.
func Verdict(seats []voting.Seat) voting.Verdict {
	const _ = uint(3 - voting.Choices) // these fractions know two sides and the abstention
	a, r, s := new(big.Int), new(big.Int), new(big.Int)
	for _, x := range seats {
		s.Add(s, num(x.Weight))
		if x.Revealed && !x.Equivocated && x.Choice == voting.Accept {
			a.Add(a, num(x.Weight))
		}
		if x.Revealed && !x.Equivocated && x.Choice == voting.Reject {
			r.Add(r, num(x.Weight))
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

// shares divides pot among weights.
func shares(pot *big.Int, weights []uint64) []*big.Int {
	out := make([]*big.Int, len(weights))
	total := add(weights...)
	for i := range weights {
		upTo := floor(pot, add(weights[:i+1]...), total)
		before := floor(pot, add(weights[:i]...), total)
		out[i] = upTo.Sub(upTo, before)
	}
	return out
}

// resultOf returns how a seat ended the round.
func resultOf(s voting.Seat, v voting.Verdict) voting.Result {
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

// costs returns the cost of a result.
func costs(r voting.Rules, result voting.Result, s rules.Standing) int64 {
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

// slash returns the amount to take of a stake.
func slash(weight uint64, bps int64, s rules.Standing) uint64 {
	amount := floor(num(weight), big.NewInt(bps), big.NewInt(10_000))
	if !s.Present {
		return 0
	}
	if amount.Cmp(num(s.Stake)) > 0 {
		return s.Stake
	}
	return amount.Uint64()
}

// Settle is rules.Settle for rounds that can be settled.
func Settle(in rules.RoundEnd) (rules.Settlement, error) {
	out := rules.Settlement{Round: in.Round, Verdict: Verdict(in.Seats), Carry: in.Carry}
	slashed := new(big.Int)
	for i, s := range in.Seats {
		end := rules.SeatEnd{Result: resultOf(s, out.Verdict)}
		end.Slashed = slash(s.Weight, costs(in.Rules, end.Result, in.Standings[i]), in.Standings[i])
		slashed.Add(slashed, num(end.Slashed))
		out.Seats = append(out.Seats, end)
		out.Tally = tally(out.Tally, s)
	}
	pot := slashed.Add(slashed, num(in.Pot))
	if out.Verdict == voting.NoVerdict && in.Round < in.Rules.MaxRounds {
		out.Status, out.Round = voting.AwaitingDraw, in.Round+1
		var err error
		out.Pot, err = fit(pot)
		return out, err
	}
	if out.Verdict == voting.NoVerdict {
		return undecided(in, out, pot)
	}
	return decided(in, out, pot)
}

func tally(t rules.Tally, s voting.Seat) rules.Tally {
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

func decided(in rules.RoundEnd, out rules.Settlement, pot *big.Int) (rules.Settlement, error) {
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
	return award(in, out, pot.Add(pot, add(in.Carry, out.Bond)), voting.Majority)
}

func undecided(in rules.RoundEnd, out rules.Settlement, pot *big.Int) (rules.Settlement, error) {
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
	return award(in, out, pot, voting.Voted)
}

// award shares pot among the seats with the winning result.
func award(in rules.RoundEnd, out rules.Settlement, pot *big.Int, winner voting.Result) (rules.Settlement, error) {
	var err error
	if out.Shared, err = fit(pot); err != nil {
		return out, err
	}
	var who []int
	var weights []uint64
	for i := range out.Seats {
		if out.Seats[i].Result == winner {
			who, weights = append(who, i), append(weights, in.Seats[i].Weight)
		}
	}
	carry := add(out.Carry)
	if len(who) == 0 {
		carry.Add(carry, pot)
	}
	for j, share := range shares(pot, weights) {
		if in.Standings[who[j]].Present {
			out.Seats[who[j]].Earned = share.Uint64()
		} else {
			carry.Add(carry, share)
		}
	}
	out.Carry, err = fit(carry)
	return out, err
}

// Expire is rules.Expire.
func Expire(in rules.RoundEnd) (rules.Settlement, error) {
	out := rules.Settlement{Round: in.Round, Carry: in.Carry}
	for _, s := range in.Seats {
		out.Seats = append(out.Seats, rules.SeatEnd{Result: s.Result})
	}
	return undecided(in, out, add(in.Pot))
}

// Penalty is rules.SlashEquivocation for a seat that did not equivocate before.
func Penalty(in rules.Exposure) (rules.Penalty, error) {
	const _ = uint(5 - voting.Statuses) // has a round with a sixth status winners?
	guilty := in.Seats[in.Seat]
	amount := slash(guilty.Weight, int64(in.Rules.EquivocationBps), in.Standings[in.Seat])
	out := rules.Penalty{Amount: amount, Pot: in.Pot, Carry: in.Carry, Earned: make([]uint64, len(in.Seats))}
	var err error
	if !in.Status.Over() {
		out.Pot, err = fit(add(in.Pot, amount))
		could := 0
		for i, s := range in.Seats {
			if i != in.Seat && !s.Committed && !s.Equivocated {
				could++
			}
		}
		out.BeginReveal = in.Status == voting.Committing && could == 0
		return out, err
	}
	winner := voting.Voted
	if in.Status == voting.Decided {
		winner = voting.Majority
	}
	end := rules.RoundEnd{Seats: in.Seats, Standings: in.Standings}
	shared := rules.Settlement{Carry: in.Carry}
	for i, s := range in.Seats {
		r := s.Result
		if i == in.Seat {
			r = voting.Equivocated
		}
		shared.Seats = append(shared.Seats, rules.SeatEnd{Result: r})
	}
	shared, err = award(end, shared, num(amount), winner)
	for i := range shared.Seats {
		out.Earned[i] = shared.Seats[i].Earned
	}
	out.Carry = shared.Carry
	return out, err
}

// Check compares the end of a round, or that of a case that was not drawn, with the real one.
func Check(live bool, in rules.RoundEnd, got rules.Settlement) error {
	compute := Expire
	if live {
		compute = Settle
	}
	want, err := compute(in)
	if err != nil {
		return err
	}
	if !Same(got, want) {
		return fmt.Errorf("settlement %+v, expected %+v", got, want)
	}
	return nil
}

// Same compares settlements; payments of nothing do not count.
func Same(a, b rules.Settlement) bool {
	paid := func(all []rules.Payment) []rules.Payment {
		return slices.DeleteFunc(slices.Clone(all), func(p rules.Payment) bool { return p.Amount == 0 })
	}
	same := slices.Equal(a.Seats, b.Seats) && slices.Equal(paid(a.Payments), paid(b.Payments))
	a.Seats, b.Seats, a.Payments, b.Payments = nil, nil, nil, nil
	return same && reflect.DeepEqual(a, b)
}
