package client

import (
	"context"
	"fmt"
	"slices"

	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

// past returns what happened in a case until now, with the times of the chain. What a node does not
// tell any more has no time.
func (c *court) past(ctx context.Context, task onchain.Address) (CaseView, []Change, error) {
	history, broken := c.chain.History(ctx, task)
	view, err := c.Case(ctx, task)
	if err != nil {
		return view, nil, err
	}
	if broken != nil {
		history = nil
	}
	return view, merged(told(history), view), ctx.Err()
}

// merged adds to the changes of a history what a view shows besides.
func merged(out []Change, view CaseView) []Change {
	key := func(c Change) string { return fmt.Sprint(c.Kind, c.Judge, c.Round) }
	ends := func(c Change) bool { return c.Kind == kindDecided || c.Kind == kindUndecided } // a case
	known := map[string]int{}
	for i, change := range out {
		known[key(change)] = i
	}
	var more []Change
	for _, change := range changes(CaseView{}, view) {
		switch i, ok := known[key(change)]; {
		case ok && ends(change):
			out[i].Text = change.Text
			continue
		case ok:
			continue
		case ends(change):
			change.At = view.SettledAt
		case change.Kind != "opened":
			change.At = 0
		}
		more = append(more, change)
	}
	if n := len(out); n > 0 && ends(out[n-1]) {
		return slices.Insert(out, n-1, more...) // the end stays the last
	}
	return append(out, more...) // the case went on after the history was read
}

// told turns the events of a case into changes.
func told(history []ledger.Occurred) (out []Change) {
	seats, committed, revealed, round := 0, 0, 0, uint8(1)
	for _, o := range history {
		for _, event := range o.Events {
			change := Change{At: o.Time, Round: round, Seats: seats}
			switch e := event.(type) {
			case *program.CaseOpened:
				if change.Round = e.Round; e.Round == 1 {
					change.Kind, change.Text = "opened", "the case was opened"
				}
			case *program.Drawn:
				seats, committed, revealed, round = len(e.Seats), 0, 0, e.Round
				change.Seats, change.Round = seats, round
				change.Kind, change.Text = "drawn", fmt.Sprintf("round %d: %d judges were drawn", round, seats)
			case *program.Committed:
				committed++
				change.Kind, change.Judge = "committed", e.Judge.String()
				change.Text = fmt.Sprintf("%s committed, %d of %d", name(change.Judge, int(e.Seat), seats), committed, seats)
			case *program.Revealed:
				if revealed == 0 {
					out = append(out, Change{At: o.Time, Kind: "revealing", Round: round, Text: "the commits are over, the judges reveal"})
				}
				revealed++
				change.Kind, change.Judge, change.Choice = "revealed", e.Judge.String(), e.Choice.String()
				change.Text = fmt.Sprintf("%s voted %s, %d of %d", name(change.Judge, int(e.Seat), seats), e.Choice, revealed, seats)
			case *program.RoundSettled:
				if e.Verdict == voting.NoVerdict {
					change.Kind, change.Text = "void", fmt.Sprintf("round %d had no quorum: accept %s, reject %s, abstain %s of %s seated", e.Round,
						Lamports(e.Accept), Lamports(e.Reject), Lamports(e.Abstain), Lamports(e.Seated))
				}
			case *program.Appealable:
				change.Kind, change.Text = "appealable", verdictWords(e.Verdict)+"; the loser may appeal"
			case *program.Appealed:
				change.Kind, change.Text = "appealed", "the loser appealed; judges that did not sit hear it"
			case *program.CaseFinished:
				change.Kind, change.Text = kindDecided, verdictWords(e.Verdict)
				const _ = uint(3 - voting.Verdicts) // is a case with a fourth verdict decided?
				if e.Verdict == voting.Undecided {
					change.Kind = kindUndecided
				}
			}
			if change.Kind != "" {
				out = append(out, change)
			}
		}
	}
	return out
}
