package why

import (
	"fmt"
	"slices"

	"ojud/casefile"
	"ojud/casefile/candidates"
	"ojud/casefile/reading"
	"ojud/voting"
)

// round holds the known facts of a round, from the record and, for the latest, from the look.
type round struct {
	number uint8
	rules  voting.Rules                     // zero: not known
	draw   *casefile.Doc[casefile.DrawFact] // with all candidates, unless partly
	partly bool                             // the lists of candidates are not known: only who was drawn is
	settle *casefile.Doc[casefile.SettleFact]
	look   *voting.Case // the look, if it shows this round
	seats  int          // of the panel; 0: not known
	seat   int          // number of the judge's, from 0; −1: none
	peer   casefile.DID
	weight uint64

	drawnAt, commitEnds, revealEnds int64 // 0: not known
	committed, revealed             bool
	choice                          voting.Choice
	equivocated                     bool
	settlement
}

// settlement holds the known facts of the end of a round.
type settlement struct {
	settled         bool
	result          voting.Result
	verdict         voting.Verdict
	slashed, earned uint64
	reversed        bool // an appeal reversed its verdict clearly
	waits           bool // the verdict can still change, and its pay waits
}

// rounds collects the known facts of each round that was drawn.
func (e *explainer) rounds() (out []round) {
	for n := uint8(1); n <= casefile.MaxRound; n++ {
		r := round{number: n, seat: -1, rules: e.rules()}
		known := r.read(e.f.Record, e.f.Judge)
		if look := e.f.Look; look != nil && len(look.Panel(n)) > 0 {
			r.see(look, e.f.Judge)
			known = true
		}
		e.final(&r)
		for _, entry := range e.own().Log.Entries {
			known = known || entry.Round == n
		}
		if known {
			out = append(out, r)
		}
	}
	return out
}

// rules returns the rules of the case; zero if unknown.
func (e *explainer) rules() voting.Rules {
	if e.f.Look != nil {
		return e.f.Look.Rules
	}
	if e.f.Record != nil && e.f.Record.Open != nil {
		return rulesOf(e.f.Record.Open.Value.Rules)
	}
	return voting.Rules{}
}

// rulesOf returns the rules of the record; of a case of version 1 only its times and sizes.
func rulesOf(r casefile.CaseRules) voting.Rules {
	if r.Second != nil {
		return r.Second.Rules()
	}
	return casefile.SecondRules{Timing: r.Timing()}.Rules()
}

// read takes the facts of the record.
func (r *round) read(record *reading.Record, judge casefile.Address) bool {
	if record == nil {
		return false
	}
	in := record.Rounds[r.number-1]
	r.draw, r.settle = in.Draw, in.Settle
	if d := r.draw; d != nil {
		whole := *d
		all, err := candidates.Of(d.Value, record.Content)
		if r.partly = err != nil; !r.partly {
			whole.Value.Candidates = all
		}
		d, r.draw = &whole, &whole
		r.seats, r.drawnAt, r.commitEnds = len(d.Value.Seats), d.Value.At, d.Value.CommitEnds
		r.revealEnds = r.commitEnds + int64(r.rules.RevealSeconds)
		if i := slices.IndexFunc(d.Value.Candidates, func(c casefile.Candidate) bool { return c.Judge == judge }); i >= 0 {
			c := d.Value.Candidates[i]
			r.seat, r.peer, r.weight = slices.Index(d.Value.Seats, c.Index), c.Peer, uint64(c.Weight)
			if r.seat >= 0 && len(d.Value.Weights) > 0 {
				r.weight = uint64(d.Value.Weights[r.seat])
			}
		}
	}
	if s := r.settle; s != nil {
		r.settled, r.verdict = true, voting.Verdict(s.Value.Verdict)
		if i := slices.IndexFunc(s.Value.Seats, func(s casefile.SeatEnd) bool { return s.Judge == judge }); i >= 0 {
			end := s.Value.Seats[i]
			r.seat, r.seats = i, len(s.Value.Seats)
			r.committed, r.choice, r.revealed = end.Commitment != (casefile.Digest{}), voting.Choice(end.Choice), voting.Choice(end.Choice) != voting.NoChoice
			r.result, r.slashed, r.earned = voting.Result(end.Result), uint64(end.Slashed), uint64(end.Earned)
			r.equivocated = r.result == voting.Equivocated
		}
	}
	return r.draw != nil || r.settle != nil
}

// see takes the present state on the chain, which may be newer than the record.
func (r *round) see(look *voting.Case, judge casefile.Address) {
	seats := look.Panel(r.number)
	r.look, r.seats = look, len(seats)
	if r.number == look.SeatsRound() {
		r.commitEnds = max(r.commitEnds, look.CommitEnds) // the chain has an earlier end if all committed
		r.drawnAt = max(r.drawnAt, look.CommitEnds-int64(look.Rules.CommitSeconds))
		if look.RevealEnds != 0 {
			r.revealEnds = look.RevealEnds
		}
	}
	r.waits = look.Status == voting.Appealable || look.Appealed() && !look.Status.Over()
	r.settled = r.settled || !look.Live() || r.number != look.Round
	if look.Status.Over() && r.number == look.SeatsRound() {
		r.verdict = look.Verdict
	}
	i := slices.IndexFunc(seats, func(s voting.Seat) bool { return s.Judge == voting.Key(judge) })
	if i < 0 {
		return
	}
	s := seats[i]
	r.seat, r.peer, r.weight = i, casefile.DID(s.Peer), s.Weight
	r.committed, r.revealed, r.choice, r.equivocated = s.Committed, s.Revealed, s.Choice, s.Equivocated
	r.result, r.slashed, r.earned = s.Result, s.Slashed, s.Earned
}

// round explains a round in order of time.
func (e *explainer) round(r round) {
	if !e.drawn(r) {
		return
	}
	said := reading.Statements{}
	if e.f.Record != nil {
		said = e.f.Record.Said(r.peer, r.number)
	}
	e.thought(r, said)
	e.commit(r)
	e.reveal(r)
	e.result(r, said)
}

// fact names a fact document of the round.
func (r round) fact(kind string) string {
	switch {
	case kind == "draw" && r.draw != nil:
		return "draw facts " + brief(r.draw.Hash)
	case kind == "settle" && r.settle != nil:
		return "settle facts " + brief(r.settle.Hash)
	case r.look != nil:
		return "the case on the chain, slot " + number(r.look.Slot)
	}
	return "the node's journal"
}

// ending says how the case ended, or what it waits for and until when.
func (e *explainer) ending() {
	look := e.f.Look
	e.appealed()
	switch {
	case look != nil && look.Status.Over():
		e.say(0, Decided, "the case is over since "+clock(look.SettledAt)+": "+words(e, look.Verdict), "the case on the chain, slot "+number(look.Slot), "")
	case look != nil:
		e.waiting(look)
	case e.f.Record != nil && e.f.Record.Outcome != nil:
		o := e.f.Record.Outcome
		e.say(0, Decided, "the case is over since "+clock(o.Value.At)+": "+words(e, e.verdict()), "outcome facts "+brief(o.Hash), "")
	case e.f.Own != nil && !e.f.Own.Running:
		e.say(0, Stopped, "the node does not run, so that it cannot say how the case stands now", "the node's journal", fmt.Sprintf("ojud run, or see the chain: ojud case show %s", e.f.Case))
	default:
		e.say(0, Stopped, "the record ends before the case did", e.f.Source, fmt.Sprintf("see how it stands: ojud case show %s", e.f.Case))
	}
}

// verdict returns the verdict of the last round in the record. A case that expired has none.
func (e *explainer) verdict() voting.Verdict {
	v := voting.Undecided
	if f := e.finish(); f != nil && f.Level == firstLevel {
		return e.first().verdict
	}
	for _, r := range e.f.Record.Rounds {
		if r.Settle != nil && r.Settle.Value.Verdict != casefile.Verdict(voting.NoVerdict) {
			v = voting.Verdict(r.Settle.Value.Verdict)
		}
	}
	return v
}

// words says what a verdict means. A dispute of others has a claim, and no work that is paid.
func words(e *explainer, v voting.Verdict) string {
	if e.f.Record == nil || e.f.Record.Open == nil || !e.f.Record.Open.Value.Task.Prepaid {
		return verdict(v)
	}
	const _ = uint(3 - voting.Verdicts) // a fourth verdict needs its words
	switch v {
	case voting.ForWorker:
		return "accept, the claim stands"
	case voting.ForCreator:
		return "reject, the claim fails"
	case voting.Undecided, voting.NoVerdict:
	}
	return "undecided, and the claim neither stands nor fails"
}

func verdict(v voting.Verdict) string {
	const _ = uint(3 - voting.Verdicts) // a fourth verdict needs its words
	switch v {
	case voting.ForWorker:
		return "accept, the worker is paid"
	case voting.ForCreator:
		return "reject, the creator is refunded"
	case voting.Undecided, voting.NoVerdict:
	}
	return "undecided, the rule of the task divides the reward"
}

// waiting says what a running case waits for.
func (e *explainer) waiting(look *voting.Case) {
	const _ = uint(6 - voting.Statuses) // a seventh status needs its sentence
	fact := "the case on the chain, slot " + number(look.Slot)
	committed, revealed := 0, 0
	for _, s := range look.Seats {
		if s.Committed {
			committed++
		}
		if s.Revealed {
			revealed++
		}
	}
	switch {
	case look.Status == voting.Appealable:
		e.say(0, WaitSettle, fmt.Sprintf("the first panel decided %s; the party that this is against may appeal until %s, and then a node makes the verdict final; all pay waits for that", words(e, look.Verdict), clock(look.AppealBy)), fact, "")
	case look.Status == voting.AwaitingDraw && look.Appealed():
		e.say(0, WaitDraw, fmt.Sprintf("the appeal waits for the draw of round %d; if there is none by %s the first verdict stands", look.Round, clock(look.DrawBy)), fact, "")
	case look.Status == voting.AwaitingDraw:
		e.say(0, WaitDraw, fmt.Sprintf("the case waits for the draw of round %d; if there is none by %s it ends undecided", look.Round, clock(look.DrawBy)), fact, "")
	case look.CanSettle(e.f.Now):
		e.say(0, WaitSettle, fmt.Sprintf("round %d is over and waits for somebody to settle it; the judges' nodes do that in turns of some seconds", look.Round), fact, "")
	case look.CommitsOver(e.f.Now):
		e.say(0, WaitReveal, fmt.Sprintf("round %d waits for votes: %d of %d that committed have revealed; it ends at %s", look.Round, revealed, committed, clock(look.RevealEnds)), fact, "")
	default:
		e.say(0, WaitCommit, fmt.Sprintf("round %d waits for commitments: %d of %d seats have committed; the time ends at %s", look.Round, committed, len(look.Seats), clock(look.CommitEnds)), fact, "")
	}
}
