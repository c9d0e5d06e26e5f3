package court

import (
	"math/rand/v2"

	"ojud/voting"
	"ojud/voting/votetest"
)

// Options describe a simulation. RandomOptions makes all of them from a seed.
type Options struct {
	Seed   uint64
	Law    votetest.Law
	Judges int // on the roster
	Cases  int // opened in the first minute
	// Unrelated: no judge declares an operator, so that all can have a seat.
	Unrelated bool
	// Adversaries take the places of the first judges, in this order.
	Adversaries []Adversary
	Network     Network
	Ledger      Ledger
	Faults      Faults
	Opinions    Opinions
	// Selfish: no node carries anything for others, and the tests of carrying must notice it.
	Selfish bool
	// PlantMapOrder makes the network send in the order of a Go map: the fault that the test of
	// determinism must catch.
	PlantMapOrder bool
}

// Network says how messages between nodes travel. Times are milliseconds, shares are of 1,000.
type Network struct {
	Latency   [2]int64 // least and most, of a direct message; gossip takes up to four times as long
	Loss      int      // messages lost, by either way
	Duplicate int      // messages that arrive twice
	Split     [2]int64 // from when to when two halves of the nodes cannot reach each other
}

// Ledger says how nodes and the chain reach each other. Times are milliseconds, shares are of
// 1,000.
type Ledger struct {
	Landing   [2]int64 // least and most, from sending to execution
	Drop      int      // transactions that never land
	Duplicate int      // transactions that land twice
	Lag       [2]int64 // least and most, by which a node's looks and clock are behind
	Stale     int      // looks that arrive late, after newer ones
	Rollbacks int      // how many times the chain goes back a few slots
	// Cut are how many nodes cannot reach the chain from some time after they saw the draw to the
	// end of the round, and Poor how many have nothing to pay a fee with: others must commit and
	// reveal for them.
	Cut, Poor int
	Blind     int // nodes that cannot reach the chain during the reveals: others must reveal for them
}

// Faults happen to honest nodes.
type Faults struct {
	Crashes  int // between two effects, anywhere; the node is back within Downtime
	Lost     int // how many of the crashes take the journal with them
	Downtime [2]int64
}

// Opinions is the distribution of honest judges' choices and of the time that they take.
type Opinions struct {
	Accept, Reject, Abstain, Fail, Never int // weights
	Takes                                [2]int64
}

// DefaultOptions are a quiet network of seven honest judges with the main network's rules, but
// three rounds.
func DefaultOptions(seed uint64) Options {
	law := votetest.DefaultLaw()
	law.Rules.MinSeats = 3
	return Options{
		Seed: seed, Law: law, Judges: 7, Cases: 1,
		Network:  Network{Latency: [2]int64{10, 80}},
		Ledger:   Ledger{Landing: [2]int64{400, 1_600}, Lag: [2]int64{300, 1_200}},
		Opinions: Opinions{Accept: 8, Reject: 1, Takes: [2]int64{2_000, 200_000}},
		Faults:   Faults{Downtime: [2]int64{1_000, 15_000}},
	}
}

// RandomOptions are those of a seed: any mixture of sizes, networks, faults, opinions and
// adversaries.
func RandomOptions(seed uint64) Options {
	r := rand.New(rand.NewPCG(seed, 0x0ac1e))
	o := DefaultOptions(seed)
	o.Judges = 4 + r.IntN(8)
	if r.IntN(40) == 0 {
		o.Judges = voting.MaxSeats + r.IntN(5)
	}
	o.Cases = 1 + r.IntN(3)
	o.Law = randomLaw(r, o.Judges)
	o.Network.Latency[1] = 20 + r.Int64N(1_500)
	o.Network.Loss = r.IntN(100)
	o.Network.Duplicate = r.IntN(200)
	if r.IntN(4) == 0 {
		from := r.Int64N(400_000)
		o.Network.Split = [2]int64{from, from + r.Int64N(300_000)}
	}
	o.Ledger.Drop, o.Ledger.Duplicate, o.Ledger.Stale = r.IntN(200), r.IntN(100), r.IntN(100)
	o.Ledger.Rollbacks = max(0, r.IntN(6)-3)
	o.Ledger.Blind = max(0, r.IntN(6)-4)
	o.Faults.Crashes = r.IntN(2 * o.Judges)
	o.Faults.Lost = r.IntN(o.Faults.Crashes + 1)
	o.Opinions = randomOpinions(r)
	for range r.IntN(o.Judges/3 + 1) {
		o.Adversaries = append(o.Adversaries, Adversary(1+r.IntN(int(RelayEquivocator))))
	}
	o.Ledger.Cut, o.Ledger.Poor = max(0, r.IntN(6)-3), max(0, r.IntN(6)-4)
	return o
}

func randomLaw(r *rand.Rand, judges int) votetest.Law {
	law := votetest.DefaultLaw()
	law.Rules.MinSeats = uint8(min(3, judges))
	law.Rules.PanelSeats = uint8(3 + r.IntN(26))
	law.Rules.MaxRounds = uint8(1 + r.IntN(3))
	law.Rules.Preset = uint8(1 + r.IntN(2))
	law.Rules.Fee = r.Uint64N(40_000_000)
	law.Rules.RiskBps = uint16(r.IntN(2_000))
	law.Rules.Absence, law.Rules.Minority = uint16(r.IntN(40)), uint16(r.IntN(40))
	if r.IntN(4) == 0 {
		law.Rules.CommitSeconds, law.Rules.RevealSeconds = uint32(120+r.IntN(600)), uint32(90+r.IntN(300))
	}
	return law
}

func randomOpinions(r *rand.Rand) Opinions {
	o := Opinions{Accept: 1 + r.IntN(10), Reject: r.IntN(6), Abstain: r.IntN(3), Fail: r.IntN(2), Never: r.IntN(2)}
	o.Takes = [2]int64{500, 1_000 + r.Int64N(450_000)}
	return o
}
