package rules_test

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"ojud/voting"
	"ojud/voting/rules"
)

// amount is a lamport amount of any size up to the limit, small ones and the limit itself included.
func amount(r *rand.Rand, limit uint64) uint64 {
	switch r.IntN(8) {
	case 0:
		return 0
	case 1:
		return limit
	case 2:
		return 1
	}
	return r.Uint64N(limit)>>r.Uint32N(40) + r.Uint64N(2)
}

// randomRound is a round that a chain can show, or with wild nearly one: amounts up to 2^64 − 1.
func randomRound(r *rand.Rand, wild bool) rules.FirstRound {
	limit := uint64(1) << 50
	if wild {
		limit = math.MaxUint64
	}
	in := rules.FirstRound{
		Rules: rules.FirstRules{
			AbsentBps: uint16(r.IntN(10_001)), MinorityBps: uint16(r.IntN(10_001)), EquivocationBps: uint16(r.IntN(10_001)),
			AbstainBps: uint16(r.IntN(10_001)), AbstainFree: uint16(r.IntN(20)), MaxRounds: uint8(1 + r.IntN(3)),
		},
		Pot: amount(r, limit), Carry: amount(r, limit),
		Terms: rules.Terms{
			Escrow: amount(r, limit), CreatorBond: amount(r, limit), WorkerBond: amount(r, limit),
			OnUndecided: voting.OnUndecided(1 + r.IntN(3)),
		},
	}
	in.Round = uint8(1 + r.IntN(int(in.Rules.MaxRounds)))
	bias := r.IntN(3)
	for range 1 + r.IntN(voting.MaxSeats) {
		in.Seats = append(in.Seats, randomSeat(r, limit, bias))
		in.Standings = append(in.Standings, rules.Standing{
			Present: r.IntN(10) != 0, Stake: amount(r, limit), Seated: r.Uint32N(30), Abstained: r.Uint32N(20),
		})
	}
	return in
}

func randomSeat(r *rand.Rand, limit uint64, bias int) voting.Seat {
	s := voting.Seat{
		Weight: max(amount(r, limit/voting.MaxSeats), 1), Committed: r.IntN(12) != 0, Equivocated: r.IntN(15) == 0,
		Result: voting.Result(1 + r.IntN(6)),
	}
	if s.Committed && r.IntN(10) != 0 {
		s.Revealed, s.Choice = true, voting.Accept
		if r.IntN(4) < bias {
			s.Choice = voting.Choice(1 + r.IntN(3))
		}
	}
	return s
}

// TestSettleAgainstNaive compares tens of thousands of settlements with the slow arithmetic.
func TestSettleAgainstNaive(t *testing.T) {
	seen := make(map[voting.Status]int)
	r := rand.New(rand.NewPCG(7, 8))
	for i := range 24_000 {
		in := randomRound(r, i%4 == 0)
		got, err := rules.SettleFirst(in)
		want, wantErr := slowSettle(in)
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("%+v: %v, naive: %v", in, err, wantErr)
		}
		if err != nil {
			continue
		}
		if !slowSame(got, want) {
			t.Fatalf("%+v:\n%+v, naive:\n%+v", in, got, want)
		}
		conserved(t, in, got)
		seen[got.Status]++
	}
	for _, s := range []voting.Status{voting.AwaitingDraw, voting.Decided, voting.EndedUndecided} {
		if seen[s] < 500 {
			t.Errorf("only %d rounds came to %s: %v", seen[s], s, seen)
		}
	}
}

func TestExpireAgainstNaive(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for i := range 10_000 {
		in := randomRound(r, i%4 == 0)
		if i%5 == 0 {
			in.Seats, in.Standings = nil, nil
		}
		got, err := rules.ExpireFirst(in)
		want, wantErr := slowExpire(in)
		if (err == nil) != (wantErr == nil) || err == nil && !slowSame(got, want) {
			t.Fatalf("%+v:\n%+v %v, naive:\n%+v %v", in, got, err, want, wantErr)
		}
		if err == nil {
			conserved(t, in, got)
		}
	}
}

func total(amounts ...uint64) *big.Int {
	sum := new(big.Int)
	for _, a := range amounts {
		sum.Add(sum, new(big.Int).SetUint64(a))
	}
	return sum
}

// conserved checks that what went in comes out.
func conserved(t *testing.T, in rules.FirstRound, out rules.FirstSettlement) {
	t.Helper()
	before := []uint64{in.Pot, in.Carry}
	after := []uint64{out.Pot, out.Carry}
	for i := range out.Seats {
		before = append(before, out.Seats[i].Slashed)
		after = append(after, out.Seats[i].Earned)
		if out.Seats[i].Slashed > in.Standings[i].Stake || out.Seats[i].Earned > 0 && !in.Standings[i].Present {
			t.Fatalf("seat %d: %+v of %+v", i, out.Seats[i], in.Standings[i])
		}
	}
	if out.Status.Over() {
		before = append(before, in.Terms.Escrow, in.Terms.CreatorBond, in.Terms.WorkerBond)
	}
	for _, p := range out.Payments {
		after = append(after, p.Amount)
	}
	if b, a := total(before...), total(after...); b.Cmp(a) != 0 {
		t.Fatalf("%s lamports became %s:\n%+v\n%+v", b, a, in, out)
	}
}

// panel is a round of equal seats: a accept, r reject, b abstain, x absent, e equivocated after
// accepting.
func panel(a, r, b, x, e int) rules.FirstRound {
	in := rules.FirstRound{
		Rules: rules.FirstRules{AbsentBps: 50, MinorityBps: 100, EquivocationBps: 10_000, AbstainBps: 2_500, AbstainFree: 8, MaxRounds: 3}, Round: 1,
		Terms: rules.Terms{Escrow: 1_000_000, CreatorBond: 50_000, WorkerBond: 40_000, OnUndecided: voting.SplitEscrow},
	}
	add := func(n int, s voting.Seat) {
		for range n {
			s.Weight = 1_000_000
			in.Seats = append(in.Seats, s)
			in.Standings = append(in.Standings, rules.Standing{Present: true, Stake: 1_000_000})
		}
	}
	add(a, voting.Seat{Committed: true, Revealed: true, Choice: voting.Accept})
	add(r, voting.Seat{Committed: true, Revealed: true, Choice: voting.Reject})
	add(b, voting.Seat{Committed: true, Revealed: true, Choice: voting.Abstain})
	add(x, voting.Seat{})
	add(e, voting.Seat{Committed: true, Revealed: true, Choice: voting.Accept, Equivocated: true})
	return in
}

func settle(t *testing.T, in rules.FirstRound) rules.FirstSettlement {
	t.Helper()
	out, err := rules.SettleFirst(in)
	if err != nil {
		t.Fatal(err)
	}
	conserved(t, in, out)
	return out
}

func TestSettleForWorker(t *testing.T) {
	in := panel(20, 6, 1, 1, 0)
	in.Pot, in.Carry = 7, 3
	out := settle(t, in)
	// 6 · 1 % + 0.5 % of a million, the pot, the carry and the creator's bond
	if out.Shared != 60_000+5_000+7+3+50_000 || out.Bond != 50_000 || out.Carry != 0 || out.Pot != 0 {
		t.Errorf("shared %d, bond %d, carry %d, pot %d", out.Shared, out.Bond, out.Carry, out.Pot)
	}
	want := []rules.Payment{{To: rules.Worker, Kind: voting.PayReward, Amount: 1_000_000}, {To: rules.Worker, Kind: voting.PayBondBack, Amount: 40_000}}
	if out.Verdict != voting.ForWorker || out.Status != voting.Decided || out.Outcome != voting.Paid || !slices.Equal(out.Payments, want) {
		t.Errorf("%+v", out)
	}
	if s := out.Seats[0]; s.Result != voting.Majority || s.Earned != 115_010/20 {
		t.Errorf("winner %+v", s)
	}
	if s := out.Seats[20]; s.Result != voting.Minority || s.Slashed != 10_000 || s.Earned != 0 {
		t.Errorf("minority %+v", s)
	}
	if s := out.Seats[26]; s.Result != voting.Abstained || s.Slashed != 0 {
		t.Errorf("abstained %+v", s)
	}
	if s := out.Seats[27]; s.Result != voting.Absent || s.Slashed != 5_000 {
		t.Errorf("absent %+v", s)
	}
}

func TestSettleForCreator(t *testing.T) {
	out := settle(t, panel(18, 10, 0, 0, 0))
	want := []rules.Payment{{To: rules.Creator, Kind: voting.PayRefund, Amount: 1_000_000}, {To: rules.Creator, Kind: voting.PayBondBack, Amount: 50_000}}
	if out.Verdict != voting.ForCreator || out.Outcome != voting.Refunded || out.Bond != 40_000 || !slices.Equal(out.Payments, want) {
		t.Errorf("%+v", out)
	}
	if out.Seats[0].Result != voting.Minority || out.Seats[18].Result != voting.Majority {
		t.Errorf("%+v", out.Seats)
	}
}

func TestSettleVoid(t *testing.T) {
	in := panel(9, 9, 8, 2, 0)
	in.Pot, in.Carry = 100, 9
	out := settle(t, in)
	if out.Status != voting.AwaitingDraw || out.Round != 2 || out.Verdict != voting.NoVerdict || out.Outcome != voting.NoOutcome ||
		out.Pot != 100+10_000 || out.Carry != 9 || out.Payments != nil || out.Seats[0].Result != voting.Voted || out.Seats[0].Slashed != 0 {
		t.Errorf("%+v", out)
	}
}

func TestSettleUndecided(t *testing.T) {
	for term, want := range map[voting.OnUndecided]struct {
		outcome voting.Outcome
		worker  uint64
	}{
		voting.RefundCreator: {voting.Refunded, 40_000},
		voting.PayWorker:     {voting.Paid, 1_000_001 + 40_000},
		voting.SplitEscrow:   {voting.Split, 500_000 + 40_000},
	} {
		in := panel(2, 0, 8, 2, 0)
		in.Round, in.Pot, in.Carry, in.Terms.Escrow, in.Terms.OnUndecided = 3, 1, 5, 1_000_001, term
		out := settle(t, in)
		worker := uint64(0)
		for _, p := range out.Payments {
			if p.To == rules.Worker {
				worker += p.Amount
			}
		}
		// The pot goes to the two that took a side, in whole lamports; the carry stays.
		if out.Status != voting.EndedUndecided || out.Verdict != voting.Undecided || out.Outcome != want.outcome || worker != want.worker ||
			out.Carry != 5 || out.Seats[0].Earned != 5_000 || out.Seats[1].Earned != 5_001 || out.Bond != 0 {
			t.Errorf("term %d: %+v", term, out)
		}
	}
}

func TestSettleUndecidedWithoutWinners(t *testing.T) {
	in := panel(0, 0, 1, 2, 0)
	in.Round, in.Carry = 3, 5
	if out := settle(t, in); out.Carry != 5+10_000 || out.Shared != 10_000 {
		t.Errorf("%+v", out)
	}
}

func TestSettleEquivocated(t *testing.T) {
	out := settle(t, panel(20, 0, 0, 0, 8))
	if s := out.Seats[27]; s.Result != voting.Equivocated || s.Slashed != 0 || s.Earned != 0 {
		t.Errorf("%+v", s)
	}
	if out.Verdict != voting.ForWorker || out.Tally.Accept != 20_000_000 || out.Tally.Seated != 28_000_000 {
		t.Errorf("%+v", out.Tally)
	}
}

// Abstaining costs nothing within the quota, and as much as absence above it. The entry's counters
// are those before this round.
func TestAbstainQuota(t *testing.T) {
	for _, c := range []struct {
		seated, abstained uint32
		want              uint64
	}{
		{0, 0, 0}, {0, 7, 0}, {0, 8, 5_000}, {0, 9, 5_000},
		{4, 8, 0}, {4, 9, 5_000}, // a quarter of four rounds is one more
		{7, 9, 0}, // 9·10,000 < 8·10,000 + 7·2,500
		{8, 9, 0}, {8, 10, 5_000},
		{math.MaxUint32, math.MaxUint32, 5_000},
	} {
		in := panel(20, 0, 1, 0, 0)
		in.Standings[20].Seated, in.Standings[20].Abstained = c.seated, c.abstained
		if got := settle(t, in).Seats[20].Slashed; got != c.want {
			t.Errorf("abstained %d of %d before: slashed %d, want %d", c.abstained, c.seated, got, c.want)
		}
	}
}

func TestSlashTakesNoMoreThanThereIs(t *testing.T) {
	in := panel(20, 1, 0, 1, 0)
	in.Standings[20].Stake = 3
	in.Standings[21].Present = false
	out := settle(t, in)
	if out.Seats[20].Slashed != 3 || out.Seats[21].Slashed != 0 {
		t.Errorf("%+v", out.Seats[20:])
	}
}

// A share of somebody who left goes to the carry; the others get theirs all the same.
func TestShareOfSomebodyWhoLeft(t *testing.T) {
	in := panel(3, 0, 0, 0, 0)
	in.Pot = 100
	in.Standings[1].Present = false
	out := settle(t, in)
	if out.Seats[0].Earned != 16_700 || out.Seats[1].Earned != 0 || out.Seats[2].Earned != 16_700 || out.Carry != 16_700 {
		t.Errorf("%+v, carry %d", out.Seats, out.Carry)
	}
}

func TestShares(t *testing.T) {
	for _, c := range []struct {
		pot     uint64
		weights []uint64
		want    []uint64
	}{
		{10, []uint64{1, 1, 1}, []uint64{3, 3, 4}},
		{1, []uint64{1, 1, 1}, []uint64{0, 0, 1}},
		{0, []uint64{1, 2}, []uint64{0, 0}},
		{100, []uint64{1, 9}, []uint64{10, 90}},
		{math.MaxUint64, []uint64{math.MaxUint64}, []uint64{math.MaxUint64}},
		{math.MaxUint64, []uint64{1, math.MaxUint64 - 1}, []uint64{1, math.MaxUint64 - 1}},
	} {
		if got, err := rules.Shares(c.pot, c.weights); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%d among %v: %v, %v, want %v", c.pot, c.weights, got, err, c.want)
		}
	}
	if _, err := rules.Shares(1, []uint64{math.MaxUint64, 1}); !errors.Is(err, rules.ErrOverflow) {
		t.Errorf("weights that overflow: %v", err)
	}
	if got, err := rules.Shares(1, nil); got != nil || err != nil {
		t.Errorf("nobody: %v, %v", got, err)
	}
}

// What no chain shows is refused and nothing panics: the offline verifier reads these from files
// that anybody wrote.
func TestSettleRefuses(t *testing.T) {
	change := func(f func(*rules.FirstRound)) rules.FirstRound { in := panel(3, 0, 0, 0, 0); f(&in); return in }
	for name, in := range map[string]rules.FirstRound{
		"no seats":         change(func(in *rules.FirstRound) { in.Seats, in.Standings = nil, nil }),
		"too many seats":   panel(29, 0, 0, 0, 0),
		"missing standing": change(func(in *rules.FirstRound) { in.Standings = in.Standings[1:] }),
		"round 0":          change(func(in *rules.FirstRound) { in.Round = 0 }),
		"round 4":          change(func(in *rules.FirstRound) { in.Round = 4 }),
		"no weight":        change(func(in *rules.FirstRound) { in.Seats[1].Weight = 0 }),
		"no choice":        change(func(in *rules.FirstRound) { in.Seats[1].Choice = voting.NoChoice }),
		"overflow":         change(func(in *rules.FirstRound) { in.Pot, in.Carry = math.MaxUint64, math.MaxUint64 }),
		"no term": change(func(in *rules.FirstRound) {
			in.Round, in.Terms.OnUndecided = 3, 0
			in.Seats[0].Revealed, in.Seats[1].Revealed = false, false
		}),
	} {
		if out, err := rules.SettleFirst(in); err == nil {
			t.Errorf("%s: settled: %+v", name, out)
		}
	}
	if _, err := rules.ExpireFirst(rules.FirstRound{Standings: make([]rules.Standing, 1)}); err == nil {
		t.Error("standings without seats: expired")
	}
}

// FuzzSettle looks for a round that the fast and the slow arithmetic settle differently.
func FuzzSettle(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed, seed%2 == 0)
	}
	f.Fuzz(func(t *testing.T, seed uint64, wild bool) {
		in := randomRound(rand.New(rand.NewPCG(seed, 13)), wild)
		got, err := rules.SettleFirst(in)
		want, wantErr := slowSettle(in)
		if (err == nil) != (wantErr == nil) || err == nil && !slowSame(got, want) {
			t.Fatalf("%+v:\n%+v %v, naive:\n%+v %v", in, got, err, want, wantErr)
		}
	})
}
