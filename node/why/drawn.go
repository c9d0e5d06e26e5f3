package why

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"ojud/casefile"
	"ojud/ledger/onchain"
	"ojud/voting"
	"ojud/voting/rules"
)

// drawn says whether the judge sits in the round, or why not. It reports whether it does.
func (e *explainer) drawn(r round) bool {
	switch {
	case r.seat >= 0:
		text := fmt.Sprintf("this judge was drawn: seat %d of %d, with a weight of %s", r.seat+1, r.seats, onchain.SOL(r.weight))
		if r.drawnAt > 0 {
			text += fmt.Sprintf(", at %s", clock(r.drawnAt))
		}
		if r.draw != nil && !r.partly {
			text += "; " + e.chance(r.draw.Value)
		}
		e.say(r.number, Drawn, text, r.fact("draw"), "")
		return true
	case r.draw == nil && r.look == nil && len(e.own().Log.find(r.number, Asked)) > 0:
		e.say(r.number, Drawn, "this judge was drawn: its node had it judge; which seat it has is not in the record", "the node's event log, "+e.own().Log.find(r.number, Asked)[0].times(), "")
		return true
	case e.passedOver(r.number):
	case e.isParty():
		terms := e.f.Record.Open.Value.Task
		e.say(r.number, Excluded, "this judge could not be drawn: it is "+party(terms, e.f.Judge)+", and nobody judges his own case", "opening facts "+brief(e.f.Record.Open.Hash), "")
	case r.partly:
		e.say(r.number, Undrawn, "whether this judge could be drawn is not known here", "the facts of the draw; the lists of candidates that they name are not in the record",
			"get the whole file from another node: ojud case export, and ask again with --file")
	case r.draw != nil && candidate(r.draw.Value, e.f.Judge) < 0:
		e.say(r.number, Ineligible, fmt.Sprintf("this judge was not among the %d who could be drawn: at %s it was not on the roster, was leaving it, had too little stake, or its operator is a party",
			len(r.draw.Value.Candidates), clock(r.draw.Value.At)), r.fact("draw"), "see its entry, and since when it is there: ojud judge status")
	case r.draw != nil:
		e.notDrawn(r)
	case r.look != nil:
		e.say(r.number, NotDrawn, fmt.Sprintf("this judge was not drawn: it has none of the %d seats", r.seats), r.fact("draw"),
			"ask again when the draw is final: the facts of the draw then tell the chance that it had")
	default:
		e.say(r.number, Undrawn, "how this round was drawn is not known here", "there are no draw facts in the record", "get the whole file from another node: ojud case export, and ask again with --file")
	}
	return false
}

// passedOver says why the judge could not be drawn, from the node's event log. It reports whether
// there is an entry for it.
func (e *explainer) passedOver(number uint8) (found bool) {
	for _, entry := range e.own().Log.Entries {
		if entry.Deed != PassedOver || number != 0 && entry.Round != number {
			continue
		}
		found = true
		code, text, next := Ineligible, "", ""
		switch entry.How {
		case NoEntry:
			text, next = "it was not on the roster", "put stake down: ojud judge register; only draws after that count"
		case Leaving:
			text, next = "it had asked to leave the roster, and who leaves has no weight in the next season", "to judge again, join again when the stake is free: ojud judge withdraw, ojud judge register"
		case LowStake:
			text, next = "its stake was too small", "put more down: ojud judge top-up"
		case Fresh:
			text, next = "its stake came after the season began that this round was drawn in", "nothing is left to do: it counts from the next season on"
		case SatBefore:
			code, text = Excluded, "an appeal is heard by others"
		case IsParty:
			code, text = Excluded, "nobody judges his own case"
		}
		e.say(entry.Round, code, "this judge could not be drawn: "+text+" ("+entry.Text+")", "the node's event log, "+entry.times(), next)
	}
	return found
}

// isParty reports whether the record shows that the judge itself is a party or its operator.
func (e *explainer) isParty() bool {
	return e.f.Record != nil && e.f.Record.Open != nil && party(e.f.Record.Open.Value.Task, e.f.Judge) != ""
}

// candidate returns the place of a judge among the candidates of a draw, or −1.
func candidate(d casefile.DrawFact, judge casefile.Address) int {
	return slices.IndexFunc(d.Candidates, func(c casefile.Candidate) bool { return c.Judge == judge })
}

// notDrawn says with what chance the judge was not drawn, and where it would have come.
func (e *explainer) notDrawn(r round) {
	d := r.draw.Value
	c := d.Candidates[candidate(d, e.f.Judge)]
	text := fmt.Sprintf("this judge could be drawn, with a weight of %s, and was not: %s", onchain.SOL(uint64(c.Weight)), e.chance(d))
	switch place := e.place(d); {
	case place > maxPlace:
		text += fmt.Sprintf("; it would not have been among the first %d", maxPlace)
	case place > 0:
		text += fmt.Sprintf("; had the draw gone on, it would have been drawn as number %d", place)
	default:
		text += "; the draw, done again from these facts, does not give these seats"
	}
	next := ""
	if e.own().Running {
		next = "nothing is wrong; more stake makes a seat more likely, up to the most that a seat weighs"
	}
	e.say(r.number, NotDrawn, text, r.fact("draw"), next)
}

// maxPlace is how many numbers a draw takes at most (protocol section 6).
const maxPlace = 128

// place repeats the draw and goes on after the last seat. It returns the draw that gives the judge,
// counted from 1, more than maxPlace if none does, or 0 if the facts do not give the seats that
// they name.
func (e *explainer) place(d casefile.DrawFact) int {
	all := drawable(d)
	lot := rules.Lot{Program: voting.Key(e.f.Record.Program), Task: voting.Key(e.f.Case), Round: d.Round, DrawnSlot: d.DrawnSlot, SlotHash: voting.Hash(d.SlotHash)}
	order, err := rules.Draw(lot.Seed(), all, uint8(min(len(all), maxPlace)), 1)
	if err != nil || !within(order, d.Seats) {
		return 0
	}
	if i := slices.IndexFunc(order, func(s voting.Seat) bool { return s.Judge == voting.Key(e.f.Judge) }); i >= 0 {
		return i + 1
	}
	return maxPlace + 1
}

// within reports whether the seats came in this order. The draw passed over the others between
// them.
func within(order []voting.Seat, seats []uint16) bool {
	for _, s := range order {
		if len(seats) > 0 && s.Index == seats[0] {
			seats = seats[1:]
		}
	}
	return len(seats) == 0
}

func drawable(d casefile.DrawFact) []voting.Candidate {
	out := make([]voting.Candidate, len(d.Candidates))
	for i, c := range d.Candidates {
		out[i] = voting.Candidate{Index: c.Index, Judge: voting.Key(c.Judge), Peer: voting.Key(c.Peer), Weight: uint64(c.Weight), Seat: uint64(c.Weight), Active: true}
	}
	return out
}

// draws is the number of trial draws to estimate a chance: its standard deviation is then 1.6
// percentage points at most.
const draws = 1000

// maxTried is with how many candidates draws are tried: with more it would take too long for a
// page, and the few that were drawn hardly change the shares of the others.
const maxTried = 2048

// share returns a judge's part of the weight of all.
func share(judge casefile.Address, all []voting.Candidate) float64 {
	own, sum := 0.0, 0.0
	for _, c := range all {
		if sum += float64(c.Weight); c.Judge == voting.Key(judge) {
			own = float64(c.Weight)
		}
	}
	return own / sum
}

// chance returns the numbers of seats and candidates, and the judge's chance to be drawn. With
// equal weights it is seats divided by candidates. By weight without replacement there is no closed
// form, so the draw is tried with other seeds. They are always the same, so that the same facts
// give the same text.
func (e *explainer) chance(d casefile.DrawFact) string {
	all := drawable(d)
	seats := min(int(d.PanelSeats), len(all))
	if seats == len(all) {
		return fmt.Sprintf("all %d who could be drawn were", seats)
	}
	of := fmt.Sprintf("%d of the %d who could be drawn were, ", seats, len(all))
	if !slices.ContainsFunc(all, func(c voting.Candidate) bool { return c.Weight != all[0].Weight }) {
		return of + "each with the same chance, as all weigh the same"
	}
	if len(all) > maxTried {
		return of + fmt.Sprintf("by weight, and its chance was about %.2f %% (%d numbers are drawn, and its share of all weight is its chance at each)",
			100*(1-math.Pow(1-share(e.f.Judge, all), float64(seats))), seats)
	}
	hits := 0
	for i := range uint64(draws) {
		seed := sha256.Sum256(binary.LittleEndian.AppendUint64([]byte("why:chance:"), i))
		drawn, err := rules.Draw(seed, all, d.PanelSeats, 1)
		if err != nil {
			return of + "by weight"
		}
		if slices.ContainsFunc(drawn, func(s voting.Seat) bool { return s.Judge == voting.Key(e.f.Judge) }) {
			hits++
		}
	}
	return of + fmt.Sprintf("by weight, and its chance was about %d %% (%d of %d draws tried with other seeds)", (hits*100+draws/2)/draws, hits, draws)
}
