package proof

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/casefile/runs"
)

// TestWithin: numbers in what tested code returns may differ by a tolerance, at any depth, and
// nothing else may. Without one, 0.1 + 0.2 is not 0.3.
func TestWithin(t *testing.T) {
	p := prover(t)
	const sum = "function f(a, b) { return %s }"
	const call = `{"path":"/code","tests":{"javascript":[{"function":"f","args":[0.1,0.2],"returns":%s%s}]}}`
	const rows = `{"path":"/code","tests":{"sql":[{"tables":{"t":[{"a":0.1,"b":0.2}]},"returns":[["x",0.3]]%s}]}}`
	const small = `,"within":1e-9`
	for _, c := range []struct {
		name, check, code string
		said              runs.Said
		why               string
	}{
		{"no tolerance", fmt.Sprintf(call, "0.3", ""), fmt.Sprintf(sum, "a + b"), runs.False, "f(0.1, 0.2) returns 0.30000000000000004 instead of 0.3"},
		{"a tolerance", fmt.Sprintf(call, "0.3", small), fmt.Sprintf(sum, "a + b"), runs.True, "1 of 1 calls"},
		{"its edge", fmt.Sprintf(call, "0.25", `,"within":0.25`), fmt.Sprintf(sum, "0.5"), runs.True, "1 of 1 calls"},
		{"beyond it", fmt.Sprintf(call, "0.3", small), fmt.Sprintf(sum, "a + b + 1e-8"), runs.False, "instead of 0.3 within 1e-9"},
		{"inside", fmt.Sprintf(call, `{"all":[0.3,{"t":"x"}]}`, small), fmt.Sprintf(sum, "({all: [a + b, {t: 'x'}]})"), runs.True, "1 of 1 calls"},
		{"another text inside", fmt.Sprintf(call, `{"all":[0.3,{"t":"x"}]}`, small), fmt.Sprintf(sum, "({all: [a + b, {t: 'y'}]})"), runs.False, "instead of"},
		{"a member more", fmt.Sprintf(call, `{"n":0.3}`, small), fmt.Sprintf(sum, "({n: a + b, m: 1})"), runs.False, "instead of"},
		{"an item less", fmt.Sprintf(call, `[0.3,0.3]`, small), fmt.Sprintf(sum, "[a + b]"), runs.False, "instead of"},
		{"a text for a number", fmt.Sprintf(call, "0.3", small), fmt.Sprintf(sum, "'0.3'"), runs.False, "instead of"},
		{"null for a number", fmt.Sprintf(call, "0", small), fmt.Sprintf(sum, "null"), runs.False, "instead of"},
		{"rows", fmt.Sprintf(rows, ""), "SELECT 'x', a + b FROM t", runs.False, "instead of"},
		{"rows with a tolerance", fmt.Sprintf(rows, small), "SELECT 'x', a + b FROM t", runs.True, "1 of 1 tests"},
		{"other rows", fmt.Sprintf(rows, small), "SELECT 'y', a + b FROM t", runs.False, "instead of"},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc, err := casefile.ParseTask([]byte(`{"instruction":["x"],"output_schema":{"code":"string"},"expected":[` + c.check + `]}`))
			if err != nil {
				t.Fatal(err)
			}
			result, err := json.Marshal(map[string]string{"code": c.code})
			if err != nil {
				t.Fatal(err)
			}
			run, err := p.Run(t.Context(), doc.Value, 0, Papers{Task: doc.Raw, Result: result})
			if err != nil || run.Said != c.said || !strings.Contains(run.Why, c.why) {
				t.Errorf("%+v, %v", run, err)
			}
		})
	}
	for _, within := range []string{"-1", "null", `"1"`, "[]"} {
		check := fmt.Sprintf(call, "0.3", `,"within":`+within)
		if _, err := casefile.ParseTask([]byte(`{"instruction":["x"],"output_schema":{"code":"string"},"expected":[` + check + `]}`)); err == nil || !strings.Contains(err.Error(), "a number of 0 or more is needed") {
			t.Errorf("%s: %v", within, err)
		}
	}
	many := strings.Replace(fmt.Sprintf(rows, small), `[["x",0.3]]`, `[["x",0.3],["y",1]]`, 1)
	if _, err := casefile.ParseTask([]byte(`{"instruction":["x"],"output_schema":{"code":"string"},"expected":[` + many + `]}`)); err == nil || !strings.Contains(err.Error(), "needs ordered") {
		t.Error(err)
	}
}
