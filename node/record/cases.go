package record

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/casefile"
	"ojud/ledger"
	"ojud/ledger/program"
	"ojud/node/network"
	"ojud/voting"
)

// chain is the part of the chain that records read.
type chain interface {
	// Task reads a confirmed task.
	Task(ctx context.Context, task voting.Key) (*program.Task, error)
	// Rules reads a version of the court's rules.
	Rules(ctx context.Context, number uint32) (*program.Rules, error)
	// History reads all final transactions of a case, oldest first.
	History(ctx context.Context, task voting.Key) ([]ledger.Occurred, error)
}

// clock returns the chain's time in Unix seconds; 0: it is not known yet.
type clock func() int64

// viewFunc returns the machine's latest view; nil before the first.
type viewFunc func() *voting.View

// Cases holds the cases that the node follows. The machine keeps its own state of each case.
type Cases struct {
	domain voting.Domain
	self   voting.Key // this node
	store  casefile.Store
	verify casefile.Verify // of the signatures in case files
	chain  chain
	clock  clock
	view   viewFunc
	news   news // of looks that differ from the ones before them

	mu       sync.Mutex
	cases    map[voting.Key]*caseRecord
	opinions map[voting.Hash]round // this node's own
}

type round struct {
	task   voting.Key
	number uint8
}

// NewCases returns an empty list of cases. The events of their case files are kept in the store.
func NewCases(domain voting.Domain, self voting.Key, store casefile.Store, verify casefile.Verify, chain chain, clock clock, view viewFunc) *Cases {
	return &Cases{
		domain: domain, self: self, store: store, verify: verify, chain: chain, clock: clock, view: view,
		cases: map[voting.Key]*caseRecord{}, opinions: map[voting.Hash]round{},
	}
}

// Open follows a case from now on.
func (s *Cases) Open(task voting.Key) { s.open(task) }

func (s *Cases) open(task voting.Key) *caseRecord {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.cases[task]
	if c == nil {
		c = newCaseRecord(task, casefile.NewLog(s.domain, task, s.store, s.verify))
		s.cases[task] = c
	}
	return c
}

func (s *Cases) find(task voting.Key) *caseRecord {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cases[task]
}

func (s *Cases) all() []*caseRecord {
	s.mu.Lock()
	defer s.mu.Unlock()
	keys := slices.SortedFunc(maps.Keys(s.cases), func(a, b voting.Key) int { return slices.Compare(a[:], b[:]) })
	out := make([]*caseRecord, len(keys))
	for i, k := range keys {
		out[i] = s.cases[k]
	}
	return out
}

// See takes a look at the chain. It begins to follow a case that is not over.
func (s *Cases) See(l ledger.Look) {
	task := voting.Key(l.ID)
	if l.Case == nil {
		if c := s.find(task); c != nil {
			c.mu.Lock()
			c.gone = true
			c.mu.Unlock()
		}
		return
	}
	look := l.Case.Voting(l.Slot, l.Roster)
	if look.Finished(l.Unix) && s.find(task) == nil {
		return // it is in the archive, or no longer of interest
	}
	c := s.open(task)
	c.mu.Lock()
	defer c.mu.Unlock()
	if l.Task != nil {
		c.terms = l.Task
	}
	if !same(c.look, look) {
		defer s.news.tell()
	}
	c.look, c.gone = look, false
	for _, round := range look.Panels() {
		c.seat(round, look.Panel(round))
	}
}

// Unplaced returns looks at open cases for which the machine had no room, at most limit, as events
// of the chain's time. Cases without a draw come first.
func (s *Cases) Unplaced(limit int) []voting.Event {
	const _ = uint(6 - voting.Statuses) // does a case with a seventh status hold a place?
	now, view := s.clock(), s.view()
	if now == 0 || view == nil {
		return nil
	}
	var undrawn, drawn []voting.Event
	for _, c := range s.all() {
		c.mu.Lock()
		look, gone := c.look, c.gone
		c.mu.Unlock()
		if _, known := view.Case(c.task); known || gone || look.Status == 0 || look.Status.Over() {
			continue
		}
		e := voting.CaseSeen{At: now, Case: look}
		if look.Status == voting.AwaitingDraw {
			undrawn = append(undrawn, e)
		} else {
			drawn = append(drawn, e)
		}
	}
	events := append(undrawn, drawn...)
	return events[:min(len(events), limit)]
}

// Testify adds a statement to the list of statements that this node will sign. A crash loses the
// list; the machine then asks again.
func (s *Cases) Testify(e voting.Testify) {
	c := s.open(e.Task)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.todo = append(c.todo, e)
	c.complete, c.done = false, false
}

// Forget stops following a case. Its events and content are kept for the case file.
func (s *Cases) Forget(task voting.Key) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.cases, task)
	maps.DeleteFunc(s.opinions, func(_ voting.Hash, r round) bool { return r.task == task })
}

// Restore takes this node's votes from the journal, so that their opinions stay withheld after a
// restart.
func (s *Cases) Restore(records []voting.Record) {
	for _, r := range records {
		if c, ok := r.(voting.Cast); ok {
			s.Withhold(c.Opening.Opinion, c.Task, c.Round)
		}
	}
}

// Withhold notes an opinion of this node. It is not served before the commits of its round are
// over.
func (s *Cases) Withhold(opinion voting.Hash, task voting.Key, number uint8) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opinions[opinion] = round{task, number}
}

// Withheld reports whether content must not be served yet: an opinion of this node while others can
// still commit. An opinion is short. A peer that guesses its text could ask for the hash to learn
// how this judge will vote.
func (s *Cases) Withheld(hash voting.Hash) bool {
	s.mu.Lock()
	r, own := s.opinions[hash]
	s.mu.Unlock()
	if !own {
		return false
	}
	view, now := s.view(), s.clock()
	if view == nil || now == 0 {
		return true
	}
	c, ok := view.Case(r.task)
	return !ok || c.Live() && c.Round == r.number && !c.CommitsOver(now)
}

// ownOpinions returns the opinions of this node in a case.
func (s *Cases) ownOpinions(task voting.Key) (out []voting.Hash) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for hash, r := range s.opinions {
		if r.task == task {
			out = append(out, hash)
		}
	}
	return out
}

// AddReceipt notes an answer that this node gave as a holder, for the case file. There is room for
// maxReceipts in a case.
func (s *Cases) AddReceipt(r casefile.Receipt) {
	c := s.find(voting.Key(r.Case))
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.given) < maxReceipts {
		c.given = append(c.given, r)
	}
}

// maxReceipts bounds the answers of this node that a case file names. An actor has 256 events in a
// case.
const maxReceipts = 128

// Look returns the latest look at a case. It is false if the case is not followed. A case that is
// followed but was not seen yet has the status 0.
func (s *Cases) Look(task voting.Key) (voting.Case, bool) {
	c := s.find(task)
	if c == nil {
		return voting.Case{}, false
	}
	look, _ := c.snapshot()
	return look, true
}

// Settled reports whether the case file of a case is complete, and nothing more can come.
func (s *Cases) Settled(task voting.Key) bool {
	c := s.find(task)
	return c != nil && c.finished()
}

// Terms returns the task of a case, from the last look or else from the chain.
func (s *Cases) Terms(ctx context.Context, task voting.Key) (*program.Task, error) {
	if c := s.find(task); c != nil {
		if _, terms := c.snapshot(); terms != nil {
			return terms, nil
		}
	}
	return s.chain.Task(ctx, task)
}

// Seats returns the seats of a round of a case, as far as the chain has shown them.
func (s *Cases) Seats(task voting.Key, number uint8) []voting.Seat {
	if c := s.find(task); c != nil {
		return c.seated(number)
	}
	return nil
}

// SeatPeers returns the other nodes that sit in a case.
func (s *Cases) SeatPeers(task voting.Key) []peer.ID {
	look, _ := s.Look(task)
	var out []peer.ID
	for _, seat := range slices.Concat(look.First, look.Seats) {
		if seat.Peer == s.self {
			continue
		}
		if id, err := network.PeerOf(seat.Peer); err == nil {
			out = append(out, id)
		}
	}
	return out
}

// Follows reports whether a case is followed, and whether this node has or had a seat in it. A case
// that was not seen since the start counts as one in which it has.
func (s *Cases) Follows(task voting.Key) (mine, followed bool) {
	c := s.find(task)
	if c == nil {
		return false, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	mine = c.look.Status == 0
	for _, seats := range c.seats {
		mine = mine || slices.ContainsFunc(seats, func(seat voting.Seat) bool { return seat.Peer == s.self })
	}
	return mine, true
}

// Said tells when this node said something in a case the last time, in Unix seconds of the chain;
// false: never.
func (s *Cases) Said(task voting.Key) (at int64, ok bool, err error) {
	events, err := s.store.List(task)
	for _, e := range events {
		if voting.Key(e.Actor) == s.self {
			at, ok = max(at, e.At), true
		}
	}
	return at, ok, err
}

// LivePeers returns the other nodes that sit in live rounds.
func (s *Cases) LivePeers() (out []peer.ID) {
	for _, c := range s.all() {
		if look, _ := c.snapshot(); look.Live() {
			out = append(out, s.SeatPeers(c.task)...)
		}
	}
	return out
}

// Sits reports whether a node sits in a live round of a case that is followed here.
func (s *Cases) Sits(node voting.Key) bool {
	for _, c := range s.all() {
		look, _ := c.snapshot()
		if look.Live() && slices.ContainsFunc(look.Seats, func(seat voting.Seat) bool { return seat.Peer == node }) {
			return true
		}
	}
	return false
}

// JudgeOf returns the judge for which a node sits in a round of a case, if that round is live.
func (s *Cases) JudgeOf(task voting.Key, number uint8, node voting.Key) (voting.Key, bool) {
	look, ok := s.Look(task)
	if !ok || !look.Live() || look.Round != number {
		return voting.Key{}, false
	}
	for _, seat := range look.Seats {
		if seat.Peer == node {
			return seat.Judge, true
		}
	}
	return voting.Key{}, false
}

// commitShare is the part of a round's commit time that a node waits for one peer at most: one in
// commitShare.
const commitShare = 8

// AtMost returns limit, but no more than a small part of the time to commit in the case. A dead
// seat must not use up a short round of the others.
func (s *Cases) AtMost(task voting.Key, limit time.Duration) time.Duration {
	if view := s.view(); view != nil {
		if look, ok := view.Case(task); ok {
			return min(limit, time.Duration(look.Rules.CommitSeconds)*time.Second/commitShare)
		}
	}
	return limit
}
