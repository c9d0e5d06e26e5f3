//go:build plain

package verify_test

import (
	"testing"

	"ojud/casefile/casetest"
	"ojud/casefile/verify"
	"ojud/voting"
)

// TestPlain: a verifier without interpreters verifies a case that needs none, and never one that
// does. It runs with -tags plain.
func TestPlain(t *testing.T) {
	t.Parallel()
	all := []casetest.Plan{casetest.All(voting.Accept)}
	programmed := `{"expected":[{"path":"/text","program":{"javascript":"[true, 'it is there']"}}],` +
		`"instruction":["You should write about owls"],"output_schema":{"text":"string"}}`
	demanding := `{"expected":[{"path":"/text","lines":3}],"instruction":["You should write about owls"],"output_schema":{"text":"string"}}`
	for _, c := range []struct {
		script casetest.Script
		lacks  verify.CheckName // that this verifier cannot make
	}{
		{casetest.Script{Name: "plain", Judges: 7, Rounds: all, Documents: casetest.Documents{Task: `{"instruction":["You should write about owls"],"output_schema":{"text":"string"}}`}}, ""},
		{casetest.Script{Name: "demand", Judges: 7, Rounds: all, Documents: casetest.Documents{Task: demanding}}, verify.CheckDemands},
		{casetest.Script{Name: "program", Judges: 7, Rounds: all, Documents: casetest.Documents{Task: programmed}}, verify.CheckPrograms},
		{casetest.Script{Name: "golden", Judges: 7, Rounds: all, Golden: true}, verify.CheckLeaf},
	} {
		file, err := casetest.File(c.script)
		if err != nil {
			t.Fatal(err)
		}
		r := verify.File(file)
		if r.OK() != (c.lacks == "") || len(r.Failed()) != 0 {
			t.Errorf("%s: verified: %v\n%s", c.script.Name, r.OK(), r.String())
		}
		if got := r.Check(c.lacks); c.lacks != "" && (got.State != verify.Skipped || got.Detail == "") {
			t.Errorf("%s: the check ended as %+v", c.script.Name, got)
		}
	}
}
