package node

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"ojud/casefile"
	"ojud/ledger/program"
	"ojud/node/network"
	"ojud/node/record"
	"ojud/node/why"
	"ojud/p2p/p2ptest"
	"ojud/test/longtest"
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
	longtest.Only(t)
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
	longtest.Only(t)
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

// TestAttackSourceForOneJudge: a creator names a source that its own judge has for itself alone,
// with a stake and an announcement. Before, all others abstained in three rounds, paid for it, and
// that judge took 4.05 SOL a case. Now they accept in the first round, and it earns what they earn.
func TestAttackSourceForOneJudge(t *testing.T) {
	longtest.Only(t)
	p2ptest.Run(t, func(t *testing.T) {
		w := newWorld(t, nil)
		w.join(7, nil)
		w.joinWith(func(m *member) { holdAs(t, m, "something else", `["`+m.home.Keys.Authority.Address().String()+`"]`) })
		attacker := w.nodes[7]
		task := w.dispute(posted())
		c := w.until(20*time.Minute, "decided", task, func(c *program.Case) bool { return c.Status.Over() })
		if c.Verdict != voting.ForWorker || c.Round != 1 || int(c.Revealed) != len(c.Seats) {
			t.Fatalf("verdict %v in round %d, %d of %d revealed", c.Verdict, c.Round, c.Revealed, len(c.Seats))
		}
		for i, s := range c.Seats {
			mine := voting.Key(s.Judge) == attacker.home.Keys.Judge()
			if want := map[bool]voting.Choice{true: voting.Reject, false: voting.Accept}[mine]; s.Choice != want || s.Earned != sol/2_000 {
				t.Errorf("seat %d: %v, earned %d", i, s.Choice, s.Earned)
			}
		}
	})
}

// TestAttackHolderTellsEachJudgeAnother: a holder with a stake signs another answer for one judge
// than for the others. The judges find its two receipts in their case files and accuse it; the file
// shows it, and so does the explanation of the holder's own judge.
func TestAttackHolderTellsEachJudgeAnother(t *testing.T) {
	longtest.Only(t)
	p2ptest.Run(t, func(t *testing.T) {
		w := holders(t, "hello world", "hello world")
		liar := w.nodes[6]
		task := w.dispute(posted())
		w.until(20*time.Minute, "committed", task, func(c *program.Case) bool { return c.Committed > 0 && int(c.Committed) == len(c.Seats) })
		// It says something else to the first judge, too, as a changed node could.
		said := w.receiptOf(task, casefile.DID(liar.home.Keys.Peer()))
		said.Response, said.Judge, said.Asker = casefile.Digest{9}, casefile.Address(w.nodes[0].home.Keys.Judge()), casefile.DID(w.nodes[0].home.Keys.Peer())
		lie, err := said.Sign(liar.home.Keys.node)
		w.must(err)
		liar.cases.AddReceipt(lie)
		c := w.until(20*time.Minute, "decided", task, func(c *program.Case) bool { return c.Status.Over() })
		if c.Verdict != voting.ForWorker {
			t.Fatalf("verdict %v", c.Verdict)
		}
		accused := func() (n int) {
			log, err := w.nodes[0].Reader.Log(task)
			w.must(err)
			for _, e := range log.Events() {
				if e.Kind == casefile.KindTwofold {
					n++
				}
			}
			return n
		}
		p2ptest.Eventually(t, 10*time.Minute, "the holder is accused", func() bool { return accused() > 0 })
		r := w.report(w.nodes[0], task)
		if !r.OK() || !strings.Contains(r.String(), "gave two different answers to one question about site.post in this case") {
			t.Error(r.String())
		}
		a, err := liar.Why(task, voting.Key{})
		w.must(err)
		if !slices.ContainsFunc(a.Lines, func(l why.Line) bool {
			return l.Code == why.Twofold && strings.HasPrefix(l.Text, "this judge's node gave two")
		}) ||
			!slices.ContainsFunc(a.Lines, func(l why.Line) bool { return l.Code == why.Answered }) {
			t.Errorf("%+v", a.Lines)
		}
	})
}

// receiptOf waits for a receipt of a holder in the data of the second node's judge.
func (w *world) receiptOf(task voting.Key, holder casefile.DID) casefile.Receipt {
	w.t.Helper()
	for _, m := range w.nodes {
		raw, err := m.journal.Data(task, 1)
		w.must(err)
		var kept []casefile.DataBody
		if raw == nil || json.Unmarshal(raw, &kept) != nil {
			continue
		}
		for _, r := range record.Receipts(kept) {
			if r.Holder == holder && r.Asker != casefile.DID(w.nodes[0].home.Keys.Peer()) {
				return r
			}
		}
	}
	w.t.Fatal("nobody was answered by that holder")
	return casefile.Receipt{}
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
