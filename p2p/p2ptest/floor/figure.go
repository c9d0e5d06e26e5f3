package floor

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// Figure is a line of the table of figures (docs/benchmarks.md): a measurement beside its floor in
// the same run.
type Figure struct {
	ID, What    string
	Here, Floor string  // with their units
	Ratio       float64 // of the two; 0: there is none
	Goal        string
	Met         bool
	Others      string // processor time of other processes meanwhile
	Why         string // why it misses its goal; shown if it does
}

// String returns a line of the table, in Markdown.
func (f Figure) String() string {
	ratio, met, why := "", "met", ""
	if f.Ratio != 0 {
		ratio = fmt.Sprintf("%.2f", f.Ratio)
	}
	if !f.Met {
		met, why = "**missed**", f.Why
	}
	return "| " + strings.Join([]string{f.ID, f.What, f.Here, f.Floor, ratio, f.Goal, met, f.Others, why}, " | ") + " |\n"
}

// Tell appends lines to a file, or prints them if it has no name. A missed figure does not fail the
// test, because the table says why.
func Tell(t testing.TB, file string, figures ...Figure) {
	t.Helper()
	out := os.Stdout
	if file != "" {
		f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		}()
		out = f
	}
	for _, f := range figures {
		if _, err := out.WriteString(f.String()); err != nil {
			t.Fatal(err)
		}
	}
}
