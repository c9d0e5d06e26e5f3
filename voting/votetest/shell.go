package votetest

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"ojud/voting"
)

// shell is an honest node of a panel: the real machine, and a journal.
type shell struct {
	panel   *panel
	id      int
	judge   voting.Key
	machine *voting.Machine // nil while the node is down
	view    *voting.View    // nil when it is stale
	journal []voting.Record
	choice  voting.Choice
	takes   int64
	lag     int64 // milliseconds behind the chain
	life    int   // counts starts; what an earlier one waited for is void
	looking bool
	tickAt  int64
	fuse    int // effects to go until the planned crash; −1: none
	hurt    bool
	shown   []signature
}

func newShell(p *panel, id int, judge voting.Key) *shell {
	n := &shell{panel: p, id: id, judge: judge, fuse: -1, choice: p.opt.Answer, lag: p.between(300, 2_500), takes: p.between(500, 6_000)}
	if n.choice == voting.NoChoice {
		n.choice = voting.Choice(1 + p.rng.IntN(7)%3)
	}
	if id >= panelSeats-p.opt.Crashes {
		n.hurt = true
		p.queue.at(startMs+p.rng.Int64N(60_000), "fuse", func() { n.fuse = p.rng.IntN(6) })
	}
	return n
}

// start boots the node from its journal.
func (n *shell) start(again bool) error {
	p := n.panel
	habits := voting.DefaultParams()
	habits.CatchUpEvery = 15 // three times the default: a third of what a round costs
	m, err := voting.New(voting.Config{
		Domain: p.chain.Domain, Judge: n.judge, Peer: p.keys.peers[n.id], Verify: p.keys.verify, Params: habits,
		Sign: func(statement []byte) voting.Signature { return p.keys.sign(n.id, statement) },
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
func (n *shell) clock() int64 { return genesis + (n.panel.queue.now-n.lag)*n.panel.pace/1_000_000 }

// later does something after a while unless the node stops before.
func (n *shell) later(ms int64, what string, do func()) {
	life := n.life
	n.panel.queue.in(ms, what, func() {
		if n.machine != nil && n.life == life {
			do()
		}
	})
}

// step is the loop of a shell: one event, then its effects in order.
func (n *shell) step(e voting.Event) {
	p := n.panel
	effects, err := n.machine.Step(e)
	if err != nil {
		p.ref.fault("node %d: %T: %v", n.id, e, err)
	}
	n.view = nil
	for _, f := range effects {
		if n.fuse == 0 {
			n.crash()
			return
		}
		n.fuse = max(n.fuse-1, -1)
		n.do(f)
	}
	if at, ok := n.machine.Next(); ok && at != n.tickAt {
		n.tickAt = at
		n.later(max(p.wall(at)+n.lag-p.queue.now, 0), "tick", func() {
			if n.tickAt == at {
				n.tickAt = 0
				n.step(voting.Tick{At: n.clock()})
			}
		})
	}
}

// do executes an effect.
func (n *shell) do(f voting.Effect) {
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
		p.ref.shows(n, f.Notice)
		p.announce(n, f.Notice)
	case voting.Submit:
		p.ref.submits(n, f)
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
func (n *shell) opine(round uint8, choice voting.Choice, takes int64) {
	p := n.panel
	o := p.opening(n.id, round, choice)
	n.later(takes, "opinion", func() {
		n.step(voting.OpinionReady{At: n.clock(), Task: p.task, Round: round, Opening: o, Vote: p.voteOf(n.id, round, o)})
	})
}

// opening makes an opening with a document that was never written before, and the salt that the
// node always derives.
func (p *panel) opening(i int, round uint8, choice voting.Choice) voting.Opening {
	words := binary.LittleEndian.AppendUint64(nil, p.rng.Uint64())
	salt := append(p.keys.secrets[i][:len(p.keys.secrets[i]):len(p.keys.secrets[i])], round)
	return voting.Opening{Choice: choice, Opinion: sha256.Sum256(words), Salt: sha256.Sum256(salt)}
}

// lookSoon has the node look at the chain after its lag; all that changes until then is one look.
func (n *shell) lookSoon() {
	if n.machine == nil || n.looking {
		return
	}
	n.looking = true
	n.later(n.lag, "look", func() {
		n.looking = false
		n.step(voting.CaseSeen{At: n.clock(), Case: n.panel.ref.lied(n, n.panel.sight())})
	})
}

// current is what the node knows now.
func (n *shell) current() *voting.View {
	if n.view == nil {
		n.view = n.machine.View()
	}
	return n.view
}

// receive checks a notice and hands it to the machine, if it is of use to it. It reports whether
// the node has it then.
func (n *shell) receive(origin voting.Key, notice voting.Notice) bool {
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
func (n *shell) crash() {
	p := n.panel
	p.note(n.id, 1, "crash")
	n.machine, n.view, n.fuse = nil, nil, -1
	p.queue.in(p.between(1_000, 10_000), "restart", func() {
		if p.opt.Sabotage == NoJournal {
			n.journal = nil
		}
		n.compact()
		if err := n.start(true); err != nil {
			p.ref.fault("node %d does not start again: %v", n.id, err)
			return
		}
		for _, o := range p.shells {
			if o != nil && o != n && o.machine != nil {
				o.step(voting.PeerConnected{At: o.clock(), Peer: p.keys.peers[n.id]})
			}
		}
	})
}

// compact keeps the last record of each key, as the journal on a disk does.
func (n *shell) compact() {
	var kept []voting.Record
	for _, r := range n.journal {
		same := func(o voting.Record) bool { return bytes.Equal(o.Key(), r.Key()) }
		if i := slices.IndexFunc(kept, same); i >= 0 {
			kept[i] = r
			continue
		}
		kept = append(kept, r)
	}
	n.journal = kept
}

// recoverOpening finds what the node sealed with its commitment.
func (n *shell) recoverOpening(f voting.RecoverOpening) {
	p := n.panel
	n.later(1_000, "recover", func() {
		for _, s := range p.sealed {
			if s.judge == n.judge && s.round == f.Round && p.chain.Domain.Commitment(p.task, f.Round, n.judge, s.opening) == f.Commitment {
				n.step(voting.OpeningRecovered{At: n.clock(), Task: p.task, Round: f.Round, Opening: s.opening, Vote: p.voteOf(n.id, f.Round, s.opening)})
				return
			}
		}
	})
}
