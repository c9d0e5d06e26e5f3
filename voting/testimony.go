package voting

// outcome testifies to the facts that the chain shows. It owns the list of its testimonies.
type outcome struct{ *self }

// testify writes once in the life of the machine what the chain decided, of the rounds with a seat
// of this node: logs refuse all else.
func (o *outcome) testify(c *caseState) {
	c.sat = c.sat || c.chain.Sat(o.cfg.Judge)
	if !c.sat {
		return
	}
	o.writeOnce(c, TestifyOpen, 0)
	seatsOf := c.chain.SeatsRound()
	for round := uint8(1); round < max(seatsOf, c.chain.FirstRound+1); round++ { // a void round is drawn again within seconds: no look may have shown its settlement
		if h := c.rounds[round]; c.written[TestifyDraw][round] || h != nil && h.cast != nil {
			o.writeOnce(c, TestifySettle, round)
		}
	}
	for _, round := range c.chain.Panels() {
		if seatIn(c.chain.Panel(round), o.cfg.Judge) >= 0 {
			o.writeOnce(c, TestifyDraw, round)
		}
	}
	if seatsOf > 0 && !c.chain.Live() && c.chain.SeatOf(o.cfg.Judge) >= 0 {
		o.writeOnce(c, TestifySettle, seatsOf)
	}
	if c.chain.Status.Over() {
		o.writeOnce(c, TestifyOutcome, 0)
	}
}

// writeOnce emits a testimony of facts once.
func (o *outcome) writeOnce(c *caseState, kind Testimony, round uint8) {
	if c.written[kind][round] {
		return
	}
	c.written[kind][round] = true
	o.emit(Testify{Kind: kind, Task: c.task, Round: round})
}
