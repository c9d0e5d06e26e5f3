package view

import (
	"strings"
	"testing"

	"ojud/casefile/verify"
	"ojud/node/client/compare"
)

// TestReportPending: a file that lacks only testimony is not said to be faulty.
func TestReportPending(t *testing.T) {
	for pending, want := range map[bool]string{true: "a.json: NOT VERIFIED YET: testimony is still coming", false: "a.json: NOT VERIFIED\n"} {
		var b strings.Builder
		r := verify.Report{Checks: []verify.CheckResult{{Name: verify.CheckTestimony, State: verify.Failed, Pending: pending}}}
		if err := Report("a.json", r, compare.Compared{})(&b); err != nil || !strings.HasPrefix(b.String(), want) {
			t.Errorf("pending %t: %v %s", pending, err, b.String())
		}
	}
}
