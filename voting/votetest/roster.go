package votetest

import (
	"slices"

	"ojud/voting"
	"ojud/voting/rules"
)

// Entry is a judge on the Roster (protocol section 4). Free entries do not occur: a judge that
// withdrew keeps its place with Gone set.
type Entry struct {
	Judge, Peer, Operator voting.Key
	Stake, Rewards        uint64
	Locked                uint64 // the most that its live seats can lose
	Live                  uint16
	Exiting, Gone         bool
	ExitAt                int64
	ExitSlot              uint64
	Moves                 []Move // in the order of the chain

	Seated, Majority, Minority, Absent, Abstained, Equivocated uint32
}

// Move is stake that came or was slashed. The program keeps of these what a draw may ask for (ADR
// 0020); the model keeps all.
type Move struct {
	Slot           uint64
	Added, Slashed uint64 // lamports; one of them is zero
}

// window is for how many slots a seed slot can be drawn with (protocol section 5).
const window = 512

// add and slash change the stake.
func (e *Entry) add(slot, amount uint64) {
	e.Stake += amount
	e.Moves = append(e.Moves, Move{Slot: slot, Added: amount})
}

func (e *Entry) slash(slot, amount uint64) {
	e.Stake -= amount
	e.Moves = append(e.Moves, Move{Slot: slot, Slashed: amount})
}

// stakeAt is the stake that a draw with that seed slot sees: without stake that was added then or
// later, and with stake that was slashed since its window of 512 slots began.
func (e *Entry) stakeAt(seed uint64) uint64 {
	stake := e.Stake
	for _, m := range e.Moves {
		if m.Slot >= seed/window*window {
			stake += m.Slashed
		}
		if m.Slot >= seed {
			stake -= m.Added
		}
	}
	return stake
}

// fresh reports whether stake came so lately, in another slot, that no more may come.
func (e *Entry) fresh(slot uint64) bool {
	return slices.ContainsFunc(e.Moves, func(m Move) bool { return m.Added > 0 && m.Slot != slot && m.Slot+window >= slot })
}

// Roster is the account that holds all stakes.
type Roster struct {
	Entries []Entry
}

// Candidates returns the roster's judges as a draw with that seed slot sees them.
func (r *Roster) Candidates(seed uint64) []voting.Candidate {
	out := make([]voting.Candidate, len(r.Entries))
	for i := range r.Entries {
		e := &r.Entries[i]
		out[i] = voting.Candidate{
			Index: uint16(i), Judge: e.Judge, Peer: e.Peer, Operator: e.Operator, Stake: e.stakeAt(seed), Free: e.Stake - min(e.Stake, e.Locked),
			Active: !e.Gone && (!e.Exiting || e.ExitSlot >= seed),
		}
	}
	return out
}

// Standings returns the judges of seats as a settlement sees them.
func (r *Roster) Standings(seats []voting.Seat) []rules.Standing {
	out := make([]rules.Standing, len(seats))
	for i := range seats {
		e := &r.Entries[seats[i].Index]
		out[i] = rules.Standing{
			Present: !e.Gone && e.Judge == seats[i].Judge,
			Stake:   e.Stake,
		}
	}
	return out
}

// Lamports is all that the account holds.
func (r *Roster) Lamports() uint64 {
	total := uint64(0)
	for i := range r.Entries {
		total += r.Entries[i].Stake + r.Entries[i].Rewards
	}
	return total
}

// count adds a result to the judge's record. An equivocation was counted when it was shown.
func (e *Entry) count(r voting.Result) {
	e.Seated++
	switch r {
	case voting.Majority:
		e.Majority++
	case voting.Minority:
		e.Minority++
	case voting.Absent:
		e.Absent++
	case voting.Abstained:
		e.Abstained++
	}
}
