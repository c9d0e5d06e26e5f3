package policy

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"ojud/test/longtest"
	"ojud/voting"
	"ojud/voting/rules"
)

var asDecided = rules.SecondLaw(rules.PayTruth)

// played once for all tests: the default options, as CI and people run them.
var defaults = sync.OnceValues(func() ([]poolRun, error) { return play(context.Background(), DefaultSetup(), courts(asDecided)) })

func runs(t *testing.T) []poolRun {
	t.Helper()
	all, err := defaults()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func report(t *testing.T) *Findings {
	t.Helper()
	r, err := newReport(DefaultSetup(), courts(asDecided), runs(t))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestPromises holds preset truth to what docs/rules.md promises. A promise that is open must fail:
// one that a new rule keeps leaves the list.
func TestPromises(t *testing.T) {
	longtest.Only(t)
	all := report(t).Promises
	for _, p := range all {
		if p.Holds == p.Open {
			t.Errorf("%s: holds %t, open %t: %s", p.Name, p.Holds, p.Open, p.Worst)
		}
	}
	for _, name := range open {
		if !slices.ContainsFunc(all, func(p Promise) bool { return p.Name == name }) {
			t.Errorf("there is no promise %q", name)
		}
	}
}

// TestOtherCourts: the promises to judges hold for every way to appeal, and for small panels.
func TestOtherCourts(t *testing.T) {
	longtest.Only(t)
	for at, c := range courts(asDecided)[truthAt:] {
		at += truthAt
		all := []Promise{bestPaid(runs(t), at), blindLose(runs(t), at), abstainEarnsNothing(runs(t), at)}
		all = append(all, copying(runs(t), at)...)
		all = append(all, never(runs(t), at, "withholding never beats revealing", "withhold if losing", "average judge"))
		for _, p := range all {
			if !p.Holds {
				t.Errorf("%s: %s: %s", c.name, p.Name, p.Worst)
			}
		}
		t.Logf("%s: %s", c.name, readingPays(runs(t), at).Worst)
	}
}

// TestLeastReport: at 90 USD a SOL, an honest judge of 70 % earns more than it costs to read a
// report of 6 KB in more than half of the pools and shares of right workers, at 200 USD in four of
// five, and at 50 USD in fewer.
func TestLeastReport(t *testing.T) {
	paidAt := func(usd float64) (n int) {
		each(runs(t), truthAt, func(c *cell, share float64, _ string) {
			if c.named("right in 70 %", share, evenly)*usd > reportUSD*1_000 {
				n++
			}
		})
		return n
	}
	for usd, least := range map[float64]int{usdPerSOL: 26, 200: 41} {
		if n := paidAt(usd); n < least {
			t.Errorf("at %.0f USD a SOL it earns its cost in %d of 51, at least %d are promised", usd, n, least)
		}
	}
	if n, more := paidAt(50), paidAt(usdPerSOL); n >= more {
		t.Errorf("%d at 50 USD, %d at %d", n, more, usdPerSOL)
	}
	t.Logf("in %d of 51 at 50 USD a SOL, in %d at %d, in %d at 200", paidAt(50), paidAt(usdPerSOL), usdPerSOL, paidAt(200))
}

// TestPromisesControl: the same checks find that rules which pay for agreement break the promises.
func TestPromisesControl(t *testing.T) {
	longtest.Only(t)
	for at, broken := range map[int][]string{
		0: {"the judge that knows the truth is paid best", "judges that read nothing lose", "copying the majority never beats the truth"},
		1: {"the judge that knows the truth is paid best", "judges that read nothing lose", "copying loses where the majority errs in 45 %"},
	} {
		all := promises(runs(t), at, report(t).Bribes)
		for _, name := range broken {
			i := slices.IndexFunc(all, func(p Promise) bool { return p.Name == name })
			if all[i].Holds {
				t.Errorf("%s keeps the promise: %s (%s)", courts(asDecided)[at].name, name, all[i].Worst)
			}
		}
	}
}

// TestRewards: what judges are paid for does not depend on the reward, though a seat can lose no
// more than a tenth of its weight.
func TestRewards(t *testing.T) {
	longtest.Only(t)
	for _, reward := range []uint64{100_000_000, 100_000_000_000} {
		o := DefaultSetup()
		o.Cases, o.purse, o.Reward = 200, 10, reward
		all, err := play(t.Context(), o, courts(asDecided))
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range []Promise{bestPaid(all, truthAt), blindLose(all, truthAt), abstainEarnsNothing(all, truthAt)} {
			if !p.Holds {
				t.Errorf("at %d lamports: %s: %s", reward, p.Name, p.Worst)
			}
		}
	}
}

// near checks that a figure is within a tolerance of the oracle's.
func near(t *testing.T, what string, got, least, most float64) {
	t.Helper()
	if got < least || got > most || math.IsNaN(got) {
		t.Errorf("%s: %.3f, the oracle says %.2f to %.2f", what, got, least, most)
	}
}

// TestOracle compares the lab with an independent model of the same rules, which was written in
// another language before the lab. Its figures are in fees a case; a fee is 1 mSOL here. Where the
// pools differ, the range of the oracle is widened by the standard error.
func TestOracle(t *testing.T) {
	for _, run := range runs(t) {
		for _, at := range []int{truthAt, quietAt} {
			c := run.cells[at]
			name := c.pool.name + ", " + c.court.name
			get := func(strategy string) float64 { return c.named(strategy, evenly, evenly) }
			slack := 3 * c.err(c.find("average judge")) / milli
			// The oracle lets a judge be paid for its vote in every case. The lab pays nothing for
			// a round that was void and drawn again, which is up to 17 % of the pay.
			near(t, "truth in "+name, get("knows the truth"), .80, 1.001)
			near(t, "abstain in "+name, get("always abstain"), 0, 0)
			near(t, "accept in "+name, get("always accept"), -.25-.2, -.25+.001)
			near(t, "reject in "+name, get("always reject"), -.71-slack, -.25+.001)
			near(t, "coin in "+name, get("coin"), -.48-slack, -.25+.001)
			if at == quietAt {
				near(t, "80 % in "+name, get("right in 80 %"), .30, .501)
				near(t, "70 % in "+name, get("right in 70 %"), .05, .251)
				near(t, "60 % in "+name, get("right in 60 %"), -.2, .001)
			} else {
				near(t, "80 % in "+name, get("right in 80 %"), .39-.1-slack, .51)
				near(t, "70 % in "+name, get("right in 70 %"), .11-.05-slack, .26)
				near(t, "60 % in "+name, get("right in 60 %"), -.19-slack, .001)
			}
		}
	}
}

// TestOracleReach compares what coalitions reach with the oracle's table: right workers refunded by
// k seats at first, in the end with k more in the appeal, and in the end with a clean appeal.
func TestOracleReach(t *testing.T) {
	o := DefaultSetup()
	o.Cases = 1_600
	all, err := pools()
	if err != nil {
		t.Fatal(err)
	}
	all = append(all, drawnPool(.85, .3), drawnPool(.95, .3))
	for name, oracle := range map[string]map[int][3]float64{
		"six families, natural": {0: {.07, .06, .07}, 5: {.19, .16, .12}, 7: {.42, .34, .16}, 9: {.82, .75, .16}, 10: {.99, .99, .18}},
		"drawn 85 %, corr. 0.3": {0: {.13, .09, .08}, 5: {.34, .23, .09}, 7: {.53, .40, .11}, 9: {.88, .82, .12}, 10: {1, 1, .13}},
		"drawn 95 %, corr. 0.3": {0: {.01, .01, .01}, 5: {.09, .05, .02}, 7: {.18, .10, .01}, 9: {.75, .58, .01}, 10: {1, 1, .02}},
	} {
		p := all[slices.IndexFunc(all, func(p *population) bool { return p.name == name })]
		played, err := playCoalitions(t.Context(), p, courts(asDecided)[truthAt], o, 5)
		if err != nil {
			t.Fatal(err)
		}
		for k, want := range oracle {
			c := played[k]
			for i, got := range []float64{c.clean.First[accept], c.owned.Turned[accept], c.clean.Turned[accept]} {
				// Four standard errors of 200 cases, and two points of the oracle's rounding.
				slack := .02 + 4*math.Sqrt(want[i]*(1-want[i])/200)
				near(t, name, got, want[i]-slack, want[i]+slack)
			}
		}
	}
}

// TestAttacks: the figures of today are those that the attacks measured on the program.
func TestAttacks(t *testing.T) {
	all, err := attacks()
	if err != nil {
		t.Fatal(err)
	}
	today := map[string]int64{"12 undecidable tasks": 33_750_000_000, "27 judges absent": 4_050_000_000, "14 losers withhold, a seat": 10_000_000, "6 claims, nothing done": 0}
	found := 0
	for _, a := range all {
		if want, ok := today[a.Name]; ok {
			found++
			if a.Today != want || a.Truth >= 0 {
				t.Errorf("%+v: today %d lamports were measured", a, want)
			}
		}
	}
	if found != len(today) || len(all) < 9 {
		t.Errorf("%d of %d attacks: %+v", found, len(today), all)
	}
}

// TestSameSeed: a run follows from its options.
func TestSameSeed(t *testing.T) {
	longtest.Only(t)
	o := DefaultSetup()
	o.Cases, o.purse = minCases, 100
	var texts []string
	for _, seed := range []uint64{1, 1, 2} {
		o.Seed = seed
		r, err := Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		r.Setup.Seed = 0
		raw, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(raw))
	}
	if texts[0] != texts[1] {
		t.Error("one seed gave two reports")
	}
	if texts[0] == texts[2] {
		t.Error("two seeds gave one report")
	}
}

func TestSetup(t *testing.T) {
	for field, change := range map[string]func(*Setup){
		"cases is 39":           func(o *Setup) { o.Cases = 39 },
		"cases is 1000001":      func(o *Setup) { o.Cases = maxCases + 1 },
		"reward is 1 lamports":  func(o *Setup) { o.Reward = 1 },
		"at most the reward":    func(o *Setup) { o.Fee = o.Reward + 1 },
		"reward is 10000000000": func(o *Setup) { o.Reward = 10 * maxReward },
	} {
		o := DefaultSetup()
		change(&o)
		if _, err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("%s: %v", field, err)
		}
	}
}

// TestText: a person can read it in a terminal of 100 columns.
func TestText(t *testing.T) {
	r := report(t)
	var text bytes.Buffer
	if err := r.Text(&text); err != nil {
		t.Fatal(err)
	}
	for i, l := range strings.Split(text.String(), "\n") {
		if n := utf8.RuneCountInString(l); n > 100 || strings.Contains(l, "NaN") || strings.Contains(l, "Inf") || strings.Contains(l, "%!") {
			t.Errorf("line %d, %d columns: %s", i+1, n, l)
		}
	}
	for _, p := range r.Pools {
		if strings.Count(text.String(), p.Name) < 2 {
			t.Errorf("%s is missing", p.Name)
		}
	}
	if err := r.Text(broken{}); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("writing failed with %v", err)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// TestPicture: the SVG is XML with a mark for each pool, court and strategy.
func TestPicture(t *testing.T) {
	r := report(t)
	var text bytes.Buffer
	if err := r.SVG(&text); err != nil {
		t.Fatal(err)
	}
	circles := 0
	for d := xml.NewDecoder(&text); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "circle" {
			circles++
		}
	}
	if want := len(marks) * (1 + 2*len(r.Pools)); circles != want {
		t.Errorf("%d marks, want %d", circles, want)
	}
	if err := r.SVG(broken{}); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("writing failed with %v", err)
	}
}

// TestRates: the rates that are shipped can be read, and bad ones are refused.
func TestRates(t *testing.T) {
	all, err := pools()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		d := newDispute(p, reject, 1, 3, 4)
		for _, r := range append(slices.Clone(d.item.families), d.item.best, p.average(&d.item)) {
			if r.right < 0 || r.wrong < 0 || r.right+r.wrong > 1+1e-9 {
				t.Errorf("%s: %+v", p.name, r)
			}
		}
		sum := 0.0
		for _, f := range p.families {
			sum += f.weight
		}
		if math.Abs(sum-1) > 1e-9 || len(p.families) != len(d.item.families) {
			t.Errorf("%s: weights add up to %g", p.name, sum)
		}
	}
	for _, cell := range []string{"", "1:2", "a:1:2", "1:2:3:4"} {
		if _, err := rateOf(cell); err == nil {
			t.Errorf("%q is a rate", cell)
		}
	}
	if _, _, err := table("a,b\n1"); err == nil {
		t.Error("a short row was read")
	}
}

// TestActs: the lab's acts are the choices of the court.
func TestActs(t *testing.T) {
	for _, c := range []voting.Choice{voting.Accept, voting.Reject, voting.Abstain} {
		if s := of(c).seat(1); !s.Revealed || s.Choice != c {
			t.Errorf("%s: %+v", c, s)
		}
	}
	if s := withhold.seat(1); !s.Committed || s.Revealed {
		t.Errorf("withhold: %+v", s)
	}
	if s := stayAway.seat(1); s.Committed {
		t.Errorf("stay away: %+v", s)
	}
	if other(accept) != reject || other(reject) != accept {
		t.Error("the other side is not the other")
	}
	if l := goldenLaw(rules.PayTruth, 500); l.GoldenGain != 20 || l.GoldenBps != 500 {
		t.Errorf("%+v", l)
	}
}

// TestDocument: the lab prints the rows of its tables that docs/rules.md shows.
func TestDocument(t *testing.T) {
	raw, err := os.ReadFile("../../docs/rules.md")
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := report(t).Text(&text); err != nil {
		t.Fatal(err)
	}
	printed := strings.Split(text.String(), "\n")
	seen := 0
	for i, block := range strings.Split(string(raw), "```") {
		shown, ours := strings.CutPrefix(block, "text\n")
		if i%2 == 0 || !ours {
			continue
		}
		for _, l := range strings.Split(shown, "\n") {
			if seen++; !slices.Contains(printed, l) {
				t.Errorf("the lab does not print: %s", l)
			}
		}
	}
	if seen < 60 {
		t.Errorf("only %d lines of the lab are shown", seen)
	}
}
