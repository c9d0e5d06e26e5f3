package votetest

import "ojud/voting"

// Entry is a judge on the Roster (protocol section 4). Free entries do not occur: a judge that withdrew keeps its place with
// Gone set.
type Entry struct {
	Judge, Peer, Operator voting.Key
	Stake, Rewards        uint64
	Locked                uint64
	Live                  uint16
	Exiting, Gone         bool
	ExitAt                int64

	Seated, Majority, Minority, Absent, Abstained, Equivocated uint32
}

// Roster is the account that holds all stakes.
type Roster struct {
	Entries []Entry
	Carry   uint64
	Pots    uint64 // of the open cases together
}

// Candidates is what a draw sees of the roster.
func (r *Roster) Candidates() []voting.Candidate {
	out := make([]voting.Candidate, len(r.Entries))
	for i := range r.Entries {
		e := &r.Entries[i]
		out[i] = voting.Candidate{
			Index: uint16(i), Judge: e.Judge, Peer: e.Peer, Operator: e.Operator, Stake: e.Stake,
			Active: !e.Exiting && !e.Gone,
		}
	}
	return out
}

// Standings is what a settlement sees of the judges of seats.
func (r *Roster) Standings(seats []voting.Seat) []voting.Standing {
	out := make([]voting.Standing, len(seats))
	for i := range seats {
		e := &r.Entries[seats[i].Index]
		out[i] = voting.Standing{
			Present: !e.Gone && e.Judge == seats[i].Judge,
			Stake:   e.Stake, Seated: e.Seated, Abstained: e.Abstained,
		}
	}
	return out
}

// Lamports is all that the account holds.
func (r *Roster) Lamports() uint64 {
	total := r.Carry + r.Pots
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
