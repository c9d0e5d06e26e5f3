package verify_test

import (
	"encoding/json"
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/casefile/casetest"
	"ojud/casefile/proof"
	"ojud/casefile/runs"
	"ojud/casefile/sealed"
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
