package voting

// checkRelay applies the table of protocol section 9 to a relay request. What of it is of no use may still be a statement that is not
// known here: then that goes to the machine, but nothing is passed on.
func (v *View) checkRelay(origin Key, n Relay) (Checked, error) {
	if len(n.Sealed) != 0 && len(n.Sealed) != SealedSize {
		return Checked{}, refuse(Invalid, "sealed opening of %d bytes", len(n.Sealed))
	}
	statement, err := v.checkCommit(origin, n.Commit)
	c := v.find(n.Task)
	if c == nil || err != nil && !c.has(n.Commit) {
		return statement, err
	}
	known, seat := c.of(n.Judge), &c.look.Seats[c.look.SeatOf(n.Judge)]
	if err != nil && !v.signed(seat, known, n.Commit) {
		return Checked{}, refuse(Invalid, "signature of the statement")
	}
	switch {
	case len(known.commits) > 1 || len(known.commits) == 1 && known.commits[0].Commitment != n.Commitment:
		return statement, &NoticeError{Class: Contradicted, Author: seat.Peer, Reason: "a request for another commitment than the judge signed"}
	case known.request != nil:
		return Checked{}, refuse(Duplicate, "known request")
	case !c.look.CanCommit(v.now):
		return statement, refuse(NotRelevant, "request after the commits")
	case seat.Committed || seat.Equivocated:
		return statement, refuse(NotRelevant, "request for a seat that needs nothing")
	case !v.verify(seat.Peer, v.domain.RelayRequest(n.Task, n.Round, n.Judge, n.Commitment, n.Sealed), n.Request):
		return Checked{}, refuse(Invalid, "signature of the request")
	}
	return Checked{n}, nil
}

// has reports whether the round of the seats is that of a commit, which is known.
func (c *caseView) has(n Commit) bool {
	if n.Round != c.round || c.look.SeatOf(n.Judge) < 0 {
		return false
	}
	for _, k := range c.of(n.Judge).commits {
		if k.Commitment == n.Commitment {
			return true
		}
	}
	return false
}

// signed reports whether the statement of a commit that is known carries a good signature here, too.
func (v *View) signed(seat *Seat, known heard, n Commit) bool {
	for _, k := range known.commits {
		if k == n {
			return true
		}
	}
	return v.verify(seat.Peer, v.domain.Statement(n.Task, n.Round, n.Judge, n.Commitment), n.Signature)
}
