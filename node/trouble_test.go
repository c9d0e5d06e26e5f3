package node

import (
	"bytes"
	"context"
	"os"
	"testing"
	"time"

	"ojud/agent/judge"
	"ojud/casefile"
	"ojud/casefile/verify"
	"ojud/ledger/program"
	"ojud/p2p/p2ptest"
	"ojud/test/longtest"
	"ojud/voting"
)

// brisk sets rounds of a minute and a half, and four minutes for evidence.
func brisk(p *program.Params) { p.CommitSeconds, p.RevealSeconds, p.EvidenceSeconds = 60, 30, 240 }

// contrary says the opposite of the code judge.
type contrary struct{ judge.Judge }

func (c contrary) Evaluate(ctx context.Context, b judge.Brief) (casefile.Opinion, error) {
	o, err := c.Judge.Evaluate(ctx, b)
	switch voting.Choice(o.Choice) {
	case voting.Accept:
		o.Choice = casefile.Choice(voting.Reject)
	case voting.Reject:
		o.Choice = casefile.Choice(voting.Accept)
	}
	return o, err
}

func code() judge.Judge { return judge.NewCode(judge.DefaultLimits()) }

// seatOf returns a judge's seat in a case.
func seatOf(t *testing.T, c *program.Case, m *member) program.Seat {
	t.Helper()
	for _, s := range c.Seats {
		if voting.Key(s.Judge) == m.home.Keys.Judge() {
			return s
		}
	}
	t.Fatalf("%s has no seat", m.home.Keys.Authority)
	return program.Seat{}
}

// TestAbsentAndContrary: the absent are slashed two pays, and each vote earns one pay, also the
// contrary one. No lamport is lost.
func TestAbsentAndContrary(t *testing.T) {
	longtest.Only(t)
	p2ptest.Run(t, func(t *testing.T) {
		w := newWorld(t, brisk)
		w.join(7, func(i int) judge.Judge {
			if i == 6 {
				return contrary{code()}
			}
			return nil
		})
		w.halt(w.nodes[5])
		before := w.capital()
		task := w.dispute(eleptiger(t))
		c := w.until(20*time.Minute, "decided", task, func(c *program.Case) bool { return c.Status.Over() })
		if c.Verdict != voting.ForWorker {
			t.Fatalf("verdict %v", c.Verdict)
		}
		absent, minority := seatOf(t, c, w.nodes[5]), seatOf(t, c, w.nodes[6])
		if absent.Result != voting.Absent || absent.Slashed != sol/1_000 {
			t.Errorf("absent: %v, slashed %d", absent.Result, absent.Slashed)
		}
		if minority.Result != voting.Minority || minority.Slashed != 0 || minority.Earned != sol/2_000 {
			t.Errorf("minority: %v, slashed %d, earned %d", minority.Result, minority.Slashed, minority.Earned)
		}
		var earned uint64
		for _, m := range w.nodes[:5] {
			earned += seatOf(t, c, m).Earned
		}
		if want := 5 * sol / 2_000; earned != want {
			t.Errorf("the majority earned %d, want %d", earned, want)
		}
		w.verified(w.nodes[0], task)
		if after := w.capital(); after != before {
			t.Errorf("%d lamports before, %d after", before, after)
		}
		w.archived(task, w.nodes[0])
		w.halt(w.nodes[0])
		w.start(w.nodes[0])
		w.archived(task, w.nodes[0])
	})
}

// archived waits until a node no longer follows a case, and verifies the file that it still has.
func (w *world) archived(task voting.Key, m *member) {
	w.t.Helper()
	p2ptest.Eventually(w.t, 10*time.Minute, "the case is archived", func() bool {
		look, ok := m.cases.Look(task)
		return !ok || look.Status == 0
	})
	s, err := m.Case(w.t.Context(), task)
	if err != nil {
		w.t.Fatal(err)
	}
	if !s.Archived || s.Status != voting.Decided.String() || s.Verdict != voting.ForWorker.String() || !s.Complete {
		w.t.Errorf("archived as %+v", s)
	}
	if p, err := m.Panel(w.t.Context(), task); err != nil || !p.Cast || p.Votes == 0 || p.Round != s.Round {
		w.t.Errorf("panel %+v, %v", p, err)
	}
	file, missing, err := m.Export(w.t.Context(), task)
	if err != nil || len(missing) > 0 || s.Events == 0 {
		w.t.Fatalf("%d bytes, missing %v, %v", len(file), missing, err)
	}
	if r := verify.File(file); !r.OK() {
		w.t.Error(r.String())
	}
}

// TestNoQuorum: if too many judges are absent, the panel is drawn twice. Then the case ends
// undecided and the escrow is split.
func TestNoQuorum(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		w := newWorld(t, brisk)
		w.join(5, nil)
		for _, m := range w.nodes[3:] {
			w.halt(m)
		}
		task := w.dispute(eleptiger(t))
		c := w.until(time.Hour, "undecided", task, func(c *program.Case) bool { return c.Status.Over() })
		if c.Status != voting.EndedUndecided || c.Round != 2 {
			t.Fatalf("%v in round %d", c.Status, c.Round)
		}
		terms, _, err := w.client.Task(t.Context(), address(task))
		if err != nil || terms.Status != program.Undecided || terms.Outcome != voting.Split {
			t.Errorf("task %+v, %v", terms, err)
		}
		w.verified(w.nodes[0], task)
	})
}

// slow is a judge that answers after a while.
type slow struct {
	judge.Judge
	after time.Duration
}

func (s slow) Evaluate(ctx context.Context, b judge.Brief) (casefile.Opinion, error) {
	select {
	case <-time.After(s.after):
	case <-ctx.Done():
	}
	return s.Judge.Evaluate(ctx, b)
}

// TestLate: a node that joins a running round a minute late still votes, and ends with every vote.
func TestLate(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		w := newWorld(t, nil)
		w.join(7, func(int) judge.Judge { return slow{code(), 90 * time.Second} })
		late := w.nodes[6]
		w.halt(late)
		task := w.dispute(eleptiger(t))
		w.until(time.Minute, "drawn", task, func(c *program.Case) bool { return c.Status == voting.Committing })
		time.Sleep(time.Minute)
		w.start(late)
		c := w.until(20*time.Minute, "decided", task, func(c *program.Case) bool { return c.Status.Over() })
		if s := seatOf(t, c, late); s.Result != voting.Majority {
			t.Errorf("the late node: %v", s.Result)
		}
		w.verified(late, task)
	})
}

// TestCut: a network is cut into halves for a minute in the commit phase. Both end with every vote.
func TestCut(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		w := newWorld(t, nil)
		w.join(8, func(int) judge.Judge { return slow{code(), 30 * time.Second} })
		task := w.dispute(eleptiger(t))
		w.until(time.Minute, "drawn", task, func(c *program.Case) bool { return c.Status == voting.Committing })
		time.Sleep(10 * time.Second) // the papers are everywhere
		w.net.Cut(p2ptest.Halves)
		time.Sleep(time.Minute)
		w.net.Cut(nil)
		c := w.until(20*time.Minute, "decided", task, func(c *program.Case) bool { return c.Status.Over() })
		if c.Verdict != voting.ForWorker || int(c.Revealed) != len(c.Seats) {
			t.Errorf("verdict %v, %d of %d revealed", c.Verdict, c.Revealed, len(c.Seats))
		}
		for _, m := range w.nodes {
			w.verified(m, task)
		}
	})
}

// TestRestart: a node that is stopped after it committed, and started again, reveals the same vote.
func TestRestart(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		w := newWorld(t, nil)
		w.join(7, func(i int) judge.Judge {
			if i == 0 {
				return slow{code(), time.Minute}
			}
			return nil
		})
		task := w.dispute(eleptiger(t))
		w.until(2*time.Minute, "six commits", task, func(c *program.Case) bool { return c.Committed == 6 })
		w.halt(w.nodes[3])
		time.Sleep(10 * time.Second)
		w.start(w.nodes[3])
		c := w.until(20*time.Minute, "decided", task, func(c *program.Case) bool { return c.Status.Over() })
		if s := seatOf(t, c, w.nodes[3]); s.Result != voting.Majority {
			t.Errorf("the restarted node: %v", s.Result)
		}
		w.verified(w.nodes[3], task)
	})
}

// TestLostDisk: a node that lost its journal after it committed recovers its vote from the chain,
// signs nothing else, and reveals.
func TestLostDisk(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		w := newWorld(t, nil)
		w.join(7, func(i int) judge.Judge {
			if i == 0 {
				return slow{code(), time.Minute}
			}
			return nil
		})
		task := w.dispute(eleptiger(t))
		w.until(2*time.Minute, "six commits", task, func(c *program.Case) bool { return c.Committed == 6 })
		m := w.nodes[3]
		w.halt(m)
		for _, dir := range []string{journalDir, blobsDir} {
			if err := os.RemoveAll(m.home.Path(dir)); err != nil {
				t.Fatal(err)
			}
		}
		w.start(m)
		c := w.until(20*time.Minute, "decided", task, func(c *program.Case) bool { return c.Status.Over() })
		s := seatOf(t, c, m)
		if s.Result != voting.Majority || s.Flags&program.SeatEquivocated != 0 {
			t.Errorf("the node without a disk: %v, flags %d", s.Result, s.Flags)
		}
		if missing := w.sound(w.nodes[0], task); len(missing) > 1 {
			t.Errorf("missing %v; only the lost opinion may be", missing)
		}
	})
}

// liar sends half of the seats another commitment.
type liar struct {
	Broadcaster
	w    *world
	keys Keys
}

func (l liar) Push(to []voting.Key, notice voting.Notice) error {
	c, ok := notice.(voting.Commit)
	if !ok {
		return l.Broadcaster.Push(to, notice)
	}
	other := c
	other.Commitment = voting.Hash(bytes.Repeat([]byte{7}, 32))
	other.Signature = l.keys.Sign(l.w.domain.Statement(c.Task, c.Round, c.Judge, other.Commitment))
	half := len(to) / 2
	if err := l.Broadcaster.Push(to[:half], notice); err != nil {
		return err
	}
	return l.Broadcaster.Push(to[half:], other)
}

// TestEquivocation: a node that signs two statements is detected and loses its stake, although it
// votes with the majority.
func TestEquivocation(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		w := newWorld(t, nil)
		w.join(6, func(int) judge.Judge { return slow{code(), 20 * time.Second} })
		w.joinWith(func(m *member) {
			m.deps.WrapBroadcaster = func(c Broadcaster) Broadcaster { return liar{c, w, m.home.Keys} }
		})
		before := w.capital()
		task := w.dispute(eleptiger(t))
		w.until(20*time.Minute, "decided", task, func(c *program.Case) bool { return c.Status.Over() })
		c := w.until(5*time.Minute, "slashed", task, func(c *program.Case) bool {
			return seatOf(t, c, w.nodes[6]).Flags&program.SeatEquivocated != 0
		})
		if s := seatOf(t, c, w.nodes[6]); s.Slashed < 2*sol {
			t.Errorf("slashed %d of %d", s.Slashed, 2*sol)
		}
		if c.Verdict != voting.ForWorker {
			t.Errorf("verdict %v", c.Verdict)
		}
		w.verified(w.nodes[0], task)
		if after := w.capital(); after != before {
			t.Errorf("%d lamports before, %d after", before, after)
		}
	})
}
