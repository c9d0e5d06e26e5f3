package policy

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"ojud/voting"
	"ojud/voting/rules"
)

// Setup say what Run plays.
type Setup struct {
	Cases    int                 `json:"cases"` // disputes of each pool, half of them with a right worker
	Seed     uint64              `json:"seed"`
	Reward   uint64              `json:"reward_lamports"`
	Fee      uint64              `json:"fee_lamports"` // of a seat, if the terms of the tasks raise it
	Progress func(done, all int) `json:"-"`            // may be called from several goroutines
	purse    uint64              // cases for which the golden pot of each pool is watched
}

// DefaultSetup play for some seconds.
func DefaultSetup() Setup { return Setup{Cases: 400, Seed: 1, Reward: 1_000_000_000, purse: 10_000} }

// The bounds of Setup.
const (
	minCases  = 40
	maxCases  = 1_000_000
	minReward = 1_000_000
	maxReward = 1_000_000_000_000
)

// Validate names the first option that is outside its range.
func (o Setup) Validate() error {
	switch {
	case o.Cases < minCases || o.Cases > maxCases:
		return fmt.Errorf("policy: cases is %d; set it to %d to %d", o.Cases, minCases, maxCases)
	case o.Reward < minReward || o.Reward > maxReward:
		return fmt.Errorf("policy: reward is %d lamports; set it to %d to %d", o.Reward, minReward, maxReward)
	}
	if o.Fee > o.Reward {
		return fmt.Errorf("policy: the fee of a seat is %d lamports; set it to at most the reward, %d", o.Fee, o.Reward)
	}
	return nil
}

// Shares are how many workers are right, in percent, for which the lab gives figures.
const shares = 3

func shareOf(n int) float64 { return [shares]float64{.2, .5, .8}[n] }

// tally adds up what a strategy comes to, by the side that is right.
type tally struct {
	ordinary [2]float64 // lamports, in ordinary cases
	pay      [2]float64 // in golden cases, beside the gain or loss
	mix      [2]mix     // in golden cases
	square   [2]float64 // of all three together, for the error
}

// cell is a pool under a court.
type cell struct {
	pool       *population
	court      *court
	strategies []strategy
	tallies    []tally
	golden     [2][acts]int64
	cases      float64 // of each side
	reward     uint64
	right      [2]float64
	undecided  [2]float64
	seats      float64
	pot        [2]float64
	party      [2]float64 // what the party in the wrong has more than if it had given in
}

// share is the golden share of the court.
func (c *cell) share() float64 {
	if c.court.law == nil {
		return 0
	}
	return float64(c.court.law.GoldenBps) / rules.BasisPoints
}

// Run plays everything. It stops early if ctx ends.
func Run(ctx context.Context, o Setup) (*Findings, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	list := courts(rules.SecondLaw(rules.PayTruth).Raised(o.Fee))
	runs, err := play(ctx, o, list)
	if err != nil {
		return nil, err
	}
	return newReport(o, list, runs)
}

// play plays all pools under all courts.
func play(ctx context.Context, o Setup, list []court) ([]poolRun, error) {
	all, err := pools()
	if err != nil {
		return nil, err
	}
	out := make([]poolRun, len(all))
	var done atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for n, p := range all {
		group.Go(func() error {
			var err error
			if out[n], err = runPool(ctx, p, list, o, o.Seed+uint64(n)<<32); err != nil {
				return fmt.Errorf("pool %s: %w", p.name, err)
			}
			if o.Progress != nil {
				o.Progress(int(done.Add(1)), len(all))
			}
			return nil
		})
	}
	return out, group.Wait()
}

// poolRun is all that was played with one pool.
type poolRun struct {
	cells      []*cell // by court
	coalitions []coalition
	small      []coalition // of a first panel of 7
	purse      purse
}

func runPool(ctx context.Context, p *population, list []court, o Setup, seed uint64) (out poolRun, err error) {
	for n := range list {
		c := &cell{pool: p, court: &list[n], strategies: strategies(p), cases: float64(o.Cases / 2), reward: o.Reward}
		c.tallies = make([]tally, len(c.strategies))
		if c.golden, err = goldenPays(c.court.law, o.Reward); err != nil {
			return out, err
		}
		out.cells = append(out.cells, c)
	}
	for number := range o.Cases / 2 {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		for _, truth := range []act{accept, reject} {
			d := newDispute(p, truth, o.Reward, seed, uint64(2*number)+uint64(truth))
			for _, c := range out.cells {
				if err := c.add(d); err != nil {
					return out, err
				}
			}
		}
	}
	if out.coalitions, err = playCoalitions(ctx, p, list[truthAt], o, seed); err != nil {
		return out, err
	}
	if out.small, err = playCoalitions(ctx, p, list[smallAt], o, seed); err != nil {
		return out, err
	}
	out.purse, err = fillPurse(ctx, p, list[truthAt], o, seed)
	return out, err
}

// add plays a dispute with each act of the judge, and weighs the acts by each strategy.
func (c *cell) add(d *dispute) error {
	const _ = uint(3 - voting.Verdicts) // a fourth verdict needs its count
	t := d.truth
	end, err := c.court.play(d, group{})
	if err != nil {
		return err
	}
	c.seats += float64(end.seats)
	c.pot[t] += float64(end.golden)
	switch {
	case end.verdict == voting.Undecided:
		c.undecided[t]++
	case right(end.verdict) == t:
		c.right[t]++
	}
	if t == accept {
		c.party[t] += float64(end.creator)
	} else {
		c.party[t] += float64(end.worker)
	}
	var ordinary, golden [acts]float64
	for a := range acts {
		g := group{seats: 1, act: a}
		one, err := c.court.play(d, g)
		if err != nil {
			return err
		}
		ordinary[a], golden[a] = float64(one.group), float64(one.group)
		if one.appealed {
			if one, err = c.court.quiet(d, g); err != nil {
				return err
			}
			golden[a] = float64(one.group)
		}
	}
	rest, err := c.rest(d)
	if err != nil {
		return err
	}
	c.weigh(d, rest, ordinary, golden)
	return nil
}

// rest is the side that the other seats of the first panel would give the case to.
func (c *cell) rest(d *dispute) (act, error) {
	seats, _ := d.seats(firstPanel, c.court.seats, group{seats: 1, act: stayAway}, true)
	t, err := rules.Count(seats[1:])
	return right(t.Decides()), err
}

func (c *cell) weigh(d *dispute, rest act, ordinary, golden [acts]float64) {
	t, g := d.truth, c.share()
	s := sight{truth: t, item: &d.item, average: d.pool.average(&d.item), rest: rest}
	for n, st := range c.strategies {
		s.golden = false
		plain, side := st.do(s), coin()
		s.golden = true
		marked := st.do(s)
		o, p, extra := 0.0, 0.0, 0.0
		for a := range acts {
			o += ((1-st.own)*plain[a] + st.own*side[a]) * ordinary[a]
			p += marked[a] * golden[a]
			extra += marked[a] * float64(c.golden[t][a])
			c.tallies[n].mix[t][a] += marked[a]
		}
		c.tallies[n].ordinary[t] += o
		c.tallies[n].pay[t] += p
		all := (1-g)*o + g*(p+extra)
		c.tallies[n].square[t] += all * all
	}
}

// balance is how many answers of a batch say accept.
const evenly = .5

// earns returns how much strategy n earns a case in lamports, if that share of the workers is right
// and that share of the golden answers says accept.
func (c *cell) earns(n int, rightWorkers, accepts float64) float64 {
	return c.earnsWith(n, rightWorkers, accepts, c.share(), c.golden)
}

// earnsWith is the same with other golden cases.
func (c *cell) earnsWith(n int, rightWorkers, accepts, g float64, gains [2][acts]int64) float64 {
	t := &c.tallies[n]
	sum := 0.0
	for side, share := range [2][2]float64{{rightWorkers, accepts}, {1 - rightWorkers, 1 - accepts}} {
		golden := t.pay[side]
		for a := range acts {
			golden += t.mix[side][a] * float64(gains[side][a])
		}
		sum += (1-g)*share[0]*t.ordinary[side] + g*share[1]*golden
	}
	return sum / c.cases
}

// err is the standard error of what strategy n earns, if half of the workers are right.
func (c *cell) err(n int) float64 {
	t, g, sum := &c.tallies[n], c.share(), 0.0
	for side := range 2 {
		golden := t.pay[side]
		for a := range acts {
			golden += t.mix[side][a] * float64(c.golden[side][a])
		}
		mean := ((1-g)*t.ordinary[side] + g*golden) / c.cases
		sum += (t.square[side]/c.cases - mean*mean) / c.cases / 4
	}
	return math.Sqrt(max(0, sum))
}

// find is the place of a strategy.
func (c *cell) find(name string) int {
	for n, s := range c.strategies {
		if s.name == name {
			return n
		}
	}
	return -1
}
