package verify_test

import (
	"encoding/json"
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/casefile/casetest"
	"ojud/casefile/ground"
	"ojud/casefile/proof"
	"ojud/casefile/runs"
	"ojud/casefile/sealed"
	"ojud/casefile/settle"
	"ojud/casefile/verify"
	"ojud/voting"
)

// TestSealedInFile: the file carries the opening that the objection names, and the sealed check is
// run again. A judge that reports another run of it is named. If it is not opened, the report says
// so, and nothing is run.
func TestSealedInFile(t *testing.T) {
	k, opening, err := sealed.Seal(casefile.Check{Path: "/text", Program: &runs.CheckProgram{JavaScript: "[value.length > 1000, 'too short']"}}, [32]byte{3})
	if err != nil {
		t.Fatal(err)
	}
	open := casefile.Check{Path: "/text", Program: &runs.CheckProgram{JavaScript: "value.length > 3"}}
	task, err := casefile.NewTask(casefile.Task{Instruction: []string{"Write."}, OutputSchema: []byte(`{"text":"string"}`), Expected: []casefile.Check{open, k}})
	if err != nil {
		t.Fatal(err)
	}
	objection := casefile.Objection{Reason: "It is too short.", Evidence: []casefile.Exhibit{{Name: sealed.Name(1), SHA256: *k.Sealed, Bytes: uint64(len(opening))}}}
	raw, err := json.Marshal(objection)
	if err != nil {
		t.Fatal(err)
	}
	result, err := casefile.ParseResult([]byte(casetest.ResultJSON))
	if err != nil {
		t.Fatal(err)
	}
	opened := sealed.Open(task.Value, 0, objection, func(casefile.Digest) ([]byte, bool) { return opening, true })
	var prover proof.Prover
	honest, err := prover.Run(t.Context(), opened.Task, 1, proof.Papers{Task: task.Raw, Result: result.Raw})
	if err != nil || honest.Said != runs.False {
		t.Fatalf("%+v, %v", honest, err)
	}
	if err := prover.Close(t.Context()); err != nil {
		t.Error(err)
	}
	lie := honest
	lie.Said = runs.True
	for _, c := range []struct {
		name, objection string
		count, lies     int
		want            string
		opening         []byte
		reworks         uint8
	}{
		{"opened", string(raw), 2, 1, "run again on the result, it says false", opening, 0},
		{"not opened", `{"reason":"It is too short."}`, 1, 2, "this sealed check is not open, and demands nothing: the objection does not name the opening", opening, 0},
		{"opened, and the exporter leaves the opening out", string(raw), 1, 0, "the objection names its opening, and that is not in this file", nil, 0},
		{"opened again after a rework", string(raw), 2, 1, "sealed for the first result, and not for this one, so that it settles nothing", opening, 1},
	} {
		acts := []casetest.Act{{Choice: voting.Reject, Run: &lie}, {Choice: voting.Reject, Run: &honest}, {Choice: voting.Reject}}
		file, err := casetest.File(casetest.Script{Name: "sealed", Judges: 7, Documents: casetest.Documents{Task: string(task.Raw), Objection: c.objection, Module: c.opening}, Forge: casetest.Forge{Open: func(o *casefile.OpenFact) { o.Task.Reworks = c.reworks }},
			Rounds: []casetest.Plan{func(i int) casetest.Act { return acts[min(i, 2)] }}})
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
		if !r.OK() || r.Check(verify.CheckPrograms).Count != c.count || lies != c.lies || !strings.Contains(r.String(), c.want) || len(r.Refuted) > 0 {
			t.Errorf("%s: %d runs, %d lies\n%s", c.name, r.Check(verify.CheckPrograms).Count, lies, r.String())
		}
	}
}

// TestAttackFileWithoutOpening: the only check in Python is sealed. All judges make a
// counterexample in the same language, whether they have the opening or not. A file without the
// opening, or without the objection, names none of them a liar, and none that ran the sealed check.
func TestAttackFileWithoutOpening(t *testing.T) {
	k, opening, err := sealed.Seal(casefile.Check{Path: "/code", Tests: &runs.Tests{Python: []runs.TestCall{{Function: "one", Args: []json.RawMessage{}, Returns: []byte("1")}}}}, [32]byte{3})
	if err != nil {
		t.Fatal(err)
	}
	task, err := casefile.NewTask(casefile.Task{Instruction: []string{"Write a function one."}, OutputSchema: []byte(`{"code":"string"}`), Expected: []casefile.Check{k}})
	if err != nil {
		t.Fatal(err)
	}
	g := ground.Ground{Pointer: "/code", Kind: ground.Returns, Expected: json.RawMessage("1"), Counterexample: &ground.Counterexample{Function: "one", Args: []json.RawMessage{}}}
	objection := casefile.Objection{Reason: "It is wrong.", Grounds: []ground.Ground{g}, Evidence: []casefile.Exhibit{{Name: sealed.Name(0), SHA256: *k.Sealed, Bytes: uint64(len(opening))}}}
	raw, err := json.Marshal(objection)
	if err != nil {
		t.Fatal(err)
	}
	var prover proof.Prover
	result := written(t, `{"code":"const one = () => 1"}`)
	acts := []casetest.Act{{Choice: voting.Accept}}
	for _, has := range []bool{true, false} {
		o := sealed.Open(task.Value, 0, objection, func(casefile.Digest) ([]byte, bool) { return opening, has })
		run, err := prover.Counterexample(t.Context(), o.Task, "objection", 0, g, result)
		if err != nil || run.Said != runs.True || run.Engine != "ojud-wasm-2" {
			t.Errorf("the opening is here: %t: %+v, %v", has, run, err)
		}
		acts = append(acts, casetest.Act{Choice: voting.Accept, Finding: &casefile.Finding{Check: "objection/grounds[0]", Outcome: casefile.Unknown, Evidence: []string{}, Run: &run}})
	}
	if err := prover.Close(t.Context()); err != nil {
		t.Error(err)
	}
	lie := *acts[1].Finding.Run
	lie.Said = runs.False
	ran := runs.Run{Of: runs.CheckAt(0), Engine: "ojud-python-2", Module: lie.Module, Said: runs.False, Fuel: 1}
	acts = append(acts, casetest.Act{Choice: voting.Accept, Finding: &casefile.Finding{Check: "objection/grounds[0]", Outcome: casefile.Unknown, Evidence: []string{}, Run: &lie}},
		casetest.Act{Choice: voting.Accept, Finding: &casefile.Finding{Check: "note/expected[0]", Outcome: casefile.Fail, Evidence: []string{}, Run: &ran}})
	for name, c := range map[string]struct {
		lose bool // the exporter leaves the objection out, too
		lies int  // of the judge that lies
	}{"without the opening": {false, 1}, "without the objection": {true, 0}} {
		w, err := casetest.Build(casetest.Script{Name: "language", Judges: 7, Documents: casetest.Documents{Task: string(task.Raw), Result: string(result), Objection: string(raw)},
			Rounds: []casetest.Plan{func(i int) casetest.Act { return acts[i%len(acts)] }}})
		if err != nil {
			t.Fatal(err)
		}
		if c.lose {
			w.Store.Lose(casefile.HashOf(written(t, string(raw))))
		}
		file, err := w.Export()
		if err != nil {
			t.Fatal(err)
		}
		r := verify.File(file)
		lies := 0
		for _, n := range r.Notes {
			if strings.Contains(n.Detail, "is not true") {
				lies++
			}
		}
		if !r.OK() || lies != c.lies || c.lose != strings.Contains(r.String(), "the objection, which may open it, is not in this file") {
			t.Errorf("%s: %d lies, not %d\n%s", name, lies, c.lies, r.String())
		}
	}
}

// TestAttackSettledAfterRework: open and sealed checks settle the same instruction. After a rework,
// an opinion that takes it for settled by the open ones is noted, and before it not.
func TestAttackSettledAfterRework(t *testing.T) {
	const task = `{"instruction":["Write."],"output_schema":{"text":"string"},"expected":[{"path":"/text","equals":"owls fly\nowls see\nowls <hoot> & sleep","settles":[0]},` +
		`{"path":"/text","sealed":"0000000000000000000000000000000000000000000000000000000000000007","settles":[0]}]}`
	finding := casefile.Finding{Check: "specification/instruction[0]", Outcome: casefile.Pass, Detail: settle.Says + "expected[0] settles it", Evidence: []string{}}
	for reworks := range uint8(2) {
		file, err := casetest.File(casetest.Script{Name: "rework", Judges: 7, Documents: casetest.Documents{Task: task}, Forge: casetest.Forge{Open: func(o *casefile.OpenFact) { o.Task.Reworks = reworks }},
			Rounds: []casetest.Plan{func(int) casetest.Act { return casetest.Act{Choice: voting.Accept, Finding: &finding} }}})
		if err != nil {
			t.Fatal(err)
		}
		r := verify.File(file)
		if after := reworks == 1; !r.OK() || after != strings.Contains(r.String(), "none of them can settle it") || after != strings.Contains(r.String(), "so that the open checks do not settle it alone") {
			t.Errorf("%d reworks:\n%s", reworks, r.String())
		}
	}
}
