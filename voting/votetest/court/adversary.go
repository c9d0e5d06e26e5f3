package court

import (
	"slices"

	"ojud/sim/fault"
	"ojud/voting"
	"ojud/voting/votetest"
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
	// Colluder always rejects, as all colluders do.
	Colluder
	// Withholder commits and never reveals or shows its vote.
	Withholder
	// Spammer sends forged, foreign, early and truncated notices.
	Spammer
	// Selective tells only every other node, and answers no catch-up.
	Selective
	// Replayer sends some of the notices that it hears again, to everybody, later.
	Replayer
	// RelayAbuser asks others to commit for it although it could, again and again, and in the name
	// of others, in every wrong way.
	RelayAbuser
	// RelayEquivocator asks for two commitments, each half of the others for another.
	RelayEquivocator
)

// kind is an adversary's name in the vocabulary of package fault, and what it does.
type kind struct {
	name fault.Kind
	does behaviour
}

func (a Adversary) kind() kind {
	return [...]kind{
		{"honest", honest{}},
		Absent:           {fault.Absent, absent{}},
		Late:             {fault.Late, late{}},
		Copier:           {fault.Copier, &copier{}},
		Equivocator:      {fault.Equivocator, &equivocator{}},
		LateEquivocator:  {fault.LateEquivocator, &equivocator{late: true}},
		Colluder:         {fault.Colluder, colluder{}},
		Withholder:       {fault.Withholder, withholder{}},
		Spammer:          {fault.Spammer, &spammer{}},
		Selective:        {fault.Selective, selective{}},
		Replayer:         {fault.Replayer, replayer{}},
		RelayAbuser:      {fault.RelayAbuser, &relayAbuser{}},
		RelayEquivocator: {fault.RelayEquivocator, relayEquivocator{}},
	}[a]
}

// String returns the name of a in the vocabulary of package fault.
func (a Adversary) String() string { return string(a.kind().name) }

// equivocates reports whether the adversary signs two statements of a round.
func (a Adversary) equivocates() bool {
	return a == Equivocator || a == LateEquivocator || a == RelayEquivocator
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
	n.later(int64(n.sim.opt.Law.Rules.CommitSeconds)*900, "late", func() { n.sim.submit(n, x) })
	return false
}

type colluder struct{ honest }

func (colluder) opine(*node, voting.Key) (voting.Choice, int64) { return voting.Reject, 1_000 }

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
	if ok {
		n.tell(a.Notice, 0, 2)
	}
	return !ok
}

func (selective) answers() bool { return false }

type replayer struct{ honest }

func (replayer) hear(n *node, notice voting.Notice) {
	if n.sim.rng.IntN(8) != 0 {
		return
	}
	b := notice.Encode()
	n.sim.queue.In(n.sim.rng.Int64N(600_000), "replay", func() {
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
	copied []roundOf
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
		if round := (roundOf{x.Task, x.Round}); !slices.Contains(c.copied, round) && x.Judge != n.Judge {
			c.copied = append(c.copied, round)
			n.sim.submit(n, voting.Submit{Op: voting.OpCommit, Task: x.Task, Round: x.Round, Judge: n.Judge, Commitment: x.Commitment})
		}
	case voting.Vote:
		n.sim.submit(n, voting.Submit{Op: voting.OpReveal, Task: x.Task, Round: x.Round, Judge: n.Judge, Opening: x.Opening})
	}
}

// equivocator signs a second commitment for each that its machine makes.
type equivocator struct {
	honest
	late bool
}

func (e *equivocator) effect(n *node, f voting.Effect) bool {
	a, _ := f.(voting.Announce)
	first, ok := a.Notice.(voting.Commit)
	if !ok {
		return true
	}
	second := n.second(first)
	if e.late {
		e.tellWhenOver(n, second)
		return true
	}
	n.tell(first, 0, 2)
	n.tell(second, 1, 2)
	return false
}

// second signs another statement of a round.
func (n *node) second(first voting.Commit) voting.Commit {
	return n.State(first.Task, first.Round, n.opening(first.Task, first.Round, voting.Reject))
}

// tellWhenOver shows the second statement to everybody as soon as the round is settled.
func (e *equivocator) tellWhenOver(n *node, second voting.Commit) {
	n.sim.queue.In(10_000, "second statement", func() {
		if t := n.sim.chain.Task(second.Task); t != nil && t.Case.Live() && t.Case.Round == second.Round {
			e.tellWhenOver(n, second)
			return
		}
		n.tell(second, 0, 1)
	})
}

// tell sends to every step-th node from the first on.
func (n *node) tell(notice voting.Notice, first, step int) {
	for i := first; i < len(n.sim.nodes); i += step {
		if to := n.sim.nodes[i]; to != n {
			n.sim.send(n, to, n.Peer, notice.Encode(), true)
		}
	}
}

// spammer answers every notice with rubbish.
type spammer struct {
	honest
	sent int
}

func (p *spammer) hear(n *node, notice voting.Notice) {
	task, round, judge := notice.Seat()
	if p.sent > 500 || judge == n.Judge {
		return
	}
	p.sent++
	forged := n.State(task, round, n.opening(task, round, voting.Accept))
	forged.Judge = judge
	own := n.State(task, uint8(n.sim.rng.IntN(6)), n.opening(task, round, voting.Accept))
	own.Signature[3] ^= 1
	foreign := forged
	foreign.Task = votetest.Name("nowhere", n.sim.rng.Uint64(), 0)
	early, err := votetest.ParseVote(n.Vote(task, round, n.opening(task, round, voting.Accept)))
	if err != nil {
		n.sim.ref.fault("spam: %v", err)
	}
	for _, x := range []voting.Notice{forged, own, foreign, early} {
		n.tell(x, n.sim.rng.IntN(2), 2)
	}
	n.sim.send(n, n.sim.nodes[n.sim.rng.IntN(len(n.sim.nodes))], n.Peer, notice.Encode()[:n.sim.rng.IntN(40)], true)
}

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
				n.tell(n.request(c), 0, 1)
			}
		}
	}
	return true
}

// hear answers the notices of others with requests in their name, for their commitment and for its
// own.
func (p *relayAbuser) hear(n *node, notice voting.Notice) {
	task, round, judge := notice.Seat()
	if p.sent > 200 || judge == n.Judge {
		return
	}
	p.sent++
	mine := n.State(task, round, n.opening(task, round, voting.Accept))
	mine.Judge = judge
	theirs := voting.Commit{Task: task, Round: round, Judge: judge}
	if c, ok := notice.(voting.Commit); ok {
		theirs = c
	}
	own := n.request(theirs)
	own.Judge = n.Judge // their commitment for the own seat
	stripped := n.request(theirs)
	if q, ok := notice.(voting.Relay); ok { // another sealed opening than the judge asks for
		stripped = q
		stripped.Sealed = nil
	}
	for _, x := range []voting.Relay{n.request(theirs), n.request(mine), own, stripped} {
		n.tell(x, n.sim.rng.IntN(2), 2)
	}
}

// request asks others to commit, even if the commitment is not this node's.
func (n *node) request(c voting.Commit) voting.Relay {
	return n.Request(c, make([]byte, voting.SealedSize))
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
			second := n.second(first)
			n.tell(n.request(first), 0, 2)
			n.tell(n.request(second), 1, 2)
		}
		return !ok
	}
	return true
}
