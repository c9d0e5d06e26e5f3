package votetest

import (
	"slices"

	"ojud/voting"
)

// mob are the judges of a panel in one adversary's hand. It hears what an honest judge says before
// anybody else does, its transactions land at once, and some of its strategies hold up or lose what
// honest judges tell each other.
type mob struct {
	panel  *panel
	felons []*felon
	tells  []signature                                 // statements that honest nodes were shown, each once
	hold   func(from, to int) (delay int64, lost bool) // what the mob does to the network; nil: nothing
	heard  []voting.Notice                             // of honest judges in this round, in order
	votes  map[voting.Choice]int                       // that honest judges showed in this round
	copied voting.Commit                               // the first commitment of an honest judge in this round
}

// felon is one of them.
type felon struct {
	mob      *mob
	panel    *panel
	id       int
	judge    voting.Key
	strategy Strategy
	plan     plan
	round    uint8
	opening  voting.Opening // of what it committed in this round
	said     []voting.Notice
	sent     int // notices of a strategy that has no end
}

func newMob(p *panel) *mob { return &mob{panel: p, votes: make(map[voting.Choice]int)} }

// hire adds a judge.
func (m *mob) hire(id int, judge voting.Key) {
	s := m.panel.opt.Strategy
	if s == Mixed {
		s = Strategy(1 + m.panel.rng.IntN(int(Mixed)-1))
	}
	f := &felon{mob: m, panel: m.panel, id: id, judge: judge, strategy: s, plan: s.plan()}
	m.felons = append(m.felons, f)
	f.plan.hired(f)
}

// grip is what the mob does to a message from one judge to another.
func (m *mob) grip(from, to int) (delay int64, lost bool) {
	if m.hold == nil || m.panel.phase.over {
		return 0, false
	}
	return m.hold(from, to)
}

// drawn tells all that they have seats in a round.
func (m *mob) drawn(k *voting.Case) {
	m.heard, m.copied = nil, voting.Commit{}
	clear(m.votes)
	for _, f := range m.felons {
		f.round, f.said, f.sent, f.opening = k.Round, nil, 0, voting.Opening{}
	}
	m.panel.queue.in(m.panel.between(0, 5_000), "the mob begins", m.whileIn(k.Round, plan.drawn)) // later than that, all nodes see the draw
	m.panel.queue.at(m.panel.wall(k.CommitEnds)-1_000, "closing", m.whileIn(k.Round, plan.closing))
}

// whileIn calls all if the round is running then.
func (m *mob) whileIn(round uint8, call func(plan, *felon)) func() {
	return func() {
		if k := &m.panel.chain.Task(m.panel.task).Case; !k.Live() || k.Round != round {
			return
		}
		for _, f := range m.felons {
			call(f.plan, f)
		}
	}
}

// revealing tells all that nobody can commit any more.
func (m *mob) revealing(k *voting.Case) {
	m.whileIn(k.Round, plan.revealing)()
	m.panel.queue.at(m.panel.wall(k.RevealEnds)-1_000, "ending", m.whileIn(k.Round, plan.ending))
}

// settled tells all that the case is over.
func (m *mob) settled() {
	for _, f := range m.felons {
		f.plan.settled(f)
	}
}

// told tells all what an honest judge says.
func (m *mob) told(from int, n voting.Notice) {
	m.heard = append(m.heard, n)
	switch x := n.(type) {
	case voting.Vote:
		m.votes[x.Choice]++
	case voting.Commit:
		if m.copied.Commitment.IsZero() {
			m.copied = x
		}
	}
	for _, f := range m.felons {
		f.plan.told(f, from, n)
	}
}

// answer is what a judge of the mob brings in a catch-up, and whether it answers at all.
func (m *mob) answer(id int) ([]voting.Notice, bool) {
	i := slices.IndexFunc(m.felons, func(f *felon) bool { return f.id == id })
	return m.felons[i].plan.answer(m.felons[i])
}

// against is what hurts most: the other answer than that of the honest judges.
func (m *mob) against() voting.Choice {
	const _ = uint(3 - voting.Choices) // the answer of the honest judges is one of two sides
	if m.panel.opt.Answer == voting.Reject {
		return voting.Accept
	}
	return voting.Reject
}

// choose makes the opening of this round and its signed statement.
func (f *felon) choose(c voting.Choice) voting.Commit {
	f.opening = f.panel.opening(f.id, f.round, c)
	return f.state(f.opening)
}

// state signs the statement of an opening.
func (f *felon) state(o voting.Opening) voting.Commit {
	return f.panel.statement(f.id, f.panel.task, f.round, f.panel.chain.Domain.Commitment(f.panel.task, f.round, f.judge, o))
}

// commit, reveal and crank are transactions that land now. What the chain says to them is its
// affair.
func (f *felon) commit(c voting.Hash) error {
	return f.panel.execute(func() error { return f.panel.chain.Commit(f.panel.task, f.round, f.judge, c) })
}

func (f *felon) reveal(judge voting.Key, o voting.Opening) error {
	return f.panel.execute(func() error { return f.panel.chain.Reveal(f.panel.task, f.round, judge, o) })
}

func (f *felon) crank(op voting.Op) error {
	return f.panel.execute(func() error {
		return f.panel.apply(f.judge, voting.Submit{Op: op, Task: f.panel.task, Round: f.round, Judge: f.judge})
	})
}

// tell shows a notice to every step-th honest node from the first on, after a moment.
func (f *felon) tell(n voting.Notice, first, step int) {
	p := f.panel
	f.said = append(f.said, n)
	var to []*shell
	for i := p.opt.Byzantine + first; i < panelSeats; i += step {
		to = append(to, p.shells[i])
	}
	p.queue.in(p.between(5, 300), "from the mob", func() {
		for _, s := range to {
			p.note(s.id, uint64(f.id), "is told")
			if s.receive(voting.Key{}, n) {
				f.mob.shown(n)
			}
		}
	})
}

// shown notes a statement of a judge of the mob that an honest node took.
func (m *mob) shown(n voting.Notice) {
	c, ok := n.(voting.Commit)
	if q, asks := n.(voting.Relay); asks {
		c, ok = q.Commit, true
	}
	i := slices.IndexFunc(m.felons, func(f *felon) bool { return f.judge == c.Judge })
	if !ok || i < 0 {
		return
	}
	s := signature{m.felons[i].id, c.Task, c.Round, c.Commitment}
	if !slices.Contains(m.tells, s) {
		m.tells = append(m.tells, s)
	}
}

// vote is the notice of the vote that opens this round's commitment.
func (f *felon) vote(o voting.Opening) voting.Vote {
	return f.panel.parsed(f.panel.voteOf(f.id, f.round, o))
}
