package verify_test

import (
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/casefile/casetest"
	"ojud/casefile/proof"
	"ojud/casefile/verify"
	"ojud/voting"
)

const programmed = `{"instruction":["You should write exactly 3 lines about owls"],"output_schema":{"text":"string"},` +
	`"expected":[{"path":"/text","lines":3},{"path":"/text","program":{"javascript":"[value.split('\\n').every(l => l.includes('owls')), 'three lines']"}},` +
	`{"path":"","program":{"javascript":"for (;;);"}},{"path":"/sum","program":{"javascript":"true"}}]}`

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
	if err != nil || honest.Said != casefile.SaidTrue {
		t.Fatalf("%+v, %v", honest, err)
	}
	if err := prover.Close(t.Context()); err != nil {
		t.Error(err)
	}
	forged := func(change func(*casefile.Run)) *casefile.Run {
		run := honest
		change(&run)
		return &run
	}
	acts := []casetest.Act{
		{Choice: voting.Accept, Run: &honest},
		{Choice: voting.Reject, Run: forged(func(r *casefile.Run) { r.Said = casefile.SaidFalse })},
		{Choice: voting.Accept, Run: forged(func(r *casefile.Run) { r.Fuel++ })},
		{Choice: voting.Accept, Run: forged(func(r *casefile.Run) { r.Why = "four lines" })},
		{Choice: voting.Accept, Run: forged(func(r *casefile.Run) { r.Engine = "ojud-wasm-0" })},
		{Choice: voting.Accept, Run: forged(func(r *casefile.Run) { r.Expected = 0 })},
		{Choice: voting.Accept, Run: forged(func(r *casefile.Run) { r.Expected = 3 })},
	}
	file, err := casetest.File(casetest.Script{Name: "programs", Judges: 7, Task: programmed, Rounds: []casetest.Plan{func(i int) casetest.Act { return acts[i] }}})
	if err != nil {
		t.Fatal(err)
	}
	r := verify.File(file)
	if !r.OK() || r.Check(verify.CheckPrograms).Count != 3 {
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
		`run again on the result, it says true, after`, `"three lines"`, "run again on the result, it says none, after 2000000000 steps", `there is nothing at "/sum"`,
		"and the opinion that it says false", `"four lines"`, `by the rules "ojud-wasm-0", which this build does not have`,
		"the task's check 0 is no program", "nothing stands at the path of the task's check 3",
	} {
		if !strings.Contains(r.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, r.String())
		}
	}
}
