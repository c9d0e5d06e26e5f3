package picture

import (
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/casefile/casetest"
	"ojud/voting"
)

// TestTries: calls that a result has to pass stand in lines that people read, and queries, too.
// Nothing of the check is left out, and what a creator writes adds no line.
func TestTries(t *testing.T) {
	t.Parallel()
	doc, err := casefile.ParseTask([]byte(`{"instruction":["a"],"output_schema":{"a":"string"},"expected":[
		{"path":"/a","tests":{"javascript":[{"function":"median","args":[[4,1, 2,3],"x\ny\u202e<"],"returns": 2.5,"within":0.01},{"function":"f","args":[],"returns":null}]},"settles":[0]},
		{"path":"/a","tests":{"python":[{"function":"g","args":[1],"returns":"b"}]}},
		{"path":"/a","tests":{"sql":[{"tables":{"t":[{"x":1}]},"returns":[[1]]}]}},
		{"path":"/a","min_lines":3}]}`))
	if err != nil {
		t.Fatal(err)
	}
	want := `thing 1, decided by these calls in JavaScript: {"path":"/a","settles":[0]}
  median([4,1,2,3], "x\ny<U+202E><") must return 2.5 within 0.01
  f() must return null
thing 2, decided by these calls in Python: {"path":"/a"}
  g(1) must return "b"
thing 3, decided by these queries in SQL: {"path":"/a"}
  {"tables":{"t":[{"x":1}]},"returns":[[1]]}
{"path":"/a","min_lines":3}`
	if got := expected(doc.Value.Expected); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if doc.Value.Expected[0].Tests == nil {
		t.Error("the document has changed")
	}
}

// TestOrderOfTimes: what happened is in the order of the chain, although clocks of judges differ
// from its clock.
func TestOrderOfTimes(t *testing.T) {
	t.Parallel()
	for _, s := range casetest.Scripts() {
		_, scene := played(t, s)
		for _, off := range []int64{-40, 0, 40} {
			all := Benches(scene)
			for i := range all {
				for k := range all[i].Seats {
					said := &all[i].Seats[k].Said
					said.VotedAt += off
					for n := range said.Committed {
						said.Committed[n].At -= off
					}
				}
			}
			last := ""
			for _, e := range history(scene, all) {
				if e.At != "" && e.At < last {
					t.Errorf("%s, %d: %s stands after %s: %s", s.Name, off, e.At, last, e.Text)
				}
				if e.At != "" {
					last = e.At
				}
			}
			if !strings.Contains(last, ":") {
				t.Errorf("%s: nothing has a time", s.Name)
			}
		}
	}
}

// TestAttackClockOfOneJudge: a judge that lies about the time of its seal moves no time beyond the
// end of the phase.
func TestAttackClockOfOneJudge(t *testing.T) {
	t.Parallel()
	_, scene := played(t, casetest.Scripts()[0])
	all := Benches(scene)
	for n := range all[0].Seats[0].Said.Committed {
		all[0].Seats[0].Said.Committed[n].At = 1 << 50
	}
	if all[0].CommitEnds == 0 || all[0].CommitEnds <= all[0].DrawnAt {
		t.Fatalf("the end of the phase is %d", all[0].CommitEnds)
	}
	for _, counted := range []int64{0, 1 << 51} {
		for _, e := range all[0].votes(counted) {
			if strings.Contains(e.Text, "are sealed") && e.At > Clock(all[0].CommitEnds) {
				t.Errorf("counted at %d: %s %s", counted, e.At, e.Text)
			}
		}
	}
}

// TestAbstainedInWords: a case in which nobody takes a side says what its judges did.
func TestAbstainedInWords(t *testing.T) {
	t.Parallel()
	_, scene := played(t, casetest.Script{Name: "abstained", Judges: 7, Rounds: []casetest.Plan{casetest.All(voting.Abstain)}})
	if got, want := votesOf(scene, Benches(scene)), "0 of 7 judges accept the result, 0 reject it, 7 abstain. "; got != want {
		t.Errorf("%q", got)
	}
}
