package court

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"

	"ojud/voting"
	"ojud/voting/rules"
	"ojud/voting/votetest"
)

// Totals count what happened in a simulation.
type Totals struct {
	Rounds   int // settled
	Verdicts []voting.Verdict
	Slashed  int // seats slashed for equivocation
	Relayed  int // reveals done by another node
	Carried  int // commitments brought by another node
	Crashes  int
	// VotesKnown of VotesShown votes of honest seats were known to the honest seats when their
	// round was settled.
	VotesKnown, VotesShown int
	// Faults are the broken promises, at most MaxFaults of them.
	Faults []string
}

// sim is one simulation.
type sim struct {
	opt    Options
	rng    *rand.Rand
	queue  votetest.Queue
	chain  votetest.Chain
	nodes  []*node
	ref    referee
	trace  io.Writer // nil: none
	verify votetest.Verifier
	past   []moment // for rollbacks
	result Totals
}

// Run simulates until every case is over and everything about it has been said. If trace is not
// nil, it gets a line for each event.
func Run(o Options, trace io.Writer) (Totals, error) {
	s, err := newSim(o, trace)
	if err != nil {
		return Totals{}, err
	}
	s.play()
	return s.finish(), nil
}

func newSim(o Options, trace io.Writer) (*sim, error) {
	if o.Judges < 1 || len(o.Adversaries) > o.Judges || o.Cases < 1 {
		return nil, fmt.Errorf("court: %d judges, %d of them adversaries, %d cases", o.Judges, len(o.Adversaries), o.Cases)
	}
	s := &sim{opt: o, rng: rand.New(rand.NewPCG(o.Seed, 0x5eed)), trace: trace, verify: make(votetest.Verifier)}
	s.chain = votetest.Chain{Law: o.Law, Domain: votetest.Domain(o.Seed), Slot: votetest.FirstSlot, Now: votetest.Genesis}
	s.ref = referee{sim: s, signed: make(map[helper]bool), help: make(map[help]int), helps: make(map[helper]int)}
	s.chain.Settled = s.ref.settled
	for i := range o.Judges {
		n := newNode(s, i)
		s.nodes = append(s.nodes, n)
		operator := voting.Key{}
		if !o.Unrelated && s.rng.IntN(3) == 0 {
			operator = votetest.Name("operator", o.Seed, s.rng.Uint64N(4))
		}
		stake := o.Law.MinStake + s.rng.Uint64N(12_000_000_000)
		s.chain.Join(n.Judge, n.Peer, operator, stake)
	}
	if err := s.chain.BeginSeason(); err != nil {
		return nil, err
	}
	for i, a := range o.Adversaries {
		s.nodes[i].adversary, s.nodes[i].behaviour = a, a.kind().does
	}
	for _, n := range s.nodes {
		if err := n.start(true); err != nil {
			return nil, err
		}
	}
	s.plan()
	s.ref.lamports = s.chain.State.Lamports()
	return s, nil
}

// plan schedules what does not depend on the course of events.
func (s *sim) plan() {
	for i := range s.opt.Cases {
		p := voting.Parties{Creator: votetest.Name("creator", s.opt.Seed, uint64(i)), Worker: votetest.Name("worker", s.opt.Seed, uint64(i))}
		if s.rng.IntN(3) == 0 {
			p.CreatorOperator = votetest.Name("operator", s.opt.Seed, s.rng.Uint64N(4))
		}
		terms := rules.Terms{
			Escrow: 1_000_000 + s.rng.Uint64N(1e12), CreatorBond: s.rng.Uint64N(1e9), WorkerBond: s.rng.Uint64N(1e9),
			OnUndecided: voting.OnUndecided(1 + s.rng.IntN(3)),
		}
		task := votetest.Name("task", s.opt.Seed, uint64(i))
		s.queue.At(s.rng.Int64N(60_000), "open", func() {
			s.ref.expect(terms)
			_ = s.execute(-1, func() error { return s.chain.Open(task, p, terms) }) // execute tells the referee of a fault
		})
	}
	for range s.opt.Ledger.Rollbacks {
		s.queue.At(s.rng.Int64N(1_200_000), "rollback", s.rollback)
	}
	s.planFaults()
}

// play runs until nothing is left to happen or the cases are over for a minute.
func (s *sim) play() {
	const limit = 4 * 3_600_000
	end := int64(limit)
	for what, do, ok := s.queue.Next(end); ok; what, do, ok = s.queue.Next(end) {
		s.log(-1, "event", what)
		s.clock()
		do()
		if end == limit && s.done() {
			end = s.queue.Now + 60_000
		}
	}
}

// clock moves the chain to the present.
func (s *sim) clock() {
	s.chain.Now = votetest.Genesis + s.queue.Now/1000
	s.chain.Slot = votetest.FirstSlot + uint64(s.queue.Now/votetest.SlotMs)
}

// done reports whether every case was opened and is over.
func (s *sim) done() bool {
	tasks := s.chain.State.Tasks
	return len(tasks) == s.opt.Cases && !slices.ContainsFunc(tasks, func(t votetest.Task) bool { return !t.Case.Status.Over() })
}

// log adds a line to the trace.
func (s *sim) log(node int, verb string, object any) {
	if s.trace == nil {
		return
	}
	if _, err := fmt.Fprintf(s.trace, "%d %d %s %v\n", s.queue.Now, node, verb, object); err != nil {
		s.ref.fault("trace: %v", err)
		s.trace = nil
	}
}

func (s *sim) between(span [2]int64) int64 { return span[0] + s.rng.Int64N(span[1]-span[0]+1) }

// chance is true for so many of 1,000.
func (s *sim) chance(share int) bool { return s.rng.IntN(1_000) < share }

func (s *sim) finish() Totals {
	s.ref.end()
	for i := range s.chain.State.Tasks {
		s.result.Verdicts = append(s.result.Verdicts, s.chain.State.Tasks[i].Case.Verdict)
	}
	s.result.Faults = s.ref.faults
	return s.result
}
