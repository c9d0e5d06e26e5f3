package node

import (
	"os"
	"testing"
	"time"

	"ojud/agent/judge"
	"ojud/ledger/journal"
	"ojud/ledger/program"
	"ojud/p2p/p2ptest"
	"ojud/test/longtest"
	"ojud/voting"
)

// TestRestored: a node signs, and its machine is lost before anything is sent. A backup of its home
// that is older than the vote runs elsewhere, reaches no judge, and thinks otherwise. It signs
// nothing until the others said that they know of no vote of it. The control is a plain copy of the
// same home, which is not marked as restored and signs a second vote.
func TestRestored(t *testing.T) {
	longtest.Only(t)
	for name, marked := range map[string]bool{"restored": true, "copied": false} {
		t.Run(name, func(t *testing.T) {
			p2ptest.Run(t, func(t *testing.T) {
				w := newWorld(t, nil)
				w.join(5, func(int) judge.Judge { return slow{code(), 5 * time.Minute} })
				first, way := w.nodes[4], &route{}
				time.Sleep(2 * time.Minute) // a journal that is new is careful anyway
				w.halt(first)
				backup := w.copyOf(first, contrary{code()})
				if marked {
					w.must(journal.MarkRestored(backup.home.Path(journalDir)))
				}
				way.lead(w.server.Transport())
				first.deps.Judge, first.deps.Transport = slow{code(), 20 * time.Second}, way
				w.start(first)
				task := w.dispute(eleptiger(t))
				w.until(time.Minute, "drawn", task, func(c *program.Case) bool { return c.Status == voting.Committing })
				time.Sleep(10 * time.Second)
				w.net.Cut(func(from, to int) bool { return from >= 4 || to >= 4 })
				way.lead(nil)
				p2ptest.Eventually(t, time.Minute, "it signed", func() bool { _, ok := first.signed(t, task); return ok })
				lost, _ := first.signed(t, task)
				w.halt(first)
				w.must(os.RemoveAll(backup.home.Path(blobsDir))) // so that it can read the case while it reaches no other node
				w.must(os.CopyFS(backup.home.Path(blobsDir), os.DirFS(first.home.Path(blobsDir))))

				w.start(backup)
				time.Sleep(3 * time.Minute)
				second, signed := backup.signed(t, task)
				if marked && signed {
					t.Error("it signed although it could not ask what it signed before")
				}
				if !marked && (!signed || second == lost) {
					t.Error("the control signs no second vote, so this test shows nothing")
				}
				if !marked {
					return
				}
				w.net.Cut(nil)
				w.until(20*time.Minute, "decided", task, func(c *program.Case) bool { return c.Status.Over() })
				time.Sleep(time.Minute)
				end := w.until(time.Second, "", task, func(*program.Case) bool { return true })
				s := seatOf(t, end, first)
				if s.Flags&program.SeatEquivocated != 0 || s.Result != voting.Minority && s.Result != voting.Majority {
					t.Errorf("the seat: %v, flags %d, slashed %d", s.Result, s.Flags, s.Slashed)
				}
			})
		})
	}
}
