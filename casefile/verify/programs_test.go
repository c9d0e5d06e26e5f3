package verify_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/casefile/casetest"
	"ojud/casefile/ground"
	"ojud/casefile/proof"
	"ojud/casefile/runs"
	"ojud/casefile/verify"
	"ojud/test/longtest"
	"ojud/voting"
)

const programmed = `{"instruction":["You should write exactly 3 lines about owls"],"output_schema":{"text":"string"},` +
	`"expected":[{"path":"/text","lines":3},{"path":"/text","program":{"javascript":"[value.split('\\n').every(l => l.includes('owls')), 'three lines']"}},` +
	`{"path":"","program":{"javascript":"for (;;);"}},{"path":"/sum","program":{"javascript":"true"}},` +
	`{"path":"","program":{"sql":"SELECT length(text) > 10, 'a text' FROM value"}}]}`

// TestAttackForgedRun: a judge signs an opinion with a run of a check program that was not so. The
// program is run again, the note names the judge, and the file stays verified.
func TestAttackForgedRun(t *testing.T) {
	task, err := casefile.ParseTask([]byte(programmed))
	if err != nil {
		t.Fatal(err)
	}
	result, err := casefile.ParseResult([]byte(casetest.ResultJSON))
	if err != nil {
		t.Fatal(err)
	}
	var prover proof.Prover
	honest, err := prover.Run(t.Context(), task.Value, 1, proof.Papers{Task: task.Raw, Result: result.Raw})
	if err != nil || honest.Said != runs.True {
		t.Fatalf("%+v, %v", honest, err)
	}
	if err := prover.Close(t.Context()); err != nil {
		t.Error(err)
	}
	forged := func(change func(*runs.Run)) *runs.Run {
		run := honest
		change(&run)
		return &run
	}
	acts := []casetest.Act{
		{Choice: voting.Accept, Run: &honest},
		{Choice: voting.Reject, Run: forged(func(r *runs.Run) { r.Said = runs.False })},
		{Choice: voting.Accept, Run: forged(func(r *runs.Run) { r.Fuel++ })},
		{Choice: voting.Accept, Run: forged(func(r *runs.Run) { r.Why = "four lines" })},
		{Choice: voting.Accept, Run: forged(func(r *runs.Run) { r.Engine = "ojud-wasm-0" })},
		{Choice: voting.Accept, Run: forged(func(r *runs.Run) { r.Of = "task:/expected/0" })},
		{Choice: voting.Accept, Run: forged(func(r *runs.Run) { r.Of = "task:/expected/3" })},
		{Choice: voting.Accept, Run: forged(func(r *runs.Run) { r.Of = "task:/expected/4" })},
	}
	file, err := casetest.File(casetest.Script{Name: "programs", Judges: 8, Documents: casetest.Documents{Task: programmed}, Rounds: []casetest.Plan{func(i int) casetest.Act { return acts[i] }}})
	if err != nil {
		t.Fatal(err)
	}
	r := verify.File(file)
	if !r.OK() || r.Check(verify.CheckPrograms).Count != 4 {
		t.Fatalf("%s", r.String())
	}
	lies := 0
	for _, n := range r.Notes {
		if n.Kind == verify.NoteProgram && strings.Contains(n.Detail, "is not true") {
			lies++
		}
	}
	if lies != len(acts)-1 {
		t.Errorf("%d lies are noted, not %d", lies, len(acts)-1)
	}
	for _, want := range []string{
		`run again on the result, it says true, after`, `"three lines"`, `"a text"`, `it has "ojud-sql-2"`, "run again on the result, it says none, after 2000000000 steps", `there is nothing at "/sum"`,
		"and the opinion that it says false", `"four lines"`, `by the rules "ojud-wasm-0", which this build does not have`,
		"nothing is run at task:/expected/0", "nothing stands in the result where task:/expected/3 looks",
	} {
		if !strings.Contains(r.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, r.String())
		}
	}
}

// TestAttackForgedCounterexample: judges sign that a counterexample did what it did not, or that a
// ground holds. Each call is made again, the notes name these judges, and the file stays verified.
func TestAttackForgedCounterexample(t *testing.T) {
	const task = `{"instruction":["Write a function median."],"output_schema":{"code":"string"}}`
	const result = `{"code":"const median = all => [...all].sort((a, b) => a - b)[all.length >> 1]"}`
	call, err := ground.ReadCall("median([4,1,2,3])")
	if err != nil {
		t.Fatal(err)
	}
	g := ground.Ground{Pointer: "/code", Kind: ground.Returns, Expected: json.RawMessage("2.5"), Counterexample: call}
	document := func(expected, at string) string {
		g := g
		g.Expected, g.Pointer = json.RawMessage(expected), at
		raw, err := json.Marshal(casefile.Objection{Reason: "It is wrong.", Grounds: []ground.Ground{{Kind: ground.Extra, Pointer: "/x"}, g}})
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	var prover proof.Prover
	fails, err := prover.Counterexample(t.Context(), casefile.Task{}, "objection", 1, g, []byte(result))
	if err != nil || fails.Said != runs.False || fails.Why != "median([4,1,2,3]) returns 3 instead of 2.5" {
		t.Fatalf("%+v, %v", fails, err)
	}
	g.Expected = json.RawMessage("3")
	answer, err := prover.Counterexample(t.Context(), casefile.Task{}, "counter-objection", 1, g, []byte(result))
	if err != nil || answer.Said != runs.True {
		t.Fatalf("%+v, %v", answer, err)
	}
	if err := prover.Close(t.Context()); err != nil {
		t.Error(err)
	}
	act := func(check string, outcome casefile.CheckOutcome, run runs.Run) casetest.Act {
		return casetest.Act{Choice: voting.Accept, Finding: &casefile.Finding{Check: check, Outcome: outcome, Evidence: []string{}, Run: &run}}
	}
	lie, elsewhere := fails, fails
	lie.Said, lie.Why = runs.True, "median([4,1,2,3]) returns 2.5"
	elsewhere.Of = "objection:/grounds/0"
	acts := []casetest.Act{
		act("objection/grounds[1]", casefile.Unknown, fails),
		act("note/answer[1]", casefile.Pass, answer),
		act("objection/grounds[1]", casefile.Pass, fails),
		act("objection/grounds[1]", casefile.Fail, fails),
		act("objection/grounds[1]", casefile.Pass, lie),
		act("objection/grounds[0]", casefile.Unknown, elsewhere),
		act("note/answer[1]", casefile.Fail, answer),
	}
	file, err := casetest.File(casetest.Script{Name: "counterexample", Judges: 7, Rounds: []casetest.Plan{func(i int) casetest.Act { return acts[i] }},
		Documents: casetest.Documents{Task: task, Result: result, Objection: document("2.5", "/code"), Counter: document("3", "/code")}})
	if err != nil {
		t.Fatal(err)
	}
	r := verify.File(file)
	lies := 0
	for _, n := range r.Notes {
		if n.Kind == verify.NoteProgram && strings.Contains(n.Detail, "is not true") {
			lies++
		}
	}
	if !r.OK() || r.Check(verify.CheckPrograms).Count != 2 || lies != 5 {
		t.Errorf("%d lies, not 5:\n%s", lies, r.String())
	}
	if again := `run again on the result, it says false, after`; !strings.Contains(r.String(), again) {
		t.Errorf("no %q:\n%s", again, r.String())
	}
}

// TestAttackForgedProposal: judges sign that their models wrote programs that say what they do not,
// or that prove nothing. Each is run again, the notes name these judges, and the file stays
// verified.
func TestAttackForgedProposal(t *testing.T) {
	const task = `{"instruction":["Add the amounts up."],"input_data":[[40,78.5]],"output_schema":{"total":"number"}}`
	const result = `{"total":12}`
	papers := proof.Papers{Task: written(t, task), Result: written(t, result)}
	wrote := runs.Proposed{JavaScript: "result.total === task.input_data[0].reduce((a, b) => a + b, 0)",
		Input: []json.RawMessage{[]byte("[5,6]")}, Right: []byte(`{"total":11}`), Wrong: []byte(`{"total":10}`)}
	var prover proof.Prover
	honest, refused, err := prover.Propose(t.Context(), wrote, papers, proof.Sides{})
	if err != nil || refused != "" || honest.Runs[2].Said != runs.False {
		t.Fatalf("%+v, %q, %v", honest, refused, err)
	}
	if err := prover.Close(t.Context()); err != nil {
		t.Error(err)
	}
	act := func(outcome casefile.CheckOutcome, change func(*runs.Proposed)) casetest.Act {
		p := honest
		p.Runs = slices.Clone(honest.Runs)
		change(&p)
		return casetest.Act{Choice: voting.Reject, Finding: &casefile.Finding{Check: "instruction/instruction[0]", Outcome: outcome, Evidence: []string{}, Proposal: &p}}
	}
	none := func(*runs.Proposed) {}
	acts := []casetest.Act{
		act(casefile.Fail, none),
		act(casefile.Unknown, none), // its reading spoke against the program
		act(casefile.Pass, none),
		act(casefile.Pass, func(p *runs.Proposed) { p.Runs[2].Said = runs.True }),
		act(casefile.Fail, func(p *runs.Proposed) { p.JavaScript = "result.total === 12 || result.total === 11" }),
		act(casefile.Fail, func(p *runs.Proposed) { p.Input = nil }),
		act(casefile.Fail, func(p *runs.Proposed) { p.Wrong = []byte(result) }),
	}
	file, err := casetest.File(casetest.Script{Name: "proposal", Judges: 7, Rounds: []casetest.Plan{func(i int) casetest.Act { return acts[i] }},
		Documents: casetest.Documents{Task: task, Result: result}})
	if err != nil {
		t.Fatal(err)
	}
	r := verify.File(file)
	lies := 0
	for _, n := range r.Notes {
		if n.Kind == verify.NoteProgram && strings.Contains(n.Detail, "is not true") {
			lies++
		}
	}
	if !r.OK() || r.Check(verify.CheckPrograms).Count != len(acts) || lies != 5 {
		t.Errorf("%d lies, not 5:\n%s", lies, r.String())
	}
	for _, want := range []string{"run again on the result, says false", "its program proves nothing, because it has the number 12", "because its input has 0 items", "the finding is pass"} {
		if !strings.Contains(r.String(), want) {
			t.Errorf("no %q:\n%s", want, r.String())
		}
	}
}

// written writes JSON as documents have it.
func written(t *testing.T, text string) []byte {
	t.Helper()
	doc, err := casefile.ParseResult([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return doc.Raw
}

// TestModuleInFile: the file carries the module that a task names, and the program is run again.
// Without the module the report says so, and the file stays verified.
func TestModuleInFile(t *testing.T) {
	// A module with an empty _start: it says nothing.
	module := []byte("\x00asm\x01\x00\x00\x00\x01\x04\x01\x60\x00\x00\x03\x02\x01\x00\x07\x0a\x01\x06_start\x00\x00\x0a\x04\x01\x02\x00\x0b")
	documents := casetest.Documents{Task: `{"expected":[{"path":"","program":{"wasi":"` + casefile.HashOf(module).String() +
		`"}}],"instruction":["You should write about owls"],"output_schema":{"text":"string"}}`}
	for _, c := range []struct {
		module []byte
		count  int
		want   string
	}{
		{module, 1, "run again on the result, it says none"},
		{nil, 0, "it cannot be run again: its module is not in this file"},
	} {
		documents.Module = c.module
		file, err := casetest.File(casetest.Script{Name: "module", Judges: 7, Documents: documents, Rounds: []casetest.Plan{casetest.All(voting.Accept)}})
		if err != nil {
			t.Fatal(err)
		}
		if r := verify.File(file); !r.OK() || r.Check(verify.CheckPrograms).Count != c.count || !strings.Contains(r.String(), c.want) {
			t.Errorf("%s", r.String())
		}
	}
}

// TestNoPython: without CPython a file is not verified as if its checks in Python had been run. The
// check is skipped, and the others are made.
func TestNoPython(t *testing.T) {
	longtest.Only(t)
	home := t.TempDir()
	for _, name := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData"} {
		t.Setenv(name, home)
	}
	const task = `{"instruction":["x"],"output_schema":{"text":"string"},"expected":[{"path":"/text","parses":"python"},{"path":"/text","parses":"sql"}]}`
	file, err := casetest.File(casetest.Script{Name: "python", Judges: 8, Documents: casetest.Documents{Task: task},
		Rounds: []casetest.Plan{func(int) casetest.Act { return casetest.Act{Choice: voting.Accept} }}})
	if err != nil {
		t.Fatal(err)
	}
	r := verify.File(file)
	c := r.Check(verify.CheckPrograms)
	if c.State != verify.Skipped || !strings.Contains(c.Detail, "not run here: it needs CPython") || !strings.Contains(r.String(), "run again on the result, it says false") {
		t.Errorf("%+v\n%s", c, r.String())
	}
}

// TestSame: a case whose opinions contain runs verifies with the same result on every machine,
// because what the runs say stands here. `make machines` runs it on four.
func TestSame(t *testing.T) {
	const task = `{"instruction":["x"],"output_schema":{"text":"string"},"expected":[` +
		`{"path":"/text","program":{"javascript":"[value.split('\\n').length === 3, 'lines of ' + Math.pow(2.1, 3.3)]"}},` +
		`{"path":"","program":{"sql":"SELECT length(text) > 10, 'a text, ' || exp(1.5) FROM value"}},` +
		`{"path":"/text","parses":"javascript"},{"path":"/text","parses":"sql"}]}`
	doc, err := casefile.ParseTask([]byte(task))
	if err != nil {
		t.Fatal(err)
	}
	result, err := casefile.ParseResult([]byte(casetest.ResultJSON))
	if err != nil {
		t.Fatal(err)
	}
	var prover proof.Prover
	acts := []casetest.Act{{}, {}, {}, {}}
	for i := range acts {
		run, err := prover.Run(t.Context(), doc.Value, i, proof.Papers{Task: doc.Raw, Result: result.Raw})
		if err != nil {
			t.Fatal(err)
		}
		acts[i] = casetest.Act{Choice: voting.Accept, Run: &run}
	}
	if err := prover.Close(t.Context()); err != nil {
		t.Error(err)
	}
	file, err := casetest.File(casetest.Script{Name: "same", Judges: 8, Documents: casetest.Documents{Task: task},
		Rounds: []casetest.Plan{func(i int) casetest.Act { return acts[i%len(acts)] }}})
	if err != nil {
		t.Fatal(err)
	}
	r := verify.File(file)
	var ran []string
	for _, n := range r.Notes {
		if n.Kind == verify.NoteProgram {
			ran = append(ran, n.Detail)
		}
	}
	want := []string{
		`run again on the result, it says true, after 4965300 steps: "lines of 11.569741950241465"`,
		`run again on the result, it says true, after 1080849 steps: "a text, 4.48168907033806"`,
		`run again on the result, it says false, after 5289043 steps: "line 1: expecting ';'"`,
		`run again on the result, it says false, after 156430 steps: "line 1: near \"owls\": syntax error"`,
	}
	if !r.OK() || r.Check(verify.CheckPrograms).Count != 4 || !slices.Equal(ran, want) {
		t.Errorf("%q\n%s", ran, r.String())
	}
}
