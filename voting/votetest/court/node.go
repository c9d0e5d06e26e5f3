package court

import (
	"slices"

	"ojud/voting"
	"ojud/voting/votetest"
)

// node is a shell around one machine: it does what effects say, in order, and can stop between any
// two of them.
type node struct {
	votetest.Author
	sim       *sim
	id        int
	seed      []byte // of its key, from which it derives salts
	behaviour behaviour
	adversary Adversary // 0 for an honest node

	machine *voting.Machine // nil while the node is down
	view    *voting.View
	life    int // counts starts; nothing that an earlier one waited for happens
	journal votetest.Journal
	half    int // of a split network
	tickAt  int64
	runs    map[roundOf]int // of the judge, since the node started
	link    link
	crashes crashes
}

// roundOf names a round of a case.
type roundOf struct {
	task  voting.Key
	round uint8
}

func newNode(s *sim, id int) *node {
	key := votetest.NodeKey(s.opt.Seed, id)
	n := &node{sim: s, id: id, seed: key.Seed(), behaviour: honest{}}
	n.Author = votetest.NewAuthor(s.chain.Domain, votetest.Name("judge", s.opt.Seed, uint64(id)), key)
	n.crashes.after = -1
	n.link = link{lag: s.between(s.opt.Ledger.Lag), drawn: make(map[roundOf]int64), dropped: make(map[roundOf]int)}
	n.half = s.rng.IntN(2)
	return n
}

// start boots the node from its journal.
func (n *node) start(fresh bool) error {
	params := voting.DefaultParams()
	if n.sim.opt.Selfish {
		params.MaxRelayed = 0
	}
	m, err := voting.New(voting.Config{
		Domain: n.Domain, Judge: n.Judge, Peer: n.Peer, Sign: n.Sign, Seal: n.seal, Verify: n.sim.verify.Check, Params: params,
	})
	if err != nil {
		return err
	}
	n.machine, n.link.looks, n.tickAt, n.runs = m, nil, 0, make(map[roundOf]int)
	n.life++
	n.step(voting.Restored{At: n.clock(), Records: slices.Clone(n.journal), Fresh: fresh})
	for i := range n.sim.chain.State.Tasks {
		n.lookSoon(n.sim.chain.State.Tasks[i].Address)
	}
	return nil
}

// seal stands for the encryption of an opening, which the node itself can undo.
func (n *node) seal(task voting.Key, round uint8, o voting.Opening) []byte {
	c := n.sim.chain.Seal(task, round, n.Judge, o)
	return append(make([]byte, voting.SealedSize-len(c)), c[:]...)
}

// later does something after a while unless the node stops before.
func (n *node) later(ms int64, what string, do func()) {
	life := n.life
	n.sim.queue.In(ms, what, func() {
		if n.machine != nil && n.life == life {
			do()
		}
	})
}

// step is the loop of a shell: one event, then its effects in order.
func (n *node) step(e voting.Event) {
	effects, err := n.machine.Step(e)
	if err != nil {
		n.sim.ref.fault("node %d: %T: %v", n.id, e, err)
	}
	n.sim.ref.ordered(n, effects)
	for _, f := range effects {
		if n.crashes.after == 0 {
			n.crash()
			return
		}
		n.crashes.after = max(n.crashes.after-1, -1)
		n.sim.log(n.id, "effect", f)
		if n.behaviour.effect(n, f) {
			n.do(f)
		}
		if n.machine == nil {
			return
		}
	}
	n.view = n.machine.View()
	n.scheduleTick()
}

// scheduleTick sets the one timer of a node.
func (n *node) scheduleTick() {
	if at, ok := n.machine.Next(); ok && at != n.tickAt {
		n.tickAt = at
		n.later((at-votetest.Genesis)*1000+n.link.lag-n.sim.queue.Now, "tick", func() { n.tick(at) })
	}
}

// tick is due when the node's clock shows the time. It does not as long as it stands still.
func (n *node) tick(at int64) {
	switch now := n.clock(); {
	case n.tickAt != at:
	case n.link.frozen != 0 && now < at:
		n.later(5_000, "tick", func() { n.tick(at) })
	default:
		n.tickAt = 0
		n.step(voting.Tick{At: now})
	}
}

// do executes an effect as the real shell does.
func (n *node) do(f voting.Effect) {
	switch f := f.(type) {
	case voting.Persist:
		n.persist(f.Record)
	case voting.AskJudge:
		n.ask(f)
	case voting.AskAbstain:
		n.opine(f.Task, f.Round, voting.Abstain, 200)
	case voting.StopJudge:
		n.runs[roundOf{f.Task, f.Round}]++
	case voting.Announce:
		n.announce(f)
	case voting.Submit:
		n.sim.submit(n, f)
	case voting.CatchUp:
		n.catchUp(f)
	case voting.RecoverOpening:
		n.recoverOpening(f)
	case voting.Conflict:
		n.sim.ref.conflict(n, f)
	case voting.Forget:
		n.journal.Forget(f.Task)
	}
}

// persist writes a record through its encoding, so that a restart reads what was written and
// nothing else.
func (n *node) persist(r voting.Record) {
	r, err := voting.DecodeRecord(r.Encode())
	if err != nil {
		n.sim.ref.fault("node %d: %v", n.id, err)
		return
	}
	old := n.journal.Put(r)
	if c, ok := r.(voting.Cast); ok {
		n.sim.ref.recorded(n, c.Commit)
		if before, ok := old.(voting.Cast); ok && before.Commitment != c.Commitment {
			n.sim.ref.fault("node %d: a second vote in the journal: %s", n.id, r)
		}
	}
}
