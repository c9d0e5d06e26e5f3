package byzantine

import (
	"fmt"
	"math/rand/v2"

	"ojud/voting"
	"ojud/voting/rules"
	"ojud/voting/votetest"
)

// panelSeats is the size of the panels that Play plays: the court's largest.
const panelSeats = voting.MaxSeats

// startMs is when nodes boot and the case comes before the court, later than the longest lag.
const startMs = 10_000

// PanelOptions describe the panel that Play plays. RandomPanel makes all of them from a seed.
type PanelOptions struct {
	Seed      uint64
	Byzantine int      // judges of the 28 in one adversary's hand: the first ones, with all weights equal
	Strategy  Strategy // of all of them; Mixed: another for each
	// Answer is the choice of every honest judge; NoChoice: they differ, and no answer is the right
	// one.
	Answer voting.Choice
	// Crashes are how many honest judges stop between two effects and come back from their journal,
	// within the first minute.
	Crashes int
	// Loss is how many of 1,000 messages between honest judges get lost.
	Loss int
	// Strict signs with Ed25519 and checks as the program does. Otherwise a signature is a keyed
	// hash, which costs a hundredth.
	Strict bool
	// Sabotage breaks one protection, which the referee must notice.
	Sabotage Sabotage
}

// Sabotage is a protection that is off.
type Sabotage uint8

// The sabotages.
const (
	Untouched Sabotage = iota
	// NoEvidence: honest nodes file no evidence.
	NoEvidence
	// NoJournal: a node that comes back has forgotten what it signed, and does not know that it
	// has.
	NoJournal
	// TwoTruths: every third node is shown another verdict than the chain has.
	TwoTruths
	// LooseCount: the chain takes half of the votes for a majority.
	LooseCount
	// MapOrder: messages go out in the order of a Go map.
	MapOrder
)

// PanelResult is the result of one case before a panel.
type PanelResult struct {
	Trace   uint64 // FNV-1a over every event and effect, in order
	Rounds  int    // settled
	Verdict voting.Verdict
	// Right: the verdict is the answer of the honest judges, Wrong: it is the other one. Both are
	// false when they have no one answer, and when the case ended undecided.
	Right, Wrong bool
	// Equivocators signed two statements of a round and showed both to honest judges. The chain
	// took the evidence against Convicted of them; Escaped did it in a void round that was drawn
	// again before the two statements met.
	Equivocators, Convicted, Escaped int
	Faults                           []string // broken promises, at most MaxFaults
}

// RandomPanel is the panel of a seed: each strategy in its turn, honest judges who agree in three
// of four.
func RandomPanel(seed uint64, byzantine int) PanelOptions {
	r := rand.New(rand.NewPCG(seed, 0xbe7c4))
	o := PanelOptions{Seed: seed, Byzantine: byzantine, Strategy: Strategy(1 + seed%uint64(Mixed)), Strict: seed%512 == 0}
	switch r.IntN(8) {
	case 0, 1, 2:
		o.Answer = voting.Accept
	case 3, 4, 5:
		o.Answer = voting.Reject
	}
	if r.IntN(8) == 0 {
		o.Crashes = 1 + r.IntN(3)
	}
	if r.IntN(2) == 0 {
		o.Loss = r.IntN(200)
	}
	return o
}

// panel is one case before 28 judges. Honest ones run the real machine; the others are in the hand
// of one adversary that sees everything first.
type panel struct {
	opt       PanelOptions
	rng       *rand.Rand
	queue     votetest.Queue
	chain     votetest.Chain
	keys      keyring
	authors   [panelSeats]votetest.Author
	task      voting.Key
	nodes     []*honest // by roster index; nil for a corrupt judge
	adversary *adversary
	ref       referee
	pace      int64 // chain seconds in 1,000 real ones: a slot leader may lie about the time
	look      voting.Case
	looked    bool // look is that of the chain as it is
	phase     phase
	trace     uint64
	result    PanelResult
}

// phase says how far the adversary was told of the case.
type phase struct {
	round     uint8
	drawn     bool
	revealing bool
	over      bool
	overAt    int64 // in the simulation's ms
}

// Play plays one case to its end.
func Play(o PanelOptions) (PanelResult, error) {
	if o.Byzantine < 0 || o.Byzantine > panelSeats || o.Strategy > Mixed {
		return PanelResult{}, fmt.Errorf("byzantine: %d of %d judges byzantine by strategy %d", o.Byzantine, panelSeats, o.Strategy)
	}
	p, err := newPanel(o)
	if err != nil {
		return PanelResult{}, err
	}
	p.play()
	p.ref.end()
	p.result.Trace = p.trace
	return p.result, nil
}

func newPanel(o PanelOptions) (*panel, error) {
	p := &panel{opt: o, rng: rand.New(rand.NewPCG(o.Seed, 0x7a6e1)), task: votetest.Name("task", o.Seed, 0), trace: 14695981039346656037, pace: 1000}
	law := votetest.DefaultLaw()
	law.Rules.CommitSeconds, law.Rules.RevealSeconds = 60, 60 // a tenth of the idle waiting; the machine scales its margins
	law.Rules.MaxRounds = 2
	p.ref.panel = p
	p.chain = votetest.Chain{
		Law: law, Domain: votetest.Domain(o.Seed), Slot: votetest.FirstSlot, Now: votetest.Genesis, Verify: p.keys.verify, Settled: p.ref.settled,
	}
	p.authors = p.keys.authors(p.chain.Domain, o.Seed, o.Strict)
	p.adversary = &adversary{panel: p, votes: make(map[voting.Choice]int)}
	for i, a := range p.authors {
		p.chain.Join(a.Judge, a.Peer, voting.Key{}, 4*law.MinStake)
		var n *honest
		if i < o.Byzantine {
			p.adversary.add(i)
		} else {
			n = newHonest(p, i)
		}
		p.nodes = append(p.nodes, n)
	}
	if err := p.chain.BeginSeason(); err != nil {
		return nil, err
	}
	return p, p.open()
}

// open boots the nodes and brings the case before the court.
func (p *panel) open() error {
	p.queue.Now = startMs
	p.clock()
	for _, n := range p.nodes[p.opt.Byzantine:] {
		if err := n.start(false); err != nil {
			return err
		}
	}
	terms := rules.Terms{Escrow: 1e9, CreatorBond: 1e8, WorkerBond: 1e8, OnUndecided: voting.SplitEscrow}
	parties := voting.Parties{Creator: votetest.Name("creator", p.opt.Seed, 0), Worker: votetest.Name("worker", p.opt.Seed, 0)}
	if err := p.chain.Open(p.task, parties, terms); err != nil {
		return err
	}
	p.ref.lamports = p.chain.State.Lamports()
	p.changed()
	return nil
}

// play runs until the case is over and all nodes had the time to tell each other about it.
func (p *panel) play() {
	const limit, rest = 3_600_000, 240_000
	end := p.queue.Now + limit
	for what, do, ok := p.queue.Next(end); ok; what, do, ok = p.queue.Next(end) {
		p.clock()
		p.note(0, uint64(p.queue.Now), what)
		do()
		if !p.phase.over && p.onChain().Status.Over() {
			p.phase.over, p.phase.overAt = true, p.queue.Now
			for _, j := range p.adversary.judges {
				j.plan.settled(j)
			}
			end = min(end, p.queue.Now+rest)
		}
	}
}

// clock moves the chain to the present.
func (p *panel) clock() {
	p.chain.Now = max(p.chain.Now, votetest.Genesis+p.queue.Now*p.pace/1_000_000)
	p.chain.Slot = votetest.FirstSlot + uint64(p.queue.Now/votetest.SlotMs)
}

// onChain is the case as the chain has it.
func (p *panel) onChain() *voting.Case { return &p.chain.Task(p.task).Case }

// execute runs a transaction now, and lets everybody see what it changed.
func (p *panel) execute(tx func() error) error {
	err := tx()
	if err == nil {
		p.ref.conserved()
		p.changed()
	}
	return err
}

// changed tells the adversary at once and the honest nodes after their lag.
func (p *panel) changed() {
	const _ = uint(6 - voting.Statuses) // does a seventh status begin a phase?
	p.looked = false
	for _, n := range p.nodes[p.opt.Byzantine:] {
		n.lookSoon()
	}
	k := p.onChain()
	if k.Live() && (!p.phase.drawn || p.phase.round != k.Round) {
		p.phase = phase{round: k.Round, drawn: true}
		p.adversary.drawn(k)
		p.queue.At(p.wall(k.CommitEnds), "commits end", func() { p.reveals(k.Round) })
	}
	if k.Status == voting.Revealing {
		p.reveals(k.Round)
	}
}

// reveals tells the adversary that no seat can commit any more.
func (p *panel) reveals(round uint8) {
	k := p.onChain()
	if k.Round == round && !p.phase.revealing && k.Live() && k.CommitsOver(p.chain.Now) {
		p.phase.revealing = true
		p.adversary.revealing(k)
	}
}

// wall is when the chain's clock will show a time, in milliseconds of the simulation.
func (p *panel) wall(at int64) int64 { return ((at-votetest.Genesis)*1_000_000 + p.pace - 1) / p.pace }

// sight returns the case as a node sees it now. All nodes share the seats, and none writes to them.
func (p *panel) sight() voting.Case {
	if !p.looked {
		p.look, _ = p.chain.Look(p.task)
		p.looked = true
	}
	p.look.Slot = p.chain.Slot
	return p.look
}

func (p *panel) between(from, to int64) int64 { return from + p.rng.Int64N(to-from+1) }

func (p *panel) chance(share int) bool { return p.rng.IntN(1_000) < share }

// note adds to the trace.
func (p *panel) note(node int, x uint64, what string) {
	const prime = 1099511628211
	h := p.trace
	h = (h ^ uint64(node)) * prime
	h = (h ^ x) * prime
	for i := range len(what) {
		h = (h ^ uint64(what[i])) * prime
	}
	p.trace = h
}
