package sequence_test

import (
	"slices"

	"ojud/ledger/program"
	"ojud/voting"
	"ojud/voting/rules"
)

// others counts the judges that could hear an appeal against a verdict that votes of that weight
// gave, up to a full panel.
func others(r *program.Roster, t *program.Task, k *program.Case, votes uint64) int {
	if k.Rules.AppealSeconds == 0 {
		return 0
	}
	return rules.AppealSeats(k.Others(r, t), votes)
}

// against is the weight that an undecided first panel has against a verdict of the others.
func against(k *program.Case) uint64 {
	return k.SeatedWeight - k.AcceptWeight - k.RejectWeight
}

// later is the most that a vote for a side can still lose when its round is settled.
func later(k *program.Case, seat program.Seat) uint64 {
	r := k.Rules
	risk := seat.Weight / 10_000 * uint64(r.RiskBps)
	risk += seat.Weight % 10_000 * uint64(r.RiskBps) / 10_000
	pay := min(r.Fee/2, risk/(uint64(r.GoldenGain)*uint64(r.GoldenLoss)))
	return min(pay*uint64(max(r.Reversal, r.Minority)), risk)
}

func sided(seat *program.Seat) bool {
	return seat.Flags&program.SeatRevealed != 0 && seat.Flags&program.SeatEquivocated == 0 && seat.Choice != voting.Abstain
}

// loser is a party that a verdict is against: the given one, if it is one.
func loser(k *program.Case, t *program.Task, by key) key {
	all := k.Losers(t)
	if slices.Contains(all, by) {
		return by
	}
	return all[len(all)-1]
}

func (s *step) appeal() {
	r, k, t := read[program.Roster](s, "roster"), open[program.Case](s, "case"), open[program.Task](s, "task")
	s.is("task", k.Task)
	s.fixed("system")
	by := s.at("party")
	a := s.agent("agent", loser(k, t, by))
	s.need(by == loser(k, t, by), "not the loser")
	s.hear(r, t, k, by)
	bond := 28 * k.Rules.Fee
	s.debit(a, bond)
	s.move(s.at("agent"), s.at("task"), bond)
	if by == t.Creator {
		t.CreatorBond += bond
	} else {
		t.WorkerBond += bond
	}
}

// hear opens the second level of a case. The signer pays its rent.
func (s *step) hear(r *program.Roster, t *program.Task, k *program.Case, by key) {
	s.need(k.Status == voting.Appealable && s.now() < k.AppealBy, "the status, or too late")
	seats := others(r, t, k, k.Votes())
	s.need(seats > 0, "too few judges")
	rent := s.a.rent(program.CaseSize(seats)) - s.a.rent(program.CaseSize(0))
	s.move(by, s.at("case"), rent)
	k.First, k.FirstRound, k.FirstVerdict, k.AppealSeats, k.AppealRent, k.Appellant = k.Seats, k.Round, k.Verdict, uint8(seats), rent, by
	k.FirstSeatedWeight, k.FirstAcceptWeight, k.FirstRejectWeight, k.FirstAbstainWeight = k.SeatedWeight, k.AcceptWeight, k.RejectWeight, k.AbstainWeight
	k.Seats, k.Committed, k.Revealed = []program.Seat{}, 0, 0
	k.SeatedWeight, k.AcceptWeight, k.RejectWeight, k.AbstainWeight = 0, 0, 0, 0
	k.Status, k.Round = voting.AwaitingDraw, k.Rules.MaxRounds+1
	s.await(k)
	s.grown[s.at("case")] = program.CaseSize(k.Room())
}

func (s *step) finishCase() {
	b := s.bench()
	early := s.now() < b.k.AppealBy && len(s.c.metas) > 6 && len(b.k.Losers(b.t)) == 1
	if early {
		s.cosigned("loser", b.k.Losers(b.t)[0])
	}
	s.need(b.k.Status == voting.Appealable && (early || s.now() >= b.k.AppealBy), "the status, or too early")
	s.finished(b, voting.NoVerdict)
}

// level returns what a level of a case leaves for its end.
func (s *step) level(b bench, seats []program.Seat, v voting.Verdict) rules.Level {
	view := program.Case{Seats: seats, Rules: b.k.Rules}
	return rules.Level{Verdict: v, Seats: view.Voting(s.slot(), b.r).Seats, Standings: b.r.Standings(&view)}
}

// finished ends a case that the first panel decided, as package rules does.
func (s *step) finished(b bench, found voting.Verdict) {
	k := b.k
	law := rules.LawOf(k.Rules)
	law.TradeBps = b.t.TradeBps
	in := rules.CaseEnd{Terms: b.t.Terms(), First: s.level(b, k.Seats, k.Verdict)}
	if k.AppealSeats > 0 {
		in.First = s.level(b, k.First, k.FirstVerdict)
	}
	if k.AppealSeats > 0 && len(k.Seats) > 0 {
		verdict := found
		if found == voting.NoVerdict {
			verdict = voting.Undecided
		}
		appeal := s.level(b, k.Seats, verdict)
		in.Appeal = &appeal
		switch {
		case k.FirstVerdict == voting.Undecided: // the bond shares the fate of the one before
		case k.FirstVerdict == voting.ForWorker && k.Appellant == b.t.Creator:
			in.AppealBond = 28 * k.Rules.Fee
			in.Terms.CreatorBond -= in.AppealBond
		case k.FirstVerdict == voting.ForCreator:
			in.AppealBond = 28 * k.Rules.Fee
			in.Terms.WorkerBond -= in.AppealBond
		}
	}
	out, err := law.Finish(in)
	s.need(err == nil, "no end")
	k.Level, k.Verdict, k.Status, k.SettledAt = 1, out.Verdict, voting.Decided, s.now()
	if out.Verdict == voting.Undecided {
		k.Status = voting.EndedUndecided
	}
	if k.AppealSeats > 0 && found == voting.NoVerdict {
		k.SeatedWeight, k.AcceptWeight, k.RejectWeight, k.AbstainWeight = k.FirstSeatedWeight, k.FirstAcceptWeight, k.FirstRejectWeight, k.FirstAbstainWeight
	} else if k.AppealSeats > 0 {
		k.Level = 2
	}
	first, last := k.Seats, []program.Seat(nil)
	if k.AppealSeats > 0 {
		first, last = k.First, k.Seats
	}
	for n := range first {
		s.free(b, &first[n])
		s.final(b.r, &first[n], out.First[n])
	}
	for n := range out.Appeal {
		s.final(b.r, &last[n], out.Appeal[n])
	}
	back := uint64(0)
	for _, p := range out.Payments {
		if p.Kind == voting.PayBondBack {
			back += p.Amount
		}
	}
	bond := b.t.CreatorBond + b.t.WorkerBond - back
	if out.Verdict != voting.Undecided {
		s.count(b, out.Verdict)
	}
	s.payOut(b, rules.Settlement{Status: k.Status, Outcome: out.Outcome, Payments: out.Payments, Bond: bond, Golden: out.Golden})
}

// free ends the wait of a seat of the first panel.
func (s *step) free(b bench, seat *program.Seat) {
	e := entryOf(b.r, seat)
	if e != nil {
		s.answers(b.k, e)
	}
	if seat.Flags&program.SeatHeld == 0 {
		return
	}
	seat.Flags &^= program.SeatHeld
	if e != nil {
		e.Live--
		e.Locked -= later(b.k, *seat)
	}
}

// final slashes and pays a seat at the end of its case.
func (s *step) final(r *program.Roster, seat *program.Seat, end rules.SeatEnd) {
	if e := entryOf(r, seat); e != nil {
		s.lose(r, e, end.Slashed)
		seat.Slashed += end.Slashed
	}
	s.earn(r, seat, end.Earned)
}
