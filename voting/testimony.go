package voting

// outcome testifies to the facts that the chain shows. It owns the list of its testimonies.
type outcome struct{ *self }

// testify writes once in the life of the machine what the chain decided, for every case with a seat
// of this node.
func (o *outcome) testify(c *caseState) {
	if c.chain.Sat(o.cfg.Judge) {
		c.sat = true
	}
	if !c.sat {
		return
	}
	o.writeOnce(c, TestifyOpen, 0)
	seatsOf := c.chain.SeatsRound()
	for round := uint8(1); round < max(seatsOf, c.chain.FirstRound+1); round++ { // a void round is drawn again within seconds: no look may have shown its settlement
		if c.written[TestifyDraw][round] || c.rounds[round] != nil {
			o.writeOnce(c, TestifySettle, round)
		}
	}
	for _, round := range c.chain.Panels() {
		o.writeOnce(c, TestifyDraw, round)
	}
	if seatsOf > 0 && !c.chain.Live() {
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
