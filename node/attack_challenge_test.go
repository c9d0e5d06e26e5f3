package node

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ojud/casefile"
	"ojud/golden"
	"ojud/golden/generator"
	"ojud/ledger/program"
	"ojud/p2p/p2ptest"
	"ojud/test/longtest"
	"ojud/voting"
)

// TestAttackLyingLeaf: a proctor commits to a false answer, which takes 40 pays of each honest
// seat. Whoever opens its leaf challenges it, and the panel runs the generator: the batch is over.
// Somebody who wants to destroy the batch of an honest proctor, and to earn a tenth of its deposit,
// loses, also if nobody can see the task: the program compares only hashes, and for a task that
// nobody shows the panel used to vote for the worker.
func TestAttackLyingLeaf(t *testing.T) {
	longtest.Only(t)
	g, err := generator.Of(generator.Arithmetic)
	if err != nil {
		t.Fatal(err)
	}
	d, err := g.Make([32]byte{4, 5, 6})
	if err != nil {
		t.Fatal(err)
	}
	leaf := golden.Leaf{
		Address: voting.Key{9}, Task: casefile.HashOf(d.Task), Result: casefile.HashOf(d.Result), Objection: casefile.HashOf(d.Objection),
		Counter: casefile.HashOf(d.Counter), Answer: d.Answer, Generator: g.Version(), Seed: [32]byte{4, 5, 6},
	}
	lie := leaf
	lie.Answer = 3 - leaf.Answer
	for name, c := range map[string]struct {
		leaf     golden.Leaf
		withheld bool
		want     voting.Verdict
	}{
		"the leaf is false":                       {lie, false, voting.ForWorker},
		"the leaf is true":                        {leaf, false, voting.ForCreator},
		"the leaf is true, and the task withheld": {leaf, true, voting.ForCreator},
	} {
		t.Run(name, func(t *testing.T) {
			p2ptest.Run(t, func(t *testing.T) {
				w := newWorld(t, nil)
				w.join(7, nil)
				creator, worker := w.parties()
				id, counter := w.plead(creator, worker, 0, sol, papers{
					string(c.leaf.Question()), string(golden.Denial()), `{"reason":"The leaf is true."}`, `{"reason":"It is false: run the generator."}`,
				})
				if c.withheld {
					w.withhold(casefile.HashOf(c.leaf.Question()))
				}
				counter()
				got := w.until(60*time.Minute, "decided", id, func(c *program.Case) bool { return c.Status.Over() })
				if got.Verdict != c.want || got.Round != 1 {
					t.Errorf("verdict %v in round %d: accept %d, reject %d, abstain %d", got.Verdict, got.Round, got.AcceptWeight, got.RejectWeight, got.AbstainWeight)
				}
			})
		})
	}
}

// withhold takes content away from the first node, the only one that has it.
func (w *world) withhold(hash voting.Hash) {
	w.t.Helper()
	found := 0
	w.must(filepath.WalkDir(w.nodes[0].home.Path(""), func(path string, _ fs.DirEntry, err error) error {
		if err == nil && filepath.Base(path) == hash.String() {
			found++
			err = os.Remove(path)
		}
		return err
	}))
	if found == 0 {
		w.t.Fatalf("the first node does not have %s", hash)
	}
}
