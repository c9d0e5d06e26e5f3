package policy

import (
	"slices"

	"ojud/voting"
	"ojud/voting/rules"
)

// second is a court of version 2.
type second struct {
	law     rules.Law
	seats   int // of the first panel
	appeals appeals
	steps   []int // of the panels after the first; nil: one appeal to the largest panel
	margin  bool  // the next panel hears the case if the verdict is not clear, instead of upon an appeal
}

// escalate says whether a next panel hears the case. again says that the level is an appeal: if it
// decides nothing, either, that is the end.
func (s *second) escalate(d *dispute, level rules.Level, again bool) (bool, error) {
	const _ = uint(3 - voting.Verdicts) // may a case with a fourth verdict be appealed?
	switch {
	case level.Verdict == voting.Undecided && (s.margin || again):
		return false, nil
	case level.Verdict == voting.Undecided: // the escrow would be split, so each party may appeal
		return s.appeals != nobody, nil
	case !s.margin:
		return s.appeals.wants(d, level.Verdict), nil
	}
	tally, err := rules.Count(level.Seats)
	sides := tally.Accept + tally.Reject
	return 100*max(tally.Accept, tally.Reject) < marginPercent*sides, err
}

// marginPercent is the share of the larger side with which a verdict by margin is final: 6 of 7, 11
// of 14.
const marginPercent = 78

// hear lets a level come to its end. against is the verdict that it is about, if any. group names
// the group's seats in its last round, none if it does not sit there.
func (s *second) hear(d *dispute, against rules.Given, panel, n int, g group, sits bool, out *played) (level rules.Level, seated int, err error) {
	const _ = uint(6 - voting.Statuses) // does a seventh status end a level?
	for round := uint8(1); ; round++ {
		sits = sits && (round == 1 || g.redraw)
		b := rules.Ballot{Reward: d.reward, Round: round, Against: against}
		b.Seats, b.Standings = d.seats(panel+int(round)-1, n, g, sits)
		end, err := s.law.Close(b)
		if err != nil {
			return level, 0, err
		}
		out.seats += n
		out.golden += end.Golden
		if sits {
			out.group += earned(end.Seats[:min(g.seats, n)])
			seated = min(g.seats, n)
		} else {
			seated = 0
		}
		if end.Status != voting.AwaitingDraw {
			return rules.Level{Verdict: end.Verdict, Seats: b.Seats, Standings: b.Standings}, seated, nil
		}
	}
}

func (s *second) play(d *dispute, g group) (out played, err error) {
	in := rules.CaseEnd{Terms: rules.Terms{Escrow: d.reward, OnUndecided: voting.SplitEscrow}}
	if in.Terms.CreatorBond, in.Terms.WorkerBond, err = s.law.Bonds(d.reward, uint8(s.seats)); err != nil {
		return out, err
	}
	var mine, also int
	if in.First, mine, err = s.hear(d, rules.Given{}, firstPanel, s.seats, g, true, &out); err != nil {
		return out, err
	}
	out.first = in.First.Verdict
	level, steps := in.First, s.steps
	if steps == nil {
		steps = []int{rules.AppealSeats(slices.Repeat([]uint64{stake}, judges-s.seats), stake*uint64(s.seats))}
	}
	for i, n := range steps {
		more, err := s.escalate(d, level, i > 0)
		if err != nil {
			return out, err
		}
		if !more {
			break
		}
		given, err := level.Given()
		if err != nil {
			return out, err
		}
		if level, also, err = s.hear(d, given, []int{appealPanel, lastPanel}[i], n, g, g.appeal, &out); err != nil {
			return out, err
		}
		in.Appeal, out.appealed = &level, true
		if !s.margin && i == 0 {
			if err := s.bond(d, &in); err != nil {
				return out, err
			}
		}
	}
	end, err := s.law.Finish(in)
	if err != nil {
		return out, err
	}
	out.verdict, out.reversed = end.Verdict, end.Reversed
	out.golden += end.Golden
	out.group += earned(end.First[:mine])
	out.sat = mine
	if in.Appeal != nil {
		out.group += earned(end.Appeal[:also])
		out.sat += also
	}
	out.parties(in.Terms, in.AppealBond, end.Payments)
	return out, nil
}

// bond posts the bond of an appeal. Against no verdict the party in the right appeals, and the bond
// is part of its first one.
func (s *second) bond(d *dispute, in *rules.CaseEnd) error {
	const _ = uint(3 - voting.Verdicts) // who appeals against a fourth verdict?
	bond, err := s.law.AppealBond(d.reward)
	switch {
	case in.First.Verdict != voting.Undecided:
		in.AppealBond = bond
	case d.truth == accept:
		in.Terms.WorkerBond += bond
	default:
		in.Terms.CreatorBond += bond
	}
	return err
}
