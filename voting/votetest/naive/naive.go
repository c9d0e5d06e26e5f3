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

// part is ⌊x·n/d⌋.
func part(x *big.Int, n, d int64) *big.Int {
	p := new(big.Int).Mul(x, big.NewInt(n))
	return p.Div(p, big.NewInt(d))
}

func least(a, b *big.Int) *big.Int {
	if a.Cmp(b) < 0 {
		return a
	}
	return b
}

// weights counts a round.
func weights(seats []voting.Seat) (accept, reject, abstain, seated *big.Int) {
	const _ = uint(3 - voting.Choices) // these are all choices
	sum := map[voting.Choice]*big.Int{voting.Accept: add(), voting.Reject: add(), voting.Abstain: add()}
	seated = add()
	for _, s := range seats {
		seated.Add(seated, num(s.Weight))
		if s.Revealed && !s.Equivocated {
			sum[s.Choice].Add(sum[s.Choice], num(s.Weight))
		}
	}
	return sum[voting.Accept], sum[voting.Reject], sum[voting.Abstain], seated
}

// share is a fraction, 0 of nothing.
func share(part, whole *big.Int) *big.Rat {
	if whole.Sign() == 0 {
		return new(big.Rat)
	}
	return new(big.Rat).SetFrac(part, whole)
}

// Verdict is the verdict on the seats by fractions: two thirds revealed, 51 % took a side, and
// accept has more than 66 % of the sides.
func Verdict(seats []voting.Seat) voting.Verdict {
	a, r, b, seated := weights(seats)
	sides := new(big.Int).Add(a, r)
	revealed := new(big.Int).Add(sides, b)
	if share(revealed, seated).Cmp(big.NewRat(2, 3)) < 0 || share(sides, seated).Cmp(big.NewRat(51, 100)) < 0 {
		return voting.NoVerdict
	}
	if share(a, sides).Cmp(big.NewRat(66, 100)) > 0 {
		return voting.ForWorker
	}
	return voting.ForCreator
}

// sided reports whether a seat's vote for a side counts.
func sided(s voting.Seat) bool {
	const _ = uint(3 - voting.Choices) // the sides are accept and reject
	return s.Revealed && !s.Equivocated && s.Choice != voting.Abstain
}

// resultOf returns how a seat ended a round with or without a verdict.
func resultOf(s voting.Seat, v voting.Verdict, accept, reject *big.Int) voting.Result {
	switch {
	case s.Equivocated:
		return voting.Equivocated
	case !s.Revealed:
		return voting.Absent
	case s.Choice == voting.Abstain:
		return voting.Abstained
	case v == voting.NoVerdict || accept.Cmp(reject) == 0:
		return voting.Voted
	case (accept.Cmp(reject) > 0) == (s.Choice == voting.Accept):
		return voting.Majority
	}
	return voting.Minority
}

// pay is half of the fee, at most what leaves a wrong golden vote within the risk of the weight.
func pay(l rules.Law, reward, weight uint64) *big.Int {
	fee := part(num(reward), int64(l.FeeBps), 10_000)
	if fee.Cmp(num(l.FeeMin)) < 0 {
		fee = num(l.FeeMin)
	}
	half := part(fee, 1, 2)
	if wrong := int64(l.GoldenGain) * int64(l.GoldenLoss); wrong > 0 {
		return least(half, part(part(num(weight), int64(l.RiskBps), 10_000), 1, wrong))
	}
	return half
}

// taken is a loss, as far as there is stake.
func taken(loss *big.Int, s rules.Standing) uint64 {
	if !s.Present {
		return 0
	}
	return least(loss, num(s.Stake)).Uint64()
}

// settle is rules.Settle for rounds that can be settled.
func settle(in rules.RoundEnd) (rules.Settlement, error) {
	out := rules.Settlement{Verdict: Verdict(in.Seats), Round: in.Round}
	a, r, b, seated := weights(in.Seats)
	out.Tally = rules.Tally{Accept: a.Uint64(), Reject: r.Uint64(), Abstain: b.Uint64(), Seated: seated.Uint64()}
	golden := add()
	for i, s := range in.Seats {
		end := rules.SeatEnd{Result: resultOf(s, out.Verdict, a, r)}
		if !s.Revealed && !s.Equivocated {
			pays := int64(in.Law.Absence)
			if s.Committed {
				pays = int64(in.Law.GoldenGain) * int64(in.Law.GoldenLoss)
			}
			end.Slashed = taken(part(pay(in.Law, in.Terms.Escrow, s.Weight), pays, 1), in.Standings[i])
		}
		golden.Add(golden, num(end.Slashed))
		out.Seats = append(out.Seats, end)
	}
	switch {
	case out.Verdict != voting.NoVerdict:
		out.Status = voting.Decided
	case in.Round < in.Law.MaxRounds:
		out.Status, out.Round, out.Golden = voting.AwaitingDraw, in.Round+1, golden.Uint64()
		return out, nil
	default:
		out.Status, out.Verdict = voting.EndedUndecided, voting.Undecided
	}
	return finish(in, out, golden)
}

// expire is rules.Expire.
func expire(in rules.RoundEnd) (rules.Settlement, error) {
	out := rules.Settlement{Status: voting.EndedUndecided, Verdict: voting.Undecided, Round: in.Round}
	for _, s := range in.Seats {
		out.Seats = append(out.Seats, rules.SeatEnd{Result: s.Result})
	}
	return finish(in, out, add())
}

// parties pays the parties and sets what they lose.
func parties(in rules.RoundEnd, out *rules.Settlement) error {
	const _ = uint(3 - voting.Verdicts) // a fourth verdict needs its payments
	escrow, creator, worker := in.Terms.Escrow, in.Terms.CreatorBond, in.Terms.WorkerBond
	reward := uint64(0)
	lostCreator, lostWorker := add(), add()
	ends := out.Verdict
	if ends == voting.Undecided { // as if the side that profits had won, but it loses its own bond
		switch in.Terms.OnUndecided {
		case voting.RefundCreator:
			out.Outcome, lostCreator = voting.Refunded, num(creator)
		case voting.PayWorker:
			out.Outcome, reward, lostWorker = voting.Paid, escrow, num(worker)
		case voting.SplitEscrow:
			out.Outcome, reward = voting.Split, escrow/2
			lostCreator, lostWorker = num(creator/2), num(worker/2)
		}
	} else if ends == voting.ForWorker {
		out.Outcome, reward, lostCreator = voting.Paid, escrow, num(creator)
	} else {
		out.Outcome, lostWorker = voting.Refunded, num(worker)
	}
	trade := part(num(reward), int64(in.Terms.TradeBps), 10_000).Uint64()
	out.Payments = []rules.Payment{
		{To: rules.Worker, Kind: voting.PayReward, Amount: reward - trade},
		{To: rules.Pot, Kind: voting.PayTrade, Amount: trade},
		{To: rules.Creator, Kind: voting.PayRefund, Amount: escrow - reward},
		{To: rules.Creator, Kind: voting.PayBondBack, Amount: creator - lostCreator.Uint64()},
		{To: rules.Worker, Kind: voting.PayBondBack, Amount: worker - lostWorker.Uint64()},
	}
	lost := lostCreator.Add(lostCreator, lostWorker)
	out.Bond = lost.Uint64()
	if !lost.IsUint64() {
		return errNaive
	}
	return nil
}

// finish pays the seats of a case that is over.
func finish(in rules.RoundEnd, out rules.Settlement, golden *big.Int) (rules.Settlement, error) {
	if err := parties(in, &out); err != nil {
		return out, err
	}
	a, r, _, _ := weights(in.Seats)
	sides := new(big.Int).Add(a, r)
	purse, larger := num(out.Bond), a
	if r.Cmp(a) > 0 {
		larger = r
	}
	decisive := out.Verdict != voting.Undecided && share(larger, sides).Cmp(big.NewRat(2, 3)) > 0
	var earners []int
	for i, s := range in.Seats {
		if !sided(s) {
			continue
		}
		if in.Law.Preset == rules.PayMajority && decisive && s.Choice != out.Verdict.Choice() {
			loss := part(pay(in.Law, in.Terms.Escrow, s.Weight), int64(in.Law.Minority), 1)
			loss = least(loss, part(num(s.Weight), int64(in.Law.RiskBps), 10_000))
			amount := taken(loss, in.Standings[i])
			out.Seats[i].Slashed += amount
			purse.Add(purse, num(amount))
			continue
		}
		earners = append(earners, i)
	}
	rest := new(big.Int).Set(purse)
	before := add()
	for n, i := range earners {
		due := least(pay(in.Law, in.Terms.Escrow, in.Seats[i].Weight), part(purse, 1, int64(len(earners))))
		if in.Law.Preset == rules.PayMajority && decisive { // all earners are of one side, which shares the purse
			upTo := add()
			for _, k := range earners[:n+1] {
				upTo.Add(upTo, num(in.Seats[k].Weight))
			}
			upTo.Mul(upTo, purse).Div(upTo, larger)
			due, before = new(big.Int).Sub(upTo, before), upTo
		}
		if in.Standings[i].Present {
			out.Seats[i].Earned = due.Uint64()
			rest.Sub(rest, due)
		}
	}
	golden.Add(golden, rest)
	out.Golden = golden.Uint64()
	if !golden.IsUint64() {
		return out, errNaive
	}
	return out, nil
}

// Check compares the end of a round, or that of a case that was not drawn, with the real one.
func Check(live bool, in rules.RoundEnd, got rules.Settlement) error {
	compute := expire
	if live {
		compute = settle
	}
	want, err := compute(in)
	if err != nil {
		return err
	}
	if !same(got, want) {
		return fmt.Errorf("settlement %+v, expected %+v", got, want)
	}
	return nil
}

// same compares settlements; payments of nothing do not count.
func same(a, b rules.Settlement) bool {
	paid := func(all []rules.Payment) []rules.Payment {
		return slices.DeleteFunc(slices.Clone(all), func(p rules.Payment) bool { return p.Amount == 0 })
	}
	equal := slices.Equal(a.Seats, b.Seats) && slices.Equal(paid(a.Payments), paid(b.Payments))
	a.Seats, b.Seats, a.Payments, b.Payments = nil, nil, nil, nil
	return equal && reflect.DeepEqual(a, b)
}
