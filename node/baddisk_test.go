package node

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ojud/agent/judge"
	"ojud/ledger/journal"
	"ojud/ledger/program"
	"ojud/p2p/p2ptest"
	"ojud/test/longtest"
	"ojud/voting"
)

// flip changes bytes in the middle of every file that matches a pattern.
func flip(t testing.TB, pattern string) {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: %v, %v", pattern, paths, err)
	}
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i := range min(64, len(raw)) {
			raw[len(raw)/2-min(32, len(raw)/2)+i] ^= 0xff
		}
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCorruptJournal: the journal of a node that voted is damaged while the node is down. The node
// starts again with its vote, or names the unreadable directory and the remedy. After the remedy it
// reveals the vote that it cast and never signs another.
func TestCorruptJournal(t *testing.T) {
	longtest.Only(t)
	for name, c := range map[string]struct {
		damage func(t *testing.T, dir string)
		away   []string // files that it asks the owner to move away, in turn; empty if it starts
	}{
		// The tables are not damaged here, because Badger leaks goroutines if it cannot open one.
		// Package journal tests them.
		"its manifest":    {func(t *testing.T, dir string) { flip(t, dir+"/db/MANIFEST") }, []string{"db"}},
		"the second copy": {func(t *testing.T, dir string) { flip(t, dir+"/own/*.vote") }, nil},
		"both":            {func(t *testing.T, dir string) { flip(t, dir+"/db/MANIFEST"); flip(t, dir+"/own/*.vote") }, []string{"db", "."}},
	} {
		t.Run(name, func(t *testing.T) {
			p2ptest.Run(t, func(t *testing.T) {
				w := newWorld(t, nil)
				mind := &fickle{Judge: code()}
				w.join(5, func(i int) judge.Judge {
					if i == 4 {
						return mind
					}
					return slow{code(), 100 * time.Second}
				})
				m := w.nodes[4]
				task := w.dispute(eleptiger(t))
				before := w.until(2*time.Minute, "it voted", task, func(c *program.Case) bool { return c.Committed == 1 })
				w.halt(m)
				dir := m.home.Path(journalDir)
				c.damage(t, dir)
				for _, what := range c.away { // the error names what to move
					_, err := New(t.Context(), m.home, m.cfg, m.deps)
					if !errors.Is(err, journal.ErrCorrupt) {
						t.Fatalf("opened: %v", err)
					}
					if what == "." {
						says(t, "the error", err.Error(), dir, "move the whole directory away", "before it signs anything")
					} else {
						says(t, "the error", err.Error(), dir, "move "+filepath.Join(dir, what)+" away", "no vote is lost")
					}
					w.must(os.Rename(filepath.Join(dir, what), filepath.Join(t.TempDir(), "damaged")))
				}
				w.start(m)
				end := w.until(20*time.Minute, "decided", task, func(c *program.Case) bool { return c.Status.Over() })
				x, s := seatOf(t, before, m), seatOf(t, end, m)
				if s.Result != voting.Majority || s.Flags&program.SeatEquivocated != 0 || s.Commitment != x.Commitment {
					t.Errorf("%v, flags %d, committed %x, then %x", s.Result, s.Flags, x.Commitment, s.Commitment)
				}
			})
		})
	}
}

// TestSecondProcess: a second node on the same home does not start, and names the process that uses
// it.
func TestSecondProcess(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		w := newWorld(t, nil)
		w.join(1, nil)
		m := w.nodes[0]
		_, err := New(t.Context(), m.home, m.cfg, m.deps)
		if !errors.Is(err, ErrTwin) {
			t.Fatal(err)
		}
		says(t, "the error", err.Error(), m.home.Path(journalDir), fmt.Sprint(os.Getpid()), "stop that process first")
	})
}
