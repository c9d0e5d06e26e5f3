package voting

import (
	"fmt"
	"slices"
)

// Checked is a notice that View.Check let pass. Only Check makes one, so that nothing unchecked can
// reach the machine.
type Checked struct{ notice Notice }

// Usable reports whether the machine can use the notice. This does not depend on the gossip
// verdict.
func (c Checked) Usable() bool { return c.notice != nil }

func refuse(class Class, format string, args ...any) error {
	return &NoticeError{Class: class, Reason: fmt.Sprintf(format, args...)}
}

// Check applies the table of protocol section 9 to a notice. origin is the node key of the gossip
// message's author; zero for a notice that came over a stream, where anybody may pass on what
// others signed. The error is nil or a *NoticeError; Classify turns it into a gossip verdict. A
// Usable notice goes to the machine as NoticeReceived even if there is an error: evidence of
// equivocation and votes of a round that is over are not passed on, but filed, and a vote that
// comes before this node has seen the commits over is kept until it has: others see the same blocks
// some hundred milliseconds earlier.
func (v *View) Check(origin Key, n Notice) (Checked, error) {
	switch n := n.(type) {
	case Commit:
		return v.checkCommit(origin, n)
	case Vote:
		return v.checkVote(origin, n)
	case Relay:
		return v.checkRelay(origin, n)
	}
	return Checked{}, refuse(Invalid, "%T", n)
}

func (v *View) checkCommit(origin Key, n Commit) (Checked, error) {
	if n.Round == 0 || n.Round > MaxRound || n.Commitment.IsZero() {
		return Checked{}, refuse(Invalid, "round %d, commitment %s", n.Round, brief(n.Commitment[:]))
	}
	_, p, seat, err := v.seat(n.Task, n.Round, n.Judge)
	if err != nil {
		return Checked{}, err
	}
	if err := checkOrigin(origin, seat); err != nil {
		return Checked{}, err
	}
	known := p.of(n.Judge).commits
	if states(known, n.Commitment) {
		return Checked{}, refuse(Duplicate, "known commitment")
	}
	if len(known) >= 2 {
		return Checked{}, refuse(Duplicate, "third commitment of one judge")
	}
	if p.over && len(known) == 0 {
		return Checked{}, refuse(NotRelevant, "round %d is over", n.Round)
	}
	if !v.verify(seat.Peer, v.domain.Statement(n.Task, n.Round, n.Judge, n.Commitment), n.Signature) {
		return Checked{}, refuse(Invalid, "signature of the statement")
	}
	if p.over {
		return Checked{n}, refuse(NotRelevant, "evidence for round %d, which is over", n.Round)
	}
	return Checked{n}, nil
}

func (v *View) checkVote(origin Key, n Vote) (Checked, error) {
	if err := v.checkForm(&n); err != nil {
		return Checked{}, err
	}
	c, p, seat, err := v.seat(n.Task, n.Round, n.Judge)
	if err != nil {
		return Checked{}, err
	}
	if err := checkOrigin(origin, seat); err != nil {
		return Checked{}, err
	}
	known := p.of(n.Judge)
	early := !p.over && !c.chain.CommitsOver(v.now)
	switch {
	case n.Peer != seat.Peer:
		return Checked{}, refuse(Invalid, "agent_id is not the judge's")
	case known.vote != nil:
		return Checked{}, refuse(Duplicate, "known vote")
	case early && known.early != nil:
		return Checked{}, refuse(Early, "another vote before the reveal")
	case p.over && !c.chain.decided(p.round):
		return Checked{}, refuse(NotRelevant, "round %d is over", n.Round)
	}
	if !v.verify(seat.Peer, n.Signed, n.Signature) {
		return Checked{}, refuse(Invalid, "signature of the vote")
	}
	commitment := v.domain.Commitment(n.Task, n.Round, n.Judge, n.Opening)
	if err := checkOpening(commitment, known.commits, seat); err != nil {
		return Checked{}, err
	}
	switch {
	case early:
		return Checked{n}, refuse(Early, "vote before the reveal")
	case !seat.opened(commitment):
		return Checked{}, refuse(NotRelevant, "the opening does not hash to what the chain shows")
	case p.over:
		return Checked{n}, refuse(NotRelevant, "vote of round %d, which is over", n.Round)
	}
	return Checked{n}, nil
}

// checkForm checks what needs no knowledge of the case.
func (v *View) checkForm(n *Vote) error {
	switch {
	case n.Network != v.domain.Network || n.Program != v.domain.Program:
		return refuse(Invalid, "vote for another network or program")
	case n.Round == 0 || n.Round > MaxRound:
		return refuse(Invalid, "round %d", n.Round)
	case !n.Choice.Valid():
		return refuse(Invalid, "choice %d", n.Choice)
	case n.Accept != n.Choice.Accepts():
		return refuse(Invalid, "accept is %t, choice is %s", n.Accept, n.Choice)
	case len(n.Raw) == 0 || len(n.Raw) > MaxVote:
		return refuse(Invalid, "vote of %d bytes", len(n.Raw))
	}
	return nil
}

// checkOpening compares the opening of a vote that has a good signature with the judge's earlier
// statements, which it cannot disown. A judge that told each half of the panel another statement
// must not turn them against each other.
func checkOpening(commitment Hash, signed []Commit, seat *Seat) error {
	if len(signed) > 0 && !states(signed, commitment) {
		const reason = "the opening does not hash to what the judge signed"
		return &NoticeError{Class: Contradicted, Author: seat.Peer, Reason: reason}
	}
	return nil
}

// opened reports whether the chain shows the commitment for the seat.
func (s *Seat) opened(commitment Hash) bool { return s.Committed && s.Commitment == commitment }

// seat finds the seat that a notice speaks for.
func (v *View) seat(task Key, round uint8, judge Key) (*caseView, *panelView, *Seat, error) {
	c, p := v.panel(task, round)
	switch {
	case c == nil:
		return nil, nil, nil, refuse(Unknown, "case %s", brief(task[:]))
	case p == nil && round > c.last():
		return nil, nil, nil, refuse(Unknown, "round %d, %d is known", round, c.last())
	case p == nil:
		return nil, nil, nil, refuse(NotRelevant, "round %d is over", round)
	}
	i := seatIn(p.seats, judge)
	if i < 0 || p.seats[i].Peer.IsZero() {
		return nil, nil, nil, refuse(NotRelevant, "judge %s has no seat", brief(judge[:]))
	}
	return c, p, &p.seats[i], nil
}

// last returns the latest round whose seats the chain shows; 0 before the first draw.
func (c *caseView) last() uint8 {
	if len(c.panels) == 0 {
		return 0
	}
	return c.panels[len(c.panels)-1].round
}

func checkOrigin(origin Key, seat *Seat) error {
	if !origin.IsZero() && origin != seat.Peer {
		return refuse(Invalid, "speaks for a judge of another node")
	}
	return nil
}

// checkRelay applies the table of protocol section 9 to a relay request. A useless request may
// still have a statement that is not known here. Then the statement goes to the machine, but
// nothing is passed on.
func (v *View) checkRelay(origin Key, n Relay) (Checked, error) {
	if len(n.Sealed) != 0 && len(n.Sealed) != SealedSize {
		return Checked{}, refuse(Invalid, "sealed opening of %d bytes", len(n.Sealed))
	}
	statement, err := v.checkCommit(origin, n.Commit)
	c, p := v.panel(n.Task, n.Round)
	if p == nil || err != nil && !p.has(n.Commit) {
		return statement, err
	}
	known, seat := p.of(n.Judge), &p.seats[seatIn(p.seats, n.Judge)]
	if err != nil && !v.signed(seat, known, n.Commit) {
		return Checked{}, refuse(Invalid, "signature of the statement")
	}
	switch {
	case len(known.commits) > 1 || len(known.commits) == 1 && known.commits[0].Commitment != n.Commitment:
		return statement, &NoticeError{Class: Contradicted, Author: seat.Peer, Reason: "a request for another commitment than the judge signed"}
	case known.request != nil:
		return Checked{}, refuse(Duplicate, "known request")
	case p.over || !c.chain.CanCommit(v.now):
		return statement, refuse(NotRelevant, "request after the commits")
	case seat.Committed || seat.Equivocated:
		return statement, refuse(NotRelevant, "request for a seat that needs nothing")
	case !v.verify(seat.Peer, v.domain.RelayRequest(n.Task, n.Round, n.Judge, n.Commitment, n.Sealed), n.Request):
		return Checked{}, refuse(Invalid, "signature of the request")
	}
	return Checked{n}, nil
}

// has reports whether a commit of a seat is known.
func (p *panelView) has(n Commit) bool {
	return seatIn(p.seats, n.Judge) >= 0 && states(p.of(n.Judge).commits, n.Commitment)
}

// states reports whether one of the statements is that of a commitment.
func states(all []Commit, commitment Hash) bool {
	return slices.ContainsFunc(all, func(c Commit) bool { return c.Commitment == commitment })
}

// signed reports whether the statement of a commit that is known carries a good signature here,
// too.
func (v *View) signed(seat *Seat, known judgeNotices, n Commit) bool {
	return slices.Contains(known.commits, n) ||
		v.verify(seat.Peer, v.domain.Statement(n.Task, n.Round, n.Judge, n.Commitment), n.Signature)
}
