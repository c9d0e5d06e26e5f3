package why_test

import (
	"strings"
	"testing"
	"time"

	"ojud/casefile"
	"ojud/casefile/casetest"
	"ojud/casefile/reading"
	"ojud/node/why"
	"ojud/voting"
)

// TestLargeCourt: a judge of the largest court learns with what chance it was not drawn. A judge
// that nobody knows could not be drawn. If the lists of candidates are not in the record, neither
// is said.
func TestLargeCourt(t *testing.T) {
	w, err := casetest.Build(casetest.Script{Name: "large", Judges: voting.MaxJudges, Rounds: []casetest.Plan{casetest.All(voting.Accept)}})
	if err != nil {
		t.Fatal(err)
	}
	record, err := reading.Log(w.Log, w.Store)
	if err != nil {
		t.Fatal(err)
	}
	d := record.Rounds[0].Draw.Value
	seated := map[casefile.Address]bool{}
	for _, c := range d.Candidates {
		seated[c.Judge] = true
	}
	undrawn := casefile.Address(w.Judges[0].Authority)
	for i := 0; seated[undrawn]; i++ {
		undrawn = casefile.Address(w.Judges[i].Authority)
	}
	explain := func(judge casefile.Address, code why.Code) string {
		began := time.Now()
		e := why.Explain(why.Facts{Case: record.Case, Judge: judge, Record: &record, Source: "case.json"})
		t.Logf("%s took %v", code, time.Since(began))
		for _, line := range e.Lines {
			if line.Code == code {
				return line.Text
			}
		}
		t.Errorf("%s is not said: %+v", code, e.Lines)
		return ""
	}
	if text := explain(undrawn, why.NotDrawn); !strings.Contains(text, "28 of the 10240") || !strings.Contains(text, "about 0.") {
		t.Error(text)
	}
	if text := explain(casefile.Address{7}, why.Ineligible); !strings.Contains(text, "10240") {
		t.Error(text)
	}
	w.Store.Lose(voting.Hash(d.Lists[2]))
	if text := explain(undrawn, why.Undrawn); !strings.Contains(text, "not known here") {
		t.Error(text)
	}
}
