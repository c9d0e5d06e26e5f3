package p2p_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"ojud/p2p/p2ptest"
)

// Goals for the time after the end of a cut.
const (
	votesHealed = 5 * time.Second
	linksHealed = 10 * time.Second
)

// The flags set the length of the long forms. The short ones run in every go test.
var (
	flagCuts  = flag.Int("cuts", 2, "random cuts of TestRandomCuts")
	flagPanel = flag.Int("cuts.panel", 6, "judges of TestRandomCuts")
	flagSeed  = flag.Uint64("seed", 1, "seed of the random attacks and cuts")
)

// shapes are the ways to cut a network. Each makes, for n nodes, the argument of Net.Cut.
func shapes(r *rand.Rand, n int) map[string]func(from, to int) bool {
	order := r.Perm(n)
	side := func(i int) bool { return order[i] < n/2 }
	hub, bridge := r.IntN(n), r.IntN(n)
	return map[string]func(from, to int) bool{
		"halves":  func(a, b int) bool { return side(a) != side(b) },
		"bridge":  func(a, b int) bool { return a != bridge && b != bridge && side(a) != side(b) },
		"star":    func(a, b int) bool { return a != hub && b != hub },
		"one-way": func(a, b int) bool { return side(a) && !side(b) },
		"alone":   func(a, b int) bool { return a == hub || b == hub },
	}
}

// cutting is one cut of a court.
type cutting struct {
	shape string
	flaps int // how often it heals for a moment meanwhile
	long  time.Duration
}

func (c cutting) String() string { return fmt.Sprintf("%s, %d flaps, %v", c.shape, c.flaps, c.long) }

// drawCut draws a cut of one second to nine minutes and fifty seconds. Short ones are as likely as
// long ones.
func drawCut(r *rand.Rand) cutting {
	names := []string{"halves", "bridge", "star", "one-way", "alone"}
	c := cutting{shape: names[r.IntN(len(names))], long: time.Second}
	for most := 590 * time.Second; c.long < most/2 && r.IntN(7) > 0; {
		c.long *= 2
	}
	c.long += time.Duration(r.Int64N(int64(c.long)))
	c.long = min(c.long, 590*time.Second).Round(time.Millisecond)
	if r.IntN(4) == 0 {
		c.flaps = 1 + r.IntN(5)
	}
	return c
}

// during cuts the network, has every judge vote in the middle, and heals it.
func (c cutting) during(t *testing.T, r *rand.Rand, sim *p2ptest.Net, panel *court, round int) {
	t.Helper()
	f := shapes(r, len(panel.hosts))[c.shape]
	voted := false
	part := c.long / time.Duration(2*c.flaps+2)
	for i := range c.flaps + 1 {
		sim.Cut(f)
		time.Sleep(part)
		if i == c.flaps/2 {
			panel.vote(t, round)
			voted = true
		}
		time.Sleep(part)
		sim.Cut(nil)
		if i < c.flaps {
			time.Sleep(200 * time.Millisecond)
		}
	}
	if !voted {
		t.Fatal("no judge voted")
	}
}

// healing measures how long after a cut all votes are pushed and all links are back, at most limit.
func healing(panel *court, want int, limit time.Duration) (votes, links_ time.Duration) {
	votes, links_ = limit, limit
	for start := time.Now(); time.Since(start) < limit && (votes == limit || links_ == limit); time.Sleep(20 * time.Millisecond) {
		if links_ == limit && p2ptest.Links(panel.hosts) == links(len(panel.hosts)) {
			links_ = time.Since(start)
		}
		if votes == limit && pushedAll(panel, want) {
			votes = time.Since(start)
		}
	}
	return votes, links_
}

func pushedAll(panel *court, want int) bool {
	for _, b := range panel.pushed {
		if n, _, _ := b.count(); n != want {
			return false
		}
	}
	return true
}

// TestRandomCuts: after each of -cuts random cuts all votes that were cast meanwhile arrive within
// 5 s, and all links are back within 10 s. go test ./p2p -run TestRandomCuts -cuts 1000 -v prints
// the slowest.
func TestRandomCuts(t *testing.T) {
	r := rand.New(rand.NewPCG(*flagSeed, 0))
	var slowVotes, slowLinks time.Duration
	for done, batch := 0, 10; done < *flagCuts; done += batch {
		batch = min(batch, *flagCuts-done)
		p2ptest.Run(t, func(t *testing.T) {
			sim := p2ptest.NewNet(t, p2ptest.Latency)
			panel := newCourt(t, sim, *flagPanel)
			for i := range batch {
				c := drawCut(r)
				c.during(t, r, sim, panel, i)
				votes, back := healing(panel, (i+1)*(*flagPanel-1), 30*time.Second)
				slowVotes, slowLinks = max(slowVotes, votes), max(slowLinks, back)
				if votes > votesHealed || back > linksHealed {
					t.Errorf("cut %d (seed %d), %v: votes after %v, links after %v", done+i, *flagSeed, c, votes, back)
				}
				t.Logf("cut %d, %v: votes after %v, links after %v", done+i, c, votes, back)
				time.Sleep(5 * time.Second)
			}
			synctest.Wait()
			p2ptest.NoDrops(t, panel.hosts...)
		})
	}
	t.Logf("%d cuts of %d judges: votes at most %v, links at most %v after the end", *flagCuts, *flagPanel, slowVotes, slowLinks)
}
