package votetest

import (
	"slices"

	"ojud/voting"
	"ojud/voting/rules"
)

// announce carries what an honest node says to all: to the mob at once, to the others in a few
// waves, so that one event serves several.
func (p *panel) announce(n *shell, notice voting.Notice) {
	if v, ok := notice.(voting.Vote); ok {
		notice = p.parsed(v.Raw)
	}
	p.note(n.id, 2, "announce")
	var waves [4][]*shell
	for _, to := range p.order() {
		if to == n {
			continue
		}
		switch delay, lost := p.mob.grip(n.id, to.id); {
		case lost || p.chance(p.opt.Loss):
		case delay > 0:
			p.carry(n.id, delay, []*shell{to}, notice)
		default:
			w := p.rng.IntN(len(waves))
			waves[w] = append(waves[w], to)
		}
	}
	for _, to := range waves {
		p.carry(n.id, p.between(10, 600), to, notice)
	}
	p.mob.told(n.id, notice)
}

// parsed reads a vote object as whoever receives it does.
func (p *panel) parsed(raw []byte) voting.Vote {
	v, err := parseVote(raw)
	if err != nil {
		p.ref.fault("vote: %v", err)
	}
	v.Raw = raw
	return v
}

// carry delivers a notice of a node to others after a while, by gossip or by stream.
func (p *panel) carry(from int, ms int64, to []*shell, notice voting.Notice) {
	if len(to) == 0 {
		return
	}
	origin := voting.Key{}
	if p.rng.IntN(2) == 0 {
		origin = p.keys.peers[from]
	}
	p.queue.in(ms, "message", func() {
		for _, n := range to {
			p.note(n.id, uint64(from), "hears")
			n.receive(origin, notice)
		}
	})
}

// order is that in which messages are sent: of the seats, or the planted fault.
func (p *panel) order() []*shell {
	honest := p.shells[p.opt.Byzantine:]
	if p.opt.Sabotage != MapOrder {
		return honest
	}
	return mapOrder(honest)
}

// catchUp asks each peer what it has, and gives it what it lacks; who does not answer within five
// seconds will not.
func (p *panel) catchUp(n *shell, f voting.CatchUp) {
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
		delay, lost := p.mob.grip(n.id, i)
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

// swap is one catch-up: both tell what the other lacks. It reports whether the other one answered.
func (p *panel) swap(n *shell, with int, f voting.CatchUp) bool {
	other := p.shells[with]
	if other == nil {
		says, ok := p.mob.answer(with)
		for _, x := range says {
			if n.receive(voting.Key{}, x) {
				p.mob.shown(x)
			}
		}
		return ok && n.machine != nil
	}
	if other.machine == nil {
		return false
	}
	here, there := p.owed(n.current(), other.current(), f), p.owed(other.current(), n.current(), f)
	for _, x := range there {
		n.receive(voting.Key{}, x)
	}
	for _, x := range here {
		other.receive(voting.Key{}, x)
	}
	return n.machine != nil
}

// owed are the notices of one view that another needs.
func (p *panel) owed(of, to *voting.View, f voting.CatchUp) []voting.Notice {
	known, _ := of.Round(f.Task, f.Round)
	if len(known) == 0 {
		return nil
	}
	var out []voting.Notice
	commits, votes := to.Have(f.Task, f.Round)
	asked := to.Asked(f.Task, f.Round)
	for _, k := range known {
		if !slices.Contains(commits, k.Seat) {
			for _, c := range k.Commits {
				out = append(out, c)
			}
		}
		if k.Request != nil && !slices.Contains(asked, k.Seat) {
			out = append(out, *k.Request)
		}
		if k.Vote != nil && !slices.Contains(votes, k.Seat) {
			out = append(out, p.parsed(k.Vote.Raw))
		}
	}
	return out
}

// submit sends an honest node's transaction on its way and reports its end.
func (p *panel) submit(n *shell, e voting.Submit) {
	p.note(n.id, uint64(e.Seat), e.Op.String())
	if e.Op == voting.OpCommit {
		p.sealed = append(p.sealed, sealed{e.Task, e.Round, n.judge, e.Opening})
	}
	life := n.life
	p.queue.in(p.between(400, 1_600), "land", func() {
		class := classify(p.execute(func() error { return p.apply(n.judge, e) }))
		p.queue.in(n.lag, "done", func() {
			if n.machine != nil && n.life == life {
				n.step(voting.SubmitDone{At: n.clock(), Op: e.Op, Task: e.Task, Round: e.Round, Seat: e.Seat, Class: class})
			}
		})
	})
}

// apply executes a transaction of a judge.
func (p *panel) apply(judge voting.Key, e voting.Submit) error {
	switch e.Op {
	case voting.OpDraw:
		return p.chain.Draw(e.Task)
	case voting.OpCommit:
		return p.chain.Commit(e.Task, e.Round, judge, e.Commitment)
	case voting.OpCarry:
		return p.chain.RelayCommit(e.Relay)
	case voting.OpReveal, voting.OpRelay:
		return p.chain.Reveal(e.Task, e.Round, e.Judge, e.Opening)
	case voting.OpSettle:
		if p.opt.Sabotage == LooseCount {
			return p.chain.settleBy(e.Task, loose)
		}
		return p.chain.Settle(e.Task)
	case voting.OpExpire:
		return p.chain.ExpireCase(e.Task)
	case voting.OpClaim:
		return p.chain.Claim(e.Judge)
	case voting.OpSlash:
		if p.opt.Sabotage == NoEvidence {
			return moot("Withheld")
		}
		err := p.chain.SlashEquivocation(e.Evidence)
		if err == nil {
			p.ref.slashed(e.Evidence)
		}
		return err
	}
	return hopeless("BadInstruction")
}

// loose is voting.Settle of a chain for which half of the votes are a majority.
func loose(in rules.RoundEnd) (rules.Settlement, error) {
	out, err := rules.Settle(in)
	if out.Verdict == voting.ForCreator && out.Tally.Accept > out.Tally.Reject {
		out.Verdict = voting.ForWorker
	}
	return out, err
}
