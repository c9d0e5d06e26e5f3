package casetest

import (
	"ojud/casefile"
	"ojud/voting"
	"ojud/voting/rules"
)

// panel is how many seats the next round has, and how many judges it needs at least.
func (w *World) panel() (seats, least uint8) {
	if w.appeal != nil {
		return w.appeal.Seats, rules.MinAppealSeats
	}
	return w.Rules.PanelSeats, w.Rules.MinSeats
}

// satFirst reports whether a judge may not hear the appeal that goes on.
func (w *World) satFirst(judge voting.Key) bool { return w.appeal != nil && w.drawn[judge] }

// against is the verdict that the appeal is about; none before one.
func (w *World) against() (rules.Given, error) {
	if w.first == nil {
		return rules.Given{}, nil
	}
	return rules.Level{Verdict: w.first.end.Verdict, Seats: w.first.seats}.Given()
}

// others are the weights of the judges that did not give the first verdict.
func (w *World) others() (weights []uint64) {
	for _, j := range w.Judges {
		if !w.drawn[j.Authority] {
			weights = append(weights, min(j.Stake, 10_000_000_000))
		}
	}
	return weights
}

// close settles a round of a case that can be appealed: all pay waits.
func (w *World) close(in rules.RoundEnd) (rules.Settlement, error) {
	number := in.Round
	if number > w.Rules.MaxRounds {
		number -= w.Rules.MaxRounds
	}
	against, err := w.against()
	if err != nil {
		return rules.Settlement{}, err
	}
	c, err := in.Law.Close(rules.Ballot{Reward: in.Terms.Escrow, Round: number, Seats: in.Seats, Standings: in.Standings, Against: against})
	return rules.Settlement{Tally: c.Tally, Status: c.Status, Verdict: c.Verdict, Round: in.Round, Seats: c.Seats, Golden: c.Golden}, err
}

// second plays what follows the first verdict, and ends the case. It returns the last round.
func (w *World) second(s Script, first *round, open casefile.FactBody) (*round, error) {
	const _ = uint(6 - voting.Statuses) // does a seventh status end an appeal?
	const _ = uint(3 - voting.Verdicts) // a fourth verdict needs its loser
	w.first = first
	f := casefile.Finish{AppealBy: w.now + int64(w.Rules.AppealSeconds), Level: 1}
	last, tx := first, "finish"
	switch {
	case len(s.Appeal) == 0 && !s.Starve:
		w.now, w.slot = f.AppealBy, w.slot+9000
	default:
		w.now, w.slot = w.now+60, w.slot+150
		by, bond := w.appellant(first.end.Verdict)
		given, err := w.against()
		if err != nil {
			return nil, err
		}
		w.appeal = &casefile.Appeal{
			Party: by, Seats: uint8(rules.AppealSeats(w.others(), given.Votes())), Bond: bond,
			Slot: w.slot, Tx: txID("appeal"), At: w.now,
		}
		f.Appeal = w.appeal
		for i, plan := range s.Appeal {
			r, err := w.play(w.Rules.MaxRounds+uint8(i+1), plan, open)
			if err != nil {
				return nil, err
			}
			last, tx = r, "settle"+string(rune('0'+r.number))
		}
		if last == first || last.end.Status == voting.AwaitingDraw {
			w.now, w.slot, tx = w.now+int64(w.Rules.DrawSeconds), w.slot+4500, "expire"
		}
	}
	return last, w.conclude(&f, first, last, tx)
}

// appellant is who appeals against a verdict, and its bond.
func (w *World) appellant(v voting.Verdict) (by casefile.Address, bond casefile.Amount) {
	const _ = uint(3 - voting.Verdicts) // a fourth verdict needs its loser
	by, bond = w.terms.Worker, casefile.Amount(w.Rules.Fee*voting.MaxSeats)
	payWorker := v == voting.Undecided && w.terms.OnUndecided == casefile.OnUndecided(voting.PayWorker)
	if v == voting.ForWorker || payWorker {
		by = w.terms.Creator
	}
	if w.script.Appellant != (voting.Key{}) {
		by = casefile.Address(w.script.Appellant)
	}
	if by != w.terms.Creator && by != w.terms.Worker {
		bond = 0
	}
	return by, bond
}

// conclude pays everybody.
func (w *World) conclude(f *casefile.Finish, first, last *round, tx string) error {
	const _ = uint(3 - voting.Verdicts) // does a fourth verdict decide?
	in := rules.CaseEnd{Terms: w.Terms(), First: rules.Level{Verdict: first.end.Verdict, Seats: first.seats, Standings: w.standings(first.seats)}}
	if last != first {
		verdict := last.end.Verdict
		if verdict == voting.NoVerdict {
			verdict = voting.Undecided
		}
		if verdict != voting.Undecided {
			f.Level = 2
		}
		in.Appeal = &rules.Level{Verdict: verdict, Seats: last.seats, Standings: w.standings(last.seats)}
		in.AppealBond = uint64(w.appeal.Bond)
		if first.end.Verdict == voting.Undecided { // it is part of its party's bond
			in.AppealBond = 0
			if w.appeal.Party == w.terms.Creator {
				in.Terms.CreatorBond += uint64(w.appeal.Bond)
			} else {
				in.Terms.WorkerBond += uint64(w.appeal.Bond)
			}
		}
	}
	law := rules.LawOf(w.Rules)
	law.TradeBps = w.terms.TradeBps
	out, err := law.Finish(in)
	if err != nil {
		return err
	}
	for n, r := range []*round{first, last} {
		ends := [][]rules.SeatEnd{out.First, out.Appeal}[n]
		for i, end := range ends {
			f.Seats = append(f.Seats, casefile.FinalSeat{Slashed: casefile.Amount(r.end.Seats[i].Slashed + end.Slashed), Earned: casefile.Amount(end.Earned)})
		}
	}
	payments, lost := onePerBond(out.Payments), in.Terms.CreatorBond+in.Terms.WorkerBond+in.AppealBond
	for _, p := range payments {
		if p.Kind == voting.PayBondBack {
			lost -= p.Amount
		}
	}
	if w.appeal != nil && w.appeal.Bond > 0 && last == first { // nobody was drawn for it
		to := rules.Worker
		if w.appeal.Party == w.terms.Creator {
			to = rules.Creator
		}
		payments = append(payments, rules.Payment{To: to, Kind: voting.PayBondBack, Amount: uint64(w.appeal.Bond)})
	}
	f.Bond, f.Golden = casefile.Amount(lost), casefile.Amount(out.Golden)
	status := voting.Decided
	if out.Verdict == voting.Undecided {
		status = voting.EndedUndecided
	}
	w.ended(rules.Settlement{Status: status, Outcome: out.Outcome, Payments: payments}, tx)
	w.outcome.Finish = f
	return nil
}

// onePerBond adds the bond of an appeal to the one that its party posted before.
func onePerBond(all []rules.Payment) (out []rules.Payment) {
	at := map[rules.Party]int{}
	for _, p := range all {
		if i, twice := at[p.To]; twice && p.Kind == voting.PayBondBack {
			out[i].Amount += p.Amount
			continue
		}
		if p.Kind == voting.PayBondBack {
			at[p.To] = len(out)
		}
		out = append(out, p)
	}
	return out
}
