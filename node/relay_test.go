package node

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"ojud/agent/judge"
	"ojud/casefile"
	"ojud/casefile/reading"
	"ojud/ledger/program"
	"ojud/p2p/p2ptest"
	"ojud/test/longtest"
	"ojud/voting"
)

// plight is a misfortune of a judge, and its time.
type plight struct {
	name   string
	thinks time.Duration // how long the other judges take
	hits   func(w *world, m *member, way *route)
	after  time.Duration // from the draw on
	words  []string      // the words of its node about it afterwards
}

func plights() []plight {
	rpc := func(_ *world, _ *member, way *route) { way.lead(nil) }
	poor := func(w *world, m *member, _ *route) { w.drain(m.home.Keys.Authority) }
	return []plight{
		{"no RPC from the draw on", 30 * time.Second, rpc, 6 * time.Second, []string{"another node sent it, because this one asked for that", "another node that had the vote sent it, because this one did not"}},
		{"no RPC from the commit on", 40 * time.Second, rpc, 22 * time.Second, []string{"its vote stands on the chain"}},
		{"no lamports", 30 * time.Second, poor, 4 * time.Second, []string{"another node sent it, because this one asked for that", "too few lamports for the fee"}},
	}
}

// ordeal runs a round with four judges, one of whom cannot reach the chain or cannot pay. The
// others carry its transactions unless they are selfish.
func (p plight) ordeal(t *testing.T, selfish bool) (w *world, m *member, task voting.Key, c *program.Case) {
	w = newWorld(t, brisk)
	way := &route{}
	way.lead(w.server.Transport())
	for range 3 {
		w.joinWith(func(m *member) {
			m.deps.Judge = slow{code(), p.thinks}
			if selfish {
				m.cfg.Habits.MaxRelayed = 0
			}
		})
	}
	w.joinWith(func(m *member) { m.deps.Judge, m.deps.Transport = slow{code(), 10 * time.Second}, way })
	m = w.nodes[3]
	task = w.dispute(eleptiger(t))
	w.until(time.Minute, "drawn", task, func(c *program.Case) bool { return c.Status == voting.Committing })
	time.Sleep(p.after)
	p.hits(w, m, way)
	c = w.until(30*time.Minute, "decided", task, func(c *program.Case) bool { return c.Status.Over() })
	way.lead(w.server.Transport())
	w.fund(m.home.Keys.Authority)
	return w, m, task, c
}

// TestRelayed: a judge is not absent if its wallet is empty, or if its RPC node is gone from any
// moment after the draw to the end. The others bring its commitment and its vote to the chain, and
// its case file is whole.
func TestRelayed(t *testing.T) {
	longtest.Only(t)
	for _, p := range plights() {
		t.Run(p.name, func(t *testing.T) {
			p2ptest.Run(t, func(t *testing.T) {
				w, m, task, c := p.ordeal(t, false)
				if s := seatOf(t, c, m); s.Result != voting.Majority || s.Slashed != 0 || s.Earned == 0 {
					t.Fatalf("%v, slashed %d, earned %d", s.Result, s.Slashed, s.Earned)
				}
				time.Sleep(2 * time.Minute) // it sees the chain again
				w.verified(m, task)
				a, err := m.Why(task, voting.Key{})
				w.must(err)
				says(t, "why", fmt.Sprint(a), p.words...)
				if dark := strings.Join(m.Status().Problems, "\n"); strings.Contains(dark, "no block was seen") {
					t.Errorf("it says that it sees nothing: %s", dark)
				}
				w.statement(m, task, c)
			})
		})
	}
}

// statement checks that every judge's case file has the statement of the commitment on the chain.
func (w *world) statement(m *member, task voting.Key, c *program.Case) {
	w.t.Helper()
	for _, other := range w.nodes {
		file, _, err := other.Export(w.t.Context(), task)
		w.must(err)
		read, err := reading.File(file)
		w.must(err)
		said := read.Said(casefile.DID(m.home.Keys.Peer()), 1)
		if said.Vote == nil || said.Vote.Commitment() != seatOf(w.t.(*testing.T), c, m).Commitment {
			w.t.Errorf("the file of %s has no vote of the judge for its commitment", other.home.Keys.Authority)
		}
	}
}

// TestNotRelayed is the control: if no judge relays, the same judges are absent and slashed.
func TestNotRelayed(t *testing.T) {
	for _, p := range []plight{plights()[0], plights()[2]} {
		t.Run(p.name, func(t *testing.T) {
			p2ptest.Run(t, func(t *testing.T) {
				_, m, _, c := p.ordeal(t, true)
				if s := seatOf(t, c, m); s.Result != voting.Absent || s.Slashed == 0 {
					t.Errorf("%v, slashed %d", s.Result, s.Slashed)
				}
			})
		})
	}
}

// dark returns the words of the node about not seeing the chain.
func (m *member) dark() string {
	for _, p := range m.problems() {
		if strings.Contains(p, "no block was seen") {
			return p
		}
	}
	return ""
}

// TestBlindness: a node whose RPC node is gone says so in its status and at /healthz.
func TestBlindness(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		w := newWorld(t, nil)
		way := &route{}
		way.lead(w.server.Transport())
		w.join(1, func(int) judge.Judge { return code() })
		w.joinWith(func(m *member) { m.deps.Transport = way })
		m := w.nodes[1]
		time.Sleep(time.Minute)
		if dark := m.dark(); dark != "" {
			t.Error(dark)
		}
		way.lead(nil)
		time.Sleep(30 * time.Second)
		says(t, "status", strings.Join(m.Status().Problems, "\n"), "no block was seen", "ojud doctor")
		if code, body := m.health(); code != 503 {
			t.Errorf("health is %d: %s", code, body)
		}
		way.lead(w.server.Transport())
		p2ptest.Eventually(t, time.Minute, "it sees again", func() bool { return m.dark() == "" })
	})
}
