package node

import (
	"context"
	"errors"
	"testing"
	"time"

	"ojud/agent/judge"
	"ojud/casefile"
	"ojud/ledger/program"
	"ojud/node/network"
	"ojud/p2p"
	"ojud/p2p/p2ptest"
	"ojud/test/longtest"
	"ojud/voting"
)

// tardy is a judge that begins when the test tells it to.
type tardy struct {
	judge.Judge
	begin chan struct{}
}

func (j tardy) Evaluate(ctx context.Context, b judge.Brief) (casefile.Opinion, error) {
	select {
	case <-j.begin:
		return j.Judge.Evaluate(ctx, b)
	case <-ctx.Done():
		return casefile.Opinion{}, ctx.Err()
	}
}

// TestDataShared: a judge that begins when both holders are gone uses the answers that the others
// got. Anyone can check the holders' receipts.
func TestDataShared(t *testing.T) {
	longtest.Only(t)
	p2ptest.Run(t, func(t *testing.T) {
		w := newWorld(t, nil)
		w.join(4, nil)
		code, err := judge.New(judge.DefaultConfig())
		if err != nil {
			t.Fatal(err)
		}
		late := tardy{code, make(chan struct{})}
		w.join(1, func(int) judge.Judge { return late })
		w.joinWith(func(m *member) { hold(t, m, "hello world") })
		w.joinWith(func(m *member) { hold(t, m, "hello world") })
		last, holders := w.nodes[4], w.nodes[5:]
		task := w.dispute(posted())
		w.until(20*time.Minute, "all others committed", task, func(c *program.Case) bool { return int(c.Committed) == 6 })
		for _, m := range holders {
			w.halt(m)
		}
		close(late.begin)
		c := w.until(20*time.Minute, "decided", task, func(c *program.Case) bool { return c.Status.Over() })
		if c.Verdict != voting.ForWorker || int(c.Committed) != 7 {
			t.Fatalf("verdict %v, %d committed", c.Verdict, c.Committed)
		}
		w.report(w.nodes[0], task)
		log, err := w.nodes[0].Reader.Log(task)
		if err != nil {
			t.Fatal(err)
		}
		self, shown := casefile.DID(last.home.Keys.Peer()), 0
		for _, e := range log.Events() {
			var b casefile.DataBody
			if e.Kind != casefile.KindData || e.Actor != self {
				continue
			}
			if err := network.DecodeStrict(e.Body, &b); err != nil {
				t.Fatal(err)
			}
			for _, r := range b.Receipts {
				shown++
				holder := voting.Key(r.Holder)
				if r.Asker == self || holder != holders[0].home.Keys.Peer() && holder != holders[1].home.Keys.Peer() {
					t.Errorf("asker %s, holder %s", r.Asker, r.Holder)
				}
			}
		}
		if shown != 2 {
			t.Errorf("the late judge shows %d receipts", shown)
		}
	})
}

// TestSharedStream: only judges of the live round get an answer, and a malformed question is
// refused.
func TestSharedStream(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		w := newWorld(t, nil)
		w.join(3, nil)
		to, from := w.nodes[0].host.ID(), w.nodes[1].host
		good := `{"case":"11111111111111111111111111111111","data_source":"a","request":"` + casefile.Digest{}.String() + `","round":1}`
		for raw, class := range map[string]error{good: p2p.ErrRefused, `{"x":1}`: p2p.ErrBadRequest, good + " ": p2p.ErrBadRequest, "": p2p.ErrBadRequest} {
			if _, err := from.Request(t.Context(), to, "shared", []byte(raw)); !errors.Is(err, class) {
				t.Errorf("%q: %v", raw, err)
			}
		}
	})
}
