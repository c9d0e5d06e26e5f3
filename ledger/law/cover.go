package law

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
)

// Cover is what the judges of a court stand for: it takes no task with a higher reward.
type Cover struct {
	Limited bool   // whether the rules limit rewards
	Most    uint64 // lamports: the highest reward
	Why     string // what the limit is a share of
	Next    string // what a creator can do
}

// CoverOf reads the cover of a court by the rules in force.
func CoverOf(ctx context.Context, c source, p program.Params) (Cover, error) {
	if p.CoverBps == 0 {
		return Cover{}, nil
	}
	roster, _, err := ledger.Read(ctx, c, c.Program().Roster(), program.DecodeRoster)
	if err != nil {
		return Cover{}, err
	}
	most, err := p.Law().Cover(roster.Weight)
	if err != nil {
		return Cover{}, fmt.Errorf("law: the cover of the court: %w", err)
	}
	cover := Cover{Limited: true, Most: most, Next: "wait until more judges have joined and the next season has begun", Why: fmt.Sprintf("%s %% of the %s that its %d judges weigh",
		strconv.FormatFloat(float64(p.CoverBps)/100, 'f', -1, 64), onchain.SOL(roster.Weight), roster.Active)}
	if most >= p.MinReward {
		cover.Next = "offer at most " + strings.ToLower(strings.ReplaceAll(onchain.SOL(most), " ", ""))
	}
	return cover, nil
}
