//go:build unix

package node

import (
	"slices"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p"

	"ojud/ledger/program"
	"ojud/p2p/p2ptest"
	"ojud/p2p/p2ptest/floor"
)

// exchanged holds the measurements of one exchange among whole nodes, and of the bare ones before
// it.
type exchanged struct {
	direct, gossip, own floor.Span // until every host has everything
	quorum              time.Duration
	directCPU           float64 // milliseconds, above idle, with acknowledgements
	gossipCPU, ownCPU   float64
	directBytes         float64 // a host
	gossipBytes         float64
	ownBytes            float64 // with the second path
	leaked              int     // notices of others that nodes fetched before the exchange began; it measures too little then
	writes              float64 // into the journals of all nodes
	write               float64 // milliseconds of one of them, with its sync
}

// mostLeaked is a hundredth of the notices that 28 nodes have of each other after an exchange.
const mostLeaked = seats * (seats - 1) / 100

// hall is a court, beside bare hosts, whose exchanges begin when the benchmark says so.
type hall struct {
	*court
	gates  []*barrier
	ways   []floor.Exchange // direct, gossip
	meters []*floor.Meter
	meter  *floor.Meter          // of the whole nodes
	voters map[int]*floor.Voters // by size
}

// newHall starts whole nodes that listen on addr, and bare hosts for each of the ways.
func newHall(b *testing.B, addr string, ways ...func(testing.TB, int, string, ...libp2p.Option) floor.Exchange) *hall {
	b.Helper()
	cfg := chainConfig()
	cfg.Send.Status = 100 * time.Millisecond
	h := &hall{court: &court{b: b, arrived: make(chan struct{}, seats)}, voters: map[int]*floor.Voters{}, meter: &floor.Meter{}}
	h.world = newChain(b, cfg, nil)
	for _, make := range ways {
		m := &floor.Meter{}
		h.meters, h.ways = append(h.meters, m), append(h.ways, make(b, seats, addr, m.Option()))
	}
	h.assemble(seats, func(_ int, m *member) {
		h.gates = append(h.gates, holdBack(m))
		m.deps.Libp2p = append(m.deps.Libp2p, h.meter.Option())
		m.cfg.Sync.Every, m.cfg.P2P.Listen = DefaultConfig().Sync.Every, []string{addr}
	})
	h.creator, h.worker = h.parties()
	for _, w := range h.ways { // streams open, the mesh settles
		for range 3 {
			w.Round(h.votes(400))
		}
	}
	h.rested(5 * time.Second)
	return h
}

// rested measures the idle share of a processor, which the floor needs.
func (h *hall) rested(d time.Duration) {
	if len(h.ways) > 0 {
		h.idle = floor.Idle(h.b, d)
	}
}

// votes returns new votes of a size, one of each judge.
func (h *hall) votes(size int) [][]byte {
	size = max(size, floor.MinVote)
	if h.voters[size] == nil {
		h.voters[size] = floor.NewVoters(h.b, seats, size)
	}
	return h.voters[size].Votes()
}

// hold decides a case and measures both its exchanges.
func (h *hall) hold() (commits, votes exchanged) {
	h.b.Helper()
	task := h.bring(h.creator, h.worker, h.cases, sol/100, eleptiger(h.b))
	h.cases, h.latest = h.cases+1, task
	for range seats {
		select {
		case <-h.arrived:
		case <-time.After(patience):
			h.b.Fatal("not every judge was asked")
		}
	}
	for _, release := range h.release {
		release <- struct{}{}
	}
	have := func(n int, of func(c, v []int) []int) func(*member) bool {
		return func(m *member) bool { return len(of(m.loop.View().Have(task, 1))) >= n }
	}
	commits = h.exchange("commits", func(n int) func(*member) bool { return have(n, func(c, _ []int) []int { return c }) })
	h.pass("commit", true)
	votes = h.exchange("votes", func(n int) func(*member) bool { return have(n, func(_, v []int) []int { return v }) })
	h.pass("reveal", true)
	if len(h.ways) > 0 {
		h.finish(task)
	} else {
		h.until(patience, "decided", task, func(k *program.Case) bool { return k.Status.Over() })
	}
	h.finish(task)
	h.pass("commit", false)
	h.pass("reveal", false)
	return commits, votes
}

func (h *hall) pass(instruction string, open bool) {
	for _, g := range h.gates {
		g.pass(instruction, open)
	}
}

// quorum is the number of seats that decide (19 of 28 pay).
const quorum = 19

// rest is the time that acknowledgements need after an exchange; they are part of its cost.
const rest = 500 * time.Millisecond

// exchange waits until every node holds back its notice, lets the bare hosts exchange as much, and
// then releases the notices. has(n) returns the test whether a node has n of them on its disk.
func (h *hall) exchange(what string, has func(n int) func(*member) bool) (e exchanged) {
	h.b.Helper()
	p2ptest.Eventually(h.b, patience, what+" of all nodes wait", func() bool {
		return !slices.ContainsFunc(h.gates, func(s *barrier) bool { return !s.holds(1) })
	})
	time.Sleep(rest) // until the chain is quiet
	h.rested(3 * rest)
	pending, size := make([][]pendingPush, seats), 0
	for i, g := range h.gates {
		pending[i] = g.take()
		for _, p := range pending[i] {
			size = max(size, len(p.notice.Encode()))
		}
	}
	if len(h.ways) > 0 {
		e.direct, e.directCPU, e.directBytes = h.bare(0, size)
		e.gossip, e.gossipCPU, e.gossipBytes = h.bare(1, size)
	}
	for _, m := range h.nodes {
		for n := 2; n <= seats && has(n)(m); n++ {
			e.leaked++
		}
	}
	writes, written := h.journals()
	before, whole, stop, start := h.meter.Bytes(), floor.Stopwatch(h.b), floor.Stopwatch(h.b), time.Now()
	for i, g := range h.gates {
		go func() {
			for _, p := range pending[i] {
				if err := g.inner.Push(p.to, p.notice); err != nil {
					h.b.Error(err)
				}
			}
		}()
	}
	most, all := &front{ok: has(quorum)}, &front{ok: has(seats)}
	for ; !all.advance(h.nodes, 0); time.Sleep(500 * time.Microsecond) {
		if most.advance(h.nodes, 0) && e.quorum == 0 {
			e.quorum = time.Since(start)
		}
		if time.Since(start) > patience {
			h.b.Fatalf("%s: %d nodes have all, %d a quorum", what, all.passed, most.passed)
		}
	}
	if e.own = stop(); e.quorum == 0 {
		e.quorum = e.own.Wall
	}
	if n, s := h.journals(); n > writes {
		e.writes, e.write = n-writes, (s-written)/(n-writes)*1000
	}
	time.Sleep(rest)
	e.ownCPU = whole().Above(h.idle)
	h.second(pending)
	e.ownBytes = (h.meter.Bytes() - before) / seats
	return e
}

// journals counts the writes of all nodes, and the seconds that they took.
func (h *hall) journals() (writes, seconds float64) {
	h.b.Helper()
	for _, m := range h.nodes {
		families, err := m.deps.Metrics.Gather()
		h.must(err)
		for _, f := range families {
			if f.GetName() != "ojud_journal_commit_seconds" {
				continue
			}
			for _, kind := range f.GetMetric() {
				writes += float64(kind.GetHistogram().GetSampleCount())
				seconds += kind.GetHistogram().GetSampleSum()
			}
		}
	}
	return writes, seconds
}

// second makes all nodes gossip their pushes after the usual delay. All other nodes get the notices
// in this way.
func (h *hall) second(pending [][]pendingPush) {
	h.b.Helper()
	for i, g := range h.gates {
		for _, p := range pending[i] {
			h.must(g.inner.Publish(p.notice))
		}
	}
	time.Sleep(2 * rest)
}

// bare runs one of the bare exchanges.
func (h *hall) bare(way, size int) (took floor.Span, cpu, bytes float64) {
	h.b.Helper()
	votes, before := h.votes(size), h.meters[way].Bytes()
	whole, stop := floor.Stopwatch(h.b), floor.Stopwatch(h.b)
	h.ways[way].Round(votes)
	took = stop()
	h.ways[way].Settle()
	time.Sleep(rest)
	return took, whole().Above(h.idle), (h.meters[way].Bytes() - before) / seats
}
