package proof_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/casefile/ground"
	"ojud/casefile/proof"
	"ojud/casefile/runs"
	"ojud/test/longtest"
)

// TestPython: tests of a result in Python, of the shipped task, and what its parser says. Without
// CPython there is an error that says so, and no run.
func TestPython(t *testing.T) {
	longtest.Only(t)
	folder := filepath.Join("..", "..", "examples", "median")
	task, err := os.ReadFile(filepath.Join(folder, "python.task.json"))
	if err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(filepath.Join(folder, "python.good.result.json"))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := casefile.ParseTask(task)
	if err != nil {
		t.Fatal(err)
	}
	var p proof.Prover
	t.Cleanup(func() {
		if err := p.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
	var shown struct{ Code string }
	if err := json.Unmarshal(good, &shown); err != nil {
		t.Fatal(err)
	}
	median := shown.Code + "\n"
	code := func(text string) string {
		raw, err := json.Marshal(map[string]string{"code": text})
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	for _, c := range []struct {
		name, result  string
		parses, tests runs.Said
		why           string
	}{
		{"right", string(good), runs.True, runs.True, "4 of 4 calls return what they should"},
		{"wrong", code("def median(all):\n    return sorted(all)[len(all) // 2] if all else None"), runs.True, runs.False, "median([4,1,2,3]) returns 3 instead of 2.5"},
		{"no Python", code("function median() {}"), runs.False, runs.False, "the program fails: SyntaxError: invalid syntax"},
		{"an early end", code("import os\nos._exit(0)"), runs.True, runs.False, "the program fails: it ends before its functions return"},
		{"an endless call", code("def median(all):\n    while True: pass"), runs.True, runs.False, "the program fails: it does not get to its end: out of fuel"},
		{"a forged answer", code("import os\nos.write(1, b'[[2],[2.5],[9],[null]]')\nos._exit(0)"), runs.True, runs.False, "it ends before its functions return"},
		{"a traceback", code(median + "try: 1 // 0\nexcept ZeroDivisionError as e: e.__traceback__.tb_frame"), runs.True, runs.None, "looks at the frames of a traceback"},
		{"a number", `{"code":7}`, runs.False, runs.False, "it is not a string"},
	} {
		for i, want := range []runs.Said{c.parses, c.tests} {
			run, err := p.Run(t.Context(), doc.Value, i, proof.Papers{Task: doc.Raw, Result: []byte(c.result)})
			if errors.Is(err, proof.ErrNoPython) {
				t.Logf("NOT RUN: %v; make python installs it", err)
				return
			}
			if err != nil || run.Said != want || i == 1 && !strings.Contains(run.Why, c.why) {
				t.Errorf("%s: %+v, %v", c.name, run, err)
			}
		}
	}
}

// TestPythonCounterexample: a call is made in Python if a check of the task says that Python stands
// there, and else in JavaScript. A name, an argument or a program that is wrong is no fault of the
// machine.
func TestPythonCounterexample(t *testing.T) {
	longtest.Only(t)
	var p proof.Prover
	t.Cleanup(func() {
		if err := p.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
	task := casefile.Task{Expected: []casefile.Check{{Path: "/code", Tests: &runs.Tests{Python: []runs.TestCall{{Function: "mean"}}}}}}
	const mean = "import json, re\ndef mean(a):\n    return sum(a) / len(a)"
	for _, c := range []struct {
		name, path, code, call string
		said                   runs.Said
		why                    string
	}{
		{"as expected", "/code", mean, "mean([1, 2])", runs.True, "mean([1,2]) returns 1.5"},
		{"another", "/code", mean, "mean([1, 3])", runs.False, "returns 2 instead of 1.5"},
		{"no such name", "/code", mean, "$([])", runs.False, "fails"},
		{"no Python", "/code", "const mean = 1", "mean([1, 2])", runs.False, "SyntaxError"},
		{"a loop", "/code", "def mean(a):\n    while True: pass", "mean([1, 2])", runs.False, "out of fuel"},
		{"another place", "/other", mean, "mean([1, 2])", runs.None, "it is no program in JavaScript"},
		{"no text", "/number", mean, "mean([1, 2])", runs.None, "it is not a string"},
	} {
		call, err := ground.ReadCall(c.call)
		raw, bad := json.Marshal(map[string]any{"code": c.code, "other": c.code, "number": 7})
		if err != nil || bad != nil {
			t.Fatal(err, bad)
		}
		g := ground.Ground{Pointer: c.path, Kind: ground.Returns, Expected: json.RawMessage("1.5"), Counterexample: call}
		run, err := p.Counterexample(t.Context(), task, "objection", 0, g, raw)
		if errors.Is(err, proof.ErrNoPython) {
			t.Logf("NOT RUN: %v; make python installs it", err)
			return
		}
		if err != nil || run.Said != c.said || !strings.Contains(run.Why, c.why) || run.Fuel > 1_000_001_000 || (run.Engine == "ojud-python-2") != (c.path == "/code") {
			t.Errorf("%s: %+v, %v", c.name, run, err)
		}
	}
}

// TestParses: parsers of this build say what a result is, and their run names the rules and the
// module.
func TestParses(t *testing.T) {
	var p proof.Prover
	t.Cleanup(func() {
		if err := p.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
	for _, c := range []struct {
		grammar, code string
		said          runs.Said
	}{
		{"javascript", "const f = (x) => x + 1", runs.True},
		{"javascript", "const f = (x) => ", runs.False},
		{"javascript", strings.Repeat("[", 9_000), runs.None},
		{"sql", "SELECT a FROM b WHERE c", runs.True},
		{"sql", "SELECT a FROM b WHERE", runs.False},
		{"sql", "ALTER TABLE a ADD COLUMN b", runs.None},
	} {
		doc, err := casefile.ParseTask([]byte(`{"instruction":["x"],"output_schema":{"code":"string"},"expected":[{"path":"/code","parses":"` + c.grammar + `"}]}`))
		if err != nil {
			t.Fatal(err)
		}
		result, err := json.Marshal(map[string]string{"code": c.code})
		if err != nil {
			t.Fatal(err)
		}
		papers := proof.Papers{Task: doc.Raw, Result: result}
		run, err := p.Run(t.Context(), doc.Value, 0, papers)
		if err != nil || run.Said != c.said || run.Engine != "ojud-parse-1" || len(run.Module) != 64 {
			t.Errorf("%s %.20s: %+v, %v", c.grammar, c.code, run, err)
		}
		if hollow, err := p.Hollow(t.Context(), doc.Value, 0, papers); hollow || err != nil {
			t.Errorf("%s: hollow: %t, %v", c.grammar, hollow, err)
		}
	}
}

// TestPythonTasks: what a task may say of Python and of parsers, and what not.
func TestPythonTasks(t *testing.T) {
	for check, want := range map[string]string{
		`{"path":"/code","parses":"python"}`:                                            "",
		`{"path":"/code","tests":{"python":[{"function":"f","args":[1],"returns":2}]}}`: "",
		`{"path":"/code","parses":"perl"}`:                                              "code can parse go, json, javascript, sql, python",
		`{"path":"/code","parses":"sql","lines":2}`:                                     "make two checks of it",
		`{"path":"/code","each":"","parses":"sql"}`:                                     "without data or each",
		`{"path":"/code","parses":"sql","words":{"min":1}}`:                             "make two checks of it",
		`{"path":"/code","parses":"sql","program":{"javascript":"true"}}`:               "make two checks of it",
		`{"path":"/code","parses":"go","lines":2}`:                                      "",
		`{"path":"/code","tests":{"python":[{"function":"$","args":[],"returns":2}]}}`:  "is not the name of a function",
		`{"path":"/code","tests":{"python":[{"function":"f","args":[],"returns":2}],"javascript":[{"function":"f","args":[],"returns":2}]}}`: "has tests in two languages",
	} {
		_, err := casefile.ParseTask([]byte(`{"instruction":["x"],"output_schema":{"code":"string"},"expected":[` + check + `]}`))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", check, err, want)
		}
	}
}
