package panel_test

import (
	"slices"
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/casefile/casetest"
	"ojud/casefile/panel"
	"ojud/voting"
)

// TestHistory: the newest rounds in which at least two of the panel chose a side, each once, never
// those of the case itself.
func TestHistory(t *testing.T) {
	judges := []casefile.Address{{1}, {2}, {3}}
	var seen []panel.DecidedRound
	for i := range 300 {
		p := panel.DecidedRound{Case: casefile.Address(casetest.Key("case:%d", i)), Round: 1, At: int64(i), Verdict: casefile.Verdict(voting.ForWorker)}
		for k, j := range []casefile.Address{{3}, {9}, {1}} {
			p.Votes = append(p.Votes, panel.DecidedVote{Judge: j, Choice: casefile.Choice([]voting.Choice{voting.Reject, voting.Accept, voting.Accept}[k])})
		}
		seen = append(seen, p)
	}
	lone := panel.DecidedRound{Case: casefile.Address{7}, Round: 1, At: 999, Verdict: casefile.Verdict(voting.ForWorker), Votes: seen[0].Votes[:2]}
	this := seen[299].Case
	rows := panel.History(this, judges, append(slices.Clone(seen), lone))
	if len(rows) != casefile.MaxHistory || rows[0].Choices != "a-r" {
		t.Fatalf("%d rows, %+v", len(rows), rows[0])
	}
	for _, r := range rows {
		i := slices.IndexFunc(seen, func(p panel.DecidedRound) bool { return p.Case == r.Case })
		if i < 299-casefile.MaxHistory || i == 299 {
			t.Errorf("case %d of 300 is in it", i)
		}
	}
	if !slices.IsSortedFunc(rows, func(a, b casefile.PanelRow) int { return strings.Compare(a.Case.String(), b.Case.String()) }) {
		t.Error("not sorted")
	}
}
