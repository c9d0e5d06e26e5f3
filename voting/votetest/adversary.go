package votetest

import (
	"crypto/ed25519"
	"slices"

	"ojud/sim/fault"
	"ojud/voting"
)

// Adversary is a kind of dishonest node.
type Adversary uint8

// The adversaries.
const (
	// Absent never does anything.
	Absent Adversary = iota + 1
	// Late has its opinions after the deadline and sends nothing in time.
	Late
	// Copier commits what another seat committed and tries to reveal it with the other's opening.
	Copier
	// Equivocator signs a second statement and shows each half of the others a different one.
	Equivocator
	// LateEquivocator shows its second statement when the round is likely to be settled.
	LateEquivocator
	// Colluder always rejects, with all its like.
	Colluder
	// Withholder commits and never reveals or shows its vote.
	Withholder
	// Spammer sends forged, foreign, early and truncated notices.
	Spammer
	// Selective tells only every other node, and answers no catch-up.
	Selective
	// Replayer sends some of what it hears again, to everybody, later.
	Replayer
	// RelayAbuser asks others to commit for it although it could, again and again, and in the name
	// of others, in every wrong way.
	RelayAbuser
	// RelayEquivocator asks for two commitments, each half of the others for another.
	RelayEquivocator

	adversaries = iota // how many there are
)

// String returns the name of a in the vocabulary of package fault.
func (a Adversary) String() string {
	kinds := [...]fault.Kind{"honest", fault.Absent, fault.Late, fault.Copier, fault.Equivocator, fault.LateEquivocator,
		fault.Colluder, fault.Withholder, fault.Spammer, fault.Selective, fault.Replayer, fault.RelayAbuser, fault.RelayEquivocator}
	return string(kinds[a])
}

func (a Adversary) behaviour() behaviour {
	switch a {
	case Absent:
		return absent{}
	case Late:
		return late{}
	case Copier:
		return &copier{}
	case Equivocator:
		return &equivocator{}
	case LateEquivocator:
		return &equivocator{late: true}
	case Colluder:
		return colluder{}
	case Withholder:
		return withholder{}
	case Spammer:
		return &spammer{}
	case Selective:
		return selective{}
	case Replayer:
		return replayer{}
	case RelayAbuser:
		return &relayAbuser{}
	case RelayEquivocator:
		return &relayEquivocator{}
	}
	return honest{}
}

type absent struct{ honest }

func (absent) effect(_ *node, f voting.Effect) bool {
	_, journal := f.(voting.Persist)
	return journal
}

func (absent) answers() bool { return false }

type late struct{ honest }

func (late) opine(n *node, _ voting.Key) (voting.Choice, int64) {
	return voting.Accept, int64(n.sim.opt.Law.Rules.CommitSeconds) * 1000
}

func (late) effect(n *node, f voting.Effect) bool {
	x, ok := f.(voting.Submit)
	if !ok || x.Op != voting.OpCommit && x.Op != voting.OpReveal {
		return true
	}
	delay := int64(n.sim.opt.Law.Rules.CommitSeconds) * 900
	incarnation := n.incarnation
	n.sim.queue.in(delay, "late", func() {
		if n.incarnation == incarnation {
			n.sim.submit(n, x)
		}
	})
	return false
}

type colluder struct{ honest }

func (colluder) opine(n *node, _ voting.Key) (voting.Choice, int64) { return voting.Reject, 1_000 }

type withholder struct{ honest }

func (withholder) effect(_ *node, f voting.Effect) bool {
	switch f := f.(type) {
	case voting.Submit:
		return f.Op != voting.OpReveal
	case voting.Announce:
		_, vote := f.Notice.(voting.Vote)
		return !vote
	}
	return true
}

func (withholder) answers() bool { return false } // it would show the vote

type selective struct{ honest }

func (selective) effect(n *node, f voting.Effect) bool {
	a, ok := f.(voting.Announce)
	if !ok {
		return true
	}
	b := a.Notice.Encode()
	for i, to := range n.sim.nodes {
		if to != n && i%2 == 0 {
			n.sim.send(n, to, n.peer, b, true)
		}
	}
	return false
}

func (selective) answers() bool { return false }

type replayer struct{ honest }

func (replayer) hear(n *node, notice voting.Notice) {
	if n.sim.rng.IntN(8) != 0 {
		return
	}
	b := notice.Encode()
	n.sim.queue.in(n.sim.rng.Int64N(600_000), "replay", func() {
		for _, to := range n.sim.nodes {
			if to != n {
				n.sim.send(n, to, voting.Key{}, b, false)
			}
		}
	})
}

// copier takes over the first commitment that it hears of in a round.
type copier struct {
	honest
	copied []voting.Commit
}

func (*copier) opine(*node, voting.Key) (voting.Choice, int64) { return voting.NoChoice, -1 }

func (c *copier) effect(_ *node, f voting.Effect) bool {
	switch f := f.(type) {
	case voting.AskAbstain:
		return false
	case voting.Submit:
		return f.Op != voting.OpCommit && f.Op != voting.OpReveal
	}
	return true
}

func (c *copier) hear(n *node, notice voting.Notice) {
	switch x := notice.(type) {
	case voting.Commit:
		taken := func(o voting.Commit) bool { return o.Task == x.Task && o.Round == x.Round }
		if !slices.ContainsFunc(c.copied, taken) && x.Judge != n.judge {
			c.copied = append(c.copied, x)
			n.sim.submit(n, voting.Submit{Op: voting.OpCommit, Task: x.Task, Round: x.Round, Judge: n.judge, Commitment: x.Commitment})
		}
	case voting.Vote:
		n.sim.submit(n, voting.Submit{Op: voting.OpReveal, Task: x.Task, Round: x.Round, Judge: n.judge, Opening: x.Opening})
	}
}

// equivocator signs a second commitment for each that its machine makes.
type equivocator struct {
	honest
	late bool
}

func (e *equivocator) effect(n *node, f voting.Effect) bool {
	a, ok := f.(voting.Announce)
	if !ok {
		return true
	}
	first, ok := a.Notice.(voting.Commit)
	if !ok {
		return true
	}
	second := n.forge(first, n.opening(first.Task, first.Round, voting.Reject))
	if e.late {
		e.tellWhenOver(n, second)
		return true
	}
	n.tell(first, 0, 2)
	n.tell(second, 1, 2)
	return false
}

// tellWhenOver shows the second statement to everybody as soon as the round is settled.
func (e *equivocator) tellWhenOver(n *node, second voting.Commit) {
	n.sim.queue.in(10_000, "second statement", func() {
		if t := n.sim.chain.Task(second.Task); t != nil && t.Case.Live() && t.Case.Round == second.Round {
			e.tellWhenOver(n, second)
			return
		}
		n.tell(second, 0, 1)
	})
}

// forge signs another statement of this node.
func (n *node) forge(c voting.Commit, o voting.Opening) voting.Commit {
	d := n.sim.chain.Domain
	c.Commitment = d.Commitment(c.Task, c.Round, n.judge, o)
	c.Signature = voting.Signature(ed25519.Sign(n.key, d.Statement(c.Task, c.Round, n.judge, c.Commitment)))
	return c
}

// tell sends to every step-th node from the first on.
func (n *node) tell(notice voting.Notice, first, step int) {
	for i := first; i < len(n.sim.nodes); i += step {
		if to := n.sim.nodes[i]; to != n {
			n.sim.send(n, to, n.peer, notice.Encode(), true)
		}
	}
}

// spammer answers whatever it hears with rubbish.
type spammer struct {
	honest
	sent int
}

func (p *spammer) hear(n *node, notice voting.Notice) {
	task, round, judge := notice.Seat()
	if p.sent > 500 || judge == n.judge {
		return
	}
	p.sent++
	forged := n.forge(voting.Commit{Task: task, Round: round, Judge: judge}, n.opening(task, round, voting.Accept))
	own := n.forge(voting.Commit{Task: task, Round: uint8(n.sim.rng.IntN(6)), Judge: n.judge}, n.opening(task, round, voting.Accept))
	own.Signature[3] ^= 1
	foreign := forged
	foreign.Task = name("nowhere", n.sim.rng.Uint64(), 0)
	early := n.opening(task, round, voting.Accept)
	v, err := parseVote(n.vote(task, round, early))
	if err != nil {
		n.sim.ref.fault("spam: %v", err)
	}
	v.Raw = n.vote(task, round, early)
	for _, x := range []voting.Notice{forged, own, foreign, v} {
		n.tell(x, n.sim.rng.IntN(2), 2)
	}
	n.sim.send(n, n.sim.nodes[n.sim.rng.IntN(len(n.sim.nodes))], n.peer, notice.Encode()[:n.sim.rng.IntN(40)], true)
}
