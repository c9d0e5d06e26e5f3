package node

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"ojud/node/why"
	"ojud/p2p"
	"ojud/voting"
)

// share is the part of a round's commit time that a node waits at most for another, or for a copy of itself after its start.
const share = 8

// part is limit, but no more than a share of the time to commit in the case.
func (n *Node) part(task voting.Key, limit time.Duration) time.Duration {
	if view := n.view.Load(); view != nil {
		if look, ok := view.Case(task); ok {
			return min(limit, time.Duration(look.Rules.CommitSeconds)*time.Second/share)
		}
	}
	return limit
}

// patience is how long a question to a peer about a case may take: a seat that is silently dead must not cost the others a short round.
func (n *Node) patience(task voting.Key) time.Duration { return n.part(task, n.cfg.Sync.Timeout) }

// sole keeps two copies of a node from signing in one round (ADR 0013).
type sole struct {
	mu     sync.Mutex
	began  time.Time // this run
	since  time.Time // when others could first know of this copy, or when another was last seen at work
	met    bool      // an older copy runs: this one signs nothing more
	rumour string    // what was seen of a younger copy, for the status
}

// onTwin is told of another copy that runs.
func (n *Node) onTwin(t p2p.Twin) {
	where := strings.Join(t.Addrs, ", ")
	if where == "" {
		where = "an address that it does not tell"
	}
	since := t.Started.UTC().Format(time.RFC3339)
	n.sole.mu.Lock()
	defer n.sole.mu.Unlock()
	if !t.Elder {
		n.sole.rumour = fmt.Sprintf("another copy of this node was started at %s, by its clock, at %s; it has to stop itself: see that it does", since, where)
		n.log.Error("another copy of this node runs on the same keys; this one is older and goes on", "started", since, "address", where)
		return
	}
	n.sole.met = true
	n.fail(fmt.Errorf("%w: the other has been running since %s, by its clock, at %s; two that vote differently in a round lose the "+
		"whole stake, so this one, the younger, has signed its last: leave one running, on one machine", ErrTwin, since, where))
}

// conflict takes a statement that carries this node's signature and is not of this run. If this node signed another in the same
// round there is nothing left to save, and it stops. Otherwise it stays to reveal what the other committed, for the other will stop.
// It stays, too, if nothing but the RPC node says so: one that lies must not be able to stop it.
func (n *Node) conflict(e voting.Conflict) error {
	if err := n.note(e.Task, why.Entry{Round: e.Round, Deed: why.Twin, Text: e.Evidence}); err != nil {
		return err
	}
	if e.Signed && e.Proven {
		return fmt.Errorf("%w: case %s, round %d: %s; find and stop the other copy, then start this one", ErrTwin, address(e.Task), e.Round, e.Evidence)
	}
	n.sole.mu.Lock()
	defer n.sole.mu.Unlock()
	n.sole.since = time.Now()
	if !e.Proven {
		n.sole.rumour = fmt.Sprintf("%s in round %d of case %s, says the RPC node, and nothing proves it: either it lies, so ask another one, "+
			"or this node's keys are elsewhere, too: find the other copy and stop it", e.Evidence, e.Round, address(e.Task))
		n.log.Error("the RPC node shows another commitment of this judge than its own", "case", address(e.Task), "round", e.Round)
		return nil
	}
	n.sole.rumour = fmt.Sprintf("another copy of this node voted in round %d of case %s; this one signs nothing there: find the other copy and stop one of them",
		e.Round, address(e.Task))
	n.log.Error("another copy of this node voted with the same keys; this one signs nothing in that round", "case", address(e.Task), "round", e.Round)
	return nil
}

// known says what was seen of another copy; empty: nothing.
func (s *sole) known() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rumour
}

// meets notes when others could first know of this copy.
func (n *Node) meets(ctx context.Context) error {
	select {
	case <-n.host.Registry().Compared():
	case <-ctx.Done():
		return nil
	}
	n.sole.mu.Lock()
	defer n.sole.mu.Unlock()
	n.sole.since = time.Now()
	return nil
}

// mayShow waits until another copy would have answered, if there is one, and reports whether this one may show what it signs.
// A node that reaches nobody waits three times as long: nobody could tell it.
func (n *Node) mayShow(ctx context.Context, task voting.Key) bool {
	grace := n.part(task, n.cfg.Sync.Twin)
	for {
		left, met := n.sole.left(grace)
		if met || left <= 0 {
			return !met
		}
		if !wait(ctx, min(left, time.Second)) { // another copy may be met, or others for the first time
			return false
		}
	}
}

// announceCommit shows a statement that this node signed, in this run or before.
func (n *Node) announceCommit(ctx context.Context, task voting.Key, e voting.Announce) error {
	if !n.mayShow(ctx, task) {
		return nil
	}
	return n.announce(ctx, e)
}

// left is how much of a time of grace is left, and whether an older copy was met.
func (s *sole) left(grace time.Duration) (left time.Duration, met bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.since.IsZero() {
		return time.Until(s.began.Add(3 * grace)), s.met
	}
	return time.Until(s.since.Add(grace)), s.met
}

// shown is what of a round may be told to others: not yet the own statements that this run found in its journal, for a copy may
// have signed another since.
func (n *Node) shown(task voting.Key, known []voting.Known) []voting.Known {
	left, met := n.sole.left(n.cfg.Sync.Twin)
	view := n.view.Load()
	if !met && left <= 0 || view == nil {
		return known
	}
	look, _ := view.Case(task)
	own := look.SeatOf(n.home.Keys.Judge())
	return slices.DeleteFunc(slices.Clone(known), func(k voting.Known) bool { return k.Seat == own })
}

// inquire asks the chain and the seats, as the last thing before signing, for a commitment of this node in the round. What it
// learns is with the machine before the opinion is. A chain that does not answer now takes no commitment either.
func (n *Node) inquire(ctx context.Context, task voting.Key, round uint8) error {
	brief, cancel := context.WithTimeout(ctx, n.patience(task))
	defer cancel()
	if c, slot, err := n.client.Case(brief, address(task)); err != nil {
		n.log.Warn("the chain was not asked again before signing", "case", address(task), "round", round, "err", err)
	} else if book := n.roster.Load(); book != nil {
		look := c.Voting(slot, book.now)
		n.answer(ctx, func(at int64) voting.Event { return voting.CaseSeen{At: at, Case: look} })
	}
	return n.catchUp(ctx, voting.CatchUp{Task: task, Round: round, To: n.linked(task)})
}

// linked are the seats to which there is a link.
func (n *Node) linked(task voting.Key) []voting.Key {
	var out []voting.Key
	here := n.host.Peers()
	for _, id := range n.seatPeers(task) {
		if !slices.Contains(here, id) || id == n.host.ID() {
			continue
		}
		if key, err := peerKey(id); err == nil {
			out = append(out, key)
		}
	}
	return out
}
