package casefile

import (
	"strings"
	"testing"

	"ojud/casefile/runs"
)

// TestChecksThatRun: the limits of check programs and tests, and what an error says of them.
func TestChecksThatRun(t *testing.T) {
	program := `{"path":"","program":{"javascript":"true"}}`
	call := `{"function":"f","args":[1],"returns":null}`
	for _, c := range []struct{ checks, want string }{
		{program, ""},
		{`{"path":"","tests":{"javascript":[` + call + `]}}`, ""},
		{strings.Repeat(program+",", 7) + program, ""},
		{strings.Repeat(program+",", 8) + program, "has 9 programs and tests; at most 8 are allowed"},
		{`{"path":"","program":{"javascript":""}}`, `expected[0].program": needs one program`},
		{`{"path":"","program":{}}`, `expected[0].program": needs one program`},
		{`{"path":"","program":{"javascript":"true","sql":"SELECT 1"}}`, `expected[0].program": needs one program`},
		{`{"path":"","program":{"sql":"SELECT 1"}}`, ""},
		{`{"path":"","program":{"wasi":"` + strings.Repeat("0a", 32) + `"}}`, ""},
		{`{"path":"","program":{"wasi":"` + strings.Repeat("0A", 32) + `"}}`, "is not a SHA-256"},
		{`{"path":"","program":{"wasi":"` + strings.Repeat("0a", 32) + `","sql":"SELECT 1"}}`, "needs one program"},
		{`{"path":"","program":{"sql":"` + strings.Repeat("1", 40_000) + `"}}`, "at most 32768 are allowed"},
		{`{"path":"","tests":{"sql":[{"tables":{"t":[{"a":1}]},"returns":[[1]],"ordered":true}]}}`, ""},
		{`{"path":"","tests":{"sql":[{"tables":{"t":[]},"returns":[]}]}}`, ""},
		{`{"path":"","tests":{"sql":[{"tables":{},"returns":[]}]}}`, "a query needs rows"},
		{`{"path":"","tests":{"sql":[{"tables":{"a b":[]},"returns":[]}]}}`, "is not the name of a table"},
		{`{"path":"","tests":{"sql":[{"tables":{"t":[],"T":[]},"returns":[]}]}}`, "or that of two"},
		{`{"path":"","tests":{"sql":[{"tables":{"sqlite_x":[]},"returns":[]}]}}`, "is not the name of a table"},
		{`{"path":"","tests":{"sql":[{"tables":{"t":[1]},"returns":[]}]}}`, "is no array of objects"},
		{`{"path":"","tests":{"sql":[{"tables":{"t":[null]},"returns":[]}]}}`, "is no array of objects"},
		{`{"path":"","tests":{"sql":[{"tables":{"t":null},"returns":[]}]}}`, "is no array of objects"},
		{`{"path":"","tests":{"sql":[{"tables":{"t":[]},"returns":[1]}]}}`, "is no array of values"},
		{`{"path":"","tests":{"sql":[{"tables":{"t":[]},"returns":[]}],"javascript":[` + call + `]}}`, "make two checks of it"},
		{`{"path":"","program":{"javascript":"` + strings.Repeat("1", 40_000) + `"}}`, "at most 32768 are allowed"},
		{`{"path":"","program":{"python":"True"}}`, "expected[0].program"},
		{`{"path":"","program":{"javascript":"true"},"lines":3}`, "make two checks of it"},
		{`{"path":"","program":{"javascript":"true"},"tests":{"javascript":[` + call + `]}}`, "make two checks of it"},
		{`{"path":"","tests":{"javascript":[]}}`, "write at least one call"},
		{`{"path":"","tests":{"javascript":[` + strings.Repeat(call+",", 32) + call + `]}}`, "has 33 calls or queries; at most 32"},
		{`{"path":"","tests":{"javascript":[{"function":"f()","args":[],"returns":1}]}}`, "is not the name of a function"},
		{`{"path":"","tests":{"javascript":[{"function":"f","args":[` + strings.Repeat("1,", 16) + `1],"returns":1}]}}`, "has 17 arguments; at most 16"},
		{`{"path":"x","program":{"javascript":"true"}}`, "expected[0].path"},
	} {
		_, err := ParseTask([]byte(`{"instruction":["x"],"output_schema":{},"expected":[` + c.checks + `]}`))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%.80s: %v", c.checks, err)
		}
	}
}

// TestRunOfFinding: the limits of a run in an opinion.
func TestRunOfFinding(t *testing.T) {
	module := strings.Repeat("0a", 32)
	for _, c := range []struct {
		run  runs.Run
		want string
	}{
		{runs.Run{Module: module, Of: "task:/expected/0", Engine: "ojud-wasm-2", Said: runs.True}, ""},
		{runs.Run{Module: module, Engine: "ojud-wasm-2", Said: runs.None, Why: strings.Repeat("x", 600), Fuel: 1 << 53, Of: "objection:/grounds/15"}, ""},
		{runs.Run{Said: runs.True, Of: "task:/expected/0"}, "run.module"},
		{runs.Run{Module: module, Said: "maybe", Of: "task:/expected/0"}, "run.said"},
		{runs.Run{Module: module, Said: runs.True}, "run.of"},
		{runs.Run{Module: module, Said: runs.True, Of: "\x1b[2J"}, "run.of"},
		{runs.Run{Module: module, Said: runs.True, Why: strings.Repeat("x", 601), Of: "task:/expected/0"}, "run.why"},
		{runs.Run{Module: module, Said: runs.True, Fuel: 1<<53 + 1, Of: "task:/expected/0"}, "run.fuel"},
		{runs.Run{Module: module, Said: runs.True, Engine: "\x1b[2J", Of: "task:/expected/0"}, "run.engine"},
	} {
		o := Opinion{Round: 1, Choice: 1, Summary: "x", Model: CodeChecks, DataAccessed: []Access{}, Findings: []Finding{{Check: "specification/expected[0]", Outcome: Pass, Evidence: []string{}, Run: &c.run}}}
		doc, err := NewOpinion(o)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: %v", c.run, err)
		}
		if err != nil {
			continue
		}
		if again, err := ParseOpinion(doc.Raw); err != nil || *again.Value.Findings[0].Run != c.run {
			t.Errorf("%+v is not read again: %v", c.run, err)
		}
	}
}
