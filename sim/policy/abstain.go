package policy

import (
	"math"

	"ojud/voting/rules"
)

// silence is the cheapest way to buy that a case of a reward stays undecided, over all pools and
// both sides. An abstention costs the pay that it forgoes, in each round of a panel.
type silence struct {
	Reward  float64 `json:"reward_sol"`
	First   float64 `json:"first_panel"`         // percent of the reward, for what no party appeals
	Dearest float64 `json:"first_panel_dearest"` // the same in the pool where that costs most
	Seats   int     `json:"first_panel_seats"`
	Stands  float64 `json:"first_panel_stands"` // how much more often nothing is decided, if a party appeals
	Both    float64 `json:"both_panels"`        // percent of the reward
	Appeal  int     `json:"appeal_seats"`       // that are bought in the appeal, too
	Pool    string  `json:"pool"`               // of the cheapest first panel
}

// abstentions are for rewards from 0.1 to 1,000 SOL, in the pools whose judges hold the credential.
func abstentions(law rules.Law, runs []poolRun) (all []silence, err error) {
	for _, sol := range corruptedRewards {
		reward := uint64(sol * 1e9)
		pay, _, err := reversalLoss(law, reward, tenSOL)
		if err != nil {
			return nil, err
		}
		a := silence{Reward: sol, First: math.Inf(1), Both: math.Inf(1)}
		for n := range runs {
			if p := runs[n].cells[truthAt].pool; p.holds {
				vote := 100 * float64(law.MaxRounds) * pay / float64(reward)
				a.cheapest(p.name, runs[n].panel(sol), runs[n].coalitions, vote)
			}
		}
		all = append(all, a)
	}
	return all, nil
}

// panel is the coalitions in the first panel that a task of that reward has.
func (p *poolRun) panel(sol float64) []coalition {
	if sol < smallReward {
		return p.small
	}
	return p.coalitions
}

// cheapest notes the fewest abstentions that leave half of the cases undecided which the first
// panel, or the appeal as well, would have decided. vote is the price of one seat in all rounds of
// a panel, in percent of the reward.
func (a *silence) cheapest(pool string, sizes, both []coalition, vote float64) {
	for side := range 2 {
		first := fewest(sizes, func(c *coalition) float64 { return c.clean.AtFirst[side] })
		if first < 0 {
			continue
		}
		cost := float64(first) * vote
		a.Dearest = max(a.Dearest, cost)
		if cost < a.First {
			a.First, a.Seats, a.Pool = cost, first, pool
			a.Stands = sizes[first].clean.Void[side] - sizes[0].clean.Void[side]
		}
		appeal := fewest(both, func(c *coalition) float64 { return c.owned.Void[side] })
		if cost += float64(appeal) * vote; appeal >= 0 && cost < a.Both {
			a.Both, a.Appeal = cost, appeal
		}
	}
}

// fewest is the smallest coalition that is half way from what happens without one to always, or -1.
func fewest(all []coalition, share func(*coalition) float64) int {
	for n := range all {
		if n > 0 && share(&all[n]) >= halfWay(share(&all[0])) {
			return n
		}
	}
	return -1
}
