package picture

import (
	"fmt"
	"slices"

	"ojud/casefile"
)

// reasons sums up what the judges checked, and groups opinions in the same words.
func reasons(b Bench) (checks []checkRow, out []reason) {
	rows := map[string]int{}
	groups := map[string]int{}
	for i, s := range b.Seats {
		opinion := s.Said.Opinion
		if opinion == nil || !s.counts() {
			continue // an opinion is shown when its vote is
		}
		for _, f := range opinion.Findings {
			name := Line(f.Check)
			at, ok := rows[name]
			if !ok {
				if at = len(checks); at >= casefile.MaxFindings {
					continue
				}
				rows[name], checks = at, append(checks, checkRow{Check: name, Detail: Line(f.Detail)})
			}
			switch f.Outcome {
			case casefile.Pass:
				checks[at].Pass++
			case casefile.Fail:
				checks[at].Fail++
			default:
				checks[at].Unknown++
			}
		}
		says, summary := s.Choice.String(), plain(opinion.Summary, maxLong)
		at, ok := groups[says+"\x00"+summary]
		if !ok {
			if at = len(out); at >= maxReasons {
				continue
			}
			groups[says+"\x00"+summary] = at
			out = append(out, reason{Class: says, Says: says, Summary: summary, Model: Line(opinion.Model)})
		}
		out[at].Seats = append(out[at].Seats, i+1)
	}
	for i := range out {
		if out[i].Judges = Count(len(out[i].Seats), "judge", "judges"); len(out[i].Seats) == 1 {
			out[i].Judges = fmt.Sprintf("The judge in seat %d", out[i].Seats[0])
		}
	}
	slices.SortStableFunc(out, func(a, b reason) int { return len(b.Seats) - len(a.Seats) })
	return checks, out
}
