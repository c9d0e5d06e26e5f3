package golden

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"ojud/voting"
)

var rewrite = flag.Bool("rewrite", false, "write the golden vectors instead of comparing them")

func hash(text string) voting.Hash { return sha256.Sum256([]byte(text)) }

// leaves returns leaves with the documents that their number names.
func leaves(n int) (all []Leaf) {
	for i := range n {
		name := func(what string) voting.Hash { return hash(fmt.Sprintf("hash %s %d", what, i)) }
		all = append(all, Leaf{
			Address: voting.Key(name("address")),
			Task:    name("task"), Result: name("result"), Objection: name("objection"), Counter: name("counter-objection"),
			Answer: voting.Choice(1 + i%2), Generator: hash("hash generator"), Seed: name("seed"),
		})
	}
	return all
}

// TestVectors holds leaves, proofs and roots to the bytes that all implementations agree on.
func TestVectors(t *testing.T) {
	type proof struct {
		Leaf  string   `json:"leaf"` // preimage
		Seal  string   `json:"seal"`
		Place string   `json:"place"`
		Asked string   `json:"question"` // hash of the task that challenges it
		Index uint32   `json:"index"`
		Path  []string `json:"path"`
	}
	type batch struct {
		Leaves int     `json:"leaves"`
		Root   string  `json:"root"`
		Proofs []proof `json:"proofs"`
	}
	var all []batch
	for _, n := range []int{1, 2, 3, 4, 7} {
		some := leaves(n)
		root, proofs, err := Commit(some)
		if err != nil {
			t.Fatal(err)
		}
		b := batch{Leaves: n, Root: root.String()}
		for i, p := range proofs {
			one := proof{Leaf: hex.EncodeToString(some[i].Bytes()), Seal: some[i].Hash().String(), Place: place(some[i]).String(), Asked: voting.Hash(sha256.Sum256(some[i].Question())).String(), Index: p.Index, Path: []string{}}
			for _, h := range p.Path {
				one.Path = append(one.Path, h.String())
			}
			b.Proofs = append(b.Proofs, one)
		}
		all = append(all, b)
	}
	got, err := json.MarshalIndent(map[string]any{"batches": all}, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	const name = "../programs/oju/vectors/leaves.json"
	if *rewrite {
		if err := os.WriteFile(name, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s differs from what the code makes (%v); after a change of the protocol: go test ./golden -rewrite", name, err)
	}
}

// TestProofs: each leaf of a batch has a proof, which fits no other leaf, place, number or root.
func TestProofs(t *testing.T) {
	for _, n := range []int{1, 2, 3, 5, 8, 13, 64, 100} {
		some := leaves(n)
		root, proofs, err := Commit(some)
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range proofs {
			if err := p.Verify(root, some[i]); err != nil {
				t.Fatal(err)
			}
			for what, bad := range map[string]func(p *Proof, l *Leaf, root *voting.Hash){
				"place":   func(p *Proof, _ *Leaf, _ *voting.Hash) { p.Index ^= 1 },
				"number":  func(p *Proof, _ *Leaf, _ *voting.Hash) { p.Leaves++ },
				"root":    func(_ *Proof, _ *Leaf, r *voting.Hash) { r[0]++ },
				"answer":  func(_ *Proof, l *Leaf, _ *voting.Hash) { l.Answer = 3 - l.Answer },
				"address": func(_ *Proof, l *Leaf, _ *voting.Hash) { l.Address[5]++ },
				"result":  func(_ *Proof, l *Leaf, _ *voting.Hash) { l.Result[5]++ },
				"seed":    func(_ *Proof, l *Leaf, _ *voting.Hash) { l.Seed[5]++ },
				"longer":  func(p *Proof, _ *Leaf, _ *voting.Hash) { p.Path = append(slices.Clone(p.Path), voting.Hash{}) },
				"empty":   func(p *Proof, _ *Leaf, _ *voting.Hash) { *p = Proof{} },
			} {
				q, l, r := Proof{p.Index, p.Leaves, slices.Clone(p.Path)}, some[i], root
				bad(&q, &l, &r)
				if q.Verify(r, l) == nil {
					t.Fatalf("%d of %d: another %s passes", i, n, what)
				}
			}
		}
	}
}

// TestAttackNeighbourShown: whoever opens a leaf would show with the proof which other running case
// is golden, if the tree were made of the seals. A judge that reads all tasks of the chain finds no
// seal, and nothing that follows from seals alone, in any proof. Before: one opening showed one
// more golden case.
func TestAttackNeighbourShown(t *testing.T) {
	some := leaves(16)
	_, proofs, err := Commit(some)
	if err != nil {
		t.Fatal(err)
	}
	public := map[voting.Hash]bool{}
	for i, a := range some {
		public[a.Hash()] = true
		for _, domain := range []string{"", placeDomain, branchDomain} {
			h := a.Hash()
			public[sha256.Sum256(append([]byte(domain), h[:]...))] = true
			for _, b := range some {
				public[branch(h, b.Hash())] = true
			}
		}
		_ = i
	}
	for _, p := range proofs {
		for _, h := range p.Path {
			if public[h] {
				t.Errorf("the proof of leaf %d shows %s, which follows from public seals", p.Index, h)
			}
		}
	}
}

// TestBadLeaves: what no proctor may commit to is refused, with the reason.
func TestBadLeaves(t *testing.T) {
	for want, bad := range map[string]func(*Leaf){
		"answer is 3": func(l *Leaf) { l.Answer = voting.Abstain }, "answer is 0": func(l *Leaf) { l.Answer = 0 },
		"document is zero": func(l *Leaf) { l.Counter = voting.Hash{} }, "of the task is zero": func(l *Leaf) { l.Address = voting.Key{} }, "generator is zero": func(l *Leaf) { l.Generator = voting.Hash{} },
	} {
		l := leaves(1)[0]
		bad(&l)
		if _, _, err := Commit([]Leaf{l}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	for _, seed := range [][32]byte{{31: 7}, [32]byte(bytes.Repeat([]byte("a"), 32))} {
		l := leaves(1)[0]
		l.Seed = seed
		if _, _, err := Commit([]Leaf{l}); err == nil || !strings.Contains(err.Error(), "random bytes") {
			t.Errorf("a seed that can be found by trying passes: %v", err)
		}
	}
	twice := leaves(2)
	twice[1].Task = twice[0].Task
	for _, some := range [][]Leaf{nil, leaves(MaxLeaves + 1), twice} {
		if _, _, err := Commit(some); err == nil {
			t.Errorf("a batch of %d passes", len(some))
		}
	}
}
