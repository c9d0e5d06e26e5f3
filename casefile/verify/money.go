package verify

import (
	"fmt"
	"math"

	"ojud/casefile"
	"ojud/voting"
	"ojud/voting/rules"
)

// tally counts every round again.
func (v *verifier) tally() (int, *fault) {
	for r, round := range v.rounds {
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
		want := t.Verdict()
		if want == voting.NoVerdict && r+1 == int(v.open.Value.Rules.MaxRounds) {
			want = voting.Undecided
		}
		if voting.Verdict(s.Verdict) != want {
			return 0, faultAt(at("verdict"), "is %s; %d accept and %d reject of %d give %s", voting.Verdict(s.Verdict), t.Accept, t.Reject, t.Seated, want)
		}
	}
	return len(v.rounds), nil
}

// settlement settles every round again, from the weights of the draw and the money that the chain
// held.
//
// Two things are not in the file: how much stake a judge had left, and how much the Roster carried
// over from other cases. They are inferred from the facts where the facts allow it, and noted;
// everything else must agree to the lamport.
func (v *verifier) settlement() (int, *fault) {
	p := purse{verifier: v, terms: v.terms(), rules: v.open.Value.Rules.Rules()}
	for r, round := range v.rounds {
		if f := p.timing(round); f != nil {
			return 0, f
		}
		if r > 0 && v.end.Status != voting.AwaitingDraw {
			return 0, faultAt(inBlob(round.draw.Hash, "round"), "round %d ended the case, yet round %d was drawn", r, r+1)
		}
		end, f := p.settle(uint8(r+1), round)
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
	return rules.Terms{
		Escrow: uint64(t.Reward), CreatorBond: uint64(t.CreatorBond), WorkerBond: uint64(t.WorkerBond),
		OnUndecided: voting.OnUndecided(t.OnUndecided), ClaimBond: uint64(t.ClaimBond), TradeBps: t.TradeBps,
	}
}

// purse is the money that a case holds from round to round.
type purse struct {
	*verifier
	terms   rules.Terms
	rules   voting.Rules
	pot     uint64 // slashed in rounds before
	penalty uint64 // the most that equivocation in the rounds before can have added to the pot
}

// timing checks that a round was not settled before its judges had their time (protocol section 5,
// settle).
func (p *purse) timing(r round) *fault {
	d, s, terms := r.draw.Value, r.settle.Value, p.open.Value.Rules
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

// settle settles one round again and compares.
func (p *purse) settle(number uint8, r round) (rules.Settlement, *fault) {
	facts := r.settle.Value
	in := rules.RoundEnd{Rules: p.rules, Round: number, Seats: r.seats, Pot: p.pot, Terms: p.terms, Standings: standings(facts)}
	out, err := rules.Settle(in)
	if err != nil {
		return out, faultAt(inBlob(r.settle.Hash, "seats"), "%v", err)
	}
	for i := range out.Seats {
		if said := uint64(facts.Seats[i].Slashed); said < out.Seats[i].Slashed {
			p.report.note(NoteInferred, inBlob(r.settle.Hash, fmt.Sprintf("seats[%d].slashed", i)), "is %d of %d: the judge had no more stake, if the seats testify truly", said, out.Seats[i].Slashed)
			in.Standings[i].Stake = said
		}
	}
	if f := p.surplus(&in, r); f != nil {
		return out, f
	}
	if out, err = rules.Settle(in); err != nil {
		return out, faultAt(inBlob(r.settle.Hash, "seats"), "%v", err)
	}
	p.pot = out.Pot
	return out, compareSettlement(r.settle, out)
}

// standings are the least that fit the facts about abstentions; stakes are taken to suffice.
func standings(f casefile.SettleFact) []rules.Standing {
	out := make([]rules.Standing, len(f.Seats))
	for i, s := range f.Seats {
		out[i] = rules.Standing{Present: true, Stake: math.MaxUint64, Seated: math.MaxUint32}
		if voting.Result(s.Result) == voting.Abstained && s.Slashed > 0 {
			out[i].Seated, out[i].Abstained = 0, math.MaxUint32
		}
	}
	return out
}

// surplus explains what was shared beyond what the file accounts for: the carry of the Roster in a
// round that decided, and slashes for equivocation, which went into the pot before.
func (p *purse) surplus(in *rules.RoundEnd, r round) *fault {
	most := p.penalty + p.added(in, r, false)
	p.penalty += p.added(in, r, true)
	out, err := rules.Settle(*in)
	said := uint64(r.settle.Value.Pot)
	if err != nil || out.Status == voting.AwaitingDraw || said <= out.Shared {
		return nil // the comparison finds the fault
	}
	extra := said - out.Shared
	path := inBlob(r.settle.Hash, "pot")
	if out.Status == voting.Decided {
		in.Carry = extra
		p.report.note(NoteInferred, path, "%d lamports more than this case slashed and forfeited were shared: carried over from other cases or slashed for equivocation, if the seats testify truly", extra)
		return nil
	}
	if extra > most {
		return faultAt(path, "is %d; slashes give at most %d", said, out.Shared+most)
	}
	in.Pot += extra
	p.report.note(NoteInferred, path, "%d lamports were slashed for equivocation, if the seats testify truly", extra)
	return nil
}

// added is the most that slashes for equivocation in this round can have added to the pot: of
// seats that had equivocated when it was settled and, late, of those too that were shown to have
// while the round after it waited for its draw.
func (p *purse) added(in *rules.RoundEnd, r round, late bool) (most uint64) {
	shown, bps := p.shown(), uint64(in.Rules.EquivocationBps)
	for _, s := range r.seats {
		if s.Equivocated || late && shown[accused{in.Round, casefile.Address(s.Judge)}] != "" {
			most += s.Weight/rules.BasisPoints*bps + s.Weight%rules.BasisPoints*bps/rules.BasisPoints
		}
	}
	return most
}

// compareSettlement compares the chain's settlement with the right one.
func compareSettlement(settle casefile.Doc[casefile.SettleFact], want rules.Settlement) *fault {
	f, at := settle.Value, func(field string) string { return inBlob(settle.Hash, field) }
	for i, s := range f.Seats {
		w := want.Seats[i]
		switch {
		case voting.Result(s.Result) != w.Result:
			return faultAt(at(fmt.Sprintf("seats[%d].result", i)), "is %s; it must be %s", voting.Result(s.Result), w.Result)
		case uint64(s.Slashed) != w.Slashed:
			return faultAt(at(fmt.Sprintf("seats[%d].slashed", i)), "is %d; it must be %d", s.Slashed, w.Slashed)
		case uint64(s.Earned) != w.Earned:
			return faultAt(at(fmt.Sprintf("seats[%d].earned", i)), "is %d; it must be %d", s.Earned, w.Earned)
		}
	}
	if uint64(f.Pot) != want.Shared {
		return faultAt(at("pot"), "is %d; it must be %d", f.Pot, want.Shared)
	}
	if uint64(f.Bond) != want.Bond {
		return faultAt(at("bond"), "is %d; the loser's bond is %d", f.Bond, want.Bond)
	}
	return nil
}

// payments checks what became of escrow and bonds.
func (v *verifier) payments() (int, *fault) {
	const _ = uint(5 - voting.Statuses) // a sixth status needs its task status
	last, o, at := v.rounds[len(v.rounds)-1], v.outcome.Value, func(field string) string { return inBlob(v.outcome.Hash, field) }
	end := v.end
	if end.Status == voting.AwaitingDraw {
		var f *fault
		if end, f = v.expired(last); f != nil {
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
func (v *verifier) expired(last round) (rules.Settlement, *fault) {
	terms := v.open.Value.Rules.Rules()
	if due := last.settle.Value.At + int64(terms.DrawSeconds); v.outcome.Value.At < due {
		return rules.Settlement{}, faultAt(inBlob(v.outcome.Hash, "at"), "is %d; after a void round the case could expire at %d", v.outcome.Value.At, due)
	}
	seats := make([]voting.Seat, len(last.seats))
	copy(seats, last.seats)
	v.report.note(NoteInferred, inBlob(v.outcome.Hash, "status"), "no panel was drawn for round %d in time; what the seats of the round before earned then is in no fact", len(v.rounds)+1)
	v.report.Verdict = casefile.Verdict(voting.Undecided)
	end, err := rules.Expire(rules.RoundEnd{Rules: terms, Round: uint8(len(v.rounds) + 1), Seats: seats, Standings: standings(last.settle.Value), Pot: v.end.Pot, Terms: v.terms()})
	if err != nil {
		return end, faultAt(inBlob(v.outcome.Hash, "status"), "%v", err)
	}
	return end, nil
}

// compare compares the payments with those that had to be made.
func (v *verifier) compare(due []rules.Payment) (int, *fault) {
	want := v.owed(due)
	got := v.outcome.Value.Payments
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
