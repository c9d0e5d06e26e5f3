package votetest

import (
	"crypto/ed25519"
	"slices"

	"ojud/voting"
)

// node is a shell around one machine: it does what effects say, in order, and can stop between any
// two of them.
type node struct {
	sim       *sim
	id        int
	judge     voting.Key
	peer      voting.Key
	key       ed25519.PrivateKey
	behaviour behaviour
	adversary Adversary // 0 for an honest node

	machine     *voting.Machine // nil while the node is down
	view        *voting.View
	incarnation int // counts starts; what an earlier one waited for is void
	journal     []voting.Record
	lag         int64
	half        int // of a split network
	isBlind     bool
	isCut       bool
	isPoor      bool
	cutAfter    int64 // milliseconds from when it saw a round drawn
	drawn       []sighting
	frozen      int64 // what the clock showed when the chain was lost
	conflict    bool
	crashAfter  int // effects to go until the planned crash; −1: none
	losesDisk   bool
	lostDisk    bool // happened
	downSince   int64
	disturbed   []disturbance

	looks  []voting.Key // cases of which a look is on its way
	tickAt int64
	opined []opinionRun
	drops  []opinionRun // transactions that the chain lost, by round
}

// sighting is when a node saw that a round was drawn, in milliseconds of the simulation.
type sighting struct {
	task  voting.Key
	round uint8
	at    int64
}

// disturbance is a time in which the node could not work.
type disturbance struct{ from, to int64 }

// opinionRun is one run of the judge.
type opinionRun struct {
	task  voting.Key
	round uint8
	run   int
}

func newNode(s *sim, id int) *node {
	n := &node{sim: s, id: id, judge: name("judge", s.opt.Seed, uint64(id)), key: nodeKey(s.opt.Seed, id), crashAfter: -1}
	n.peer = voting.Key(n.key.Public().(ed25519.PublicKey))
	n.behaviour = honest{}
	n.lag = s.between(s.opt.Ledger.Lag)
	n.half = s.rng.IntN(2)
	return n
}

// start boots the node from its journal.
func (n *node) start(fresh bool) error {
	habits := voting.DefaultParams()
	if n.sim.opt.Selfish {
		habits.Carry = 0
	}
	m, err := voting.New(voting.Config{
		Domain: n.sim.chain.Domain, Judge: n.judge, Peer: n.peer, Sign: n.sign, Seal: n.seal, Verify: n.sim.verify.check, Params: habits,
	})
	if err != nil {
		return err
	}
	n.machine, n.looks, n.tickAt, n.opined = m, nil, 0, nil
	n.incarnation++
	n.step(voting.Restored{At: n.clock(), Records: slices.Clone(n.journal), Fresh: fresh})
	for i := range n.sim.chain.State.Tasks {
		n.lookSoon(n.sim.chain.State.Tasks[i].Address)
	}
	return nil
}

func (n *node) sign(statement []byte) voting.Signature {
	return voting.Signature(ed25519.Sign(n.key, statement))
}

// droppedIn counts the transactions of a round that the chain lost.
func (n *node) droppedIn(task voting.Key, round uint8) int {
	count := 0
	for _, d := range n.drops {
		if d.task == task && d.round == round {
			count++
		}
	}
	return count
}

// event steps the machine unless the node has been restarted since.
func (n *node) event(incarnation int, e voting.Event) {
	if n.machine != nil && n.incarnation == incarnation {
		n.step(e)
	}
}

// step is the loop of a shell: one event, then its effects in order.
func (n *node) step(e voting.Event) {
	effects, err := n.machine.Step(e)
	if err != nil {
		n.sim.ref.fault("node %d: %T: %v", n.id, e, err)
	}
	n.sim.ref.ordered(n, effects)
	for _, f := range effects {
		if n.crashAfter == 0 {
			n.crash()
			return
		}
		n.crashAfter = max(n.crashAfter-1, -1)
		n.sim.log(n.id, f.String())
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
	at, ok := n.machine.Next()
	if !ok || at == n.tickAt {
		return
	}
	n.tickAt = at
	incarnation := n.incarnation
	n.sim.queue.at((at-genesis)*1000+n.lag, "tick", func() {
		n.tick(incarnation, at)
	})
}

// tick is due when the node's clock shows the time, which it does not as long as it stands still.
func (n *node) tick(incarnation int, at int64) {
	switch now := n.clock(); {
	case n.incarnation != incarnation || n.tickAt != at:
	case n.frozen != 0 && now < at:
		n.sim.queue.in(5_000, "tick", func() { n.tick(incarnation, at) })
	default:
		n.tickAt = 0
		n.event(incarnation, voting.Tick{At: now})
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
		n.run(f.Task, f.Round)
	case voting.Announce:
		n.announce(f)
	case voting.Submit:
		n.sim.submit(n, f)
	case voting.CatchUp:
		n.catchUp(f)
	case voting.RecoverOpening:
		n.recoverOpening(f)
	case voting.Conflict:
		n.conflict = true
		n.sim.ref.conflict(n, f)
	case voting.Forget:
		n.journal = slices.DeleteFunc(n.journal, func(r voting.Record) bool { return string(r.Key()[:32]) == string(f.Task[:]) })
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
	if c, ok := r.(voting.Cast); ok {
		n.sim.ref.signed(n, c.Commit)
	}
	key := string(r.Key())
	for i, old := range n.journal {
		if string(old.Key()) == key {
			if c, ok := old.(voting.Cast); ok && c.Commitment != r.(voting.Cast).Commitment {
				n.sim.ref.fault("node %d: a second vote in the journal: %s", n.id, r)
			}
			n.journal[i] = r
			return
		}
	}
	n.journal = append(n.journal, r)
}

// lookSoon delivers a look at the case after the node's lag; looks that are on their way show the
// state on arrival, except for stale ones, which show that of now and come after newer ones.
func (n *node) lookSoon(task voting.Key) {
	if n.machine == nil || n.blind(task) {
		return
	}
	s, incarnation := n.sim, n.incarnation
	if s.chance(s.opt.Ledger.Stale) {
		if look, ok := s.chain.Look(task); ok {
			s.queue.in(2*n.lag+s.rng.Int64N(5_000), "stale look", func() {
				n.event(incarnation, voting.CaseSeen{At: n.clock(), Case: look})
			})
		}
	}
	if slices.Contains(n.looks, task) {
		return
	}
	n.looks = append(n.looks, task)
	s.queue.in(n.lag, "look", func() { n.look(incarnation, task) })
}

func (n *node) look(incarnation int, task voting.Key) {
	if n.machine == nil || n.incarnation != incarnation {
		return
	}
	n.looks = slices.DeleteFunc(n.looks, func(k voting.Key) bool { return k == task })
	if n.blind(task) {
		n.sim.queue.in(10_000, "poll", func() { n.lookSoon(task) })
		return
	}
	if look, ok := n.sim.chain.Look(task); ok {
		n.notice(&look)
		n.event(incarnation, voting.CaseSeen{At: n.clock(), Case: look})
	}
}
