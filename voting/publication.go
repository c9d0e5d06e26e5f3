package voting

// publication shows the own commitment and vote, asks others for help, and gets an own opening back
// from the chain. It owns what was announced.
type publication struct{ *self }

// publish shows the own commitment as soon as it is cast, and the own vote when the time to commit
// is over.
func (p *publication) publish(c *caseState) {
	h := c.live()
	i := c.chain.SeatOf(p.cfg.Judge)
	if h == nil || i < 0 {
		return
	}
	p.publishCommit(c, h)
	p.publishVote(c, h, &c.chain.Seats[i])
}

func (p *publication) publishCommit(c *caseState, h *roundState) {
	if h.announcedCommit || h.cast == nil || h.foreign != nil {
		return
	}
	h.announcedCommit = true
	p.emit(Testify{Kind: TestifyCommit, Task: c.task, Round: h.number, Commit: h.cast.Commit})
	p.emit(Announce{Notice: h.cast.Commit, To: p.peers(c.chain.Seats)})
}

// publishVote shows the own vote when the chain shows the commits over, or when other seats prove
// it. A judge without an RPC node may not see its own commitment on the chain: others may have
// brought it there. If none did, the vote has no effect and does no harm.
func (p *publication) publishVote(c *caseState, h *roundState, seat *Seat) {
	const _ = uint(6 - Statuses) // does a seventh status still take commitments?
	others := p.othersReveal(c, h)
	if h.announcedVote || !c.chain.CommitsOver(p.now) && !others {
		return
	}
	commitment, committed := seat.Commitment, seat.Committed
	if !committed && h.cast != nil && others && c.chain.Status == Committing {
		commitment, committed = h.cast.Commitment, true // it may be there; the last look is from before the reveal
	}
	o, vote, ok := h.opening(commitment, p.cfg.Domain, p.cfg.Judge, c.task)
	if !committed || !ok {
		return
	}
	h.announcedVote = true
	p.emit(Testify{Kind: TestifyOpinion, Task: c.task, Round: h.number, Opinion: o.Opinion})
	if len(vote) == 0 || h.cast != nil && h.cast.Commitment != commitment {
		return // it would contradict the statement that the others have
	}
	p.emit(Testify{Kind: TestifyVote, Task: c.task, Round: h.number, Vote: vote})
	n := Vote{
		Network: p.cfg.Domain.Network, Program: p.cfg.Domain.Program, Task: c.task, Round: h.number, Judge: p.cfg.Judge,
		Peer: p.cfg.Peer, Accept: o.Choice.Accepts(), Opening: o, Raw: vote,
	}
	h.addVote(n)
	p.emit(Announce{Notice: n, To: p.peers(c.chain.Seats)})
}

// peers are the node keys of the other seats of a panel.
func (s *self) peers(seats []Seat) []Key {
	peers := make([]Key, 0, len(seats))
	for i := range seats {
		if seat := &seats[i]; seat.Judge != s.cfg.Judge && !seat.Peer.IsZero() {
			peers = append(peers, seat.Peer)
		}
	}
	return peers
}

// retrieve deals with an own commitment on the chain that this journal does not know: it asks for
// the sealed opening, and if the journal is not new, it says that another copy of the node is at
// work.
func (p *publication) retrieve(c *caseState) {
	h := c.live()
	i := c.chain.SeatOf(p.cfg.Judge)
	if h == nil || i < 0 || p.now >= c.chain.RevealEnds {
		return
	}
	seat := &c.chain.Seats[i]
	if !seat.Committed || seat.Revealed {
		return
	}
	if _, _, ok := h.opening(seat.Commitment, p.cfg.Domain, p.cfg.Judge, c.task); ok {
		return
	}
	if h.recover.due(p.now) {
		p.reportMismatch(c, h, seat)
		h.recover, h.soughtCommitment = after(p.now, p.cfg.Params.CatchUpEvery), seat.Commitment
		p.emit(RecoverOpening{Task: c.task, Round: h.number, Commitment: seat.Commitment})
	}
	c.wakeAt(h.recover.at)
}

// reportMismatch tells of a commitment on the chain that is not the own one, when it is still there
// after a while. It proves nothing: an RPC node that lies or garbles an account must not stop the
// node. A copy seals its opening with the node key, which openingRecovered takes as proof, and
// shows its statement to the other seats.
func (p *publication) reportMismatch(c *caseState, h *roundState, seat *Seat) {
	if h.cast == nil || h.conflicted || h.mismatchReported || h.soughtCommitment != seat.Commitment || p.distrusts(c) {
		return
	}
	h.mismatchReported = true
	p.emit(Conflict{Task: c.task, Round: h.number, Evidence: "the chain shows another commitment of this judge", Signed: true})
}

// openingRecovered takes the opening of an own commitment that the chain shows. Nothing is signed
// for it: its statement was signed when it was cast. If that was not here, another copy of the node
// did it: only a copy of the node can seal an opening with its key.
func (m *Machine) openingRecovered(e OpeningRecovered) error {
	if err := checkOpinion(e.Opening, e.Vote); err != nil {
		return err
	}
	c := m.cases.find(e.Task)
	if c == nil || e.Round == 0 || e.Round > MaxRound || c.live() != c.rounds[e.Round] || c.rounds[e.Round] == nil {
		return nil
	}
	h, i := c.rounds[e.Round], c.chain.SeatOf(m.cfg.Judge)
	if i < 0 || m.cfg.Domain.Commitment(c.task, e.Round, m.cfg.Judge, e.Opening) != c.chain.Seats[i].Commitment {
		return nil
	}
	if _, _, known := h.opening(c.chain.Seats[i].Commitment, m.cfg.Domain, m.cfg.Judge, c.task); !known {
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

// requestRelay asks everybody to bring the own commitment to the chain when this node cannot (ADR
// 0019): once its transaction failed, for want of an RPC node or of a fee, or it does not see the
// chain, or when little time is left and the chain does not show it. It asks only for the
// commitment that the journal holds, so after a restart it asks for the same.
func (p *publication) requestRelay(c *caseState) {
	h, i := c.live(), c.chain.SeatOf(p.cfg.Judge)
	if h == nil || i < 0 || h.relayRequested || h.cast == nil || h.foreign != nil || !h.announcedCommit {
		return
	}
	if s := &c.chain.Seats[i]; s.Committed || s.Equivocated || !c.chain.CanCommit(p.now) {
		return
	}
	if from := p.cfg.Params.relayRequestFrom(&c.chain); !h.failed && !p.blind && p.now < from {
		c.wakeAt(from)
		return
	}
	h.relayRequested = true
	n := p.request(h.cast)
	own := h.of(p.cfg.Judge)
	own.request = &n
	h.set(own)
	p.emit(Announce{Notice: n, To: p.peers(c.chain.Seats)})
}

// request signs the request for the commitment of a vote that is in the journal. Nothing else is
// ever asked for.
func (p *publication) request(v *Cast) Relay {
	n := Relay{Commit: v.Commit}
	if p.cfg.Seal != nil {
		n.Sealed = p.cfg.Seal(v.Task, v.Round, v.Opening)
	}
	n.Request = p.cfg.Sign(p.cfg.Domain.RelayRequest(v.Task, v.Round, v.Judge, v.Commitment, n.Sealed))
	return n
}

// othersReveal reports whether this node does not see the chain, and so many seats show their votes
// that one of them is honest and has seen the commits over. So a judge without an RPC node knows
// that it may show its own vote: its clock, which is the chain's, stands still.
func (p *publication) othersReveal(c *caseState, h *roundState) bool {
	if !p.blind {
		return false
	}
	count := 0
	for _, n := range h.heard {
		if n.judge != p.cfg.Judge && (n.vote != nil || n.early != nil) && c.chain.SeatOf(n.judge) >= 0 {
			count++
		}
	}
	return count >= OneHonest(len(c.chain.Seats))
}
