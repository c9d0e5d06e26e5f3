package policy

import (
	"math"

	"ojud/voting"
	"ojud/voting/rules"
)

// milli is how many lamports a thousandth of a SOL has: the unit of the tables.
const milli = 1_000_000

// Findings are the results of Run.
type Findings struct {
	Setup    Setup        `json:"setup"`
	Courts   []courtTitle `json:"courts"`
	Pools    []poolReport `json:"pools"`
	Shares   []goldenRow  `json:"golden_shares"`
	Bribes   []bribe      `json:"bribes"`
	Silences []silence    `json:"abstentions"`
	Attacks  []attack     `json:"attacks"`
	Promises []Promise    `json:"promises"`
}

type courtTitle struct {
	Name  string `json:"name"`
	About string `json:"about"`
}

type poolReport struct {
	Name       string            `json:"name"`
	Holds      bool              `json:"judges_hold_the_credential"`
	Courts     []courtReport     `json:"courts"`
	Coalitions []coalitionReport `json:"coalitions"`
	Purse      purse             `json:"golden_pot"`
}

// courtReport is a pool under a court. Money is in thousandths of a SOL.
type courtReport struct {
	Name       string     `json:"name"`
	Right      float64    `json:"right"` // of the cases, if half of the workers are right
	Wrong      float64    `json:"wrong"`
	Undecided  float64    `json:"undecided"`
	Refunded   float64    `json:"right_worker_refunded"`
	Paid       float64    `json:"wrong_worker_paid"`
	Seats      float64    `json:"seat_votes"`
	Pot        float64    `json:"golden_pot_gets"`
	Objection  float64    `json:"groundless_objection"` // in percent of the reward
	Counter    float64    `json:"groundless_counter_objection"`
	Even       [2]float64 `json:"break_even_bonds"` // of both: the bonds, in percent of the reward, with which they gain nothing
	Strategies []earning  `json:"strategies"`
}

type earning struct {
	Name  string          `json:"name"`
	Earns [shares]float64 `json:"earns"` // with 20, 50 and 80 % right workers
	Error float64         `json:"standard_error"`
	Keeps *float64        `json:"keeps_credential,omitempty"` // after 60 golden cases
}

type coalitionReport struct {
	Seats int   `json:"seats"`
	Clean reach `json:"clean_appeal"`
	Owned reach `json:"as_many_in_the_appeal"`
}

// goldenRow is preset truth with another share of golden cases: the range over all pools.
type goldenRow struct {
	Share float64               `json:"share"`
	Earns map[string][2]float64 `json:"earns"` // least and most, half of the workers right
	Best  int                   `json:"truth_is_best"`
}

func newReport(o Setup, list []court, runs []poolRun) (*Findings, error) {
	r := &Findings{Setup: o}
	for _, c := range list {
		r.Courts = append(r.Courts, courtTitle{c.name, c.about})
	}
	for n := range runs {
		p, err := runs[n].report()
		if err != nil {
			return nil, err
		}
		r.Pools = append(r.Pools, p)
	}
	var err error
	if r.Shares, err = goldenShares(o, runs); err != nil {
		return nil, err
	}
	if r.Bribes, err = bribes(*list[truthAt].law, runs); err != nil {
		return nil, err
	}
	if r.Silences, err = abstentions(*list[truthAt].law, runs); err != nil {
		return nil, err
	}
	if r.Attacks, err = attacks(); err != nil {
		return nil, err
	}
	r.Promises = promises(runs, truthAt, r.Bribes)
	return r, nil
}

func (p *poolRun) report() (poolReport, error) {
	pool := p.cells[0].pool
	out := poolReport{Name: pool.name, Holds: pool.holds, Purse: p.purse}
	for _, c := range p.cells {
		out.Courts = append(out.Courts, c.report())
	}
	for _, c := range p.coalitions {
		out.Coalitions = append(out.Coalitions, coalitionReport{c.seats, c.clean, c.owned})
	}
	return out, nil
}

func (c *cell) report() courtReport {
	n := 2 * c.cases
	out := courtReport{Name: c.court.name, Right: (c.right[0] + c.right[1]) / n, Undecided: (c.undecided[0] + c.undecided[1]) / n}
	out.Wrong = 1 - out.Right - out.Undecided
	out.Refunded = 1 - (c.right[accept]+c.undecided[accept])/c.cases
	out.Paid = 1 - (c.right[reject]+c.undecided[reject])/c.cases
	out.Even = [2]float64{c.breakEven(accept), c.breakEven(reject)}
	out.Seats, out.Pot = c.seats/n, (c.pot[0]+c.pot[1])/n/milli
	out.Objection, out.Counter = c.groundless(accept), c.groundless(reject)
	for i, s := range c.strategies {
		e := earning{Name: s.name, Error: c.err(i) / milli}
		for k := range shares {
			e.Earns[k] = c.earns(i, shareOf(k), evenly) / milli
		}
		if c.share() > 0 {
			keeps := c.keeps(i)
			e.Keeps = &keeps
		}
		out.Strategies = append(out.Strategies, e)
	}
	return out
}

func goldenShares(o Setup, runs []poolRun) (rows []goldenRow, err error) {
	for _, bps := range []uint16{0, 500, 1_000, 2_000} {
		law := goldenLaw(rules.PayTruth, bps).Raised(o.Fee)
		gains, err := goldenPays(&law, o.Reward)
		if err != nil {
			return nil, err
		}
		row := goldenRow{Share: float64(bps) / rules.BasisPoints, Earns: map[string][2]float64{}}
		for n := range runs {
			c := runs[n].cells[truthAt]
			best := math.Inf(-1)
			for i, s := range c.strategies {
				x := c.earnsWith(i, evenly, evenly, row.Share, gains) / milli
				if i > 0 {
					best = max(best, x)
				}
				span, ok := row.Earns[s.name]
				if !ok {
					span = [2]float64{x, x}
				}
				row.Earns[s.name] = [2]float64{min(span[0], x), max(span[1], x)}
			}
			if c.earnsWith(0, evenly, evenly, row.Share, gains)/milli >= best {
				row.Best++
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// bribe is the cheapest bribe that turns a case of a reward, over all pools and both sides.
type bribe struct {
	Reward  float64 `json:"reward_sol"`
	Judges  int     `json:"judges_for_cover"`    // of 10 SOL, whose weight covers the reward
	First   float64 `json:"first_panel"`         // percent of the reward for what turns the first panel
	Dearest float64 `json:"first_panel_dearest"` // the same in the pool where that costs most
	Seats   int     `json:"first_panel_seats"`
	Stands  float64 `json:"first_panel_stands"` // how much more often the wrong side wins in the end
	Both    float64 `json:"both_panels"`
	Pool    string  `json:"pool"`
}

// corruptedRewards are those for which the lab says what corruption costs, in SOL.
var corruptedRewards = []float64{.1, 1, 10, 100, 1_000}

// smallReward is the reward in SOL from which on a client asks for 28 seats and not for 7.
const smallReward = .3

// bribes are for rewards from 0.1 to 1,000 SOL, in the pools whose judges hold the credential.
func bribes(law rules.Law, runs []poolRun) (all []bribe, err error) {
	for _, sol := range corruptedRewards {
		reward := uint64(sol * 1e9)
		b := bribe{Reward: sol, First: math.Inf(1), Both: math.Inf(1)}
		for b.Judges = voting.MaxSeats; ; b.Judges++ {
			cover, err := law.Cover(uint64(b.Judges) * tenSOL)
			if err != nil {
				return nil, err
			}
			if cover >= reward {
				break
			}
		}
		_, loss, err := reversalLoss(law, reward, tenSOL)
		if err != nil {
			return nil, err
		}
		for n := range runs {
			if p := runs[n].cells[truthAt].pool; p.holds {
				b.cheapest(p.name, runs[n].panel(sol), runs[n].coalitions, 100*loss/float64(reward))
			}
		}
		all = append(all, b)
	}
	return all, nil
}

// reversalLoss is the pay of a seat, and its loss if an appeal clearly reverses its vote: the pay,
// and the slash.
func reversalLoss(law rules.Law, reward, weight uint64) (pay, loss float64, err error) {
	one := func(v voting.Verdict, a act) rules.Level {
		return rules.Level{Verdict: v, Seats: []voting.Seat{a.seat(weight)}, Standings: []rules.Standing{{Present: true, Stake: weight}}}
	}
	in := rules.CaseEnd{Terms: rules.Terms{Escrow: reward, CreatorBond: reward, WorkerBond: reward}, First: one(voting.ForWorker, accept)}
	paid, err := law.Finish(in)
	if err != nil {
		return 0, 0, err
	}
	appeal := one(voting.ForCreator, reject)
	in.Appeal = &appeal
	lost, err := law.Finish(in)
	pay = float64(earned(paid.First))
	return pay, pay - float64(earned(lost.First)), err
}

// cheapest notes the smallest bribes that turn half of the cases which the first panel, or the
// appeal as well, would have decided rightly. loss is a seat's loss by a reversal, in percent of
// the reward. A bribe makes good the loss that a judge must expect.
func (b *bribe) cheapest(pool string, sizes, both []coalition, loss float64) {
	for side := range 2 {
		for _, c := range sizes {
			if turned := c.clean.First[side]; turned < halfWay(sizes[0].clean.First[side]) {
				continue
			}
			cost := float64(c.seats) * loss * c.clean.Reverse[side]
			b.Dearest = max(b.Dearest, cost)
			if cost < b.First {
				b.First, b.Seats, b.Pool = cost, c.seats, pool
				b.Stands = c.clean.Turned[side] - sizes[0].clean.Turned[side]
			}
			break
		}
		for _, c := range both {
			if c.owned.Turned[side] >= halfWay(both[0].owned.Turned[side]) {
				b.Both = min(b.Both, float64(c.seats)*loss*c.owned.Reverse[side])
				break
			}
		}
	}
}

// halfWay is as far from 1 as from x.
func halfWay(x float64) float64 { return (1 + x) / 2 }

// groundless is the gain of the party in the wrong by a dispute, in percent of the reward, if that
// side is right.
func (c *cell) groundless(truth act) float64 {
	return 100 * c.party[truth] / c.cases / float64(c.reward)
}

// breakEven is the bond with which a groundless dispute gains nothing, without an appeal's bond.
func (c *cell) breakEven(truth act) float64 {
	undecided := c.undecided[truth] / 2
	won := c.cases - c.right[truth] - 2*undecided
	return 100 * (won + undecided) / (c.right[truth] + undecided)
}
