package program

import (
	"crypto/sha256"
	"encoding/binary"
	"math/big"
	"path/filepath"
	"strconv"
	"testing"

	"ojud/voting"
	"ojud/voting/rules"
)

// dice are numbers that are the same in every run and every language.
type dice struct {
	name string
	n    uint64
}

func (d *dice) next() uint64 {
	d.n++
	sum := sha256.Sum256(strconv.AppendUint([]byte("dice "+d.name+" "), d.n, 10))
	return binary.LittleEndian.Uint64(sum[:8])
}

func (d *dice) below(n uint64) uint64 { return d.next() % n }

func dec(v uint64) string { return strconv.FormatUint(v, 10) }

// ratio is ⌊a·b/c⌋ the slow way.
func ratio(a, b, c uint64) uint64 {
	x := new(big.Int).Mul(new(big.Int).SetUint64(a), new(big.Int).SetUint64(b))
	return x.Div(x, new(big.Int).SetUint64(c)).Uint64()
}

func TestArithmeticVectors(t *testing.T) {
	golden(t, filepath.Join(vectorDir, "arithmetic.json"), map[string]any{
		"prices": prices(t), "bonds": bonds(t), "fees": fees(t), "verdicts": verdicts(t),
	})
}

func prices(t *testing.T) (all []map[string]any) {
	d := &dice{name: "price"}
	for i := range 40 {
		low := d.below(10_000_000_000)
		o := rules.Offer{Auction: voting.ReverseDutch, RewardMin: low, RewardMax: low + d.below(10_000_000_000), From: int64(d.below(2_000_000_000)),
			Seconds: uint32(d.below(2_592_000) + 1)}
		o.Escrow = o.RewardMax
		at := o.From + int64(d.below(uint64(o.Seconds)*5/4)) - 10
		switch {
		case i < 4:
			o.Auction, o.RewardMin, o.Seconds = voting.FirstCome, o.RewardMax, 0
		case i < 8:
			o.Reward = d.below(1 << 40)
		case i < 10:
			o.RewardMin, o.RewardMax, o.Escrow = 1, 1<<64-1, 1<<64-1
		case i > 34: // after a rework, the escrow holds only the price of the claim before
			o.Escrow = o.RewardMin + d.below(o.RewardMax-o.RewardMin)
		}
		price, err := o.Price(at)
		if err != nil {
			t.Fatal(err)
		}
		if o.Auction == voting.ReverseDutch && o.Reward == 0 {
			e := min(max(at-o.From, 0), int64(o.Seconds))
			if want := o.RewardMin + ratio(o.RewardMax-o.RewardMin, uint64(e), uint64(o.Seconds)); min(want, o.Escrow) != price {
				t.Errorf("price %d, the slow way %d", price, want)
			}
		}
		all = append(all, map[string]any{"auction": o.Auction, "reward_min": dec(o.RewardMin), "reward_max": dec(o.RewardMax), "reward": dec(o.Reward),
			"escrow": dec(o.Escrow), "auction_from": o.From, "auction_seconds": o.Seconds, "now": at, "price": dec(price)})
	}
	return all
}

// bonds are the fee of a seat and the parties' bonds for a reward.
func bonds(t *testing.T) (all []map[string]any) {
	d := &dice{name: "bond"}
	for i := range 20 {
		l := rules.Law{FeeMin: d.below(2_000_000), FeeBps: uint16(d.below(100)), CreatorBps: uint16(d.below(10_001)), WorkerBps: uint16(d.below(10_001))}
		reward, seats, raised := d.below(1<<44), uint8(1+d.below(28)), d.below(2)*d.below(4_000_000)
		if i == 0 {
			l, reward, seats, raised = rules.Law{FeeBps: 1, CreatorBps: 10_000, WorkerBps: 9_999}, 1<<64-1, 28, 0
		}
		law := l.Raised(raised)
		fee, err := law.Fee(reward)
		if err != nil || fee != max(l.FeeMin, raised, ratio(reward, uint64(l.FeeBps), 10_000)) {
			t.Fatalf("fee %d: %v", fee, err)
		}
		creator, worker, err := law.Bonds(reward, seats)
		least := fee * (uint64(seats) + 28)
		if err != nil || creator != max(least, ratio(reward, uint64(l.CreatorBps), 10_000)) || worker != max(least, ratio(reward, uint64(l.WorkerBps), 10_000)) {
			t.Fatalf("bonds %d and %d: %v", creator, worker, err)
		}
		all = append(all, map[string]any{"reward": dec(reward), "fee_min": dec(l.FeeMin), "fee_bps": l.FeeBps, "creator_bps": l.CreatorBps,
			"worker_bps": l.WorkerBps, "seats": seats, "raised": dec(raised), "fee": dec(fee), "creator": dec(creator), "worker": dec(worker)})
	}
	return all
}

func fees(t *testing.T) (all []map[string]any) {
	d := &dice{name: "fee"}
	for i := range 20 {
		payment, bps := d.below(1<<44), uint16(d.below(1_001))
		if i == 0 {
			payment, bps = 1<<64-1, 10_000
		}
		fee, err := rules.Trade(payment, bps)
		if err != nil || fee != ratio(payment, uint64(bps), 10_000) {
			t.Fatalf("fee %d: %v", fee, err)
		}
		all = append(all, map[string]any{"payment": dec(payment), "trade_bps": bps, "fee": dec(fee)})
	}
	return all
}

// verdicts are tallies around the two limits.
func verdicts(t *testing.T) (all []map[string]any) {
	t.Helper()
	for _, v := range []rules.Tally{
		{Accept: 19, Reject: 9, Seated: 28}, {Accept: 18, Reject: 10, Seated: 28}, {Accept: 19, Seated: 28}, {Accept: 18, Seated: 28},
		{Accept: 13, Reject: 6, Seated: 28}, {Accept: 12, Reject: 6, Seated: 28}, {Accept: 66, Reject: 34, Seated: 100}, {Accept: 67, Reject: 33, Seated: 100},
		{Accept: 12, Reject: 3, Abstain: 13, Seated: 28}, {Accept: 11, Reject: 3, Abstain: 14, Seated: 28}, {Accept: 15, Abstain: 3, Seated: 28},
		{Accept: 51, Abstain: 16, Seated: 100}, {Accept: 50, Abstain: 50, Seated: 100}, {Accept: 51, Abstain: 15, Seated: 100},
		{Accept: 66_667, Reject: 33_333, Seated: 100_000}, {Accept: 2, Reject: 1, Seated: 3}, {Accept: 1, Reject: 2, Seated: 3}, {Accept: 4, Reject: 4, Seated: 8},
		{Accept: 2, Reject: 0, Seated: 3}, {Abstain: 28, Seated: 28}, {Reject: 28, Seated: 28},
		{Accept: 66 << 50, Reject: 34 << 50, Seated: 100 << 50}, {Accept: 66<<50 + 1, Reject: 34<<50 - 1, Seated: 100 << 50},
		{Accept: 28 << 50, Seated: 28 << 50},
	} {
		all = append(all, map[string]any{"accept": dec(v.Accept), "reject": dec(v.Reject), "abstain": dec(v.Abstain), "seated": dec(v.Seated),
			"clear": v.Clear(), "verdict": v.Decides()})
	}
	return all
}
