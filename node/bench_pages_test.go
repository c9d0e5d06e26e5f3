//go:build unix

package node

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ojud/agent/model"
	"ojud/casefile"
	"ojud/casefile/picture"
	"ojud/node/console"
	"ojud/p2p/p2ptest/floor"
	"ojud/voting"
)

// What P15 shows on the pages of one node.
const (
	pageCases   = 500 // in flight, besides the one that is decided
	pageViewers = 20  // of the first page, and as many of the page of the case
)

// crowded is a node with many more cases in flight, which all look like its latest one.
type crowded struct {
	scenery
	latest func() voting.Key
	more   map[voting.Key]bool
}

// Court adds the cases to the node's own.
func (s crowded) Court() console.Court {
	c := s.scenery.Court()
	for task := range s.more {
		c.Cases = append(c.Cases, task)
	}
	return c
}

// Glance returns what the chain says of the latest case.
func (s crowded) Glance(task voting.Key) (picture.Scene, bool) {
	if s.more[task] {
		task = s.latest()
	}
	return s.scenery.Glance(task)
}

// Case does so with the record. So a viewer of one of them sees the latest case.
func (s crowded) Case(task voting.Key) (picture.Scene, error) {
	if s.more[task] {
		task = s.latest()
	}
	return s.scenery.Case(task)
}

// gallery has the pages of one node of a hall, and their viewers.
type gallery struct {
	b        *testing.B
	server   *httptest.Server
	cancel   context.CancelFunc
	viewers  sync.WaitGroup
	pictures atomic.Int64
}

func newGallery(b *testing.B, h *hall) *gallery {
	b.Helper()
	s := crowded{scenery{n: h.nodes[0].Node, models: func() []model.Health { return nil }}, func() voting.Key { return h.latest }, map[voting.Key]bool{}}
	for i := range pageCases {
		s.more[voting.Key{byte(i), byte(i >> 8), 15}] = true
	}
	mux := http.NewServeMux()
	console.New(s, slog.New(slog.DiscardHandler)).Routes(mux)
	g := &gallery{b: b, server: httptest.NewServer(mux)}
	b.Cleanup(g.server.Close)
	return g
}

// enter lets viewers follow pages, and returns when each has seen one.
func (g *gallery) enter(paths ...string) {
	g.b.Helper()
	ctx, cancel := context.WithCancel(g.b.Context())
	g.cancel = cancel
	ready := make(chan error, len(paths)*pageViewers)
	for _, path := range paths {
		for range pageViewers {
			g.viewers.Go(func() {
				r, err := http.NewRequestWithContext(ctx, http.MethodGet, g.server.URL+"/live"+path, nil)
				if err != nil {
					ready <- err
					return
				}
				a, err := (&http.Client{Transport: &http.Transport{}}).Do(r)
				if err != nil {
					ready <- err
					return
				}
				defer a.Body.Close()
				if a.StatusCode != http.StatusOK {
					ready <- fmt.Errorf("%s: %s", path, a.Status)
					return
				}
				lines, first := bufio.NewReader(a.Body), true
				for {
					line, err := lines.ReadString('\n')
					if err != nil {
						return
					}
					if !strings.HasPrefix(line, "event: page") {
						continue
					}
					g.pictures.Add(1)
					if first {
						ready <- nil
						first = false
					}
				}
			})
		}
	}
	for range cap(ready) {
		if err := <-ready; err != nil {
			g.b.Fatal(err)
		}
	}
}

// hurry draws the first page again and again, for the control.
func (g *gallery) hurry() {
	ctx, cancel := context.WithCancel(g.b.Context())
	g.cancel = cancel
	for range 4 {
		g.viewers.Go(func() {
			reader := http.Client{Timeout: time.Minute}
			for ctx.Err() == nil {
				r, err := http.NewRequestWithContext(ctx, http.MethodGet, g.server.URL+"/", nil)
				if err != nil {
					return
				}
				a, err := reader.Do(r)
				if err != nil {
					return
				}
				_, err = io.Copy(io.Discard, a.Body)
				if a.Body.Close() != nil || err != nil {
					return
				}
			}
		})
	}
}

func (g *gallery) leave() {
	g.cancel()
	g.viewers.Wait()
}

// pagesTime bounds P15: after it no case begins, if a turn is done or not.
const pagesTime = 4 * time.Minute

// shown holds both exchanges of a case, in milliseconds.
type shown struct{ wall, cpu []float64 }

func (s *shown) add(commits, votes exchanged) {
	s.wall, s.cpu = append(s.wall, ownMS(commits)+ownMS(votes)), append(s.cpu, ownCPU(commits)+ownCPU(votes))
}

// pagesShown is P15: the exchanges of P1 while one of its nodes shows 500 cases to viewers, in turn
// with the same exchanges while nobody looks. The control is a page that is drawn without a pause.
// It says on standard error how far it is.
func pagesShown(b *testing.B) []floor.Figure {
	began := time.Now()
	tell := func(format string, args ...any) {
		fmt.Fprintf(os.Stderr, "P15 [%3.0f s] %s\n", time.Since(began).Seconds(), fmt.Sprintf(format, args...))
	}
	h := newHall(b, loopback)
	tell("%d nodes are up", seats)
	h.hold() // streams open
	tell("a first case is over, which opened streams")
	g := newGallery(b, h)
	var nobody, viewers, control shown
	exchange := func(who string, side *shown, begin, end func()) bool {
		for time.Since(began) < pagesTime {
			begin()
			commits, votes := h.hold()
			end()
			late := max(commits.leaked, votes.leaked)
			if late <= mostLeaked {
				side.add(commits, votes)
				tell("turn %d of %d, %s: %.0f ms, %.0f ms of processors", len(side.wall), *halls, who, side.wall[len(side.wall)-1], side.cpu[len(side.cpu)-1])
				return true
			}
			tell("a case does not count, because judges learned of %d notices before they were pushed", late)
		}
		return false
	}
	look := func() { g.enter("/", "/case/"+casefile.Address{0, 0, 15}.String()) }
	nothing, done := func() {}, 0
	for done < *halls && exchange("nobody looks", &nobody, nothing, nothing) && exchange("viewers", &viewers, look, g.leave) && exchange("control", &control, g.hurry, g.leave) {
		done++
	}
	if done == 0 {
		b.Fatalf("no turn was done in %s, because judges learned of commits before they were pushed; the machine is too busy for this figure", pagesTime)
	}
	for _, side := range []*shown{&nobody, &viewers, &control} { // a turn counts whole
		side.wall, side.cpu = side.wall[:done], side.cpu[:done]
	}
	pictures := float64(g.pictures.Load()) / float64(done*2*pageViewers)
	if pictures < 2 {
		b.Errorf("a viewer saw %.1f pictures in a case, so nothing was shown", pictures)
	}
	what := fmt.Sprintf("28 commits and 28 votes as in P1 while one node shows %d more cases in flight to %d viewers, of the same without viewers", pageCases, 2*pageViewers)
	why := fmt.Sprintf("28 nodes and the viewers share the processors of one machine; %d turns; a viewer got %.0f pictures in a case", done, pictures)
	sees := func(what string, side, base []float64) floor.Figure {
		f := against("P15", what, side, base, ms, 1.05, "it must be more than the goal")
		if f.Goal, f.Met = "> 1.05", f.Ratio > 1.05; !f.Met {
			b.Errorf("the meter does not see four readers without a pause: %.2f", f.Ratio)
		}
		return f
	}
	return []floor.Figure{
		against("P15", what, viewers.wall, nobody.wall, ms, 1.05, why),
		sees("control: its first page is drawn by four readers without a pause", control.wall, nobody.wall),
		against("P15", "processor time of these exchanges, all nodes and viewers", viewers.cpu, nobody.cpu, ms, 1.05, why),
		sees("control: the same with the four readers", control.cpu, nobody.cpu),
	}
}
