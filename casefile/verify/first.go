package verify

import (
	"math"

	"ojud/casefile"
	"ojud/voting"
	"ojud/voting/rules"
)

// Case files of version 1 verify by the rules of version 1, under which the judges of the verdict's
// side shared the loser's bond, the slashes and what other cases left over.

// firstPurse is the money that a case holds from round to round.
type firstPurse struct {
	*verifier
	rules   rules.FirstRules
	pot     uint64 // slashed in rounds before
	penalty uint64 // the most that equivocation in the rounds before can have added to the pot
}

// settle settles one round again and compares.
func (p *firstPurse) settle(r round) (ending, *fault) {
	facts := r.settle.Value
	in := rules.FirstRound{Rules: p.rules, Round: r.number, Seats: r.seats, Pot: p.pot, Terms: p.terms(), Standings: firstStandings(facts)}
	out, err := rules.SettleFirst(in)
	if err != nil {
		return ending{}, faultAt(inBlob(r.settle.Hash, "seats"), "%v", err)
	}
	for i := range out.Seats {
		if said := uint64(facts.Seats[i].Slashed); said < out.Seats[i].Slashed {
			noteStake(p.verifier, r, i, out.Seats[i].Slashed)
			in.Standings[i].Stake = said
		}
	}
	if f := p.surplus(&in, r); f != nil {
		return ending{}, f
	}
	if out, err = rules.SettleFirst(in); err != nil {
		return ending{}, faultAt(inBlob(r.settle.Hash, "seats"), "%v", err)
	}
	p.pot = out.Pot
	return ending{out.Status, out.Verdict, out.Outcome, out.Payments}, compareFirst(r.settle, out)
}

// expire works out the end of a case whose next round was not drawn.
func (p *firstPurse) expire(number uint8, last round) (ending, error) {
	out, err := rules.ExpireFirst(rules.FirstRound{
		Rules: p.rules, Round: number, Seats: last.seats, Standings: firstStandings(last.settle.Value), Pot: p.pot, Terms: p.terms(),
	})
	return ending{out.Status, out.Verdict, out.Outcome, out.Payments}, err
}

// firstStandings are the least that fit the facts about abstentions; stakes are taken to suffice.
func firstStandings(f casefile.SettleFact) []rules.Standing {
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
func (p *firstPurse) surplus(in *rules.FirstRound, r round) *fault {
	most := p.penalty + p.added(in, r, false)
	p.penalty += p.added(in, r, true)
	const _ = uint(6 - voting.Statuses) // version 1 has these
	out, err := rules.SettleFirst(*in)
	said := uint64(*r.settle.Value.Pot)
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
func (p *firstPurse) added(in *rules.FirstRound, r round, late bool) (most uint64) {
	shown, bps := p.shown(), uint64(in.Rules.EquivocationBps)
	for _, s := range r.seats {
		if s.Equivocated || late && shown[accused{in.Round, casefile.Address(s.Judge)}] != "" {
			most += s.Weight/rules.BasisPoints*bps + s.Weight%rules.BasisPoints*bps/rules.BasisPoints
		}
	}
	return most
}

// compareFirst compares the chain's settlement with the right one.
func compareFirst(settle casefile.Doc[casefile.SettleFact], want rules.FirstSettlement) *fault {
	f, at := settle.Value, func(field string) string { return inBlob(settle.Hash, field) }
	if f := compareSeats(settle, want.Seats); f != nil {
		return f
	}
	if uint64(*f.Pot) != want.Shared {
		return faultAt(at("pot"), "is %d; it must be %d", *f.Pot, want.Shared)
	}
	if uint64(f.Bond) != want.Bond {
		return faultAt(at("bond"), "is %d; the loser's bond is %d", f.Bond, want.Bond)
	}
	return nil
}
