package byzantine

import (
	"ojud/voting"
	"ojud/voting/votetest"
)

type decide struct{ against }

func (decide) drawn(j *corrupt) {
	against{}.drawn(j)
	j.tell(j.vote(j.opening), 0, 1)
	j.mustNot("a settlement before the reveals", j.crank(voting.OpSettle))
	j.mustNot("the end of a case that is drawn", j.crank(voting.OpExpire))
}

func (decide) told(j *corrupt, from int, n voting.Notice) {
	switch n.(type) {
	case voting.Commit:
		guess := j.openingOf(from, j.round, j.adversary.against())
		j.mustNot("an opening that somebody guessed", j.reveal(j.authors[from].Judge, guess))
	case voting.Vote:
		j.may(j.crank(voting.OpSettle))
	}
}

func (decide) ending(j *corrupt) { j.may(j.crank(voting.OpSettle)) }

// deny picks its victims by number.
type deny struct{ against }

func (deny) begin(j *corrupt) {
	const victims = 6
	j.adversary.hold = func(from, to int) (int64, bool) {
		return 0, from >= panelSeats-victims || to >= panelSeats-victims
	}
}

type dropping struct{ against }

func (dropping) begin(j *corrupt) {
	j.adversary.hold = func(int, int) (int64, bool) { return 0, j.chance(400) }
}

type repeat struct{ against }

func (repeat) drawn(j *corrupt) {
	c := j.choose(j.adversary.against())
	j.tell(c, 0, 1)
	j.may(j.commit(c.Commitment)) // it may be slashed already
}

func (repeat) told(j *corrupt, _ int, n voting.Notice) {
	if j.sent++; j.sent > 20 {
		return
	}
	switch x := n.(type) {
	case voting.Commit:
		j.tell(j.Statement(j.task, j.round, x.Commitment), 0, 1)
	case voting.Vote:
		j.tell(j.vote(x.Opening), 0, 1)
	}
}

type spam struct{ against }

func (spam) told(j *corrupt, from int, n voting.Notice) {
	if j.sent++; j.sent > 12 {
		return
	}
	commitment := j.chain.Domain.Commitment(j.task, j.round, j.authors[from].Judge, j.opening)
	forged := j.Statement(j.task, j.round, commitment)
	forged.Judge = j.authors[from].Judge // in another's name
	broken := j.state(j.opening)
	broken.Signature[5] ^= 1
	late := j.Statement(j.task, j.round+1, commitment)
	wrong := j.vote(j.opening)
	wrong.Accept = !wrong.Accept
	for _, x := range []voting.Notice{forged, broken, late, wrong} {
		j.tell(x, j.rng.IntN(5), 5)
	}
	if x, ok := n.(voting.Vote); ok {
		x.Judge, x.Peer = j.Judge, j.Peer
		j.tell(x, j.rng.IntN(5), 5)
	}
}

type validated struct{ against }

func (validated) drawn(j *corrupt) {
	c := j.choose(j.adversary.against())
	j.tell(j.Request(c, nil), 0, 1)
	j.tell(c, 0, 2)
}

func (validated) told(j *corrupt, _ int, _ voting.Notice) {
	if j.sent++; j.sent%8 == 0 {
		j.tell(j.state(j.opening), 0, 1)
	}
}

func (validated) closing(j *corrupt) { j.may(j.commit(j.state(j.opening).Commitment)) }

type withhold struct{ silent }

func (withhold) revealing(*corrupt) {}

// equivocate commits the first statement.
type equivocate struct{ silent }

func (equivocate) drawn(j *corrupt) {
	second := j.choose(voting.Abstain)
	first := j.choose(j.adversary.against())
	j.tell(first, 0, 2)
	j.tell(second, 1, 2)
	j.must(j.commit(first.Commitment))
}

type splitVote struct{ equivocate }

func (splitVote) begin(j *corrupt) {
	b := j.opt.Byzantine
	j.adversary.hold = func(from, to int) (int64, bool) {
		return 0, from >= b && to >= b && (from-to)%2 != 0
	}
}

type lateReveal struct{ silent }

func (lateReveal) drawn(j *corrupt)   { j.choose(j.adversary.against()) }
func (lateReveal) closing(j *corrupt) { j.must(j.commit(j.state(j.opening).Commitment)) }
func (lateReveal) revealing(*corrupt) {}

func (lateReveal) ending(j *corrupt) {
	j.must(j.reveal(j.Judge, j.opening))
	j.tell(j.vote(j.opening), 0, 1)
}

type copyVote struct{ idle }

func (copyVote) told(j *corrupt, from int, n voting.Notice) {
	switch x := n.(type) {
	case voting.Commit:
		if x == j.adversary.copied {
			j.may(j.commit(x.Commitment))
			j.tell(j.Statement(j.task, j.round, x.Commitment), 0, 1)
		}
	case voting.Vote:
		if x.Judge == j.adversary.copied.Judge {
			j.mustNot("a copied commitment's opening", j.reveal(j.Judge, x.Opening))
			j.tell(j.vote(x.Opening), 0, 1)
		}
	}
}

type replays struct{ against }

// drawn also repeats the notices of honest judges in another case.
func (replays) drawn(j *corrupt) {
	against{}.drawn(j)
	for i := j.opt.Byzantine; i < panelSeats; i += 4 {
		old := j.authors[i].Statement(votetest.Name("task", j.opt.Seed, 1), j.round, voting.Hash{1, byte(i)})
		j.tell(old, 0, 3)
		old.Task = j.task
		j.tell(old, 0, 3)
	}
}

func (replays) told(j *corrupt, from int, n voting.Notice) {
	if j.sent++; j.sent%9 == j.id%9 {
		j.tell(n, 0, 1)
		j.queue.In(j.between(1_000, 100_000), "replay", func() { j.tell(n, 0, 3) })
	}
	if x, ok := n.(voting.Vote); ok && j.sent%9 == 0 {
		j.may(j.reveal(j.authors[from].Judge, x.Opening))
	}
}

func (replays) settled(j *corrupt) {
	for i, n := range j.adversary.heard {
		if i%9 == j.id%9 {
			j.tell(n, 0, 3)
		}
	}
}

type wrongCase struct{ idle }

func (wrongCase) drawn(j *corrupt) {
	o, other := j.openingOf(j.id, j.round, j.adversary.against()), 3-j.round
	elsewhere := votetest.Name("task", j.opt.Seed, 7)
	foreign := j.State(elsewhere, j.round, o)
	j.tell(foreign, 0, 1)
	j.tell(j.State(j.task, other, o), 0, 1)
	j.mustNot("a commitment of another round", j.commitTo(j.task, other, voting.Hash{1}))
	j.mustNot("a commitment of another case", j.commitTo(elsewhere, j.round, voting.Hash{1}))
	j.opening = o
	j.may(j.commit(foreign.Commitment)) // opens nothing here
}

func (wrongCase) revealing(j *corrupt) {
	j.mustNot("the opening of another case", j.reveal(j.Judge, j.opening))
	v := j.vote(j.opening)
	v.Network[0] ^= 1
	j.tell(v, 0, 1)
	j.tell(j.vote(j.opening), 0, 1)
}

type clockLiar struct{ against }

func (clockLiar) begin(j *corrupt) {
	if j.pace == 1000 {
		j.pace = j.between(700, 1_500)
	}
}

func (clockLiar) drawn(j *corrupt) {
	against{}.drawn(j)
	j.mustNot("a reveal while others may commit", j.reveal(j.Judge, j.opening))
	j.tell(j.vote(j.opening), 0, 1)
}

func (clockLiar) revealing(j *corrupt) {
	j.mustNot("a second commitment after the time", j.commit(voting.Hash{9}))
	against{}.revealing(j)
}

func (clockLiar) settled(j *corrupt) {
	j.mustNot("a reveal when all is over", j.reveal(j.Judge, j.opening))
}

type adaptive struct{ silent }

func (adaptive) drawn(j *corrupt) {
	c := j.choose(voting.Accept + voting.Choice(j.id%2))
	j.tell(c, 0, 1)
	j.must(j.commit(c.Commitment))
}

func (adaptive) revealing(*corrupt) {}

// ending reveals votes against the answer that leads among the honest.
func (adaptive) ending(j *corrupt) {
	if v := j.adversary.votes; v[j.opening.Choice] <= v[voting.Accept+voting.Reject-j.opening.Choice] {
		j.must(j.reveal(j.Judge, j.opening))
	}
}

type twoRequests struct{ silent }

func (twoRequests) drawn(j *corrupt) {
	for i, c := range []voting.Commit{j.choose(voting.Abstain), j.choose(j.adversary.against())} {
		j.tell(j.Request(c, nil), i, 2)
	}
}

func (twoRequests) revealing(j *corrupt) { j.may(j.reveal(j.Judge, j.opening)) }

type lateEquivocate struct{ against }

func (lateEquivocate) settled(j *corrupt) {
	j.tell(j.state(j.openingOf(j.id, j.round, voting.Abstain)), 0, 1)
}

type halves struct{ silent }

func (halves) begin(j *corrupt) {
	const afterTheCase = 90_000 // ms
	cut := func(i int) bool { return i == j.opt.Byzantine || i == j.opt.Byzantine+1 }
	j.opt.Loss, j.adversary.lasts = 0, afterTheCase
	j.adversary.hold = func(from, to int) (int64, bool) {
		return 0, j.phase.revealing && (cut(from) || cut(to))
	}
}

func (halves) drawn(*corrupt) {}

func (halves) closing(j *corrupt) {
	second := j.choose(voting.Abstain)
	first := j.choose(j.adversary.against())
	j.tell(first, 0, panelSeats)
	j.tell(second, 1, panelSeats)
	if j.id%2 == 0 {
		j.may(j.commit(first.Commitment))
	}
}

func (halves) revealing(*corrupt) {}
