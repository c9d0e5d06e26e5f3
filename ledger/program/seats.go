package program

import (
	"cmp"
	"slices"
	"strings"

	"ojud/ledger/onchain"
	"ojud/voting"
	"ojud/voting/rules"
)

// walkSeats walks the seats behind the head of a Case: those of the panel of the task's terms,
// then those of the appeal if there is one. There is room for these, and no more.
func (v *Case) walkSeats(w *walk, first, seats int) {
	if v.AppealSeats == 0 {
		if first > 0 {
			w.fail("%d seats of a first panel without an appeal", first)
			return
		}
		places(w, "panel", "Seat", seats, int(v.Rules.PanelSeats), seatSize, &v.Seats)
		return
	}
	places(w, "first", "Seat", first, int(v.Rules.PanelSeats), seatSize, &v.First)
	places(w, "panel", "Seat", seats, int(v.AppealSeats), seatSize, &v.Seats)
}

// Sat reports whether the judge of that entry of the Roster had a seat in the last round of the
// first level.
func (v *Case) Sat(index int) bool {
	seats := v.Seats
	if v.AppealSeats > 0 {
		seats = v.First
	}
	return slices.ContainsFunc(seats, func(s Seat) bool { return int(s.Index) == index })
}

// Room is the number of seats behind the head of the account.
func (v *Case) Room() int { return int(v.Rules.PanelSeats) + int(v.AppealSeats) }

// Panel returns how many seats the present level has, and how many judges it needs at least.
func (v *Case) Panel() (seats, least uint8) {
	if v.AppealSeats > 0 {
		return v.AppealSeats, rules.MinAppealSeats
	}
	return v.Rules.PanelSeats, v.Rules.MinSeats
}

// Losers are the parties that the verdict is against, which alone may appeal. An undecided case is
// against those that its task's own term is against: both, if it divides the escrow.
func (v *Case) Losers(t *Task) []onchain.Address {
	const _ = uint(3 - voting.Verdicts) // a fourth verdict needs its loser
	switch {
	case v.Verdict == voting.ForWorker, v.Verdict == voting.Undecided && t.OnUndecided == voting.PayWorker:
		return []onchain.Address{t.Creator}
	case v.Verdict == voting.Undecided && t.OnUndecided == voting.SplitEscrow:
		return []onchain.Address{t.Creator, t.Worker}
	}
	return []onchain.Address{t.Worker}
}

// LoserNames names the losers.
func (v *Case) LoserNames(t *Task) string {
	names := []string{}
	for _, party := range v.Losers(t) {
		names = append(names, party.String())
	}
	return strings.Join(names, " or ")
}

// NoAppeal says why the case cannot be appealed; empty: it can, until AppealBy.
func (v *Case) NoAppeal() string {
	const _ = uint(6 - voting.Statuses) // a seventh status needs its reason
	switch {
	case v.Status == voting.EndedUndecided:
		return "it ended undecided, and nothing can be appealed any more"
	case v.Status == voting.Decided && v.AppealBy == 0:
		return "the verdict was final at once: the court has no appeals, or the judges that did not sit are too few, or weigh too little"
	case v.AppealSeats > 0:
		return "it was appealed already, and a case is heard twice at most"
	case v.Status == voting.Decided:
		return "the verdict is final; the time to appeal is over, or was given up"
	case v.Status != voting.Appealable:
		return "the first panel has no verdict yet"
	}
	return ""
}

// AppealStakes returns what an appeal would bring that party if it wins the case, and what would
// be lost if the other one does. Both have the bond that the party has posted before.
func (v *Case) AppealStakes(t *Task, by onchain.Address) (win, lose uint64, err error) {
	own, bring := t.WorkerBond, t.Escrow
	trade, err := rules.Trade(t.Escrow, t.TradeBps)
	if by == t.Creator {
		own, trade = t.CreatorBond, 0
	}
	lose = own + voting.MaxSeats*v.Rules.Fee // of lamports that exist
	return bring - trade + lose, lose, err
}

// Others returns the weights of the judges that may hear the appeal: they did not give the verdict,
// may judge the parties, and had a weight in the season that the first panel was drawn from. Those
// that leave are among them.
func (v *Case) Others(r *Roster, t *Task) (weights []uint64) {
	parties := t.Parties()
	season, _ := r.Heard(v.Season)
	for i := range r.Entries {
		e := &r.Entries[i]
		weight, owned := e.in(season)
		party := parties.Conflicts(voting.Key(e.Authority)) || parties.Conflicts(voting.Key(e.Operator))
		if e.State != EntryFree && owned && weight > 0 && e.Stake >= max(1, v.MinStake/2) && !party && !v.Sat(i) {
			weights = append(weights, min(rules.Heard(weight, e.Stake), v.MaxSeatWeight))
		}
	}
	return weights
}

// HalfPanel is half of the largest panel: so many seats a challenge has at least.
const HalfPanel = voting.MaxSeats / 2

// HearsTwice reports whether a panel of HalfPanel seats leaves judges enough for an appeal, also
// if the heaviest are drawn and vote alike.
func (r *Roster) HearsTwice(p Params) bool {
	var weights []uint64
	for i := range r.Entries {
		if e := &r.Entries[i]; e.State == EntryActive && e.Weighs() {
			weights = append(weights, min(e.Weight, p.MaxSeatWeight, e.Stake))
		}
	}
	slices.Sort(weights)
	others, votes := weights[:max(len(weights)-HalfPanel, 0)], uint64(0)
	for _, w := range weights[len(others):] {
		votes += w // of at most 14 seats
	}
	return rules.AppealSeats(others, votes) > 0
}

// AppealRoom is how many seats an appeal of the first verdict would have now; 0: there can be
// none.
func (v *Case) AppealRoom(r *Roster, t *Task) int {
	return rules.AppealSeats(v.Others(r, t), v.Votes())
}

// CanTurn reports whether a party gets the verdict if the heaviest judges that may hear its appeal
// now all vote for it. Nothing of a decided first panel stands against that, but the votes of one
// that decided nothing do.
func (v *Case) CanTurn(r *Roster, t *Task, party onchain.Address) bool {
	weights := v.Others(r, t)
	slices.SortFunc(weights, func(a, b uint64) int { return cmp.Compare(b, a) })
	sum := uint64(0)
	for _, w := range weights[:min(len(weights), voting.MaxSeats)] {
		sum += w // of at most 28 seats
	}
	if party == t.Worker {
		return v.Given().Decides(rules.Tally{Accept: sum, Seated: sum}) == voting.ForWorker
	}
	return v.Given().Decides(rules.Tally{Reject: sum, Seated: sum}) == voting.ForCreator
}

// Votes is the weight of the votes that gave the first panel's verdict.
func (v *Case) Votes() uint64 { return v.Given().Votes() }

// Given is the first panel's verdict with its votes.
func (v *Case) Given() rules.Given {
	if v.AppealSeats > 0 {
		return rules.Given{Verdict: v.FirstVerdict, Tally: rules.Tally{Accept: v.FirstAcceptWeight, Reject: v.FirstRejectWeight, Seated: v.FirstSeatedWeight}}
	}
	return rules.Given{Verdict: v.Verdict, Tally: rules.Tally{Accept: v.AcceptWeight, Reject: v.RejectWeight, Seated: v.SeatedWeight}}
}

// Candidates returns the entries of the Roster as a draw for the case sees them. An appeal passes
// over those that gave the first verdict. It seats also those that are busy, with the weight of
// their season.
func (v *Case) Candidates(r *Roster) []voting.Candidate {
	if v.AppealSeats == 0 {
		return r.Candidates(v.SeedSlot)
	}
	all := r.Candidates(v.SeedSlot)
	seen, _ := r.SeasonOf(v.SeedSlot)
	// The number comes back after 256 seasons, and may then be that of one that began too late.
	if first, known := r.Heard(v.Season); known && len(all) > 0 && (first == seen || seen == SeasonNow) {
		all = r.In(first)
	}
	law := rules.LawOf(v.Rules).Staked(v.MinStake, v.MaxSeatWeight)
	for i := range all {
		all[i] = law.Appealing(all[i])
		all[i].Active = all[i].Judge != (voting.Key{}) && !v.Sat(i)
	}
	return all
}

// PanelSizes are the sizes that a first panel may have beside the court's own. The program takes
// no others, because they would ask for a larger part of the votes.
func (p Params) PanelSizes() []uint8 {
	var out []uint8
	for _, seats := range []uint8{7, 14} {
		if p.MinSeats <= seats && seats < p.PanelSeats {
			out = append(out, seats)
		}
	}
	return append(out, p.PanelSeats)
}
