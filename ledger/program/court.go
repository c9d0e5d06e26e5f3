package program

import (
	"ojud/voting"
	"ojud/voting/rules"
)

// Voting returns the case as package voting sees it, from a look at that slot. The node keys of the
// seats come from the Roster of the same look; a seat whose entry was given to somebody else since
// has a zero Peer, which verifies nothing.
func (c *Case) Voting(slot uint64, r *Roster) voting.Case {
	v := voting.Case{
		Task: voting.Key(c.Task), Slot: slot, Status: c.Status, Round: c.Round, Verdict: c.Verdict,
		OpenedAt: c.OpenedAt, SeedSlot: c.SeedSlot, DrawnSlot: c.DrawnSlot, SlotHash: c.SlotHash,
		DrawBy: c.DrawBy, CommitEnds: c.CommitEnds, RevealEnds: c.RevealEnds, SettledAt: c.SettledAt,
		Rules: c.Rules,
	}
	for i := range c.Seats {
		v.Seats = append(v.Seats, c.Seats[i].voting(r))
	}
	return v
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

// Candidates returns the entries as a draw with that seed slot sees them, in roster order;
// rules.Eligible picks from them. For as long as there can be such a draw they are the same, but
// for Free, whatever is done to the Roster after the seed slot (ADR 0020).
func (r *Roster) Candidates(seedSlot uint64) []voting.Candidate {
	all := make([]voting.Candidate, len(r.Entries))
	for i := range r.Entries {
		e := &r.Entries[i]
		all[i] = voting.Candidate{
			Index: uint16(i), Judge: voting.Key(e.Authority), Peer: e.Peer, Operator: voting.Key(e.Operator),
			Stake: e.StakeAt(seedSlot), Free: e.Stake - min(e.Stake, e.Locked), Active: e.SitsAt(seedSlot),
		}
	}
	return all
}

// Impartial counts the judges that a draw would find for a case that opened in that slot, and those
// of them that would be left for a dispute between the task's creator and this worker. claim_task
// demands MinSeats of these.
func (r *Roster) Impartial(t *Task, worker *Agent, p Params, slot uint64) (all, left int) {
	candidates := r.Candidates(slot + uint64(p.DrawDelaySlots))
	parties := t.Parties()
	parties.Worker, parties.WorkerOperator = voting.Key(worker.Authority), voting.Key(worker.Operator)
	count := func(of voting.Parties) int { return len(rules.Eligible(candidates, of, p.MinStake, p.MaxSeatWeight)) }
	return count(voting.Parties{}), count(parties)
}

// StakeAt is the stake in lamports that a draw with that seed slot sees: without stake that was
// added in that slot or later, and with stake that was slashed since the window of that slot began
// (protocol section 6).
func (e *RosterEntry) StakeAt(seedSlot uint64) uint64 {
	stake := e.Stake
	if e.LostSlot/Window >= seedSlot/Window {
		stake += e.Lost
	}
	if e.LostSlot/Window > seedSlot/Window {
		stake += e.LostBefore
	}
	if e.FreshSlot < seedSlot {
		return stake
	}
	return stake - min(stake, e.Fresh)
}

// SitsAt reports whether a draw with that seed slot sees a judge that stays.
func (e *RosterEntry) SitsAt(seedSlot uint64) bool {
	return e.State == EntryActive || e.State == EntryExiting && e.ExitSlot >= seedSlot
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

// Terms returns what the task holds for its parties.
func (t *Task) Terms() rules.Terms {
	return rules.Terms{Escrow: t.Escrow, CreatorBond: t.CreatorBond, WorkerBond: t.WorkerBond, ClaimBond: t.ClaimBond, OnUndecided: t.OnUndecided, TradeBps: t.TradeBps}
}

// Offer returns what the price of a claim depends on.
func (t *Task) Offer() rules.Offer {
	return rules.Offer{
		Auction: t.Auction, RewardMin: t.RewardMin, RewardMax: t.RewardMax, Reward: t.Reward,
		Escrow: t.Escrow, From: t.AuctionFrom, Seconds: t.AuctionSeconds,
	}
}
