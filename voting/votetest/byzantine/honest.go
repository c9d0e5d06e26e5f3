package byzantine

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"ojud/voting"
	"ojud/voting/votetest"
)

// honest is an honest node of a panel: the real machine, and a journal.
type honest struct {
	*votetest.Author
	panel   *panel
	id      int
	machine *voting.Machine // nil while the node is down
	view    *voting.View    // nil when it is stale
	journal votetest.Journal
	choice  voting.Choice
	takes   int64
	lag     int64 // milliseconds behind the chain
	life    int   // counts starts; nothing that an earlier one waited for happens
	looking bool
	tickAt  int64
	crashIn int  // effects to go until the planned crash; −1: none
	crashes bool // in its life
	stated  []votetest.Stated
}

func newHonest(p *panel, id int) *honest {
	n := &honest{Author: &p.authors[id], panel: p, id: id, crashIn: -1, choice: p.opt.Answer}
	n.lag, n.takes = p.between(300, 2_500), p.between(500, 6_000)
	if n.choice == voting.NoChoice {
		n.choice = voting.Choice(1 + p.rng.IntN(7)%3)
	}
	if id >= panelSeats-p.opt.Crashes {
		n.crashes = true
		p.queue.At(startMs+p.rng.Int64N(60_000), "crash planned", func() { n.crashIn = p.rng.IntN(6) })
	}
	return n
}

// start boots the node from its journal.
func (n *honest) start(again bool) error {
	params := voting.DefaultParams()
	params.CatchUpEvery = 15 // three times the default: a third of what a round costs
	m, err := voting.New(voting.Config{
		Domain: n.Domain, Judge: n.Judge, Peer: n.Peer, Verify: n.panel.keys.verify, Params: params, Sign: n.Sign,
	})
	if err != nil {
		return err
	}
	n.machine, n.view, n.looking, n.tickAt = m, nil, false, 0
	n.life++
	n.step(voting.Restored{At: n.clock(), Records: slices.Clone(n.journal)})
	if again {
		n.lookSoon()
	}
	return nil
}

// clock is the chain's clock as the node sees it.
func (n *honest) clock() int64 {
	return votetest.Genesis + (n.panel.queue.Now-n.lag)*n.panel.pace/1_000_000
}

// later does something after a while unless the node stops before.
func (n *honest) later(ms int64, what string, do func()) {
	life := n.life
	n.panel.queue.In(ms, what, func() {
		if n.machine != nil && n.life == life {
			do()
		}
	})
}

// step is the loop of a shell: one event, then its effects in order.
func (n *honest) step(e voting.Event) {
	p := n.panel
	effects, err := n.machine.Step(e)
	if err != nil {
		p.ref.fault("node %d: %T: %v", n.id, e, err)
	}
	n.view = nil
	for _, f := range effects {
		if n.crashIn == 0 {
			n.crash()
			return
		}
		n.crashIn = max(n.crashIn-1, -1)
		n.do(f)
	}
	if at, ok := n.machine.Next(); ok && at != n.tickAt {
		n.tickAt = at
		n.later(max(p.wall(at)+n.lag-p.queue.Now, 0), "tick", func() {
			if n.tickAt == at {
				n.tickAt = 0
				n.step(voting.Tick{At: n.clock()})
			}
		})
	}
}

// do executes an effect.
func (n *honest) do(f voting.Effect) {
	p := n.panel
	switch f := f.(type) {
	case voting.Persist:
		n.journal = append(n.journal, f.Record)
		p.note(n.id, 0, "persist")
	case voting.AskJudge:
		n.opine(f.Round, n.choice, n.takes)
	case voting.AskAbstain:
		n.opine(f.Round, voting.Abstain, 200)
	case voting.Announce:
		if c, ok := votetest.StatementIn(f.Notice); ok {
			p.ref.stated(n, c.Round, c.Commitment)
		}
		p.announce(n, f.Notice)
	case voting.Submit:
		if f.Op == voting.OpCommit {
			p.ref.stated(n, f.Round, f.Commitment)
		}
		p.submit(n, f)
	case voting.CatchUp:
		p.catchUp(n, f)
	case voting.RecoverOpening:
		n.recoverOpening(f)
	case voting.Conflict:
		p.ref.fault("honest node %d sees %s", n.id, f)
	}
}

// opine answers after a while with an opinion. Asked again after a crash it has other words, so
// that the commitment is another.
func (n *honest) opine(round uint8, choice voting.Choice, takes int64) {
	p := n.panel
	o := p.openingOf(n.id, round, choice)
	n.later(takes, "opinion", func() {
		n.step(voting.OpinionReady{At: n.clock(), Task: p.task, Round: round, Opening: o, Vote: n.Vote(p.task, round, o)})
	})
}

// opening makes an opening with a document that was never written before, and the salt that the
// node always derives.
func (p *panel) openingOf(i int, round uint8, choice voting.Choice) voting.Opening {
	words := binary.LittleEndian.AppendUint64(nil, p.rng.Uint64())
	salt := append(p.keys.secrets[i][:len(p.keys.secrets[i]):len(p.keys.secrets[i])], round)
	return voting.Opening{Choice: choice, Opinion: sha256.Sum256(words), Salt: sha256.Sum256(salt)}
}

// lookSoon has the node look at the chain after its lag; all that changes until then is one look.
func (n *honest) lookSoon() {
	if n.machine == nil || n.looking {
		return
	}
	n.looking = true
	n.later(n.lag, "look", func() {
		n.looking = false
		n.step(voting.CaseSeen{At: n.clock(), Case: n.panel.ref.shown(n, n.panel.sight())})
	})
}

// current returns the node's knowledge now.
func (n *honest) current() *voting.View {
	if n.view == nil {
		n.view = n.machine.View()
	}
	return n.view
}

// receive checks a notice and hands it to the machine, if the machine can use it. It reports
// whether the node has it then.
func (n *honest) receive(origin voting.Key, notice voting.Notice) bool {
	if n.machine == nil {
		return false
	}
	checked, err := n.current().Check(origin, notice)
	if err != nil {
		n.panel.ref.refused(n, origin, notice, err)
	}
	if checked.Usable() {
		n.step(voting.NoticeReceived{At: n.clock(), Notice: checked})
	}
	return checked.Usable() && n.machine != nil // it may have stopped before the record of it
}

// crash stops the node at once and plans its return.
func (n *honest) crash() {
	p := n.panel
	p.note(n.id, 1, "crash")
	n.machine, n.view, n.crashIn = nil, nil, -1
	p.queue.In(p.between(1_000, 10_000), "restart", func() {
		if p.opt.Sabotage == NoJournal {
			n.journal = nil
		}
		var kept votetest.Journal // the last record of each key, as on a disk
		for _, r := range n.journal {
			kept.Put(r)
		}
		n.journal = kept
		if err := n.start(true); err != nil {
			p.ref.fault("node %d does not start again: %v", n.id, err)
			return
		}
		for _, o := range p.nodes {
			if o != nil && o != n && o.machine != nil {
				o.step(voting.PeerConnected{At: o.clock(), Peer: n.Peer})
			}
		}
	})
}

// recoverOpening finds the opening that the node sealed with its commitment.
func (n *honest) recoverOpening(f voting.RecoverOpening) {
	p := n.panel
	n.later(1_000, "recover", func() {
		if o, ok := p.chain.Sealed(p.task, f.Round, n.Judge, f.Commitment); ok {
			n.step(voting.OpeningRecovered{At: n.clock(), Task: p.task, Round: f.Round, Opening: o, Vote: n.Vote(p.task, f.Round, o)})
		}
	})
}
