package braindemo

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"ojud/node/client"
)

// Played is what came of the task.
type Played struct {
	Task    string          `json:"task"`
	Dispute string          `json:"dispute"` // in the court
	Verdict string          `json:"verdict"`
	Status  string          `json:"status"`
	Budget  client.Lamports `json:"budget"`
	Paid    client.Lamports `json:"paid"`
	Slashed client.Lamports `json:"slashed"`
	Agents  []Earned        `json:"agents"`
	// LamportsBefore and LamportsAfter are the sums of all accounts of the chain. They must be
	// equal.
	LamportsBefore uint64  `json:"lamports_before,string"`
	LamportsAfter  uint64  `json:"lamports_after,string"`
	Seconds        float64 `json:"seconds"`
}

// Earned is what an agent got of the task. Bonds are what an outcome brought or cost, in lamports.
type Earned struct {
	Name    string          `json:"name"`
	Role    string          `json:"role"`
	Manner  string          `json:"manner"`
	Honest  bool            `json:"honest"`
	Paid    client.Lamports `json:"paid"`
	Slashed client.Lamports `json:"slashed"`
	Bonds   int64           `json:"bonds,string"`
	Why     string          `json:"why"`
}

// net is what the task brought.
func (e Earned) net() int64 { return int64(e.Paid) - int64(e.Slashed) + e.Bonds }

// check returns what is wrong with the end of the task.
func (p Played) check() (err error) {
	wrong := func(format string, args ...any) { err = errors.Join(err, fmt.Errorf("braindemo: "+format, args...)) }
	var paid, slashed client.Lamports
	for _, e := range p.Agents {
		paid, slashed = paid+e.Paid, slashed+e.Slashed
		switch {
		case e.Honest && e.net() <= 0:
			wrong("%s is honest and has %d lamports of the task", e.Name, e.net())
		case !e.Honest && e.net() > 0:
			wrong("%s is %s and earned %d lamports", e.Name, e.Manner, e.net())
		}
	}
	switch {
	case p.LamportsBefore != p.LamportsAfter:
		wrong("the chain had %d lamports before and %d after", p.LamportsBefore, p.LamportsAfter)
	case p.Status != "settled":
		wrong("the task is %q, not settled", p.Status)
	case p.Verdict != "accept":
		wrong("the court's verdict is %q, not accept", p.Verdict)
	case paid != p.Paid || slashed != p.Slashed || p.Paid > p.Budget:
		wrong("the task paid %s of %s and slashed %s, and its agents got %s and lost %s", p.Paid, p.Budget, p.Slashed, paid, slashed)
	}
	return err
}

// WriteTo writes the table.
func (p Played) WriteTo(out io.Writer) (int64, error) {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	line := func(cells ...string) { _, _ = fmt.Fprintln(w, strings.Join(cells, "\t")) } // a Builder takes everything
	line("AGENT", "MANNER", "PAID", "SLASHED", "BONDS")
	for _, e := range p.Agents {
		sign := ""
		if e.Bonds < 0 {
			sign = "-"
		}
		line(e.Name, e.Manner, e.Paid.String(), e.Slashed.String(), sign+client.Lamports(max(e.Bonds, -e.Bonds)).String())
	}
	_ = w.Flush()
	for _, e := range p.Agents {
		fmt.Fprintf(&b, "%s: %s\n", e.Name, e.Why)
	}
	fmt.Fprintf(&b, "task          %s: %s, %s of %s paid\n", p.Task, p.Status, p.Paid, p.Budget)
	fmt.Fprintf(&b, "page          /brain/%s of every node (--stay keeps the pages up)\n", p.Task)
	fmt.Fprintf(&b, "dispute       %s: the court says %s\n", p.Dispute, p.Verdict)
	fmt.Fprintf(&b, "all lamports  %d before, %d after\n", p.LamportsBefore, p.LamportsAfter)
	fmt.Fprintf(&b, "time          %.1f s\n", p.Seconds)
	n, err := io.WriteString(out, b.String())
	return int64(n), err
}
