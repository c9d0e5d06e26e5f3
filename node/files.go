package node

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/casefile"
	"ojud/p2p"
	"ojud/voting"
)

// keepFiles looks after the case files: loads them, says what is to be said, and exchanges events and content with peers.
func (n *Node) keepFiles(ctx context.Context) error {
	for {
		for _, c := range n.docket.all() {
			if err := n.keepFile(ctx, c); err != nil {
				if !errors.Is(err, errLater) {
					return err
				}
				n.log.Debug("case file", "case", address(c.task), "err", err)
			}
		}
		if !wait(ctx, n.pace()) {
			return nil
		}
	}
}

const (
	// hurryFor is how long after the end of a case, in seconds of the chain, its judges hurry to bring their case files together:
	// people wait for the file then, and the facts, which need final blocks, come up to half a minute late.
	hurryFor = 120
	// hurry is how much shorter the turns are in that time, and hurrySeats how many seats are asked in each.
	hurry, hurrySeats = 5, 3
)

// hurried reports whether people may be waiting for the file.
func (c *dispute) hurried(now int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.look.Status.Over() && !c.complete && now < c.look.SettledAt+hurryFor
}

// pace is how long to wait until the next turn.
func (n *Node) pace() time.Duration {
	for _, c := range n.docket.all() {
		if c.hurried(at(n.client)) {
			return n.cfg.Sync.Every / hurry
		}
	}
	return n.cfg.Sync.Every
}

// keepFile does one turn of work for one case. An error other than errLater is this node's disk.
func (n *Node) keepFile(ctx context.Context, c *dispute) error {
	if !c.known() {
		return nil
	}
	if look, _ := c.snapshot(); look.Finished(at(n.client)) {
		n.docket.forget(c.task) // as the machine does, which knows nothing of a case that was over when it was first seen
		return n.journal.Events().Archive(c.task)
	}
	if err := n.seatPast(ctx, c); err != nil {
		return err
	}
	if err := c.load(); err != nil {
		return err
	}
	if err := n.passOver(ctx, c); err != nil {
		return err
	}
	if err := n.exchange(ctx, c); err != nil {
		return err
	}
	if !c.fetched && n.wary(c) {
		return nil
	}
	said := n.testifyAll(ctx, c)
	if said == nil {
		said = n.testifyGiven(c)
	}
	if err := n.collect(ctx, c); err != nil { // whatever cannot be said yet
		return err
	}
	if said != nil {
		return later(said)
	}
	return nil
}

// waryFor is how long before this run a case has to be open, in seconds, so that this node cannot have said anything in it that it forgot.
const waryFor = 10

// wary reports whether this node may have said something in the case that it does not know of, so that it has to ask before it says more,
// or it would fork its chain: the journal is new, or the case is older than this run, and the disk may be an old copy.
func (n *Node) wary(c *dispute) bool {
	look, _ := c.snapshot()
	return n.journal.Fresh() || at(n.client)-look.OpenedAt+waryFor > int64(time.Since(n.sole.began)/time.Second)
}

// known reports whether a look has shown who sits in the case.
func (c *dispute) known() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.look.Status != 0 && len(c.seats) > 0
}

// seatTries is how often a draw that the history does not show is looked for again.
const seatTries = 12

// seatPast finds out who sat in the rounds that this node has not seen, before its first look or while it had no RPC node, from the chain's
// history: their events would be refused as those of strangers. A draw that is not there yet is looked for again at the next turn.
func (n *Node) seatPast(ctx context.Context, c *dispute) error {
	book := n.roster.Load()
	if book == nil {
		return nil
	}
	present, gaps := c.unseated()
	found := 0
	if len(gaps) > 0 {
		h, err := n.chronicle(ctx, c)
		if err != nil {
			return later(err)
		}
		for _, round := range gaps {
			if d, o, err := h.drawn(round); err == nil { // otherwise not final yet, or the RPC node has no history that old
				c.seatPanel(round, book.panel(o.slot, d))
				found++
			}
		}
	}
	c.soughtSeats(present, found == len(gaps))
	return nil
}

// unseated is the present round, and those before it whose seats are not known.
func (c *dispute) unseated() (present uint8, gaps []uint8) {
	c.mu.Lock()
	defer c.mu.Unlock()
	present = c.look.SeatsRound()
	for round := c.seatedTo + 1; round < present; round++ {
		if len(c.seats[round]) == 0 {
			gaps = append(gaps, round)
		}
	}
	return present, gaps
}

// soughtSeats notes a search for the seats of the rounds before present: they are not looked for again if it found all, or was the last.
func (c *dispute) soughtSeats(present uint8, all bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !all && c.sought < seatTries {
		c.sought++
		return
	}
	if present > 0 {
		c.seatedTo, c.sought = present-1, 0
	}
}

// finished reports whether nothing is left to be said or fetched.
func (c *dispute) finished() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.done
}

// load reads what the store has, once.
func (c *dispute) load() error {
	if c.loaded {
		return nil
	}
	err := c.log.Load()
	c.loaded = err == nil
	if err != nil {
		return later(err)
	}
	return nil
}

// exchange asks a seat, or some in a hurry, for the events that are not here. Seats take turns by chance.
func (n *Node) exchange(ctx context.Context, c *dispute) error {
	if c.finished() {
		return nil
	}
	seats := n.seatPeers(c.task)
	if len(seats) == 0 {
		c.fetched = true
		return nil
	}
	ask, need := 1, 1
	switch {
	case !c.fetched && n.wary(c): // a few may be the only ones that have our last event: what we say next has to follow it
		if ask = len(seats); c.tries < freshTries {
			need = len(seats)/2 + 1
		}
		c.tries++
	case c.hurried(at(n.client)):
		ask = hurrySeats
	}
	answered := 0
	for _, i := range rand.Perm(len(seats))[:min(ask, len(seats))] {
		err := n.exchangeAll(ctx, c, seats[i])
		if err != nil && ctx.Err() == nil && !errors.Is(err, errDisk) {
			n.log.Debug("no events", "case", address(c.task), "peer", seats[i], "err", err)
			continue
		}
		if err != nil {
			return err
		}
		answered++
	}
	c.fetched = c.fetched || answered >= need
	return nil
}

// freshTries is how often a node that may have lost something of its journal waits for more than half of the seats before it makes do with one.
const freshTries = 12

// exchangeAll asks one peer until it has nothing more for us.
func (n *Node) exchangeAll(ctx context.Context, c *dispute, to peer.ID) error {
	more, err := n.exchangeWith(ctx, c, to)
	for err == nil && more {
		more, err = n.exchangeWith(ctx, c, to)
	}
	return err
}

// errDisk: an event that is right could not be stored.
var errDisk = errors.New("node: case file store")

// eventsAnswer is the answer to an events question.
type eventsAnswer struct {
	Events []json.RawMessage              `json:"events"`
	Heads  map[casefile.DID]casefile.Head `json:"heads"`
	More   bool                           `json:"more"`
}

// answerEvents serves the events of a case.
func (n *Node) answerEvents(q question) ([]byte, error) {
	c := n.docket.find(voting.Key(q.Case))
	if c == nil {
		return nil, p2p.ErrNotFound
	}
	events, more, err := c.log.Since(q.Heads, maxEventsAnswer)
	if err != nil {
		return nil, err
	}
	out := eventsAnswer{Events: []json.RawMessage{}, Heads: c.log.Heads(), More: more}
	for _, e := range events {
		raw, err := e.Encode()
		if err != nil {
			return nil, err
		}
		out.Events = append(out.Events, raw)
	}
	return canonicalJSON(out, maxCatchUp)
}

// exchangeWith asks one peer once and reports whether it has more for us.
func (n *Node) exchangeWith(ctx context.Context, c *dispute, to peer.ID) (more bool, err error) {
	var out eventsAnswer
	if err := n.ask(ctx, to, question{Op: "events", Case: casefile.Address(c.task), Heads: c.log.Heads()}, &out); err != nil {
		return false, err
	}
	added := false
	for _, raw := range out.Events {
		e, err := casefile.ParseEvent(raw)
		if err != nil {
			n.host.Penalize(to, pointsInvalid, "case-event")
			return false, err
		}
		ok, err := c.log.Add(e)
		added = added || ok
		switch {
		case err == nil, errors.Is(err, casefile.ErrStranger), errors.Is(err, casefile.ErrGap), errors.Is(err, casefile.ErrForked):
		case casefile.Blame(err):
			n.host.Penalize(to, pointsInvalid, "case-event")
			return false, err
		default:
			return false, errors.Join(errDisk, err)
		}
	}
	return out.More && added, nil
}

const (
	// maxMisses is after how many turns content that no peer has is given up.
	maxMisses = 20
	// fewMisses is after how many turns a file without it counts as complete: its author may have lost it with its disk.
	fewMisses = 3
)

// collect fetches the content that events name, so that every node can export the whole file.
func (n *Node) collect(ctx context.Context, c *dispute) error {
	missing := 0
	for _, e := range c.log.Events() {
		if c.whole[e.Sig] {
			continue
		}
		lacks, awaited, err := n.collectFor(ctx, c, e)
		if err != nil {
			return err
		}
		missing += awaited
		c.whole[e.Sig] = lacks == 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	settled := missing == 0 && len(c.todo) == 0 && c.look.Status.Over()
	c.complete = settled && c.concluded(func(s voting.Seat) bool { return s.Revealed })
	c.done = c.complete && c.concluded(func(voting.Seat) bool { return true })
	return nil
}

// collectFor fetches what one event names, and says how much of it may still come, and how much is waited for.
func (n *Node) collectFor(ctx context.Context, c *dispute, e casefile.Event) (missing, awaited int, err error) {
	var likely []peer.ID
	if id, err := keyPeer(voting.Key(e.Actor)); err == nil {
		likely = append(likely, id)
	}
	for _, name := range e.Names() {
		hash := voting.Hash(name)
		if n.blobs.Has(hash) || c.misses[hash] >= maxMisses {
			continue
		}
		if _, err := n.fetch(ctx, hash, likely); err != nil {
			missing++
			if c.misses[hash]++; c.misses[hash] < fewMisses {
				awaited++
			}
			continue
		}
		if err := n.blobs.Pin(c.task, hash); err != nil {
			return missing, awaited, err
		}
	}
	return missing, awaited, nil
}

// concluded reports whether more than half of the seats of the last round have said how the case ended, without which no file
// verifies, and all those that were picked. The caller holds mu.
func (c *dispute) concluded(picked func(voting.Seat) bool) bool {
	said := 0
	for _, s := range c.look.Seats {
		switch {
		case c.log.Has(s.Peer, casefile.KindOutcome, 0, voting.Key{}):
			said++
		case picked(s):
			return false
		}
	}
	return 2*said > len(c.look.Seats)
}
