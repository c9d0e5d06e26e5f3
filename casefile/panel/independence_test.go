package panel_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/casefile/casetest"
	"ojud/casefile/panel"
	"ojud/voting"
	"ojud/voting/rules"
)

// ofFamilies is a panel of seats with these families.
func ofFamilies(families ...string) casefile.Panel {
	p := casefile.Panel{Round: 1, History: []casefile.PanelRow{}}
	for i, f := range families {
		p.Seats = append(p.Seats, casefile.PanelSeat{Judge: casefile.Address(casetest.Key("seat:%d", i)), Family: f})
	}
	return p
}

func equal(n int) []casefile.Amount { return slices.Repeat([]casefile.Amount{1_000_000_000}, n) }

// row is an earlier round that the worker won.
func row(i int, choices string) casefile.PanelRow {
	return casefile.PanelRow{Case: casefile.Address(casetest.Key("past:%d", i)), Round: 1, Verdict: casefile.Verdict(voting.ForWorker), Choices: casefile.Choices(choices)}
}

// TestWorthOfPanels: the figures of ADR 0017.
func TestWorthOfPanels(t *testing.T) {
	apart := make([]string, 28)
	for i := range apart {
		apart[i] = fmt.Sprint("family", i)
	}
	six := slices.Repeat([]string{"a", "b", "c", "d", "e", "f"}, 5)[:28]
	for _, c := range []struct {
		name     string
		families []string
		choices  string
		want     string
	}{
		{"28 personas of one model", slices.Repeat([]string{"gpt"}, 28), strings.Repeat("a", 28), "1.80"},
		{"28 models", apart, strings.Repeat("ar", 14), "4.08"},
		{"28 judges of six families", six, strings.Repeat("a", 28), "3.47"},
		{"28 that do not say", make([]string, 28), strings.Repeat("a", 28), "1.80"},
		{"28 of the same code", slices.Repeat([]string{"code"}, 28), strings.Repeat("r", 28), "1.00"},
		{"code and models", []string{"code", "code", "a", "b"}, "aaaa", "1.96"},
		{"a family in common", []string{"a+b", "b"}, "ar", "1.30"},
		{"none in common", []string{"a+b", "c"}, "ar", "1.64"},
		{"one does not say", []string{"a", ""}, "ar", "1.30"},
		{"one vote", []string{"a", "b"}, "a-", "1.00"},
		{"no vote", []string{"a", "b"}, "--", "0.00"},
		{"nobody", nil, "", "0.00"},
	} {
		if got := panel.Independent(ofFamilies(c.families...), casefile.Choices(c.choices), equal(len(c.families))); got.String() != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestWorthLearns: observed rounds move the number from the prior to the observed agreement, and
// rounds that show nothing do not.
func TestWorthLearns(t *testing.T) {
	rows := func(n int, choices ...string) (out []casefile.PanelRow) {
		for i := range n {
			out = append(out, row(i, choices[i%len(choices)]))
		}
		return out
	}
	for _, c := range []struct {
		name     string
		families []string
		history  []casefile.PanelRow
		want     string
	}{
		{"nothing seen", []string{"a", "b"}, nil, "1.64"},
		{"never an error", []string{"a", "b"}, rows(200, "aa"), "1.64"},
		{"only errors", []string{"a", "b"}, rows(200, "rr"), "1.64"},
		{"one never errs", []string{"a", "b"}, rows(200, "ar", "aa"), "1.64"},
		{"they err together", []string{"a", "b"}, rows(200, "rr", "aa"), "1.02"}, // ρ = (10·0.217 + 200) / 210
		{"they err apart", []string{"a", "a"}, rows(200, "ra", "ar", "aa", "aa", "aa", "aa", "aa", "aa", "aa", "aa"), "1.30"},
		{"as chance has it", []string{"a", "a"}, rows(200, "ra", "ar", "rr", "aa"), "1.30"},
		{"ten rounds together", []string{"a", "b"}, rows(10, "rr", "aa"), "1.24"}, // ρ = (2.17 + 10) / 20
		{"one sat in none", []string{"a", "b"}, rows(200, "r--", "-r"), "1.64"},
	} {
		p := ofFamilies(c.families...)
		p.History = c.history
		if got := panel.Independent(p, "ar", equal(2)); got.String() != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// erred is 1 for an error.
func erred(choice, right byte) float64 {
	if choice != right {
		return 1
	}
	return 0
}

// pearson is the correlation of two lists.
func pearson(x, y []float64) float64 {
	mean := func(v []float64) (m float64) {
		for _, e := range v {
			m += e / float64(len(v))
		}
		return m
	}
	mx, my := mean(x), mean(y)
	var xy, xx, yy float64
	for i := range x {
		xy, xx, yy = xy+(x[i]-mx)*(y[i]-my), xx+(x[i]-mx)*(x[i]-mx), yy+(y[i]-my)*(y[i]-my)
	}
	return xy / math.Sqrt(xx*yy)
}

// naive is the same number by the definition: Pearson's correlation of two lists of errors, sums in
// any order.
func naive(p casefile.Panel, choices casefile.Choices, weights []casefile.Amount) float64 {
	rho := func(i, j int) float64 {
		if i == j {
			return 1
		}
		begin := 0.217
		if a, b := p.Seats[i].Family, p.Seats[j].Family; a == "" || b == "" || a == b {
			begin = 0.54
			if a == "code" && b == "code" {
				begin = 1
			}
		}
		var x, y []float64
		for _, r := range p.History {
			right := "ar"[r.Verdict-casefile.Verdict(voting.ForWorker)]
			if r.Choices[i] != '-' && r.Choices[j] != '-' {
				x, y = append(x, erred(r.Choices[i], right)), append(y, erred(r.Choices[j], right))
			}
		}
		if len(x) == 0 || slices.Min(x) == slices.Max(x) || slices.Min(y) == slices.Max(y) {
			return begin
		}
		m := float64(len(x))
		return min(max((10*begin+m*pearson(x, y))/(10+m), begin), 1)
	}
	var all, shared float64
	for i := len(choices) - 1; i >= 0; i-- {
		for j := range choices {
			if choices[i] != '-' && choices[j] != '-' {
				shared += float64(weights[i]) / 1e9 * float64(weights[j]) / 1e9 * rho(i, j)
			}
		}
		if choices[i] != '-' {
			all += float64(weights[i]) / 1e9
		}
	}
	if shared == 0 {
		return 0
	}
	return all * all / shared
}

// drawnPanel is a panel with a history that a generator chose.
func drawnPanel(r *rand.Rand) (casefile.Panel, casefile.Choices, []casefile.Amount) {
	n := 1 + r.IntN(voting.MaxSeats)
	families := make([]string, n)
	for i := range families {
		families[i] = []string{"a", "b", "c", "code", ""}[r.IntN(5)]
	}
	spell := func() casefile.Choices {
		b := make([]byte, n)
		for i := range b {
			b[i] = "aaaaarr-"[r.IntN(8)]
		}
		return casefile.Choices(b)
	}
	p := ofFamilies(families...)
	for i := range r.IntN(60) {
		h := row(i, string(spell()))
		h.Verdict = casefile.Verdict([]voting.Verdict{voting.ForWorker, voting.ForCreator}[r.IntN(2)])
		p.History = append(p.History, h)
	}
	weights := make([]casefile.Amount, n)
	for i := range weights {
		weights[i] = casefile.Amount(1 + r.Uint64N(1<<50))
	}
	return p, spell(), weights
}

// TestWorthIsTheFormula: arithmetic against the definition, and the bounds of the number.
func TestWorthIsTheFormula(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 17))
	for range 400 {
		p, choices, weights := drawnPanel(r)
		got := panel.Independent(p, choices, weights)
		if want := naive(p, choices, weights); math.Abs(float64(got)/100-want) > 0.0051 {
			t.Fatalf("%s, by the definition %f: %d rounds, %s", got, want, len(p.History), choices)
		}
		if votes := len(choices) - strings.Count(string(choices), "-"); int(got) > 100*votes || votes > 0 && got < 100 {
			t.Fatalf("%d votes are worth %s", votes, got)
		}
	}
}

// TestVerdictIsNoTruth: 28 judges of one model err together as recorded ones do (correlation 0.54,
// one vote in five wrong). Measured against verdicts, which they make themselves, their errors hang
// together much less; the panel must not be shown as worth more for that.
//
//	go test -run TestVerdictIsNoTruth -v ./casefile/panel
func TestVerdictIsNoTruth(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 4))
	p, truth := ofFamilies(slices.Repeat([]string{"gpt"}, 28)...), ofFamilies(slices.Repeat([]string{"gpt"}, 28)...)
	for i := range casefile.MaxHistory {
		choices := []byte(strings.Repeat("a", 28)) // the worker is right
		shared := r.Float64() < 0.2
		for k := range choices {
			wrong := r.Float64() < 0.2
			if r.Float64() < math.Sqrt(0.54) {
				wrong = shared
			}
			if wrong {
				choices[k] = 'r'
			}
		}
		h := row(i, string(choices))
		truth.History = append(truth.History, h)
		if 100*strings.Count(string(choices), "a") <= rules.PassPercent*28 {
			h.Verdict = casefile.Verdict(voting.ForCreator)
		}
		p.History = append(p.History, h)
	}
	seen, is := errorsTogether(p), errorsTogether(truth)
	got := panel.Independent(p, casefile.Choices(strings.Repeat("a", 28)), equal(28))
	t.Logf("correlation of errors: %.2f against the truth, %.2f against the verdicts; 28 votes worth %s", is, seen, got)
	if is < 0.45 || seen > 0.4 || got > 180 {
		t.Errorf("%.2f, %.2f, %s", is, seen, got)
	}
}

// errorsTogether is the mean correlation of errors of a panel's pairs.
func errorsTogether(p casefile.Panel) (mean float64) {
	n := len(p.Seats)
	for i := range n {
		for j := range i {
			var x, y []float64
			for _, r := range p.History {
				right := "ar"[r.Verdict-casefile.Verdict(voting.ForWorker)]
				x, y = append(x, erred(r.Choices[i], right)), append(y, erred(r.Choices[j], right))
			}
			mean += pearson(x, y) / float64(n*(n-1)/2)
		}
	}
	return mean
}
