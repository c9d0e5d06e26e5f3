package ledger

import (
	"testing"
	"testing/synctest"
	"time"

	"ojud/ledger/program"
	"ojud/voting"
)

// TestQuiet: without a websocket, a watcher asks seldom while nothing happens. It sees the first
// event by its next sweep, and those of the minute after it by the next polls. The time that it did
// not ask does not make the chain look still, but a node that does not answer does.
func TestQuiet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := newFakeNode()
		node.seated()
		node.start(t)
		cfg := testConfig()
		c := node.open(t, cfg)
		w := watched(t, c, Cursor{})
		time.Sleep(2 * time.Minute)
		for range 60 {
			time.Sleep(time.Second)
			if age := c.clock.Age(); age > 2*cfg.Watch.Poll {
				t.Fatalf("the chain seems to stand still for %s", age)
			}
		}
		opened := func(id uint64) int {
			task := node.dispute(id, voting.AwaitingDraw)
			node.happen(int(id), 0, text(&program.CaseOpened{Task: task, Round: 1}))
			began := time.Now()
			for len(w.of(task)) == 0 && time.Since(began) < time.Minute {
				time.Sleep(100 * time.Millisecond)
				synctest.Wait()
			}
			return int(time.Since(began) / time.Second)
		}
		if first, most := opened(1), int(cfg.Watch.Sweep/time.Second)+1; first > most {
			t.Errorf("the first case is seen after %d s, at most %d", first, most)
		}
		if next, most := opened(2), int(cfg.Watch.Poll/time.Second)+1; next > most {
			t.Errorf("the next one is seen after %d s, at most %d", next, most)
		}
		answers := func(f func(string, int) fault) {
			node.mu.Lock()
			defer node.mu.Unlock()
			node.fault = f
		}
		answers(func(string, int) fault { return fault{before: true} })
		time.Sleep(time.Minute)
		if age := c.clock.Age(); age < 30*time.Second {
			t.Errorf("a node that does not answer is not noticed: %s", age)
		}
		answers(nil)
		if err := w.stop(); err != nil {
			t.Fatal(err)
		}
	})
}
