package arbiter

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"ojud/agent/judge"
	"ojud/casefile"
	"ojud/ledger"
	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/megabrain/finding"
	"ojud/voting"
)

const classFile = `{"about":"","least_words":6,"meaning":["/year"],"name":"facts","prose":["/why"]}`

var handedIn = []string{
	`{"why":"The bridge opened in the spring after four years of work by two firms","year":1931}`,
	`{"why":"After four years of work two firms opened the bridge in spring","year":1931}`,
	`{"why":"because","year":1931}`,
}

// disputed is a task whose posted outcome passes the lazy third worker, and whose disputant says
// what code finds.
func disputed(t *testing.T) (*brain.TaskAccount, *brain.ClassAccount, Showing) {
	t.Helper()
	class, content, err := finding.ReadClass([]byte(classFile))
	if err != nil {
		t.Fatal(err)
	}
	c := &brain.ClassAccount{ID: sha256.Sum256(content), Parameters: brain.Defaults()}
	k := &brain.TaskAccount{Status: brain.Disputed, Counts: brain.Counts{Drawn: 3, Seated: 2}}
	k.Head.Version, k.Dispute, k.Parties.Class = 2, onchain.Address{7}, onchain.Address{8}
	sum := sha256.Sum256([]byte("account:Task"))
	k.Head.Kind = [8]byte(sum[:8])
	r := Showing{Form: Form, Class: content}
	var results [][]byte
	for i, text := range handedIn {
		k.Work[i] = brain.WorkSeat{Agent: onchain.Address{byte(i + 1)}, State: revealed, ResultHash: sha256.Sum256([]byte(text)), CommittedAt: int64(i)}
		r.Results = append(r.Results, Show(k.Work[i].Agent, []byte(text)))
		results = append(results, []byte(text))
	}
	for i, scores := range [][]uint8{{90, 88, 5}, {85, 85, 85}} {
		k.Judges[i].State = revealed
		for j, s := range scores {
			k.Judges[i].Said[j] = brain.Rating{Score: s, Confidence: 90}
		}
	}
	if r.Assessment, err = Assess(k, c.Parameters, class, results, nil); err != nil {
		t.Fatal(err)
	}
	k.Counter = Conclusion(r.Assessment, [32]byte{1})
	k.Finding = k.Counter
	k.Finding.Facts[2], k.Finding.Rubber[1] = brain.Fact{Complete: 10_000, Cluster: 1}, 0
	return k, c, r
}

func claim(t *testing.T, r Showing) []byte {
	t.Helper()
	content, err := r.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// shows judges a dispute whose claim alone shows results.
func shows(t *testing.T, k *brain.TaskAccount, c *brain.ClassAccount, r Showing) casefile.Opinion {
	t.Helper()
	raw := claim(t, r)
	return judged(k, c, raw, pieces(raw))
}

// TestJudged: the outcome that follows from the results is accepted, and no other one, whatever the
// claim says of it.
func TestJudged(t *testing.T) {
	k, c, r := disputed(t)
	if o := shows(t, k, c, r); voting.Choice(o.Choice) != voting.Accept || !strings.Contains(o.Summary, "Worker 3: no effort") {
		t.Fatalf("the right outcome: %+v", o)
	}
	for want, change := range map[string]func(*brain.TaskAccount, *Showing){
		"not what follows": func(k *brain.TaskAccount, _ *Showing) { k.Counter, k.Finding = k.Finding, k.Counter },
		"Evaluator 2":      func(k *brain.TaskAccount, _ *Showing) { k.Counter.Rubber[1] = 0 },
		"Worker 1: no effort: nobody shows it": func(_ *brain.TaskAccount, r *Showing) {
			r.Results = append([]Piece{{Worker: r.Results[0].Worker}}, r.Results[1:]...)
		},
		"another class": func(_ *brain.TaskAccount, r *Showing) {
			r.Class = []byte(strings.Replace(classFile, "6", "1", 1))
		},
		"Worker 3: no":      func(_ *brain.TaskAccount, r *Showing) { r.Results = r.Results[:2] },
		"does not show how": func(_ *brain.TaskAccount, r *Showing) { r.Form = "another" },
	} {
		k, c, r := disputed(t)
		change(k, &r)
		if o := shows(t, k, c, r); voting.Choice(o.Choice) != voting.Reject || !strings.Contains(o.Summary, want) {
			t.Errorf("%s: %+v", want, o)
		}
	}
	for _, raw := range []string{"", "{}", "[1]", strings.Repeat("[", 100)} {
		if o := judged(k, c, []byte(raw), nil); voting.Choice(o.Choice) != voting.Reject {
			t.Errorf("%q: %+v", raw, o)
		}
	}
}

// fake is a chain with one task of the program, or none.
type fake struct {
	task, class []byte
	err         error
}

var program, where = onchain.Address{9}, onchain.Address{10}

func (f fake) Accounts(_ context.Context, at ...onchain.Address) ([]*ledger.Account, uint64, error) {
	data := f.class
	if at[0] == where {
		data = f.task
	}
	return []*ledger.Account{{Address: at[0], Owner: program, Data: data}}, 1, f.err
}

func (f fake) Heads(_ context.Context, _ string, having ledger.Filter, _, _ int) ([]*ledger.Account, error) {
	if having.Owner != program || len(f.task) == 0 || !bytes.Equal(f.task[having.Offset:having.Offset+32], having.Bytes) {
		return nil, f.err
	}
	return []*ledger.Account{{Address: where, Owner: program, Data: f.task[:1]}}, f.err
}

// other is the judge of all other cases.
type other struct{}

func (other) Evaluate(context.Context, judge.Brief) (casefile.Opinion, error) {
	return casefile.Opinion{Model: "other"}, nil
}

func encoded(t *testing.T, v any) []byte {
	t.Helper()
	raw, err := binary.Append(nil, binary.LittleEndian, v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func classOf(t *testing.T, c *brain.ClassAccount) []byte {
	t.Helper()
	sum := sha256.Sum256([]byte("account:Class"))
	class := append(append([]byte(nil), sum[:8]...), 2, 0, 0, 0, 0, 0, 0, 0)
	class = append(append(append(class, make([]byte, 32)...), c.ID[:]...), encoded(t, c.Parameters)...)
	return append(class, encoded(t, [brain.MaxNear][32]byte{})...)
}

// TestEvaluate: a dispute of MegaBrain is found by its address on the chain, and all other cases go
// to the other judge.
func TestEvaluate(t *testing.T) {
	k, c, r := disputed(t)
	class := classOf(t, c)
	encode := func(k brain.TaskAccount) []byte { return encoded(t, k) }
	b := judge.Brief{Case: voting.Key(k.Dispute), Task: judge.Paper[casefile.Task]{Err: errors.New("not JSON")}}
	b.Result.Raw = claim(t, r)
	a := Arbiter{Chain: fake{task: encode(*k), class: class}, Program: program, Others: other{}}
	if o, err := a.Evaluate(t.Context(), b); err != nil || voting.Choice(o.Choice) != voting.Accept || o.Model != method {
		t.Fatalf("%+v, %v", o, err)
	}
	settled := *k
	settled.Status = brain.Settled
	for name, change := range map[string]func(*Arbiter, *judge.Brief){
		"readable terms":    func(_ *Arbiter, b *judge.Brief) { b.Task = judge.Paper[casefile.Task]{}; b.Task.Raw = []byte("{}") },
		"another case":      func(_ *Arbiter, b *judge.Brief) { b.Case = voting.Key{1} },
		"no task":           func(a *Arbiter, _ *judge.Brief) { a.Chain = fake{} },
		"it is over":        func(a *Arbiter, _ *judge.Brief) { a.Chain = fake{task: encode(settled), class: class} },
		"another program's": func(a *Arbiter, _ *judge.Brief) { a.Program = onchain.Address{3} },
	} {
		own, brief := a, b
		change(&own, &brief)
		if o, err := own.Evaluate(t.Context(), brief); err != nil || o.Model != "other" {
			t.Errorf("%s: %+v, %v", name, o, err)
		}
	}
	a.Chain = fake{task: encode(*k), class: class, err: ledger.ErrUnavailable}
	if _, err := a.Evaluate(t.Context(), b); !errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("without a chain: %v", err)
	}
}

// FuzzReadShowing: no claim of a stranger does harm, and what is read has its form.
func FuzzReadShowing(f *testing.F) {
	f.Add([]byte(`{"class":{},"facts":[],"form":"megabrain/outcome/1","program":"p","results":[{"worker":"w"}],"stamped":[],"task":"t"}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, err := ReadShowing(raw)
		if err == nil && (r.Form != Form || len(r.Results) > brain.MaxSeats) {
			t.Errorf("%q was read", raw)
		}
	})
}
