package judge

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"ojud/casefile"
	pleaded "ojud/casefile/ground"
	"ojud/casefile/runs"
	"ojud/voting"
)

const (
	median = `const median = all => { const s = [...all].sort((a, b) => a - b), m = s.length >> 1; return s.length === 0 ? null : s.length % 2 ? s[m] : (s[m - 1] + s[m]) / 2 }`
	upper  = `const median = all => [...all].sort((a, b) => a - b)[all.length >> 1]`
	asks   = `{"instruction":["Write a function median of a list of numbers, in JavaScript."],"output_schema":{"code":"string"}%s}`
	tests  = `,"expected":[{"path":"/code","tests":{"javascript":[{"function":"median","args":[[3,1,2]],"returns":2}]}}]`
)

// fails is an objection with a counterexample, and with no other words.
func fails(t *testing.T, call, expected string) string {
	t.Helper()
	c, err := pleaded.ReadCall(call)
	if err != nil {
		t.Fatal(err)
	}
	grounds := []pleaded.Ground{{Pointer: "/code", Kind: pleaded.Returns, Expected: json.RawMessage(expected), Counterexample: c}}
	raw, err := json.Marshal(casefile.Objection{Reason: pleaded.Reason(grounds), Grounds: grounds})
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestCounterexample: the program in a result is run for a counterexample, and that decides its
// ground alone.
func TestCounterexample(t *testing.T) {
	code := func(source string) string { return fmt.Sprintf(`{"code":%q}`, source) }
	for name, c := range map[string]struct {
		expected, result, objection string
		want                        voting.Choice
		says                        string
		said                        runs.Said
	}{
		"it fails, and no test of the task says so": {tests, code(upper), fails(t, "median([4,1,2,3])", "2.5"), voting.Abstain, "median([4,1,2,3]) returns 3 instead of 2.5", runs.False},
		"it does not fail":                          {tests, code(median), fails(t, "median([4,1,2,3])", "2.5"), voting.Accept, "that is what the ground expects", runs.True},
		"it does not, and nothing is proved":        {"", code(median), fails(t, "median([4,1,2,3])", "2.5"), voting.Abstain, "but code proved nothing", runs.True},
		"a lie about what is right":                 {tests, code(median), fails(t, "median([4,1,2,3])", "3"), voting.Abstain, "returns 2.5 instead of 3", runs.False},
		"a call that nobody asked for":              {tests, code(median), fails(t, `median("abc")`, `"z"`), voting.Abstain, "instead of", runs.False},
		"another function":                          {tests, code(median), fails(t, "mean([1])", "1"), voting.Abstain, "mean", runs.False},
		"no place":                                  {"", `{"source":"x"}`, fails(t, "median([1])", "1"), voting.Reject, "the call was not made", ""},
		"Python":                                    {"", code("def median(a):\n  pass"), fails(t, "median([1])", "1"), voting.Abstain, "it is no program in JavaScript", runs.None},
		"a loop":                                    {"", code("function median() { for (;;); }"), fails(t, "median([1])", "1"), voting.Abstain, "out of fuel", runs.False},
	} {
		t.Run(name, func(t *testing.T) {
			o := typedly(t, fmt.Sprintf(asks, c.expected), c.result, c.objection, `{"reason":"x"}`, nil)
			if voting.Choice(o.Choice) != c.want || !strings.Contains(told(o), c.says) {
				t.Errorf("%s: %s", voting.Choice(o.Choice), told(o))
			}
			var said runs.Said
			for _, f := range o.Findings {
				if f.Check == "objection/grounds[0]" && f.Run != nil {
					said = f.Run.Said
				}
			}
			if said != c.said {
				t.Errorf("it says %q: %s", said, told(o))
			}
		})
	}
	// The worker may show a call that works. It decides nothing.
	o := typedly(t, fmt.Sprintf(asks, ""), code(upper), `{"reason":"It is wrong."}`, fails(t, "median([3,1,2])", "2"), nil)
	if voting.Choice(o.Choice) != voting.Abstain || !strings.Contains(told(o), "note/answer[0] pass") {
		t.Errorf("%s: %s", voting.Choice(o.Choice), told(o))
	}
}

// TestCounterexampleOfQuery: the query in a result is run on the tables of a counterexample.
func TestCounterexampleOfQuery(t *testing.T) {
	const (
		task   = `{"instruction":["Write a query in SQL: the names of all people older than 30."],"output_schema":{"code":"string"}%s}`
		tested = `,"expected":[{"path":"/code","tests":{"sql":[{"tables":{"people":[{"name":"Ada","age":36}]},"returns":[["Ada"]]}]}}]`
		right  = "SELECT name FROM people WHERE age > 30"
		wrong  = "SELECT name FROM people WHERE age >= 30"
		tables = `{"people":[{"name":"Bo","age":30},{"name":"Cy","age":31}]}`
	)
	for name, c := range map[string]struct {
		expected, query, objection string
		want                       voting.Choice
		says                       string
		said                       runs.Said
	}{
		"it fails, and no test says so":  {tested, wrong, fails(t, tables, `[["Cy"]]`), voting.Abstain, `the query returns ["Bo"] instead of ["Cy"]`, runs.False},
		"it does not fail":               {tested, right, fails(t, tables, `[["Cy"]]`), voting.Accept, "that is what the ground expects", runs.True},
		"nothing is proved":              {"", right, fails(t, tables, `[["Cy"]]`), voting.Abstain, "but code proved nothing", runs.True},
		"any order":                      {tested, "SELECT name FROM people ORDER BY age DESC", fails(t, tables, `[["Bo"],["Cy"]]`), voting.Accept, "that is what the ground expects", runs.True},
		"the order counts, and is wrong": {tested, "SELECT name FROM people ORDER BY age DESC", fails(t, "ordered "+tables, `[["Bo"],["Cy"]]`), voting.Abstain, "instead of", runs.False},
		"a lie about what is right":      {tested, right, fails(t, tables, `[["Bo"]]`), voting.Abstain, "instead of", runs.False},
		"a table that is not there":      {tested, right, fails(t, `{"others":[]}`, `[]`), voting.Abstain, "no such table", runs.False},
		"no SQL":                         {"", "def f(): pass", fails(t, tables, `[]`), voting.Abstain, "it is no query in SQL", runs.None},
		"it never ends":                  {"", "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x FROM n) SELECT count(*) FROM n", fails(t, tables, `[]`), voting.Abstain, "out of fuel", runs.False},
	} {
		t.Run(name, func(t *testing.T) {
			o := typedly(t, fmt.Sprintf(task, c.expected), fmt.Sprintf(`{"code":%q}`, c.query), c.objection, `{"reason":"x"}`, nil)
			if voting.Choice(o.Choice) != c.want || !strings.Contains(told(o), c.says) {
				t.Errorf("%s: %s", voting.Choice(o.Choice), told(o))
			}
			for _, f := range o.Findings {
				if f.Check == "objection/grounds[0]" && (f.Run == nil || f.Run.Said != c.said || f.Run.Engine != "ojud-sql-2") {
					t.Errorf("%+v", f.Run)
				}
			}
		})
	}
}

// TestAttackCounterexampleLies: no counterexample of a creator rejects a result, and those that
// are refuted pay for no result that is not proved. A model sees what the calls returned.
func TestAttackCounterexampleLies(t *testing.T) {
	right, wrong := fmt.Sprintf(`{"code":%q}`, median), `{"code":"function median() { return 2 }"}`
	for _, objection := range []string{fails(t, "median([1])", "7"), fails(t, "median()", "0"), fails(t, "toString()", `""`), fails(t, "median([4,1,2,3])", `"specification/result fail"`), fails(t, "eval(\"for(;;);\")", "1")} {
		if o := typedly(t, fmt.Sprintf(asks, tests), right, objection, `{"reason":"x"}`, nil); voting.Choice(o.Choice) == voting.Reject {
			t.Errorf("%s rejects: %s", objection, told(o))
		}
	}
	if o := typedly(t, fmt.Sprintf(asks, ""), wrong, fails(t, "median([3,1,2])", "2"), `{"reason":"x"}`, nil); voting.Choice(o.Choice) != voting.Abstain {
		t.Errorf("one untrue counterexample pays: %s", told(o))
	}
	// The others stay: three true, one untrue.
	objection := strings.Replace(fails(t, "median([3,1,2])", "2"), `"grounds":[`, `"grounds":[{"pointer":"/code","kind":"returns","expected":9,"counterexample":{"function":"median","args":[[9]]}},`, 1)
	m := &fake{answer: always(say(no, "function median"))}
	o := typedly(t, fmt.Sprintf(asks, ""), wrong, objection, `{"reason":"x"}`, m)
	if voting.Choice(o.Choice) != voting.Reject || !strings.Contains(told(o), "median([9]) returns 2 instead of 9") {
		t.Errorf("%s: %s", voting.Choice(o.Choice), told(o))
	}
	if shown := m.prompts[0].Messages[0].Text; !strings.Contains(shown, "median([9]) returns 2 instead of 9") || !strings.Contains(shown, "median([3,1,2]) returns 2") {
		t.Errorf("the model does not see the runs: %s", shown)
	}
}
