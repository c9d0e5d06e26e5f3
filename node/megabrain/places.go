package megabrain

import (
	"cmp"
	"context"
	"slices"

	"ojud/ledger"
	"ojud/ledger/brain"
	"ojud/ledger/onchain"
)

// places says in which tasks a key has a seat. A list of tasks has no seats, so that each task is
// read when somebody was drawn for it.
type places map[onchain.Address]place

// place is what was read of a task.
type place struct {
	counts brain.Counts
	made   uint64 // a task may be made again at its address
	class  onchain.Address
	seated bool
}

// maxRead bounds the accounts of one request.
const maxRead = 100

// read reads the tasks for which somebody was drawn since the last time.
func (p places) read(ctx context.Context, self, program onchain.Address, all []Seen, get func(context.Context, []onchain.Address) ([]*ledger.Account, error)) error {
	listed, drawn := map[onchain.Address]bool{}, []onchain.Address{}
	for _, s := range all {
		known, t := p[s.At], s.Task
		if t.Status >= brain.Settled {
			continue
		}
		if listed[s.At] = true; (known.counts != t.Counts || known.made != t.Clock.CreatedSlot) && t.Counts.Drawn+t.Counts.Seated > 0 {
			drawn = append(drawn, s.At)
		}
	}
	for at := range p {
		if !listed[at] {
			delete(p, at)
		}
	}
	for part := range slices.Chunk(drawn, maxRead) {
		accounts, err := get(ctx, part)
		if err != nil {
			return err
		}
		for i, a := range accounts {
			if a == nil || a.Owner != program {
				continue // it was closed meanwhile
			}
			if t, err := brain.DecodeTask(a.Data); err == nil { // it is of another version otherwise
				_, none := (&Desk{self: self}).seat(t)
				p[part[i]] = place{t.Counts, t.Clock.CreatedSlot, t.Parties.Class, none == nil}
			}
		}
	}
	return nil
}

// first puts the tasks first in which the key has a seat, those with the least time before others:
// what is late there costs stake, and strangers' tasks take time.
func (p places) first(all []Seen) {
	rank := map[bool]int{true: 0, false: 1}
	slices.SortStableFunc(all, func(a, b Seen) int {
		return cmp.Or(cmp.Compare(rank[p[a.At].seated], rank[p[b.At].seated]), cmp.Compare(a.Task.Clock.Deadline, b.Task.Clock.Deadline))
	})
}
