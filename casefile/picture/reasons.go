package picture

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ojud/casefile"
	"ojud/casefile/verify"
)

// modelWords says who decided.
func modelWords(model string) string {
	if model == casefile.CodeChecks {
		return "programs, without a language model"
	}
	return Line(model)
}

// checkWords says in words what a check is about: the instructions[1] of a task are its second
// instruction. Judges name their checks, so a name may be of no known class.
func checkWords(name string) string {
	class, about, ok := strings.Cut(name, "/")
	if !ok {
		return name
	}
	if list, number, ok := strings.Cut(about, "["); ok {
		if at, err := strconv.Atoi(strings.TrimSuffix(number, "]")); err == nil && at >= 0 && at < casefile.MaxFindings {
			about = fmt.Sprintf("%s %d", list, at+1)
		}
	}
	switch class {
	case "specification":
		return "demand: " + about
	case "instruction":
		return "demand in words: " + about
	case "objection":
		return "the objection is refuted: " + about
	case "undisputed":
		return "not disputed: " + about
	case "unanswered":
		return "no data came, or a seal was not opened: " + about
	case "fault":
		return "document: " + about
	case "injection":
		return "no text that steers a reader: " + about
	case "exhibit", "note":
		return class + ": " + about
	}
	return name
}

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
				rows[name], checks = at, append(checks, checkRow{Check: checkWords(name), Name: name, Detail: Said(f.Detail)})
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
		says, summary := s.Choice.String(), saidLong(opinion.Summary)
		at, ok := groups[says+"\x00"+summary]
		if !ok {
			if at = len(out); at >= maxReasons {
				continue
			}
			groups[says+"\x00"+summary] = at
			out = append(out, reason{Class: says, Says: says, Summary: summary, Model: modelWords(opinion.Model)})
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

// refute shows beside what judges say of a check that the verifier found it failing.
func (p *CasePage) refute(found []verify.Refuted) {
	for _, f := range found {
		at := slices.IndexFunc(p.Checks, func(c checkRow) bool { return c.Name == Line(f.Check) })
		if at < 0 {
			at = len(p.Checks)
			p.Checks = append(p.Checks, checkRow{Check: checkWords(f.Check), Name: Line(f.Check)})
		}
		p.Checks[at].Refuted = Said(f.Detail)
	}
}
