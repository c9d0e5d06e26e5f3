package sim

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"ojud/sim/fault"
	"ojud/voting"
)

// These are the faults that a seed can plan, with the names of package fault.
const (
	loss        = fault.MessageLoss
	delay       = fault.Delay
	reorder     = fault.Reordering
	duplicate   = fault.Duplication
	halves      = fault.PartitionHalves
	bridge      = fault.PartitionBridge
	star        = fault.PartitionStar
	oneWay      = fault.PartitionOneWay
	flapping    = fault.PartitionFlapping
	crash       = fault.NodeCrash
	staleDisk   = fault.NodeStaleDisk
	lostDisk    = fault.NodeLostDisk
	diskFull    = fault.DiskFull
	failedSync  = fault.SyncFailed
	outage      = fault.ChainOutage
	slowRPC     = fault.RPCSlow
	flakyRPC    = fault.RPCAnswersLost
	staleRPC    = fault.RPCStaleSlot
	oldState    = fault.RPCOldState
	wrongBytes  = fault.RPCWrongBytes
	falseLanded = fault.RPCFalseLanded
	otherChain  = fault.RPCOtherGenesis
	droppedTx   = fault.TxDropped
	lateTx      = fault.TxLate
	rpcDown     = fault.RPCDown
	noFunds     = fault.WalletEmpty
	rollback    = fault.ChainRollback
	chainCrash  = fault.ChainCrash
	skew        = fault.ClockSkew
)

// faults lists all of them. Those after chainCrash hold for a whole run.
var faults = []fault.Kind{
	loss, delay, reorder, duplicate, halves, bridge, star, oneWay, flapping, crash, staleDisk, lostDisk, diskFull, failedSync, outage,
	slowRPC, flakyRPC, staleRPC, oldState, wrongBytes, falseLanded, otherChain, droppedTx, lateTx, rpcDown, noFunds, rollback, chainCrash, skew,
}

// onWire reports whether a fault happens to packets.
func onWire(f fault.Kind) bool { return slices.Index(faults, f) <= slices.Index(faults, flapping) }

// onRPC reports whether a fault happens between a node and its RPC node.
func onRPC(f fault.Kind) bool {
	return slices.Contains([]fault.Kind{slowRPC, flakyRPC, staleRPC, oldState, wrongBytes, falseLanded, otherChain, droppedTx, lateTx, rpcDown}, f)
}

// misleads reports whether the RPC node shows a state other than the chain's. Such a fault excuses
// a judge that did not vote. Under other faults the others can carry its vote.
func misleads(f fault.Kind) bool {
	return slices.Contains([]fault.Kind{staleRPC, oldState, wrongBytes, otherChain}, f)
}

// silences reports whether the RPC node fails, so that the others carry the vote of a judge that
// saw the draw. All other faults are no excuse.
func silences(f fault.Kind) bool {
	return slices.Contains([]fault.Kind{slowRPC, falseLanded, rpcDown}, f)
}

// adversary is how a judge misbehaves; empty: it does not.
type adversary fault.Kind

// These are the adversaries.
const (
	honest      adversary = ""
	absent                = adversary(fault.Absent)
	late                  = adversary(fault.Late)
	withholder            = adversary(fault.Withholder)
	copier                = adversary(fault.Copier)
	equivocator           = adversary(fault.Equivocator)
	splitter              = adversary(fault.VoteSplitter)
	spammer               = adversary(fault.Spammer)
	colluder              = adversary(fault.Colluder)
	replayer              = adversary(fault.Replayer)
)

var adversaries = []adversary{absent, late, withholder, copier, equivocator, splitter, spammer, colluder, replayer}

// event is a fault with its time, from the first case on, and its node.
type event struct {
	kind  fault.Kind
	at    time.Duration
	lasts time.Duration
	node  int
	dose  float64 // strength, 0 to 1
}

func (e event) String() string {
	return fmt.Sprintf("%s at %s for %s, node %d, dose %.2f", e.kind, e.at, e.lasts, e.node, e.dose)
}

// mind is the opinion of a judge and the time that it needs.
type mind struct {
	choice voting.Choice
	takes  time.Duration
}

// plan is the complete plan of a seed.
type plan struct {
	seed    uint64
	stakes  []uint64 // lamports, of each judge
	who     []adversary
	minds   []mind
	opinion string          // how the honest think
	cases   []time.Duration // when they are brought
	events  []event
	skew    time.Duration // of the chain's clock to the nodes'
	drift   float64       // of the chain's clock: seconds a second
	// These are for TestMire; no seed sets them. They are the bits a second of each node and the
	// seconds of a round; 0 keeps the default.
	narrow         int
	commit, reveal uint32
	patience       time.Duration // of one question to a peer
	// These are switches for negative controls; no seed sets them. The judge of that number, if it
	// is not 0, signs everything that it is asked to sign (unguarded), or loses its node for good
	// although its supervisor says that it runs (abandoned).
	unguarded, abandoned int
	uncarried            bool // the others carry no votes
}

// These are the lengths of a simulated court, in seconds.
const (
	commitSeconds   = 90
	revealSeconds   = 60
	drawSeconds     = 120
	evidenceSeconds = 150
	lastFault       = 200 * time.Second // the latest start of a fault
)

// trapped is a limit: crashes of a smaller dose happen when the node first shows a signed
// statement.
const trapped = 0.6

// newPlan makes the plan of a seed.
func newPlan(seed uint64) plan {
	r := rand.New(rand.NewPCG(seed, 0x51d))
	p := plan{seed: seed, drift: 1}
	judges := 5 + r.IntN(3)
	switch {
	case seed%40 == 39:
		judges = voting.MaxSeats
	case seed%8 == 7:
		judges = 9
	}
	for range judges {
		stake := uint64(2e9)
		if r.IntN(2) == 0 {
			stake = 1e9 + r.Uint64N(4e9)
		}
		p.stakes = append(p.stakes, stake)
	}
	p.recruit(r)
	p.think(r)
	for i := range 1 + min(1, r.IntN(3)) {
		p.cases = append(p.cases, time.Duration(i)*time.Duration(1+r.IntN(20))*time.Second)
	}
	p.strike(r)
	return p
}

// recruit makes adversaries of judges, from the last on, as long as they have at most a third of
// the weight.
func (p *plan) recruit(r *rand.Rand) {
	p.who = make([]adversary, len(p.stakes))
	kind := adversaries[int(p.seed)%len(adversaries)]
	left := p.total() / 3
	for i := len(p.stakes) - 1; i > 1 && p.stakes[i] <= left; i-- {
		left -= p.stakes[i]
		p.who[i] = kind
		if kind != colluder || r.IntN(3) == 0 {
			kind = adversaries[r.IntN(len(adversaries))]
		}
	}
}

func (p *plan) total() (sum uint64) {
	for _, s := range p.stakes {
		sum += s
	}
	return sum
}

// think gives every judge an opinion and a time to form it.
func (p *plan) think(r *rand.Rand) {
	p.opinion = []string{"accept", "accept", "reject", "halves", "mixed"}[r.IntN(5)]
	for i := range p.stakes {
		m := mind{choice: voting.Accept, takes: time.Duration(1+r.IntN(45)) * time.Second}
		switch {
		case p.opinion == "reject", p.opinion == "halves" && i%2 == 1:
			m.choice = voting.Reject
		case p.opinion == "mixed":
			m.choice = voting.Choice(1 + r.IntN(3))
		}
		if p.who[i] == colluder { // against the first, who is honest, and at once
			m = mind{choice: voting.Accept + voting.Reject - min(p.minds[0].choice, voting.Reject), takes: time.Second}
		}
		p.minds = append(p.minds, m)
	}
}

// strike plans the faults. The first fault follows from the seed's number, so that as many seeds as
// there are faults cover all of them.
func (p *plan) strike(r *rand.Rand) {
	kinds := []fault.Kind{faults[(int(p.seed)+slices.Index(faults, crash))%len(faults)]}
	for range 1 + r.IntN(4) {
		kinds = append(kinds, faults[r.IntN(len(faults))])
	}
	if p.seed%16 == 15 { // a quiet one
		kinds = nil
	}
	wire, chain := time.Duration(0), 30*time.Second
	for i, k := range kinds {
		e := event{kind: k, at: time.Duration(2+r.IntN(110)) * time.Second, lasts: time.Duration(5+r.IntN(75)) * time.Second, node: p.victim(r), dose: r.Float64()}
		switch {
		case k == skew:
			e.at, e.lasts = 0, 0
			p.skew = time.Duration(r.IntN(600)-300) * time.Second
			p.drift = 0.97 + 0.06*r.Float64()
		case onWire(k) && k != duplicate: // one after the other
			e.at = max(e.at, wire)
			wire = e.at + e.lasts + 5*time.Second
		case k == rollback || k == chainCrash || k == outage:
			e.at, e.lasts = max(e.at, chain), time.Duration(1+r.IntN(25))*time.Second
			chain = e.at + e.lasts + 15*time.Second
		case k == rpcDown:
			e.at, e.lasts = time.Duration(5+r.IntN(60))*time.Second, e.lasts+time.Duration(r.IntN(100))*time.Second
		case k == staleDisk || k == lostDisk || k == crash:
			e.lasts = time.Duration(1+r.IntN(40)) * time.Second
			if i == 0 && k == crash { // half of the others have its statement, the chain does not, and there is still time to vote
				e.dose, e.lasts = 0.75*trapped, min(e.lasts, 10*time.Second)
				p.minds[e.node].takes = min(p.minds[e.node].takes, 10*time.Second)
			}
			if e.dose < trapped {
				e.at = time.Second
			}
		}
		if e.at <= lastFault {
			p.events = append(p.events, e)
		}
	}
	slices.SortStableFunc(p.events, func(a, b event) int { return int(a.at - b.at) })
}

// victim returns an honest judge.
func (p *plan) victim(r *rand.Rand) int {
	for {
		if i := r.IntN(len(p.stakes)); p.who[i] == honest {
			return i
		}
	}
}

// durable reports whether the chain must be on disk.
func (p *plan) durable() bool {
	return slices.ContainsFunc(p.events, func(e event) bool { return e.kind == rollback || e.kind == chainCrash })
}

// String describes the plan for people.
func (p plan) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d: %d judges, the honest think %q, %d cases, chain's clock %s off at %.3f s/s\n", p.seed, len(p.stakes), p.opinion, len(p.cases), p.skew, p.drift)
	for i, who := range p.who {
		if who == honest {
			who = "honest"
		}
		fmt.Fprintf(&b, "  judge %d: %s, %d lamports, %s after %s\n", i, who, p.stakes[i], p.minds[i].choice, p.minds[i].takes)
	}
	for _, e := range p.events {
		fmt.Fprintf(&b, "  %s\n", e)
	}
	return b.String()
}
