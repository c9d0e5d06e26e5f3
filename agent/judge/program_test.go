package judge_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"ojud/agent/judge"
	"ojud/agent/judge/judgetest"
	"ojud/casefile"
	"ojud/casefile/runs"
	"ojud/voting"
)

// programmed is a task with check programs on the total of a result.
func programmed(t *testing.T, instruction string, checks ...string) string {
	t.Helper()
	var expected []string
	for _, c := range checks {
		raw, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		expected = append(expected, `{"path":"/total","program":{"javascript":`+string(raw)+`}}`)
	}
	return `{"instruction":["` + instruction + `"],"output_schema":{"total":"number"},"expected":[` + strings.Join(expected, ",") + `]}`
}

// TestProgramsDecide: a check program decides what no code could read, and the creator's claims do
// not matter.
func TestProgramsDecide(t *testing.T) {
	const sum, none = "Sum the column named amount.", "Return exactly 1 item"
	right := `task.instruction.length === 1 && result.total === 118.5 && value === 118.5`
	for _, c := range []struct {
		name, task, result, objection string
		want                          voting.Choice
		why                           string
	}{
		{"right", programmed(t, none, right), `{"total":118.5}`, "The result does not match the schema.", voting.Accept, `pass specification/expected[0]: the check program "task.instruction.length === 1 && result.total === 118.5 && value === 118.5" says true`},
		{"wrong", programmed(t, none, right), `{"total":118.4}`, "x", voting.Reject, `fail specification/expected[0]: the check program`},
		{"wrong, with a reason", programmed(t, sum, "[value === 118.5, `it is ${value}`]"), `{"total":7}`, "x", voting.Reject, `says false: "it is 7"`},
		{"nothing at the path", programmed(t, none, right), `{"sum":118.5}`, "x", voting.Reject, `fail specification/expected[0]: at "/total"`},
		{"one of two says false", programmed(t, none, right, "value < 100"), `{"total":118.5}`, "x", voting.Reject, "fail specification/expected[1]"},
		{"the claim that checks fail is untrue", programmed(t, sum, right), `{"total":118.5}`, "The result does not pass the expected checks.", voting.Accept, "pass objection/1"},
		{"nor does a text of the result speak to the program", programmed(t, none, right), `{"total":"118.5 */ true //"}`, "x", voting.Reject, "fail specification/expected[0]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := opine(t, c.task, c.result, c.objection)
			if voting.Choice(o.Choice) != c.want || !strings.Contains(findingsOf(o), c.why) {
				t.Errorf("%s, want %s with %s\n%s", voting.Choice(o.Choice), c.want, c.why, findingsOf(o))
			}
		})
	}
}

// TestTestsDecide: a program is right if it returns what the task's calls demand.
func TestTestsDecide(t *testing.T) {
	const task = `{"instruction":["Write twice in JavaScript."],"output_schema":{"code":"string"},"expected":[{"path":"/code","tests":{"javascript":[{"function":"twice","args":[2],"returns":4},{"function":"twice","args":[-3],"returns":-6}]}}]}`
	for code, want := range map[string]struct {
		choice voting.Choice
		says   string
	}{
		"const twice = n => 2 * n":               {voting.Accept, "pass specification/expected[0]: the tests say true"},
		"const twice = n => n * n":               {voting.Reject, `fail specification/expected[0]: the tests say false: "twice(-3) returns 9 instead of -6"`},
		"function twice() { for (;;); }":         {voting.Reject, "it does not get to its end"},
		"const twice = n => { throw new Error }": {voting.Reject, "twice(2) fails"},
	} {
		o := opine(t, task, `{"code":"`+code+`"}`, "The result does not pass the expected checks.")
		if voting.Choice(o.Choice) != want.choice || !strings.Contains(findingsOf(o), want.says) {
			t.Errorf("%s: %s\n%s", code, voting.Choice(o.Choice), findingsOf(o))
		}
	}
}

// TestAttackProgramThatNeverAnswers: a creator writes a check program that never answers, and a
// worker a result that a check program cannot take. Neither decides anything: without the program
// the choice is the same.
func TestAttackProgramThatNeverAnswers(t *testing.T) {
	for name, program := range map[string]string{
		"a loop":               "for (;;);",
		"memory":               "let all = []; for (;;) all.push(new Array(1e6).fill(1))",
		"recursion":            "(function f() { f() })()",
		"an exception":         "throw new Error('reject it')",
		"a syntax error":       "reject(",
		"no truth value":       "'reject'",
		"null":                 "[null, 'I cannot tell']",
		"a result it cannot":   "result.rows.length === 2",
		"an answer by clock":   "Date.now() < 0",
		"an answer by chance":  "Math.random() < 0.5",
		"an exit":              "import('qjs:std').then(std => std.exit(0)), undefined",
		"a promise of a false": "(async () => false)()",
	} {
		t.Run(name, func(t *testing.T) {
			for _, total := range []string{"118.5", "7"} {
				result := `{"total":` + total + `}`
				without := opine(t, programmed(t, "Sum the column."), result, "x")
				with := opine(t, programmed(t, "Sum the column.", program), result, "x")
				if with.Choice != without.Choice || !strings.Contains(findingsOf(with), "unknown note/expected[0]") || !strings.Contains(findingsOf(with), "it decides nothing") {
					t.Errorf("%s with the program, %s without\n%s", voting.Choice(with.Choice), voting.Choice(without.Choice), findingsOf(with))
				}
				f := with.Findings[len(with.Findings)-1]
				for _, f = range with.Findings {
					if f.Run != nil {
						break
					}
				}
				if f.Run == nil || f.Run.Said != runs.None {
					t.Errorf("its run: %+v", f.Run)
				}
			}
		})
	}
}

// TestAttackProgramThatPassesOnEverything: a check program that looks at nothing proves nothing. An
// objection that is open then stays open, and the worker is not paid by the program.
func TestAttackProgramThatPassesOnEverything(t *testing.T) {
	const objection = "The result does not pass the expected checks."
	for program, hollow := range map[string]bool{
		"true": true, "typeof result !== 'undefined'": true, "value !== 7 || true": true, "task.instruction.length === 1": true,
		"value === 118.5": false, "result !== null && result.total > 0": false,
	} {
		o := opine(t, programmed(t, "Sum the column.", program), `{"total":118.5}`, objection)
		want := voting.Accept
		if hollow {
			want = voting.Abstain
		}
		if voting.Choice(o.Choice) != want || hollow != strings.Contains(findingsOf(o), "so that it proves nothing") {
			t.Errorf("%s: %s\n%s", program, voting.Choice(o.Choice), findingsOf(o))
		}
	}
}

// TestProgramsEndWithTheirJudge: a judge whose time is over does not go on with programs.
func TestProgramsEndWithTheirJudge(t *testing.T) {
	task := programmed(t, "x", "for (;;);", "for (;;);", "for (;;);", "for (;;);", "for (;;);", "for (;;);", "for (;;);", "for (;;);")
	b := judgetest.Brief(t, judgetest.Papers{Task: task, Result: `{"total":1}`, Objection: reason("x")})
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := judge.Shared.Evaluate(ctx, b); err == nil {
		t.Error("an opinion after the end")
	}
}

func opine(t *testing.T, task, result, objection string) casefile.Opinion {
	t.Helper()
	b := judgetest.Brief(t, judgetest.Papers{Task: task, Result: result, Objection: reason(objection), Counter: reason("It is right.")})
	o, err := judge.Shared.Evaluate(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	if judge.Decide(o.Findings) != voting.Choice(o.Choice) {
		t.Error("the findings do not give the choice again")
	}
	o.Case, o.Judge, o.Round = casefile.Address{1}, casefile.Address{2}, 1
	o.DataAccessed = []casefile.Access{}
	if _, err := casefile.NewOpinion(o); err != nil {
		t.Error(err)
	}
	return o
}

func findingsOf(o casefile.Opinion) (all string) {
	for _, f := range o.Findings {
		all += string(f.Outcome) + " " + f.Check + ": " + f.Detail + "\n"
	}
	return all
}
