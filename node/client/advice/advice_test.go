package advice

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"ojud/casefile"
	"ojud/node/client/owned"
	"ojud/node/library"
	"ojud/voting"
)

// TestWarnings: each term that can cost a worker its pay has a warning with a reason and a fix, and
// fair terms have none.
func TestWarnings(t *testing.T) {
	fair := Deal{Undecided: voting.SplitEscrow, Work: time.Hour, Sources: []SourceHolders{{"site.posts", 2}}, Judges: 4}
	if got := fair.ForWorker().Warnings; len(got) != 0 {
		t.Errorf("fair terms: %+v", got)
	}
	for _, c := range []struct {
		change func(*Deal)
		term   string
		why    string
	}{
		{func(r *Deal) { r.Undecided = voting.RefundCreator }, "on_undecided: refund", "has your work"},
		{func(r *Deal) { r.Sources[0].Staked = 0 }, "data source site.posts", "no judge with a stake"},
		{func(r *Deal) { r.Sources[0].Staked = 1 }, "data source site.posts", "one judge alone"},
		{func(r *Deal) { r.Sources[0].Staked = -1 }, "data source site.posts", "no node could be asked"},
		{func(r *Deal) { r.Doc.Expected = []casefile.Check{{Data: &casefile.Lookup{Source: "site.posts"}}} }, "expected[0].data", "not your result alone"},
		{func(r *Deal) { r.Engine = &ForeignEngine{Name: "PROGRAM"} }, "engine", "PROGRAM"},
		{func(r *Deal) { r.Engine = &ForeignEngine{Fee: "0.000000005 SOL", Agent: "AGENT"} }, "engine", "its fee of 0.000000005 SOL comes out of the loser's bond, and the agent AGENT gets it"},
		{func(r *Deal) { r.Engine = &ForeignEngine{Time: time.Minute} }, "engine", "it has 1m0s from the counter-objection on, and if it says nothing in that time, the court decides"},
		{func(r *Deal) { r.Engine = &ForeignEngine{ByTerms: true} }, "engine", "you and the creator get half of the reward each"},
		{func(r *Deal) { r.Refused = "it is not on your list" }, "engine not allowed", "not on your list"},
		{func(r *Deal) { r.Judges = 3 }, "judges", "only 3 judges"},
		{func(r *Deal) { r.Work = 599 * time.Second }, "work time", "9m59s"},
		{func(r *Deal) { r.Unreadable = library.ErrNoContent }, "the task's document", "no node has it"},
		{func(r *Deal) { r.Unreadable = errors.New(`field "deadline": unknown`) }, "the task's document", `field "deadline": unknown`},
	} {
		r := fair
		r.Sources = []SourceHolders{fair.Sources[0]}
		c.change(&r)
		got := r.ForWorker().Warnings
		if len(got) != 1 || got[0].Term != c.term || !strings.Contains(got[0].Why, c.why) || got[0].Fix == "" && r.Refused == "" {
			t.Errorf("%s: %s", c.term, fmt.Sprintf("%+v", got))
		}
	}
}

// TestNoAppeal: a creator is warned of a court that hears no appeal, and a worker is not stopped.
func TestNoAppeal(t *testing.T) {
	fair := Deal{Undecided: voting.SplitEscrow, Work: time.Hour, Judges: 14}
	for _, c := range []struct {
		judges int
		final  bool
		why    string // empty: no warning
	}{
		{14, false, ""}, {13, false, "only 13 judges may sit"}, {28, true, "no verdict of this court can be appealed"},
	} {
		r := fair
		r.Judges, r.Final = c.judges, c.final
		got := r.ForCreator().Warnings
		if c.why == "" && len(got) != 0 || c.why != "" && (len(got) != 1 || got[0].Term != "no appeal" || !strings.Contains(got[0].Why, c.why)) {
			t.Errorf("%d judges: %+v", c.judges, got)
		}
		if worker := r.ForWorker().Warnings; len(worker) != 0 {
			t.Errorf("%d judges, the worker: %+v", c.judges, worker)
		}
	}
}

// TestUnknownFieldOfATask: a document with a field that no judge knows is warned of, with the name
// of the field.
func TestUnknownFieldOfATask(t *testing.T) {
	_, err := casefile.ParseTask([]byte(`{"instruction":["x"],"output_schema":{"text":"string"},"deadline":7}`))
	got := Deal{Unreadable: err, Undecided: voting.SplitEscrow, Work: time.Hour, Judges: 28}.ForWorker().Warnings
	if len(got) != 1 || !strings.Contains(got[0].Why, "deadline") {
		t.Errorf("%+v", got)
	}
}

// TestWords: a creator is told of instructions that nothing but a reader decides, if most judges of
// the court do not read.
func TestWords(t *testing.T) {
	words := casefile.Task{Instruction: []string{"Translate the text into German.", "Return 7."}}
	words.Expected = []casefile.Check{{Path: "/n", Equals: []byte("7"), Settles: []int{1}}}
	for name, c := range map[string]struct {
		readers int
		engine  *ForeignEngine
		want    string
	}{
		"nobody reads":          {0, nil, "instruction[0]: only judges that read can decide it, because no check of the task settles it, and 0 of 28 judges"},
		"too few read":          {13, nil, "13 of 28 judges"},
		"half of them read":     {14, nil, ""},
		"nobody could be asked": {-1, nil, ""},
		"not the court":         {0, &ForeignEngine{}, ""},
	} {
		got := ""
		for _, w := range (Deal{Doc: words, Engine: c.engine, Undecided: voting.SplitEscrow, Work: time.Hour, Judges: 28, Readers: c.readers}).ForCreator().Warnings {
			if strings.HasPrefix(w.Term, "instruction") {
				got = w.Term + ": " + w.Why
			}
		}
		w, ok := Deal{Doc: words, Engine: c.engine, Judges: 28, Readers: c.readers}.ForClaimant()
		if ok != (c.want != "") || ok && !strings.Contains(w.Why, "the fee is gone") {
			t.Errorf("%s, a claimant: %v %+v", name, ok, w)
		}
		if !strings.HasPrefix(got, c.want) && !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got := (Deal{Doc: words, Undecided: voting.SplitEscrow, Work: time.Hour, Judges: 28}).ForWorker().Warnings; len(got) != 0 {
		t.Errorf("a worker is not asked to agree to it: %+v", got)
	}
}

// TestExampleIsSettled: the example of a task with tests warns its creator of nothing that only a
// reader can decide, because a warning on each honest task teaches to skip it.
func TestExampleIsSettled(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"median.task.json", "python.task.json"} {
		raw, err := os.ReadFile("../../../examples/median/" + name)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := casefile.ParseTask(raw)
		if err != nil {
			t.Fatal(err)
		}
		deal := Deal{Doc: doc.Value, Undecided: voting.SplitEscrow, Work: time.Hour, Judges: 28}
		for _, w := range deal.ForCreator().Warnings {
			if strings.HasPrefix(w.Term, "instruction") {
				t.Errorf("%s: %+v", name, w)
			}
		}
	}
}

// TestAttackTableOfTests: a creator whose open tests settle instructions is told that a table of
// their answers is paid, unless a sealed check settles the same instructions, too.
func TestAttackTableOfTests(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../../examples/median/median.task.json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := casefile.ParseTask(raw)
	if err != nil {
		t.Fatal(err)
	}
	sealed := func(settles ...int) casefile.Check {
		return casefile.Check{Path: "/code", Sealed: new(casefile.Digest), Settles: settles}
	}
	for name, c := range map[string]struct {
		more []casefile.Check
		want bool
	}{"open": {nil, true}, "one of two": {[]casefile.Check{sealed(0)}, true}, "both": {[]casefile.Check{sealed(0), sealed(1)}, false}, "no settles": {[]casefile.Check{sealed()}, true}} {
		task := doc.Value
		task.Expected = slices.Concat(task.Expected, c.more)
		deal := Deal{Doc: task, Undecided: voting.SplitEscrow, Work: time.Hour, Judges: 28}
		warned := slices.ContainsFunc(deal.ForCreator().Warnings, func(w Warning) bool { return w.Term == "expected[0]" && strings.Contains(w.Why, "a table") })
		if warned != c.want {
			t.Errorf("%s: warned %v", name, warned)
		}
	}
}

// TestData: who agrees to a task is told of data of agents that somebody can change.
func TestData(t *testing.T) {
	t.Parallel()
	creator, other := casefile.Address{1}, casefile.Address{2}
	for name, c := range map[string]struct {
		d    owned.Data
		want string // empty: no warning
	}{
		"pinned":                {owned.Data{Owner: creator, Pinned: true, Kept: true, Asked: true}, ""},
		"pinned, and changed":   {owned.Data{Owner: creator, Pinned: true, Asked: true}, "a check reads it, and it is not what the task says"},
		"the creator's":         {owned.Data{Owner: creator}, "judges and you read it, and the creator owns it and can change it after you have delivered"},
		"the creator's, asked":  {owned.Data{Owner: creator, Asked: true}, "a check reads it, and the creator owns it"},
		"somebody's":            {owned.Data{Owner: other}, "its owner, " + other.String() + ", can change it until you hand in"},
		"there is no such data": {owned.Data{}, "there is no such data on the chain"},
		"pinned, and not there": {owned.Data{Pinned: true}, "there is no such data on the chain"},
	} {
		c.d.Place = "pda[0]"
		said := ""
		for _, w := range (Deal{Judges: fewJudges, Work: shortWork, Creator: creator, Data: []owned.Data{c.d}}).ForWorker().Warnings {
			if w.Term == "pda[0]" {
				said += w.Why
			}
		}
		if !strings.Contains(said, c.want) || (said == "") != (c.want == "") {
			t.Errorf("%s: %q", name, said)
		}
	}
}
