package desk

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"ojud/casefile"
	"ojud/ledger/onchain"
	"ojud/node/client"
)

// ownTime is how long the list of the party's tasks is shown again.
const ownTime = 2 * time.Second

// ownTasks are the tasks of the party, as the chain listed them last.
type ownTasks struct {
	mu    sync.Mutex
	party *client.Client
	at    time.Time
	all   []client.TaskView
}

// list returns the tasks of the party, the newest first. It asks the chain seldom.
func (o *ownTasks) list(ctx context.Context, party *client.Client) ([]client.TaskView, error) {
	o.mu.Lock()
	known, at, all := o.party, o.at, o.all
	o.mu.Unlock()
	if known == party && time.Since(at) < ownTime {
		return all, nil
	}
	self, err := casefile.ParseAddress(party.Me())
	if err != nil {
		return nil, err
	}
	at, all = time.Now(), nil
	for _, f := range []client.Filter{{Creator: onchain.Address(self)}, {Worker: onchain.Address(self)}} {
		some, err := party.Tasks(ctx, f)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	slices.SortStableFunc(all, func(a, b client.TaskView) int { return cmp.Compare(b.CreatedAt, a.CreatedAt) })
	o.mu.Lock()
	defer o.mu.Unlock()
	o.party, o.at, o.all = party, at, all
	return all, nil
}

// changed notes that a step of the party changed its tasks.
func (o *ownTasks) changed() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.party = nil
}

// waiting counts the tasks that wait for the party.
func (o *ownTasks) waiting(ctx context.Context, party *client.Client) (n int, err error) {
	all, err := o.list(ctx, party)
	for _, one := range all {
		if rowOf(one, party.Me()).Yours {
			n++
		}
	}
	return n, err
}
