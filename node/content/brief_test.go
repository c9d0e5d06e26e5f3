package content

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/agent/judge"
	"ojud/casefile"
	"ojud/casefile/canon"
	"ojud/casefile/runs"
	"ojud/casefile/sealed"
	"ojud/ledger/program"
	"ojud/node/work"
	"ojud/voting"
)

// near is a court with one peer that has content.
type near struct {
	*court
	has map[voting.Hash][]byte
}

func (*near) ID() peer.ID                       { return "me" }
func (*near) Peers() []peer.ID                  { return []peer.ID{"peer"} }
func (*near) Penalize(peer.ID, float64, string) {}

func (*near) FindProviders(context.Context, []byte, int) ([]peer.AddrInfo, error) { return nil, nil }

func (n *near) Request(ctx context.Context, _ peer.ID, _ string, req []byte) ([]byte, error) {
	if content, ok := n.has[voting.Hash(req[1:])]; ok && ctx.Err() == nil {
		return content, nil
	}
	return nil, errors.Join(ctx.Err(), errors.New("not here"))
}

// TestAttackCopiedObjection: a worker hands in a copy of the objection as its answer, or a creator
// names an opening twice, or one that it never shows. Judges waited for a fourth document until a
// quarter of their time was left, and then had no time to fetch openings and modules, so that 12 of
// 14 paid for garbage. An opening that is not shown costs a quarter of the time, and nothing else.
func TestAttackCopiedObjection(t *testing.T) {
	module := []byte("a module")
	tests := &runs.Tests{JavaScript: []runs.TestCall{{Function: "f", Args: []json.RawMessage{[]byte("1")}, Returns: []byte("2")}}}
	k, opening, err := sealed.Seal(casefile.Check{Path: "/code", Settles: []int{0}, Tests: tests}, [32]byte{7})
	if err != nil {
		t.Fatal(err)
	}
	task, err := casefile.NewTask(casefile.Task{
		Instruction: []string{"Write a function f."}, OutputSchema: []byte(`{"code":"string"}`),
		Expected: []casefile.Check{k, {Path: "/code", Program: &runs.CheckProgram{WASI: casefile.HashOf(module).String()}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		copied, twice, hidden, silent bool
		most                          time.Duration
	}{
		"honest":                       {most: time.Second},
		"a copy of the objection":      {copied: true, most: time.Second},
		"the opening is named twice":   {twice: true, most: time.Second},
		"the opening is never shown":   {hidden: true, most: 25 * time.Second},
		"the answer is never shown":    {silent: true, most: 75 * time.Second},
		"neither of both, and a copy":  {hidden: true, copied: true, most: 25 * time.Second},
		"the opening twice and a copy": {twice: true, copied: true, most: time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := casefile.Exhibit{Name: sealed.Name(0), SHA256: *k.Sealed, Bytes: uint64(len(opening))}
				said := casefile.Objection{Reason: "It is wrong.", Evidence: []casefile.Exhibit{e}}
				if c.twice {
					said.Evidence = append(said.Evidence, e)
				}
				objection, err := json.Marshal(said)
				if err == nil {
					objection, err = canon.JSON(objection, casefile.MaxDocument)
				}
				if err != nil {
					t.Fatal(err)
				}
				counter := []byte(`{"reason":"It is right."}`)
				if c.copied {
					counter = objection
				}
				w := &near{court: &court{kept: map[voting.Hash][]byte{}}, has: map[voting.Hash][]byte{casefile.HashOf(module): module}}
				hash := func(raw []byte) voting.Hash {
					h := casefile.HashOf(raw)
					w.kept[h] = raw
					return h
				}
				w.terms = &program.Task{
					Status: program.Judiciary, TaskHash: hash(task.Raw), ResultHash: hash([]byte(`{"code":"const f = x => 'garbage'"}`)),
					ObjectionHash: hash(objection), CounterHash: hash(counter),
				}
				if c.silent {
					delete(w.kept, w.terms.CounterHash)
				}
				if !c.hidden {
					w.has[voting.Hash(*k.Sealed)] = opening
				}
				s := New(Costs{Timeout: time.Second, Every: 100 * time.Millisecond, MaxPuts: 1 << 20}, w, w, w, w, work.NewGroup(), slog.New(slog.DiscardHandler))
				begun := time.Now()
				b, err := s.Brief(t.Context(), judge.Brief{Deadline: begun.Add(100 * time.Second)})
				if err != nil {
					t.Fatal(err)
				}
				if took := time.Since(begun); took > c.most+time.Second {
					t.Errorf("it took %s of 100 s, at most %s", took, c.most)
				}
				if open := b.Exhibits[voting.Hash(*k.Sealed)] != nil; open == c.hidden || len(b.Modules) != 1 || !b.Objection.Readable() {
					t.Errorf("open %t, %d modules, %+v", open, len(b.Modules), b.Objection)
				}
			})
		})
	}
}

// TestGatherDocuments: for a case file, a node fetches the documents, the module that the task
// names, and the exhibits of the pleadings, among them the opening of a sealed check. What nobody
// has, and what is not named, is not there.
func TestGatherDocuments(t *testing.T) {
	module, picture, opening, other := []byte("a module"), []byte("a picture"), []byte("an opening"), []byte("another")
	lost := casefile.HashOf([]byte("lost"))
	task, err := casefile.NewTask(casefile.Task{Instruction: []string{"x"}, OutputSchema: []byte(`{}`),
		Expected: []casefile.Check{{Program: &runs.CheckProgram{WASI: casefile.HashOf(module).String()}}}})
	if err != nil {
		t.Fatal(err)
	}
	pleading := func(evidence ...casefile.Exhibit) []byte {
		raw, err := json.Marshal(casefile.Objection{Reason: "x", Evidence: evidence})
		if err == nil {
			raw, err = canon.JSON(raw, casefile.MaxDocument)
		}
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	exhibit := func(name string, hash voting.Hash) casefile.Exhibit {
		return casefile.Exhibit{Name: name, SHA256: casefile.Digest(hash), Bytes: 9}
	}
	objection, counter := pleading(exhibit("lost", lost), exhibit("opening", casefile.HashOf(opening))), pleading(exhibit("picture", casefile.HashOf(picture)))
	n := &near{court: &court{kept: map[voting.Hash][]byte{}, terms: &program.Task{TaskHash: task.Hash, ObjectionHash: casefile.HashOf(objection), CounterHash: casefile.HashOf(counter)}}, has: map[voting.Hash][]byte{}}
	for _, content := range [][]byte{task.Raw, objection, counter, module, picture, opening, other} {
		n.has[casefile.HashOf(content)] = content
	}
	synctest.Test(t, func(t *testing.T) {
		c := New(Costs{Timeout: time.Second, Every: 100 * time.Millisecond, MaxPuts: 1 << 20}, n, n, n, n, work.NewGroup(), slog.New(slog.DiscardHandler))
		c.GatherDocuments(t.Context(), voting.Key{1})
		for _, content := range [][]byte{task.Raw, objection, counter, module, picture, opening} {
			if !n.Has(casefile.HashOf(content)) {
				t.Errorf("%.30s is not there", content)
			}
		}
		if n.Has(lost) || n.Has(casefile.HashOf(other)) {
			t.Error("something is there that nobody has, or that nobody named")
		}
	})
}
