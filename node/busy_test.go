//go:build unix

package node

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"ojud/agent/judge"
	"ojud/casefile"
	"ojud/ledger"
	"ojud/ledger/program"
	"ojud/p2p/p2ptest"
	"ojud/p2p/p2ptest/floor"
	"ojud/voting"
)

var (
	busyCases  = flag.Int("figures.busy", 0, "how many cases TestBusy has in flight at once, with the limits that nodes have; 0: a few, with small limits")
	busyJudges = flag.Int("figures.busy.judges", 5, "how many judges decide them")
	busyTo     = flag.String("figures.busy.to", "", "append lines of the table of figures to this file")
)

// held is a judge that has no opinion until the test releases it.
type held struct {
	judge.Judge
	release <-chan struct{}
}

func (h held) Evaluate(ctx context.Context, b judge.Brief) (casefile.Opinion, error) {
	select {
	case <-h.release:
		return h.Judge.Evaluate(ctx, b)
	case <-ctx.Done():
		return casefile.Opinion{}, context.Cause(ctx)
	}
}

// busy is a court with many cases in flight at once.
type busy struct {
	*world
	release chan struct{}
	tasks   []voting.Key
}

// newBusy starts a court of that many judges. places is the number of cases without a seat that a
// node follows; 0 keeps the default.
func newBusy(t *testing.T, judges, places int) *busy {
	t.Helper()
	b := &busy{world: newWorld(t, func(p *program.Params) {
		if places > 0 { // all wait for their draw together: there are more than places
			p.DrawDelaySlots = 100
		}
	}), release: make(chan struct{})}
	for range judges {
		b.joinWith(func(m *member) {
			m.deps.Judge = held{code(), b.release}
			if m.cfg.Judge.Parallel = 64; places > 0 {
				m.cfg.Habits.MaxCases = places
			}
		})
	}
	p2ptest.Eventually(t, 10*time.Minute, "all links", func() bool {
		return !slices.ContainsFunc(b.nodes, func(m *member) bool { links, known := m.Peers(); return links < judges-1 || known < judges-1 })
	})
	return b
}

// crowd lets pairs of parties bring n cases, some at a time, until all are drawn and none is
// decided.
func (b *busy) crowd(n int) {
	b.t.Helper()
	const pairs = 25
	var all sync.WaitGroup
	tasks := make([]voting.Key, n)
	for p := range min(pairs, n) {
		creator, worker := keypair(b.t, byte(20+2*p)), keypair(b.t, byte(21+2*p))
		b.enrol(creator, worker)
		all.Go(func() {
			for i := p; i < n; i += pairs {
				tasks[i] = b.bring(creator, worker, uint64(i/pairs), sol/100, eleptiger(b.t))
			}
		})
	}
	all.Wait()
	b.tasks = tasks
	for _, task := range tasks {
		c := b.until(5*time.Minute, "drawn", task, func(c *program.Case) bool { return c.Status == voting.Committing })
		if len(c.Seats) != len(b.nodes) {
			b.t.Fatalf("%d seats of %d judges", len(c.Seats), len(b.nodes))
		}
	}
}

// enrol registers a creator and a worker whose vaults are enough for many tasks.
func (b *busy) enrol(parties ...*ledger.Keypair) {
	b.t.Helper()
	b.fund(parties...)
	for _, k := range parties {
		b.do(k, b.p.RegisterAgent(k.Address(), program.RegisterAgent{}), b.p.Deposit(k.Address(), k.Address(), program.Deposit{Amount: 90 * sol}))
	}
}

// late counts the seats that did not vote, and the cases that were not decided in their first round
// for the worker.
func (b *busy) late() (seats, cases int) {
	b.t.Helper()
	for _, task := range b.tasks {
		c := b.until(time.Hour, "over", task, func(c *program.Case) bool { return c.Status.Over() })
		if c.Round != 1 || c.Verdict != voting.ForWorker {
			cases++
		}
		for _, s := range c.Seats {
			if s.Result != voting.Majority {
				seats++
			}
		}
	}
	return seats, cases
}

// TestBusy: every judge has a seat in every case, far more than its places for cases of others. All
// cases are in flight at once, and no judge is late, because an absent judge is slashed. With
// -figures.busy it is a line of the table of figures:
//
//	go test ./node -run TestBusy -figures.busy 500 -v
func TestBusy(t *testing.T) {
	cases, judges, places := 11, 3, 1
	if *busyCases > 0 {
		cases, judges, places = *busyCases, *busyJudges, 0
	}
	p2ptest.Run(t, func(t *testing.T) {
		b := newBusy(t, judges, places)
		stop, before := floor.Stopwatch(t), heap()
		b.crowd(cases)
		close(b.release)
		seats, undecided := b.late()
		cpu, memory := stop().CPU, float64(heap()-before)
		if seats+undecided > 0 {
			t.Errorf("%d of %d seats were late, %d of %d cases were not decided in their round", seats, judges*cases, undecided, cases)
		}
		t.Logf("%d cases, %d judges: %.1f ms of processor time and %.1f KiB of heap a case and judge, the chain in it", cases, judges,
			cpu.Seconds()*1000/float64(cases*judges), memory/1024/float64(cases*judges))
		if *busyTo != "" {
			floor.Tell(t, *busyTo, floor.Figure{
				ID: "500", What: fmt.Sprintf("cases in flight at once on one devnet, %d whole nodes with a seat in each, fake time; seats that were late", judges),
				Here: fmt.Sprintf("%d of %d seats in %d cases", seats, judges*cases, cases), Goal: "0", Met: seats+undecided == 0, Others: "fake time",
				Floor: fmt.Sprintf("%.1f ms, %.1f KiB a seat", cpu.Seconds()*1000/float64(cases*judges), memory/1024/float64(cases*judges)),
				Why:   fmt.Sprintf("%d cases were not decided in their round", undecided),
			})
		}
	})
}

// TestBusyControl: TestBusy detects a judge that misses its seats.
func TestBusyControl(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		b := newBusy(t, 4, 1)
		b.crowd(1)
		b.halt(b.nodes[3])
		close(b.release)
		if seats, _ := b.late(); seats != 1 {
			t.Errorf("a judge has left a case, and %d seats were late", seats)
		}
	})
}
