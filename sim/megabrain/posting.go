package megabrain

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"ojud/megabrain/pay"
)

// postingCost is what posting an outcome costs, in percent of the budget: the fee of a transaction
// and the use of the bond until it comes back. It comes back if a result is shown in a dispute that
// evaluators had not seen, too.
const postingCost = .01

// postingRules are ways to pay for outcomes. The last ones are tried by the share of the poster.
var postingRules = []struct {
	name   string
	effort bool // without an outcome, evaluators get the share for effort
	poster int
}{
	{"all the same", false, 0},
	{"5 % for the poster", false, 500},
	{"20 % for the poster", false, 2000},
	{"effort without an outcome", true, 0},
	{"effort, 5 % for the poster", true, 500},
	{"effort, 10 % for the poster", true, 1000},
	{"effort, 15 % for the poster", true, 1500},
	{"effort, 20 % for the poster", true, 2000},
}

// shownIn are the chances, in percent, that a worker who withholds its result shows it in a dispute
// of an outcome without it.
var shownIn = []int{0, 25, 50, 75, 90}

// Posting says how many tasks have no outcome by a rule, in percent, if each evaluator thinks of
// itself alone.
type Posting struct {
	Rule     string    `json:"rule"`
	Poster   int       `json:"poster_bps"`
	Open     float64   `json:"all_results_shown"`
	Withheld []float64 `json:"one_withheld"` // and shown in a dispute in 0, 25, 50, 75, 90 of 100
}

// stance is what posting brings, what waiting brings beside a poster, and what evaluators have if
// nobody posts.
type stance struct{ post, wait, none float64 }

// unposted is how often nobody posts: with a chance by which posting and waiting are worth the
// same, so that no evaluator gains by doing the other.
func (x stance) unposted() float64 {
	cost, benefit := x.wait-x.post, x.wait-x.none
	switch {
	case x.post <= x.none:
		return 100
	case cost <= 0:
		return 0
	}
	return math.Round(1000*math.Pow(cost/benefit, float64(judges)/(judges-1))) / 10
}

// post plays tasks by each rule.
func (s Sample) post() (out []Posting) {
	for _, rule := range postingRules {
		w := newWorld(mixture{name: "all honest"}, s, false)
		w.terms.Poster = rule.poster
		r := rand.New(rand.NewPCG(s.Seed, 4000))
		var open, hidden, shown stance
		for range s.Tasks {
			t := w.drawTask(r, false)
			t.bring(&open, w, false, false, rule.effort)
			t.bring(&hidden, w, true, false, rule.effort)
			t.bring(&shown, w, true, true, rule.effort)
		}
		p := Posting{Rule: rule.name, Poster: rule.poster, Open: open.unposted()}
		for _, percent := range shownIn {
			part := float64(percent) / 100
			mix := func(a, b float64) float64 { return part*b + (1-part)*a }
			p.Withheld = append(p.Withheld, stance{mix(hidden.post, shown.post), mix(hidden.wait, shown.wait), hidden.none}.unposted())
		}
		out = append(out, p)
	}
	return out
}

// bring adds what one task brings. The first worker may withhold its result, and show it if an
// outcome without it is posted: then it counts, and evaluators said nothing of it.
func (t task) bring(x *stance, w *world, withheld, shown, effort bool) {
	gain := func(e end, n int) float64 {
		p := e.out.Parts[len(e.Workers)+n]
		return 100 * (float64(p.Paid) - float64(p.Slashed)) / budget
	}
	posted := w.ended(t, withheld, !shown, func(a *pay.Assignment) {
		if !shown {
			a.Poster = name("e", 0)
		}
	})
	none := w.ended(t, withheld, false, func(a *pay.Assignment) {
		a.Unposted = effort
		for i := range a.Workers {
			a.Workers[i].Cluster = ""
		}
	})
	x.post, x.wait, x.none = x.post+gain(posted, 0)-postingCost, x.wait+gain(posted, 1), x.none+gain(none, 0)
}

// ended settles a task of three workers, with further evaluators as far as they are asked for.
func (w *world) ended(t task, withheld, lazy bool, change func(*pay.Assignment)) (e end) {
	e.Assignment = pay.Assignment{Budget: budget, Deadline: 100, Difficulty: 100, Undistributed: "return", Parameters: w.terms}
	e.Parameters.MaxWorkers = 0
	for n := range seats {
		at := int64(1 + n)
		e.Workers = append(e.Workers, pay.Submission{
			ID: name("w", n), Stake: budget / 20, Submitted: &at, Cluster: strconv.Itoa(t.papers[n].answer), LowEffort: withheld && lazy && n == 0,
		})
	}
	change(&e.Assignment)
	for n, called := 0, judges; n < called; n++ {
		e.Evaluators = append(e.Evaluators, pay.Evaluator{ID: name("e", n), Stake: evaluatorStake, Reputation: 5000})
		for i := range e.Workers {
			if i > 0 || !withheld || n >= judges { // further evaluators see what the dispute showed
				e.Evaluations = append(e.Evaluations, pay.Evaluation{Evaluator: name("e", n), Worker: name("w", i), Score: t.scores[n][i], Confidence: 90, At: 200})
			}
		}
		if n+1 == called {
			e.out = pay.Settle(e.Assignment)
			called += e.out.Call
		}
	}
	return e
}

// PostingTable writes how many tasks have no outcome by each rule, in Markdown.
func (f *Findings) PostingTable(w io.Writer) error {
	var b strings.Builder
	b.WriteString("| evaluators get | all results shown |")
	for _, percent := range shownIn {
		fmt.Fprintf(&b, " withheld, shown in %d of 100 |", percent)
	}
	b.WriteString("\n|---|---|" + strings.Repeat("---|", len(shownIn)) + "\n")
	for _, p := range f.Posting {
		fmt.Fprintf(&b, "| %s | %.1f |", p.Rule, p.Open)
		for _, x := range p.Withheld {
			fmt.Fprintf(&b, " %.1f |", x)
		}
		b.WriteString("\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
