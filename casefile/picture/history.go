package picture

import (
	"fmt"
	"strings"

	"ojud/casefile"
	"ojud/voting"
)

// history lists what happened, as far as it has a time.
func history(s Scene, all []Bench) (out []happening) {
	add := func(at int64, class, format string, args ...any) {
		if at > 0 {
			out = append(out, happening{Clock(at), fmt.Sprintf(format, args...), class})
		}
	}
	out = append(out, happening{Clock(s.Look.OpenedAt), opening(s), ""})
	for _, b := range all {
		add(b.DrawnAt, "", "Round %d: %s", b.Round, b.drawn())
		settle := s.Record.Rounds[b.Round-1].Settle
		if settle != nil {
			out = append(out, b.votes(settle.Value.At)...)
		} else {
			out = append(out, b.votes(0)...)
		}
		if settle != nil {
			v := settle.Value
			add(v.At, "", "Round %d is counted by stake: judges with %s accept the %s, with %s reject it, of %s.", b.Round, sol(uint64(v.Accept)), partiesOf(s).Judged, sol(uint64(v.Reject)), sol(uint64(v.Seated)))
		}
	}
	if o := s.Record.Outcome; o != nil {
		if t := TermsOf(s); t != nil && t.Prepaid {
			add(o.Value.At, "", "The verdict is final, and the judges are paid.")
			return out
		}
		add(o.Value.At, "", "The program pays: the task is %s.", outcomeWord(o.Value.Outcome))
	}
	return out
}

// opening says how the case began.
func opening(s Scene) string {
	words := partiesOf(s)
	t := TermsOf(s)
	if t == nil || t.Prepaid || t.CreatorBond == 0 || t.WorkerBond == 0 {
		return words.Opened
	}
	return fmt.Sprintf("%s has objected with a bond of %s, and now %s insists with a bond of %s. The court has a case.",
		words.Creator, sol(uint64(t.CreatorBond)), strings.ToLower(words.Worker[:1])+words.Worker[1:], sol(uint64(t.WorkerBond)))
}

// votes says when the votes of a panel were sealed and shown, by what its judges signed. The clock
// of a judge may differ from that of the chain, or lie. So a vote has no time before the draw, none
// after the end of its phase or the count at the Unix time counted (0: it is not known), and is not
// shown before the last seal.
func (b *Bench) votes(counted int64) (out []happening) {
	least := b.DrawnAt
	within := func(at, ends int64) int64 {
		at = max(at, least)
		for _, most := range []int64{ends, counted} {
			if most > 0 {
				at = min(at, most)
			}
		}
		return at
	}
	for _, kind := range []struct {
		when func(BenchSeat) (int64, bool)
		ends int64
		text string
	}{{committed, b.CommitEnds, "are sealed"}, {revealed, b.RevealEnds, "are shown: " + b.sides()}} {
		var first, last int64
		n := 0
		for _, s := range b.Seats {
			at, did := kind.when(s)
			if did = did && at > 0; did {
				at = within(at, kind.ends)
				if n++; first == 0 || at < first {
					first = at
				}
				last = max(last, at)
			}
		}
		if n > 0 {
			since := ""
			if first < last {
				since = fmt.Sprintf(", the first of them at %s", Clock(first))
			}
			out = append(out, happening{Clock(last), fmt.Sprintf("%d of %s %s%s.", n, Count(len(b.Seats), "vote", "votes"), kind.text, since), ""})
			least = last
		}
	}
	return out
}

// sides counts the votes that are known.
func (b *Bench) sides() string {
	text := fmt.Sprintf("%d accept, %d reject", b.Votes[voting.Accept], b.Votes[voting.Reject])
	if n := b.Votes[voting.Abstain]; n > 0 {
		text += fmt.Sprintf(", %d abstain", n)
	}
	return text
}

func outcomeWord(o casefile.TaskOutcome) string {
	switch voting.Outcome(o) {
	case voting.Paid:
		return "paid to the worker"
	case voting.Refunded:
		return "refunded to the creator"
	}
	return "shared"
}
