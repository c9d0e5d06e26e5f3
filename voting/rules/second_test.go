package rules_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"ojud/voting"
	"ojud/voting/rules"
)

// secondLaw is a law of version 2, with wild nearly any.
func secondLaw(r *rand.Rand, wild bool) rules.Law {
	l := rules.SecondLaw(rules.Preset(1 + r.IntN(2)))
	if wild {
		l.FeeMin, l.FeeBps, l.TradeBps, l.RiskBps = amount(r, math.MaxUint64), uint16(r.IntN(10_001)), uint16(r.IntN(10_001)), uint16(r.IntN(10_001))
		l.GoldenGain, l.GoldenLoss, l.Absence = uint16(r.IntN(100)), uint16(r.IntN(9)), uint16(r.IntN(9))
		l.Reversal, l.Minority = uint16(r.IntN(99)), uint16(r.IntN(99))
	}
	return l
}

// randomCase is a case of version 2 at its end, whose levels are closed by the rules. Its seats are
// mostly on one side, so that verdicts, clear ones too, are as common as void rounds.
func randomCase(r *rand.Rand, l rules.Law, wild bool) (in rules.CaseEnd, first, appeal rules.Closed, err error) {
	level := func(to voting.Choice, against rules.Given) (rules.Level, rules.Closed, error) {
		end := randomRound(r, wild)
		for i := range end.Seats {
			if s := &end.Seats[i]; s.Revealed && r.IntN(4) != 0 {
				s.Choice = to
			}
		}
		closed, err := l.Close(rules.Ballot{Reward: in.Terms.Escrow, Round: l.MaxRounds, Seats: end.Seats, Standings: end.Standings, Against: against})
		return rules.Level{Verdict: closed.Verdict, Seats: end.Seats, Standings: end.Standings}, closed, err
	}
	in.Terms = randomRound(r, wild).Terms
	if in.First, first, err = level(voting.Choice(1+r.IntN(2)), rules.Given{}); err != nil || r.IntN(3) == 0 {
		return in, first, appeal, err
	}
	against, err := in.First.Given()
	if err != nil {
		return in, first, appeal, err
	}
	var second rules.Level
	second, appeal, err = level(voting.Choice(1+r.IntN(2)), against)
	if in.Appeal = &second; in.First.Verdict != voting.Undecided {
		in.AppealBond = amount(r, 1<<40)
	}
	return in, first, appeal, err
}

// TestFinishAgainstNaive compares tens of thousands of ends of cases with slow arithmetic, and
// checks that what went in comes out.
func TestFinishAgainstNaive(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	seen := map[string]int{}
	for i := range 12_000 {
		l := secondLaw(r, i%4 == 0)
		in, first, appeal, err := randomCase(r, l, i%8 == 0)
		if err != nil {
			if i%4 != 0 {
				t.Fatalf("%+v\n%+v: %v", l, in, err)
			}
			continue
		}
		naiveClosed(t, l, in, nil, in.First, first)
		if in.Appeal != nil {
			naiveClosed(t, l, in, &in.First, *in.Appeal, appeal)
		}
		got, err := l.Finish(in)
		want := naiveFinish(l, in)
		if err != nil {
			if i%4 != 0 {
				t.Fatalf("%+v\n%+v: %v", l, in, err)
			}
			continue
		}
		want.compare(t, l, in, got)
		kept(t, in, got)
		seen[got.Verdict.String()]++
		if got.Reversed {
			seen["reversed"]++
		}
		if first.Verdict == voting.Undecided && got.Verdict != voting.Undecided {
			seen["decided by both"]++
			if own := appeal.Tally.Decides(); own != got.Verdict {
				seen["decided by the first"]++
			}
		}
	}
	for _, what := range []string{"accept", "reject", "undecided", "reversed", "decided by both", "decided by the first"} {
		if seen[what] < 50 {
			t.Errorf("only %d cases ended with %s: %v", seen[what], what, seen)
		}
	}
}

// kept checks that every lamport that went into the end of a case came out of it.
func kept(t *testing.T, in rules.CaseEnd, out rules.Final) {
	t.Helper()
	before := []uint64{in.Terms.Escrow, in.Terms.CreatorBond, in.Terms.WorkerBond, in.AppealBond}
	after := []uint64{out.Golden}
	for _, p := range out.Payments {
		after = append(after, p.Amount)
	}
	levels := []rules.Level{in.First}
	if in.Appeal != nil {
		levels = append(levels, *in.Appeal)
	}
	for n, ends := range [][]rules.SeatEnd{out.First, out.Appeal}[:len(levels)] {
		for i, end := range ends {
			before, after = append(before, end.Slashed), append(after, end.Earned)
			if s := levels[n].Standings[i]; end.Slashed > s.Stake || end.Earned > 0 && !s.Present {
				t.Fatalf("seat %d: %+v of %+v", i, end, s)
			}
		}
	}
	if b, a := total(before...), total(after...); b.Cmp(a) != 0 {
		t.Fatalf("%s lamports became %s:\n%+v\n%+v", b, a, in, out)
	}
}

// naive is the second implementation: the sentences of docs/rules.md with integers of any size.
type naive struct {
	golden        *big.Int
	worker, maker *big.Int   // what the parties get
	first, appeal []*big.Int // what each seat earns, or loses if below zero
}

func frac(x *big.Int, n, d int64) *big.Int {
	p := new(big.Int).Mul(x, big.NewInt(n))
	return p.Div(p, big.NewInt(d))
}

func u(x uint64) *big.Int { return new(big.Int).SetUint64(x) }

func least(a, b *big.Int) *big.Int {
	if a.Cmp(b) < 0 {
		return a
	}
	return b
}

// naivePay is half of the fee, at most what leaves a wrong golden vote within RiskBps of the
// weight.
func naivePay(l rules.Law, reward, weight uint64) *big.Int {
	fee := frac(u(reward), int64(l.FeeBps), 10_000)
	if fee.Cmp(u(l.FeeMin)) < 0 {
		fee = u(l.FeeMin)
	}
	half := fee.Div(fee, big.NewInt(2))
	if l.GoldenGain == 0 || l.GoldenLoss == 0 {
		return half
	}
	return least(half, frac(frac(u(weight), int64(l.RiskBps), 10_000), 1, int64(l.GoldenGain)*int64(l.GoldenLoss)))
}

// naiveVotes counts a level by weight.
func naiveVotes(seats []voting.Seat) (accept, reject, abstain, seated *big.Int) {
	accept, reject, abstain, seated = new(big.Int), new(big.Int), new(big.Int), new(big.Int)
	for _, s := range seats {
		seated.Add(seated, u(s.Weight))
		if s.Revealed && !s.Equivocated {
			side := map[voting.Choice]*big.Int{voting.Accept: accept, voting.Reject: reject, voting.Abstain: abstain}[s.Choice]
			side.Add(side, u(s.Weight))
		}
	}
	return accept, reject, abstain, seated
}

func atLeast(part, whole *big.Int, num, den int64) bool {
	return whole.Sign() > 0 && new(big.Rat).SetFrac(part, whole).Cmp(big.NewRat(num, den)) >= 0
}

func more(part, whole *big.Int, num, den int64) bool {
	return whole.Sign() > 0 && new(big.Rat).SetFrac(part, whole).Cmp(big.NewRat(num, den)) > 0
}

// naiveGiven is the weight of the votes for a level's verdict. If it decided nothing, that is the
// weight of the seats without a side.
func naiveGiven(level rules.Level) *big.Int {
	a, r, _, seated := naiveVotes(level.Seats)
	none := new(big.Int).Sub(seated, new(big.Int).Add(a, r))
	return map[voting.Verdict]*big.Int{voting.ForWorker: a, voting.ForCreator: r, voting.Undecided: none}[level.Verdict]
}

// naiveBoth is the weight of the sides that an appeal decides by: with those of a first panel that
// decided nothing.
func naiveBoth(first *rules.Level, level rules.Level) (accept, sides *big.Int) {
	accept, reject, _, _ := naiveVotes(level.Seats)
	if first != nil && first.Verdict == voting.Undecided {
		a, r, _, _ := naiveVotes(first.Seats)
		accept, reject = accept.Add(accept, a), reject.Add(reject, r)
	}
	return accept, reject.Add(reject, accept)
}

// naiveClosed checks the close of a level's last round. against is the level whose verdict it is
// about, if any.
func naiveClosed(t *testing.T, l rules.Law, in rules.CaseEnd, against *rules.Level, level rules.Level, got rules.Closed) {
	t.Helper()
	a, r, b, seated := naiveVotes(level.Seats)
	sides := new(big.Int).Add(a, r)
	want := voting.Undecided
	if atLeast(new(big.Int).Add(sides, b), seated, 2, 3) && atLeast(sides, seated, 51, 100) {
		want = voting.ForCreator
		if accept, all := naiveBoth(against, level); more(accept, all, 66, 100) {
			want = voting.ForWorker
		}
	}
	if against != nil && want != voting.Undecided && want != against.Verdict {
		votes := map[voting.Verdict]*big.Int{voting.ForWorker: a, voting.ForCreator: r}[want]
		if against.Verdict == voting.Undecided {
			votes = sides
		}
		if !atLeast(votes, naiveGiven(*against), 1, 2) {
			want = voting.Undecided
		}
	}
	golden := new(big.Int)
	for i, s := range level.Seats {
		loss := new(big.Int)
		if !s.Revealed && !s.Equivocated {
			loss = frac(naivePay(l, in.Terms.Escrow, s.Weight), int64(l.Absence), 1)
			if s.Committed {
				loss = naiveWrong(l, in.Terms.Escrow, s.Weight)
			}
		}
		loss = naiveTaken(loss, level.Standings[i])
		golden.Add(golden, loss)
		if u(got.Seats[i].Slashed).Cmp(loss) != 0 {
			t.Fatalf("%+v\nseat %d %+v loses %d, want %s", l, i, s, got.Seats[i].Slashed, loss)
		}
	}
	if got.Verdict != want || u(got.Golden).Cmp(golden) != 0 {
		t.Fatalf("%s of %s, %s, %s of %s, want %s; golden %d, want %s", got.Verdict, a, r, b, seated, want, got.Golden, golden)
	}
}

func naiveTaken(loss *big.Int, s rules.Standing) *big.Int {
	if !s.Present {
		return new(big.Int)
	}
	return least(loss, u(s.Stake))
}

func naiveWrong(l rules.Law, reward, weight uint64) *big.Int {
	return frac(frac(naivePay(l, reward, weight), int64(l.GoldenGain), 1), int64(l.GoldenLoss), 1)
}

// outweighs reports whether the votes for an appeal's verdict weigh more than two thirds of those
// for the first one.
func outweighs(appeal, first rules.Level) bool {
	left := new(big.Int).Mul(big.NewInt(3), naiveGiven(appeal))
	return left.Cmp(new(big.Int).Mul(big.NewInt(2), naiveGiven(first))) > 0
}

// naiveFinish pays a case.
func naiveFinish(l rules.Law, in rules.CaseEnd) naive {
	verdict, deciding := in.First.Verdict, in.First
	if in.Appeal != nil && in.Appeal.Verdict != voting.Undecided {
		verdict, deciding = in.Appeal.Verdict, *in.Appeal
	}
	a, sides := naiveBoth(&in.First, deciding)
	r := new(big.Int).Sub(sides, a)
	own, other, _, _ := naiveVotes(deciding.Seats)
	voted := new(big.Int).Add(own, other)
	isClear := verdict == voting.ForWorker && more(a, sides, 2, 3) && more(own, voted, 2, 3) || verdict == voting.ForCreator && more(r, sides, 2, 3) && more(other, voted, 2, 3)
	turned := verdict != in.First.Verdict
	heavy := turned && in.First.Verdict != voting.Undecided && outweighs(*in.Appeal, in.First)

	cost := frac(u(in.Terms.CreatorBond), 1, 2) // of an undecided case whose escrow is split
	paid := frac(u(in.Terms.Escrow), 1, 2)
	costWorker := frac(u(in.Terms.WorkerBond), 1, 2)
	term := in.Terms.OnUndecided
	if verdict == voting.ForWorker || verdict == voting.Undecided && term == voting.PayWorker {
		paid = u(in.Terms.Escrow)
	}
	if verdict == voting.ForCreator || verdict == voting.Undecided && term == voting.RefundCreator {
		paid = new(big.Int)
	}
	switch {
	case verdict == voting.ForWorker || verdict == voting.Undecided && term == voting.RefundCreator:
		cost, costWorker = u(in.Terms.CreatorBond), new(big.Int)
	case verdict == voting.ForCreator || verdict == voting.Undecided && term == voting.PayWorker:
		cost, costWorker = new(big.Int), u(in.Terms.WorkerBond)
	}
	trade := frac(paid, int64(l.TradeBps), 10_000)
	n := naive{golden: new(big.Int)}
	n.worker = new(big.Int).Sub(new(big.Int).Add(paid, u(in.Terms.WorkerBond)), new(big.Int).Add(trade, costWorker))
	n.maker = new(big.Int).Sub(new(big.Int).Add(u(in.Terms.Escrow), u(in.Terms.CreatorBond)), new(big.Int).Add(paid, cost))
	purse := new(big.Int).Add(cost, costWorker)
	switch {
	case !turned:
		purse.Add(purse, u(in.AppealBond))
	case in.First.Verdict == voting.ForWorker:
		n.maker.Add(n.maker, u(in.AppealBond))
	default:
		n.worker.Add(n.worker, u(in.AppealBond))
	}

	var flat, winners []*big.Int
	var dues []*big.Int // the pays of flat
	var gone []*big.Int // of judges that left
	var weights, presents = []uint64{}, []bool{}
	look := func(level rules.Level, isFirst, decides bool) (ends []*big.Int) {
		for i, s := range level.Seats {
			end := new(big.Int)
			ends = append(ends, end)
			if !s.Revealed || s.Equivocated || s.Choice == voting.Abstain {
				continue
			}
			lost := -1
			if isFirst && heavy && isClear && s.Choice == in.First.Verdict.Choice() {
				lost = int(l.Reversal)
			} else if l.Preset == rules.PayMajority && decides && isClear && s.Choice != verdict.Choice() {
				lost = int(l.Minority)
			}
			if lost >= 0 {
				loss := least(frac(naivePay(l, in.Terms.Escrow, s.Weight), int64(lost), 1), frac(u(s.Weight), int64(l.RiskBps), 10_000))
				loss = naiveTaken(loss, level.Standings[i])
				purse.Add(purse, loss)
				end.Sub(end, loss)
			} else if l.Preset == rules.PayMajority && decides && isClear {
				winners, weights, presents = append(winners, end), append(weights, s.Weight), append(presents, level.Standings[i].Present)
			} else {
				flat, dues = append(flat, end), append(dues, naivePay(l, in.Terms.Escrow, s.Weight))
				if !level.Standings[i].Present {
					gone = append(gone, end)
				}
			}
		}
		return ends
	}
	n.first = look(in.First, true, in.Appeal == nil || in.Appeal.Verdict == voting.Undecided)
	if in.Appeal != nil {
		n.appeal = look(*in.Appeal, false, in.Appeal.Verdict != voting.Undecided)
	}
	share := new(big.Int).Set(purse)
	for i, end := range flat {
		end.Set(least(dues[i], frac(purse, 1, int64(len(flat)))))
		share.Sub(share, end)
	}
	for _, end := range gone {
		end.SetInt64(0)
	}
	all := new(big.Int)
	for _, w := range weights {
		all.Add(all, u(w))
	}
	upTo, before := new(big.Int), new(big.Int)
	for i, end := range winners {
		upTo.Add(upTo, u(weights[i]))
		due := new(big.Int).Div(new(big.Int).Mul(share, upTo), all)
		if presents[i] {
			end.Sub(due, before)
		}
		before = due
	}
	n.golden.Add(purse, trade)
	for _, end := range append(append([]*big.Int{}, flat...), winners...) {
		n.golden.Sub(n.golden, end)
	}
	return n
}

func (n naive) compare(t *testing.T, l rules.Law, in rules.CaseEnd, got rules.Final) {
	t.Helper()
	worker, maker, golden := new(big.Int), new(big.Int), u(got.Golden)
	for _, p := range got.Payments {
		to := map[rules.Party]*big.Int{rules.Worker: worker, rules.Creator: maker, rules.Pot: golden}[p.To]
		to.Add(to, u(p.Amount))
	}
	if worker.Cmp(n.worker) != 0 || maker.Cmp(n.maker) != 0 || golden.Cmp(n.golden) != 0 {
		t.Fatalf("%+v\n%+v\nworker %s, want %s; creator %s, want %s; golden %s, want %s", l, in, worker, n.worker, maker, n.maker, golden, n.golden)
	}
	for name, pair := range map[string]struct {
		got  []rules.SeatEnd
		want []*big.Int
	}{"first": {got.First, n.first}, "appeal": {got.Appeal, n.appeal}} {
		for i, want := range pair.want {
			if end := new(big.Int).Sub(u(pair.got[i].Earned), u(pair.got[i].Slashed)); end.Cmp(want) != 0 {
				t.Fatalf("%+v\n%+v\nseat %d of %s: %s, want %s", l, in, i, name, end, want)
			}
		}
	}
}

// FuzzFinish looks for a case that the fast and the slow arithmetic end differently.
func FuzzFinish(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed, seed%2 == 0)
	}
	f.Fuzz(func(t *testing.T, seed uint64, wild bool) {
		r := rand.New(rand.NewPCG(seed, 23))
		l := secondLaw(r, wild)
		in, first, appeal, err := randomCase(r, l, wild)
		if err != nil {
			return
		}
		naiveClosed(t, l, in, nil, in.First, first)
		if in.Appeal != nil {
			naiveClosed(t, l, in, &in.First, *in.Appeal, appeal)
		}
		if got, err := l.Finish(in); err == nil {
			naiveFinish(l, in).compare(t, l, in, got)
			kept(t, in, got)
		}
	})
}
