package rules_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"ojud/voting"
	"ojud/voting/rules"
	slow "ojud/voting/votetest/naive"
)

// secondRound is a round that a chain can show, or with wild nearly one.
func secondRound(r *rand.Rand, wild bool) rules.RoundEnd {
	first := randomRound(r, wild)
	in := rules.RoundEnd{Round: first.Round, Seats: first.Seats, Standings: first.Standings, Terms: first.Terms}
	in.Law = rules.LawOf(voting.Rules{
		Preset: uint8(1 + r.IntN(2)), Fee: amount(r, 1<<45), RiskBps: uint16(r.IntN(10_001)), GoldenGain: uint16(1 + r.IntN(60)), GoldenLoss: uint16(1 + r.IntN(9)),
		Absence: uint16(r.IntN(9)), Minority: uint16(r.IntN(60)), MaxRounds: first.Rules.MaxRounds,
	})
	in.Terms.TradeBps = uint16(r.IntN(1_001))
	return in
}

// keptAll checks that every lamport that a settlement took is somewhere again.
func keptAll(t *testing.T, in rules.RoundEnd, out rules.Settlement) {
	t.Helper()
	before, after := []uint64{}, []uint64{out.Golden}
	for i, s := range out.Seats {
		before, after = append(before, s.Slashed), append(after, s.Earned)
		if s.Slashed > in.Standings[i].Stake || s.Earned > 0 && !in.Standings[i].Present {
			t.Fatalf("seat %d: %+v of %+v", i, s, in.Standings[i])
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

// TestSecondSettleAgainstNaive compares tens of thousands of settlements and expiries with slow
// arithmetic.
func TestSecondSettleAgainstNaive(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	seen := map[voting.Status]int{}
	for i := range 20_000 {
		in := secondRound(r, i%8 == 0)
		got, err := rules.Settle(in)
		if err != nil {
			if i%8 != 0 {
				t.Fatalf("%+v: %v", in, err)
			}
			continue
		}
		if err := slow.Check(true, in, got); err != nil {
			t.Fatalf("%+v: %v", in, err)
		}
		keptAll(t, in, got)
		seen[got.Status]++
		for n := range in.Seats {
			in.Seats[n].Result = got.Seats[n].Result
		}
		if i%5 == 0 {
			in.Seats, in.Standings = nil, nil
		}
		expired, err := rules.Expire(in)
		if err != nil && i%8 == 0 {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := slow.Check(false, in, expired); err != nil {
			t.Fatalf("%+v: %v", in, err)
		}
		keptAll(t, in, expired)
	}
	if seen[voting.AwaitingDraw] < 500 || seen[voting.Decided] < 500 || seen[voting.EndedUndecided] < 500 {
		t.Errorf("ends: %v", seen)
	}
}

// TestPrepaid: in a dispute of others the fee goes to the judges and the golden pot whatever the
// verdict is, and no party is paid.
func TestPrepaid(t *testing.T) {
	r := rand.New(rand.NewPCG(37, 38))
	seen := map[voting.Verdict]int{}
	for range 4_000 {
		in := secondRound(r, false)
		in.Terms = rules.Terms{WorkerBond: 28_000_000, OnUndecided: voting.SplitEscrow, Prepaid: true}
		out, err := rules.Settle(in)
		if err != nil {
			t.Fatal(err)
		}
		keptAll(t, in, out)
		if seen[out.Verdict]++; !out.Status.Over() {
			continue
		}
		if len(out.Payments) != 0 || out.Bond != in.Terms.WorkerBond {
			t.Fatalf("%s: %+v, and the judges get %d", out.Verdict, out.Payments, out.Bond)
		}
	}
	for _, v := range []voting.Verdict{voting.ForWorker, voting.ForCreator, voting.Undecided} {
		if seen[v] < 100 {
			t.Errorf("%d cases of %s", seen[v], v)
		}
	}
}

// TestExposureCoversEveryLoss: what is reserved of a stake is enough for every settlement.
func TestExposureCoversEveryLoss(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 34))
	for range 10_000 {
		in := secondRound(r, false)
		out, err := rules.Settle(in)
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range out.Seats {
			most, err := in.Law.Exposure(in.Terms.Escrow, in.Seats[i].Weight)
			if err != nil || s.Slashed > most {
				t.Fatalf("seat %d lost %d of %d reserved (%v): %+v", i, s.Slashed, most, err, in)
			}
		}
	}
}

func TestEquivocationTakesAll(t *testing.T) {
	seats := []voting.Seat{{Committed: true}, {Committed: true}, {Equivocated: true}}
	p, err := rules.SlashEquivocation(voting.Committing, seats, 0, rules.Standing{Present: true, Stake: 7})
	if err != nil || p.Amount != 7 || !p.BeginReveal {
		t.Errorf("%+v %v", p, err)
	}
	if p, err = rules.SlashEquivocation(voting.Decided, seats, 1, rules.Standing{Stake: 7}); err != nil || p.Amount != 0 || p.BeginReveal {
		t.Errorf("%+v %v", p, err)
	}
	if _, err = rules.SlashEquivocation(voting.Committing, seats, 2, rules.Standing{}); !errors.Is(err, rules.ErrEquivocated) {
		t.Errorf("again: %v", err)
	}
	if _, err = rules.SlashEquivocation(voting.Committing, seats, 3, rules.Standing{}); err == nil {
		t.Error("a seat that is not there")
	}
}

// FuzzSecondSettle looks for a round that the fast and the slow arithmetic settle differently.
func FuzzSecondSettle(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed, seed%2 == 0)
	}
	f.Fuzz(func(t *testing.T, seed uint64, wild bool) {
		in := secondRound(rand.New(rand.NewPCG(seed, 35)), wild)
		out, err := rules.Settle(in)
		if err != nil {
			return
		}
		if err := slow.Check(true, in, out); err != nil {
			t.Fatalf("%+v: %v", in, err)
		}
		keptAll(t, in, out)
	})
}
