//go:build unix

package node

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"ojud/p2p/p2ptest/floor"
)

var (
	figuresTo = flag.String("figures.to", "", "append lines of the table of figures to this file")
	halls     = flag.Int("figures.cases", 6, "how many cases each of the figures rests on")
)

const overQUIC = "/ip4/127.0.0.1/udp/0/quic-v1"

// BenchmarkFigures measures those lines of the table in docs/benchmarks.md that need neither their
// own process nor fake time. `make bench` runs each in its own process and builds the table:
//
//	go test ./node -run '^$' -bench Figures/P9 -benchtime 1x
func BenchmarkFigures(b *testing.B) {
	for _, f := range []struct {
		name    string
		measure func(b *testing.B) []floor.Figure
	}{
		{"P1,P2,P4,P13,tcp", func(b *testing.B) []floor.Figure { return phases(b, "TCP", loopback) }},
		{"P1,P2,P4,P13,quic", func(b *testing.B) []floor.Figure { return phases(b, "QUIC", overQUIC) }},
		{"P1,P2,P4,P13,memory", inMemory("P1", func(b *testing.B) []floor.Figure { return phases(b, "TCP, journals in memory", loopback) })},
		{"P5", func(b *testing.B) []floor.Figure { return crowd(b, "") }},
		{"P5,memory", inMemory("P5", func(b *testing.B) []floor.Figure { return crowd(b, ", journals in memory") })},
		{"P7", func(b *testing.B) []floor.Figure { return loaded(b, "") }},
		{"P7,memory", inMemory("P7", func(b *testing.B) []floor.Figure { return loaded(b, ", journals in memory") })},
		{"P8", answered},
		{"P9", journaled},
		{"P11", filed},
		{"P12", idle},
		{"P15", pagesShown},
	} {
		b.Run(f.name, func(b *testing.B) {
			for b.Loop() {
				machine := floor.ReadMachine(b)
				all := f.measure(b)
				others := machine.Foreign(b)
				for i := range all {
					all[i].Others = others
				}
				floor.Tell(b, *figuresTo, all...)
			}
		})
	}
}

// column returns one figure of all exchanges.
func column(all []exchanged, of func(exchanged) float64) (out []float64) {
	for _, e := range all {
		out = append(out, of(e))
	}
	return out
}

// sum returns a figure summed over both exchanges of a case.
func sum(all []decided, of func(exchanged) float64) (out []float64) {
	for _, d := range all {
		out = append(out, of(d.commits)+of(d.votes))
	}
	return out
}

// decided holds the measurements of one case.
type decided struct{ commits, votes exchanged }

// exchangesOfVotes returns the exchanges of votes.
func exchangesOfVotes(all []decided) (out []exchanged) {
	for _, d := range all {
		out = append(out, d.votes)
	}
	return out
}

// tail returns the 99th percentile.
func tail(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)*99/100]
}

// These are the figures of an exchange for the table, in milliseconds and bytes.
func directMS(e exchanged) float64  { return e.direct.Millis() }
func gossipMS(e exchanged) float64  { return e.gossip.Millis() }
func ownMS(e exchanged) float64     { return e.own.Millis() }
func quorumMS(e exchanged) float64  { return e.quorum.Seconds() * 1000 }
func directCPU(e exchanged) float64 { return e.directCPU }
func gossipCPU(e exchanged) float64 { return e.gossipCPU }
func ownCPU(e exchanged) float64    { return e.ownCPU }

// phases measures P1, P2, P4 and P13: the exchanges of whole nodes, beside bare ones of the same
// sizes.
func phases(b *testing.B, over, addr string) []floor.Figure {
	b.Helper()
	h := newHall(b, addr, floor.NewDirect, floor.NewGossip)
	h.hold() // streams open
	var all []decided
	for tries := 0; len(all) < *halls; tries++ {
		if tries == 3**halls {
			b.Fatalf("in %d of %d cases judges were so late that they learned of more than %d of the others' commits by asking, before they were pushed; is the machine busy?", tries-len(all), tries, mostLeaked)
		}
		if c, v := h.hold(); max(c.leaked, v.leaked) <= mostLeaked {
			all = append(all, decided{c, v})
		}
	}
	h.verified(h.nodes[seats-1], h.latest)
	votes := exchangesOfVotes(all)
	return slices.Concat(phaseTimes(over, votes), decision(over, all), phaseCosts(over, votes, all))
}

// inMemory measures without a disk, because 28 nodes on one machine would share one disk and 28
// machines would not.
func inMemory(id string, measure func(*testing.B) []floor.Figure) func(*testing.B) []floor.Figure {
	return func(b *testing.B) []floor.Figure {
		const memory = "/dev/shm"
		if _, err := os.Stat(memory); err != nil {
			return []floor.Figure{{ID: id, What: "the same with journals in memory", Here: "not run", Why: "there is no " + memory}}
		}
		b.Setenv("TMPDIR", memory)
		return measure(b)
	}
}

func ms(v []float64) string { return fmt.Sprintf("%.1f ms", floor.Median(v)) }

// against returns a figure whose ratio to its floor must be at most limit.
func against(id, what string, here, base []float64, unit func([]float64) string, limit float64, why string) floor.Figure {
	f := floor.Figure{ID: id, What: what, Here: unit(here), Floor: unit(base), Ratio: floor.Ratio(here, base), Goal: fmt.Sprintf("≤ %.2f", limit), Why: why}
	if slices.Min(base) <= 0 { // processor time above idle: the idle share varies
		f.Ratio, f.Why = floor.Median(here)/floor.Median(base), "of medians, not of pairs: idle processes use more than the floor; "+why
	}
	f.Met = f.Ratio > 0 && f.Ratio <= limit
	return f
}

// phaseWhy names the waits of an exchange that the bare one does not have.
func phaseWhy(votes []exchanged) string {
	return fmt.Sprintf("the floor keeps nothing; the 28 nodes made %.0f writes, %.1f ms each until synced, to one disk or memory; and a notice is decoded, checked and held to the chain's view",
		floor.Median(column(votes, func(e exchanged) float64 { return e.writes })), floor.Median(column(votes, func(e exchanged) float64 { return e.write })))
}

func phaseTimes(over string, votes []exchanged) []floor.Figure {
	own := column(votes, ownMS)
	what := fmt.Sprintf("28 signed votes, from their pushes to every journal (%s), of ", over)
	return []floor.Figure{
		against("P1", what+"gossipsub", own, column(votes, gossipMS), ms, 0.75, phaseWhy(votes)),
		against("P1", what+"bare streams", own, column(votes, directMS), ms, 1.6, phaseWhy(votes)),
	}
}

// decision is P2: both exchanges, until every node has a deciding majority on disk. The time of the
// chain is listed apart.
func decision(over string, all []decided) []floor.Figure {
	quorums := sum(all, quorumMS)
	p := floor.Median(quorums)
	return []floor.Figure{
		against("P2", fmt.Sprintf("19 of 28 commits, then 19 of 28 votes, in every journal (%s), without the chain's slots", over), quorums, sum(all, directMS), ms, 1.5, phaseWhy(exchangesOfVotes(all))),
		{ID: "P2", What: "its p99, of its median", Here: fmt.Sprintf("%.1f ms", tail(quorums)), Floor: fmt.Sprintf("%.1f ms", p), Ratio: tail(quorums) / p,
			Goal: "≤ 2.00", Met: tail(quorums) <= 2*p, Why: "collections of the one process that holds all nodes"},
	}
}

func phaseCosts(over string, votes []exchanged, all []decided) []floor.Figure {
	kib := func(v []float64) string { return fmt.Sprintf("%.1f KiB", floor.Median(v)/1024) }
	cpu := column(votes, ownCPU)
	what := fmt.Sprintf("processor time of 28 votes, all nodes (%s), of ", over)
	return []floor.Figure{
		against("P4", what+"bare streams", cpu, column(votes, directCPU), ms, 1.5, phaseWhy(votes)),
		against("P4", what+"gossipsub", cpu, column(votes, gossipCPU), ms, 0.65, phaseWhy(votes)),
		against("P13", fmt.Sprintf("bytes written by a node for a decision (%s), pushes, acknowledgements and gossip after them, of bare gossipsub", over),
			sum(all, func(e exchanged) float64 { return e.ownBytes }), sum(all, func(e exchanged) float64 { return e.gossipBytes }), kib, 1, "the second path floods"),
	}
}

// idle is P12.
func idle(b *testing.B) []floor.Figure {
	c := &court{b: b, arrived: make(chan struct{}, seats)}
	c.world = newChain(b, chainConfig(), nil)
	bare := idleFor(b, seats, 20*time.Second, func() { floor.NewGossip(b, seats, loopback) })
	own := idleFor(b, seats, 20*time.Second, func() {
		c.assemble(seats, func(_ int, m *member) { m.cfg.Sync.Every = DefaultConfig().Sync.Every })
	})
	unit := func(format string, by float64) func([]float64) string {
		return func(v []float64) string { return fmt.Sprintf(format, v[0]*by) }
	}
	return []floor.Figure{
		against("P12", "memory of an idle node with its stores, of a bare host with gossipsub, 28 each", []float64{own.memory}, []float64{bare.memory}, unit("%.1f MiB", 1.0/(1<<20)), 2.5,
			"a store of its own (memtable, cache, mapped files), kad-dht, and a stream and two goroutines for each neighbour and protocol"),
		against("P12", "its goroutines", []float64{own.goroutines}, []float64{bare.goroutines}, unit("%.0f", 1), 1.2,
			"kad-dht keeps a stream to each of 27 neighbours, with a goroutine; Badger, the chain's watcher and the node's own loops are some 60"),
		against("P12", "its processor time (thousandths of a processor)", []float64{own.cpu}, []float64{bare.cpu}, unit("%.2f", 1000), 3,
			"the chain tells each node of every slot (2.5 a second), and Badger looks whether to compact 20 times a second"),
	}
}
