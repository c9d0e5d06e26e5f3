package generator

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"slices"
	"testing"

	"ojud/casefile"
	"ojud/test/longtest"
	"ojud/voting"
)

// seedOf is a seed of a test.
func seedOf(name string, i int) [32]byte {
	return sha256.Sum256(binary.LittleEndian.AppendUint64([]byte(name), uint64(i)))
}

// sources are the generators with their insides.
func sources() (found []source) {
	for _, g := range all() {
		found = append(found, g.(source))
	}
	return found
}

// TestTwins: for each dispute there is another one with the same result and the same pleas and the
// other answer, which differs in the task alone. So no judge that leaves out the task is better
// than a coin. With the other result instead, the task stays the same, and the answer changes.
func TestTwins(t *testing.T) {
	for _, s := range sources() {
		for i := range 400 {
			one, err := s.drawn(seedOf("twins", i))
			if err != nil {
				t.Fatal(err)
			}
			a := made(t, s, one)
			one.asked = 1 - one.asked
			b := made(t, s, one)
			if !bytes.Equal(a.Result, b.Result) || !bytes.Equal(a.Objection, b.Objection) || !bytes.Equal(a.Counter, b.Counter) {
				t.Fatalf("%s %d: what the worker and the parties wrote depends on the task", s.kind, i)
			}
			if bytes.Equal(a.Task, b.Task) || a.Answer == b.Answer {
				t.Fatalf("%s %d: both tasks have one answer", s.kind, i)
			}
			one.given = 1 - one.given
			c := made(t, s, one)
			if !bytes.Equal(b.Task, c.Task) || bytes.Equal(b.Result, c.Result) || b.Answer == c.Answer {
				t.Fatalf("%s %d: both results have one answer", s.kind, i)
			}
			if right := map[voting.Choice]bool{voting.Accept: true}; right[a.Answer] != bytes.Equal(a.Result, a.Proof.Right) {
				t.Fatalf("%s %d: answer %s, but the right result says otherwise", s.kind, i, a.Answer)
			}
		}
	}
}

func made(t *testing.T, s source, one drawn) Dispute {
	t.Helper()
	d, err := s.dispute(one)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestMade: every dispute is one that the court takes, and all of the ways to be difficult occur.
func TestMade(t *testing.T) {
	longtest.Only(t)
	for _, s := range sources() {
		seen, answers, largest := map[string]int{}, map[voting.Choice]int{}, 0
		for i := range 2000 {
			d, err := s.Make(seedOf("made", i))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := casefile.ParseTask(d.Task); err != nil {
				t.Fatal(err)
			}
			for _, o := range [][]byte{d.Objection, d.Counter} {
				if _, err := casefile.ParseObjection(o); err != nil {
					t.Fatal(err)
				}
			}
			if d.Proof.Why == "" || len(d.Proof.Steps) == 0 {
				t.Fatal("no proof")
			}
			answers[d.Answer]++
			seen[d.Template]++
			seen[map[bool]string{true: "hard", false: "easy"}[d.Hard]]++
			seen[map[bool]string{true: "hostile", false: "friendly"}[d.Hostile]]++
			largest = max(largest, len(d.Task))
		}
		if n := answers[voting.Accept]; n < 900 || n > 1100 || n+answers[voting.Reject] != 2000 {
			t.Errorf("%s: %d of 2000 are to be accepted", s.kind, n)
		}
		for name, n := range seen {
			if n < 60 {
				t.Errorf("%s: only %d of 2000 are %s", s.kind, n, name)
			}
		}
		if len(seen) < 8 || largest < 3_000 || largest > casefile.MaxDocument/4 {
			t.Errorf("%s: %v, and the largest task has %d bytes", s.kind, slices.Sorted(maps.Keys(seen)), largest)
		}
		t.Logf("%s: %v, largest task %d bytes", s.kind, seen, largest)
	}
}
