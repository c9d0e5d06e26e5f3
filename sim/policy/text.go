package policy

import (
	"fmt"
	"io"
	"math"
	"strings"
)

// page writes lines until one fails.
type page struct {
	w   io.Writer
	err error
}

func (p *page) line(format string, a ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintln(p.w, strings.TrimRight(fmt.Sprintf(format, a...), " "))
	}
}

// row writes a name of so many columns, and cells.
func (p *page) row(width int, name string, format string, cells ...float64) {
	var b strings.Builder
	for _, x := range cells {
		fmt.Fprintf(&b, format, x)
	}
	p.line("%-*s%s", width, name, b.String())
}

// title begins a table.
func (p *page) title(text string, notes ...string) {
	p.line("")
	p.line("%s", strings.ToUpper(text))
	for _, n := range notes {
		p.line("%s", n)
	}
}

// columns are the strategies of the table of pools.
var columns = []struct{ head, name string }{
	{"truth", "knows the truth"}, {"best", "best single judge"}, {"mean", "average judge"}, {"80 %", "right in 80 %"},
	{"70 %", "right in 70 %"}, {"60 %", "right in 60 %"}, {"acc.", "always accept"}, {"rej.", "always reject"},
	{"coin", "coin"}, {"long.", "longest pleading"}, {"copy", "copy the majority"},
}

// Text writes the report for people, in 100 columns.
func (r *Findings) Text(w io.Writer) error {
	p := &page{w: w}
	p.line("Rules of the court, played with known truths: %d cases in each of %d pools, seed %d,", r.Setup.Cases, len(r.Pools), r.Setup.Seed)
	p.line("reward %g SOL. Money is in thousandths of a SOL (mSOL) a case, without fees of transactions.", float64(r.Setup.Reward)/1e9)
	r.strategies(p)
	r.rules(p)
	r.golden(p)
	r.parties(p)
	r.colluders(p)
	r.corruption(p)
	p.title("Promises of preset truth, in every pool and with 20, 50 and 80 % right workers")
	for _, x := range r.Promises {
		p.line("%-6s %s", state(x), x.Name)
		p.line("       %s", x.Worst)
	}
	return p.err
}

func state(p Promise) string {
	switch {
	case p.Holds:
		return "holds"
	case p.Open:
		return "open"
	}
	return "FAILS"
}

// of finds a strategy's pay if half of the workers are right.
func (c *courtReport) of(name string) (earning, bool) {
	for _, s := range c.Strategies {
		if s.Name == name {
			return s, true
		}
	}
	return earning{}, false
}

func (r *Findings) strategies(p *page) {
	p.title("What judges earn: preset truth, 10 % golden cases, half of the workers right")
	head := fmt.Sprintf("%-27s", "pool")
	for _, c := range columns {
		head += fmt.Sprintf("%6s", c.head)
	}
	p.line("%s %5s", head, "±")
	keeps := make([]float64, len(columns))
	for _, pool := range r.Pools {
		var cells []float64
		widest := 0.0
		for i, c := range columns {
			e, _ := pool.Courts[truthAt].of(c.name)
			cells = append(cells, e.Earns[1])
			widest = max(widest, e.Error)
			keeps[i] += 100 * *e.Keeps / float64(len(r.Pools))
		}
		name := pool.Name
		if pool.Holds {
			name += " *"
		}
		p.row(27, name, "%6.2f", append(cells, widest)...)
	}
	p.row(27, "keep their seat, %", "%6.0f", keeps...)
	p.line("* The judges pass the entry exam, in its hard kinds too. A judge keeps its seat if it passed the")
	p.line("exam and still holds the credential after %d golden cases (mean of the pools).", keepCases)
	p.line("acc., rej.: always the same; long.: for the longest pleading; copy: as most judges will. Others:")
	for _, name := range []string{
		"always abstain", "never commit", "withhold if losing", "own party in 10 %", "recognises 50 %", "recognises 80 %", "recognises 95 %",
	} {
		least, most := r.span(truthAt, name)
		p.line("  %-26s%6.2f to %.2f", name, least, most)
	}
}

// span is the least and the most that strategies earn in a pool, if half of the workers are right.
func (r *Findings) span(court int, names ...string) (least, most float64) {
	least, most = math.Inf(1), math.Inf(-1)
	for _, pool := range r.Pools {
		for _, name := range names {
			e, _ := pool.Courts[court].of(name)
			least, most = min(least, e.Earns[1]), max(most, e.Earns[1])
		}
	}
	return least, most
}

func (r *Findings) rules(p *page) {
	p.title("The rules beside each other: means of all pools, half of the workers right")
	p.line("%-18s%6s%7s%7s%8s%8s%8s%8s%8s%8s  %s", "rule", "right", "undec.", "votes", "truth", "mean", "70 %", "copy", "reject", "coin", "truth best")
	for n, c := range r.Courts {
		var sum [9]float64
		best := 0
		for _, pool := range r.Pools {
			court := pool.Courts[n]
			for i, x := range []float64{100 * court.Right, 100 * court.Undecided, court.Seats} {
				sum[i] += x / float64(len(r.Pools))
			}
			for i, name := range []string{"knows the truth", "average judge", "right in 70 %", "copy the majority", "always reject", "coin"} {
				e, _ := court.of(name)
				sum[3+i] += e.Earns[1] / float64(len(r.Pools))
			}
			if court.truthIsBest() {
				best++
			}
		}
		p.line("%-18s%5.0f%%%6.0f%%%7.0f%8.2f%8.2f%8.2f%8.2f%8.2f%8.2f  in %d of %d", c.Name, sum[0], sum[1], sum[2],
			sum[3], sum[4], sum[5], sum[6], sum[7], sum[8], best, len(r.Pools))
	}
	for _, c := range r.Courts {
		p.line("  %-18s %s", c.Name, c.About)
	}
}

// truthIsBest reports whether no strategy earns more than the one that knows the truth.
func (c *courtReport) truthIsBest() bool {
	for _, s := range c.Strategies[1:] {
		if s.Earns[1] > c.Strategies[0].Earns[1] {
			return false
		}
	}
	return true
}

func (r *Findings) golden(p *page) {
	p.title("The share of golden cases: preset truth, the least and the most of all pools")
	p.line("%-8s%17s%17s%17s%17s%16s", "share", "truth", "right in 70 %", "always reject", "copy", "truth is best")
	for _, row := range r.Shares {
		line := fmt.Sprintf("%5.0f %% ", 100*row.Share)
		for _, name := range []string{"knows the truth", "right in 70 %", "always reject", "copy the majority"} {
			line += fmt.Sprintf("%17s", fmt.Sprintf("%.2f to %.2f", row.Earns[name][0], row.Earns[name][1]))
		}
		p.line("%s%16s", line, fmt.Sprintf("in %d of %d", row.Best, len(r.Pools)))
	}
}

func (r *Findings) parties(p *page) {
	p.title("Parties in the wrong: preset truth, bonds of 20 % (creator) and 10 % (worker)",
		"Gains of a groundless dispute in % of the reward, and the bonds at which they would be 0.")
	p.line("%-28s%9s%9s%10s%12s%9s%12s%9s", "pool", "refunded", "paid", "undecided", "objection", "even at", "counter-o.", "even at")
	for _, pool := range r.Pools {
		c := pool.Courts[truthAt]
		p.line("%-28s%8.0f%%%8.0f%%%9.0f%%%12.1f%8.0f%%%12.1f%8.0f%%", pool.Name, 100*c.Refunded, 100*c.Paid, 100*c.Undecided, c.Objection, c.Even[0], c.Counter, c.Even[1])
	}
	p.line("refunded: right workers refunded; paid: wrong workers paid, at the end.")
}

func (r *Findings) colluders(p *page) {
	p.title("Colluders of 28 in their own case: preset truth, means of the pools marked *",
		"How often a right worker is refunded, a wrong one paid; what a seat earns, and honestly.")
	p.line("%6s |%9s%9s%9s%8s%8s |%9s%9s%8s%8s", "seats", "refunded", "after", "paid", "seat", "honest", "refunded", "paid", "seat", "honest")
	p.line("%6s |%9s%9s%25s |%34s", "", "at first", "appeal", "clean appeal", "as many in the appeal")
	for k := range maxColluders + 1 {
		var sum [9]float64
		n := 0.0
		for _, pool := range r.Pools {
			if !pool.Holds {
				continue
			}
			c := pool.Coalitions[k]
			for i, x := range []float64{
				100 * c.Clean.First[accept], 100 * c.Clean.Turned[accept], 100 * c.Clean.Turned[reject], c.Clean.Seat / milli, c.Clean.Honest / milli,
				100 * c.Owned.Turned[accept], 100 * c.Owned.Turned[reject], c.Owned.Seat / milli, c.Owned.Honest / milli,
			} {
				sum[i] += x
			}
			n++
		}
		for i := range sum {
			sum[i] /= n
		}
		p.line("%6d |%8.0f%%%8.0f%%%8.0f%%%8.2f%8.2f |%8.0f%%%8.0f%%%8.2f%8.2f", k, sum[0], sum[1], sum[2], sum[3], sum[4], sum[5], sum[6], sum[7], sum[8])
	}
}

func (r *Findings) abstentions(p *page) {
	p.title("The price of abstention: the cheapest among the pools marked *",
		"In % of the reward, for what leaves half of the cases undecided that would have been decided.")
	p.line("%10s%20s%8s%32s%14s%8s", "reward", "without an appeal", "seats", "more undecided after an appeal", "both panels", "seats")
	for _, a := range r.Silences {
		p.line("%6g SOL%20s%8d%31.0f%%%13.1f%%%8s", a.Reward, fmt.Sprintf("%.1f to %.1f %%", a.First, a.Dearest), a.Seats, 100*a.Stands, a.Both, fmt.Sprintf("%d+%d", a.Seats, a.Appeal))
	}
	p.line("An abstention forgoes a pay, in both rounds of a panel. If nobody appeals, the term of the task")
	p.line("decides: with split, the party in the wrong gets half of the reward, less half of its bond.")
}

func (r *Findings) corruption(p *page) {
	p.title("The cost of corruption: the cheapest bribe among the pools marked *",
		"In % of the reward, for what turns half of the cases that would have been decided rightly.")
	p.line("%10s%10s%18s%8s%24s%14s", "reward", "judges", "first panel", "seats", "more wrong in the end", "both panels")
	for _, b := range r.Bribes {
		p.line("%6g SOL%10d%18s%8d%23.0f%%%13.1f%%", b.Reward, b.Judges, fmt.Sprintf("%.1f to %.1f %%", b.First, b.Dearest), b.Seats, 100*b.Stands, b.Both)
	}
	p.line("judges: of 10 SOL, so that their weight covers the reward. seats: of the cheapest. A judge that is")
	p.line("bribed in the appeal loses nothing, and without an appeal none does: any bribe is enough there.")
	r.abstentions(p)
	p.title("Other attacks: what the attacker gains, in mSOL")
	p.line("%-29s%10s%9s  %s", "attack", "today", "truth", "and the others")
	for _, a := range r.Attacks {
		p.line("%-29s%10.1f%9.1f  %s", a.Name, float64(a.Today)/milli, float64(a.Truth)/milli, a.Victim)
	}
	least := r.Pools[0].Purse
	full, golden := 0, 0
	for _, pool := range r.Pools {
		full, golden = full+pool.Purse.Full, golden+pool.Purse.Golden
		if pool.Purse.Least < least.Least {
			least = pool.Purse
		}
	}
	p.line("")
	p.line("The golden pot, from empty, in %d cases of %g SOL in each pool: %d of %d golden cases", r.Setup.purse, float64(purseReward)/1e9, full, golden)
	p.line("are paid in full; the least that was ever left is %.2f SOL.", float64(least.Least)/1e9)
}
