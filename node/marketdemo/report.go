package marketdemo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"ojud/casefile/picture"
	"ojud/ledger/onchain"
	"ojud/node/client"
)

// Trades is what came of a market.
type Trades struct {
	Agents   []Trader `json:"agents"`
	Tasks    int      `json:"tasks"`
	Paid     int      `json:"paid"`
	Refunded int      `json:"refunded"` // cancelled ones included
	Judged   int      `json:"judged"`
	Case     string   `json:"case,omitempty"` // a task that the court judged
	// LamportsBefore and LamportsAfter are the sums of all accounts of the chain. They must be
	// equal.
	LamportsBefore uint64  `json:"lamports_before,string"`
	LamportsAfter  uint64  `json:"lamports_after,string"`
	Seconds        float64 `json:"seconds"`
}

// Trader is an agent of the market at its end.
type Trader struct {
	Name    string `json:"name"`
	Kind    string `json:"kind"`
	Creator bool   `json:"creator"`
	Cheats  bool   `json:"cheats"`
	Tasks   int    `json:"tasks"` // posted, or claimed
	Paid    int    `json:"paid"`
	Won     uint32 `json:"cases_won"`
	Lost    uint32 `json:"cases_lost"`
	// Change is what came into the vault, in lamports. Rewards that were paid and bonds are in it,
	// and fees of transactions are not.
	Change int64  `json:"change,string"`
	Why    string `json:"why"`

	rewards int64 // that a creator paid for its tasks
	live    int   // tasks that are not over
	gone    int   // tasks of a creator that nobody took
	fought  int   // tasks that the court judged
}

// because says why an agent has what it has.
func (t Trader) because() string {
	bonds := signed(-t.Change - t.rewards)[1:]
	switch wrong := t.Tasks - t.Paid - t.gone; {
	case t.Creator && t.Cheats:
		return fmt.Sprintf("it fought %s before the court, paid for %d, and lost %s of bonds; %s nobody took", picture.Count(t.fought, "right result", "right results"), t.Paid, bonds, picture.Count(t.gone, "task", "tasks"))
	case t.Creator:
		return fmt.Sprintf("it paid for %s, and not for %d that %s wrong", picture.Count(t.Paid, "right result", "right results"), wrong, map[bool]string{true: "was", false: "were"}[wrong == 1])
	case !t.Cheats:
		return fmt.Sprintf("it was paid for %s, %d by the court", picture.Count(t.Paid, "right result", "right results"), t.fought)
	case t.fought == 0:
		return fmt.Sprintf("it handed in %s, gave in, and was not paid", picture.Count(t.Tasks, "empty result", "empty results"))
	}
	return fmt.Sprintf("it defended %s before the court, and lost its bonds", picture.Count(t.fought, "wrong result", "wrong results"))
}

func (m *market) report(ctx context.Context) (r Trades, err error) {
	all, err := m.people[0].client.Tasks(ctx, client.Filter{})
	if err != nil {
		return r, err
	}
	for _, p := range m.people {
		a, err := p.client.Agent(ctx, onchain.Address{})
		if err != nil {
			return r, err
		}
		t := Trader{Name: p.name, Kind: p.kind, Creator: p.creator, Cheats: p.cheats, Won: a.CasesWon, Lost: a.CasesLost, Change: int64(a.Vault) - int64(vault)}
		for _, v := range all {
			if v.Creator != p.client.Me() && v.Worker != p.client.Me() {
				continue
			}
			t.Tasks++
			if v.Outcome == "paid" {
				t.Paid++
				t.rewards += int64(v.Price)
			}
			if v.FinishedAt == 0 {
				t.live++
			}
			if v.CounterHash != "" {
				t.fought++
			}
			if v.Worker == "" && v.FinishedAt != 0 {
				t.gone++
			}
		}
		t.Why = t.because()
		r.Agents = append(r.Agents, t)
	}
	for _, v := range all {
		r.Tasks++
		switch v.Outcome {
		case "paid":
			r.Paid++
		case "refunded":
			r.Refunded++
		}
		if v.CounterHash != "" {
			r.Judged++
			r.Case = v.Task
		}
	}
	return r, nil
}

// conserved checks that no lamport came or went.
func (r Trades) conserved() error {
	if r.LamportsBefore != r.LamportsAfter {
		return fmt.Errorf("marketdemo: the chain had %d lamports before and %d after", r.LamportsBefore, r.LamportsAfter)
	}
	return nil
}

// check returns what is wrong with the end of a market, besides the sum of all lamports.
func (r Trades) check() (err error) {
	wrong := func(format string, args ...any) { err = errors.Join(err, fmt.Errorf("marketdemo: "+format, args...)) }
	if r.Judged < 2 {
		wrong("the court judged %d tasks, and the cheats make at least 2", r.Judged)
	}
	worked := 0
	for _, t := range r.Agents {
		honest := !t.Cheats && !t.Creator
		if honest && t.Tasks > 0 {
			worked++
		}
		switch {
		case t.live > 0:
			wrong("%d tasks of %s are not over", t.live, t.Name)
		case t.Tasks == 0 && honest: // others were faster each time
		case t.Tasks == 0:
			wrong("%s did not trade", t.Name)
		case !t.Cheats && t.Lost > 0:
			wrong("%s is honest and lost %s", t.Name, picture.Count(int(t.Lost), "case", "cases"))
		case honest && t.Paid != t.Tasks:
			wrong("%s is honest and was paid for %d of %d tasks", t.Name, t.Paid, t.Tasks)
		case t.Cheats && !t.Creator && t.Paid > 0:
			wrong("%s cheats and was paid for %d tasks", t.Name, t.Paid)
		case honest && t.Change <= 0:
			wrong("%s is honest and earned %d lamports", t.Name, t.Change)
		case !t.Cheats && t.Creator && -t.Change != t.rewards:
			wrong("%s is honest, paid %d lamports and has %d less", t.Name, t.rewards, -t.Change)
		case t.Cheats && !t.Creator && t.Change > 0:
			wrong("%s cheats and earned %d lamports", t.Name, t.Change)
		case t.Cheats && t.Creator && -t.Change <= t.rewards:
			wrong("%s cheats and paid %d lamports for work of %d", t.Name, -t.Change, t.rewards)
		}
	}
	if worked == 0 {
		wrong("the honest workers did not trade")
	}
	return err
}

// signed writes an amount with its sign.
func signed(lamports int64) string {
	if lamports < 0 {
		return "-" + client.Lamports(-lamports).String()
	}
	return "+" + client.Lamports(lamports).String()
}

// WriteTo writes the table of the agents, and below it why each has what it has.
func (r Trades) WriteTo(out io.Writer) (int64, error) {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	line := func(cells ...string) { _, _ = fmt.Fprintln(w, strings.Join(cells, "\t")) } // a Builder takes everything
	line("AGENT", "MANNER", "TASKS", "PAID", "CASES", "CHANGE")
	for _, t := range r.Agents {
		line(t.Name, t.Kind, fmt.Sprint(t.Tasks), fmt.Sprint(t.Paid), fmt.Sprintf("%d won, %d lost", t.Won, t.Lost), signed(t.Change))
	}
	_ = w.Flush()
	for _, t := range r.Agents {
		b.WriteString(folded(t.Name + ": " + t.Why))
	}
	fmt.Fprintf(&b, "tasks         %d: %d paid, %d refunded; the court judged %d\n", r.Tasks, r.Paid, r.Refunded, r.Judged)
	fmt.Fprintf(&b, "all lamports  %d before, %d after\n", r.LamportsBefore, r.LamportsAfter)
	fmt.Fprintf(&b, "time          %.1f s\n", r.Seconds)
	n, err := io.WriteString(out, b.String())
	return int64(n), err
}

// folded writes a sentence in lines of at most 98 columns, further ones with an indent.
func folded(text string) string {
	const width = 98
	var out strings.Builder
	at := 0
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
		case at+1+len(word) > width:
			out.WriteString("\n   ")
			at = 3
			fallthrough
		default:
			out.WriteByte(' ')
			at++
		}
		out.WriteString(word)
		at += len(word)
	}
	return out.String() + "\n"
}
