package verify

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"ojud/casefile"
	"ojud/voting"
	"ojud/voting/rules"
)

// tally counts every round again.
func (v *verifier) tally() (int, *fault) {
	for _, round := range v.rounds {
		s, at := round.settle.Value, func(field string) string { return inBlob(round.settle.Hash, field) }
		for i, seat := range round.seats {
			if seat.Revealed && !seat.Committed {
				return 0, faultAt(at(fmt.Sprintf("seats[%d].commitment", i)), "is zero, but a choice was revealed")
			}
		}
		t, err := rules.Count(round.seats)
		if err != nil {
			return 0, faultAt(at("seats"), "%v", err)
		}
		for _, w := range []struct {
			field     string
			got, want uint64
		}{{"accept", uint64(s.Accept), t.Accept}, {"reject", uint64(s.Reject), t.Reject}, {"abstain", uint64(s.Abstain), t.Abstain}, {"seated", uint64(s.Seated), t.Seated}} {
			if w.got != w.want {
				return 0, faultAt(at(w.field), "is %d; the seats give %d", w.got, w.want)
			}
		}
		given, err := against(v, round.number)
		if err != nil {
			return 0, faultAt(at("seats"), "%v", err)
		}
		want := given.Decides(t)
		if isFirst(v) {
			want = t.Verdict()
		}
		if last := round.number%timing(v).MaxRounds == 0; given.TooLight(want, t) || want == voting.NoVerdict && last {
			want = voting.Undecided
		}
		if voting.Verdict(s.Verdict) != want {
			return 0, faultAt(at("verdict"), "is %s; %d accept, %d reject and %d abstain of %d give %s", voting.Verdict(s.Verdict), t.Accept, t.Reject, t.Abstain, t.Seated, want)
		}
	}
	return len(v.rounds), nil
}

// against is what a round of an appeal hears again; nothing for a round of the first panel.
func against(v *verifier, number uint8) (rules.Given, error) {
	if number <= timing(v).MaxRounds {
		return rules.Given{}, nil
	}
	return givenOf(v)
}

// isFirst reports whether the case is one of version 1.
func isFirst(v *verifier) bool { return v.open.Value.Rules.First != nil }

// ending is how a round left the case and its task.
type ending struct {
	Status   voting.Status
	Verdict  voting.Verdict
	Outcome  voting.Outcome
	Payments []rules.Payment
}

// books settle the rounds of a case by the rules of one version.
type books interface {
	settle(r round) (ending, *fault)
	expire(number uint8, last round) (ending, error)
}

// newBooks returns those of the case.
func newBooks(v *verifier) books {
	r := v.open.Value.Rules
	if r.First == nil {
		return &secondBooks{verifier: v, law: rules.LawOf(r.Second.Rules())}
	}
	f := r.First
	return &firstPurse{verifier: v, rules: rules.FirstRules{
		AbsentBps: f.AbsentBps, MinorityBps: f.MinorityBps, EquivocationBps: f.EquivocationBps,
		AbstainBps: f.AbstainBps, AbstainFree: f.AbstainFree, MaxRounds: f.MaxRounds,
	}}
}

// settlement settles every round again, from the weights of the draw and the money that the chain
// held.
//
// How much stake a judge had left is not in the file. It is inferred from the facts where the facts
// allow it, and noted; everything else must agree to the lamport.
func (v *verifier) settlement() (int, *fault) {
	if f := versions(v); f != nil {
		return 0, f
	}
	v.books = newBooks(v)
	for r, round := range v.rounds {
		if f := inTime(v, round); f != nil {
			return 0, f
		}
		if r > 0 && v.end.Status != voting.AwaitingDraw && v.end.Status != voting.Appealable {
			return 0, faultAt(inBlob(round.draw.Hash, "round"), "round %d ended the case, yet round %d was drawn", v.rounds[r-1].number, round.number)
		}
		end, f := v.books.settle(round)
		if f != nil {
			return 0, f
		}
		v.end = end
	}
	if v.outcome.Value.Finish != nil {
		end, f := finished(v)
		if f != nil {
			return 0, f
		}
		v.end = end
	}
	v.report.Rounds, v.report.Verdict = len(v.rounds), casefile.Verdict(v.end.Verdict)
	return len(v.rounds), nil
}

// terms returns what the task held for its parties.
func (v *verifier) terms() rules.Terms {
	t := v.open.Value.Task
	if t.Prepaid {
		return rules.Terms{WorkerBond: uint64(t.WorkerBond), OnUndecided: voting.OnUndecided(t.OnUndecided), Prepaid: true}
	}
	return rules.Terms{
		Escrow: uint64(t.Reward), CreatorBond: uint64(t.CreatorBond), WorkerBond: uint64(t.WorkerBond),
		OnUndecided: voting.OnUndecided(t.OnUndecided), ClaimBond: uint64(t.ClaimBond), TradeBps: t.TradeBps,
	}
}

// inTime checks that a round was not settled before its judges had their time (protocol section 5,
// settle).
func inTime(v *verifier, r round) *fault {
	d, s, terms := r.draw.Value, r.settle.Value, timing(v)
	silent, unopened := false, false
	for _, seat := range r.seats {
		silent = silent || !seat.Equivocated && !seat.Committed
		unopened = unopened || !seat.Equivocated && seat.Committed && !seat.Revealed
	}
	earliest := d.At // everybody was quick
	if silent {
		earliest = d.CommitEnds
	}
	if unopened {
		earliest += int64(terms.RevealSeconds)
	}
	if s.At < earliest || s.Slot < d.Slot {
		return faultAt(inBlob(r.settle.Hash, "at"), "is %d; because some seats were silent, the round could not end before %d", s.At, earliest)
	}
	return nil
}

// secondBooks settle by the rules of version 2.
type secondBooks struct {
	*verifier
	law rules.Law
}

// settle settles one round again and compares.
func (b *secondBooks) settle(r round) (ending, *fault) {
	if b.outcome.Value.Finish != nil {
		return b.close(r)
	}
	facts := r.settle.Value
	in := rules.RoundEnd{Law: b.law, Round: r.number, Seats: r.seats, Standings: rich(len(r.seats)), Terms: b.terms()}
	out, err := rules.Settle(in)
	if err != nil {
		return ending{}, faultAt(inBlob(r.settle.Hash, "seats"), "%v", err)
	}
	for i := range out.Seats {
		if said := uint64(facts.Seats[i].Slashed); said < out.Seats[i].Slashed {
			noteStake(b.verifier, r, i, out.Seats[i].Slashed)
			in.Standings[i].Stake = said
		}
	}
	if out, err = rules.Settle(in); err != nil {
		return ending{}, faultAt(inBlob(r.settle.Hash, "seats"), "%v", err)
	}
	end := ending{out.Status, out.Verdict, out.Outcome, out.Payments}
	if f := compareSeats(r.settle, out.Seats); f != nil {
		return end, f
	}
	if uint64(facts.Bond) != out.Bond {
		return end, faultAt(inBlob(r.settle.Hash, "bond"), "is %d; the parties lost %d", facts.Bond, out.Bond)
	}
	if uint64(*facts.Golden) != out.Golden {
		return end, faultAt(inBlob(r.settle.Hash, "golden"), "is %d; it must be %d", *facts.Golden, out.Golden)
	}
	return end, nil
}

// expire works out the end of a case whose next round was not drawn.
func (b *secondBooks) expire(number uint8, last round) (ending, error) {
	out, err := rules.Expire(rules.RoundEnd{Law: b.law, Round: number, Seats: last.seats, Standings: rich(len(last.seats)), Terms: b.terms()})
	return ending{out.Status, out.Verdict, out.Outcome, out.Payments}, err
}

// rich are judges whose stake suffices.
func rich(n int) []rules.Standing {
	return slices.Repeat([]rules.Standing{{Present: true, Stake: math.MaxUint64}}, n)
}

// noteStake notes that a seat lost less than it should, because its judge had no more.
func noteStake(v *verifier, r round, seat int, due uint64) {
	path := inBlob(r.settle.Hash, fmt.Sprintf("seats[%d].slashed", seat))
	v.report.note(NoteInferred, path, "is %d of %d: the judge had no more stake, if the seats testify truly", r.settle.Value.Seats[seat].Slashed, due)
}

// compareSeats compares what the chain did to the seats with what it had to do.
func compareSeats(settle casefile.Doc[casefile.SettleFact], want []rules.SeatEnd) *fault {
	at := func(field string) string { return inBlob(settle.Hash, field) }
	for i, s := range settle.Value.Seats {
		w := want[i]
		switch {
		case voting.Result(s.Result) != w.Result:
			return faultAt(at(fmt.Sprintf("seats[%d].result", i)), "is %s; it must be %s", voting.Result(s.Result), w.Result)
		case uint64(s.Slashed) != w.Slashed:
			return faultAt(at(fmt.Sprintf("seats[%d].slashed", i)), "is %d; it must be %d", s.Slashed, w.Slashed)
		case uint64(s.Earned) != w.Earned:
			return faultAt(at(fmt.Sprintf("seats[%d].earned", i)), "is %d; it must be %d", s.Earned, w.Earned)
		}
	}
	return nil
}

// payments checks what became of escrow and bonds.
func (v *verifier) payments() (int, *fault) {
	const _ = uint(6 - voting.Statuses) // a seventh status needs its task status
	last, o, at := v.rounds[len(v.rounds)-1], v.outcome.Value, func(field string) string { return inBlob(v.outcome.Hash, field) }
	end := v.end
	if end.Status == voting.AwaitingDraw {
		var f *fault
		if end, f = v.expired(last); f != nil {
			return 0, f
		}
	} else if o.Finish != nil {
		if f := finishedInTime(v, last); f != nil {
			return 0, f
		}
	} else if o.At != last.settle.Value.At || o.Slot != last.settle.Value.Slot || o.Tx != last.settle.Value.Tx {
		return 0, faultAt(at("tx"), "is another transaction than the settlement that ended the case")
	}
	status, resolution := casefile.TaskComplete, casefile.ByVerdict
	if end.Status == voting.EndedUndecided {
		status, resolution = casefile.TaskUndecided, casefile.ByUndecided
	}
	if o.Status != status || o.Resolution != resolution || voting.Outcome(o.Outcome) != end.Outcome {
		return 0, faultAt(at("status"), "does not follow from the last round, which leaves the task %s by %s", status, resolution)
	}
	return v.compare(end.Payments)
}

// expired works out how a case ends if another round was due but was not drawn in time.
func (v *verifier) expired(last round) (ending, *fault) {
	if due := last.settle.Value.At + int64(timing(v).DrawSeconds); v.outcome.Value.At < due {
		return ending{}, faultAt(inBlob(v.outcome.Hash, "at"), "is %d; after a void round the case could expire at %d", v.outcome.Value.At, due)
	}
	v.report.note(NoteInferred, inBlob(v.outcome.Hash, "status"), "no panel was drawn for round %d in time; what the seats of the round before earned then is in no fact", len(v.rounds)+1)
	v.report.Verdict = casefile.Verdict(voting.Undecided)
	end, err := v.books.expire(uint8(len(v.rounds)+1), last)
	if err != nil {
		return end, faultAt(inBlob(v.outcome.Hash, "status"), "%v", err)
	}
	return end, nil
}

// compare compares the payments with those that had to be made.
func (v *verifier) compare(due []rules.Payment) (int, *fault) {
	want := v.owed(due)
	got := v.outcome.Value.Payments
	if _, appeal := levelsOf(v); appealOf(v) != nil && len(appeal) == 0 {
		// The bond of an appeal that nobody was drawn for goes back before the others.
		got = slices.Clone(got)
		slices.SortStableFunc(got, byKind)
		slices.SortStableFunc(want, byKind)
	}
	if len(got) != len(want) {
		return 0, faultAt(inBlob(v.outcome.Hash, "payments"), "has %d payments; %d are due", len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			return 0, faultAt(inBlob(v.outcome.Hash, fmt.Sprintf("payments[%d]", i)), "is not the payment that is due: %d lamports to %s", want[i].Amount, want[i].To)
		}
	}
	return len(want), nil
}

// owed names the accounts of payments, in the order of the program: for each kind the
// worker before the creator.
func (v *verifier) owed(due []rules.Payment) []casefile.Payment {
	t := v.open.Value.Task
	var out []casefile.Payment
	for _, side := range []struct {
		party rules.Party
		to    casefile.Address
	}{{rules.Worker, t.Worker}, {rules.Creator, t.Creator}, {rules.Pot, casefile.Address{}}} {
		for _, p := range due {
			if p.To == side.party {
				out = append(out, casefile.Payment{To: side.to, Kind: casefile.PaymentKind(p.Kind), Amount: casefile.Amount(p.Amount), Tx: v.outcome.Value.Tx})
			}
		}
	}
	return casefile.InOrder(out)
}

// byKind orders payments by their kind and receiver.
func byKind(a, b casefile.Payment) int {
	return cmp.Or(cmp.Compare(a.Kind, b.Kind), slices.Compare(a.To[:], b.To[:]))
}
