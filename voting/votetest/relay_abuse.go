package votetest

import (
	"crypto/ed25519"

	"ojud/voting"
)

// relayAbuser leaves its own commitment to the others, and spams them with requests.
type relayAbuser struct {
	honest
	sent int
}

func (*relayAbuser) effect(n *node, f voting.Effect) bool {
	switch f := f.(type) {
	case voting.Submit:
		return f.Op != voting.OpCommit
	case voting.Announce:
		if c, ok := f.Notice.(voting.Commit); ok {
			for range 3 {
				n.tell(n.beg(c), 0, 1)
			}
		}
	}
	return true
}

// hear answers the notices of others with requests in their name, for their commitment and for its
// own.
func (p *relayAbuser) hear(n *node, notice voting.Notice) {
	task, round, judge := notice.Seat()
	if p.sent > 200 || judge == n.judge {
		return
	}
	p.sent++
	theirs, mine := voting.Commit{Task: task, Round: round, Judge: judge}, n.forge(voting.Commit{Task: task, Round: round, Judge: judge},
		n.opening(task, round, voting.Accept))
	if c, ok := notice.(voting.Commit); ok {
		theirs = c
	}
	own := n.beg(theirs)
	own.Judge = n.judge // their commitment for the own seat
	stripped := n.beg(theirs)
	if q, ok := notice.(voting.Relay); ok { // another sealed opening than the judge asks for
		stripped = q
		stripped.Sealed = nil
	}
	for _, x := range []voting.Relay{n.beg(theirs), n.beg(mine), own, stripped} {
		n.tell(x, n.sim.rng.IntN(2), 2)
	}
}

// beg signs a request with this node's key, whosever the commitment is.
func (n *node) beg(c voting.Commit) voting.Relay {
	q := voting.Relay{Commit: c, Sealed: make([]byte, voting.SealedSize)}
	q.Request = voting.Signature(ed25519.Sign(n.key, n.sim.chain.Domain.RelayRequest(c.Task, c.Round, c.Judge, c.Commitment, q.Sealed)))
	return q
}

// relayEquivocator has no statement that it shows to all.
type relayEquivocator struct{ honest }

func (relayEquivocator) effect(n *node, f voting.Effect) bool {
	switch f := f.(type) {
	case voting.Submit:
		return f.Op != voting.OpCommit
	case voting.Announce:
		first, ok := f.Notice.(voting.Commit)
		if ok {
			second := n.forge(first, n.opening(first.Task, first.Round, voting.Reject))
			n.tell(n.beg(first), 0, 2)
			n.tell(n.beg(second), 1, 2)
		}
		return !ok
	}
	return true
}
