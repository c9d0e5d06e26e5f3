package rules

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"ojud/voting"
)

func TestPrice(t *testing.T) {
	auction := Offer{Auction: voting.ReverseDutch, RewardMin: 100, RewardMax: 200, Escrow: 200, From: 1_000, Seconds: 30}
	for _, c := range []struct {
		name  string
		offer Offer
		now   int64
		want  uint64
	}{
		{"first come", Offer{RewardMin: 5, RewardMax: 5, Escrow: 5}, 0, 5},
		{"claimed", Offer{Auction: voting.ReverseDutch, RewardMin: 1, RewardMax: 9, Reward: 4, Escrow: 9, Seconds: 10}, 99, 4},
		{"after a missed rework", Offer{Auction: voting.ReverseDutch, RewardMin: 1, RewardMax: 9, Escrow: 4, Seconds: 10}, 99, 4},
		{"the same without an auction", Offer{RewardMin: 5, RewardMax: 5, Escrow: 4}, 0, 4},
		{"at the start", auction, 1_000, 100},
		{"a clock before the start", auction, 900, 100},
		{"rounds down", auction, 1_001, 103},
		{"in the middle", auction, 1_015, 150},
		{"just before the end", auction, 1_029, 196},
		{"at the end", auction, 1_030, 200},
		{"long after", auction, math.MaxInt64, 200},
		{"since the beginning of time", Offer{Auction: voting.ReverseDutch, RewardMax: 7, Escrow: 7, From: math.MinInt64, Seconds: 1}, math.MaxInt64, 7},
	} {
		if got, err := c.offer.Price(c.now); err != nil || got != c.want {
			t.Errorf("%s: %d, %v, want %d", c.name, got, err, c.want)
		}
	}
	for _, bad := range []Offer{
		{Auction: voting.ReverseDutch, RewardMin: 2, RewardMax: 1, Seconds: 1},
		{Auction: voting.ReverseDutch, RewardMin: 1, RewardMax: 2},
	} {
		if _, err := bad.Price(5); err == nil {
			t.Errorf("%+v has a price", bad)
		}
	}
}

func TestPriceAgainstNaive(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 20_000 {
		low := r.Uint64()
		o := Offer{Auction: voting.ReverseDutch, RewardMin: low, RewardMax: low + r.Uint64N(math.MaxUint64-low), Escrow: math.MaxUint64, Seconds: 1 + r.Uint32N(2_592_000)}
		now := r.Int64N(3_000_000)
		e := new(big.Int).SetInt64(min(now, int64(o.Seconds)))
		want := e.Mul(e, new(big.Int).SetUint64(o.RewardMax-o.RewardMin))
		want.Div(want, new(big.Int).SetUint64(uint64(o.Seconds))).Add(want, new(big.Int).SetUint64(low))
		if got, err := o.Price(now); err != nil || want.Cmp(new(big.Int).SetUint64(got)) != 0 {
			t.Fatalf("%+v at %d: %d, %v, want %s", o, now, got, err, want)
		}
	}
}

func TestBond(t *testing.T) {
	for _, c := range []struct {
		reward, least uint64
		bps           uint16
		want          uint64
	}{
		{1_000_000, 1_000, 500, 50_000},
		{1_000_000, 60_000, 500, 60_000},
		{19, 0, 500, 0},
		{20, 0, 500, 1},
		{math.MaxUint64, 0, 10_000, math.MaxUint64},
		{math.MaxUint64, 0, 1, math.MaxUint64 / 10_000},
		{0, 0, 0, 0},
	} {
		if got, err := Bond(c.reward, c.least, c.bps); err != nil || got != c.want {
			t.Errorf("Bond(%d, %d, %d) = %d, %v, want %d", c.reward, c.least, c.bps, got, err, c.want)
		}
	}
	if _, err := Bond(math.MaxUint64, 0, 10_001); !errors.Is(err, ErrOverflow) {
		t.Errorf("a bond that does not fit: %v", err)
	}
}

func TestLamports(t *testing.T) {
	if _, err := sum(math.MaxUint64, 1); !errors.Is(err, ErrOverflow) {
		t.Errorf("sum wraps: %v", err)
	}
	if s, err := sum(); s != 0 || err != nil {
		t.Errorf("sum of nothing: %d, %v", s, err)
	}
	if _, err := mulDiv(1, 1, 0); !errors.Is(err, ErrOverflow) {
		t.Errorf("division by zero: %v", err)
	}
	if _, err := mulDiv(math.MaxUint64, 2, 1); !errors.Is(err, ErrOverflow) {
		t.Errorf("quotient wraps: %v", err)
	}
	if q, err := mulDiv(math.MaxUint64, math.MaxUint64, math.MaxUint64); q != math.MaxUint64 || err != nil {
		t.Errorf("%d, %v", q, err)
	}
	r := rand.New(rand.NewPCG(5, 6))
	for range 20_000 {
		a, b, c, d := r.Uint64()>>r.Uint32N(64), r.Uint64()>>r.Uint32N(64), r.Uint64()>>r.Uint32N(64), r.Uint64()>>r.Uint32N(64)
		x := new(big.Int).Mul(new(big.Int).SetUint64(a), new(big.Int).SetUint64(b))
		y := new(big.Int).Mul(new(big.Int).SetUint64(c), new(big.Int).SetUint64(d))
		if mulLess(a, b, c, d) != (x.Cmp(y) < 0) {
			t.Fatalf("%d·%d < %d·%d", a, b, c, d)
		}
	}
}
