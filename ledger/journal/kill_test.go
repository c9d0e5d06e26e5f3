package journal

import (
	"flag"
	"math/rand/v2"
	"testing"
	"time"
)

var crashes = flag.Int("crashes", 15, "how often the writer is killed, and half as often the power is cut")

// TestKill kills a writing process again and again. Nothing that was acknowledged may be missing,
// no batch may be there in part, the sign guard has to hold, and every Open has to succeed. go test
// ./ledger/journal -run TestKill -crashes 500 -v
func TestKill(t *testing.T) {
	dir := t.TempDir()
	last, acked := -1, 0
	for n := range *crashes {
		c := startChild(t, dir, last+1, false)
		before := last
		last = c.kill(t, c.read(t, 1+rand.IntN(120)))
		acked += last - before
		j := open(t, dir)
		if steps, votes := lost(t, j, last, last+1); steps != 0 {
			t.Fatalf("kill %d: %d of %d acknowledged steps lost, %d of them own votes", n, steps, last+1, votes)
		}
		shut(t, j)
		if last > 2_000 { // begin again: checking all takes longer and longer
			dir, last = t.TempDir(), -1
		}
	}
	t.Logf("%d kills, %d acknowledged steps, 0 lost, every Open succeeded", *crashes, acked)
}

// TestKillWhileOpening kills before the first acknowledgement: while Badger makes, replays or
// removes its files.
func TestKillWhileOpening(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir)
	if err := step(j, 0); err != nil {
		t.Fatal(err)
	}
	shut(t, j)
	for n := range *crashes {
		c := startChild(t, dir, 8*(n+1), false)
		<-time.After(time.Duration(rand.IntN(50_000)) * time.Microsecond) // somewhere in the child's first moments
		c.kill(t, -1)
		j := open(t, dir)
		if !voted(t, j, 0) {
			t.Fatalf("kill %d: the own vote is lost", n)
		}
		shut(t, j)
	}
}
