package layer_test

import (
	"bytes"
	"context"
	"sync"
	"time"

	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/layer"
)

// follower follows a Memory.
type follower struct {
	m      *Memory
	next   int // place in the log
	events chan ledger.Occurred
	looks  chan ledger.Look
	wake   chan struct{}

	mu    sync.Mutex
	shown map[onchain.Address][]byte // accounts of cases and the Roster
}

// Follower implements layer.Chain. It shows every case.
func (m *Memory) Follower(from ledger.Cursor, _ onchain.Address) layer.Follower {
	m.mu.Lock()
	defer m.mu.Unlock()
	f := &follower{
		m: m, events: make(chan ledger.Occurred), looks: make(chan ledger.Look), wake: make(chan struct{}, 1),
		shown: map[onchain.Address][]byte{},
	}
	for f.next < len(m.log) && (from == ledger.Cursor{} || m.log[f.next].Slot < from.Slot || m.log[f.next].Signature == from.Signature) {
		f.next++
	}
	return f
}

func (f *follower) Events() <-chan ledger.Occurred { return f.events }
func (f *follower) Looks() <-chan ledger.Look      { return f.looks }
func (f *follower) Health() ledger.Health          { return ledger.Health{Socket: true} }

// Hint implements layer.Follower. This chain has room for every hint.
func (f *follower) Hint(task onchain.Address) { f.Follow(task) }

// Follow implements layer.Follower.
func (f *follower) Follow(task onchain.Address) {
	f.mu.Lock()
	delete(f.shown, f.m.program.Case(task))
	f.mu.Unlock()
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// Run implements layer.Follower.
func (f *follower) Run(ctx context.Context) error {
	var both sync.WaitGroup
	both.Go(func() {
		defer close(f.events)
		for f.tell(ctx) {
		}
	})
	both.Go(func() {
		defer close(f.looks)
		for f.look(ctx) {
		}
	})
	both.Wait()
	return nil
}

// tell gives out the next transaction of the program.
func (f *follower) tell(ctx context.Context) bool {
	f.m.mu.Lock()
	changed, log := f.m.changed, f.m.log
	f.m.mu.Unlock()
	if f.next == len(log) {
		select {
		case <-changed:
		case <-ctx.Done():
		}
		return ctx.Err() == nil
	}
	t := log[f.next]
	f.next++
	for _, i := range t.instructions {
		if i.Program == f.m.program.ID() {
			select {
			case f.events <- t.Occurred:
			case <-ctx.Done():
			}
			break
		}
	}
	return ctx.Err() == nil
}

// look gives out what changed since the last look, or else the time, and waits for a change.
func (f *follower) look(ctx context.Context) bool {
	news, changed := f.news()
	for _, l := range news {
		select {
		case f.looks <- l:
		case <-ctx.Done():
			return false
		}
	}
	select {
	case <-changed:
	case <-f.wake:
	case <-time.After(slotTime):
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}

// news returns a look at everything that changed, all of one slot.
func (f *follower) news() (out []ledger.Look, changed <-chan struct{}) {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	all, p := f.m.accounts, f.m.program
	plain := ledger.Look{Moment: f.m.now()}
	if a, ok := all[p.Roster()]; ok {
		plain.Roster, _ = program.DecodeRoster(a.Data) // nil is no Roster
	}
	for address, a := range all {
		c, err := program.DecodeCase(a.Data)
		if a.Owner != p.ID() || err != nil || bytes.Equal(a.Data, f.shown[address]) {
			continue
		}
		l := plain
		l.ID, l.Case = c.Task, c
		l.Task, _ = program.DecodeTask(all[c.Task].Data) // nil is no task
		f.shown[address] = a.Data
		out = append(out, l)
	}
	for address, data := range f.shown {
		if _, ok := all[address]; ok {
			continue
		}
		if c, err := program.DecodeCase(data); err == nil {
			gone := plain
			gone.ID = c.Task
			out = append(out, gone)
		}
		delete(f.shown, address)
	}
	return append(out, plain), f.m.changed
}
