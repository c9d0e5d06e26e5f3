package why

import (
	"fmt"

	"ojud/casefile"
	"ojud/voting"
)

// firstLevel is the level of a verdict that the first panel gave.
const firstLevel = 1

// finish is how a case ended whose first verdict could be appealed; nil: that is not in the record.
func (e *explainer) finish() *casefile.Finish {
	if e.f.Record == nil || e.f.Record.Outcome == nil {
		return nil
	}
	return e.f.Record.Outcome.Value.Finish
}

// level is the last round of a level in the record. number 0: there is none.
type level struct {
	number  uint8
	seats   []casefile.SeatEnd
	verdict voting.Verdict
}

// first and second are the levels of the case in the record.
func (e *explainer) first() level  { return e.level(1, e.rules().MaxRounds) }
func (e *explainer) second() level { return e.level(e.rules().MaxRounds+1, 2*e.rules().MaxRounds) }

func (e *explainer) level(from, to uint8) (l level) {
	for n := max(from, 1); e.f.Record != nil && n <= min(to, casefile.MaxRound); n++ {
		if s := e.f.Record.Rounds[n-1].Settle; s != nil {
			l = level{n, s.Value.Seats, voting.Verdict(s.Value.Verdict)}
		}
	}
	return l
}

// final takes what the judge's seat lost and earned at the end of a case that could be appealed.
func (e *explainer) final(r *round) {
	f, first, second := e.finish(), e.first(), e.second()
	if f == nil || r.seat < 0 {
		return
	}
	i := r.seat
	switch r.number {
	case first.number:
		const _ = uint(3 - voting.Verdicts) // an undecided panel gave no verdict to reverse
		given := first.verdict != voting.Undecided
		r.reversed = given && f.Level != firstLevel && second.verdict != first.verdict && r.choice == first.verdict.Choice()
	case second.number:
		i += len(first.seats)
	default:
		return
	}
	if i < len(f.Seats) {
		r.slashed, r.earned, r.waits = uint64(f.Seats[i].Slashed), uint64(f.Seats[i].Earned), false
	}
}

// appealed says how the verdict of the first panel was appealed, and what became of it.
func (e *explainer) appealed() {
	f := e.finish()
	if f == nil || e.f.Record.Open == nil {
		return
	}
	first, second := e.first(), e.second()
	fact := "outcome facts " + brief(e.f.Record.Outcome.Hash)
	text := "the first panel decided " + words(e, first.verdict)
	nothing := first.verdict == voting.Undecided || first.verdict == voting.NoVerdict // or no second draw
	if nothing {
		text = "the first panel decided nothing"
	}
	if f.Appeal == nil {
		e.say(0, Decided, text+fmt.Sprintf("; nobody appealed, which was possible until %s", clock(f.AppealBy)), fact, "")
		return
	}
	text += fmt.Sprintf("; %s appealed at %s to %d judges that had not sat, with a bond of %d lamports", party(e.f.Record.Open.Value.Task, f.Appeal.Party), clock(f.Appeal.At), f.Appeal.Seats, f.Appeal.Bond)
	switch {
	case second.number == 0:
		text += "; nobody was drawn for it, so the first verdict stands and the bond went back"
	case f.Level == firstLevel:
		text += "; they decided nothing, so the first verdict stands"
	case nothing:
		text += "; the votes of both panels together decided " + words(e, second.verdict)
	case second.verdict == first.verdict:
		text += "; they decided the same"
	default:
		text += "; they decided the other way: " + words(e, second.verdict)
	}
	e.say(0, Decided, text, fact, "")
}
