package voting

// publish shows the own commitment as soon as it is cast, and the own vote when nobody can commit any more.
func (m *Machine) publish(c *docket) {
	h := c.live()
	i := c.look.SeatOf(m.cfg.Judge)
	if h == nil || i < 0 {
		return
	}
	m.publishCommit(c, h)
	m.publishVote(c, h, &c.look.Seats[i])
}

func (m *Machine) publishCommit(c *docket, h *hearing) {
	if h.announcedCommit || h.cast == nil || h.foreign != nil {
		return
	}
	h.announcedCommit = true
	m.emit(Testify{Kind: TestifyCommit, Task: c.task, Round: h.number, Commit: h.cast.Commit})
	m.emit(Announce{Notice: h.cast.Commit, To: m.peers(c)})
}

// publishVote shows the own vote when the chain shows the commits over, or when other seats prove it. A judge without an RPC node may not
// see its own commitment on the chain: others may have brought it there. If nobody has, the vote is worth nothing, and nothing is lost.
func (m *Machine) publishVote(c *docket, h *hearing, seat *Seat) {
	told := m.told(c, h)
	if h.announcedVote || !c.look.CommitsOver(m.now) && !told {
		return
	}
	commitment, committed := seat.Commitment, seat.Committed
	if !committed && h.cast != nil && told && c.look.Status == Committing {
		commitment, committed = h.cast.Commitment, true // it may be there; the last look is from before the reveal
	}
	o, vote, ok := h.opening(commitment, m.cfg.Domain, m.cfg.Judge, c.task)
	if !committed || !ok {
		return
	}
	h.announcedVote = true
	m.emit(Testify{Kind: TestifyOpinion, Task: c.task, Round: h.number, Opinion: o.Opinion})
	if len(vote) == 0 || h.cast != nil && h.cast.Commitment != commitment {
		return // it would contradict the statement that the others have
	}
	m.emit(Testify{Kind: TestifyVote, Task: c.task, Round: h.number, Vote: vote})
	n := Vote{
		Network: m.cfg.Domain.Network, Program: m.cfg.Domain.Program, Task: c.task, Round: h.number, Judge: m.cfg.Judge,
		Peer: m.cfg.Peer, Accept: o.Choice.Accepts(), Opening: o, Raw: vote,
	}
	h.addVote(n)
	m.emit(Announce{Notice: n, To: m.peers(c)})
}

// peers are the node keys of the other seats.
func (m *Machine) peers(c *docket) []Key {
	peers := make([]Key, 0, len(c.look.Seats))
	for i := range c.look.Seats {
		if s := &c.look.Seats[i]; s.Judge != m.cfg.Judge && !s.Peer.IsZero() {
			peers = append(peers, s.Peer)
		}
	}
	return peers
}

// retrieve deals with an own commitment on the chain that this journal does not know: it asks for the sealed opening, and if
// the journal is not new, it says that another copy of the node is at work.
func (m *Machine) retrieve(c *docket) {
	h := c.live()
	i := c.look.SeatOf(m.cfg.Judge)
	if h == nil || i < 0 || m.now >= c.look.RevealEnds {
		return
	}
	seat := &c.look.Seats[i]
	if !seat.Committed || seat.Revealed {
		return
	}
	if _, _, ok := h.opening(seat.Commitment, m.cfg.Domain, m.cfg.Judge, c.task); ok {
		return
	}
	if h.recover.due(m.now) {
		m.doubt(c, h, seat)
		h.recover, h.sought = after(m.now, m.cfg.Params.CatchUpEvery), seat.Commitment
		m.emit(RecoverOpening{Task: c.task, Round: h.number, Commitment: seat.Commitment})
	}
	c.wakeAt(h.recover.at)
}

// doubt tells of a commitment on the chain that is not the own one, when it is still there after a while. It proves nothing: an RPC
// node that lies or garbles an account must not stop the node. A copy seals its opening with the node key, which recovered takes
// as proof, and shows its statement to the other seats.
func (m *Machine) doubt(c *docket, h *hearing, seat *Seat) {
	if h.cast == nil || h.conflicted || h.doubted || h.sought != seat.Commitment || m.distrusts(c) {
		return
	}
	h.doubted = true
	m.emit(Conflict{Task: c.task, Round: h.number, Evidence: "the chain shows another commitment of this judge", Signed: true})
}

// recovered takes the opening of an own commitment that the chain shows. Nothing is signed for it: its statement was signed
// when it was cast. If that was not here, another copy of the node did it: nobody else can seal an opening with the node key.
func (m *Machine) recovered(e OpeningRecovered) error {
	if err := checkOpinion(e.Opening, e.Vote); err != nil {
		return err
	}
	c := m.find(e.Task)
	if c == nil || e.Round == 0 || e.Round > MaxRounds || c.live() != c.rounds[e.Round] || c.rounds[e.Round] == nil {
		return nil
	}
	h, i := c.rounds[e.Round], c.look.SeatOf(m.cfg.Judge)
	if i < 0 || m.cfg.Domain.Commitment(c.task, e.Round, m.cfg.Judge, e.Opening) != c.look.Seats[i].Commitment {
		return nil
	}
	if _, _, known := h.opening(c.look.Seats[i].Commitment, m.cfg.Domain, m.cfg.Judge, c.task); !known {
		h.recovered = &Recovered{At: m.now, Task: e.Task, Round: e.Round, Opening: e.Opening, Vote: e.Vote}
		m.emit(Persist{*h.recovered})
		if h.cast != nil && !h.conflicted && !m.distrusts(c) {
			h.conflicted = true
			m.emit(Conflict{Task: c.task, Round: h.number, Evidence: "the chain holds another vote of this node", Signed: true, Proven: true})
		}
	}
	m.drive(c)
	return nil
}
