package voting

import "slices"

// caseState is the machine's memory of one case.
type caseState struct {
	task  Key
	chain Case // the latest look; Seats is never written to

	seen   bool  // a look exists; without one the case comes from the journal
	gone   bool  // the latest look showed no account
	goneAt int64 // since when

	sat     bool // this node had a seat in a round of the case
	written [TestifyOutcome + 1][MaxRound + 1]bool

	rounds   [MaxRound + 1]*roundState // by number; 0 stays empty
	attempts []*attempt
	drawAt   int64 // guess of when the seed slot is over

	wake   int64 // when to drive again; 0: nothing to wait for
	driven int64 // when it was driven last
	view   *caseView
}

// roundState is the machine's memory of one round of a case.
type roundState struct {
	number uint8

	cast      *Cast      // the own vote; set once and never changed
	recovered *Recovered // opening of an own commitment that cast does not open
	foreign   *Foreign   // an own statement that is not that of cast
	proofs    []Proof    // by judge, at most one each

	heard              // by judge, in the order of the first notice; copied when written
	drawn   Hash       // slot hash of the draw for which the rest holds
	failed  bool       // a transaction with the own commitment did not reach the chain
	relayed [2]seatSet // the seats for which this node sent a commitment, and a vote

	opinionState
	publicState
	catchUpState
}

// opinionState is how far the judge is with its opinion. It belongs to judging.
type opinionState struct {
	asked    asked
	askAgain timer         // set when an abstention failed
	reason   string        // of the abstention
	held     *OpinionReady // an opinion that waits until other seats were asked
}

// publicState says which messages this node has shown, and what it suspects. It belongs to
// publication.
type publicState struct {
	announcedCommit, announcedVote bool

	relayRequested   bool  // others were asked to bring the own commitment to the chain
	recover          timer // when to ask again for the sealed opening
	soughtCommitment Hash  // the commitment of that opening
	conflicted       bool  // another copy of this node was seen at work
	mismatchReported bool  // the chain showed another commitment than the own one, twice
}

// catchUpState keeps this node's questions to other seats. It belongs to gathering.
type catchUpState struct {
	answered         int   // the most seats that answered one catch-up: they know no own statement but foreign
	caught           bool  // all seats were asked once
	askNext          timer // when to ask again
	turn             int   // which seat to ask next
	askedAfterRound  int   // how many seats were asked after the round was over
	doubtsAfterRound int   // how often all seats were asked then, because a statement is doubted
	doubtNext        timer // when to ask them again
}

// asked says whether the judge was asked, and for what.
type asked uint8

const (
	askedNothing asked = iota
	askedOpinion
	askedAbstention
)

// judgeNotices keeps the notices of one judge: at most two commits and one vote.
type judgeNotices struct {
	judge   Key
	commits []Commit
	vote    *Vote
	request *Relay // asks anyone to commit; kept for a judge with one known statement
	early   *Vote  // came before this node saw the end of the commits; not passed on
}

// round returns the state of round n, which is 1..MaxRound.
func (c *caseState) round(n uint8) *roundState {
	if c.rounds[n] == nil {
		c.rounds[n] = &roundState{number: n}
	}
	return c.rounds[n]
}

// live returns the round that is running, or nil.
func (c *caseState) live() *roundState {
	if !c.seen || c.gone || !c.chain.Live() {
		return nil
	}
	return c.round(c.chain.Round)
}

// redraw starts over with telling and asking when the round was drawn again after a rollback: other
// seats may be there.
func (c *caseState) redraw() {
	if h := c.live(); h != nil && h.drawn != c.chain.SlotHash {
		h.drawn = c.chain.SlotHash
		h.announcedCommit, h.announcedVote, h.caught, h.answered = false, false, false, 0
		h.failed, h.relayRequested, h.relayed = false, false, [2]seatSet{}
	}
}

// wakeAt asks to be driven at that time if not earlier.
func (c *caseState) wakeAt(at int64) {
	if at != 0 && (c.wake == 0 || at < c.wake) {
		c.wake = at
	}
}

// opening returns what opens an own commitment, and the vote object that goes with it.
func (h *roundState) opening(commitment Hash, d Domain, judge, task Key) (o Opening, vote []byte, ok bool) {
	if h.cast != nil && h.cast.Commitment == commitment {
		return h.cast.Opening, h.cast.Vote, true
	}
	if r := h.recovered; r != nil && d.Commitment(task, h.number, judge, r.Opening) == commitment {
		return r.Opening, r.Vote, true
	}
	return Opening{}, nil, false
}

// fits reports whether the seat's commitment on the chain was announced, or evidence is there
// anyway.
func (n *judgeNotices) fits(s *Seat) bool {
	return len(n.commits) >= 2 || states(n.commits, s.Commitment)
}

// doubted reports whether one statement of a judge is known, and the chain does not bear it out:
// the chain has another one, or none although the time to commit is over. The judge may have told
// others something else, and only they know.
func (n *judgeNotices) doubted(s *Seat, over bool) bool {
	return len(n.commits) == 1 && !s.Equivocated && (s.Committed && !n.fits(s) || !s.Committed && over)
}

// heard is what was heard of the judges of a round.
type heard []judgeNotices

// of returns what was heard of judge.
func (h heard) of(judge Key) judgeNotices {
	for i := range h {
		if h[i].judge == judge {
			return h[i]
		}
	}
	return judgeNotices{judge: judge}
}

// set replaces what was heard of a judge. Views keep the old slice.
func (h *roundState) set(n judgeNotices) {
	notices := make([]judgeNotices, 0, MaxSeats)
	found := false
	for _, old := range h.heard {
		if old.judge == n.judge {
			old, found = n, true
		}
		notices = append(notices, old)
	}
	if !found {
		notices = append(notices, n)
	}
	h.heard = notices
}

// addCommit keeps a commit unless it is known or two are there.
func (h *roundState) addCommit(n Commit) {
	old := h.of(n.Judge)
	if len(old.commits) < 2 && !states(old.commits, n.Commitment) {
		old.commits = append(old.commits[:len(old.commits):len(old.commits)], n)
		h.set(old)
	}
}

// addVote keeps a judge's first vote.
func (h *roundState) addVote(n Vote) {
	if old := h.of(n.Judge); old.vote == nil {
		old.vote = &n
		h.set(old)
	}
}

// trim drops what was heard of rounds that the chain shows no more and of judges without a seat, so
// that memory stays bounded even if the chain draws a round again and again. Own statements and
// proofs stay.
func (c *caseState) trim() {
	current := c.chain.SeatsRound()
	for _, h := range c.rounds {
		if h == nil || len(h.heard) == 0 || h.number > current {
			continue
		}
		seats := c.chain.Panel(h.number)
		gone := func(n judgeNotices) bool { return seatIn(seats, n.judge) < 0 }
		if slices.ContainsFunc(h.heard, gone) { // views keep the old slice
			h.heard = slices.DeleteFunc(slices.Clone(h.heard), gone)
			h.keep()
		}
	}
}

// keep adds the statements of the journal to the notices that were heard.
func (h *roundState) keep() {
	if h.cast != nil {
		h.addCommit(h.cast.Commit)
	}
	if h.foreign != nil {
		h.addCommit(h.foreign.Commit)
	}
	for _, p := range h.proofs {
		h.addCommit(Commit{p.Task, p.Round, p.Judge, p.A})
		h.addCommit(Commit{p.Task, p.Round, p.Judge, p.B})
	}
}

// anyRelayRequest reports whether any judge asks for help.
func (h *roundState) anyRelayRequest() bool {
	return slices.ContainsFunc(h.heard, func(n judgeNotices) bool { return n.request != nil })
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
