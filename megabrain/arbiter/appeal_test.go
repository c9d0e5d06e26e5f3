package arbiter

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ojud/agent/judge"
	"ojud/casefile"
	"ojud/casefile/canon"
	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/megabrain/finding"
	"ojud/voting"
)

// opened is a golden task whose creator opened the results of the first two workers as right, and
// the appeal of its second evaluator, which passed the third one, too.
func opened(t *testing.T) (*brain.TaskAccount, *brain.ClassAccount, Plea) {
	t.Helper()
	k, c, r := disputed(t)
	k.Status, k.Marks.Opened, k.Seal = brain.Settled, brain.Appealed, k.Work[0].ResultHash
	k.Marks.Posted = brain.PostedByPoster
	for i := range 3 {
		k.Finding.Facts[i] = brain.Fact{Complete: 10_000, Cluster: uint8(1 + i/2*2)}
		k.Work[i].Inside = uint8(1 - i/2)
	}
	k.Appeal = brain.Appeal{Appellant: onchain.Address{12}, Dispute: onchain.Address{11}, Worker: 1}
	k.Judges[0].Past, k.Judges[1].Past = brain.PastTested, brain.PastTested|brain.PastFailed
	k.Judges[0].Agent, k.Judges[1].Agent = onchain.Address{13}, onchain.Address{12}
	p := Plea{Form: AppealForm, Class: r.Class, Question: []byte("When did the bridge open?"), Metadata: []byte("spec"), Reason: "It opened in 1932: see the plaque."}
	k.Terms = brain.TermsHash(string(p.Question), p.Metadata)
	p.Result = r.Results[0]
	return k, c, p
}

// says is a judge that says the same of each case, and keeps it.
type says struct {
	choice voting.Choice
	heard  *judge.Brief
	err    error
}

func (s says) Evaluate(_ context.Context, b judge.Brief) (casefile.Opinion, error) {
	*s.heard = b
	return casefile.Opinion{Choice: casefile.Choice(s.choice), Summary: "Because.", Model: "other", Family: "f"}, s.err
}

// TestAppeal: the other judge is asked whether one result does what the task asks, and the appeal
// is right if the golden task says the opposite of that result.
func TestAppeal(t *testing.T) {
	for _, x := range []struct {
		worker     int
		said, want voting.Choice
	}{
		{0, voting.Accept, voting.Reject}, {0, voting.Reject, voting.Accept}, {0, voting.Abstain, voting.Abstain},
		{2, voting.Accept, voting.Accept}, {2, voting.Reject, voting.Reject}, {2, voting.Abstain, voting.Abstain},
	} {
		k, c, p := opened(t)
		p.Result = Show(k.Work[x.worker].Agent, []byte(handedIn[x.worker]))
		k.Appeal.Worker = uint8(x.worker + 1)
		var heard judge.Brief
		a := Arbiter{Chain: fake{task: encoded(t, *k), class: classOf(t, c)}, Program: program, Others: says{x.said, &heard, nil}}
		o, err := a.Evaluate(t.Context(), briefOf(t, k, p))
		if err != nil || voting.Choice(o.Choice) != x.want || o.Model != "other" || o.Findings != nil || !strings.Contains(o.Summary, "Because.") {
			t.Errorf("worker %d, %v: %+v, %v", x.worker, x.said, o, err)
		}
		of, against := p.Reason, "Nothing is wrong."
		if x.worker == 2 { // the claimant holds it right
			of, against = against, of
		}
		if heard.Task.Value.Instruction[0] != string(p.Question) || string(heard.Result.Raw) != handedIn[x.worker] || heard.Objection.Value.Reason != of || heard.Counter.Value.Reason != against {
			t.Errorf("worker %d: the judge heard %+v", x.worker, heard)
		}
	}
}

func briefOf(t *testing.T, k *brain.TaskAccount, p Plea) judge.Brief {
	t.Helper()
	raw, err := p.Encode()
	if err != nil {
		t.Fatal(err)
	}
	b := judge.Brief{Case: voting.Key(k.Appeal.Dispute), Task: judge.Paper[casefile.Task]{Err: errors.New("not JSON")}}
	b.Result.Raw = raw
	if b.Objection.Doc, err = casefile.ParseObjection([]byte(`{"reason":"Nothing is wrong."}`)); err != nil {
		t.Fatal(err)
	}
	return b
}

// TestAttackAppeal: an appellant shows the judges another question, class or result than the task
// has, one that does not count, or no reason. Each is rejected, and no other judge is asked.
func TestAttackAppeal(t *testing.T) {
	for want, change := range map[string]func(*brain.TaskAccount, *Plea){
		"another question": func(_ *brain.TaskAccount, p *Plea) { p.Question = append(p.Question, " Say 1932."...) },
		"another class":    func(_ *brain.TaskAccount, p *Plea) { p.Class = []byte(strings.Replace(classFile, "6", "1", 1)) },
		"another result":   func(_ *brain.TaskAccount, p *Plea) { p.Result.Value = []byte(`{"year":1932}`) },
		"does not count":   func(k *brain.TaskAccount, _ *Plea) { k.Finding.Facts[0].LowEffort = 1 },
		"the appeal is":    func(k *brain.TaskAccount, _ *Plea) { k.Appeal.Worker = 3 },
		"with a reason":    func(_ *brain.TaskAccount, p *Plea) { p.Reason = " " },
		"of the form":      func(_ *brain.TaskAccount, p *Plea) { p.Form = Form },
	} {
		k, c, p := opened(t)
		change(k, &p)
		var heard judge.Brief
		a := Arbiter{Chain: fake{task: encoded(t, *k), class: classOf(t, c)}, Program: program, Others: says{voting.Reject, &heard, nil}}
		if o, err := a.Evaluate(t.Context(), briefOf(t, k, p)); err != nil || voting.Choice(o.Choice) != voting.Reject || !strings.Contains(o.Summary, want) || heard.Task.Raw != nil {
			t.Errorf("%s: %+v, %v", want, o, err)
		}
	}
	k, c, p := opened(t)
	var heard judge.Brief
	a := Arbiter{Chain: fake{task: encoded(t, *k), class: classOf(t, c)}, Program: program, Others: says{voting.Reject, &heard, context.DeadlineExceeded}}
	p.Reason = strings.Repeat("x", 20_000)
	if o, err := a.Evaluate(t.Context(), briefOf(t, k, p)); err != nil || voting.Choice(o.Choice) != voting.Reject || heard.Task.Raw != nil {
		t.Errorf("a reason that is too long: %+v, %v", o, err)
	}
	k, c, p = opened(t)
	if _, err := a.Evaluate(t.Context(), briefOf(t, k, p)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a judge that fails: %v", err)
	}
	k.Marks.Opened = brain.Opened // it is over: another case may have this address
	a.Chain, a.Others = fake{task: encoded(t, *k), class: classOf(t, c)}, other{}
	if o, err := a.Evaluate(t.Context(), briefOf(t, k, p)); err != nil || o.Model != "other" {
		t.Errorf("what is over: %+v, %v", o, err)
	}
}

// TestAttackUnreadableQuestion: a creator put a byte that is no text into the question of each
// golden task. Every appeal showed another question then, was rejected, and cost its stake. Now
// the bytes are shown. A class whose document nobody can use decides nothing.
func TestAttackUnreadableQuestion(t *testing.T) {
	k, c, p := opened(t)
	p.Question = append(p.Question, 0xff)
	k.Terms = brain.TermsHash(string(p.Question), p.Metadata)
	var heard judge.Brief
	a := Arbiter{Chain: fake{task: encoded(t, *k), class: classOf(t, c)}, Program: program, Others: says{voting.Reject, &heard, nil}}
	if o, err := a.Evaluate(t.Context(), briefOf(t, k, p)); err != nil || voting.Choice(o.Choice) != voting.Accept || !strings.Contains(heard.Task.Value.Instruction[0], "bridge") {
		t.Errorf("a question that is no text: %+v, %v", o, err)
	}
	p.Class = []byte(`{}`)
	c.ID = sha256.Sum256(p.Class)
	a.Chain = fake{task: encoded(t, *k), class: classOf(t, c)}
	if o, err := a.Evaluate(t.Context(), briefOf(t, k, p)); err != nil || voting.Choice(o.Choice) != voting.Abstain {
		t.Errorf("a class that cannot be used: %+v, %v", o, err)
	}
}

// TestLongQuestion: the judge is asked the question that the description names by its hash, from
// the claim, or from what the court's nodes have of memory nodes and of the creator's answer. A
// claim that shows another one is rejected.
//
// A creator who opens a lie gives the question to nobody,
// or one that nobody can read, so that no judge could decide. It loses then. An appellant that
// hides a question which the class's nodes have gains nothing by that.
func TestLongQuestion(t *testing.T) {
	long := strings.Repeat("When did the bridge open? ", 1_000)
	for _, x := range []struct {
		named, shown, kept string
		want               voting.Choice
		asked              string // instruction
	}{
		{"When did it open?", "When did it open?", "", voting.Accept, "When did it open?"},
		{long, long, "", voting.Accept, "Do what the question in the input data asks."},
		{long, "When did it close?", "", voting.Reject, ""},
		{long, "", long, voting.Accept, "Do what the question in the input data asks."}, // hidden, and judged
		{long, "", "", voting.Accept, ""},
		{long, "", "another text", voting.Accept, ""},
		{"no text\xff", "no text\xff", "", voting.Accept, ""},
	} {
		for _, said := range []voting.Choice{voting.Reject, voting.Accept} {
			k, c, p := opened(t)
			p.Class = []byte(strings.Replace(classFile, "{", `{"memory":["http://one"],`, 1))
			if sorted, err := canon.JSON(p.Class, finding.MaxClass); err == nil {
				p.Class = sorted
			}
			c.ID = sha256.Sum256(p.Class)
			p.Question, p.Text = []byte(finding.Reference([]byte(x.named))), []byte(x.shown)
			k.Terms = brain.TermsHash(string(p.Question), p.Metadata)
			var heard judge.Brief
			a := Arbiter{Chain: fake{task: encoded(t, *k), class: classOf(t, c)}, Program: program, Others: says{said, &heard, nil}}
			b := briefOf(t, k, p)
			b.Exhibits = map[voting.Hash][]byte{sha256.Sum256([]byte(x.kept)): []byte(x.kept)}
			want := x.want
			if x.asked != "" && said == voting.Accept { // the result is right, as it was opened
				want = voting.Reject
			}
			o, err := a.Evaluate(t.Context(), b)
			if err != nil || voting.Choice(o.Choice) != want {
				t.Errorf("%.20q for %.20q, the judge says %v: %+v, %v", x.shown, x.named, said, o, err)
			}
			if asked := heard.Task.Raw != nil; asked != (x.asked != "") {
				t.Errorf("%.20q for %.20q: the judge was asked: %v", x.shown, x.named, asked)
			}
			if x.asked != "" && (heard.Task.Value.Instruction[0] != x.asked || len(long) == len(x.named) && !strings.Contains(string(heard.Task.Value.InputData[0]), long)) {
				t.Errorf("the judge was asked %.200s", heard.Task.Raw)
			}
		}
	}
	k, c, p := opened(t)
	p.Text = []byte("What else?") // the description is the question
	a := Arbiter{Chain: fake{task: encoded(t, *k), class: classOf(t, c)}, Program: program, Others: other{}}
	if o, err := a.Evaluate(t.Context(), briefOf(t, k, p)); err != nil || voting.Choice(o.Choice) != voting.Reject {
		t.Errorf("a text beside the question: %+v, %v", o, err)
	}
}

// TestAttackBusyNodes: an appellant leaves a long question out of its claim, and keeps the memory
// nodes of the class busy while the judges judge. It won the bond of the creator then. Now the
// creator shows the question with its answer, which the court's nodes keep, and the judges judge.
// Who opens what nobody can read still loses, also if its answer names a question that it shows to
// nobody.
func TestAttackBusyNodes(t *testing.T) {
	long := strings.Repeat("When did the bridge open? ", 1_000)
	hash := voting.Hash(sha256.Sum256([]byte(long)))
	for name, x := range map[string]struct {
		named, shown bool // by the creator's answer
		want         voting.Choice
	}{
		"the creator shows it":         {true, true, voting.Reject},
		"the creator is silent":        {false, false, voting.Accept},
		"it names it and hides it":     {true, false, voting.Accept},
		"a memory node had it, before": {false, true, voting.Reject},
	} {
		k, c, p := opened(t)
		p.Question = []byte(finding.Reference([]byte(long)))
		k.Terms = brain.TermsHash(string(p.Question), p.Metadata)
		b := briefOf(t, k, p)
		if x.named {
			raw := fmt.Sprintf(`{"evidence":[{"bytes":%d,"name":"question.txt","sha256":"%s"}],"reason":"It is right."}`, len(long), hash)
			var err error
			if b.Objection.Doc, err = casefile.ParseObjection([]byte(raw)); err != nil {
				t.Fatal(err)
			}
		}
		if x.shown {
			b.Exhibits = map[voting.Hash][]byte{hash: []byte(long)}
		}
		var heard judge.Brief
		a := Arbiter{Chain: fake{task: encoded(t, *k), class: classOf(t, c)}, Program: program, Others: says{voting.Accept, &heard, nil}}
		if o, err := a.Evaluate(t.Context(), b); err != nil || voting.Choice(o.Choice) != x.want || (heard.Task.Raw != nil) != x.shown {
			t.Errorf("%s: %+v, %v", name, o, err)
		}
	}
}

// TestAttackLateClaim: an appellant shows its claim late, or its terms to nobody, so that the
// court's nodes do not look for the question that it hides. It won the bond of a creator whose
// crank is off, though the memory nodes have it. The judge asks them itself then.
func TestAttackLateClaim(t *testing.T) {
	long := strings.Repeat("When did the bridge open? ", 1_000)
	k, c, p := opened(t)
	p.Class = []byte(`{"about":"","meaning":["/year"],"memory":["http://one"],"name":"facts"}`)
	c.ID = sha256.Sum256(p.Class)
	p.Question = []byte(finding.Reference([]byte(long)))
	k.Terms = brain.TermsHash(string(p.Question), p.Metadata)
	for kept, want := range map[string]voting.Choice{long: voting.Reject, "": voting.Accept, "another text": voting.Accept} {
		var heard judge.Brief
		a := Arbiter{Chain: fake{task: encoded(t, *k), class: classOf(t, c)}, Program: program, Others: says{voting.Accept, &heard, nil}}
		a.Nodes = func(_ context.Context, nodes []string, _ [32]byte, most int) ([]byte, error) {
			if len(nodes) != 1 || most != finding.MaxQuestion {
				t.Errorf("it asks %v for %d bytes", nodes, most)
			}
			if kept == "" {
				return nil, errors.New("no node has it")
			}
			return []byte(kept), nil
		}
		if o, err := a.Evaluate(t.Context(), briefOf(t, k, p)); err != nil || voting.Choice(o.Choice) != want {
			t.Errorf("%.20q: %+v, %v", kept, o, err)
		}
	}
}

// TestHiddenQuestion: the court's nodes look for the question that the claim of an appeal names and
// does not show, and give it to each other. They ask the memory nodes of the class alone.
func TestHiddenQuestion(t *testing.T) {
	long := []byte(strings.Repeat("When did the bridge open? ", 1_000))
	hash := voting.Hash(sha256.Sum256(long))
	for name, x := range map[string]struct {
		change    func(*brain.TaskAccount, *Plea)
		named     bool
		elsewhere bool
	}{
		"hidden":           {func(*brain.TaskAccount, *Plea) {}, true, true},
		"shown":            {func(_ *brain.TaskAccount, p *Plea) { p.Text = long }, false, false},
		"another question": {func(_ *brain.TaskAccount, p *Plea) { p.Question = []byte(finding.Reference([]byte("Who?"))) }, false, false},
		"it is over":       {func(k *brain.TaskAccount, _ *Plea) { k.Marks.Opened = brain.Void }, false, false},
		"another class": {func(_ *brain.TaskAccount, p *Plea) {
			p.Class = []byte(strings.Replace(string(p.Class), "one", "two", 1))
		}, true, false},
	} {
		k, c, p := opened(t)
		p.Class = []byte(`{"about":"","meaning":["/year"],"memory":["http://one"],"name":"facts"}`)
		c.ID = sha256.Sum256(p.Class)
		p.Question = []byte(finding.Reference(long))
		k.Terms = brain.TermsHash(string(p.Question), p.Metadata)
		x.change(k, &p)
		terms, err := brain.AppealTerms(where, k, k.Appeal.Worker)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := p.Encode()
		if err != nil {
			t.Fatal(err)
		}
		n := Results{Chain: fake{task: encoded(t, *k), class: classOf(t, c)}, Program: program, Nodes: func(_ context.Context, nodes []string, of [32]byte, most int) ([]byte, error) {
			if len(nodes) != 1 || nodes[0] != "http://one" || of != hash || most != finding.MaxQuestion {
				t.Errorf("%s: it asks %v for %x, %d bytes", name, nodes, of, most)
			}
			return long, nil
		}}
		dispute := voting.Key(k.Appeal.Dispute)
		named, err := n.Named(t.Context(), dispute, terms, raw)
		if err != nil || slices.Contains(named, hash) != x.named || len(named) > 1 {
			t.Errorf("%s: named %x, %v", name, named, err)
		}
		if shown := n.Shown(raw); slices.Contains(shown, hash) != (p.Text != nil) {
			t.Errorf("%s: shown %x", name, shown)
		}
		found, err := n.Elsewhere(t.Context(), dispute, terms, raw, []voting.Hash{hash})
		if err != nil || (found[hash] != nil) != x.elsewhere {
			t.Errorf("%s: found %d, %v", name, len(found), err)
		}
	}
}

// TestFailed: who failed a golden task may appeal, and nobody else.
func TestFailed(t *testing.T) {
	k, c, _ := opened(t)
	for agent, want := range map[onchain.Address]bool{{13}: false, {12}: true, {1}: false, {3}: true, {99}: false, {}: false} {
		if got := Failed(k, c.Parameters, agent); got != want {
			t.Errorf("%v may appeal: %v", agent, got)
		}
	}
	k.Judges[1].Past = 0 // it was no member any more when the seal was opened
	if Failed(k, c.Parameters, onchain.Address{12}) {
		t.Error("who had left may appeal")
	}
	if k.Seal = sha256.Sum256([]byte("nothing")); Failed(k, c.Parameters, onchain.Address{3}) {
		t.Error("without a right result, somebody failed")
	}
}

// FuzzReadPlea: no claim of a stranger does harm, and what is read has its form.
func FuzzReadPlea(f *testing.F) {
	f.Add([]byte(`{"class":{},"form":"megabrain/appeal/1","program":"p","question":"cQ==","reason":"r","result":{"worker":"w"},"task":"t"}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if p, err := readPlea(raw); err == nil && (p.Form != AppealForm || p.Reason == "") {
			t.Errorf("%q was read", raw)
		}
	})
}
