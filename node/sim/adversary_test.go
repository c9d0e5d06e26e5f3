package sim

import (
	"bytes"
	"sync"
	"time"

	"ojud/ledger"
	"ojud/ledger/devnet/bank"
	"ojud/ledger/program"
	"ojud/node"
	"ojud/voting"
)

// broadcaster hears the node's own statements and misbehaves as its judge does.
func (m *member) broadcaster(c node.Broadcaster) node.Broadcaster { return broadcaster{c, m} }

type broadcaster struct {
	node.Broadcaster
	m *member
}

// Push implements node.Broadcaster.
func (c broadcaster) Push(to []voting.Key, n voting.Notice) error {
	commit, signs := n.(voting.Commit)
	vote, opens := n.(voting.Vote)
	if signs {
		switch c.m.spring() {
		case dumb:
			return nil
		case heard: // half of the others hear it, the chain does not
			c.m.w.tape.record(n)
			return c.Broadcaster.Push(to[:len(to)/2], n)
		}
	}
	c.m.w.tape.record(n)
	hit := func() { c.m.w.cov.effect(string(c.m.who)) }
	half := len(to) / 2
	switch {
	case c.m.who == late:
		hit()
		return nil
	case c.m.who == withholder && signs:
		c.m.w.work.Go(func() { c.m.vanish(commit.Task, commit.Round) })
	case c.m.i > 0 && c.m.i == c.m.w.plan.unguarded && signs: // like a node that started again without its journal and asked no peer
		other := c.m.second(commit)
		c.m.w.tape.record(other)
		return c.both(to[:half], n, to[half:], other)
	case c.m.who == equivocator && signs:
		hit()
		return c.both(to[:half], n, to[half:], c.m.second(commit))
	case c.m.who == splitter && opens:
		o := vote.Opening
		o.Choice = voting.Accept + voting.Reject - min(o.Choice, voting.Reject)
		other, err := c.m.vote(vote.Task, vote.Round, o)
		if err != nil {
			return err
		}
		hit()
		return c.both(to[:half], n, to[half:], other)
	case c.m.who == spammer:
		hit()
		c.spam(to, n)
		c.m.w.hush(c.m)
	case c.m.who == replayer:
		for _, old := range c.m.w.tape.some(20) {
			hit()
			_ = c.Broadcaster.Push(to, old) // it is refused, most of the time
		}
	}
	if c.m.w.duplicates() {
		c.m.w.cov.effect(string(duplicate))
		if err := c.Broadcaster.Push(to, n); err != nil {
			return err
		}
	}
	return c.Broadcaster.Push(to, n)
}

// Publish implements node.Broadcaster.
func (c broadcaster) Publish(n voting.Notice) error {
	c.m.w.tape.record(n)
	switch c.m.who {
	case late, equivocator, splitter:
		return nil // it would tell everybody the same
	case withholder:
		if _, opens := n.(voting.Vote); opens {
			return nil
		}
	}
	return c.Broadcaster.Publish(n)
}

func (c broadcaster) both(some []voting.Key, a voting.Notice, others []voting.Key, b voting.Notice) error {
	if err := c.Broadcaster.Push(some, a); err != nil {
		return err
	}
	return c.Broadcaster.Push(others, b)
}

// second returns another statement of the same seat.
func (m *member) second(c voting.Commit) voting.Commit {
	c.Commitment = voting.Hash(bytes.Repeat([]byte{7}, 32))
	c.Signature = m.home.Keys.Sign(m.w.domain.Statement(c.Task, c.Round, c.Judge, c.Commitment))
	return c
}

// heard notes the statements of others that this member has, from any path.
func (m *member) heard(n voting.Notice) {
	switch x := n.(type) {
	case voting.Commit:
		m.had(x)
	case voting.Relay:
		m.had(x.Commit)
	}
}

func (m *member) had(c voting.Commit) {
	if c.Judge != m.home.Keys.Judge() {
		m.w.tape.saw(c)
	}
}

// spam sends messages that every node should refuse: others' seats, wrong signatures, rounds and
// cases that do not exist.
func (c broadcaster) spam(to []voting.Key, n voting.Notice) {
	task, round, judge := n.Seat()
	own := c.m.second(voting.Commit{Task: task, Round: round%voting.MaxRounds + 1, Judge: judge})
	forged := own
	forged.Judge = c.m.w.members[0].home.Keys.Judge()
	broken := own
	broken.Round, broken.Signature[3] = round, broken.Signature[3]^1
	nowhere := c.m.second(voting.Commit{Task: voting.Key{9, 9}, Round: 1, Judge: judge})
	for range 10 {
		for _, x := range []voting.Notice{forged, own, broken, nowhere} {
			_ = c.Broadcaster.Push(to, x) // a refusal is expected
		}
	}
}

// hush takes a spammer off the network some time after it began. By then all others refuse it. They
// would only go on refusing its connections, which takes most of the time of a court.
func (w *world) hush(m *member) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.hushed {
		return
	}
	m.hushed = true
	w.work.Go(func() {
		if pause(w.ctx, 15*time.Second) {
			w.wire.silence(m.i, true)
		}
	})
}

// tape keeps the statements of nodes, for adversaries that repeat them and for the referee.
type tape struct {
	mu      sync.Mutex
	notices []voting.Notice
	signed  map[seat]map[voting.Hash]bool // all statements of a seat that it ever let go
	reached map[seat]map[voting.Hash]bool // those of them that others have had, or the chain
	first   map[seat]time.Time            // when a seat let go its first statement
}

// seat is a judge in a round of a case.
type seat struct {
	task  voting.Key
	round uint8
	judge voting.Key
}

func (t *tape) record(n voting.Notice) {
	switch x := n.(type) {
	case voting.Commit:
		t.mark(t.signed, x)
	case voting.Relay:
		t.mark(t.signed, x.Commit)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.notices = append(t.notices, n)
}

// saw notes a public statement: it is on the chain, or a node other than its judge's has it.
func (t *tape) saw(c voting.Commit) {
	t.mark(t.signed, c)
	t.mark(t.reached, c)
}

// statement returns a commitment as the chain shows it, without the signature.
func statement(task voting.Key, round uint8, judge voting.Key, commitment voting.Hash) voting.Commit {
	return voting.Commit{Task: task, Round: round, Judge: judge, Signed: voting.Signed{Commitment: commitment}}
}

func (t *tape) mark(where map[seat]map[voting.Hash]bool, c voting.Commit) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := seat{c.Task, c.Round, c.Judge}
	if where[s] == nil {
		where[s] = map[voting.Hash]bool{}
		if _, known := t.first[s]; !known {
			t.first[s] = time.Now()
		}
	}
	where[s][c.Commitment] = true
}

// since returns when a seat let go its first statement. The zero time is before every round.
func (t *tape) since(s seat) time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.first[s]
}

func (t *tape) some(n int) []voting.Notice {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]voting.Notice(nil), t.notices[max(0, len(t.notices)-n):]...)
}

// vanish takes a judge away as soon as its commitment is on the chain, until the round is over.
func (m *member) vanish(task voting.Key, round uint8) {
	gone := false
	for range 4 * (commitSeconds + revealSeconds + drawSeconds) * 5 {
		time.Sleep(50 * time.Millisecond)
		c := m.w.ref.now(task, bank.Processed)
		if c == nil {
			continue
		}
		if c.Status.Over() || c.Round != round || m.w.ctx.Err() != nil {
			break
		}
		i := seatOf(c, m.home.Keys.Judge())
		if !gone && i >= 0 && c.Seats[i].Flags&program.SeatCommitted != 0 {
			gone = true
			m.w.cov.effect(string(withholder))
			m.w.wire.silence(m.i, true)
			m.link.cut(true)
		}
	}
	if gone {
		m.w.wire.silence(m.i, false)
		m.link.cut(false)
	}
}

func seatOf(c *program.Case, judge voting.Key) int {
	for i := range c.Seats {
		if voting.Key(c.Seats[i].Judge) == judge {
			return i
		}
	}
	return -1
}

// copy is the work of a copier, which runs no node. It commits another seat's commitment and opens
// it with the other's opening.
func (m *member) copy(task voting.Key) {
	self, done := m.home.Keys.Authority, map[uint8]int{}
	for m.w.ctx.Err() == nil {
		time.Sleep(200 * time.Millisecond)
		c := m.w.ref.now(task, bank.Processed)
		if c == nil || c.Status.Over() {
			if c != nil {
				return
			}
			continue
		}
		own := seatOf(c, m.home.Keys.Judge())
		if own < 0 {
			continue
		}
		for i := range c.Seats {
			if i == own || c.Seats[i].Flags&program.SeatCommitted == 0 {
				continue
			}
			switch {
			case c.Status == voting.Committing && done[c.Round] == 0:
				done[c.Round] = 1
				if m.w.submit(self, m.w.p.Commit(self.Address(), m.w.address(task), program.Commit{Round: c.Round, Commitment: c.Seats[i].Commitment})) == nil {
					m.w.cov.effect(string(copier))
				}
			case c.Seats[i].Commitment == c.Seats[own].Commitment && done[c.Round] == 1:
				if o, ok := m.w.opening(task, c.Round, voting.Key(c.Seats[i].Judge)); ok {
					done[c.Round] = 2
					if m.w.submit(self, m.w.p.Reveal(m.w.address(task), self.Address(), c.Round, o)) == nil {
						m.w.ref.broken("copied-vote-earns-nothing", "%s opened one", self.Address())
					}
				}
			}
		}
	}
}

// opening returns what a judge revealed.
func (w *world) opening(task voting.Key, round uint8, judge voting.Key) (voting.Opening, bool) {
	w.tape.mu.Lock()
	defer w.tape.mu.Unlock()
	for _, n := range w.tape.notices {
		if v, ok := n.(voting.Vote); ok && v.Task == task && v.Round == round && v.Judge == judge {
			return v.Opening, true
		}
	}
	return voting.Opening{}, false
}

// submit gets instructions into the chain over a path without faults.
func (w *world) submit(payer *ledger.Keypair, all ...instruction) error {
	out, err := w.sender.Submit(w.ctx, all, ledger.SubmitOptions{Payer: payer})
	if err == nil && out.Class != ledger.Landed {
		err = refused{out}
	}
	return err
}
