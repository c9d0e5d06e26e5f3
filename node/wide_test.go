//go:build unix

package node

import (
	"flag"
	"fmt"
	"slices"
	"testing"
	"time"

	"ojud/ledger/program"
	"ojud/p2p/p2ptest"
	"ojud/p2p/p2ptest/floor"
	"ojud/voting"
)

var (
	wideCases = flag.Int("figures.wide", 0, "how many cases TestWide decides at each loss, with a whole panel; 0: one case of a small panel")
	wideTo    = flag.String("figures.wide.to", "", "append lines of the table of figures to this file")
	wideLoss  = flag.Bool("figures.loss", false, "TestWide also loses 5 and 20 of 100 packets")
)

// oneWay is the time from one judge of TestWide to another.
const oneWay = 50 * time.Millisecond

// wideSeats returns the number of judges. Few are enough to see the effect of the distance.
// wideQuorum is the number that decides in a whole panel.
func wideSeats() int {
	if *wideCases > 0 {
		return 28
	}
	return 7
}

func wideQuorum() int { return quorumOf(wideSeats()) }

func quorumOf(seats int) int { return seats * quorum / 28 }

// TestWide is P3: on fake time, 50 ms from judge to judge, every node has 19 of 28 commits and then
// 19 of 28 votes in its journal after little more than twice the one-way time. Processors cost
// nothing here, so the figure is the same on every machine:
//
//	go test ./node -run TestWide -figures.wide 10 -figures.loss -v
func TestWide(t *testing.T) {
	points := []struct {
		loss  float64
		limit time.Duration
	}{{0, 2*oneWay*115/100 + 10*time.Millisecond}}
	if *wideLoss {
		points = append(points, points[0], points[0])
		points[1].loss, points[1].limit = 0.05, 2*oneWay*13/10
		points[2].loss, points[2].limit = 0.20, 2*oneWay*22/10
	}
	for _, p := range points {
		t.Run(fmt.Sprintf("loss=%.2f", p.loss), func(t *testing.T) {
			p2ptest.Run(t, func(t *testing.T) {
				w := newWide(t, wideSeats(), 0)
				var all []float64
				for n := uint64(0); len(all) < max(1, *wideCases); n++ {
					if n > uint64(10+2**wideCases) {
						t.Fatalf("only in %d of %d cases nobody knew of others' notices before they were pushed", len(all), n)
					}
					if took, clean := w.decide(n, p.loss); clean {
						all = append(all, took.Seconds()*1000)
					}
				}
				slices.Sort(all)
				if p.loss == 0 && (all[0] < 2*oneWay.Seconds()*1000 || floor.Median(all) > p.limit.Seconds()*1000) {
					t.Errorf("a decision took %.1f ms in the middle, %.1f to %.1f; at most %s, and light takes %s", floor.Median(all), all[0], all[len(all)-1], p.limit, 2*oneWay)
				}
				if *wideTo != "" {
					floor.Tell(t, *wideTo, wideFigure(all, p.loss, p.limit))
				}
				if *wideTo != "" && p.loss == 0 {
					floor.Tell(t, *wideTo, besides(floor.Median(all))...)
				}
			})
		})
	}
}

func wideFigure(all []float64, loss float64, limit time.Duration) floor.Figure {
	light := 2 * oneWay.Seconds() * 1000
	return floor.Figure{
		ID: "P3", What: fmt.Sprintf("%d of %d commits, then as many votes, in every journal, 50 ms one way, %.0f %% of packets lost, fake time, %d cases", wideQuorum(), wideSeats(), loss*100, len(all)),
		Here: fmt.Sprintf("%.1f ms (p99 %.1f)", floor.Median(all), all[len(all)*99/100]), Floor: fmt.Sprintf("%.0f ms (light)", light), Ratio: floor.Median(all) / light,
		Goal: fmt.Sprintf("≤ %d ms", limit.Milliseconds()), Met: floor.Median(all) <= limit.Seconds()*1000, Others: "fake time",
		Why: "the last node waits for what QUIC sends again",
	}
}

// besides returns published decision times beside ours of P3, in milliseconds (P14). Those systems
// decide other things in other ways, and our figure leaves out slots and the deliberation of a
// round.
func besides(ms float64) (out []floor.Figure) {
	for _, other := range []struct {
		name    string
		seconds float64
		least   float64 // how many times as long it must be
	}{
		{"drand's period", 3, 20}, {"OCR's least round", 5, 1}, {"Filecoin F3", 150, 1}, {"Kleros' fastest court", 136_800, 1}, {"UMA's vote", 172_800, 1},
	} {
		r := other.seconds * 1000 / ms
		out = append(out, floor.Figure{ID: "P14", What: "P3 without loss, beside the published time of " + other.name, Here: fmt.Sprintf("%.1f ms", ms),
			Floor: fmt.Sprintf("%.0f s", other.seconds), Ratio: r, Goal: fmt.Sprintf("≥ %.0f", other.least), Met: r >= other.least, Others: "fake time"})
	}
	return out
}

// wide is a world whose exchanges begin when the test says so.
type wide struct {
	*world
	seats     int
	gates     []*barrier
	guests    []*guest
	arrived   chan struct{}
	release   []chan struct{} // one for each judge
	bringCase func(n uint64) voting.Key

	meter   *floor.Meter // of the whole nodes
	path    path
	gossips bool // gossip after an exchange, as nodes do; no seat needs it
}

// path is the way of the notices in an exchange.
type path func(s *barrier, p pendingPush) error

func pushes(s *barrier, p pendingPush) error { return s.inner.Push(p.to, p.notice) }

// newWide starts the judges that get a seat, and the guests on the Roster that get none.
func newWide(t *testing.T, seats, guests int) *wide {
	t.Helper()
	w := &wide{world: newChain(t, chainConfig(), roomy), seats: seats, arrived: make(chan struct{}, seats), meter: &floor.Meter{}, path: pushes}
	w.net = p2ptest.NewNet(t, oneWay)
	for i := range seats {
		w.enrol(guests*(i+1)/seats - guests*i/seats)
		release := make(chan struct{})
		w.release = append(w.release, release)
		w.joinWith(func(m *member) {
			w.gates = append(w.gates, holdBack(m))
			m.deps.Libp2p = append(m.deps.Libp2p, w.meter.Option())
			m.deps.Judge = gated{code(), w.arrived, release}
		})
	}
	w.invite()
	most := w.nodes[0].cfg.Sync.MaxLinks
	p2ptest.Eventually(t, 10*time.Minute, "all links", func() bool {
		return !slices.ContainsFunc(w.nodes, func(m *member) bool {
			links, known := m.Peers()
			return links < min(most, seats+guests-1) || known < seats+guests-1
		})
	})
	creator, worker := w.parties()
	w.bringCase = func(n uint64) voting.Key { return w.bring(creator, worker, n, sol/100, eleptiger(t)) }
	return w
}

// decide decides a case and returns how long its two exchanges took. Meanwhile the network loses
// that share of packets. The result is not clean if a late judge fetched others' commits before
// they were pushed: then the time is too short.
func (w *wide) decide(n uint64, loss float64) (took time.Duration, clean bool) {
	w.t.Helper()
	task := w.bringCase(n)
	for range w.release {
		<-w.arrived
	}
	for _, release := range w.release {
		release <- struct{}{}
	}
	commits, clean := w.exchange(loss, func(m *member) int { c, _ := m.loop.View().Have(task, 1); return len(c) })
	w.pass("commit", true)
	votes, pure := w.exchange(loss, func(m *member) int { _, v := m.loop.View().Have(task, 1); return len(v) })
	w.pass("reveal", true)
	w.until(20*time.Minute, "decided", task, func(c *program.Case) bool { return c.Status.Over() })
	w.pass("commit", false)
	w.pass("reveal", false)
	return commits + votes, clean && pure
}

func (w *wide) pass(instruction string, open bool) {
	for _, g := range w.gates {
		g.pass(instruction, open)
	}
}

// exchange waits until every node holds its notice back, releases all, and returns how long it took
// until every node had a quorum. It is clean if no node had more than its own notice before.
func (w *wide) exchange(loss float64, has func(*member) int) (took time.Duration, clean bool) {
	w.t.Helper()
	p2ptest.Eventually(w.t, 10*time.Minute, "all notices wait", func() bool {
		return !slices.ContainsFunc(w.gates, func(s *barrier) bool { return !s.holds(1) })
	})
	time.Sleep(rest)
	clean = !slices.ContainsFunc(w.nodes, func(m *member) bool { return has(m) > 1 })
	w.net.Loss(loss)
	pending := make([][]pendingPush, len(w.gates))
	start := time.Now()
	for i, g := range w.gates {
		pending[i] = g.take()
		for _, p := range pending[i] {
			w.must(w.path(g, p))
		}
	}
	for slices.ContainsFunc(w.nodes, func(m *member) bool { return has(m) < quorumOf(w.seats) }) {
		if time.Sleep(100 * time.Microsecond); time.Since(start) > time.Minute {
			w.t.Fatal("no quorum at every node in a minute")
		}
	}
	took = time.Since(start)
	w.net.Loss(0)
	if w.gossips {
		w.second(pending)
	}
	time.Sleep(5 * time.Second) // lost packets are sent again
	return took, clean
}
