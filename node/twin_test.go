package node

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p"

	"ojud/agent/judge"
	"ojud/casefile"
	"ojud/ledger/program"
	"ojud/p2p/p2ptest"
	"ojud/test/longtest"
	"ojud/voting"
)

// copyOf returns a second machine, not started yet, with a copy of a stopped node's home.
func (w *world) copyOf(m *member, j judge.Judge) *member {
	w.t.Helper()
	twin := &member{home: m.home, cfg: m.cfg, deps: m.deps}
	twin.home.Dir = w.t.TempDir()
	w.must(os.CopyFS(twin.home.Dir, os.DirFS(m.home.Dir)))
	twin.cfg.P2P = p2ptest.Config(len(w.nodes))
	twin.deps.Libp2p = []libp2p.Option{w.net.Transport()}
	twin.deps.Judge, twin.deps.Logger = j, w.log.With("node", "twin")
	w.nodes = append(w.nodes, twin)
	return twin
}

// ended reports whether a node's Run returned, and with which error.
func (m *member) ended() (over bool, err error) {
	select {
	case err := <-m.done:
		m.stop()
		m.stop = nil
		return true, err
	default:
		return false, nil
	}
}

// deed is an action of a test at a time.
type deed struct {
	at time.Duration
	do func()
}

// perform does deeds in their order, each at its time from now. If the one before took longer, the
// next follows at once.
func perform(deeds ...deed) {
	began := time.Now()
	slices.SortStableFunc(deeds, func(a, b deed) int { return cmp.Compare(a.at, b.at) })
	for _, d := range deeds {
		time.Sleep(time.Until(began.Add(d.at)))
		d.do()
	}
}

// together gives its opinion when the other copy's judge is also at work, or after ten seconds.
type together struct {
	judge.Judge
	asked *atomic.Int32
	both  chan struct{}
}

func (g together) Evaluate(ctx context.Context, b judge.Brief) (casefile.Opinion, error) {
	if g.asked.Add(1) == 2 {
		close(g.both)
	}
	select {
	case <-g.both:
	case <-time.After(10 * time.Second):
	}
	return g.Judge.Evaluate(ctx, b)
}

// TestTwin: two copies of a home run on two machines, with judges of different opinion. For each
// start time of the second, no two votes are signed and nothing is slashed for equivocation. One
// copy stops and says why, and the other one's vote counts.
func TestTwin(t *testing.T) {
	longtest.Only(t)
	const drawn = 66 * time.Second // at the latest
	for name, c := range map[string]struct {
		first, second time.Duration // when they are started; the dispute begins after a minute
	}{
		"both long before":    {0, 0},
		"both in the round":   {drawn, drawn},
		"one in the round":    {0, drawn},
		"one after the other": {0, drawn + 20*time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			p2ptest.Run(t, func(t *testing.T) {
				w := newWorld(t, nil)
				w.join(5, func(int) judge.Judge { return slow{code(), 30 * time.Second} })
				first := w.nodes[4]
				w.halt(first)
				asked, both := &atomic.Int32{}, make(chan struct{})
				first.deps.Judge = together{code(), asked, both}
				second := w.copyOf(first, together{contrary{code()}, asked, both})
				var task voting.Key
				perform(deed{c.first, func() { w.start(first) }}, deed{c.second, func() { w.start(second) }},
					deed{time.Minute, func() { task = w.dispute(eleptiger(t)) }})
				w.until(20*time.Minute, "decided", task, func(c *program.Case) bool { return c.Status.Over() })
				time.Sleep(time.Minute) // evidence would be filed by now
				end := w.until(time.Second, "", task, func(*program.Case) bool { return true })
				s := seatOf(t, end, first)
				if s.Flags&program.SeatEquivocated != 0 || s.Result != voting.Majority && s.Result != voting.Minority {
					t.Errorf("the seat of both: %v, flags %d, slashed %d", s.Result, s.Flags, s.Slashed)
				}
				stopped := 0
				for _, m := range []*member{first, second} {
					if over, err := m.ended(); over {
						stopped++
						t.Logf("%v", err)
						if !errors.Is(err, ErrTwin) {
							t.Error(err)
						}
					}
				}
				if stopped != 1 {
					t.Errorf("%d copies stopped", stopped)
				}
			})
		})
	}
}

// TestOldVote: a node signs, but crashes before it sends anything. Its copy on another machine
// votes otherwise. When the first is started again in the same round, it does not publish its old
// statement.
func TestOldVote(t *testing.T) {
	longtest.Only(t)
	p2ptest.Run(t, func(t *testing.T) {
		w := newWorld(t, nil)
		w.join(5, func(int) judge.Judge { return slow{code(), 4 * time.Minute} })
		first, way := w.nodes[4], &route{}
		w.halt(first)
		way.lead(w.server.Transport())
		first.deps.Judge, first.deps.Transport = slow{contrary{code()}, 20 * time.Second}, way
		second := w.copyOf(first, code())
		second.deps.Transport = w.server.Transport()
		w.start(first)
		task := w.dispute(eleptiger(t))
		w.until(time.Minute, "drawn", task, func(c *program.Case) bool { return c.Status == voting.Committing })
		time.Sleep(10 * time.Second)
		w.net.Cut(func(from, to int) bool { return from == 4 || to == 4 })
		way.lead(nil)
		p2ptest.Eventually(t, time.Minute, "it signed", func() bool { _, ok := first.signed(t, task); return ok })
		mine, _ := first.signed(t, task)
		w.halt(first)
		w.net.Cut(nil)
		way.lead(w.server.Transport())

		w.start(second)
		c := w.until(time.Minute, "the copy votes", task, func(c *program.Case) bool { return c.Committed == 1 })
		if seatOf(t, c, first).Commitment == mine {
			t.Fatal("both are of one opinion")
		}
		w.start(first)
		p2ptest.Eventually(t, 5*time.Second, "it has read its journal and the chain", func() bool { return len(first.told(task)) > 0 })
		if all := first.told(task); slices.ContainsFunc(first.notices.Shown(task, all), func(k voting.Known) bool {
			return slices.ContainsFunc(k.Commits, func(c voting.Commit) bool { return c.Commitment == mine })
		}) {
			t.Error("it tells what it signed")
		}
		if err := first.final(t, time.Minute); !errors.Is(err, ErrTwin) {
			t.Error(err)
		}
		w.until(20*time.Minute, "decided", task, func(c *program.Case) bool { return c.Status.Over() })
		time.Sleep(time.Minute)
		c = w.until(time.Second, "", task, func(*program.Case) bool { return true })
		if s := seatOf(t, c, first); s.Result != voting.Majority || s.Flags&program.SeatEquivocated != 0 {
			t.Errorf("%v, flags %d, slashed %d", s.Result, s.Flags, s.Slashed)
		}
	})
}

// told returns the statements of the first round that the node knows.
func (m *member) told(task voting.Key) []voting.Known {
	view := m.loop.View()
	if view == nil {
		return nil
	}
	known, _ := view.Round(task, 1)
	return known
}

// signed returns the commitment for the first round in the node's journal.
func (m *member) signed(t *testing.T, task voting.Key) (voting.Hash, bool) {
	t.Helper()
	c, ok, err := m.journal.Own(task, 1, m.home.Keys.Judge())
	if err != nil {
		t.Fatal(err)
	}
	return c.Commitment, ok
}

// TestLastLook: a statement of this node that it did not sign reaches the other seats after it
// asked them. The node asks again right before it signs, signs nothing, says why, and goes on.
func TestLastLook(t *testing.T) {
	longtest.Only(t)
	p2ptest.Run(t, func(t *testing.T) {
		w := newWorld(t, nil)
		w.join(5, func(int) judge.Judge { return slow{code(), 30 * time.Second} })
		m := w.nodes[4]
		time.Sleep(2 * time.Minute) // a journal that is new would take the statement for its own past
		task := w.dispute(eleptiger(t))
		w.until(time.Minute, "drawn", task, func(c *program.Case) bool { return c.Status == voting.Committing })
		time.Sleep(10 * time.Second)
		n := voting.Commit{Task: task, Round: 1, Judge: m.home.Keys.Judge()}
		n.Commitment = voting.Hash(bytes.Repeat([]byte{7}, 32))
		n.Signature = m.home.Keys.Sign(w.domain.Statement(task, 1, n.Judge, n.Commitment))
		for _, other := range w.nodes[:4] {
			w.must(other.notices.consider("", voting.Key{}, n.Encode()))
		}
		time.Sleep(10 * time.Second)
		if len(m.problems()) > 0 {
			t.Fatalf("it knows too early for this test: %q", m.problems())
		}
		c := w.until(20*time.Minute, "decided", task, func(c *program.Case) bool { return c.Status.Over() })
		if _, ok := m.signed(t, task); ok {
			t.Error("it signed another statement")
		}
		if s := seatOf(t, c, m); s.Result != voting.Absent || s.Flags&program.SeatEquivocated != 0 {
			t.Errorf("%v, flags %d", s.Result, s.Flags)
		}
		if over, err := m.ended(); over {
			t.Errorf("it stopped: %v", err)
		}
		says(t, "status", strings.Join(m.Status().Problems, "\n"), "another copy of this node voted in round 1", address(task).String())
		if code, body := m.health(); code != 503 || !strings.Contains(body, "another copy") {
			t.Errorf("health is %d: %s", code, body)
		}
	})
}
