package rules

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"ojud/voting"
)

func weights(ws ...uint64) []voting.Candidate {
	out := make([]voting.Candidate, len(ws))
	for i, w := range ws {
		out[i] = voting.Candidate{Index: uint16(i), Judge: fill(byte(i + 1)), Weight: w, Seat: w, Active: true}
	}
	return out
}

func indices(seats []voting.Seat) []uint16 {
	var out []uint16
	for _, s := range seats {
		out = append(out, s.Index)
	}
	return out
}

// The expected hash was computed by a Python program written from protocol section 6.
func TestSeedVector(t *testing.T) {
	lot := Lot{Program: fill(2), Task: fill(3), Round: 2, DrawnSlot: 123456789, SlotHash: fill(11)}
	if got := lot.Seed().String(); got != "4d2d219e531fc2fdee56d3954ee68851ac7c42fe24ddac5d6b7c831bd4768f51" {
		t.Errorf("seed %s", got)
	}
}

// The expected seats were drawn by a Python program written from protocol section 6.
func TestDrawVectors(t *testing.T) {
	var rising []uint64
	for i := range uint64(10) {
		rising = append(rising, i*1000+1)
	}
	huge := slices.Repeat([]uint64{1 << 59}, 3)
	huge = append(huge, slices.Repeat([]uint64{1<<58 + 3}, 5)...)
	for _, c := range []struct {
		seed  byte
		ws    []uint64
		panel uint8
		want  []uint16
	}{
		{13, rising, 10, []uint16{3, 6, 8, 7, 9, 5, 2, 4, 1, 0}},
		{14, huge, 8, []uint16{1, 5, 2, 0, 6, 3, 4, 7}},
		{15, slices.Repeat([]uint64{1<<62 + 12345}, 3), 3, []uint16{2, 0, 1}}, // a quarter of the numbers are refused
	} {
		seats, err := Draw(fill(c.seed), weights(c.ws...), c.panel, 1)
		if err != nil || !slices.Equal(indices(seats), c.want) {
			t.Errorf("seed %d: %v, %v, want %v", c.seed, indices(seats), err, c.want)
		}
	}
}

// naiveDraw draws with integers of any size and a ticket for every lamport's worth of a candidate,
// from the same sentences.
func naiveDraw(seed voting.Hash, ws []uint64, seats int) []uint16 {
	var out []uint16
	counter := uint32(0)
	taken := make([]bool, len(ws))
	for range seats {
		total := new(big.Int)
		for i, w := range ws {
			if !taken[i] {
				total.Add(total, new(big.Int).SetUint64(w))
			}
		}
		all := new(big.Int).Lsh(big.NewInt(1), 64)
		limit := new(big.Int).Sub(all, new(big.Int).Mod(all, total))
		var x *big.Int
		for {
			h := sha256.Sum256(binary.LittleEndian.AppendUint32(seed[:len(seed):len(seed)], counter))
			counter++
			x = new(big.Int).SetUint64(binary.LittleEndian.Uint64(h[:]))
			if x.Cmp(limit) < 0 {
				break
			}
		}
		r := x.Mod(x, total)
		upTo := new(big.Int)
		for i, w := range ws {
			if taken[i] {
				continue
			}
			if upTo.Add(upTo, new(big.Int).SetUint64(w)); r.Cmp(upTo) < 0 {
				taken[i] = true
				out = append(out, uint16(i))
				break
			}
		}
	}
	return out
}

func TestDrawAgainstNaive(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3_000 {
		ws := make([]uint64, 1+r.IntN(60))
		for i := range ws {
			ws[i] = 1 + r.Uint64N(1<<uint(1+r.IntN(57)))
		}
		var seed voting.Hash
		binary.LittleEndian.PutUint64(seed[:], r.Uint64())
		panel := uint8(1 + r.IntN(voting.MaxSeats))
		seats, err := Draw(seed, weights(ws...), panel, 1)
		want := naiveDraw(seed, ws, min(int(panel), len(ws)))
		if err != nil || !slices.Equal(indices(seats), want) {
			t.Fatalf("%v from %v: %v, %v, want %v", seed, ws, indices(seats), err, want)
		}
	}
}

// Over many seeds the first seat goes to each candidate in proportion to its weight.
func TestDrawIsFair(t *testing.T) {
	const draws = 20_000
	ws := []uint64{1, 2, 3, 4}
	var got [4]int
	for i := range uint64(draws) {
		var seed voting.Hash
		binary.LittleEndian.PutUint64(seed[:], i)
		seats, err := Draw(seed, weights(ws...), 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		got[seats[0].Index]++
	}
	for i, w := range ws {
		want := float64(draws) * float64(w) / 10
		if math.Abs(float64(got[i])-want) > 6*math.Sqrt(want) {
			t.Errorf("candidate %d drawn %d times, expected about %.0f", i, got[i], want)
		}
	}
}

func TestDrawEverybodySits(t *testing.T) {
	seats, err := Draw(fill(1), weights(5, 6, 7), 28, 3)
	if err != nil || len(seats) != 3 {
		t.Fatalf("%v, %v", seats, err)
	}
	if seats[0].Judge == seats[1].Judge || seats[1].Judge == seats[2].Judge || seats[0].Judge == seats[2].Judge {
		t.Error("a judge has two seats")
	}
}

// A judge that could lose too much already is drawn and skipped; the others move up.
func TestDrawSkips(t *testing.T) {
	all := weights(5, 6, 7, 8, 9)
	want, err := Draw(fill(1), all, 5, 1)
	if err != nil {
		t.Fatal(err)
	}
	all[want[1].Index].Seat, all[want[2].Index].Seat = 0, 3
	got, err := Draw(fill(1), all, 3, 3)
	if err != nil || !slices.Equal(indices(got), []uint16{want[0].Index, want[2].Index, want[3].Index}) || got[1].Weight != 3 {
		t.Errorf("%+v of %+v: %v", got, want, err)
	}
	if _, err := Draw(fill(1), all, 5, 5); !errors.Is(err, errTooFewJudges) {
		t.Errorf("one of five is skipped: %v", err)
	}
	many := weights(slices.Repeat([]uint64{1}, voting.MaxJudges)...)
	for i := range many {
		many[i].Seat = 0
	}
	if _, err := Draw(fill(1), many, 5, 1); !errors.Is(err, errTooFewJudges) {
		t.Errorf("all are skipped: %v", err)
	}
}

func TestDrawErrors(t *testing.T) {
	if _, err := Draw(fill(1), weights(1, 1), 28, 3); !errors.Is(err, errTooFewJudges) {
		t.Errorf("two of three: %v", err)
	}
	if _, err := Draw(fill(1), nil, 28, 0); !errors.Is(err, errTooFewJudges) {
		t.Errorf("nobody: %v", err)
	}
	if _, err := Draw(fill(1), weights(1, 0), 28, 1); err == nil {
		t.Error("a candidate without weight was taken")
	}
	if _, err := Draw(fill(1), weights(math.MaxUint64, 1), 28, 1); !errors.Is(err, ErrOverflow) {
		t.Errorf("weights that overflow: %v", err)
	}
}

func TestDrawLeavesItsInput(t *testing.T) {
	in := weights(5, 6, 7, 8)
	before := slices.Clone(in)
	if _, err := Draw(fill(1), in, 4, 1); err != nil || !slices.Equal(in, before) {
		t.Errorf("%v, %v", in, err)
	}
}

// Protocol section 6: who may not be drawn.
func TestEligible(t *testing.T) {
	law := Law{FeeMin: 4, RiskBps: 1_000, GoldenGain: 2, GoldenLoss: 2}.Staked(50, 200)
	p := voting.Parties{Creator: fill(1), CreatorOperator: fill(2), Worker: fill(3), WorkerOperator: fill(4)}
	ok := voting.Candidate{Judge: fill(9), Operator: fill(8), Stake: 100, Active: true}
	with := func(change func(*voting.Candidate)) voting.Candidate { c := ok; change(&c); return c }
	for name, c := range map[string]struct {
		candidate voting.Candidate
		weight    uint64 // of its seat; 0: passed over
	}{
		"nobody special":             {ok, 100},
		"exactly the least stake":    {with(func(c *voting.Candidate) { c.Stake = 25 }), 25},
		"too little stake":           {with(func(c *voting.Candidate) { c.Stake = 24 }), 0},
		"more than counts":           {with(func(c *voting.Candidate) { c.Stake = 1_000 }), 200},
		"exiting":                    {with(func(c *voting.Candidate) { c.Active = false }), 0},
		"the creator":                {with(func(c *voting.Candidate) { c.Judge = fill(1) }), 0},
		"the worker":                 {with(func(c *voting.Candidate) { c.Judge = fill(3) }), 0},
		"the creator's operator":     {with(func(c *voting.Candidate) { c.Judge = fill(2) }), 0},
		"the worker's operator":      {with(func(c *voting.Candidate) { c.Judge = fill(4) }), 0},
		"run by the creator":         {with(func(c *voting.Candidate) { c.Operator = fill(1) }), 0},
		"run by the worker":          {with(func(c *voting.Candidate) { c.Operator = fill(3) }), 0},
		"run by the same as creator": {with(func(c *voting.Candidate) { c.Operator = fill(2) }), 0},
		"run by the same as worker":  {with(func(c *voting.Candidate) { c.Operator = fill(4) }), 0},
		"run by nobody who says so":  {with(func(c *voting.Candidate) { c.Operator = voting.Key{} }), 100},
	} {
		c.candidate.Whole, c.candidate.Free = c.candidate.Stake, c.candidate.Stake
		got, err := Eligible([]voting.Candidate{c.candidate}, p, law)
		if err != nil || len(got) != 1 || got[0].Busy != 0 || got[0].Weight != c.candidate.Stake || got[0].Seat != c.weight { // its weight stays in the sums
			t.Errorf("%s: %v, want a seat of %d", name, got, c.weight)
		}
	}
	if got, err := Eligible([]voting.Candidate{{Judge: fill(9), Whole: 9, Free: 9, Active: true}}, p, law); len(got) != 0 || err != nil {
		t.Errorf("without a weight: %v, %v", got, err)
	}
	// The seat can lose 4 pays of 1, or a tenth of its weight if that is less: a seat of 100 risks
	// 8.
	for free, busy := range map[uint64]uint64{0: 100, 7: 100, 8: 0, 99: 0, 100: 0} {
		c := with(func(c *voting.Candidate) { c.Whole, c.Free = 100, free })
		if got, err := Eligible([]voting.Candidate{c}, p, law); err != nil || len(got) != 1 || got[0].Weight != 100 || got[0].Seat != 100-busy || got[0].Busy != busy {
			t.Errorf("with %d free: %+v, %v, want %d busy", free, got, err, busy)
		}
	}
	// A top-up after the season began gives no weight, and a slash takes it.
	for whole, want := range map[uint64]uint64{500: 100, 60: 60, 24: 0} {
		c := with(func(c *voting.Candidate) { c.Whole, c.Free = whole, whole })
		if got, err := Eligible([]voting.Candidate{c}, p, law); err != nil || got[0].Weight != 100 || got[0].Seat != want {
			t.Errorf("with a stake of %d: %+v, %v, want a seat of %d", whole, got, err, want)
		}
	}
	// no declared operator conflicts with no declared operator
	undeclared := with(func(c *voting.Candidate) { c.Operator = voting.Key{} })
	if got, err := Eligible([]voting.Candidate{undeclared}, voting.Parties{Creator: fill(1), Worker: fill(3)}, Law{}.Staked(1, 9)); err != nil || len(got) != 1 {
		t.Error("two undeclared operators are the same operator")
	}
}

// TestAttackPanelOfTheFree: a fifth of the judges keeps all others busy with cases of its own, and
// would be the whole panel of another case. Before, the draw passed over the busy ones and seated
// these seven: 28 SOL of others' rewards for 1.9 SOL. Now it waits while the busy ones that it
// meets weigh as much as those seated.
func TestAttackPanelOfTheFree(t *testing.T) {
	for _, c := range []struct {
		free, busy int
		fine       bool
	}{{7, 28, false}, {28, 0, true}, {14, 14, false}, {15, 14, true}, {1, 0, true}, {0, 9, false}} {
		var all []voting.Candidate
		for i := range c.free + c.busy {
			w := voting.Candidate{Index: uint16(i), Judge: fill(byte(i)), Weight: 100}
			if i < c.free {
				w.Seat = 100
			} else {
				w.Busy = 100
			}
			all = append(all, w)
		}
		seats, err := Draw(fill(1), all, 28, 1)
		if (err == nil) != c.fine || c.fine && len(seats) != c.free {
			t.Errorf("%d free, %d busy: %d seats, %v", c.free, c.busy, len(seats), err)
		}
	}
}
