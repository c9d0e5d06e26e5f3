package byzantine

import (
	"slices"

	"ojud/voting"
	"ojud/voting/votetest"
)

// adversary has some judges of a panel in its hand. It hears what an honest judge says before any
// other judge does, its transactions land at once, and some of its strategies delay or lose the
// messages between honest judges.
type adversary struct {
	panel  *panel
	judges []*corrupt
	shows  []votetest.Stated                           // statements that honest nodes were shown, each once
	hold   func(from, to int) (delay int64, lost bool) // what it does to the network; nil: nothing
	lasts  int64                                       // how long after the case it does so, in ms
	heard  []voting.Notice                             // of honest judges in this round, in order
	votes  map[voting.Choice]int                       // that honest judges showed in this round
	copied voting.Commit                               // the first commitment of an honest judge in this round
}

// corrupt is one of its judges.
type corrupt struct {
	votetest.Author
	*panel
	id       int
	strategy Strategy
	plan     plan
	round    uint8
	opening  voting.Opening // of its commitment in this round
	said     []voting.Notice
	sent     int // notices of a strategy that has no end
}

// add puts a judge into the adversary's hand.
func (a *adversary) add(id int) {
	s := a.panel.opt.Strategy
	if s == Mixed {
		s = Strategy(1 + a.panel.rng.IntN(int(Mixed)-1))
	}
	j := &corrupt{Author: a.panel.authors[id], panel: a.panel, id: id, strategy: s, plan: s.kind().plan}
	a.judges = append(a.judges, j)
	j.plan.begin(j)
}

// onTheWay lets the adversary delay or drop a message from one judge to another.
func (a *adversary) onTheWay(from, to int) (delay int64, lost bool) {
	if a.hold == nil || a.panel.phase.over && a.panel.queue.Now >= a.panel.phase.overAt+a.lasts {
		return 0, false
	}
	return a.hold(from, to)
}

// drawn tells all judges that they have seats in a round.
func (a *adversary) drawn(k *voting.Case) {
	a.heard, a.copied = nil, voting.Commit{}
	clear(a.votes)
	for _, j := range a.judges {
		j.round, j.said, j.sent, j.opening = k.Round, nil, 0, voting.Opening{}
	}
	p := a.panel
	p.queue.In(p.between(0, 5_000), "the adversary begins", a.whileIn(k.Round, plan.drawn)) // later than that, all nodes see the draw
	p.queue.At(p.wall(k.CommitEnds)-1_000, "closing", a.whileIn(k.Round, plan.closing))
}

// whileIn calls all judges if the round is running then.
func (a *adversary) whileIn(round uint8, call func(plan, *corrupt)) func() {
	return func() {
		if k := a.panel.onChain(); !k.Live() || k.Round != round {
			return
		}
		for _, j := range a.judges {
			call(j.plan, j)
		}
	}
}

// revealing tells all judges that no seat can commit any more.
func (a *adversary) revealing(k *voting.Case) {
	a.whileIn(k.Round, plan.revealing)()
	a.panel.queue.At(a.panel.wall(k.RevealEnds)-1_000, "ending", a.whileIn(k.Round, plan.ending))
}

// told tells all judges what an honest judge says.
func (a *adversary) told(from int, n voting.Notice) {
	a.heard = append(a.heard, n)
	switch x := n.(type) {
	case voting.Vote:
		a.votes[x.Choice]++
	case voting.Commit:
		if a.copied.Commitment.IsZero() {
			a.copied = x
		}
	}
	for _, j := range a.judges {
		j.plan.told(j, from, n)
	}
}

// against is the choice that does most harm: the other answer than that of the honest judges.
func (a *adversary) against() voting.Choice {
	const _ = uint(3 - voting.Choices) // the answer of the honest judges is one of two sides
	if a.panel.opt.Answer == voting.Reject {
		return voting.Accept
	}
	return voting.Reject
}

// shown notes a statement of a corrupt judge that an honest node took.
func (a *adversary) shown(n voting.Notice) {
	c, ok := votetest.StatementIn(n)
	i := slices.IndexFunc(a.judges, func(j *corrupt) bool { return j.Judge == c.Judge })
	if !ok || i < 0 {
		return
	}
	s := votetest.Stated{Node: a.judges[i].id, Task: c.Task, Round: c.Round, Commitment: c.Commitment}
	if !slices.Contains(a.shows, s) {
		a.shows = append(a.shows, s)
	}
}

// choose makes the opening of this round and its signed statement.
func (j *corrupt) choose(c voting.Choice) voting.Commit {
	j.opening = j.openingOf(j.id, j.round, c)
	return j.state(j.opening)
}

// state signs the statement of an opening.
func (j *corrupt) state(o voting.Opening) voting.Commit { return j.State(j.task, j.round, o) }

// commit, reveal and crank are transactions that land now, whatever the chain says to them.
func (j *corrupt) commit(c voting.Hash) error { return j.commitTo(j.task, j.round, c) }

func (j *corrupt) commitTo(task voting.Key, round uint8, c voting.Hash) error {
	return j.execute(func() error { return j.chain.Commit(task, round, j.Judge, c) })
}

func (j *corrupt) reveal(judge voting.Key, o voting.Opening) error {
	return j.execute(func() error { return j.chain.Reveal(j.task, j.round, judge, o) })
}

func (j *corrupt) crank(op voting.Op) error {
	return j.execute(func() error {
		return j.apply(j.Judge, voting.Submit{Op: op, Task: j.task, Round: j.round, Judge: j.Judge})
	})
}

// tell shows a notice to every step-th honest node from the first on, after a moment.
func (j *corrupt) tell(n voting.Notice, first, step int) {
	j.said = append(j.said, n)
	var to []*honest
	for i := j.opt.Byzantine + first; i < panelSeats; i += step {
		to = append(to, j.nodes[i])
	}
	j.queue.In(j.between(5, 300), "from the adversary", func() {
		for _, s := range to {
			j.note(s.id, uint64(j.id), "is told")
			if s.receive(voting.Key{}, n) {
				j.adversary.shown(n)
			}
		}
	})
}

// vote is the notice of the vote that opens this round's commitment.
func (j *corrupt) vote(o voting.Opening) voting.Vote {
	return j.parsed(j.Vote(j.task, j.round, o))
}
