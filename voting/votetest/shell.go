package votetest

import (
	"bytes"
	"slices"

	"ojud/voting"
)

// Genesis is the chain's clock when a simulation starts, in Unix seconds, FirstSlot its slot, and
// SlotMs how long a slot takes in milliseconds.
const (
	Genesis   = 1_800_000_000
	FirstSlot = 10_000
	SlotMs    = 400
)

// MaxFaults is how many broken promises a referee writes down.
const MaxFaults = 20

// Journal holds the last record of each key, as the journal on a disk does.
type Journal []voting.Record

// Put writes a record, and returns the one that it replaces.
func (j *Journal) Put(r voting.Record) (old voting.Record) {
	key := r.Key()
	i := slices.IndexFunc(*j, func(o voting.Record) bool { return bytes.Equal(o.Key(), key) })
	if i < 0 {
		*j = append(*j, r)
		return nil
	}
	old, (*j)[i] = (*j)[i], r
	return old
}

// Forget drops the records of a case.
func (j *Journal) Forget(task voting.Key) {
	*j = slices.DeleteFunc(*j, func(r voting.Record) bool { return voting.Key(r.Key()[:32]) == task })
}

// Had lists which messages one side of a catch-up has: numbers of seats.
type Had struct{ commits, votes, requests []int }

// Have returns the messages that a node has of a round.
func Have(v *voting.View, f voting.CatchUp) Had {
	commits, votes := v.Have(f.Task, f.Round)
	return Had{commits, votes, v.Asked(f.Task, f.Round)}
}

// Missing returns the notices in v that the other side does not have.
func Missing(v *voting.View, f voting.CatchUp, other Had) []voting.Notice {
	var out []voting.Notice
	known, _ := v.Round(f.Task, f.Round)
	for _, k := range known {
		if !slices.Contains(other.commits, k.Seat) {
			for _, c := range k.Commits {
				out = append(out, c)
			}
		}
		if k.Request != nil && !slices.Contains(other.requests, k.Seat) {
			out = append(out, *k.Request)
		}
		if k.Vote != nil && !slices.Contains(other.votes, k.Seat) {
			out = append(out, *k.Vote)
		}
	}
	return out
}

// Shows reports whether a journal holds the node's own vote that a notice shows.
func (j Journal) Shows(notice voting.Notice) bool {
	commit, states := StatementIn(notice)
	vote, _ := notice.(voting.Vote)
	return slices.ContainsFunc(j, func(r voting.Record) bool {
		switch r := r.(type) {
		case voting.Cast:
			if states {
				return commit.Task == r.Task && commit.Round == r.Round && commit.Commitment == r.Commitment
			}
			return vote.Task == r.Task && vote.Round == r.Round && vote.Opening == r.Opening
		case voting.Recovered:
			return !states && vote.Task == r.Task && vote.Round == r.Round && vote.Opening == r.Opening
		}
		return false
	})
}

// StatementIn is the commitment that a notice is about; ok is false for a vote.
func StatementIn(n voting.Notice) (c voting.Commit, ok bool) {
	switch n := n.(type) {
	case voting.Commit:
		return n, true
	case voting.Relay:
		return n.Commit, true
	}
	return voting.Commit{}, false
}

// SameCase reports whether a node sees a case as the chain has it.
func SameCase(seen, chain *voting.Case) bool {
	return seen.Status == chain.Status && seen.Verdict == chain.Verdict && slices.Equal(seen.Seats, chain.Seats)
}

// Stated is a commitment that a node signed.
type Stated struct {
	Node       int
	Task       voting.Key
	Round      uint8
	Commitment voting.Hash
}
