package voting

// Testimony is a kind of entry of the case file (protocol section 10).
type Testimony uint8

// The kinds that the machine asks for.
const (
	TestifyOpen         Testimony = iota + 1 // the opening facts
	TestifyDraw                              // the draw's facts
	TestifyCommit                            // own commitment with its statement
	TestifyOpinion                           // own opinion's hash, after the reveal began
	TestifyVote                              // own vote object
	TestifyEquivocation                      // two statements of one judge
	TestifySettle                            // the settlement's facts
	TestifyOutcome                           // what became of the task
)

// String is the kind as the case file writes it.
func (k Testimony) String() string {
	names := [...]string{"none", "open", "draw", "commit", "opinion", "vote", "equivocation", "settle", "outcome"}
	if int(k) < len(names) {
		return names[k]
	}
	return "unknown"
}

// Testify appends an entry to this node's chain in the case file, unless the chain has one of that kind, round and judge
// already: after a restart the machine asks again. Facts are written from a finalized look.
type Testify struct {
	Kind     Testimony
	Task     Key
	Round    uint8    // 0 for open and outcome
	Commit   Commit   // TestifyCommit
	Opinion  Hash     // TestifyOpinion
	Vote     []byte   // TestifyVote: canonical JSON
	Evidence Evidence // TestifyEquivocation
}

// String is a line of a trace.
func (e Testify) String() string { return line("testify "+e.Kind.String(), e.Task, e.Round, "") }

// testify says once in the life of the machine what the chain decided, in every case in which this node sat.
func (m *Machine) testify(c *docket) {
	if c.look.SeatOf(m.cfg.Judge) >= 0 {
		c.sat = true
	}
	if !c.sat {
		return
	}
	m.tell(c, TestifyOpen, 0)
	seatsOf := c.look.SeatsRound()
	for round := uint8(1); round < seatsOf; round++ { // a void round is drawn again within seconds: no look may have shown its settlement
		if c.told[TestifyDraw][round] || c.rounds[round] != nil {
			m.tell(c, TestifySettle, round)
		}
	}
	if seatsOf > 0 {
		m.tell(c, TestifyDraw, seatsOf)
	}
	if seatsOf > 0 && !c.look.Live() {
		m.tell(c, TestifySettle, seatsOf)
	}
	if c.look.Status.Over() {
		m.tell(c, TestifyOutcome, 0)
	}
}

// tell emits a testimony of facts once.
func (m *Machine) tell(c *docket, kind Testimony, round uint8) {
	if c.told[kind][round] {
		return
	}
	c.told[kind][round] = true
	m.emit(Testify{Kind: kind, Task: c.task, Round: round})
}
