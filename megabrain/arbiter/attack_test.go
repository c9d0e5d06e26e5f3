package arbiter

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"ojud/agent/judge"
	"ojud/casefile"
	"ojud/ledger"
	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/megabrain/finding"
	"ojud/voting"
)

// lied makes worker 3's result what is given, and lets the poster say that worker 2 copied
// worker 1. have says whether honest people have the result of worker 3.
func lied(t *testing.T, third []byte, have bool) (*brain.TaskAccount, *brain.ClassAccount, Showing) {
	t.Helper()
	k, c, r := disputed(t)
	class, _, err := finding.ReadClass([]byte(classFile))
	if err != nil {
		t.Fatal(err)
	}
	k.Work[2].ResultHash = sha256.Sum256(third)
	results := [][]byte{[]byte(handedIn[0]), []byte(handedIn[1]), nil}
	if have {
		results[2] = third
	}
	if r.Assessment, err = Assess(k, c.Parameters, class, results, nil); err != nil {
		t.Fatal(err)
	}
	r.Results[2] = Show(k.Work[2].Agent, results[2])
	k.Counter = Conclusion(r.Assessment, [32]byte{1})
	k.Finding = k.Counter
	k.Finding.Facts[1] = brain.Fact{Complete: 10_000, CopyOf: 1}
	return k, c, r
}

// TestAttackWithheldResult: a worker reveals the hash of a result that nobody has, or of one that
// no document has room for, and its friend posts a false outcome. No honest claim could show all
// results, so that the false outcome became final.
func TestAttackWithheldResult(t *testing.T) {
	deep := strings.Repeat("[", 60) + strings.Repeat("]", 60)
	for name, third := range map[string][]byte{
		"200 KB":     []byte(`{"why":"` + strings.Repeat("x", 200<<10) + `","year":1931}`),
		"the bound":  []byte(`{"why":"` + strings.Repeat("x", finding.MaxResult) + `"}`),
		"too deep":   []byte(`{"why":` + deep + `}`),
		"not JSON":   bytes.Repeat([]byte{0xff}, finding.MaxResult),
		"empty":      {},
		"small":      []byte(`{"why":"because","year":1931}`),
		"deep array": []byte(strings.Repeat("[", 64) + strings.Repeat("]", 64)),
	} {
		for _, have := range []bool{true, false} {
			k, c, r := lied(t, third, have)
			if o := shows(t, k, c, r); voting.Choice(o.Choice) != voting.Accept {
				t.Errorf("%s, %t: %+v", name, have, o)
			}
			k.Counter, k.Finding = k.Finding, k.Counter // the same lie as a claim
			if o := shows(t, k, c, r); voting.Choice(o.Choice) != voting.Reject {
				t.Errorf("%s, %t, a lie: %+v", name, have, o)
			}
		}
	}
}

// TestAttackFullReport: eight workers make their results as expensive to show as they can.
func TestAttackFullReport(t *testing.T) {
	for name, result := range map[string][]byte{
		"bytes":   bytes.Repeat([]byte{0xff}, finding.MaxResult),
		"escapes": []byte(`"` + strings.Repeat("<", finding.MaxResult-2) + `"`),
		"values":  []byte("[0" + strings.Repeat(",0", (finding.MaxResult-3)/2) + "]"),
		"depth":   []byte(strings.Repeat("[", 64) + strings.Repeat("]", 64)),
	} {
		content := []byte(`{"about":"` + strings.Repeat("x", finding.MaxClass-200) + `"}`)
		r := Showing{Form: Form, Class: content, Assessment: finding.Assessment{Stamped: make([]bool, 8)}}
		for i := range byte(8) {
			r.Results = append(r.Results, Show(onchain.Address{i + 1}, result))
			r.Facts = append(r.Facts, finding.Fact{Complete: 10_000, Why: strings.Repeat("y", 150)})
		}
		if raw := claim(t, r); len(pieces(raw)) != 1 || !bytes.Equal(pieces(raw)[sha256.Sum256(result)], result) {
			t.Errorf("%s: the result is not shown", name)
		}
	}
}

// TestAttackHiddenResult: a poster and its friend agree to leave the result of an honest worker out
// of claim and answer, so that it is no effort. It counts if the answer shows it, or if anybody
// gave it to the court's nodes, which look for it.
func TestAttackHiddenResult(t *testing.T) {
	k, c, r := disputed(t)
	class, _, err := finding.ReadClass([]byte(classFile))
	if err != nil {
		t.Fatal(err)
	}
	whole := claim(t, r)
	r.Results[1] = Piece{Worker: r.Results[1].Worker}
	if r.Assessment, err = Assess(k, c.Parameters, class, [][]byte{[]byte(handedIn[0]), nil, []byte(handedIn[2])}, nil); err != nil {
		t.Fatal(err)
	}
	k.Counter = Conclusion(r.Assessment, [32]byte{1})
	a := Arbiter{Chain: fake{task: encoded(t, *k), class: classOf(t, c)}, Program: program, Others: other{}}
	hash, text := k.Work[1].ResultHash, []byte(handedIn[1])
	for name, x := range map[string]struct {
		answer []byte
		has    map[voting.Hash][]byte
		want   voting.Choice
	}{
		"nobody shows it":        {want: voting.Accept},
		"the answer shows it":    {answer: whole, want: voting.Reject},
		"the court's nodes have": {has: map[voting.Hash][]byte{hash: text}, want: voting.Reject},
		"other content":          {has: map[voting.Hash][]byte{{5}: text}, want: voting.Accept},
	} {
		b := judge.Brief{Case: voting.Key(k.Dispute), Task: judge.Paper[casefile.Task]{Err: errors.New("not JSON")}, Exhibits: x.has}
		b.Result.Raw, b.Objection.Raw = claim(t, r), x.answer
		if o, err := a.Evaluate(t.Context(), b); err != nil || voting.Choice(o.Choice) != x.want {
			t.Errorf("%s: %+v, %v", name, o, err)
		}
	}
}

// TestNamed: the court's nodes keep what the task of a dispute names on the chain, and nothing of
// another task, of another dispute, or of what is over.
func TestNamed(t *testing.T) {
	k, _, r := disputed(t)
	k.Work[2].State = 1 // it did not reveal
	terms, err := brain.DisputeTerms(where, k, k.Counter)
	if err != nil {
		t.Fatal(err)
	}
	settled := *k
	settled.Status = brain.Settled
	n := Results{Chain: fake{task: encoded(t, *k)}, Program: program}
	named, err := n.Named(t.Context(), voting.Key(k.Dispute), terms, nil)
	if want := []voting.Hash{k.Work[0].ResultHash, k.Work[1].ResultHash, {}, {}, {1}}; err != nil || !slices.Equal(named, want) {
		t.Errorf("%x, %v", named, err)
	}
	if shown := n.Shown(claim(t, r)); len(shown) != 3 || len(n.Shown([]byte("{}"))) != 0 {
		t.Errorf("%x", shown)
	}
	for name, x := range map[string]struct {
		n       Results
		dispute voting.Key
		terms   []byte
	}{
		"another dispute": {n, voting.Key{1}, terms},
		"cut terms":       {n, voting.Key(k.Dispute), terms[:40]},
		"other terms":     {n, voting.Key(k.Dispute), []byte("{}")},
		"another program": {Results{Chain: n.Chain, Program: onchain.Address{1}}, voting.Key(k.Dispute), terms},
		"it is over":      {Results{Chain: fake{task: encoded(t, settled)}, Program: program}, voting.Key(k.Dispute), terms},
		"no task":         {Results{Chain: fake{}, Program: program}, voting.Key(k.Dispute), terms},
	} {
		if named, err := x.n.Named(t.Context(), x.dispute, x.terms, nil); err != nil || named != nil {
			t.Errorf("%s: %x, %v", name, named, err)
		}
	}
	n.Chain = fake{err: ledger.ErrUnavailable}
	if _, err := n.Named(t.Context(), voting.Key(k.Dispute), terms, nil); !errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("without a chain: %v", err)
	}
}

// TestAttackClaimedNodes: judges look for results on the memory nodes of the class. A claimant that
// names nodes in the document of another class leads no judge there, and nor does one that knows
// the class and changes its document.
func TestAttackClaimedNodes(t *testing.T) {
	k, c, r := disputed(t)
	r.Class = []byte(`{"about":"Answer.","least_words":6,"meaning":["/year"],"memory":["http://memory.example"],"name":"facts","prose":["/why"]}`)
	c.ID = sha256.Sum256(r.Class)
	terms, err := brain.DisputeTerms(where, k, k.Counter)
	if err != nil {
		t.Fatal(err)
	}
	text, lost := []byte(handedIn[1]), voting.Hash{3}
	hash := k.Work[1].ResultHash
	for name, x := range map[string]struct {
		change func(*Showing)
		status brain.Stage
		says   []byte
		want   bool
	}{
		"it is there":   {func(*Showing) {}, brain.Disputed, text, true},
		"other content": {func(*Showing) {}, brain.Disputed, []byte("{}"), false},
		"it is over":    {func(*Showing) {}, brain.Settled, text, false},
		"another's node": {func(r *Showing) {
			r.Class = []byte(strings.Replace(string(r.Class), "memory.example", "trap.example", 1))
		}, brain.Disputed, text, false},
		"no class": {func(r *Showing) { r.Class = []byte("{}") }, brain.Disputed, text, false},
	} {
		var lock sync.Mutex
		task, shows, asked := *k, r, 0
		task.Status = x.status
		x.change(&shows)
		n := Results{Chain: fake{task: encoded(t, task), class: classOf(t, c)}, Program: program, Nodes: func(_ context.Context, nodes []string, of [32]byte, most int) ([]byte, error) {
			lock.Lock()
			defer lock.Unlock()
			if asked++; len(nodes) != 1 || nodes[0] != "http://memory.example" || most != map[bool]int{true: finding.MaxResult, false: casefile.MaxDocument}[of == hash] {
				t.Errorf("%s: it asks %v for %d bytes", name, nodes, most)
			}
			if of == hash {
				return x.says, nil
			}
			return nil, errors.New("not here")
		}}
		found, err := n.Elsewhere(t.Context(), voting.Key(k.Dispute), terms, claim(t, shows), []voting.Hash{hash, lost})
		if err != nil || (found[hash] != nil) != x.want || found[lost] != nil {
			t.Errorf("%s: %v, %v", name, found, err)
		}
		if led := x.status == brain.Disputed && string(shows.Class) == string(r.Class); (asked > 0) != led {
			t.Errorf("%s: %d questions", name, asked)
		}
	}
}
