package view

import (
	"strings"
	"testing"

	"ojud/casefile/casetest"
	"ojud/casefile/verify"
	"ojud/node/client/compare"
	"ojud/voting"
)

// TestReportPending: a file that lacks only testimony is not said to be faulty.
func TestReportPending(t *testing.T) {
	for pending, want := range map[bool]string{true: "a.json: NOT VERIFIED YET: testimony is still coming", false: "a.json: NOT VERIFIED\n"} {
		var b strings.Builder
		r := verify.Report{Checks: []verify.CheckResult{{Name: verify.CheckTestimony, State: verify.Failed, Pending: pending}}}
		if err := Report("a.json", "a.json", r, compare.Compared{})(&b); err != nil || !strings.HasPrefix(b.String(), want) {
			t.Errorf("pending %t: %v %s", pending, err, b.String())
		}
	}
}

// TestReportPath: the command that the report proposes names the file, also of a case in a page.
func TestReportPath(t *testing.T) {
	var b strings.Builder
	p := &printer{w: &b}
	file, err := casetest.File(casetest.Script{Name: "path", Judges: 40, Rounds: []casetest.Plan{casetest.All(voting.Accept)}})
	if err != nil {
		t.Fatal(err)
	}
	r := verify.File(file)
	p.verdict("the case in it", "x.html", r, compare.Compared{})
	if !strings.Contains(strings.Join(strings.Fields(b.String()), " "), "ojud case verify x.html --chain") {
		t.Errorf("no such command:\n%s", b.String())
	}
}
