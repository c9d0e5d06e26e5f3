package votetest

import (
	"ojud/voting"
	"ojud/voting/rules"
)

// others is how many seats an appeal of the case would have now, against a verdict that the present
// panel gives; 0: nobody can appeal.
func (c *Chain) others(t *Task, v voting.Verdict) uint8 {
	r, weights := &c.State.Roster, []uint64(nil)
	season := r.numbered(t.Season)
	if season == nil {
		season = &r.Now
	}
	for i := range r.Entries {
		e := &r.Entries[i]
		party := t.Parties.Conflicts(e.Judge) || t.Parties.Conflicts(e.Operator)
		if !e.Gone && season.weight(i) > 0 && e.Stake >= max(1, c.Law.MinStake/2) && !party && !t.Sat[e.Judge] {
			weights = append(weights, min(rules.Heard(season.weight(i), e.Stake), c.Law.MaxSeatWeight))
		}
	}
	given, err := rules.Level{Verdict: v, Seats: t.Case.Seats}.Given()
	if t.Case.Rules.AppealSeconds == 0 || err != nil {
		return 0
	}
	return uint8(rules.AppealSeats(weights, given.Votes()))
}

// waits is what a vote for a side can still lose when its panel has decided.
func waits(k *voting.Case, s *voting.Seat) uint64 {
	const _ = uint(3 - voting.Choices) // the sides are accept and reject
	if !s.Revealed || s.Equivocated || s.Choice == voting.Abstain {
		return 0
	}
	law := k.Rules
	law.Reversal, law.Minority, law.Absence = 0, 0, 0
	now := voting.Case{Rules: law}
	return exposed(k, s) - exposed(&now, s)
}

// close ends a round without paying for it. Votes for a side stay live until the case is over.
func (c *Chain) close(t *Task, out rules.Closed, held bool) {
	k := &t.Case
	for i := range out.Seats {
		s := &k.Seats[i]
		e := &c.State.Roster.Entries[s.Index]
		s.Result = out.Seats[i].Result
		s.Slashed += out.Seats[i].Slashed
		e.Stake -= out.Seats[i].Slashed
		e.count(s.Result)
		e.Locked -= exposed(k, s)
		if wait := waits(k, s); held && wait > 0 {
			e.Locked += wait
		} else {
			e.Live--
		}
		e.answersUntil(c.Now + int64(k.Rules.EvidenceSeconds))
	}
	c.State.Pot += out.Golden
}

// await leaves a verdict of the first panel to the loser, which may appeal.
func (c *Chain) await(t *Task, in rules.RoundEnd) error {
	out, err := in.Law.Close(rules.Ballot{Reward: in.Terms.Escrow, Round: in.Round, Seats: in.Seats, Standings: in.Standings})
	if err != nil {
		return err
	}
	c.close(t, out, true)
	k := &t.Case
	k.Status, k.Verdict, k.AppealBy = voting.Appealable, out.Verdict, c.Now+int64(k.Rules.AppealSeconds)
	return nil
}

// Appeal asks for judges that did not sit.
func (c *Chain) Appeal(task voting.Key) error {
	t := c.Task(task)
	if t == nil || t.Case.Status != voting.Appealable || c.Now >= t.Case.AppealBy {
		return moot("WrongStatus")
	}
	k := &t.Case
	if t.AppealSeats = c.others(t, k.Verdict); t.AppealSeats == 0 {
		return moot("TooFewImpartial")
	}
	t.AppealBond = voting.MaxSeats * k.Rules.Fee
	t.FirstVerdict, k.First, k.FirstRound, k.Seats = k.Verdict, k.Seats, k.Round, nil
	c.again(k, k.Rules.MaxRounds+1)
	return nil
}

// again makes a case wait for the draw of a round.
func (c *Chain) again(k *voting.Case, round uint8) {
	k.Status, k.Round = voting.AwaitingDraw, round
	k.SeedSlot = c.Slot + uint64(k.Rules.DrawDelaySlots)
	k.DrawBy = c.Now + int64(k.Rules.DrawSeconds)
}

// settleAppeal ends a round of an appeal.
func (c *Chain) settleAppeal(t *Task) error {
	k := &t.Case
	law := rules.LawOf(k.Rules)
	given, err := rules.Level{Verdict: t.FirstVerdict, Seats: k.First}.Given()
	if err != nil {
		return err
	}
	out, err := law.Close(rules.Ballot{
		Reward: t.Terms.Escrow, Round: k.Round - k.Rules.MaxRounds, Seats: k.Seats, Standings: c.State.Roster.Standings(k.Seats), Against: given,
	})
	if err != nil {
		return err
	}
	c.close(t, out, false)
	if out.Status == voting.AwaitingDraw {
		c.again(k, k.Round+1)
		return nil
	}
	return c.finish(t, out.Verdict)
}

// expireAppeal ends an appeal that was not drawn in time. If it never was, its bond comes back.
func (c *Chain) expireAppeal(t *Task) error {
	if len(t.Case.Seats) == 0 {
		if t.creatorLost() {
			t.CreatorPaid += t.AppealBond
		} else {
			t.WorkerPaid += t.AppealBond
		}
		t.AppealBond = 0
	}
	return c.finish(t, voting.Undecided)
}

// creatorLost reports whether the creator has appealed. An undecided case that is divided is
// against both; here the worker appeals.
func (t *Task) creatorLost() bool {
	const _ = uint(3 - voting.Verdicts) // a fourth verdict needs its loser
	undecided := t.FirstVerdict == voting.Undecided && t.Terms.OnUndecided == voting.PayWorker
	return t.FirstVerdict == voting.ForWorker || undecided
}

// FinishCase makes a verdict final that nobody appealed.
func (c *Chain) FinishCase(task voting.Key) error {
	const _ = uint(6 - voting.Statuses) // which operations does a seventh status take?
	t := c.Task(task)
	switch {
	case t == nil || t.Case.Status != voting.Appealable:
		return moot("WrongStatus")
	case c.Now < t.Case.AppealBy:
		return moot("TooEarly")
	}
	return c.finish(t, voting.NoVerdict)
}

// finish pays everybody. found is the verdict of the appeal.
func (c *Chain) finish(t *Task, found voting.Verdict) error {
	k, r := &t.Case, &c.State.Roster
	in := rules.CaseEnd{Terms: t.Terms, First: rules.Level{Verdict: k.Verdict, Seats: k.Seats, Standings: r.Standings(k.Seats)}}
	if k.Appealed() {
		in.First = rules.Level{Verdict: t.FirstVerdict, Seats: k.First, Standings: r.Standings(k.First)}
	}
	if k.Appealed() && len(k.Seats) > 0 {
		in.Appeal = &rules.Level{Verdict: found, Seats: k.Seats, Standings: r.Standings(k.Seats)}
		switch {
		case t.FirstVerdict != voting.Undecided:
			in.AppealBond = t.AppealBond
		case t.creatorLost(): // it shares the fate of the bond before
			in.Terms.CreatorBond += t.AppealBond
		default:
			in.Terms.WorkerBond += t.AppealBond
		}
	}
	out, err := rules.LawOf(k.Rules).Finish(in)
	if err != nil {
		return err
	}
	for i := range in.First.Seats {
		s := &in.First.Seats[i]
		if wait := waits(k, s); wait > 0 {
			r.Entries[s.Index].Locked -= wait
			r.Entries[s.Index].Live--
		}
		r.Entries[s.Index].answersUntil(c.Now + int64(k.Rules.EvidenceSeconds))
		c.end(s, out.First[i])
	}
	for i := range out.Appeal {
		c.end(&in.Appeal.Seats[i], out.Appeal[i])
	}
	c.State.Pot += out.Golden
	status := voting.Decided
	if out.Verdict == voting.Undecided {
		status = voting.EndedUndecided
	}
	c.pay(t, rules.Settlement{Status: status, Outcome: out.Outcome, Payments: out.Payments})
	k.Status, k.Verdict, k.SettledAt = status, out.Verdict, c.Now
	return nil
}

// end takes and gives a seat what the end of its case brings.
func (c *Chain) end(s *voting.Seat, end rules.SeatEnd) {
	e := &c.State.Roster.Entries[s.Index]
	e.Stake -= end.Slashed
	e.Rewards += end.Earned
	s.Slashed += end.Slashed
	s.Earned += end.Earned
}
