package megabrain

import (
	"fmt"
	"io"
	"strings"

	"ojud/megabrain/pay"
)

// Promise is what our payments are to keep in every mix.
type Promise struct {
	Name  string `json:"name"`
	Holds bool   `json:"holds"`
	Where string `json:"where"` // it is closest to failing, or fails
}

// everywhere is a promise about each mix: that the least of what it says is at least zero.
func (f *Findings) everywhere(name string, margin func(Mix) float64, say func(Mix) string) {
	p, least := Promise{Name: name, Holds: true}, 1e9
	for _, m := range f.Mixes {
		if x := margin(m); x < least {
			p.Holds, p.Where, least = x >= 0, m.Name+": "+say(m), x
		}
	}
	f.Promises = append(f.Promises, p)
}

func (f *Findings) promise() {
	f.everywhere("no pool pays more than it holds", func(m Mix) float64 { return -m.Ours.Overdrawn - m.Equal.Overdrawn },
		func(m Mix) string { return fmt.Sprintf("%.1f %%", m.Ours.Overdrawn+m.Equal.Overdrawn) })
	f.everywhere("the paid cluster is wrong no more often than as written", func(m Mix) float64 { return m.Written.Wrong - max(m.Ours.Wrong, m.Equal.Wrong) },
		func(m Mix) string {
			return fmt.Sprintf("%.1f to %.1f", max(m.Ours.Wrong, m.Equal.Wrong), m.Written.Wrong)
		})
	f.everywhere("without golden tasks, the paid cluster is right at least as often as written, but for spite", func(m Mix) float64 {
		if strings.HasPrefix(m.Name, "spiteful") { // most evaluators of a task decide; ADR 0187
			return m.Written.Wrong - m.Equal.Wrong
		}
		return m.Equal.Right - m.Written.Right
	},
		func(m Mix) string { return fmt.Sprintf("%.1f to %.1f", m.Equal.Right, m.Written.Right) })
	f.everywhere("with golden tasks, the paid cluster is right more often than as written", func(m Mix) float64 { return m.Ours.Right - m.Written.Right - .1 },
		func(m Mix) string { return fmt.Sprintf("%.1f to %.1f", m.Ours.Right, m.Written.Right) })
	for _, p := range f.Posting {
		if p.Poster == pay.Defaults().Poster {
			f.Promises = append(f.Promises, Promise{
				Name: "outcomes are posted, also without a result that every second worker shows later", Holds: p.Open < 2 && p.Withheld[2] < 2,
				Where: fmt.Sprintf("%.1f and %.1f %% are not", p.Open, p.Withheld[2]),
			})
		}
	}
	for _, m := range f.Mixes[1:] {
		f.Promises = append(f.Promises, Promise{
			Name: "honest agents earn more than " + m.Name, Holds: m.Ours.Honest > m.Ours.Other,
			Where: fmt.Sprintf("%.2f to %.2f", m.Ours.Honest, m.Ours.Other),
		})
	}
	for _, c := range f.Caught {
		p := Promise{Name: "at least 90 % are caught: " + c.Name, Holds: c.All >= 90, Where: fmt.Sprintf("%.1f", c.All)}
		if c.Honest {
			p.Name, p.Holds = "at most 2 % are taken for rubber stamps: "+c.Name, c.All <= 2
		}
		f.Promises = append(f.Promises, p)
	}
}

// Table writes what each earns, in Markdown.
func (f *Findings) Table(w io.Writer) error {
	var b strings.Builder
	b.WriteString("| every third agent | honest earns | the other earns | paid cluster right | wrong | inconclusive | pools overdrawn |\n|---|---|---|---|---|---|---|\n")
	three := func(form string, of func(Figures) float64, m Mix) string {
		return fmt.Sprintf(form+" / "+form+" / "+form, of(m.Ours), of(m.Equal), of(m.Written))
	}
	for _, m := range f.Mixes {
		other := "-"
		if m.Name != mixtures[0].name {
			other = three("%.2f", func(f Figures) float64 { return f.Other }, m)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s |\n", m.Name, three("%.2f", func(f Figures) float64 { return f.Honest }, m), other,
			three("%.1f", func(f Figures) float64 { return f.Right }, m), three("%.1f", func(f Figures) float64 { return f.Wrong }, m),
			three("%.1f", func(f Figures) float64 { return f.Inconclusive }, m), three("%.0f", func(f Figures) float64 { return f.Overdrawn }, m))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// CaughtTable writes who is taken for a rubber stamp, in Markdown.
func (f *Findings) CaughtTable(w io.Writer) error {
	var b strings.Builder
	b.WriteString("| evaluators | caught within 10 golden tasks | within 50 | golden tasks passed |\n|---|---|---|---|\n")
	for _, c := range f.Caught {
		fmt.Fprintf(&b, "| %s | %.1f | %.1f | %.1f |\n", c.Name, c.Ten, c.All, c.Passed)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Text writes the findings for people.
func (f *Findings) Text(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%d tasks of each mix, with 3 to %d workers and 2 to %d evaluators. One agent in %d is not\nhonest. To %d tasks there is a golden one.\n",
		f.Sample.Tasks, f.Sample.MaxWorkers, f.Sample.MaxEvaluators, f.Sample.Others, f.Sample.Golden)
	b.WriteString("Earnings are percent of the budget for each turn of an agent, after the cost of the work.\n")
	for _, part := range []struct {
		title string
		of    func(Mix) Figures
	}{
		{"OURS, WITH GOLDEN TASKS", func(m Mix) Figures { return m.Ours }}, {"WITHOUT GOLDEN TASKS", func(m Mix) Figures { return m.Equal }},
		{"AS THE PROTOCOL IS WRITTEN", func(m Mix) Figures { return m.Written }},
	} {
		fmt.Fprintf(&b, "\n%-28s%8s%8s%8s%8s%14s%11s\n", part.title, "honest", "other", "right", "wrong", "inconclusive", "overdrawn")
		for _, m := range f.Mixes {
			x := part.of(m)
			fmt.Fprintf(&b, "%-28s%8.2f%8.2f%8.1f%8.1f%14.1f%11.1f\n", m.Name, x.Honest, x.Other, x.Right, x.Wrong, x.Inconclusive, x.Overdrawn)
		}
	}
	least, most := f.Mixes[0].Cost, f.Mixes[0].Cost
	for _, m := range f.Mixes {
		least, most = min(least, m.Cost), max(most, m.Cost)
	}
	fmt.Fprintf(&b, "\nGolden tasks pay %.1f to %.1f %% of all other budgets.\n", least, most)
	fmt.Fprintf(&b, "\n%-28s%24s%24s%10s\n", "TAKEN FOR RUBBER STAMPS, %", "within 10 golden tasks", "within 50", "passed")
	for _, c := range f.Caught {
		fmt.Fprintf(&b, "%-28s%24.1f%24.1f%10.1f\n", c.Name, c.Ten, c.All, c.Passed)
	}
	fmt.Fprintf(&b, "\n%-28s%9s%9s%9s%9s%9s%9s\n", "TASKS WITHOUT OUTCOME, %", "all", "withheld", "25 %", "50 %", "75 %", "90 %")
	for _, p := range f.Posting {
		fmt.Fprintf(&b, "%-28s%9.1f", p.Rule, p.Open)
		for _, x := range p.Withheld {
			fmt.Fprintf(&b, "%9.1f", x)
		}
		b.WriteString("\n")
	}
	b.WriteString("\nPROMISES OF OURS\n")
	for _, p := range f.Promises {
		state := "holds"
		if !p.Holds {
			state = "FAILS"
		}
		fmt.Fprintf(&b, "%-6s %s  (%s)\n", state, p.Name, p.Where)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
