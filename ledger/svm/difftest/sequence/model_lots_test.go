package sequence_test

import (
	"slices"

	"ojud/ledger/program"
	"ojud/voting"
)

// longest is the time of a case with all its rounds and those of its appeal, in seconds.
func longest(p program.Params) int64 {
	level := int64(p.MaxRounds) * (int64(p.DrawSeconds) + int64(p.CommitSeconds) + int64(p.RevealSeconds))
	if p.AppealSeconds == 0 {
		return level
	}
	return 2*level + int64(p.AppealSeconds)
}

// lots are the entries that a draw of the case walks, with what a seat of each would weigh, as
// section 6 of the protocol says it. The model does not ask the code of the nodes, which could have
// the same fault as the program. The Roster knows the season of the seed slot.
func lots(r *program.Roster, k *program.Case, t *program.Task) []voting.Candidate {
	appeal := k.AppealSeats > 0
	before := r.SeasonSlot >= k.SeedSlot
	if appeal && k.Season == uint8(r.Season-1) {
		before = true
	}
	parties := []key{t.Creator, t.Worker, t.CreatorOperator, t.WorkerOperator}
	party := func(one key) bool { return one != key{} && slices.Contains(parties, one) }
	var all []voting.Candidate
	for i, e := range r.Entries {
		weight, own := e.Weight, e.Owned&1 != 0
		if before {
			weight, own = e.WeightBefore, e.Owned&2 != 0
		}
		if weight == 0 {
			continue
		}
		c := voting.Candidate{Index: uint16(i), Judge: voting.Key(e.Authority), Weight: weight}
		over := !own || party(e.Authority) || party(e.Operator) || e.Stake == 0 || e.Stake < k.MinStake/2
		seat, free := min(weight, k.MaxSeatWeight, e.Stake), uint64(0)
		if e.Stake > e.Locked {
			free = e.Stake - e.Locked
		}
		if appeal {
			over = over || k.Sat(i)
			seat = min(weight, k.MaxSeatWeight, 2*e.Stake)
		}
		switch {
		case over:
		case appeal || free >= exposed(k, program.Seat{Weight: seat}):
			c.Seat = seat
		default:
			c.Busy = seat
		}
		all = append(all, c)
	}
	return all
}
