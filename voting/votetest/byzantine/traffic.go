package byzantine

import (
	"slices"

	"ojud/voting"
	"ojud/voting/rules"
	"ojud/voting/votetest"
)

// announce carries a notice of an honest node to all: to the adversary at once, to the others in a
// few waves, so that one event serves several.
func (p *panel) announce(n *honest, notice voting.Notice) {
	notice = p.travelled(notice)
	p.note(n.id, 2, "announce")
	var waves [4][]*honest
	for _, to := range p.order() {
		if to == n {
			continue
		}
		switch delay, lost := p.adversary.onTheWay(n.id, to.id); {
		case lost || p.chance(p.opt.Loss):
		case delay > 0:
			p.carry(n.id, delay, []*honest{to}, notice)
		default:
			w := p.rng.IntN(len(waves))
			waves[w] = append(waves[w], to)
		}
	}
	for _, to := range waves {
		p.carry(n.id, p.between(10, 600), to, notice)
	}
	p.adversary.told(n.id, notice)
}

// travelled is a notice as the node sees it that receives it.
func (p *panel) travelled(n voting.Notice) voting.Notice {
	if v, ok := n.(voting.Vote); ok {
		return p.parsed(v.Raw)
	}
	return n
}

// parsed reads a vote object as its receiver does.
func (p *panel) parsed(raw []byte) voting.Vote {
	v, err := votetest.ParseVote(raw)
	if err != nil {
		p.ref.fault("vote: %v", err)
	}
	return v
}

// carry delivers a notice of a node to others after a while, by gossip or by stream.
func (p *panel) carry(from int, ms int64, to []*honest, notice voting.Notice) {
	if len(to) == 0 {
		return
	}
	origin := voting.Key{}
	if p.rng.IntN(2) == 0 {
		origin = p.authors[from].Peer
	}
	p.queue.In(ms, "message", func() {
		for _, n := range to {
			p.note(n.id, uint64(from), "hears")
			n.receive(origin, notice)
		}
	})
}

// order is the order of sending: that of the seats, or the planted fault.
func (p *panel) order() []*honest {
	if p.opt.Sabotage == MapOrder {
		return votetest.MapOrder(p.nodes[p.opt.Byzantine:])
	}
	return p.nodes[p.opt.Byzantine:]
}

// catchUp exchanges notices with each peer. A peer that does not answer within five seconds is not
// waited for.
func (p *panel) catchUp(n *honest, f voting.CatchUp) {
	open, answered, closed := len(f.To), 0, false
	finish := func() {
		if !closed {
			closed = true
			n.step(voting.CaughtUp{At: n.clock(), Task: f.Task, Round: f.Round, Answered: answered})
		}
	}
	n.later(5_000, "catch-up ends", finish)
	for _, peer := range f.To {
		i := p.keys.index[peer]
		delay, lost := p.adversary.onTheWay(n.id, i)
		if lost || delay > 0 || p.chance(p.opt.Loss) {
			continue
		}
		n.later(p.between(20, 1_200), "catch-up", func() {
			if p.swap(n, i, f) {
				answered++
			}
			if open--; open == 0 && n.machine != nil {
				finish()
			}
		})
	}
}

// swap is one catch-up: each tells the notices that the other lacks. It reports whether the other
// one answered.
func (p *panel) swap(n *honest, with int, f voting.CatchUp) bool {
	other := p.nodes[with]
	if other == nil {
		i := slices.IndexFunc(p.adversary.judges, func(j *corrupt) bool { return j.id == with })
		j := p.adversary.judges[i]
		says, ok := j.plan.answer(j)
		for _, x := range says {
			if n.receive(voting.Key{}, x) {
				p.adversary.shown(x)
			}
		}
		return ok && n.machine != nil
	}
	if other.machine == nil {
		return false
	}
	here, there := n.current(), other.current()
	lacks, has := votetest.Missing(there, f, votetest.Have(here, f)), votetest.Missing(here, f, votetest.Have(there, f))
	for _, x := range lacks {
		n.receive(voting.Key{}, p.travelled(x))
	}
	for _, x := range has {
		other.receive(voting.Key{}, p.travelled(x))
	}
	return n.machine != nil
}

// submit sends an honest node's transaction on its way and reports its end.
func (p *panel) submit(n *honest, e voting.Submit) {
	p.note(n.id, uint64(e.Seat), e.Op.String())
	if e.Op == voting.OpCommit {
		p.chain.Seal(e.Task, e.Round, n.Judge, e.Opening)
	}
	life := n.life
	p.queue.In(p.between(400, 1_600), "land", func() {
		class := votetest.Class(p.execute(func() error { return p.apply(n.Judge, e) }))
		p.queue.In(n.lag, "done", func() {
			if n.machine != nil && n.life == life {
				n.step(voting.SubmitDone{At: n.clock(), Op: e.Op, Task: e.Task, Round: e.Round, Seat: e.Seat, Class: class})
			}
		})
	})
}

// apply executes a transaction of a judge, unless a sabotage changes it.
func (p *panel) apply(judge voting.Key, e voting.Submit) error {
	switch {
	case e.Op == voting.OpSettle && p.opt.Sabotage == LooseCount:
		return p.chain.SettleBy(e.Task, loose)
	case e.Op == voting.OpSlash && p.opt.Sabotage == NoEvidence:
		return &votetest.Refusal{Name: "Withheld"}
	}
	err := p.chain.Apply(judge, e)
	if err == nil && e.Op == voting.OpSlash {
		p.ref.slashed(e.Evidence)
	}
	return err
}

// loose is rules.Settle of a chain for which half of the votes are a majority.
func loose(in rules.RoundEnd) (rules.Settlement, error) {
	const _ = uint(3 - voting.Verdicts) // a fourth verdict may hide a majority too
	out, err := rules.Settle(in)
	if out.Verdict == voting.ForCreator && out.Tally.Accept > out.Tally.Reject {
		out.Verdict = voting.ForWorker
	}
	return out, err
}
