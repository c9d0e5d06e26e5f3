package verify

import (
	"crypto/sha256"
	"fmt"

	"ojud/casefile"
	"ojud/golden"
	"ojud/voting"
	"ojud/voting/rules"
)

// roundOf returns the round with that number.
func roundOf(v *verifier, number uint8) (round, bool) {
	for _, r := range v.rounds {
		if r.number == number {
			return r, true
		}
	}
	return round{}, false
}

// appealOf is how the first verdict was appealed; nil: it was not.
func appealOf(v *verifier) *casefile.Appeal {
	if f := v.outcome.Value.Finish; f != nil {
		return f.Appeal
	}
	return nil
}

// levelsOf divides the rounds into those of the first panel and those of the appeal.
func levelsOf(v *verifier) (first, appeal []round) {
	n := 0
	for n < len(v.rounds) && v.rounds[n].number <= timing(v).MaxRounds {
		n++
	}
	return v.rounds[:n], v.rounds[n:]
}

// numbered checks that the rounds of each level follow each other, that no level has too many, and
// that only an appeal has a second level.
func numbered(v *verifier) *fault {
	most := timing(v).MaxRounds
	first, appeal := levelsOf(v)
	if len(appeal) > 0 && appealOf(v) == nil || len(appeal) > int(most) {
		return faultAt(inBlob(v.open.Hash, "rules.max_rounds"), "is %d, but %d rounds were drawn", most, len(v.rounds))
	}
	for _, level := range []struct {
		rounds []round
		base   uint8
	}{{first, 0}, {appeal, most}} {
		for i, r := range level.rounds {
			if want := level.base + uint8(i+1); r.number != want {
				return faultAt(inBlob(r.draw.Hash, "round"), "is %d, and round %d is in no facts", r.number, want)
			}
		}
	}
	return nil
}

// panelSeats is how many seats a round has, and how many judges it needs at least.
func panelSeats(v *verifier, number uint8) (seats, least uint8) {
	t := timing(v)
	if a := appealOf(v); a != nil && number > t.MaxRounds {
		return a.Seats, rules.MinAppealSeats
	}
	return t.PanelSeats, t.MinSeats
}

// givenOf is the verdict that an appeal is about, with the weight that it has at the end of the
// case: votes that were shown to be of two minds do not count.
func givenOf(v *verifier) (rules.Given, error) {
	first, _ := levelsOf(v)
	if len(first) == 0 {
		return rules.Given{}, nil
	}
	last := first[len(first)-1]
	return rules.Level{Verdict: firstVerdict(last), Seats: lateSeats(v, last)}.Given()
}

// firstVerdict is what could be appealed after the last round of the first panel. If it was void,
// the next round was not drawn in time, and the case was undecided.
func firstVerdict(last round) voting.Verdict {
	if v := voting.Verdict(last.settle.Value.Verdict); v != voting.NoVerdict {
		return v
	}
	return voting.Undecided
}

// satBefore are the judges that may not sit in a round, because they had a seat in the round that
// gave the first verdict.
func satBefore(v *verifier, number uint8) map[voting.Key]bool {
	first, _ := levelsOf(v)
	sat := map[voting.Key]bool{}
	if number <= timing(v).MaxRounds || len(first) == 0 {
		return sat
	}
	for _, s := range first[len(first)-1].seats {
		sat[s.Judge] = true
	}
	return sat
}

// shownLater reports whether a seat of a round equivocated, as the chain saw it at the end of the
// case.
func shownLater(v *verifier, number uint8, seat int) bool {
	f := v.outcome.Value.Finish
	first, appeal := levelsOf(v)
	if f == nil || len(first) == 0 {
		return false
	}
	last := first[len(first)-1]
	switch {
	case number == last.number:
	case len(appeal) > 0 && number == appeal[len(appeal)-1].number:
		seat += len(last.seats)
	default:
		return false
	}
	return seat < len(f.Seats) && f.Seats[seat].Equivocated
}

// close closes a round of a case whose first verdict could be appealed: silence costs, and all
// other money waits for the end of the case.
func (b *secondBooks) close(r round) (ending, *fault) {
	const _ = uint(6 - voting.Statuses) // does a round with a seventh status end a level?
	facts, at := r.settle.Value, func(field string) string { return inBlob(r.settle.Hash, field) }
	ballot := rules.Ballot{Reward: uint64(b.open.Value.Task.Reward), Round: r.number, Seats: r.seats, Standings: rich(len(r.seats))}
	status := voting.Appealable
	if most := timing(b.verifier).MaxRounds; r.number > most {
		given, err := givenOf(b.verifier)
		if err != nil {
			return ending{}, faultAt(at("seats"), "%v", err)
		}
		ballot.Round, ballot.Against, status = r.number-most, given, voting.Decided
	}
	out, err := b.law.Close(ballot)
	if err != nil {
		return ending{}, faultAt(at("seats"), "%v", err)
	}
	for i := range out.Seats {
		if said := uint64(facts.Seats[i].Slashed); said < out.Seats[i].Slashed {
			noteStake(b.verifier, r, i, out.Seats[i].Slashed)
			ballot.Standings[i].Stake = said
		}
	}
	if out, err = b.law.Close(ballot); err != nil {
		return ending{}, faultAt(at("seats"), "%v", err)
	}
	end := ending{Status: out.Status, Verdict: out.Verdict}
	if out.Status == voting.Decided || out.Status == voting.EndedUndecided && status == voting.Appealable {
		end.Status = status
	}
	if f := compareSeats(r.settle, out.Seats); f != nil {
		return end, f
	}
	if facts.Bond != 0 {
		return end, faultAt(at("bond"), "is %d; the verdict could be appealed, so no bond was lost yet", facts.Bond)
	}
	if uint64(*facts.Golden) != out.Golden {
		return end, faultAt(at("golden"), "is %d; the silent seats lost %d", *facts.Golden, out.Golden)
	}
	return end, nil
}

// finished works out the end of a case whose first verdict could be appealed, and compares.
func finished(v *verifier) (ending, *fault) {
	b, ok := v.books.(*secondBooks)
	if !ok {
		return ending{}, faultAt(inBlob(v.outcome.Hash, "finish"), "does not fit the rules of version 1")
	}
	first, appeal := levelsOf(v)
	if len(first) == 0 || len(appeal) > 0 && appealOf(v) == nil {
		return ending{}, faultAt(inBlob(v.outcome.Hash, "finish.appeal"), "does not fit the rounds that were drawn")
	}
	said, at := *v.outcome.Value.Finish, func(field string) string { return inBlob(v.outcome.Hash, "finish."+field) }
	last := first[len(first)-1]
	verdict := firstVerdict(last)
	if verdict > voting.Undecided {
		return ending{}, faultAt(at("level"), "the last round of the first panel has no verdict, so nothing could be appealed")
	}
	if f := windowOf(v, last, verdict); f != nil {
		return ending{}, f
	}
	in := rules.CaseEnd{Terms: v.terms(), First: rules.Level{Verdict: verdict, Seats: lateSeats(v, last), Standings: rich(len(last.seats))}}
	panels, level := []round{last}, uint8(1)
	if len(appeal) > 0 {
		heard := appeal[len(appeal)-1]
		panels = append(panels, heard)
		found := voting.Verdict(heard.settle.Value.Verdict)
		if found == voting.NoVerdict {
			found = voting.Undecided // no further round was drawn
		}
		if found != voting.Undecided {
			level = 2
		}
		in.Appeal = &rules.Level{Verdict: found, Seats: lateSeats(v, heard), Standings: rich(len(heard.seats))}
		in.AppealBond = uint64(said.Appeal.Bond)
		if verdict == voting.Undecided { // it is part of the bond of its party, and shares its fate
			in.AppealBond = 0
			if said.Appeal.Party == v.open.Value.Task.Creator {
				in.Terms.CreatorBond += uint64(said.Appeal.Bond) // of lamports that exist
			} else {
				in.Terms.WorkerBond += uint64(said.Appeal.Bond)
			}
		}
	}
	if said.Level != level {
		return ending{}, faultAt(at("level"), "is %d; the verdict is of level %d", said.Level, level)
	}
	law := b.law
	law.TradeBps = in.Terms.TradeBps
	out, f := paidAll(v, law, in, panels)
	if f != nil {
		return ending{}, f
	}
	return compareEnd(v, in, out)
}

// lateSeats are the seats of a round, without the votes of those that were shown to have
// equivocated since.
func lateSeats(v *verifier, r round) []voting.Seat {
	out := append([]voting.Seat(nil), r.seats...)
	for i := range out {
		out[i].Equivocated = out[i].Equivocated || shownLater(v, r.number, i)
	}
	return out
}

// windowOf checks the time to appeal, and the appeal itself.
func windowOf(v *verifier, last round, verdict voting.Verdict) *fault {
	const _ = uint(3 - voting.Verdicts) // a fourth verdict needs its loser
	said, at := *v.outcome.Value.Finish, func(field string) string { return inBlob(v.outcome.Hash, "finish."+field) }
	r := v.open.Value.Rules.Second
	settled := last.settle.Value.At
	if due := settled + int64(timing(v).DrawSeconds); voting.Verdict(last.settle.Value.Verdict) == voting.NoVerdict {
		if settled = said.AppealBy - int64(r.AppealSeconds); settled < due || settled > v.outcome.Value.At {
			return faultAt(at("appeal_by"), "is %d; after a void round the time to appeal could begin at %d, and took %d s", said.AppealBy, due, r.AppealSeconds)
		}
		v.report.note(NoteInferred, at("appeal_by"), "no panel was drawn for round %d in time, and the time to appeal began at %d, if the seats testify truly", last.number+1, settled)
	}
	if r.AppealSeconds == 0 || said.AppealBy != settled+int64(r.AppealSeconds) {
		return faultAt(at("appeal_by"), "is %d; the first panel decided at %d, and %d s are left for an appeal", said.AppealBy, settled, r.AppealSeconds)
	}
	a := said.Appeal
	if a == nil {
		return nil
	}
	bond := uint64(r.Fee) * voting.MaxSeats
	if proctors(v, verdict) && a.Bond == 0 {
		bond = 0
	}
	switch {
	case bond != 0 && !loses(v, verdict, a.Party):
		return faultAt(at("appeal.party"), "is not the party that the first verdict is against")
	case a.At < settled || a.At >= said.AppealBy || a.Slot < last.settle.Value.Slot:
		return faultAt(at("appeal.at"), "is %d; the loser could appeal from %d until before %d", a.At, settled, said.AppealBy)
	case a.Seats < rules.MinAppealSeats || a.Seats > voting.MaxSeats:
		return faultAt(at("appeal.seats"), "is %d; an appeal has %d to %d seats", a.Seats, rules.MinAppealSeats, voting.MaxSeats)
	case uint64(a.Bond) != bond:
		return faultAt(at("appeal.bond"), "is %d; it must be the fees of %d seats: %d", a.Bond, voting.MaxSeats, bond)
	}
	return nil
}

// loses reports whether a verdict is against a party: an undecided one is against those that the
// task's own term is against.
func loses(v *verifier, verdict voting.Verdict, party casefile.Address) bool {
	const _ = uint(3 - voting.Verdicts) // a fourth verdict needs its loser
	t := v.open.Value.Task
	creator, worker := verdict == voting.ForWorker, verdict == voting.ForCreator
	if verdict == voting.Undecided {
		term := v.terms().OnUndecided
		creator, worker = term != voting.RefundCreator, term != voting.PayWorker
	}
	return creator && party == t.Creator || worker && party == t.Worker
}

// proctors reports whether the verdict is that a leaf of a batch is false. Then its proctor may
// appeal without a bond, although it is no party.
func proctors(v *verifier, verdict voting.Verdict) bool {
	return verdict == voting.ForWorker && v.open.Value.Task.ResultHash == sha256.Sum256(golden.Denial())
}

// paidAll works out what the seats of both panels lose and earn, and compares.
func paidAll(v *verifier, law rules.Law, in rules.CaseEnd, panels []round) (rules.Final, *fault) {
	said, path := v.outcome.Value.Finish, func(i int, field string) string {
		return inBlob(v.outcome.Hash, fmt.Sprintf("finish.seats[%d].%s", i, field))
	}
	out, err := law.Finish(in)
	if err != nil {
		return out, faultAt(inBlob(v.outcome.Hash, "finish"), "%v", err)
	}
	if want := len(out.First) + len(out.Appeal); len(said.Seats) != want {
		return out, faultAt(inBlob(v.outcome.Hash, "finish.seats"), "has %d seats; %d were drawn", len(said.Seats), want)
	}
	standings := in.First.Standings
	if in.Appeal != nil {
		standings = append(append([]rules.Standing(nil), standings...), in.Appeal.Standings...)
	}
	before := lossesBefore(v, panels)
	for i, end := range append(append([]rules.SeatEnd(nil), out.First...), out.Appeal...) {
		if got, due := uint64(said.Seats[i].Slashed), before[i]+end.Slashed; before[i] <= got && got < due && !said.Seats[i].Equivocated {
			v.report.note(NoteInferred, path(i, "slashed"), "is %d of %d: the judge had no more stake, if the seats testify truly", got, due)
			standings[i].Stake = got - before[i]
		}
	}
	in.First.Standings = standings[:len(in.First.Seats)]
	if in.Appeal != nil {
		level := *in.Appeal
		level.Standings = standings[len(in.First.Seats):]
		in.Appeal = &level
	}
	if out, err = law.Finish(in); err != nil {
		return out, faultAt(inBlob(v.outcome.Hash, "finish"), "%v", err)
	}
	for i, end := range append(append([]rules.SeatEnd(nil), out.First...), out.Appeal...) {
		s, due := said.Seats[i], before[i]+end.Slashed
		switch {
		case s.Equivocated && uint64(s.Slashed) < before[i], !s.Equivocated && uint64(s.Slashed) != due:
			return out, faultAt(path(i, "slashed"), "is %d; it must be %d", s.Slashed, due)
		case uint64(s.Earned) != end.Earned:
			return out, faultAt(path(i, "earned"), "is %d; it must be %d", s.Earned, end.Earned)
		}
	}
	return out, nil
}

// lossesBefore is what the seats of the panels lost when their rounds were settled.
func lossesBefore(v *verifier, panels []round) (out []uint64) {
	for _, r := range panels {
		for _, s := range r.settle.Value.Seats {
			out = append(out, uint64(s.Slashed))
		}
	}
	return out
}

// compareEnd compares the bonds and the Pot's part with what they must be, and returns the end. The
// bond of an appeal that nobody was drawn for goes back.
func compareEnd(v *verifier, in rules.CaseEnd, out rules.Final) (ending, *fault) {
	said, at := v.outcome.Value.Finish, func(field string) string { return inBlob(v.outcome.Hash, "finish."+field) }
	lost := in.Terms.CreatorBond + in.Terms.WorkerBond + in.AppealBond // of lamports that exist
	end := ending{voting.Decided, out.Verdict, out.Outcome, nil}
	if out.Verdict == voting.Undecided {
		end.Status = voting.EndedUndecided
	}
	backs := map[rules.Party]uint64{}
	for _, p := range out.Payments {
		if p.Kind == voting.PayBondBack {
			lost -= p.Amount
			backs[p.To] += p.Amount // the bond of an appeal is part of its party's
			continue
		}
		end.Payments = append(end.Payments, p)
	}
	for _, party := range []rules.Party{rules.Worker, rules.Creator} {
		if backs[party] > 0 {
			end.Payments = append(end.Payments, rules.Payment{To: party, Kind: voting.PayBondBack, Amount: backs[party]})
		}
	}
	if said.Appeal != nil && in.Appeal == nil && said.Appeal.Bond != 0 {
		back := rules.Payment{To: rules.Worker, Kind: voting.PayBondBack, Amount: uint64(said.Appeal.Bond)}
		if said.Appeal.Party == v.open.Value.Task.Creator {
			back.To = rules.Creator
		}
		end.Payments = append(end.Payments, back)
	}
	switch {
	case uint64(said.Bond) != lost:
		return end, faultAt(at("bond"), "is %d; the parties lost %d", said.Bond, lost)
	case uint64(said.Golden) != out.Golden:
		return end, faultAt(at("golden"), "is %d; it must be %d", said.Golden, out.Golden)
	}
	return end, nil
}

// finishedInTime checks when a case became final whose first verdict could be appealed.
func finishedInTime(v *verifier, last round) *fault {
	o, at := v.outcome.Value, inBlob(v.outcome.Hash, "at")
	f, draw := o.Finish, int64(timing(v).DrawSeconds)
	_, appeal := levelsOf(v)
	settled := last.settle.Value
	switch {
	case f.Appeal == nil && o.At < f.AppealBy:
		v.report.note(NoteInferred, at, "is before %d, when the time to appeal ended: the loser gave up its appeal, if the seats testify truly", f.AppealBy)
	case f.Appeal == nil:
	case len(appeal) == 0 && o.At < f.Appeal.At+draw:
		return faultAt(at, "is %d; nobody was drawn for the appeal, which could end from %d on", o.At, f.Appeal.At+draw)
	case len(appeal) == 0:
	case voting.Verdict(settled.Verdict) == voting.NoVerdict && o.At < settled.At+draw:
		return faultAt(at, "is %d; after a void round the case could expire at %d", o.At, settled.At+draw)
	case voting.Verdict(settled.Verdict) != voting.NoVerdict && (o.At != settled.At || o.Slot != settled.Slot || o.Tx != settled.Tx):
		return faultAt(inBlob(v.outcome.Hash, "tx"), "is another transaction than the settlement that ended the case")
	}
	if o.At < settled.At {
		return faultAt(at, "is %d; the last round was settled at %d", o.At, settled.At)
	}
	return nil
}
