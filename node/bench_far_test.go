//go:build unix

package node

import (
	"flag"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p"

	"ojud/node/evidence"
	"ojud/p2p/p2ptest"
	"ojud/p2p/p2ptest/floor"
)

var (
	farAsks = flag.Int("figures.far", 0, "how many sources each judge asks for in TestFar, at most 10, in a whole panel; 0: one, in a small one")
	farTo   = flag.String("figures.far.to", "", "append lines of the table of figures to this file")
)

// farBytes is the size of an answer.
const farBytes = 64 << 10

// far is a court and bare hosts on one simulated wire, 50 ms one way.
type far struct {
	*bazaar
	holders      int
	sparse, full *floor.Lookup // bare hosts: with three links and those of kad-dht; all linked with each other, like judges
}

// newFar starts n judges and as many bare hosts. The last ones hold sources.
func newFar(t *testing.T, n, holders, sources int, bare bool) *far {
	t.Helper()
	f := &far{bazaar: newBazaar(t, stand{nodes: n, holders: holders, sources: sources, bytes: farBytes, wire: oneWay}), holders: holders}
	if !bare {
		return f
	}
	lookup := func(first, links int) *floor.Lookup {
		l := floor.NewLookupAt(t, n, links, farBytes, func(i int) (string, []libp2p.Option) {
			return fmt.Sprintf("/ip4/%s/udp/4600/quic-v1", p2ptest.IP(first+i)), []libp2p.Option{f.net.Transport()}
		})
		for _, name := range f.sources {
			for holder := n - holders; holder < n; holder++ {
				l.Provide(holder, []byte(name))
			}
		}
		return l
	}
	f.sparse, f.full = lookup(100, 3), lookup(200, n)
	return f
}

// askers returns the nodes without sources.
func (f *far) askers() []*member { return f.nodes[:len(f.nodes)-f.holders] }

// seen holds the measurements of TestFar, in milliseconds.
type seen struct {
	own          []stages
	sparse, full []float64 // bare hosts, until the last byte
	third, all   grave     // after that many holders have died
}

// grave holds the results of questions after holders have died.
type grave struct {
	asked int
	took  []stages
	lost  []error // why questions got no answer
}

// turns lets each judge ask for sources that are new to it, and the bare hosts for the same.
func (f *far) turns(s *seen, sources []string) {
	f.b.Helper()
	for _, source := range sources {
		for i, m := range f.askers() {
			s.own = append(s.own, f.ask(m, source, m.evidence.Finder(evidence.All)))
			if f.sparse == nil {
				continue
			}
			_, sparse := f.sparse.First(i, []byte(source))
			_, full := f.full.First(i, []byte(source))
			s.sparse, s.full = append(s.sparse, millis(sparse)), append(s.full, millis(full))
		}
	}
}

// bury cuts the last dead nodes off without notice. All judges ask for new sources at once, right
// then and every five seconds.
func (f *far) bury(dead int, sources []string) (g grave) {
	f.b.Helper()
	last := len(f.nodes) - dead // the nodes from here on die
	f.net.Cut(func(from, to int) bool { return max(from, to) >= last && max(from, to) < len(f.nodes) })
	var mu sync.Mutex
	for _, source := range sources {
		var all sync.WaitGroup
		for _, m := range f.askers() {
			all.Go(func() {
				took, err := f.try(m, source, m.evidence.Finder(evidence.All))
				mu.Lock()
				defer mu.Unlock()
				if g.asked++; err != nil {
					g.lost = append(g.lost, err)
					return
				}
				g.took = append(g.took, took)
			})
		}
		all.Wait()
		time.Sleep(5 * time.Second)
	}
	f.net.Cut(nil)
	return g
}

// TestFar is P8 on fake time, 50 ms from node to node. It measures how long a judge waits for 64
// KiB of a source that is new to it, from the question until its node has verified the answer and
// written it to disk. Beside it bare hosts look the holder up in kad-dht and get as many bytes over
// a stream. Then a third of the holders dies, and all judges ask at once. In the control all
// holders are dead, and no question may be answered.
//
//	go test ./node -run TestFar -figures.far 3 -v
func TestFar(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		n, holders, asks := 5, 3, 1
		if *farAsks > 0 {
			n, holders, asks = seats, 6, *farAsks
		}
		f, s := newFar(t, n, holders, 3*asks+1, *farAsks > 0), &seen{}
		f.turns(s, f.sources[:asks])
		s.third = f.bury(holders/3, f.sources[asks:3*asks])
		s.all = f.bury(holders, f.sources[3*asks:])
		own, dead := staged(s.own, verified), staged(s.third.took, verified)
		t.Logf("a holder is known after %.0f ms, its stream open %.0f, the answer there %.0f, verified %.0f, slowest %.0f; with a third of the holders dead %.0f, slowest %.0f",
			floor.Median(staged(s.own, func(s stages) float64 { return s.dial })), floor.Median(staged(s.own, func(s stages) float64 { return s.line })),
			floor.Median(staged(s.own, func(s stages) float64 { return s.answer })), floor.Median(own), slices.Max(own), floor.Median(dead), slices.Max(dead))
		if g := s.third; len(g.lost) > 0 {
			t.Errorf("%d of %d questions were not answered with a third of the holders dead: %v", len(g.lost), g.asked, g.lost[0])
		}
		if g := s.all; len(g.lost) != len(f.askers()) {
			t.Errorf("%d of %d questions were not answered with all holders dead: then answers come from elsewhere, and this test says nothing", len(g.lost), g.asked)
		}
		if light := 4 * oneWay.Seconds() * 1000; slices.Min(own) < light/2 {
			t.Errorf("an answer after %.0f ms: light takes %.0f", slices.Min(own), light/2)
		}
		if *farTo != "" {
			floor.Tell(t, *farTo, farFigures(s)...)
		}
	})
}

// staged returns one figure of all answers.
func staged(all []stages, of func(stages) float64) (out []float64) {
	for _, s := range all {
		out = append(out, of(s))
	}
	return out
}

func verified(s stages) float64 { return s.verified }

func farFigures(s *seen) []floor.Figure {
	own, dead := staged(s.own, verified), staged(s.third.took, verified)
	const what = "64 KiB of a source that is new to a judge, from the question to verified and on its disk, 50 ms one way, fake time, of "
	answered := float64(len(s.third.took)) / float64(s.third.asked)
	out := []floor.Figure{
		against("P8", what+"bare kad-dht that has made its own links", own, s.sparse, ms, 0.5, farWhy),
		against("P8", what+"bare kad-dht of hosts that are all linked, as judges are", own, s.full, ms, 0.5, farWhy),
		{ID: "P8", What: "the same, of which 2 of 6 holders have just died: answered", Here: fmt.Sprintf("%d of %d", len(s.third.took), s.third.asked), Floor: "all", Ratio: answered,
			Goal: "= 1", Met: answered == 1, Why: "no holder answered before the deadline"},
		{ID: "P8", What: "the same with all 6 dead (control): answered", Here: fmt.Sprintf("%d of %d", len(s.all.took), s.all.asked), Floor: "none", Ratio: float64(len(s.all.took)) / float64(s.all.asked),
			Goal: "= 0", Met: len(s.all.took) == 0, Why: "answers come from elsewhere, so that the line above says nothing"},
		{ID: "P8", What: "p99 with 2 of 6 just dead, of the median with all alive", Here: fmt.Sprintf("%.1f ms", tail(dead)), Floor: ms(own), Ratio: tail(dead) / floor.Median(own),
			Goal: "≤ 3.00", Met: tail(dead) <= 3*floor.Median(own), Why: "a holder that died without a word is noticed after seconds, and asked until then"},
	}
	for i := range out {
		out[i].Others = "fake time"
	}
	return out
}

const farWhy = "four turns there and back: the holder's card, and three in which terms are agreed and the answer comes; one turn and the bytes are 126 ms"
