package votetest

import "ojud/voting"

type decide struct{ against }

func (decide) drawn(f *felon) {
	against{}.drawn(f)
	f.tell(f.vote(f.opening), 0, 1)
	f.mustNot("a settlement before the reveals", f.crank(voting.OpSettle))
	f.mustNot("the end of a case that is drawn", f.crank(voting.OpExpire))
}

func (decide) told(f *felon, from int, n voting.Notice) {
	switch n.(type) {
	case voting.Commit:
		guess := f.panel.opening(from, f.round, f.mob.against())
		f.mustNot("an opening that somebody guessed", f.reveal(f.panel.judge(from), guess))
	case voting.Vote:
		f.may(f.crank(voting.OpSettle))
	}
}

func (decide) ending(f *felon) { f.may(f.crank(voting.OpSettle)) }

// deny picks its victims by number.
type deny struct{ against }

func (deny) hired(f *felon) {
	const victims = 6
	f.mob.hold = func(from, to int) (int64, bool) {
		return 0, from >= panelSeats-victims || to >= panelSeats-victims
	}
}

type dropping struct{ against }

func (dropping) hired(f *felon) {
	f.mob.hold = func(int, int) (int64, bool) { return 0, f.panel.chance(400) }
}

type repeat struct{ against }

func (repeat) drawn(f *felon) {
	c := f.choose(f.mob.against())
	f.tell(c, 0, 1)
	f.may(f.commit(c.Commitment)) // it may be slashed already
}

func (repeat) told(f *felon, _ int, n voting.Notice) {
	if f.sent++; f.sent > 20 {
		return
	}
	switch x := n.(type) {
	case voting.Commit:
		f.tell(f.panel.statement(f.id, f.panel.task, f.round, x.Commitment), 0, 1)
	case voting.Vote:
		f.tell(f.vote(x.Opening), 0, 1)
	}
}

type spam struct{ against }

func (spam) told(f *felon, from int, n voting.Notice) {
	if f.sent++; f.sent > 12 {
		return
	}
	p := f.panel
	commitment := p.chain.Domain.Commitment(p.task, f.round, p.judge(from), f.opening)
	forged := p.statement(f.id, p.task, f.round, commitment)
	forged.Judge = p.judge(from) // in another's name
	broken := f.state(f.opening)
	broken.Signature[5] ^= 1
	late := p.statement(f.id, p.task, f.round+1, commitment)
	wrong := f.vote(f.opening)
	wrong.Accept = !wrong.Accept
	for _, x := range []voting.Notice{forged, broken, late, wrong} {
		f.tell(x, p.rng.IntN(5), 5)
	}
	if x, ok := n.(voting.Vote); ok {
		x.Judge, x.Peer = f.judge, p.keys.peers[f.id]
		f.tell(x, p.rng.IntN(5), 5)
	}
}

type validated struct{ against }

func (validated) drawn(f *felon) {
	c := f.choose(f.mob.against())
	q := voting.Relay{Commit: c, Request: f.panel.keys.sign(f.id, f.panel.chain.Domain.RelayRequest(c.Task, c.Round, c.Judge, c.Commitment, nil))}
	f.tell(q, 0, 1)
	f.tell(c, 0, 2)
}

func (validated) told(f *felon, _ int, _ voting.Notice) {
	if f.sent++; f.sent%8 == 0 {
		f.tell(f.state(f.opening), 0, 1)
	}
}

func (validated) closing(f *felon) { f.may(f.commit(f.state(f.opening).Commitment)) }

type withhold struct{ against }

func (withhold) revealing(*felon)                      {}
func (withhold) answer(*felon) ([]voting.Notice, bool) { return nil, false }

// equivocate commits the first statement.
type equivocate struct{ against }

func (equivocate) drawn(f *felon) {
	second := f.choose(voting.Abstain)
	first := f.choose(f.mob.against())
	f.tell(first, 0, 2)
	f.tell(second, 1, 2)
	f.must(f.commit(first.Commitment))
}

func (equivocate) answer(*felon) ([]voting.Notice, bool) { return nil, false }

type splitVote struct{ equivocate }

func (splitVote) hired(f *felon) {
	b := f.panel.opt.Byzantine
	f.mob.hold = func(from, to int) (int64, bool) {
		return 0, from >= b && to >= b && (from-to)%2 != 0
	}
}

type lateReveal struct{ against }

func (lateReveal) drawn(f *felon)                        { f.choose(f.mob.against()) }
func (lateReveal) closing(f *felon)                      { f.must(f.commit(f.state(f.opening).Commitment)) }
func (lateReveal) revealing(*felon)                      {}
func (lateReveal) answer(*felon) ([]voting.Notice, bool) { return nil, false }

func (lateReveal) ending(f *felon) {
	f.must(f.reveal(f.judge, f.opening))
	f.tell(f.vote(f.opening), 0, 1)
}

type copyVote struct{ idle }

func (copyVote) told(f *felon, from int, n voting.Notice) {
	switch x := n.(type) {
	case voting.Commit:
		if x == f.mob.copied {
			f.may(f.commit(x.Commitment))
			f.tell(f.panel.statement(f.id, f.panel.task, f.round, x.Commitment), 0, 1)
		}
	case voting.Vote:
		if x.Judge == f.mob.copied.Judge {
			f.mustNot("a copied commitment's opening", f.reveal(f.judge, x.Opening))
			f.tell(f.vote(x.Opening), 0, 1)
		}
	}
}

type replays struct{ against }

// drawn also says what honest judges said in another case.
func (replays) drawn(f *felon) {
	against{}.drawn(f)
	p := f.panel
	for i := p.opt.Byzantine; i < panelSeats; i += 4 {
		old := p.statement(i, name("task", p.opt.Seed, 1), f.round, voting.Hash{1, byte(i)})
		f.tell(old, 0, 3)
		old.Task = p.task
		f.tell(old, 0, 3)
	}
}

func (replays) told(f *felon, from int, n voting.Notice) {
	if f.sent++; f.sent%9 == f.id%9 {
		f.tell(n, 0, 1)
		f.panel.queue.in(f.panel.between(1_000, 100_000), "replay", func() { f.tell(n, 0, 3) })
	}
	if x, ok := n.(voting.Vote); ok && f.sent%9 == 0 {
		f.may(f.reveal(f.panel.judge(from), x.Opening))
	}
}

func (replays) settled(f *felon) {
	for i, n := range f.mob.heard {
		if i%9 == f.id%9 {
			f.tell(n, 0, 3)
		}
	}
}

type wrongCase struct{ idle }

func (wrongCase) drawn(f *felon) {
	p := f.panel
	o := p.opening(f.id, f.round, f.mob.against())
	elsewhere := name("task", p.opt.Seed, 7)
	f.tell(p.statement(f.id, elsewhere, f.round, p.chain.Domain.Commitment(elsewhere, f.round, f.judge, o)), 0, 1)
	f.tell(p.statement(f.id, p.task, 3-f.round, p.chain.Domain.Commitment(p.task, 3-f.round, f.judge, o)), 0, 1)
	f.mustNot("a commitment of another round", p.execute(func() error { return p.chain.Commit(p.task, 3-f.round, f.judge, voting.Hash{1}) }))
	f.mustNot("a commitment of another case", p.execute(func() error { return p.chain.Commit(elsewhere, f.round, f.judge, voting.Hash{1}) }))
	f.opening = o
	f.may(f.commit(p.chain.Domain.Commitment(elsewhere, f.round, f.judge, o))) // opens nothing here
}

func (wrongCase) revealing(f *felon) {
	f.mustNot("the opening of another case", f.reveal(f.judge, f.opening))
	v := f.vote(f.opening)
	v.Network[0] ^= 1
	f.tell(v, 0, 1)
	f.tell(f.vote(f.opening), 0, 1)
}

type clockLiar struct{ against }

func (clockLiar) hired(f *felon) {
	if f.panel.pace == 1000 {
		f.panel.pace = f.panel.between(700, 1_500)
	}
}

func (clockLiar) drawn(f *felon) {
	against{}.drawn(f)
	f.mustNot("a reveal while others may commit", f.reveal(f.judge, f.opening))
	f.tell(f.vote(f.opening), 0, 1)
}

func (clockLiar) revealing(f *felon) {
	f.mustNot("a second commitment after the time", f.commit(voting.Hash{9}))
	against{}.revealing(f)
}

func (clockLiar) settled(f *felon) {
	f.mustNot("a reveal when all is over", f.reveal(f.judge, f.opening))
}

type adaptive struct{ against }

func (adaptive) drawn(f *felon) {
	c := f.choose(voting.Accept + voting.Choice(f.id%2))
	f.tell(c, 0, 1)
	f.must(f.commit(c.Commitment))
}

func (adaptive) revealing(*felon)                      {}
func (adaptive) answer(*felon) ([]voting.Notice, bool) { return nil, false }

// ending reveals what is against the answer that leads among the honest.
func (adaptive) ending(f *felon) {
	if v := f.mob.votes; v[f.opening.Choice] <= v[voting.Accept+voting.Reject-f.opening.Choice] {
		f.must(f.reveal(f.judge, f.opening))
	}
}

type beg struct{ against }

func (beg) drawn(f *felon) {
	for i, c := range []voting.Commit{f.choose(voting.Abstain), f.choose(f.mob.against())} {
		request := f.panel.chain.Domain.RelayRequest(c.Task, c.Round, c.Judge, c.Commitment, nil)
		f.tell(voting.Relay{Commit: c, Request: f.panel.keys.sign(f.id, request)}, i, 2)
	}
}

func (beg) revealing(f *felon)                    { f.may(f.reveal(f.judge, f.opening)) }
func (beg) answer(*felon) ([]voting.Notice, bool) { return nil, false }

type lateEquivocate struct{ against }

func (lateEquivocate) settled(f *felon) {
	f.tell(f.state(f.panel.opening(f.id, f.round, voting.Abstain)), 0, 1)
}
