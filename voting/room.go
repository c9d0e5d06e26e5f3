package voting

// rank is how much a case matters to this node.
type rank uint8

// The ranks of cases, when there is no room for all.
const (
	overAndDone rank = iota // nothing left to do in it
	others                  // judges have seats, this node has none
	undrawn                 // waits for its draw: somebody has to draw it, and this node may get a seat
	ours                    // a seat, a vote or evidence of this node
)

// undrawnPlaces is how many cases that wait for their draw are followed for each place of Params.MaxCases: nobody has said anything in them
// yet, so that they are far smaller than one with a panel, and a case that nobody follows is not drawn.
const undrawnPlaces = 8

// places is how many cases of a rank are followed, and whether that is bounded at all. Where this node has a seat it must not be missing: it
// would be slashed for having been busy. The chain counts such rounds (Roster, live: at most 65,535), and each of them cost its parties a bond.
func (m *Machine) places(r rank) (n int, bounded bool) {
	switch r {
	case ours:
		return 0, false
	case undrawn:
		return undrawnPlaces * m.cfg.Params.MaxCases, true
	}
	return m.cfg.Params.MaxCases, true
}

// share reports whether cases of two ranks share places.
func share(a, b rank) bool { return a == b || a < undrawn && b < undrawn }

// importance ranks a case that is followed.
func (m *Machine) importance(c *docket) rank {
	for _, h := range c.rounds {
		if h != nil && (h.cast != nil || h.foreign != nil || h.recovered != nil || len(h.proofs) > 0) {
			return ours
		}
	}
	switch {
	case c.look.SeatOf(m.cfg.Judge) >= 0:
		return ours
	case c.look.Status.Over():
		return overAndDone
	case c.look.Status == AwaitingDraw:
		return undrawn
	}
	return others
}

// fits reports whether a case that is new here, or has another rank than before, has a place. One that matters less than it gives way, the
// oldest of several; if there is none, the case itself is given up, or not taken up.
func (m *Machine) fits(c *docket, added bool) bool {
	own := m.importance(c)
	places, bounded := m.places(own)
	if !bounded {
		return true
	}
	least, lowest, taken := c, own, 0
	for _, o := range m.dockets {
		r := m.importance(o)
		if !share(r, own) {
			continue
		}
		taken++
		if r < lowest || r == lowest && r < own && o.look.OpenedAt < least.look.OpenedAt {
			least, lowest = o, r
		}
	}
	switch {
	case taken <= places:
		return true
	case least == c && added:
		m.remove(c)
		return false
	}
	m.giveUp(least)
	return least != c
}

// giveUp stops following a case.
func (m *Machine) giveUp(c *docket) {
	m.stopAll(c)
	m.remove(c)
	m.emit(Forget{Task: c.task})
}
