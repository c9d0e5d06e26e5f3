package agent

import (
	"fmt"
	"strings"
)

// plan is a model's plan, and its progress.
type plan struct {
	items []string
	notes []string // of the items done
}

func (p *plan) replace(items []string) {
	p.items = append(p.items[:len(p.notes):len(p.notes)], items...)
}

// next marks an item as done.
func (p *plan) next(note string) { p.notes = append(p.notes, note) }

func (p *plan) done() bool { return len(p.items) > 0 && len(p.notes) >= len(p.items) }

func (p *plan) String() string {
	if len(p.items) == 0 {
		return "Make a plan first."
	}
	var b strings.Builder
	b.WriteString("Your plan:\n")
	for i, item := range p.items {
		fmt.Fprintf(&b, "%d. %s", i+1, item)
		switch {
		case i == len(p.notes):
			b.WriteString(" (work on this now)")
		case i < len(p.notes):
			fmt.Fprintf(&b, " (done: %s)", p.notes[i])
		}
		b.WriteString("\n")
	}
	return b.String()
}
