package megabrain

import (
	"fmt"
	"io"
	"strings"
)

// Promise is what our payments are to keep in every mix.
type Promise struct {
	Name  string `json:"name"`
	Holds bool   `json:"holds"`
	Where string `json:"where"` // it is closest to failing, or fails
	Open  string `json:"open,omitempty"`
}

func (f *Findings) promise() {
	pools, right := Promise{Name: "no pool pays more than it holds", Holds: true}, Promise{Name: "the paid cluster is wrong no more often than as written", Holds: true}
	for _, m := range f.Mixes {
		if m.Ours.Overdrawn > 0 {
			pools.Holds, pools.Where = false, m.Name
		}
		if m.Ours.Wrong > m.Written.Wrong {
			right.Holds, right.Where = false, m.Name
		}
	}
	f.Promises = []Promise{pools, right}
	for _, m := range f.Mixes[1:] {
		f.Promises = append(f.Promises, Promise{
			Name: "honest agents earn more than " + m.Name, Holds: m.Ours.Honest > m.Ours.Other, Open: m.open,
			Where: fmt.Sprintf("%.2f to %.2f", m.Ours.Honest, m.Ours.Other),
		})
	}
}

// Table writes the figures in Markdown.
func (f *Findings) Table(w io.Writer) error {
	var b strings.Builder
	b.WriteString("| every third agent | honest earns | the other earns | paid cluster right, wrong | inconclusive | pools overdrawn |\n|---|---|---|---|---|---|\n")
	for _, m := range f.Mixes {
		other := fmt.Sprintf("%.2f (%.2f)", m.Ours.Other, m.Written.Other)
		if m.Name == mixtures[0].name {
			other = "-"
		}
		fmt.Fprintf(&b, "| %s | %.2f (%.2f) | %s | %.1f, %.1f (%.1f, %.1f) | %.1f (%.1f) | %.1f (%.1f) |\n", m.Name, m.Ours.Honest, m.Written.Honest, other,
			m.Ours.Right, m.Ours.Wrong, m.Written.Right, m.Written.Wrong, m.Ours.Inconclusive, m.Written.Inconclusive, m.Ours.Overdrawn, m.Written.Overdrawn)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Text writes the findings for people.
func (f *Findings) Text(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%d tasks of each mix, 3 workers, 2 to 5 evaluators. Every third agent is not honest.\n", f.Sample.Tasks)
	b.WriteString("Earnings are percent of the budget for each seat, after the cost of the work.\n")
	for _, part := range []struct {
		title string
		of    func(Mix) Figures
	}{{"OURS", func(m Mix) Figures { return m.Ours }}, {"AS THE PROTOCOL IS WRITTEN", func(m Mix) Figures { return m.Written }}} {
		fmt.Fprintf(&b, "\n%-28s%8s%8s%8s%8s%14s%11s\n", part.title, "honest", "other", "right", "wrong", "inconclusive", "overdrawn")
		for _, m := range f.Mixes {
			x := part.of(m)
			fmt.Fprintf(&b, "%-28s%8.2f%8.2f%8.1f%8.1f%14.1f%11.1f\n", m.Name, x.Honest, x.Other, x.Right, x.Wrong, x.Inconclusive, x.Overdrawn)
		}
	}
	b.WriteString("\nPROMISES OF OURS\n")
	for _, p := range f.Promises {
		state := "holds"
		if !p.Holds {
			state = "FAILS"
		}
		if !p.Holds && p.Open != "" {
			state = "open"
		}
		fmt.Fprintln(&b, strings.TrimRight(fmt.Sprintf("%-6s %s  %s", state, p.Name, p.Where), " "))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
