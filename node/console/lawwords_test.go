package console

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"ojud/ledger/program"
)

// TestSentences: every parameter stands in a sentence, and every sentence is whole, whichever
// parameters are 0.
func TestSentences(t *testing.T) {
	t.Parallel()
	named := map[string]bool{}
	for _, part := range wording() {
		for _, c := range part.clauses {
			for _, found := range placeholder.FindAllStringSubmatch(c.text, -1) {
				named[found[1]] = true
			}
		}
	}
	zero, some, texts := map[string]uint64{}, map[string]uint64{}, map[string]string{}
	for _, p := range program.DefaultParams().List() {
		if !named[p.Name] {
			t.Errorf("no sentence names %s", p.Name)
		}
		delete(named, p.Name)
		some[p.Name], texts[p.Name] = 1, "<"+p.Name+">"
	}
	for name := range named {
		t.Errorf("%q is no parameter", name)
	}
	for _, part := range wording() {
		for _, c := range part.clauses {
			if name := strings.TrimPrefix(c.when, "!"); name != "" && texts[name] == "" {
				t.Errorf("%q depends on %q, which is no parameter", c.text, name)
			}
		}
	}
	for _, values := range []map[string]uint64{zero, some} {
		all := fmt.Sprint(sentences(values, texts))
		if placeholder.MatchString(all) || len(all) < 1_000 {
			t.Error(all)
		}
	}
	if none, full := fmt.Sprint(sentences(zero, texts)), fmt.Sprint(sentences(some, texts)); !strings.Contains(none, "has no golden cases") || strings.Contains(full, "has no golden cases") || !strings.Contains(full, "<golden_gain> times") || strings.Contains(none, "<golden_gain>") {
		t.Error(none, full)
	}
}

// TestLab: the figures of the page are those of docs/rules.md, which a test of sim/policy holds to
// the lab.
func TestLab(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../docs/rules.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range lab() {
		found := false
		for line := range strings.Lines(string(raw)) {
			cells := strings.Fields(line)
			if len(cells) < 10 || cells[0] != r.Name || !strings.HasSuffix(cells[1], "%") {
				continue
			}
			found = true
			if want := []string{fmt.Sprintf("%.2f", r.Truth), fmt.Sprintf("%.2f", r.Seventy), fmt.Sprintf("%.2f", r.Copy), fmt.Sprintf("%.2f", r.Reject), fmt.Sprintf("%.2f", r.Coin)}; fmt.Sprint(want) != fmt.Sprint([]string{cells[4], cells[6], cells[7], cells[8], cells[9]}) {
				t.Errorf("%s: %v, and docs/rules.md has %s", r.Name, want, line)
			}
		}
		if !found {
			t.Errorf("docs/rules.md has no row %s", r.Name)
		}
	}
	for _, b := range labBars("truth", false) {
		if b.Here {
			t.Errorf("a court without golden cases: %+v", b)
		}
	}
	for _, b := range labBars("truth", true) {
		if b.Here != (b.Name == "truth") {
			t.Errorf("%+v", b)
		}
		for _, row := range b.Rows {
			if row.X < -0.1 || row.X+row.Width > barsWidth+0.1 || row.Width <= 0 || strings.HasPrefix(row.Text, "−") != (row.X < row.Zero-0.01) {
				t.Errorf("%s: %+v", b.Name, row)
			}
		}
	}
}

// TestExpects: the worth of a vote is that of docs/rules.md, pay·(5p − 3) with one golden case in
// ten, and the pay alone without golden cases.
func TestExpects(t *testing.T) {
	t.Parallel()
	const pay = 500_000
	o := expects(pay, 0.1, 10, 4)
	if o.Most != "+0.001 SOL" || o.Least != "−0.00025 SOL" || !strings.Contains(o.Words, "breaks even at 60 %") {
		t.Errorf("%+v", o)
	}
	if o = expects(pay, 0, 10, 4); o.Least != "0 SOL" || o.Most != "+0.0005 SOL" || !strings.Contains(o.Words, "no golden cases") {
		t.Errorf("%+v", o)
	}
	if o = expects(0, 0, 0, 0); strings.Contains(o.Line, "NaN") {
		t.Errorf("%+v", o)
	}
}
