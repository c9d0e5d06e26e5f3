package program

import (
	"math"

	"ojud/voting"
	"ojud/voting/rules"
)

// Voting returns the case as package voting sees it, from a look at that slot. The node keys of
// the seats come from the Roster of the same look; a seat whose entry was given to somebody else
// since has a zero Peer, which verifies nothing.
func (v *Case) Voting(slot uint64, r *Roster) voting.Case {
	out := voting.Case{
		Task: voting.Key(v.Task), Slot: slot, Status: v.Status, Round: v.Round, Verdict: v.Verdict,
		OpenedAt: v.OpenedAt, SeedSlot: v.SeedSlot, DrawnSlot: v.DrawnSlot, SlotHash: v.SlotHash,
		DrawBy: v.DrawBy, CommitEnds: v.CommitEnds, RevealEnds: v.RevealEnds, SettledAt: v.SettledAt,
		AppealBy: v.AppealBy, Rules: v.Rules, FirstRound: v.FirstRound, AppealSeats: v.AppealSeats,
	}
	for i := range v.Seats {
		out.Seats = append(out.Seats, v.Seats[i].voting(r))
	}
	for i := range v.First {
		out.First = append(out.First, v.First[i].voting(r))
	}
	return out
}

func (s *Seat) voting(r *Roster) voting.Seat {
	v := voting.Seat{
		Judge: voting.Key(s.Judge), Index: s.Index, Weight: s.Weight, Commitment: s.Commitment, Choice: s.Choice,
		Committed: s.Flags&SeatCommitted != 0, Revealed: s.Flags&SeatRevealed != 0, Equivocated: s.Flags&SeatEquivocated != 0,
		Result: s.Result, Slashed: s.Slashed, Earned: s.Earned,
	}
	if e := r.entryOf(s); e != nil {
		v.Peer = e.Peer
	}
	return v
}

// entryOf returns the entry that the seat names, if it is still its judge's.
func (r *Roster) entryOf(s *Seat) *RosterEntry {
	if r == nil || int(s.Index) >= len(r.Entries) {
		return nil
	}
	e := &r.Entries[s.Index]
	if e.State == EntryFree || e.Authority != s.Judge {
		return nil
	}
	return e
}

// SeasonOf returns the season that a draw with that seed slot sees: the last one that began
// before the slot. If the Roster has forgotten it, the draw waits for another slot.
func (r *Roster) SeasonOf(seedSlot uint64) (s Season, known bool) {
	switch {
	case r.SeasonSlot < seedSlot:
		return SeasonNow, true
	case r.BeforeSlot < seedSlot:
		return SeasonBefore, true
	}
	return 0, false
}

// Heard returns the season that an appeal of a case sees by this Roster: that of its first panel.
// If the Roster has forgotten it, it is the present one, and a draw sees that of its seed slot.
func (r *Roster) Heard(number uint8) (s Season, known bool) {
	switch number {
	case uint8(r.Season):
		return SeasonNow, true
	case uint8(r.Season - 1):
		return SeasonBefore, true
	}
	return SeasonNow, false
}

// Season is one of the two seasons whose weights the Roster has.
type Season uint8

// The seasons.
const (
	SeasonNow Season = iota
	SeasonBefore
)

// SeasonOver reports whether the next season may begin (protocol section 5).
func (r *Roster) SeasonOver(p Params, slot uint64, now int64) bool {
	due := now >= r.SeasonEnds(p) || r.TooSmall(p)
	return due && (r.SeasonSlot == 0 || slot > r.SeasonSlot+p.SlotsApart())
}

// SeasonEnds is when the time of the season is over, in Unix seconds: after season_seconds. If so
// few judges weigh in it that nobody can be drawn, it is over after the longest case, because then
// no case needs the season before.
func (r *Roster) SeasonEnds(p Params) int64 {
	lasts := uint64(p.SeasonSeconds)
	if r.fewer(p, (*RosterEntry).Weighs) {
		lasts = min(lasts, p.LongestCase())
	}
	return r.SeasonAt + int64(lasts)
}

// SlotsApart is how many slots pass at least from one season to the next, so that no draw meets
// more than two of them.
func (p Params) SlotsApart() uint64 { return min(window, uint64(p.SeasonSeconds)) }

// TooSmall reports whether no draw can seat the judges that a panel needs, so that the next
// season need not wait for its time. Judges that leave count as long as they have a weight.
func (r *Roster) TooSmall(p Params) bool { return r.fewer(p, (*RosterEntry).Counted) }

// fewer reports whether fewer than min_seats judges are so.
func (r *Roster) fewer(p Params, so func(*RosterEntry) bool) bool {
	judges := 0
	for i := range r.Entries {
		if so(&r.Entries[i]) {
			judges++
		}
	}
	return judges < int(p.MinSeats)
}

// NextSeason reports whether a season that began now would change a weight, how many judges it
// would give one, and whether a judge that leaves waits for it with its stake.
func (r *Roster) NextSeason(p Params) (changed bool, judges int, awaited bool) {
	for i, next := range r.Next(p) {
		e := &r.Entries[i]
		changed = changed || next != e.Weight || next > 0 && !e.Weighs()
		awaited = awaited || e.State == EntryExiting && e.Counted()
		if next > 0 {
			judges++
		}
	}
	return changed, judges, awaited
}

// Awaited reports whether a season that began now would give a judge its first weight.
func (r *Roster) Awaited(p Params) bool {
	for i, next := range r.Next(p) {
		if next > 0 && !r.Entries[i].Weighs() {
			return true
		}
	}
	return false
}

// Next returns the weights that a season would give if it began now, in roster order.
func (r *Roster) Next(p Params) []uint64 {
	fit := 0
	for i := range r.Entries {
		if e := &r.Entries[i]; e.staked(p) > 0 && e.Holds() {
			fit++
		}
	}
	few := fit < int(p.MinSeats) // the last list stands
	novices := r.Novices(p)
	weights := make([]uint64, len(r.Entries))
	for i := range r.Entries {
		e := &r.Entries[i]
		switch {
		case p.Credential != 0 && !e.Holds() && !(few && e.Weighs()):
		case novices.Apart && !e.Proven():
			weights[i] = min(e.staked(p), novices.Each, novices.Room)
			if weights[i] < p.leastNovice() {
				weights[i] = 0
			}
			novices.Room -= weights[i]
		case novices.Apart && e.Holds():
			weights[i] = e.borne(p)
		default:
			weights[i] = e.staked(p)
		}
	}
	return weights
}

// Novices says what a season gives to judges that are not proven.
type Novices struct {
	Apart  bool   // they have a room of their own; else they weigh as much as others
	Proven int    // judges whose record lets them sit; with the novices they must be min_seats
	Room   uint64 // what all novices together may weigh
	Each   uint64 // what each of them may weigh
}

// Novices returns what a season that began now would give to novices.
func (r *Roster) Novices(p Params) (n Novices) {
	all := uint64(0)
	for i := range r.Entries {
		switch e := &r.Entries[i]; {
		case e.staked(p) == 0 || !e.Holds():
		case !e.Proven():
			all++
		default:
			n.Proven++
			n.Room += e.borne(p)
		}
	}
	n.Room /= noviceShare
	n.Each = max(n.Room/max(all, 1), p.leastNovice())
	seated := min(all, n.Room/p.leastNovice())
	n.Apart = p.Credential == CredentialApart && uint64(n.Proven)+seated >= uint64(p.MinSeats)
	return n
}

// borne is what a proven judge may weigh in the next season, if novices are kept apart: at most
// what it weighs in this one, or min_stake, and after some golden cases more twice as much.
func (e *RosterEntry) borne(p Params) uint64 {
	most := e.base(p)
	if e.Since >= weightStep {
		most = min(2*most, p.MaxSeatWeight)
	}
	return min(e.staked(p), most)
}

// Growth is the number of golden cases after which the weight of a proven judge may double once
// more after the next season, if novices are kept apart and its stake allows it.
func (e *RosterEntry) Growth() int {
	if e.Since >= weightStep {
		return weightStep
	}
	return weightStep - int(e.Since)
}

// base is the weight with which the record of a proven judge counts as made.
func (e *RosterEntry) base(p Params) uint64 {
	if !e.Weighs() {
		return p.MinStake
	}
	return max(e.Weight, p.MinStake)
}

// weightStep is the number of golden cases after which the weight of a proven judge may double.
const weightStep = 5

// CredentialApart is the rule "credential" that gives novices a room of their own.
const CredentialApart = 2

// noviceShare is how many times as much as all novices the proven judges weigh at least.
const noviceShare = 9

// leastNovice is the least weight of a novice. With less, a mistake would cost it next to
// nothing.
func (p Params) leastNovice() uint64 { return max(1, p.MinStake/4) }

// Weighs reports whether the entry's judge has a weight in this season.
func (e *RosterEntry) Weighs() bool { return e.Weight > 0 && e.Owned&OwnWeight != 0 }

// in returns the weight that the entry has in a season, and whether it is the judge's.
func (e *RosterEntry) in(s Season) (weight uint64, owned bool) {
	if s == SeasonBefore {
		return e.WeightBefore, e.Owned&ownWeightBefore != 0
	}
	return e.Weight, e.Owned&OwnWeight != 0
}

// Counted reports whether the judge has a weight in a season from which somebody may still be
// drawn. So long its stake stays.
func (e *RosterEntry) Counted() bool {
	return e.Weighs() || e.WeightBefore > 0 && e.Owned&ownWeightBefore != 0
}

// FreeAt is when the stake of a judge that leaves is free at the earliest: its cooldown is over,
// and seasons have followed each other until none has its weight.
func (r *Roster) FreeAt(e *RosterEntry, p Params, now int64) int64 {
	next, season := max(now, r.SeasonEnds(p)), int64(p.SeasonSeconds)
	switch {
	case e.Weighs():
		return max(e.ExitAt, next+season)
	case e.Counted():
		return max(e.ExitAt, next)
	}
	return e.ExitAt
}

// Holds reports whether the record in golden cases lets the judge sit.
func (e *RosterEntry) Holds() bool {
	return e.Credential().Holds()
}

// Credential is the record in golden cases.
func (e *RosterEntry) Credential() rules.Credential {
	passed := e.Owned&OwnProven != 0
	return rules.Credential{Right: uint16(e.Right), Wrong: uint16(e.Wrong), Seen: uint16(e.Seen), Passed: passed}
}

// staked is the weight that the stake gives to an entry.
func (e *RosterEntry) staked(p Params) uint64 {
	if e.State != EntryActive || e.Stake < max(1, p.MinStake/2) {
		return 0
	}
	return min(e.Stake, p.MaxSeatWeight)
}

// Candidates returns the entries as the draw of a first panel with that seed slot sees them, in
// roster order, from which rules.Eligible picks. For as long as there can be such a draw they are
// the same, but for Free, whatever is done to the Roster after the seed slot (ADR 0033). There
// are none if the Roster has forgotten the season.
func (r *Roster) Candidates(seedSlot uint64) []voting.Candidate {
	season, known := r.SeasonOf(seedSlot)
	if !known {
		return nil
	}
	return r.In(season)
}

// In returns the entries with their weights in a season, in roster order. Judges that leave are
// drawn like the others as long as they have one.
func (r *Roster) In(season Season) []voting.Candidate {
	all := make([]voting.Candidate, len(r.Entries))
	for i := range r.Entries {
		e := &r.Entries[i]
		weight, owned := e.in(season)
		c := voting.Candidate{Index: uint16(i), Stake: weight}
		if owned { // else the judge has left, and another may have its entry
			c.Judge, c.Peer, c.Operator = voting.Key(e.Authority), e.Peer, voting.Key(e.Operator)
			c.Whole, c.Free, c.Active = e.Stake, e.Stake-min(e.Stake, e.Locked), true
		}
		all[i] = c
	}
	return all
}

// Impartial counts the judges that have a weight in this season, and those of them that would be
// left for a dispute between the task's creator and this worker. claim_task demands MinSeats of
// these.
func (r *Roster) Impartial(t *Task, worker *Agent, p Params) (all, left int) {
	parties := t.Parties()
	parties.Worker, parties.WorkerOperator = voting.Key(worker.Authority), voting.Key(worker.Operator)
	for i := range r.Entries {
		e := &r.Entries[i]
		if e.State != EntryActive || !e.Weighs() || e.Stake < max(1, p.MinStake/2) {
			continue
		}
		all++
		if !parties.Conflicts(voting.Key(e.Authority)) && !parties.Conflicts(voting.Key(e.Operator)) {
			left++
		}
	}
	return all, left
}

// Standings returns the Roster's entries for the judges of the case's seats, in their order.
// Settling depends on them.
func (r *Roster) Standings(c *Case) []rules.Standing {
	all := make([]rules.Standing, len(c.Seats))
	for i := range c.Seats {
		if e := r.entryOf(&c.Seats[i]); e != nil {
			all[i] = rules.Standing{Present: true, Stake: e.Stake}
		}
	}
	return all
}

// Find returns the index of a judge's entry, or −1.
func (r *Roster) Find(judge voting.Key) int {
	for i := range r.Entries {
		if r.Entries[i].State != EntryFree && voting.Key(r.Entries[i].Authority) == judge {
			return i
		}
	}
	return -1
}

// Parties returns who must not judge the task.
func (t *Task) Parties() voting.Parties {
	return voting.Parties{
		Creator: voting.Key(t.Creator), CreatorOperator: voting.Key(t.CreatorOperator),
		Worker: voting.Key(t.Worker), WorkerOperator: voting.Key(t.WorkerOperator),
	}
}

// Law is the law of a dispute about the task: that of its version of the rules, with the fee that
// its terms may have raised.
func (t *Task) Law(p Params) rules.Law { return p.Law().Raised(t.FeeMin) }

// Terms returns what the task holds for its parties.
func (t *Task) Terms() rules.Terms {
	return rules.Terms{Escrow: t.Escrow, CreatorBond: t.CreatorBond, WorkerBond: t.WorkerBond, ClaimBond: t.ClaimBond, OnUndecided: t.OnUndecided, TradeBps: t.TradeBps, Prepaid: t.IsDispute()}
}

// Stood returns the seconds of all pauses until a moment of the chain's clock.
func (v *Config) Stood(now int64) int64 {
	stood := int64(v.PausedSeconds)
	if v.Paused == 1 && now > v.PausedAt {
		stood += now - v.PausedAt
	}
	return min(stood, math.MaxUint32)
}

// Market returns the time by which auctions go at that moment. It stands still in a pause, in
// which no task can be claimed.
func (v *Config) Market(now int64) int64 { return now - v.Stood(now) }

// Offer returns what the price of a claim depends on. Its price is that of a time of
// Config.Market.
func (t *Task) Offer() rules.Offer {
	return rules.Offer{
		Auction: t.Auction, RewardMin: t.RewardMin, RewardMax: t.RewardMax, Reward: t.Reward,
		Escrow: t.Escrow, From: t.AuctionFrom, Seconds: t.AuctionSeconds,
	}
}
