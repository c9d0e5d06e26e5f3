package arbiter

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"ojud/agent/judge"
	"ojud/ledger/brain"
	"ojud/voting"
)

// asking is a question that is a task, with such checks.
func asking(expected string) string {
	return `{"expected":[` + expected + `],"instruction":["When did the bridge open?"],"output_schema":{"why":"string","year":"number"}}`
}

// TestChecks: code decides an appeal by the checks of a question that is a task, and no other
// judge is asked. A check that fails makes a result wrong that was opened as right. Checks that
// settle all that is asked make a result right that was opened as wrong.
//
// A creator wrote a check that passes the lie which it opens as right, and says that it settles
// everything. Code that took its word would reject the appeal, and the creator would have the
// stake of who appeals. The same with a check that fails the truth, which the creator opens as
// wrong. So checks do not speak for who wrote them: the judge of the settings reads the words.
func TestChecks(t *testing.T) {
	code := judge.NewCode(judge.DefaultLimits())
	t.Cleanup(func() {
		if err := code.Prover().Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
	const year = `{"path":"/year","equals":%d,"settles":[%s]}`
	odd := `{"path":"/year","program":{"javascript":"value %% 2 === %d"},"settles":[0]}`
	for _, x := range []struct {
		name, question string
		worker         int // the results of the first two were opened as right, and all say 1931
		says           voting.Choice
		want           voting.Choice
		asked          bool
	}{
		{"opened as right, and a check fails", asking(fmt.Sprintf(year, 1935, "0")), 0, voting.Accept, voting.Accept, false},
		{"opened as right, and a program says false", asking(fmt.Sprintf(odd, 0)), 0, voting.Accept, voting.Accept, false},
		{"opened as right, and the schema refuses it", strings.Replace(asking(fmt.Sprintf(year, 1931, "0")), `"year":"number"`, `"year":"string"`, 1), 0, voting.Accept, voting.Accept, false},
		{"opened as right, and the creator's check passes it", asking(fmt.Sprintf(year, 1931, "0")), 0, voting.Reject, voting.Accept, true},
		{"the same, and it is right", asking(fmt.Sprintf(year, 1931, "0")), 0, voting.Accept, voting.Reject, true},
		{"opened as wrong, and checks settle it", asking(fmt.Sprintf(year, 1931, "0")), 2, voting.Reject, voting.Accept, false},
		{"opened as wrong, and a program settles it", asking(fmt.Sprintf(odd, 1)), 2, voting.Reject, voting.Accept, false},
		{"opened as wrong, and a check fails", asking(fmt.Sprintf(year, 1935, "0")), 2, voting.Accept, voting.Accept, true},
		{"the same, and it is wrong", asking(fmt.Sprintf(year, 1935, "0")), 2, voting.Reject, voting.Reject, true},
		{"opened as wrong, and the schema refuses it", strings.Replace(asking(fmt.Sprintf(year, 1931, "0")), `"year":"number"`, `"year":"string"`, 1), 2, voting.Accept, voting.Accept, true},
		{"beside the answer, and a check fails", asking(fmt.Sprintf(odd, 0)), 1, voting.Accept, voting.Reject, true},
		{"beside the answer, and it is wrong", asking(fmt.Sprintf(odd, 0)), 1, voting.Reject, voting.Accept, true},
		{"opened as wrong, and nothing is settled", asking(fmt.Sprintf(year, 1931, "")), 2, voting.Reject, voting.Reject, true},
		{"a program that looks at nothing", asking(`{"path":"/year","program":{"javascript":"true"},"settles":[0]}`), 2, voting.Reject, voting.Reject, true},
		{"a sealed check", asking(`{"path":"/year","sealed":"` + strings.Repeat("ab", 32) + `","settles":[0]}`), 2, voting.Reject, voting.Reject, true},
	} {
		k, c, p := opened(t)
		p.Question = []byte(x.question)
		k.Terms = brain.TermsHash(x.question, p.Metadata)
		p.Result = Show(k.Work[x.worker].Agent, []byte(handedIn[x.worker]))
		k.Appeal.Worker = uint8(x.worker + 1)
		var heard judge.Brief
		a := Arbiter{Chain: fake{task: encoded(t, *k), class: classOf(t, c)}, Program: program, Others: says{x.says, &heard, nil}, Code: code}
		o, err := a.Evaluate(t.Context(), briefOf(t, k, p))
		if err != nil || voting.Choice(o.Choice) != x.want || !strings.HasPrefix(o.Summary, fmt.Sprintf("The result of worker %d was opened as", x.worker+1)) {
			t.Errorf("%s: %+v, %v", x.name, o, err)
		}
		if asked := heard.Task.Raw != nil; asked != x.asked || len(heard.Task.Value.Expected) > 0 {
			t.Errorf("%s: the judge of the settings was asked: %v, %s", x.name, asked, heard.Task.Raw)
		}
		if words := "When did the bridge open?"; heard.Task.Raw != nil && x.asked && !strings.Contains(x.question, "sealed") &&
			(heard.Task.Value.Instruction[0] != words || string(heard.Task.Value.OutputSchema) != "{}" || len(heard.Task.Value.InputData) != 1) {
			t.Errorf("%s: the judge was asked %s", x.name, heard.Task.Raw)
		}
	}
}

// TestAttackOtherField: a worker hands in the right year with a further field, which the class
// does not compare, so that the outcome puts its result beside the answer. The schema of the
// question refuses it, and so does a check. Who failed appeals about it. Code that held it
// against the opening would give the bond of a creator whose answer is right to the appellant,
// and nobody would learn from the task. Without a model the court does not decide; with one,
// the appellant loses.
func TestAttackOtherField(t *testing.T) {
	code := judge.NewCode(judge.DefaultLimits())
	t.Cleanup(func() {
		if err := code.Prover().Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
	check := `{"path":"/year","program":{"javascript":"value % 2 === 1"},"settles":[0]}`
	const result = `{"note":1,"why":"After four years of work two firms opened the bridge in spring","year":1931}`
	for _, x := range []struct {
		check string
		model bool
		want  voting.Choice
	}{
		{check, false, voting.Abstain}, {check, true, voting.Reject},
		{check + `,{"path":"/why","min_bytes":80}`, false, voting.Abstain}, {check + `,{"path":"/why","min_bytes":80}`, true, voting.Reject},
	} {
		k, c, p := opened(t)
		k.Work[1].ResultHash = sha256.Sum256([]byte(result))
		p.Question = []byte(asking(x.check))
		k.Terms = brain.TermsHash(string(p.Question), p.Metadata)
		p.Result, k.Appeal.Worker = Show(k.Work[1].Agent, []byte(result)), 2
		var heard judge.Brief
		a := Arbiter{Chain: fake{task: encoded(t, *k), class: classOf(t, c)}, Program: program, Others: code, Code: code}
		if x.model {
			a.Others = says{voting.Accept, &heard, nil}
		}
		o, err := a.Evaluate(t.Context(), briefOf(t, k, p))
		if err != nil || voting.Choice(o.Choice) != x.want {
			t.Errorf("%s, with a model: %v: %+v, %v", x.check, x.model, o, err)
		}
	}
}

// TestChecked: a question is a task if it names checks that code can make from the result alone.
// Any other text is a question in words.
func TestChecked(t *testing.T) {
	const good = `{"path":"/year","equals":1931}`
	for text, want := range map[string]string{
		"When did the bridge open?": "-", `{"year":1931}`: "-", `["expected"]`: "-", "": "-", "{": "-",
		asking(good):     "",
		asking(""):       "expected is empty",
		asking("{}"):     "path",
		asking("1"):      "expected",
		`{"expected":1}`: "instruction",
		asking(`{"path":"/year","sealed":"` + strings.Repeat("ab", 32) + `"}`):                                                "is sealed",
		asking(`{"path":"/year","program":{"wasi":"` + strings.Repeat("ab", 32) + `"}}`):                                      "modules",
		asking(`{"path":"/year","min_count":1,"settles":[0]}`):                                                                "form of a value",
		strings.Replace(asking(good), `"instruction"`, `"data_sources":["x"],"instruction"`, 1):                               "data_sources",
		strings.Replace(asking(good), `"instruction"`, `"input_data":[1`+strings.Repeat(",1", maxGiven)+`],"instruction"`, 1): "256 items",
	} {
		task, checked, err := Checked(text)
		switch {
		case checked == (want == "-"):
			t.Errorf("%.80s: checked is %v, %v", text, checked, err)
		case checked && (want == "") != (err == nil), err != nil && !strings.Contains(err.Error(), want):
			t.Errorf("%.80s: %v, want %q", text, err, want)
		case want == "" && len(task.Value.Expected) != 1:
			t.Errorf("%.80s: %+v", text, task.Value)
		}
	}
}

// FuzzChecked: no question of a stranger does harm, and what is read has checks that code makes
// from the result alone.
func FuzzChecked(f *testing.F) {
	f.Add(asking(`{"path":"/year","equals":1931}`))
	f.Add(`{"expected":1}`)
	f.Fuzz(func(t *testing.T, question string) {
		task, checked, err := Checked(question)
		if k := task.Value; checked && err == nil && (len(k.Expected) == 0 || len(k.DataSources)+len(k.PDA)+len(k.Modules()) > 0) {
			t.Errorf("%q was read", question)
		}
	})
}
