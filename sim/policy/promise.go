package policy

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"ojud/voting"
	"ojud/voting/rules"
)

// Promise is something that a set of rules promises in every pool.
type Promise struct {
	Name  string `json:"name"`
	Holds bool   `json:"holds"`
	Worst string `json:"worst"` // where it is closest to failing, or fails
	// Open says that no rule was found that keeps the promise.
	Open bool `json:"open,omitempty"`
}

// margin looks for the least of some figures, and where it is.
type margin struct {
	least float64
	where string
}

func newMargin() *margin { return &margin{least: math.Inf(1)} }

func (m *margin) see(x float64, where string) {
	if x < m.least {
		m.least, m.where = x, where
	}
}

// sum is the promise that no figure is below zero, or with strictly that none is zero either.
func (m *margin) promise(name, unit string, strictly bool) Promise {
	holds := m.least > 0 || m.least == 0 && !strictly
	return Promise{Name: name, Holds: holds, Worst: fmt.Sprintf("%+.2f %s: %s", m.least, unit, m.where)}
}

// blind are strategies that read nothing.
var blind = []string{"always accept", "always reject", "coin", "longest pleading"}

// millis is the unit of most promises.
const millis = "mSOL a case"

// open are promises that no rule was found to keep. docs/adr/0022-what-pay-cannot-buy.md has the
// attempts.
var open = []string{recogniserCosts, bribeFirst, bribeBoth, objectionLoses, counterLoses, seventy}

// The names of the promises that are open.
const (
	recogniserCosts = "nor after what reading a 6 KB report costs"
	bribeFirst      = "bribing the first panel costs 10 % of the reward"
	bribeBoth       = "bribing both panels costs 10 % of the reward"
	objectionLoses  = "a groundless objection loses"
	counterLoses    = "a groundless counter-objection loses"
	seventy         = "an honest judge of 70 % earns its model's cost"
)

// promises are those of the rules, checked for one court.
func promises(runs []poolRun, at int, bribes []bribe) []Promise {
	all := []Promise{bestPaid(runs, at)}
	all = append(all, blindLose(runs, at), abstainEarnsNothing(runs, at))
	all = append(all, copying(runs, at)...)
	all = append(all, never(runs, at, "withholding never beats revealing", "withhold if losing", "average judge"))
	all = append(all, colludersEarnLess(runs))
	all = append(all, never(runs, at, "a recogniser of 80 % earns less than the reader", "recognises 80 %", "best single judge"))
	all = append(all, recogniserAfterCosts(runs, at))
	all = append(all, bribesCost(bribes)...)
	all = append(all, groundlessLose(runs, at)...)
	all = append(all, purseLasts(runs), readingPays(runs, at))
	for n := range all {
		all[n].Open = slices.Contains(open, all[n].Name)
	}
	return all
}

// each calls see for each pool and share of right workers.
func each(runs []poolRun, at int, see func(c *cell, share float64, where string)) {
	for n := range runs {
		c := runs[n].cells[at]
		for k := range shares {
			see(c, shareOf(k), fmt.Sprintf("%s, %.0f %% right workers", c.pool.name, 100*shareOf(k)))
		}
	}
}

func (c *cell) named(name string, share, accepts float64) float64 {
	return c.earns(c.find(name), share, accepts) / milli
}

func bestPaid(runs []poolRun, at int) Promise {
	m := newMargin()
	each(runs, at, func(c *cell, share float64, where string) {
		for n := 1; n < len(c.strategies); n++ {
			m.see((c.earns(0, share, evenly)-c.earns(n, share, evenly))/milli, c.strategies[n].name+" in "+where)
		}
	})
	return m.promise("the judge that knows the truth is paid best", millis, false)
}

// blindLose holds also for batches that are as unbalanced as the rules admit.
func blindLose(runs []poolRun, at int) Promise {
	m := newMargin()
	each(runs, at, func(c *cell, share float64, where string) {
		for _, name := range blind {
			for _, accepts := range []float64{.45, .55} {
				m.see(-c.named(name, share, accepts), name+" in "+where)
			}
		}
	})
	return m.promise("judges that read nothing lose", millis, true)
}

func abstainEarnsNothing(runs []poolRun, at int) Promise {
	m := newMargin()
	each(runs, at, func(c *cell, share float64, where string) {
		m.see(0-c.named("always abstain", share, evenly), where)
	})
	return m.promise("abstaining earns nothing", millis, false)
}

// errs is the share of the cases in which the majority errs that makes copying it a loss.
const errs = .45

func copying(runs []poolRun, at int) []Promise {
	less, wrong := newMargin(), newMargin()
	each(runs, at, func(c *cell, share float64, where string) {
		n := c.find("copy the majority")
		less.see(c.named("knows the truth", share, evenly)-c.named("copy the majority", share, evenly), where)
		m := &c.tallies[n].mix
		if erring := (m[accept][reject] + m[reject][accept]) / c.cases / 2; erring >= errs {
			wrong.see(-c.named("copy the majority", share, evenly), where)
		}
	})
	return []Promise{
		less.promise("copying the majority never beats the truth", millis, false),
		wrong.promise("copying loses where the majority errs in 45 %", millis, true),
	}
}

// never is the promise that one strategy never earns more than another.
func never(runs []poolRun, at int, promise, one, than string) Promise {
	m := newMargin()
	each(runs, at, func(c *cell, share float64, where string) {
		m.see(c.named(than, share, evenly)-c.named(one, share, evenly), where)
	})
	return m.promise(promise, millis, false)
}

// recogniserAfterCosts counts what a recogniser saves that reads only what it takes for golden.
func recogniserAfterCosts(runs []poolRun, at int) Promise {
	m := newMargin()
	each(runs, at, func(c *cell, share float64, where string) {
		saved := (1 - .8*c.share()) * reportUSD / usdPerSOL * 1_000
		m.see(c.named("best single judge", share, evenly)-c.named("recognises 80 %", share, evenly)-saved, where)
	})
	return m.promise(recogniserCosts, millis, false)
}

// promisedColluders is how many colluding seats of a panel of 28 must not pay.
const promisedColluders = 5

func colludersEarnLess(runs []poolRun) Promise {
	m := newMargin()
	for n := range runs {
		for _, c := range runs[n].coalitions[1 : promisedColluders+1] {
			for _, r := range []reach{c.clean, c.owned} {
				m.see((r.Honest-r.Seat)/milli, fmt.Sprintf("%d colluders in %s", c.seats, runs[n].cells[truthAt].pool.name))
			}
		}
	}
	return m.promise("five colluders of 28 earn no more than honestly", "mSOL a seat", false)
}

// dearEnough is the price that the cheapest bribe should have, in percent of the reward.
const dearEnough = 10

func bribesCost(all []bribe) []Promise {
	first, both := newMargin(), newMargin()
	for _, b := range all {
		first.see(b.First-dearEnough, fmt.Sprintf("%.1f %% of %g SOL in %s", b.First, b.Reward, b.Pool))
		both.see(b.Both-dearEnough, fmt.Sprintf("%.1f %% of %g SOL", b.Both, b.Reward))
	}
	return []Promise{
		first.promise(bribeFirst, "points", false),
		both.promise(bribeBoth, "points", false),
	}
}

// groundlessLose looks at pools whose judges hold the credential. A party in the wrong that lost
// may also appeal.
func groundlessLose(runs []poolRun, at int) []Promise {
	objection, counter := newMargin(), newMargin()
	for n := range runs {
		for _, c := range []*cell{runs[n].cells[at], runs[n].cells[everyAt]} {
			if c.pool.holds {
				objection.see(-c.groundless(accept), c.pool.name+", "+c.court.name)
				counter.see(-c.groundless(reject), c.pool.name+", "+c.court.name)
			}
		}
	}
	return []Promise{
		objection.promise(objectionLoses, "% of the reward", true),
		counter.promise(counterLoses, "% of the reward", true),
	}
}

func purseLasts(runs []poolRun) Promise {
	m := newMargin()
	for n := range runs {
		p := runs[n].purse
		m.see(float64(p.Full-p.Golden), fmt.Sprintf("%d of %d in full in %s; least pot %.2f SOL", p.Full, p.Golden, runs[n].cells[0].pool.name, float64(p.Least)/1e9))
	}
	return m.promise("the golden pot pays 10,000 cases in full", "cases", false)
}

// reportUSD is the cost of a report of 6 KB for a judge on a model of 0.25 and 2 USD per million
// tokens.
const reportUSD = .013

// usdPerSOL is the price that the notes of the lab assume.
const usdPerSOL = 90

// readingPays says from which price of SOL on an honest judge of 70 % earns more than it costs to
// read. If it earns nothing somewhere, it says in how many places it earns the cost now.
func readingPays(runs []poolRun, at int) Promise {
	m := newMargin()
	places, paid := 0, 0
	each(runs, at, func(c *cell, share float64, where string) {
		earned := c.named("right in 70 %", share, evenly)
		m.see(earned, where)
		if places++; earned*usdPerSOL > reportUSD*1_000 {
			paid++
		}
	})
	p := m.promise(seventy, millis, true)
	if p.Holds {
		p.Worst = fmt.Sprintf("from %.0f USD a SOL on; %s", reportUSD/m.least*1_000, m.where)
	} else {
		p.Worst += fmt.Sprintf("; at %d USD a SOL in %d of %d", usdPerSOL, paid, places)
	}
	return p
}

// keepCases is how many golden cases a judge sees before the lab asks for its credential, and
// keepTrials how many judges.
const (
	keepCases  = 60
	keepTrials = 200
)

// keeps is how many of the judges with that strategy, all of which passed the exam, still hold
// their credential later.
func (c *cell) keeps(n int) float64 {
	t := &c.tallies[n]
	r := rand.New(rand.NewPCG(uint64(n), 7))
	kept := 0
	for range keepTrials {
		record, _ := rules.Admit(30, 10, 0, 0)
		for i := range keepCases {
			answer, x := act(i%2), r.Float64()*c.cases
			a := act(0)
			for ; a < acts-1 && x >= t.mix[answer][a]; a++ {
				x -= t.mix[answer][a]
			}
			vote := a.seat(stake)
			record = record.After(&vote, []voting.Choice{voting.Accept, voting.Reject}[answer])
		}
		if record.Holds() {
			kept++
		}
	}
	return float64(kept) / keepTrials
}
