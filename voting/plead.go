package voting

// maxCarryTries is how often a commitment is sent for another seat when the RPC node does not take it.
const maxCarryTries = 3

// plead asks everybody to bring the own commitment to the chain when this node cannot (ADR 0019): once its transaction failed, for
// want of an RPC node or of a fee, or it does not see the chain, or when little time is left and the chain does not show it. It asks for nothing but what the
// journal holds, so that after a restart it asks for the same.
func (m *Machine) plead(c *docket) {
	h, i := c.live(), c.look.SeatOf(m.cfg.Judge)
	if h == nil || i < 0 || h.pleaded || h.cast == nil || h.foreign != nil || !h.announcedCommit {
		return
	}
	if s := &c.look.Seats[i]; s.Committed || s.Equivocated || !c.look.CanCommit(m.now) {
		return
	}
	if from := m.cfg.Params.pleadFrom(&c.look); !h.failed && !m.blind && m.now < from {
		c.wakeAt(from)
		return
	}
	h.pleaded = true
	n := m.request(h.cast)
	own := h.of(m.cfg.Judge)
	own.request = &n
	h.set(own)
	m.emit(Announce{Notice: n, To: m.peers(c)})
}

// request signs the request for the commitment of a vote that is in the journal. Nothing else is ever asked for.
func (m *Machine) request(v *Cast) Relay {
	n := Relay{Commit: v.Commit}
	if m.cfg.Seal != nil {
		n.Sealed = m.cfg.Seal(v.Task, v.Round, v.Opening)
	}
	n.Request = m.cfg.Sign(m.cfg.Domain.RelayRequest(v.Task, v.Round, v.Judge, v.Commitment, n.Sealed))
	return n
}

// hearRelay takes a request, and the statement in it. A judge of which two statements are known is helped no more.
func (m *Machine) hearRelay(c *docket, h *hearing, seat *Seat, n Relay) {
	m.hearCommit(c, h, seat, n.Commit)
	known := h.of(n.Judge)
	if n.Judge == m.cfg.Judge || known.request != nil || len(known.commits) != 1 || known.commits[0].Commitment != n.Commitment {
		return
	}
	known.request = &n
	h.set(known)
}

// begged reports whether any judge asks for help.
func (h *hearing) begged() bool {
	for i := range h.notices {
		if h.notices[i].request != nil {
			return true
		}
	}
	return false
}

// told reports whether this node does not see the chain, and so many seats show their votes that one of them is honest and has seen
// the commits over. So a judge without an RPC node knows that it may show its own vote: its clock, which is the chain's, stands still.
func (m *Machine) told(c *docket, h *hearing) bool {
	if !m.blind {
		return false
	}
	count := 0
	for _, n := range h.notices {
		if n.judge != m.cfg.Judge && (n.vote != nil || n.early != nil) && c.look.SeatOf(n.judge) >= 0 {
			count++
		}
	}
	return count >= OneHonest(len(c.look.Seats))
}

// seatSet is a set of seats of a panel. Its size follows MaxSeats.
type seatSet [MaxSeats]bool

// count returns how many seats are in the set.
func (s *seatSet) count() (n int) {
	for _, in := range s {
		if in {
			n++
		}
	}
	return n
}

// spend reports whether this node may pay for a seat's sake, and notes that it does: Params.Carry seats of a round, and for a commitment
// and a vote of one seat it counts twice.
func (m *Machine) spend(c *docket, w *want) bool {
	h := c.hearing(w.Round)
	mine := &h.carried[0]
	if w.Op == OpRelay {
		mine = &h.carried[1]
	}
	if mine[w.Seat] {
		return true // a transaction that did not get there
	}
	if h.carried[0].count()+h.carried[1].count() >= int(m.cfg.Params.Carry) {
		return false
	}
	mine[w.Seat] = true
	return true
}
