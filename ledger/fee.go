package ledger

import (
	"context"
	"slices"

	"ojud/ledger/onchain"
)

// leastMargin is added at least to the compute units of a simulation: 28 judges who join at once each saw a shorter Roster than the
// one that their transaction meets, and a percentage of little is too little for that.
const leastMargin = 30_000

// units is the limit of compute units for a transaction that used so many in a simulation.
func (s Send) units(used uint64) uint32 {
	if used >= maxUnits {
		return maxUnits
	}
	return uint32(min(used+max(used*uint64(s.ComputeMargin)/100, leastMargin), maxUnits))
}

// price is what to offer for a compute unit, in micro-lamports. What others paid lately is asked for only with "auto".
func (c *Client) price(ctx context.Context, accounts []onchain.Address) (uint64, error) {
	fixed, auto, err := c.cfg.Send.priority()
	if err != nil || !auto {
		return fixed, err
	}
	var recent []struct {
		Fee uint64 `json:"prioritizationFee"`
	}
	if err := c.call(ctx, "getRecentPrioritizationFees", []any{accounts}, &recent, nil); err != nil {
		return 0, err
	}
	fees := make([]uint64, len(recent))
	for i, r := range recent {
		fees[i] = r.Fee
	}
	return min(percentile(fees, c.cfg.Send.PriorityPercentile), c.cfg.Send.PriorityCap), nil
}

// percentile is the smallest value that p percent of them do not exceed; 0 without any.
func percentile(values []uint64, p int) uint64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[max((len(values)*p+99)/100-1, 0)]
}
