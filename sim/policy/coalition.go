package policy

import (
	"context"

	"ojud/voting"
	"ojud/voting/rules"
)

// maxColluders is the largest coalition of the lab: half of a panel.
const maxColluders = voting.MaxSeats / 2

// coalition is the result of so many seats of every panel that vote for the wrong side of their own
// case, or that abstain in it. They know that it is not golden.
type coalition struct {
	seats int
	clean reach // the appeal has none of them
	owned reach // the appeal has as many of them
}

// reach says how often a coalition succeeds, and how much its seats earn.
type reach struct {
	Turned  [2]float64 `json:"turned"`          // by the side that is right: how often the wrong one wins in the end
	First   [2]float64 `json:"turned_at_first"` // and at first
	Reverse [2]float64 `json:"reversed"`        // how often an appeal clearly reverses that
	Seat    float64    `json:"seat"`            // what a seat earns that sits to the end of a level, in lamports
	Honest  float64    `json:"honest_seat"`     // the same if they voted for the truth, which they know
	Void    [2]float64 `json:"undecided"`       // if they abstain: how often nothing is decided in the end
	AtFirst [2]float64 `json:"undecided_at_first"`
	sat     [2]float64
}

// playCoalitions plays coalitions of every size in a quarter of the cases.
func playCoalitions(ctx context.Context, p *population, c court, o Setup, seed uint64) (all []coalition, err error) {
	n := max(o.Cases/8, minCases/2)
	for k := range min(maxColluders, c.seats) + 1 {
		all = append(all, coalition{seats: k})
	}
	for number := range n {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, truth := range []act{accept, reject} {
			d := newDispute(p, truth, o.Reward, seed, uint64(2*number)+uint64(truth))
			for i := range all {
				for _, owned := range []bool{false, true} {
					if err := all[i].add(d, c, owned, float64(n)); err != nil {
						return nil, err
					}
				}
			}
		}
	}
	return all, nil
}

func (c *coalition) add(d *dispute, rule court, owned bool, cases float64) error {
	r := &c.clean
	if owned {
		r = &c.owned
	}
	g := group{seats: c.seats, act: other(d.truth), redraw: true, appeal: owned}
	end, err := rule.play(d, g)
	if err != nil {
		return err
	}
	g.act = d.truth
	honest, err := rule.play(d, g)
	if err != nil {
		return err
	}
	if wrongly(end.verdict, d.truth) {
		r.Turned[d.truth] += 1 / cases
	}
	if wrongly(end.first, d.truth) {
		r.First[d.truth] += 1 / cases
		if end.reversed {
			r.Reverse[d.truth] += 1 / cases
		}
	}
	mean(&r.Seat, &r.sat[0], end)
	mean(&r.Honest, &r.sat[1], honest)
	g.act = abstain
	if end, err = rule.play(d, g); err != nil {
		return err
	}
	if end.verdict == voting.Undecided {
		r.Void[d.truth] += 1 / cases
	}
	if end.first == voting.Undecided {
		r.AtFirst[d.truth] += 1 / cases
	}
	return nil
}

// mean adds the pay of a group to the mean of the seats that sat.
func mean(sum, sat *float64, end played) {
	if all := *sat + float64(end.sat); all > 0 {
		*sum = (*sum**sat + float64(end.group)) / all
		*sat = all
	}
}

// wrongly reports whether the verdict is for the side that is wrong.
func wrongly(v voting.Verdict, truth act) bool {
	const _ = uint(3 - voting.Verdicts) // a fourth verdict may be wrong for nobody
	return v != voting.Undecided && right(v) != truth
}

// purse is the golden pot of a pool through many cases.
type purse struct {
	Golden int    `json:"golden_cases"`
	Full   int    `json:"paid_in_full"`
	Least  uint64 `json:"least_lamports"` // after the first golden case
	Last   uint64 `json:"last_lamports"`
}

// purseReward is the reward of these cases. Small rewards have the smallest bonds, so they fill the
// pot the slowest.
const purseReward = 100_000_000

// fillPurse plays cases one after the other. The pot begins empty. The golden cases are as many as
// the law admits, with answers in turn.
func fillPurse(ctx context.Context, p *population, c court, o Setup, seed uint64) (out purse, err error) {
	pot := uint64(0)
	out.Least = 1 << 63
	for number := range o.purse {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		allowed, err := c.law.Leaves(number + 1)
		if err != nil {
			return out, err
		}
		golden := uint64(out.Golden) < allowed
		truth := act(number % 2)
		if golden {
			truth = act(out.Golden % 2)
		}
		d := newDispute(p, truth, purseReward, seed, 1<<40+number)
		play := c.play
		if golden {
			play = c.quiet
		}
		end, err := play(d, group{})
		if err != nil {
			return out, err
		}
		pot += end.golden
		if !golden {
			continue
		}
		in := rules.GoldenEnd{Reward: purseReward, Answer: truth.seat(stake).Choice, Pot: pot}
		in.Seats, in.Standings = d.seats(firstPanel, c.seats, group{}, false)
		paid, err := c.law.Golden(in)
		if err != nil {
			return out, err
		}
		pot = paid.Pot
		out.Golden++
		if paid.Full {
			out.Full++
		}
		out.Least = min(out.Least, pot)
	}
	out.Last = pot
	return out, nil
}
