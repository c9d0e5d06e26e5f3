package ledger

import (
	"ojud/ledger/looks"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
)

// Occurred is a transaction of the program that succeeded.
type Occurred struct {
	Slot      uint64
	Signature onchain.Signature
	Time      int64           // of the block, Unix seconds; 0: not known
	Events    []program.Event // in order
	// Complete is false when events may be missing: the node kept no logs, or the runtime cut them.
	// Read the accounts.
	Complete bool
	// Late: one of a newer slot was given out before. It was found when the stream was compared
	// with the node's index.
	Late bool
	// Cursor is where a Watcher may start again once this was taken care of. It may be older than
	// Slot: then some transactions are given out again.
	Cursor Cursor
}

// Cursor says how far the program's transactions were given out: all before Slot, and Signature.
// The zero Cursor is the present.
type Cursor struct {
	Slot      uint64            `json:"slot"`
	Signature onchain.Signature `json:"signature"`
}

// about reports whether an event belongs to the life of a task: its account and its case.
func about(e program.Event, task, address onchain.Address) (found bool) {
	switch e := e.(type) {
	case *program.TaskMoved:
		return e.Task == task
	case *program.Paid:
		return e.Task == task
	case *program.GrantSet:
		return e.Task == task
	case *program.LeafOpened:
		return e.Task == task
	case *program.LeafApplied:
		return e.Task == task
	case *program.Closed:
		return e.Account == task || e.Account == address
	}
	looks.Touched(e, func(t onchain.Address) { found = found || t == task })
	return found
}

// memory remembers the newest signatures. It grows as they come, because the room for all would be
// a third of an idle node's memory.
type memory struct {
	most  int
	ring  []onchain.Signature
	next  int // the oldest, once the ring is full
	known map[onchain.Signature]struct{}
}

func newMemory(n int) *memory { return &memory{most: n, known: map[onchain.Signature]struct{}{}} }

// add remembers a signature and reports whether it is new.
func (m *memory) add(sig onchain.Signature) bool {
	if m.has(sig) {
		return false
	}
	m.known[sig] = struct{}{}
	if len(m.ring) < m.most {
		m.ring = append(m.ring, sig)
		return true
	}
	delete(m.known, m.ring[m.next])
	m.ring[m.next] = sig
	m.next = (m.next + 1) % m.most
	return true
}

func (m *memory) has(sig onchain.Signature) bool {
	_, ok := m.known[sig]
	return ok
}
