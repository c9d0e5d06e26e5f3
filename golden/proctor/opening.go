package proctor

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"ojud/casefile"
	"ojud/golden"
	"ojud/golden/generator"
	"ojud/ledger/journal/durable"
	"ojud/voting"
	"ojud/voting/rules"
)

// opened is an open leaf with its proof, as a file.
type opened struct {
	Root   casefile.Digest   `json:"root"`
	Leaves uint32            `json:"leaves"`
	Index  uint32            `json:"index"` // the first leaf has 0
	Path   []casefile.Digest `json:"path"`
	Leaf   openLeaf          `json:"leaf"`
}

// openLeaf spells a leaf in JSON.
type openLeaf struct {
	Address   casefile.Address `json:"address"` // of the task
	Task      casefile.Digest  `json:"task"`
	Result    casefile.Digest  `json:"result"`
	Objection casefile.Digest  `json:"objection"`
	Counter   casefile.Digest  `json:"counter_objection"`
	Answer    casefile.Choice  `json:"answer"`
	Generator casefile.Digest  `json:"generator"`
	Seed      casefile.Digest  `json:"seed"`
}

// maxOpening bounds the file of an open leaf, in bytes.
const maxOpening = 8 << 10

// Open writes the leaves with these numbers, from 1 on, to files. It returns their names.
func (b *Batch) Open(dir string, numbers []int) (names []string, err error) {
	if err := durable.MakeDir(filepath.Join(dir, openedName)); err != nil {
		return nil, err
	}
	for _, n := range numbers {
		if n < 1 || n > len(b.leaves) {
			return names, fmt.Errorf("proctor: there is no leaf %d; write 1 to %d", n, len(b.leaves))
		}
		raw, err := json.MarshalIndent(b.opening(n-1), "", " ")
		if err != nil {
			return names, fmt.Errorf("proctor: %w", err)
		}
		name := filepath.Join(dir, openedName, number(n-1)+".json")
		if err := durable.WriteFile(name, append(raw, '\n')); err != nil {
			return names, err
		}
		names = append(names, name)
	}
	return names, nil
}

func (b *Batch) opening(i int) opened {
	l, p := b.leaves[i], b.proofs[i]
	o := opened{
		Root: casefile.Digest(b.root), Leaves: p.Leaves, Index: p.Index, Path: []casefile.Digest{},
		Leaf: openLeaf{
			Address: casefile.Address(l.Address),
			Task:    casefile.Digest(l.Task), Result: casefile.Digest(l.Result), Objection: casefile.Digest(l.Objection), Counter: casefile.Digest(l.Counter),
			Answer: casefile.Choice(l.Answer), Generator: casefile.Digest(l.Generator), Seed: l.Seed,
		},
	}
	for _, h := range p.Path {
		o.Path = append(o.Path, casefile.Digest(h))
	}
	return o
}

// Finding is what the check of an open leaf found.
type Finding struct {
	Root     casefile.Digest  `json:"root"` // compare it with the one on the chain
	Leaf     int              `json:"leaf"` // from 1 on
	Leaves   int              `json:"leaves"`
	Task     casefile.Address `json:"task"`
	Seal     casefile.Digest  `json:"seal"` // of the task
	Kind     generator.Kind   `json:"kind"`
	Template string           `json:"template"`
	Answer   casefile.Choice  `json:"answer"`
	Why      string           `json:"why"`
	Steps    []string         `json:"steps"`
}

// CheckFile checks the file of an open leaf.
func CheckFile(name string) (Finding, error) {
	raw, err := readSome(name, maxOpening)
	if err != nil {
		return Finding{}, err
	}
	o, err := parseOpening(raw)
	if err != nil {
		return Finding{}, fmt.Errorf("%s: %w", name, err)
	}
	f, err := o.check()
	if err != nil {
		return Finding{}, fmt.Errorf("%s: %w", name, err)
	}
	return f, nil
}

// parseOpening reads the file of an open leaf.
func parseOpening(raw []byte) (o opened, err error) {
	if err := strict(raw, maxOpening, &o); err != nil {
		return opened{}, fmt.Errorf("proctor: not an open leaf: %w", err)
	}
	return o, nil
}

// check verifies hash and proof, and runs the generator again.
func (o opened) check() (Finding, error) {
	l := golden.Leaf{
		Address: voting.Key(o.Leaf.Address),
		Task:    voting.Hash(o.Leaf.Task), Result: voting.Hash(o.Leaf.Result), Objection: voting.Hash(o.Leaf.Objection), Counter: voting.Hash(o.Leaf.Counter),
		Answer: voting.Choice(o.Leaf.Answer), Generator: voting.Hash(o.Leaf.Generator), Seed: o.Leaf.Seed,
	}
	p := golden.Proof{Index: o.Index, Leaves: o.Leaves}
	for _, h := range o.Path {
		p.Path = append(p.Path, voting.Hash(h))
	}
	if err := p.Verify(voting.Hash(o.Root), l); err != nil {
		return Finding{}, err
	}
	d, err := generator.Verify(l)
	if err != nil {
		return Finding{}, err
	}
	return Finding{
		Root: o.Root, Leaf: int(o.Index) + 1, Leaves: int(o.Leaves), Task: o.Leaf.Address, Seal: casefile.Digest(l.Hash()), Kind: d.Kind, Template: d.Template,
		Answer: o.Leaf.Answer, Why: d.Proof.Why, Steps: d.Proof.Steps,
	}, nil
}

// CheckDir checks all leaves that are open in the directory of a batch, as one who does not know
// its secret, against the root of its batch.json.
func CheckDir(dir string) (Progress, error) {
	raw, err := readSome(filepath.Join(dir, publicName), maxOpening)
	if err != nil {
		return Progress{}, err
	}
	var b public
	if err := strict(raw, maxOpening, &b); err != nil {
		return Progress{}, fmt.Errorf("proctor: %s: %w", publicName, err)
	}
	out := Progress{Root: b.Root, Leaves: b.Leaves}
	const _ = uint(3 - voting.Choices) // an answer is a side
	for i := range min(b.Leaves, golden.MaxLeaves) {
		name := filepath.Join(dir, openedName, number(i)+".json")
		if _, err := os.Stat(name); errors.Is(err, os.ErrNotExist) {
			continue
		}
		f, err := CheckFile(name)
		if err != nil {
			return out, err
		}
		if f.Root != b.Root || f.Leaf != i+1 || f.Leaves != b.Leaves {
			return out, fmt.Errorf("%s: it is leaf %d of %d of the batch %s", name, f.Leaf, f.Leaves, f.Root)
		}
		if out.Open++; voting.Choice(f.Answer) == voting.Accept {
			out.Accept++
		}
	}
	out.Complete = out.Open == out.Leaves
	out.Balanced = out.Complete && rules.Balanced(uint64(out.Accept), uint64(out.Leaves))
	return out, nil
}

// Progress says how far a batch is open.
type Progress struct {
	Root     casefile.Digest `json:"root"`
	Leaves   int             `json:"leaves"`
	Open     int             `json:"open"`   // and true
	Accept   int             `json:"accept"` // of the open ones
	Complete bool            `json:"complete"`
	Balanced bool            `json:"balanced"` // and complete: it may be applied
}
