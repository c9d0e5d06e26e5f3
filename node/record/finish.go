package record

import (
	"errors"
	"slices"

	"ojud/casefile"
	"ojud/ledger/program"
	"ojud/voting"
	"ojud/voting/rules"
)

// panelOf returns how many seats a round of a case has, and how many judges it needs at least.
func panelOf(look voting.Case, round uint8) (seats, least uint8) {
	if round > look.Rules.MaxRounds {
		return look.AppealSeats, rules.MinAppealSeats
	}
	return look.Rules.PanelSeats, look.Rules.MinSeats
}

// satBefore reports whether a judge cannot be drawn into the present round of a case, because it
// had a seat in the round that gave the first verdict.
func (c *caseRecord) satBefore(look voting.Case, judge voting.Key) bool {
	if look.SeatsRound() <= look.Rules.MaxRounds {
		return false
	}
	for round := look.Rules.MaxRounds; round > 0; round-- {
		if seats := c.seated(round); len(seats) > 0 { // the last one gave the verdict
			return slices.ContainsFunc(seats, func(s voting.Seat) bool { return s.Judge == judge })
		}
	}
	return false
}

// finish builds what the chain tells of the end of a case whose first verdict could be appealed;
// nil for another case.
func (h history) finish() (*casefile.Finish, error) {
	end, _, err := last(h, func(*program.CaseFinished) bool { return true })
	if errors.Is(err, errNotYet) {
		return nil, nil //nolint:nilnil // the verdict was final at once
	}
	if err != nil {
		return nil, err
	}
	window, _, err := last(h, func(*program.Appealable) bool { return true })
	if err != nil {
		return nil, err
	}
	f := &casefile.Finish{AppealBy: window.AppealBy, Level: end.Level, Bond: casefile.Amount(end.Bond), Golden: casefile.Amount(end.Golden)}
	for _, s := range end.Seats {
		f.Seats = append(f.Seats, casefile.FinalSeat{Slashed: casefile.Amount(s.Slashed), Earned: casefile.Amount(s.Earned)})
	}
	if a, at, err := last(h, func(*program.Appealed) bool { return true }); err == nil {
		f.Appeal = &casefile.Appeal{
			Party: casefile.Address(a.Party), Seats: a.Seats, Bond: casefile.Amount(a.Bond), Slot: at.slot, Tx: at.tx, At: a.At,
		}
	}
	h.equivocated(f)
	return f, nil
}

// equivocated notes the seats that were shown to have equivocated before the end of the case.
func (h history) equivocated(f *casefile.Finish) {
	first, _, err := last(h, func(e *program.RoundSettled) bool { return e.Round <= h.look.Rules.MaxRounds })
	if err != nil {
		return // it was found with the window
	}
	heard, _, err := last(h, func(e *program.RoundSettled) bool { return e.Round > h.look.Rules.MaxRounds })
	for _, o := range h.events {
		switch e := o.event.(type) {
		case *program.CaseFinished:
			return
		case *program.Slashed:
			i := int(e.Seat)
			switch {
			case e.Round == first.Round:
			case err == nil && e.Round == heard.Round:
				i += len(first.Seats)
			default:
				continue
			}
			if i < len(f.Seats) {
				f.Seats[i].Equivocated = true
			}
		}
	}
}

// ended returns the verdict of a case, and when it was final.
func (h history) ended() (voting.Verdict, int64, error) {
	if f, _, err := last(h, func(*program.CaseFinished) bool { return true }); err == nil {
		return f.Verdict, f.At, nil
	}
	s, _, err := last(h, func(*program.RoundSettled) bool { return true })
	if err != nil {
		return voting.NoVerdict, 0, err
	}
	return s.Verdict, s.At, nil
}

// sight is a Roster that was seen, and its judges with their weights in a season.
type sight struct {
	roster *program.Roster
	judges []voting.Candidate
}

// seen returns what a draw may have seen of these Rosters. An appeal sees the season of its first
// panel: one of the two that a Roster has. Its seats show which.
func seen(rosters []*program.Roster, seed uint64, appeal bool) (out []sight) {
	for _, r := range rosters {
		if !appeal {
			out = append(out, sight{r, r.Candidates(seed)})
			continue
		}
		out = append(out, sight{r, r.In(program.SeasonNow)}, sight{r, r.In(program.SeasonBefore)})
	}
	return out
}

// weighs reports whether an entry has a weight in the season that a draw sees.
func weighs(all []voting.Candidate, entry int) bool {
	return entry < len(all) && all[entry].Judge != (voting.Key{}) && all[entry].Stake > 0
}
