package record

import (
	"context"
	"errors"
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/casefile/leaf"
	"ojud/golden"
	"ojud/golden/generator"
	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

// told is a chain with these events, or with none because of an error.
type told struct {
	events []program.Event
	err    error
}

func (c told) History(context.Context, voting.Key) ([]ledger.Occurred, error) {
	return []ledger.Occurred{{Events: c.events, Complete: true}}, c.err
}

// TestOpenLeaf: an export has the leaf of its own case, if it counts.
func TestOpenLeaf(t *testing.T) {
	t.Parallel()
	task, other := voting.Key{1}, voting.Key{2}
	opened := func(of voting.Key, void uint8) program.Event {
		return &program.LeafOpened{Batch: 3, Index: 5, Task: onchain.Address(of), Answer: voting.Reject, Void: void, At: 7}
	}
	paid := func(of voting.Key) program.Event {
		return &program.LeafApplied{Task: onchain.Address(of), Batch: 3, Taken: 4, Paid: 2, Fee: 1, At: 9, Seats: []program.SeatApplied{{Slashed: 4}, {Earned: 2}}}
	}
	for name, c := range map[string]struct {
		events  []program.Event
		there   bool
		applied bool
	}{
		"no leaf":          {nil, false, false},
		"a void leaf":      {[]program.Event{opened(task, 1)}, false, false},
		"another's":        {[]program.Event{opened(other, 0), paid(other)}, false, false},
		"open":             {[]program.Event{opened(task, 0), paid(other)}, true, false},
		"open and applied": {[]program.Event{opened(task, 0), paid(task)}, true, true},
	} {
		raw, err := openLeaf(t.Context(), told{events: c.events}, task)
		if err != nil || (raw != nil) != c.there {
			t.Errorf("%s: %s, %v", name, raw, err)
			continue
		}
		if !c.there {
			continue
		}
		l, err := leaf.Parse(raw)
		if err != nil || l.Batch != 3 || l.Index != 5 || voting.Choice(l.Answer) != voting.Reject || (l.Applied != nil) != c.applied {
			t.Errorf("%s: %+v, %v", name, l, err)
		}
		if c.applied && (l.Applied.Taken != 4 || len(l.Applied.Seats) != 2 || l.Applied.Seats[1].Earned != 2) {
			t.Errorf("%s: %+v", name, l.Applied)
		}
	}
	down := errors.New("down")
	if _, err := openLeaf(t.Context(), told{err: down}, task); !errors.Is(err, down) {
		t.Errorf("a chain that does not answer: %v", err)
	}
}

// posted is a chain with one task, or with none because of an error.
type posted struct {
	task *program.Task
	err  error
}

func (c posted) FindTask(context.Context, voting.Key) (*program.Task, error) { return c.task, c.err }

// TestLie: a node runs the generator of an open leaf again.
func TestLie(t *testing.T) {
	t.Parallel()
	g, err := generator.Of(generator.Arithmetic)
	if err != nil {
		t.Fatal(err)
	}
	at, seed := onchain.Address{5}, [32]byte{1, 2, 3}
	d, err := g.Make(seed)
	if err != nil {
		t.Fatal(err)
	}
	task := program.Task{TaskHash: casefile.HashOf(d.Task), ResultHash: casefile.HashOf(d.Result), ObjectionHash: casefile.HashOf(d.Objection), CounterHash: casefile.HashOf(d.Counter)}
	open := func(answer voting.Choice, version voting.Hash) (*program.LeafOpened, posted) {
		of := task
		of.Seal = golden.Leaf{
			Address: voting.Key(at), Task: of.TaskHash, Result: of.ResultHash, Objection: of.ObjectionHash, Counter: of.CounterHash,
			Answer: answer, Generator: version, Seed: seed,
		}.Hash()
		return &program.LeafOpened{Task: at, Answer: answer, Generator: version, Seed: seed}, posted{task: &of}
	}
	e, chain := open(d.Answer, g.Version())
	if why, err := Lie(t.Context(), chain, e); why != "" || err != nil {
		t.Errorf("a true leaf: %q, %v", why, err)
	}
	e, chain = open(voting.Accept+voting.Reject-d.Answer, g.Version())
	if why, err := Lie(t.Context(), chain, e); !strings.Contains(why, "is right") || err != nil {
		t.Errorf("a lie: %q, %v", why, err)
	}
	e.Seed[0]++
	if why, err := Lie(t.Context(), chain, e); why != "" || err == nil {
		t.Errorf("another leaf than that of the seal: %q, %v", why, err)
	}
	e, chain = open(d.Answer, voting.Hash{7})
	if why, err := Lie(t.Context(), chain, e); why != "" || err == nil {
		t.Errorf("an unknown generator: %q, %v", why, err)
	}
	down := errors.New("down")
	if _, err := Lie(t.Context(), posted{err: down}, e); !errors.Is(err, down) {
		t.Errorf("a chain that does not answer: %v", err)
	}
}
