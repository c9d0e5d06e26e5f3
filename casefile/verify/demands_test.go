package verify_test

import (
	"slices"
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/casefile/casetest"
	"ojud/casefile/demand"
	"ojud/casefile/settle"
	"ojud/casefile/verify"
	"ojud/voting"
)

// TestAttackForgedDemand: judges sign opinions that say of a demand what is not so; all opinions of
// these cases say that the first check passes. The demands are made again, a note names each judge,
// and the file stays verified.
func TestAttackForgedDemand(t *testing.T) {
	const judges = 7
	for _, c := range []struct {
		expected string
		made     int // demands
		lies     int
		says     string
	}{
		{`{"path":"/text","lines":3,"words":{"min":1}},{"path":"/text","program":{"javascript":"true"}}`, 1, 0, ""},
		{`{"path":"/text","lines":4},{"path":"/text","contains":"owls"}`, 2, judges, "made again on the result: fail: at \"/text\": it has 3 lines instead of 4"},
		{`{"path":"/text","not_contains":["owl"]}`, 1, judges, "fail: at \"/text\": it contains \"owl\""},
		{`{"path":"/text","grounded":{"in":["/instruction"],"what":["numbers"]}}`, 1, judges, "unknown: at \"/text\": code cannot tell"},
		{`{"path":"/rows","sorted":{}}`, 1, judges, "there is no field \"rows\""},
	} {
		task := `{"instruction":["You should write exactly 3 lines about owls"],"output_schema":{"text":"string"},"expected":[` + c.expected + `]}`
		file, err := casetest.File(casetest.Script{Name: "demands", Judges: judges, Documents: casetest.Documents{Task: task}, Rounds: []casetest.Plan{casetest.All(voting.Accept)}})
		if err != nil {
			t.Fatal(err)
		}
		r := verify.File(file)
		if !r.OK() || r.Check(verify.CheckDemands).Count != c.made {
			t.Errorf("%s: %s", c.expected, r.String())
		}
		lies := 0
		for _, n := range r.Notes {
			if n.Kind == verify.NoteDemand && strings.Contains(n.Detail, "is not true: it says pass") {
				lies++
			}
		}
		if lies != c.lies || !strings.Contains(r.String(), c.says) || c.says == "" && strings.Contains(r.String(), string(verify.NoteDemand)) {
			t.Errorf("%s: %d lies are noted, not %d\n%s", c.expected, lies, c.lies, r.String())
		}
	}
}

// TestAttackFormSettles: a task says that a check of form settles its instruction. Verification
// notes it, and names the opinions that count it. Checks that another version of the rules made are
// no lies.
func TestAttackFormSettles(t *testing.T) {
	const judges = 7
	for _, c := range []struct {
		expected string
		version  uint32
		says     []string
		not      string
	}{
		{`{"path":"/text","words":{"min":1},"settles":[0]}`, demand.Version, []string{"expected[0].settles: this check looks at the form", "takes instruction 0 for settled"}, "is not true"},
		{`{"path":"/text","lines":3,"equals":"a\nb\nc","settles":[0]}`, demand.Version, []string{"is not true: it says pass"}, "settle"},
		{`{"path":"/text","lines":4}`, 0, []string{"says pass of the task's check 0 by version 1 of the checks; by version 4 it ends as fail"}, "is not true"},
	} {
		task := `{"instruction":["You should write exactly 3 lines about owls"],"output_schema":{"text":"string"},"expected":[` + c.expected + `]}`
		file, err := casetest.File(casetest.Script{Name: "form", Judges: judges, Documents: casetest.Documents{Task: task}, Rounds: []casetest.Plan{func(int) casetest.Act {
			return casetest.Act{Choice: voting.Accept, Opine: func(o *casefile.Opinion) {
				o.Checks = c.version
				o.Findings = append(o.Findings, casefile.Finding{Check: "specification/instruction[0]", Outcome: casefile.Pass, Detail: settle.Says + "expected[0] settles it", Evidence: []string{}})
			}}
		}}})
		if err != nil {
			t.Fatal(err)
		}
		r := verify.File(file)
		if text := r.String(); !r.OK() || strings.Contains(text, c.not) || slices.ContainsFunc(c.says, func(s string) bool { return !strings.Contains(text, s) }) {
			t.Errorf("%s: %s", c.expected, text)
		}
	}
}
