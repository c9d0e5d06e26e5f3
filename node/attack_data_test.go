package node

import (
	"strings"
	"testing"
	"time"

	"ojud/casefile"
	"ojud/ledger/program"
	"ojud/node/network"
	"ojud/p2p/p2ptest"
	"ojud/voting"
)

// strange adds a node without a stake, which holds a post with this text.
func (w *world) strange(text string) {
	w.t.Helper()
	m := &member{}
	w.equip(m)
	hold(w.t, m, text)
	w.start(m)
}

// standings counts what judges say of the holders of their answers in the file of a node.
func (w *world) standings(m *member, task voting.Key) map[casefile.HolderStanding]int {
	w.t.Helper()
	log, err := m.Reader.Log(task)
	w.must(err)
	out := map[casefile.HolderStanding]int{}
	for _, e := range log.Events() {
		var b casefile.DataBody
		if e.Kind != casefile.KindData {
			continue
		}
		w.must(network.DecodeStrict(e.Body, &b))
		if len(b.Standings) != len(b.Receipts) {
			w.t.Errorf("%d standings for %d receipts", len(b.Standings), len(b.Receipts))
		}
		for _, s := range b.Standings {
			out[s]++
		}
	}
	return out
}

// TestAttackStrangersOutvoteTheHolder: two nodes without a stake hold the source of one judge, and
// lie. Before, all judges voted reject, also the one that has the source itself. Now all accept,
// and the contradiction is in the file.
func TestAttackStrangersOutvoteTheHolder(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		w := holders(t, "hello world")
		w.strange("something else")
		w.strange("something else")
		time.Sleep(time.Minute) // all know of the strangers
		task := w.dispute(posted())
		c := w.until(20*time.Minute, "decided", task, func(c *program.Case) bool { return c.Status.Over() })
		if c.Verdict != voting.ForWorker || c.Round != 1 || int(c.Revealed) != len(c.Seats) {
			t.Fatalf("verdict %v in round %d, %d of %d revealed", c.Verdict, c.Round, c.Revealed, len(c.Seats))
		}
		r := w.report(w.nodes[0], task)
		if !r.OK() || !strings.Contains(r.String(), "contradict each other about site.post") || !strings.Contains(r.String(), "the stranger did:key:") {
			t.Error(r.String())
		}
		if said := w.standings(w.nodes[0], task); said[casefile.OwnSource] != 1 || said[casefile.StakedHolder] != 6 || said[casefile.Stranger] < 6 {
			t.Errorf("%v", said)
		}
	})
}

// TestAttackStrangerDecidesAlone: only a node without a stake has the source, and says that the
// work is wrong. Before, all judges rejected by its word, and with two that disagree all abstained.
func TestAttackStrangerDecidesAlone(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		w := newWorld(t, nil)
		w.join(7, nil)
		w.strange("something else")
		time.Sleep(time.Minute)
		task := w.dispute(posted())
		c := w.until(20*time.Minute, "decided", task, func(c *program.Case) bool { return c.Status.Over() })
		if c.Verdict != voting.ForWorker || c.Round != 1 {
			t.Fatalf("verdict %v in round %d", c.Verdict, c.Round)
		}
		r := w.report(w.nodes[0], task)
		if !r.OK() || !strings.Contains(r.String(), "only strangers answered about site.post, who decide nothing") {
			t.Error(r.String())
		}
	})
}

// TestAttackTaskNobodyMayRead: a creator publishes a task with a field that no judge knows. Before,
// all judges abstained, the case ended undecided, and the creator had the work for nothing.
func TestAttackTaskNobodyMayRead(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		w := newWorld(t, nil)
		w.join(7, nil)
		p := posted()
		p.task = `{"deadline":1,` + p.task[1:]
		task := w.dispute(p)
		c := w.until(20*time.Minute, "decided", task, func(c *program.Case) bool { return c.Status.Over() })
		if c.Verdict != voting.ForWorker || c.Round != 1 {
			t.Fatalf("verdict %v in round %d", c.Verdict, c.Round)
		}
	})
}
