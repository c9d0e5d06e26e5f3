package picture

import (
	"fmt"
	"html/template"

	"ojud/casefile"
	"ojud/voting"
)

// Row is a case in a list.
type Row struct {
	Task, Short, Subject string
	State                CaseState
	Votes                string
	Ring                 Ring
	HasRing              bool
	Reward               string
	Creator, Worker      casefile.Address
	At                   int64 // when it last changed, Unix seconds of the chain
	Over                 bool
	Seats                map[voting.Key]SeatRow // of all panels; of a followed case, of the judge that is asked for
	Picture              func() Ring            // draws Ring; nil: it is drawn
	Drawn                template.HTML          // of Ring, by who keeps the row; empty: it is not
}

// Sum sums a case up.
func Sum(task voting.Key, s Scene, subject string, wanted func(judge voting.Key) bool) Row {
	all := Benches(s)
	row := Row{Task: casefile.Address(task).String(), Short: Short(task), Subject: subject, State: StateOf(s, all), At: s.Look.OpenedAt}
	if _, row.Over = over(s); row.Over {
		row.At = max(row.At, s.Look.SettledAt)
	}
	if t := TermsOf(s); t != nil {
		row.Reward, row.Creator, row.Worker = sol(uint64(t.Reward)), t.Creator, t.Worker
	}
	if o := s.Record.Outcome; o != nil {
		row.At = o.Value.At
	}
	row.Seats = map[voting.Key]SeatRow{}
	said := map[string]string{}
	for _, b := range all {
		for i, at := range b.Seats {
			if wanted(at.Judge) {
				seat := b.row(i, s.Self)
				if known, ok := said[seat.Why]; ok {
					seat.Why = known // judges often say the same, and rows are remembered
				}
				said[seat.Why] = seat.Why
				row.Seats[at.Judge] = seat
			}
		}
	}
	if n := len(all); n > 0 {
		b := all[n-1]
		row.HasRing, row.Picture = true, func() Ring { return draw(b, s.Self, partiesOf(s)) }
		if b.Revealed > 0 {
			row.Votes = fmt.Sprintf("%d : %d", b.Votes[voting.Accept], b.Votes[voting.Reject])
		}
	}
	return row
}

// Subject returns what a task orders, in a line, and whether its document is here.
func Subject(s Scene) (string, bool) {
	t := TermsOf(s)
	if t == nil {
		return "", false
	}
	raw, ok := content(s, t.TaskHash)
	if !ok {
		return "", false
	}
	return new(paper).order(raw), true
}
