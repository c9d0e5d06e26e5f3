package looks

import (
	"context"
	"sync"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

// Look is how a case was in a slot: its task and case are of that slot, and the Roster, if its head
// has changed since it was read whole. A later look may have a newer slot and show an earlier
// state: confirmed blocks may vanish.
type Look struct {
	// Moment is that slot and its time, or a later time if a look before this one has shown it
	// already.
	Moment
	// ID is the case: the address of its task. Zero: this look only says what time it is, and how
	// the Roster was if that is read.
	ID     onchain.Address
	Task   *program.Task   // nil: there is no such account any more
	Case   *program.Case   // nil: the case is gone
	Roster *program.Roster // of that slot, or older with the same head; shared, do not change it
}

// Gone reports whether the case has no account any more.
func (l Look) Gone() bool { return !l.ID.IsZero() && l.Case == nil }

// Event returns the look as an event for package voting.
func (l Look) Event() voting.Event {
	switch {
	case l.ID.IsZero():
		return voting.Tick{At: l.Unix}
	case l.Gone():
		return voting.CaseGone{At: l.Unix, Task: voting.Key(l.ID), Slot: l.Slot}
	}
	return voting.CaseSeen{At: l.Unix, Case: l.Case.Voting(l.Slot, l.Roster)}
}

// Mailbox holds looks until they are taken: at most one a case, the newest, and the newest time.
type Mailbox struct {
	mu     sync.Mutex
	order  []onchain.Address
	looks  map[onchain.Address]Look
	time   *Moment
	stakes *Look  // the Roster alone
	last   Moment // the newest given out
	offer  uint64 // slot of the newest that may have been taken
	ready  chan struct{}
}

// NewMailbox makes an empty mailbox.
func NewMailbox() *Mailbox {
	return &Mailbox{looks: make(map[onchain.Address]Look), ready: make(chan struct{}, 1)}
}

// Put leaves a look at a case.
func (b *Mailbox) Put(l Look) {
	b.mu.Lock()
	if _, waiting := b.looks[l.ID]; !waiting {
		b.order = append(b.order, l.ID)
	}
	b.looks[l.ID] = l
	b.mu.Unlock()
	b.wake()
}

// PutTime leaves the chain's time.
func (b *Mailbox) PutTime(m Moment) {
	b.mu.Lock()
	if b.time == nil || m.Slot > b.time.Slot {
		b.time = &m
	}
	b.mu.Unlock()
	b.wake()
}

// PutRoster leaves the Roster alone. Unless late is set, it refuses a Roster that is older than
// what was given out, and returns the slot of that.
func (b *Mailbox) PutRoster(m Moment, r *program.Roster, late bool) (shown uint64, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if shown = max(b.last.Slot, b.offer); m.Slot < shown && !late {
		return shown, false
	}
	b.stakes = &Look{Moment: m, Roster: r}
	b.wake()
	return shown, true
}

func (b *Mailbox) wake() {
	select {
	case b.ready <- struct{}{}:
	default:
	}
}

// next returns the look to give out next: cases in the order of their changes, then the Roster,
// then the time if it is news.
func (b *Mailbox) next() (Look, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case len(b.order) > 0:
		b.offer = max(b.offer, b.looks[b.order[0]].Slot)
		return b.timely(b.looks[b.order[0]]), true
	case b.stakes != nil:
		return b.timely(*b.stakes), true
	case b.time != nil && b.time.Slot > b.last.Slot:
		b.offer = b.time.Slot
		return Look{Moment: *b.time}, true
	}
	return Look{}, false
}

// timely gives an old look the time that was shown already. The caller holds mu.
func (b *Mailbox) timely(l Look) Look {
	if l.Slot < b.last.Slot {
		l.Unix = b.last.Unix
	}
	return l
}

// given removes what was given out, unless something newer has taken its place.
func (b *Mailbox) given(l Look) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if l.Slot >= b.last.Slot {
		b.last = l.Moment
	}
	if l.Roster != nil && b.stakes != nil && b.stakes.Slot <= l.Slot {
		b.stakes = nil // l has shown it, or a newer one
	}
	if now, waiting := b.looks[l.ID]; waiting && now.Slot == l.Slot {
		delete(b.looks, l.ID)
		b.order = b.order[1:]
	}
}

// Run sends looks until ctx ends. While the receiver waits, it chooses again after every change.
func (b *Mailbox) Run(ctx context.Context, out chan<- Look) {
	for {
		var offer chan<- Look
		l, ok := b.next()
		if ok {
			offer = out
		}
		select {
		case offer <- l:
			b.given(l)
		case <-b.ready:
		case <-ctx.Done():
			return
		}
	}
}
