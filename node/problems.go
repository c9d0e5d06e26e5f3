package node

import (
	"context"
	"slices"
	"sync"
	"time"
)

// mindEvery is how often a node looks whether it still has what it needs to judge.
const mindEvery = 30 * time.Second

// needs is what a node that runs found of its funds and its stake when it looked last.
type needs struct {
	mu    sync.Mutex
	found []Finding
	wake  chan struct{} // look now
}

// mind looks for what keeps the node from judging as long as it runs, and says so once. It begins a little later: Check has just
// looked, and a node may be started before it is funded and staked.
func (n *Node) mind(ctx context.Context) error {
	for every := mindEvery; ; {
		select {
		case <-ctx.Done():
			return nil
		case <-n.needs.wake:
		case <-time.After(every):
		}
		every = mindEvery
		if !n.look(ctx) {
			every /= 3
		}
	}
}

// look reports whether all is well.
func (n *Node) look(ctx context.Context) bool {
	found := []Finding{checkFunds(ctx, n.client, n.home, n.cfg), checkStake(ctx, n.client, n.home)}
	// What could not be read is said elsewhere (ledger.Health).
	found = slices.DeleteFunc(found, func(f Finding) bool { return !f.OK && f.Next == "" })
	n.needs.mu.Lock()
	defer n.needs.mu.Unlock()
	well := true
	for _, f := range found {
		was, known := find(n.needs.found, f.Name)
		switch {
		case !f.OK && (!known || was.OK):
			n.log.Warn(f.Detail, "what", f.Name, "next", f.Next)
		case f.OK && known && !was.OK:
			n.log.Info(f.Detail, "what", f.Name)
		}
		well = well && f.OK
	}
	n.needs.found = found
	return well
}

func find(all []Finding, name string) (Finding, bool) {
	for _, f := range all {
		if f.Name == name {
			return f, true
		}
	}
	return Finding{}, false
}

// lookNow has funds and stake looked at before it is time.
func (n *Node) lookNow() {
	select {
	case n.needs.wake <- struct{}{}:
	default:
	}
}

// problems are what keeps the node from judging, in words for people.
func (n *Node) problems() (out []string) {
	if rumour := n.sole.known(); rumour != "" {
		out = append(out, rumour)
	}
	if dark := n.blindness(); dark != "" {
		out = append(out, dark)
	}
	n.needs.mu.Lock()
	defer n.needs.mu.Unlock()
	for _, f := range n.needs.found {
		if !f.OK {
			out = append(out, f.Name+": "+f.Detail+"; "+f.Next)
		}
	}
	return out
}
