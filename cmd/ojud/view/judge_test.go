package view

import (
	"bytes"
	"strings"
	"testing"

	"ojud/node/client"
	"ojud/node/status"
)

// TestStatusOfFullNode: a person sees how many cases wait, in how many the node abstained, and why.
func TestStatusOfFullNode(t *testing.T) {
	v := client.JudgeHere{Node: &status.Judging{Places: 4, AtWork: 4, Waiting: 9, CaseSeconds: 55, Voted: 28, Abstained: []status.Abstention{
		{Reason: status.NoPlace, Cases: 12, Why: "it was full"}, {Reason: status.Undecided, Cases: 1, Why: "it could not tell"},
	}}}
	var b bytes.Buffer
	if err := JudgeHere(v).Write(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"4 of 4 places taken, 9 cases waiting; a case takes about 55s", "28 cases since the node's start", "12 cases: it was full", "1 case: it could not tell",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing:\n%s", want, b.String())
		}
	}
	v.Node = nil
	b.Reset()
	if err := JudgeHere(v).Write(&b); err != nil || strings.Contains(b.String(), "places") {
		t.Errorf("without a node: %v\n%s", err, b.String())
	}
}
