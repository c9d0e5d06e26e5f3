package rules_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"ojud/voting"
	"ojud/voting/rules"
)

const (
	sol = 1_000_000_000
	pay = 500_000 // of a seat at rewards up to 1 SOL: half of the fee
)

// judges are equal seats of 2 SOL: a accept, r reject, b abstain, w withheld, x never committed.
func judges(a, r, b, w, x int) (seats []voting.Seat, standings []rules.Standing) {
	add := func(n int, s voting.Seat) {
		for range n {
			s.Weight = 2 * sol
			seats, standings = append(seats, s), append(standings, rules.Standing{Present: true, Stake: 2 * sol})
		}
	}
	add(a, voting.Seat{Committed: true, Revealed: true, Choice: voting.Accept})
	add(r, voting.Seat{Committed: true, Revealed: true, Choice: voting.Reject})
	add(b, voting.Seat{Committed: true, Revealed: true, Choice: voting.Abstain})
	add(w, voting.Seat{Committed: true})
	add(x, voting.Seat{})
	return seats, standings
}

// ended is a closed level.
func ended(t *testing.T, l rules.Law, a, r, b, w, x int) rules.Level {
	t.Helper()
	seats, standings := judges(a, r, b, w, x)
	closed, err := l.Close(rules.Ballot{Reward: sol, Round: l.MaxRounds, Seats: seats, Standings: standings})
	if err != nil {
		t.Fatal(err)
	}
	return rules.Level{Verdict: closed.Verdict, Seats: seats, Standings: standings}
}

// TestTooLight: an appeal needs half of the weight of the votes that gave the verdict. If the first
// panel gave none, the votes of both panels decide, and all votes of the appeal weigh.
func TestTooLight(t *testing.T) {
	for _, c := range []struct {
		given        voting.Verdict
		first, after rules.Tally
		found        voting.Verdict
		want         bool
	}{
		{voting.ForCreator, rules.Tally{Reject: 12, Seated: 12}, rules.Tally{Accept: 5}, voting.ForWorker, true},
		{voting.ForCreator, rules.Tally{Reject: 12, Seated: 12}, rules.Tally{Accept: 6}, voting.ForWorker, false},
		{voting.ForCreator, rules.Tally{Reject: 12, Seated: 12}, rules.Tally{Reject: 1}, voting.ForCreator, false},
		{voting.Undecided, rules.Tally{Reject: 14, Seated: 28}, rules.Tally{Accept: 7, Reject: 1}, voting.ForCreator, false},
		{voting.Undecided, rules.Tally{Reject: 14, Seated: 28}, rules.Tally{Accept: 27}, voting.ForCreator, false},
		{voting.Undecided, rules.Tally{Reject: 14, Seated: 28}, rules.Tally{Accept: 28}, voting.ForWorker, false},
		{voting.Undecided, rules.Tally{Reject: 14, Seated: 28}, rules.Tally{Accept: 1, Reject: 7}, voting.ForCreator, false},
		{voting.Undecided, rules.Tally{Reject: 14, Seated: 28}, rules.Tally{Accept: 5, Reject: 1}, voting.ForCreator, true},
		{voting.Undecided, rules.Tally{Accept: 8, Seated: 28}, rules.Tally{Reject: 8, Accept: 1}, voting.ForCreator, true},
		{voting.Undecided, rules.Tally{Accept: 18, Seated: 28}, rules.Tally{Accept: 5}, voting.ForWorker, false},
		{voting.Undecided, rules.Tally{Accept: 13, Seated: 28}, rules.Tally{Reject: 5, Accept: 8}, voting.ForWorker, false},
		{voting.Undecided, rules.Tally{Seated: 28}, rules.Tally{Accept: 13}, voting.ForWorker, true},
		{voting.Undecided, rules.Tally{Reject: 14, Seated: 28}, rules.Tally{Abstain: 8}, voting.NoVerdict, false},
		{voting.NoVerdict, rules.Tally{}, rules.Tally{Accept: 1}, voting.ForWorker, false},
	} {
		c.after.Seated = c.after.Accept + c.after.Reject + c.after.Abstain
		g := rules.Given{Verdict: c.given, Tally: c.first}
		if found, light := g.Decides(c.after), g.TooLight(c.found, c.after); found != c.found || light != c.want {
			t.Errorf("%+v: %s, too light %t", c, found, light)
		}
	}
}

func TestDecides(t *testing.T) {
	for _, c := range []struct {
		a, r, b, w, x int
		want          voting.Verdict
		clear         bool
	}{
		{28, 0, 0, 0, 0, voting.ForWorker, true},
		{19, 9, 0, 0, 0, voting.ForWorker, true},
		{18, 10, 0, 0, 0, voting.ForCreator, false}, // 64 %: a plain majority that the worker loses by
		{9, 19, 0, 0, 0, voting.ForCreator, true},
		{15, 0, 13, 0, 0, voting.ForWorker, true},  // 53 % took a side
		{14, 0, 14, 0, 0, voting.Undecided, true},  // 50 % did
		{10, 5, 13, 0, 0, voting.ForWorker, false}, // exactly two thirds accept: paid, and narrow
		{10, 0, 0, 18, 0, voting.Undecided, true},
		{9, 0, 10, 0, 9, voting.Undecided, true}, // 68 % revealed, 32 % took a side
		{18, 0, 0, 0, 10, voting.Undecided, true},
		{19, 0, 0, 0, 9, voting.ForWorker, true},
	} {
		seats, _ := judges(c.a, c.r, c.b, c.w, c.x)
		tally, err := rules.Count(seats)
		if err != nil {
			t.Fatal(err)
		}
		got := ended(t, rules.SecondLaw(rules.PayTruth), c.a, c.r, c.b, c.w, c.x).Verdict
		if got != c.want || tally.Clear() != c.clear {
			t.Errorf("%+v: %s, clear %t", c, got, tally.Clear())
		}
	}
}

func TestClose(t *testing.T) {
	l := rules.SecondLaw(rules.PayTruth)
	seats, standings := judges(14, 10, 1, 1, 2)
	closed, err := l.Close(rules.Ballot{Reward: sol, Round: 1, Seats: seats, Standings: standings})
	if err != nil {
		t.Fatal(err)
	}
	// The verdict is reject, and the larger side is accept all the same.
	if closed.Verdict != voting.ForCreator || closed.Seats[0].Result != voting.Majority || closed.Seats[14].Result != voting.Minority {
		t.Errorf("%+v", closed)
	}
	for i, want := range map[int]uint64{0: 0, 14: 0, 24: 0, 25: 40 * pay, 26: 2 * pay} {
		if closed.Seats[i].Slashed != want {
			t.Errorf("seat %d lost %d, want %d", i, closed.Seats[i].Slashed, want)
		}
	}
	if closed.Golden != 44*pay {
		t.Errorf("the golden pot got %d", closed.Golden)
	}
	seats, standings = judges(5, 0, 23, 0, 0)
	for round, want := range map[uint8]voting.Status{1: voting.AwaitingDraw, 2: voting.EndedUndecided} {
		if closed, err = l.Close(rules.Ballot{Reward: sol, Round: round, Seats: seats, Standings: standings}); err != nil || closed.Status != want {
			t.Errorf("round %d: %+v, %v", round, closed, err)
		}
	}
	if _, err = l.Close(rules.Ballot{Reward: sol, Round: 3, Seats: seats, Standings: standings}); err == nil {
		t.Error("a third round of a level was closed")
	}
}

// money says how much each gains or loses by a finished case, at a reward of 1 SOL and bonds of 0.2
// and 0.1.
type money struct {
	worker, creator, golden uint64
	seats                   map[int]int64 // of the first level, in pays
	appeal                  map[int]int64
}

func TestFinish(t *testing.T) {
	truth, majority := rules.SecondLaw(rules.PayTruth), rules.SecondLaw(rules.PayMajority)
	const trade = sol / 200
	for _, c := range []struct {
		name   string
		law    rules.Law
		first  rules.Level
		appeal *rules.Level
		term   voting.OnUndecided
		want   money
	}{
		{"worker wins", truth, ended(t, truth, 20, 6, 2, 0, 0), nil, voting.SplitEscrow,
			money{worker: sol - trade + sol/10, golden: trade + sol/5 - 26*pay, seats: map[int]int64{0: 1, 20: 1, 26: 0}}},
		{"creator wins", truth, ended(t, truth, 14, 14, 0, 0, 0), nil, voting.SplitEscrow,
			money{creator: sol + sol/5, golden: sol/10 - 28*pay, seats: map[int]int64{0: 1, 14: 1}}},
		{"a lost appeal", truth, ended(t, truth, 0, 7, 0, 0, 0), ptr(ended(t, truth, 9, 19, 0, 0, 0)), voting.SplitEscrow,
			money{creator: sol + sol/5, golden: sol/10 + 56*pay - 35*pay, seats: map[int]int64{0: 1}, appeal: map[int]int64{0: 1, 9: 1}}},
		{"a clear reversal", truth, ended(t, truth, 2, 5, 0, 0, 0), ptr(ended(t, truth, 28, 0, 0, 0, 0)), voting.SplitEscrow,
			money{worker: sol - trade + sol/10 + 56*pay, golden: trade + sol/5 + 5*20*pay - 30*pay,
				seats: map[int]int64{0: 1, 2: -20}, appeal: map[int]int64{0: 1}}},
		{"a narrow reversal", truth, ended(t, truth, 7, 0, 0, 0, 0), ptr(ended(t, truth, 14, 14, 0, 0, 0)), voting.SplitEscrow,
			money{creator: sol + sol/5 + 56*pay, golden: sol/10 - 35*pay, seats: map[int]int64{0: 1}, appeal: map[int]int64{0: 1, 14: 1}}},
		{"an undecided appeal", truth, ended(t, truth, 7, 0, 0, 0, 0), ptr(ended(t, truth, 0, 4, 24, 0, 0)), voting.SplitEscrow,
			money{worker: sol - trade + sol/10, golden: trade + sol/5 + 56*pay - 11*pay, seats: map[int]int64{0: 1}, appeal: map[int]int64{0: 1, 4: 0}}},
		{"undecided, split", truth, ended(t, truth, 1, 0, 27, 0, 0), nil, voting.SplitEscrow,
			money{worker: sol/2 - trade/2 + sol/20, creator: sol/2 + sol/10, golden: trade/2 + sol/10 + sol/20 - pay, seats: map[int]int64{0: 1, 1: 0}}},
		{"undecided, refund", truth, ended(t, truth, 1, 0, 27, 0, 0), nil, voting.RefundCreator,
			money{worker: sol / 10, creator: sol, golden: sol/5 - pay, seats: map[int]int64{0: 1, 1: 0}}},
		{"undecided, pay", truth, ended(t, truth, 1, 0, 27, 0, 0), nil, voting.PayWorker,
			money{worker: sol - trade, creator: sol / 5, golden: trade + sol/10 - pay, seats: map[int]int64{0: 1, 1: 0}}},
		{"majority: clear", majority, ended(t, majority, 20, 5, 0, 0, 3), nil, voting.SplitEscrow,
			money{worker: sol - trade + sol/10, golden: trade, seats: map[int]int64{0: (sol/5 + 35*pay) / 20 / pay, 20: -7}}},
		{"majority: narrow", majority, ended(t, majority, 18, 10, 0, 0, 0), nil, voting.SplitEscrow,
			money{creator: sol + sol/5, golden: sol/10 - 28*pay, seats: map[int]int64{0: 1, 18: 1}}},
	} {
		in := rules.CaseEnd{
			Terms: rules.Terms{Escrow: sol, CreatorBond: sol / 5, WorkerBond: sol / 10, OnUndecided: c.term},
			First: c.first, Appeal: c.appeal,
		}
		if c.appeal != nil {
			in.AppealBond = 56 * pay
		}
		out, err := c.law.Finish(in)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		kept(t, in, out)
		got := money{golden: out.Golden}
		for _, p := range out.Payments {
			switch p.To {
			case rules.Worker:
				got.worker += p.Amount
			case rules.Creator:
				got.creator += p.Amount
			case rules.Pot:
				got.golden += p.Amount
			}
		}
		if got.worker != c.want.worker || got.creator != c.want.creator || got.golden != c.want.golden {
			t.Errorf("%s: worker %d creator %d golden %d, want %+v", c.name, got.worker, got.creator, got.golden, c.want)
		}
		for i, want := range c.want.seats {
			if end := (int64(out.First[i].Earned) - int64(out.First[i].Slashed)) / pay; end != want {
				t.Errorf("%s: seat %d gets %d pays, want %d", c.name, i, end, want)
			}
		}
		for i, want := range c.want.appeal {
			if end := (int64(out.Appeal[i].Earned) - int64(out.Appeal[i].Slashed)) / pay; end != want {
				t.Errorf("%s: seat %d of the appeal gets %d pays, want %d", c.name, i, end, want)
			}
		}
	}
}

func ptr[T any](x T) *T { return &x }

func TestFinishRefuses(t *testing.T) {
	l := rules.SecondLaw(rules.PayTruth)
	good := ended(t, l, 7, 0, 0, 0, 0)
	undecided := ended(t, l, 0, 0, 7, 0, 0)
	for name, in := range map[string]rules.CaseEnd{
		"a bond for no appeal":   {First: good, AppealBond: 1},
		"bond of undecided":      {First: undecided, Appeal: &good, AppealBond: 1},
		"no verdict":             {First: rules.Level{Seats: good.Seats, Standings: good.Standings}},
		"no verdict of appeal":   {First: good, Appeal: &rules.Level{Seats: good.Seats, Standings: good.Standings}},
		"no seats":               {First: rules.Level{Verdict: voting.ForWorker}},
		"no seats in the appeal": {First: good, Appeal: &rules.Level{Verdict: voting.ForWorker}},
		"no term":                {First: undecided},
	} {
		if out, err := l.Finish(in); err == nil {
			t.Errorf("%s: finished: %+v", name, out)
		}
	}
}

// TestPrices: what the parameters make of a reward.
func TestPrices(t *testing.T) {
	l := rules.SecondLaw(rules.PayTruth)
	for _, c := range []struct {
		reward               uint64
		seats                uint8
		fee, creator, worker uint64
		appeal, exposure     uint64 // of a seat of 10 SOL
	}{
		{sol / 10, 7, 1_000_000, 35_000_000, 35_000_000, 28_000_000, 20_000_000},
		{sol, 28, 1_000_000, 200_000_000, 100_000_000, 28_000_000, 20_000_000},
		{10 * sol, 28, 10_000_000, 2 * sol, sol, 280_000_000, 200_000_000},
		{1_000 * sol, 28, sol, 200 * sol, 100 * sol, 28 * sol, sol}, // a tenth of the weight
	} {
		fee, err1 := l.Fee(c.reward)
		creator, worker, err2 := l.Bonds(c.reward, c.seats)
		appeal, err3 := l.AppealBond(c.reward)
		exposure, err4 := l.Exposure(c.reward, 10*sol)
		if slices.ContainsFunc([]error{err1, err2, err3, err4}, func(err error) bool { return err != nil }) {
			t.Fatal(err1, err2, err3, err4)
		}
		if fee != c.fee || creator != c.creator || worker != c.worker || appeal != c.appeal || exposure != c.exposure {
			t.Errorf("%+v: %d %d %d %d %d", c, fee, creator, worker, appeal, exposure)
		}
	}
	for raised, want := range map[uint64]uint64{0: 1_000_000, 2_000_000: 2_000_000} {
		if fee, err := l.Raised(raised).Fee(sol); fee != want || err != nil {
			t.Errorf("raised to %d: %d, %v", raised, fee, err)
		}
	}
	cover, _ := l.Cover(280 * sol)
	claim, _ := l.Claim(sol)
	deposit, _ := l.Deposit(20, sol)
	leaves, _ := l.Leaves(99)
	if cover != 14*sol || claim != sol/50 || deposit != 20*28*40*pay || leaves != 9 {
		t.Errorf("cover %d, claim %d, deposit %d, leaves %d", cover, claim, deposit, leaves)
	}
	for _, c := range []struct{ season, stake, want uint64 }{
		{sol, sol, sol}, {10 * sol, 2 * sol, 2 * sol}, {sol, sol / 2, sol / 2}, {sol, sol/2 - 1, 0}, {99 * sol, 99 * sol, 10 * sol}, {0, sol, 0},
	} {
		if got := l.SeatWeight(c.season, c.stake); got != c.want {
			t.Errorf("%+v: weight %d", c, got)
		}
	}
	for _, c := range []struct {
		others       int
		votes        uint64
		heavy, seats int
	}{
		{0, 0, 0, 0}, {6, 0, 0, 0}, {7, 14 * sol, 0, 7}, {7, 14*sol + 1, 0, 0}, {28, 56 * sol, 0, 28}, {100, 56 * sol, 0, 28},
		{100, 57 * sol, 0, 0}, {100, 74 * sol, 1, 28}, {100, 74*sol + 1, 1, 0}, // one of ten SOL, the others of one
	} {
		weights := slices.Repeat([]uint64{sol}, c.others)
		for i := range c.heavy {
			weights[len(weights)/2+i] = 10 * sol
		}
		if got := rules.AppealSeats(weights, c.votes); got != c.seats {
			t.Errorf("%+v: %d hear an appeal", c, got)
		}
	}
	for accepts, want := range map[uint64]bool{44: false, 45: true, 55: true, 56: false} {
		if rules.Balanced(accepts, 100) != want {
			t.Errorf("%d of 100 leaves accept: %t", accepts, !want)
		}
	}
	if rules.Balanced(0, 0) {
		t.Error("an empty batch is balanced")
	}
}

// TestGolden plays golden cases with any pot and any seats: the pot loses exactly what it pays, and
// is never below zero.
func TestGolden(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	full, short := 0, 0
	for i := range 20_000 {
		l := secondLaw(r, i%4 == 0)
		end := randomRound(r, i%8 == 0)
		in := rules.GoldenEnd{Reward: end.Terms.Escrow, Answer: voting.Choice(1 + r.IntN(2)), Seats: end.Seats, Standings: end.Standings, Pot: end.Pot >> r.IntN(40)}
		out, err := l.Golden(in)
		if err != nil {
			continue
		}
		before, after := []uint64{in.Pot}, []uint64{out.Pot}
		for i, s := range out.Seats {
			before, after = append(before, s.Slashed), append(after, s.Earned)
			wrong := s.Result == voting.Minority
			if s.Earned > 0 && s.Result != voting.Majority || s.Slashed > 0 && !wrong || s.Slashed > in.Standings[i].Stake {
				t.Fatalf("%+v: seat %d %+v", in, i, s)
			}
			if !wrong {
				continue
			}
			if want := naiveTaken(naiveWrong(l, in.Reward, in.Seats[i].Weight), in.Standings[i]); u(s.Slashed).Cmp(want) != 0 {
				t.Fatalf("%+v: seat %d loses %d, want %s", in, i, s.Slashed, want)
			}
		}
		if b, a := total(before...), total(after...); b.Cmp(a) != 0 {
			t.Fatalf("%s lamports became %s: %+v %+v", b, a, in, out)
		}
		if out.Full {
			full++
		} else {
			short++
		}
	}
	if full < 2_000 || short < 2_000 {
		t.Errorf("%d golden cases were paid in full, %d were not", full, short)
	}
	l := rules.SecondLaw(rules.PayTruth)
	seats, standings := judges(20, 4, 2, 1, 1)
	out, err := l.Golden(rules.GoldenEnd{Reward: sol, Answer: voting.Accept, Seats: seats, Standings: standings, Pot: 100 * pay})
	if err != nil || out.Seats[0].Earned != 10*pay || out.Seats[20].Slashed != 40*pay || out.Pot != (100+160-200)*pay || !out.Full {
		t.Errorf("%+v, %v", out, err)
	}
	if _, err = l.Golden(rules.GoldenEnd{Answer: voting.Abstain, Seats: seats, Standings: standings}); err == nil {
		t.Error("a golden case was answered by abstain")
	}
}

func TestCredential(t *testing.T) {
	for _, c := range []struct {
		right, wrong, hard, hardRight uint16
		passed                        bool
	}{{28, 12, 10, 7, true}, {27, 13, 10, 10, false}, {40, 0, 0, 0, true}, {30, 10, 10, 6, false}, {30, 11, 0, 0, false}} {
		if _, passed := rules.Admit(c.right, c.wrong, c.hard, c.hardRight); passed != c.passed {
			t.Errorf("%+v: passed %t", c, passed)
		}
	}
	vote := func(choice voting.Choice) *voting.Seat { return &voting.Seat{Revealed: true, Choice: choice} }
	c, _ := rules.Admit(40, 0, 0, 0)
	for range 23 {
		c = c.After(vote(voting.Abstain), voting.Accept)
	}
	if c != (rules.Credential{Right: 40, Seen: 63, Passed: true}) || !c.Holds() {
		t.Errorf("%+v", c)
	}
	if c = c.After(vote(voting.Abstain), voting.Accept); c != (rules.Credential{Right: 20, Seen: 32, Passed: true}) || !c.Holds() {
		t.Errorf("%+v", c)
	}
	for n := 1; c.Holds(); n++ { // a good name does not last for blind votes
		c = c.After(vote(voting.Reject), voting.Accept)
		if n > 20 {
			t.Fatalf("%+v still holds", c)
		}
	}
	for range 9 {
		c = c.After(vote(voting.Accept), voting.Accept)
	}
	if c.Right <= c.Wrong {
		t.Errorf("%+v", c)
	}
}
