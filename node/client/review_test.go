package client

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/ledger/onchain"
	"ojud/node/library"
	"ojud/voting"
)

// TestWarnings: each term that can cost a worker its pay has a warning with a reason and a fix, and
// fair terms have none.
func TestWarnings(t *testing.T) {
	fair := reviewed{undecided: voting.SplitEscrow, workSeconds: 3600, sources: []SourceHolders{{"site.posts", 2}}, judges: 4}
	if got := fair.warnings(); len(got) != 0 {
		t.Errorf("fair terms: %+v", got)
	}
	for _, c := range []struct {
		change func(*reviewed)
		term   string
		why    string
	}{
		{func(r *reviewed) { r.undecided = voting.RefundCreator }, "on_undecided: refund", "has your work"},
		{func(r *reviewed) { r.sources[0].Staked = 0 }, "data source site.posts", "no judge with a stake"},
		{func(r *reviewed) { r.sources[0].Staked = 1 }, "data source site.posts", "one judge alone"},
		{func(r *reviewed) { r.sources[0].Staked = -1 }, "data source site.posts", "no node could be asked"},
		{func(r *reviewed) { r.doc.Expected = []casefile.Check{{Data: &casefile.Lookup{Source: "site.posts"}}} }, "expected[0].data", "not your result alone"},
		{func(r *reviewed) { r.engine = &EngineView{Engine: onchain.Address{7}.String()} }, "engine", onchain.Address{7}.String()},
		{func(r *reviewed) { r.engine = &EngineView{Fee: 5, Agent: "AGENT"} }, "engine", "its fee of 0.000000005 SOL comes out of the loser's bond, and the agent AGENT gets it"},
		{func(r *reviewed) { r.engine = &EngineView{Seconds: 60, Silence: "court"} }, "engine", "it has 1m0s from the counter-objection on, and if it says nothing in that time, the court decides"},
		{func(r *reviewed) { r.engine = &EngineView{Silence: "term"} }, "engine", "you and the creator get half of the reward each"},
		{func(r *reviewed) { r.refused = "it is not on your list" }, "engine not allowed", "not on your list"},
		{func(r *reviewed) { r.judges = 3 }, "judges", "only 3 judges"},
		{func(r *reviewed) { r.workSeconds = 599 }, "work time", "9m59s"},
		{func(r *reviewed) { r.unreadable = library.ErrNoContent }, "the task's document", "no node has it"},
		{func(r *reviewed) { r.unreadable = errors.New(`field "deadline": unknown`) }, "the task's document", `field "deadline": unknown`},
	} {
		r := fair
		r.sources = []SourceHolders{fair.sources[0]}
		c.change(&r)
		got := r.warnings()
		if len(got) != 1 || got[0].Term != c.term || !strings.Contains(got[0].Why, c.why) || got[0].Fix == "" && r.refused == "" {
			t.Errorf("%s: %s", c.term, fmt.Sprintf("%+v", got))
		}
	}
}

// TestUnknownFieldOfATask: a document with a field that no judge knows is warned of, with the name
// of the field.
func TestUnknownFieldOfATask(t *testing.T) {
	_, err := casefile.ParseTask([]byte(`{"instruction":["x"],"output_schema":{"text":"string"},"deadline":7}`))
	got := reviewed{unreadable: err, undecided: voting.SplitEscrow, workSeconds: 3600, judges: 28}.warnings()
	if len(got) != 1 || !strings.Contains(got[0].Why, "deadline") {
		t.Errorf("%+v", got)
	}
}
