package proof

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/casefile/ground"
	"ojud/casefile/runs"
	"ojud/voting"
)

// run runs the only check of a task on a result.
func run(t *testing.T, p *Prover, check, result string) (runs.Run, error) {
	t.Helper()
	task, err := casefile.ParseTask([]byte(`{"instruction":["x"],"output_schema":{},"expected":[` + check + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := casefile.ParseResult([]byte(result))
	if err != nil {
		t.Fatal(err)
	}
	return p.Run(t.Context(), task.Value, 0, Papers{Task: task.Raw, Result: doc.Raw})
}

func prover(t *testing.T) *Prover {
	t.Helper()
	p := new(Prover)
	t.Cleanup(func() {
		if err := p.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
	return p
}

// TestAttackTestedCode: a worker hands in a program that is wrong, that attacks what tests it, or
// that never ends. The creator's part is no code, so everything but the right answers is false.
func TestAttackTestedCode(t *testing.T) {
	p := prover(t)
	const check = `{"path":"/code","tests":{"javascript":[` +
		`{"function":"median","args":[[3,1,2]],"returns":2},{"function":"median","args":[[4,1,2,3]],"returns":2.5},{"function":"median","args":[[]],"returns":null}]}}`
	const right = "const median = all => { const s = [...all].sort((a, b) => a - b), m = s.length >> 1; return s.length === 0 ? null : s.length % 2 ? s[m] : (s[m - 1] + s[m]) / 2 }"
	for _, c := range []struct {
		name, code string
		said       runs.Said
		why        string
	}{
		{"right", right, runs.True, "3 of 3 calls return what they should"},
		{"right, as a function and with a last comment", strings.Replace(right, "const median = all =>", "function median(all)", 1) + " // done", runs.True, "3 of 3 calls"},
		{"an upper middle", strings.Replace(right, "s.length % 2 ? s[m] : (s[m - 1] + s[m]) / 2", "s[m]", 1), runs.False, "median([4,1,2,3]) returns 3 instead of 2.5"},
		{"a text instead of a number", "function median() { return '2' }", runs.False, `median([3,1,2]) returns "2" instead of 2`},
		{"a loop", "function median() { for (;;); }", runs.False, "median([3,1,2]) fails: it does not get to its end: out of fuel"},
		{"a loop outside", "for (;;);", runs.False, "out of fuel"},
		{"all memory", "let a = []; for (;;) a.push(new Array(1e6).fill(1))", runs.False, "out of memory"},
		{"an exception", "function median(all) { return all.nothing.there }", runs.False, "fails: TypeError"},
		{"no such function", "function mean() { return 2 }", runs.False, "median"},
		{"no function", "const median = 2", runs.False, "there is no function median"},
		{"nothing returned", "function median() {}", runs.False, "returns nothing that JSON can say"},
		{"a promise", "async function median() { return 2 }", runs.False, "it returns [object Promise], which JSON cannot say"},
		{"a syntax error", "function median( {", runs.False, "fails: SyntaxError"},
		{"JSON replaced", "JSON.stringify = () => '2'; Array.prototype.join = () => 'V2'; function median() { return 3 }", runs.False, "returns 3 instead of 2"},
		{"the text of the ending", "2) } catch {} return 'V2' //", runs.False, "fails: SyntaxError"},
		{"no number for nothing", strings.Replace(right, "s.length === 0 ? null : ", "", 1), runs.False, "median([]) fails: it returns NaN, which JSON cannot say"},
		{"toJSON", "function median() { return {toJSON() { return 7 }} }", runs.False, "it returns a function, which JSON cannot say"},
		{"gigabytes", "function median() { return 'x'.repeat(1e6) }", runs.False, "it returns too much"},
		{"nothing", " ", runs.False, "the program has 1 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			raw, err := json.Marshal(map[string]string{"code": c.code})
			if err != nil {
				t.Fatal(err)
			}
			got, err := run(t, p, check, string(raw))
			if err != nil || got.Said != c.said || !strings.Contains(got.Why, c.why) {
				t.Errorf("%+v, %v", got, err)
			}
			if got.Fuel > 2_000_000_000 {
				t.Errorf("all calls together used %d", got.Fuel)
			}
		})
	}
	if got, err := run(t, p, check, `{"code":7}`); err != nil || got.Said != runs.False || !strings.Contains(got.Why, "not a string") {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestAttackTestedQuery: a worker hands in a query that is wrong, that attacks what tests it, or
// that never ends. Everything but the right rows is false.
func TestAttackTestedQuery(t *testing.T) {
	p := prover(t)
	const check = `{"path":"/sql","tests":{"sql":[` +
		`{"tables":{"orders":[{"who":"ann","sum":3},{"who":"bob","sum":4},{"who":"ann","sum":1.5}],"people":[{"who":"ann"},{"who":"bob"},{"who":"cy"}]},` +
		`"returns":[["ann",4.5],["bob",4],["cy",0]],"ordered":true},{"tables":{"orders":[{"who":"x","sum":0}],"people":[{"who":"x"},{"who":"é"}]},"returns":[["é",0],["x",0]]}]}}`
	const right = "SELECT p.who, coalesce(sum(o.sum), 0) FROM people p LEFT JOIN orders o USING (who) GROUP BY p.who ORDER BY p.who"
	for _, c := range []struct {
		name, sql string
		said      runs.Said
		why       string
	}{
		{"right", right, runs.True, "2 of 2 tests return the rows"},
		{"right, in other words", "WITH s AS (SELECT who, sum(sum) AS s FROM orders GROUP BY who) SELECT who, ifnull((SELECT s FROM s WHERE s.who = people.who), 0) FROM people ORDER BY 1;", runs.True, ""},
		{"no row for cy", strings.Replace(right, "LEFT ", "", 1), runs.False, `test 0: the query returns 2 rows instead of 3; ["cy",0] is missing`},
		{"another order", right + " DESC", runs.False, `test 0: the query returns ["cy",0] instead of ["ann",4.5]`},
		{"the rows of the first test", "VALUES ('ann', 4.5), ('bob', 4), ('cy', 0)", runs.False, "test 1:"},
		{"texts instead of numbers", strings.Replace(right, "coalesce(sum(o.sum), 0)", "'' || coalesce(sum(o.sum), 0)", 1), runs.False, `["ann","4.5"] instead of ["ann",4.5]`},
		{"too many rows", "SELECT a.who, b.who FROM people a, people b", runs.False, "returns"},
		{"an endless query", "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT i, i FROM n", runs.False, "returns too much"},
		{"an endless query without rows", "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT i, i FROM n WHERE i > 1", runs.False, "out of fuel"},
		{"what the creator expects", "SELECT * FROM expected", runs.False, "no such table: expected"},
		{"a change", "DELETE FROM orders", runs.False, "has no statements that change something"},
		{"the clock", "SELECT who, strftime('%s') FROM people", runs.False, "has no clock"},
		{"a blob", "SELECT x'00', 1", runs.False, "a blob, which JSON cannot say"},
		{"an infinity", "SELECT 'ann', 1e999", runs.False, "a number that JSON cannot say"},
		{"no column", "SELECT who, nowhere FROM people", runs.False, "no such column: nowhere"},
		{"two queries", right + "; " + right, runs.False, "more than one statement"},
		{"nothing", " ", runs.False, "the program has 1 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			raw, err := json.Marshal(map[string]string{"sql": c.sql})
			if err != nil {
				t.Fatal(err)
			}
			got, err := run(t, p, check, string(raw))
			if err != nil || got.Said != c.said || !strings.Contains(got.Why, c.why) || got.Engine != "ojud-sql-2" {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
	if got, err := run(t, p, check, `{"sql":7}`); err != nil || got.Said != runs.False || !strings.Contains(got.Why, "not a string") {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestSQLPrograms: a program in SQL says true, false or none, and one that looks at nothing is
// hollow.
func TestSQLPrograms(t *testing.T) {
	p := prover(t)
	for _, c := range []struct {
		sql    string
		said   runs.Said
		hollow bool
	}{
		{"SELECT sum(n) = 6, 'they add up to ' || sum(n) FROM value", runs.True, false},
		{"SELECT count(*) = 0 FROM value WHERE n > 2", runs.False, false},
		{"SELECT count(*) = 0 FROM value WHERE nowhere > 2", runs.True, false},
		{"SELECT count(*) = 3 FROM value WHERE nowhere IS NULL", runs.True, false},
		{"SELECT 1", runs.True, true},
		{"SELECT", runs.None, false},
	} {
		raw, err := json.Marshal(c.sql)
		if err != nil {
			t.Fatal(err)
		}
		check := `{"path":"/rows","program":{"sql":` + string(raw) + `}}`
		got, err := run(t, p, check, `{"rows":[{"n":1},{"n":2},{"n":3}]}`)
		if err != nil || got.Said != c.said {
			t.Errorf("%s: %+v, %v", c.sql, got, err)
		}
		task, err := casefile.ParseTask([]byte(`{"instruction":["x"],"output_schema":{},"expected":[` + check + `]}`))
		if err != nil {
			t.Fatal(err)
		}
		if hollow, err := p.Hollow(t.Context(), task.Value, 0, Papers{Task: task.Raw}); err != nil || hollow != c.hollow {
			t.Errorf("%s: hollow %v, %v", c.sql, hollow, err)
		}
	}
}

// TestAttackLargeResult: a worker fills a result with characters that grow when they are written,
// so that the program's input would be too large. It is not.
func TestAttackLargeResult(t *testing.T) {
	p := prover(t)
	for _, c := range []string{"<", "&", "\\\"", "\\\\", "\\u0001", "é"} {
		many := (casefile.MaxDocument - 100) / max(len(c), 1)
		if c == "\\u0001" {
			many = (casefile.MaxDocument - 100) / 6
		}
		got, err := run(t, p, `{"path":"/text","program":{"javascript":"value.length > 1000 && value === result.text"}}`, `{"text":"`+strings.Repeat(c, many)+`"}`)
		if err != nil || got.Said != runs.True {
			t.Errorf("%q: %+v, %v", c, got, err)
		}
	}
}

// TestPlace: nothing at the path is an error of its own class, which says so.
func TestPlace(t *testing.T) {
	_, err := run(t, prover(t), `{"path":"/sum","program":{"javascript":"true"}}`, `{"total":1}`)
	var place ErrPlace
	if !errors.As(err, &place) || !strings.Contains(err.Error(), "sum") {
		t.Errorf("%v", err)
	}
}

// TestCounterexample: a counterexample says whether a program returns what its ground expects, and
// nothing else. One that lies about the result, or whose call makes a program fail, says false.
func TestCounterexample(t *testing.T) {
	p := prover(t)
	const mean = "function mean(a) { return a.reduce((x, y) => x + y, 0) / a.length }"
	for _, c := range []struct {
		name, code, call, expected string
		said                       runs.Said
		why                        string
	}{
		{"as expected", mean, "mean([1, 2])", "1.5", runs.True, "mean([1,2]) returns 1.5"},
		{"the same number", mean, "mean([1])", "1.0", runs.True, "mean([1]) returns 1.0"},
		{"another", mean, "mean([1, 2])", "2", runs.False, "mean([1,2]) returns 1.5 instead of 2"},
		{"nothing that JSON can say", mean, "mean([])", "0", runs.False, "mean([]) fails: it returns NaN, which JSON cannot say"},
		{"nothing that JSON can say, and nothing is expected", mean, "mean([])", "null", runs.False, "mean([]) fails: it returns NaN, which JSON cannot say"},
		{"a call that fails", mean, "mean(null)", "0", runs.False, "fails: TypeError"},
		{"no such function", mean, "median([1])", "1", runs.False, "median"},
		{"a loop", "function mean() { for (;;); }", "mean([1])", "1", runs.False, "out of fuel"},
		{"Python", "def mean(a):\n    return sum(a) / len(a)", "mean([1])", "1", runs.None, "it is no program in JavaScript: mean([1]) fails: SyntaxError"},
		{"no text", "", "mean([1])", "1", runs.False, "the program has 0 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			call, err := ground.ReadCall(c.call)
			raw, bad := json.Marshal(map[string]string{"code": c.code})
			if err != nil || bad != nil {
				t.Fatal(err, bad)
			}
			g := ground.Ground{Pointer: "/code", Kind: ground.Returns, Expected: json.RawMessage(c.expected), Counterexample: call}
			run, err := p.Counterexample(t.Context(), casefile.Task{}, "objection", 2, g, raw)
			if err != nil || run.Said != c.said || !strings.Contains(run.Why, c.why) || run.Of != "objection:/grounds/2" || run.Fuel > 500_000_000+1000 {
				t.Errorf("%+v, %v", run, err)
			}
		})
	}
	g := ground.Ground{Pointer: "/sum", Kind: ground.Returns, Expected: json.RawMessage("1"), Counterexample: &ground.Counterexample{Function: "f"}}
	var place ErrPlace
	if _, err := p.Counterexample(t.Context(), casefile.Task{}, "objection", 0, g, []byte(`{"code":"x"}`)); !errors.As(err, &place) {
		t.Errorf("%v", err)
	}
	if run, err := p.Counterexample(t.Context(), casefile.Task{}, "objection", 0, g, []byte(`{"sum":7}`)); err != nil || run.Said != runs.None {
		t.Errorf("%+v, %v", run, err)
	}
}

// FuzzCounterexample makes a counterexample's call on any program, with little fuel.
func FuzzCounterexample(f *testing.F) {
	f.Add("function f(a) { return a }", "f(1)", "1")
	f.Add("f = 2", "f()", "null")
	f.Add("def f(): pass", "f([1])", "{}")
	f.Add("SELECT a FROM t", `{"t":[{"a":1}]}`, "[[1]]")
	var p Prover
	f.Cleanup(func() {
		if err := p.Close(context.Background()); err != nil {
			f.Error(err)
		}
	})
	f.Fuzz(func(t *testing.T, code, call, expected string) {
		c, err := ground.ReadCall(call)
		raw, bad := json.Marshal(code)
		if err != nil || bad != nil || !json.Valid([]byte(expected)) {
			return
		}
		g := ground.Ground{Kind: ground.Returns, Expected: json.RawMessage(expected), Counterexample: c}
		run, err := p.Counterexample(t.Context(), casefile.Task{}, "objection", 0, g, raw)
		if err != nil {
			return
		}
		if field, problem := run.Problem(); problem != "" {
			t.Errorf("%s %s: %+v", field, problem, run)
		}
	})
}

// TestModules: a program is a module of the papers. Without it, or with another one in its place,
// nothing is run.
func TestModules(t *testing.T) {
	p := prover(t)
	// A module with an empty _start: it says nothing.
	module := []byte("\x00asm\x01\x00\x00\x00\x01\x04\x01\x60\x00\x00\x03\x02\x01\x00\x07\x0a\x01\x06_start\x00\x00\x0a\x04\x01\x02\x00\x0b")
	hash := casefile.HashOf(module)
	task, err := casefile.ParseTask([]byte(`{"instruction":["x"],"output_schema":{},"expected":[{"path":"","program":{"wasi":"` + hash.String() + `"}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if all := task.Value.Modules(); len(all) != 1 || all[0] != casefile.Digest(hash) {
		t.Errorf("the task names %v", all)
	}
	papers := Papers{Task: task.Raw, Result: []byte("{}"), Modules: map[voting.Hash][]byte{hash: module}}
	got, err := p.Run(t.Context(), task.Value, 0, papers)
	if err != nil || got.Said != runs.None || got.Engine != "ojud-wasi-1" || got.Module != hash.String() || !strings.Contains(got.Why, "it writes neither") {
		t.Errorf("%+v, %v", got, err)
	}
	for name, modules := range map[string]map[voting.Hash][]byte{"none": nil, "another": {hash: []byte("x")}} {
		var missing ErrModule
		papers.Modules = modules
		if got, err := p.Run(t.Context(), task.Value, 0, papers); !errors.As(err, &missing) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}
