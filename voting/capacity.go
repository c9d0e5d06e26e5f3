package voting

import (
	"bytes"
	"slices"
)

// rank is how much a case matters to this node.
type rank uint8

// The ranks of cases, when there is no room for all.
const (
	overAndDone rank = iota // nothing left to do in it
	appealable              // its loser may appeal, and then a look at it comes
	others                  // judges have seats, this node has none
	undrawn                 // waits for its draw; this node may have to draw it, and may get a seat
	ours                    // a seat, a vote or evidence of this node
)

// undrawnPlaces is how many cases that wait for their draw are followed for each place of
// Params.MaxCases: they hold no notices yet, so they are far smaller than a case with a panel, and
// a case that no node follows is not drawn.
const undrawnPlaces = 8

// capacity decides which cases are followed when there are too many.
type capacity struct {
	*self
	cases   *caseSet
	judging *judging
}

// places is how many cases of a rank are followed, and whether that is bounded at all. Where this
// node has a seat it must not be missing: it would be slashed for having been busy. The chain
// counts such rounds (Roster, live: at most 65,535), and each of them cost its parties a bond.
func (p *capacity) places(r rank) (n int, bounded bool) {
	switch r {
	case ours:
		return 0, false
	case undrawn:
		return undrawnPlaces * p.cfg.Params.MaxCases, true
	}
	return p.cfg.Params.MaxCases, true
}

// share reports whether cases of two ranks share places.
func share(a, b rank) bool { return a == b || a < undrawn && b < undrawn }

// importance ranks a case that is followed.
func (p *capacity) importance(c *caseState) rank {
	const _ = uint(6 - Statuses) // a seventh status needs its place in the order
	for _, h := range c.rounds {
		if h != nil && (h.cast != nil || h.foreign != nil || h.recovered != nil || len(h.proofs) > 0) {
			return ours
		}
	}
	switch {
	case c.chain.Sat(p.cfg.Judge):
		return ours
	case c.chain.Status.Over():
		return overAndDone
	case c.chain.Status == Appealable:
		return appealable
	case c.chain.Status == AwaitingDraw:
		return undrawn
	}
	return others
}

// fits reports whether a case that is new here, or has another rank than before, has a place. One
// that matters less than it gives way, the oldest of several; if there is none, the case itself is
// given up, or not taken up.
func (p *capacity) fits(c *caseState, added bool) bool {
	own := p.importance(c)
	places, bounded := p.places(own)
	if !bounded {
		return true
	}
	least, lowest, taken := c, own, 0
	for _, o := range p.cases.all {
		r := p.importance(o)
		if !share(r, own) {
			continue
		}
		taken++
		if r < lowest || r == lowest && r < own && o.chain.OpenedAt < least.chain.OpenedAt {
			least, lowest = o, r
		}
	}
	switch {
	case taken <= places:
		return true
	case least == c && added:
		p.cases.remove(c)
		return false
	}
	p.drop(least)
	return least != c
}

// drop stops following a case.
func (p *capacity) drop(c *caseState) {
	p.judging.stopAll(c)
	p.cases.remove(c)
	p.emit(Forget{Task: c.task})
}

// caseSet holds the cases that a machine knows, in the order of their tasks.
type caseSet struct{ all []*caseState }

// find returns the state of a case, or nil.
func (s *caseSet) find(task Key) *caseState {
	if i, ok := s.search(task); ok {
		return s.all[i]
	}
	return nil
}

func (s *caseSet) search(task Key) (int, bool) {
	return slices.BinarySearchFunc(s.all, task, func(c *caseState, task Key) int {
		return bytes.Compare(c.task[:], task[:])
	})
}

func (s *caseSet) add(c *caseState) {
	i, _ := s.search(c.task)
	s.all = slices.Insert(s.all, i, c)
}

func (s *caseSet) remove(c *caseState) {
	if i, ok := s.search(c.task); ok {
		s.all = slices.Delete(s.all, i, i+1)
	}
}
