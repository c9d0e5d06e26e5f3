// Package runs has what the documents of a case say to run on a result, and what came of it
// (protocol section 2). Package casefile/proof runs it.
package runs

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"ojud/casefile/demand"
	"ojud/casefile/ground"
)

// CheckProgram is a small program that decides a point of a task, in one language.
type CheckProgram struct {
	JavaScript string `json:"javascript,omitempty"`
	SQL        string `json:"sql,omitempty"`
	WASI       string `json:"wasi,omitempty"` // the SHA-256 of a module, in hex
}

// Text is the program, or the name of its module.
func (p *CheckProgram) Text() string { return p.JavaScript + p.SQL + p.WASI }

// Tests are calls of functions of a program that is the result, or tables for a query that is the
// result.
type Tests struct {
	JavaScript []TestCall  `json:"javascript,omitempty"`
	SQL        []TestQuery `json:"sql,omitempty"`
	Python     []TestCall  `json:"python,omitempty"`
}

// TestCall is a call, and what it has to return.
type TestCall struct {
	Function string            `json:"function"`
	Args     []json.RawMessage `json:"args"`
	Returns  json.RawMessage   `json:"returns"`
	Within   json.RawMessage   `json:"within,omitempty"` // by which numbers in what it returns may differ
}

// Within says a tolerance after the value for which it is, or nothing.
func Within(raw json.RawMessage) string {
	if len(raw) == 0 {
		return ""
	}
	return " within " + string(raw)
}

// withinProblem returns why a tolerance is refused. It is empty if the tolerance may be used.
func withinProblem(raw json.RawMessage) string {
	if len(raw) == 0 {
		return ""
	}
	if n, ok := demand.Number(string(raw)); !ok || n.Sign() < 0 {
		return fmt.Sprintf("is %.40q; a number of 0 or more is needed", string(raw))
	}
	return ""
}

// The limits of what is run, and of its record.
const (
	maxProgram = 32 << 10 // bytes
	maxCalls   = 32
	maxWhy     = 600 // bytes
	maxOf      = 64  // bytes
	maxEngine  = 64  // bytes
)

// Problem says which field is wrong, and why; nothing if none is.
func (p *CheckProgram) Problem() (field, problem string) {
	switch text := p.Text(); {
	case slices.Max([]int{len(p.JavaScript), len(p.SQL), len(p.WASI)}) != len(text) || text == "":
		return "", "needs one program, as javascript, as sql, or as wasi"
	case p.WASI != "" && !isHash(p.WASI):
		return "wasi", fmt.Sprintf("%.70q is not a SHA-256; 64 lower-case hex digits are needed", p.WASI)
	case len(text) > maxProgram:
		return "", fmt.Sprintf("has %d bytes; at most %d are allowed", len(text), maxProgram)
	case !utf8.ValidString(text):
		return "", "is not UTF-8"
	}
	return "", ""
}

// Problem is that of CheckProgram.
func (t *Tests) Problem() (field, problem string) {
	many := []int{len(t.JavaScript), len(t.SQL), len(t.Python)}
	switch n := many[0] + many[1] + many[2]; {
	case n == 0:
		return "", "is empty; write at least one call as javascript or python, or one query as sql"
	case slices.Max(many) != n:
		return "", "has tests in two languages; make two checks of it"
	case n > maxCalls:
		return "", fmt.Sprintf("has %d calls or queries; at most %d are allowed", n, maxCalls)
	}
	for i, q := range t.SQL {
		if field, problem := q.problem(); problem != "" {
			return fmt.Sprintf("sql[%d].%s", i, field), problem
		}
	}
	if field, problem := callsProblem("javascript", t.JavaScript, ground.IsFunction); problem != "" {
		return field, problem
	}
	return callsProblem("python", t.Python, func(name string) bool { return ground.IsFunction(name) && !strings.Contains(name, "$") })
}

func callsProblem(language string, calls []TestCall, is func(name string) bool) (field, problem string) {
	for i, call := range calls {
		at := fmt.Sprintf("%s[%d]", language, i)
		if !is(call.Function) {
			return at + ".function", fmt.Sprintf("%.70q is not the name of a function", call.Function)
		}
		if n := len(call.Args); n > ground.MaxArgs {
			return at + ".args", fmt.Sprintf("has %d arguments; at most %d are allowed", n, ground.MaxArgs)
		}
		if problem := withinProblem(call.Within); problem != "" {
			return at + ".within", problem
		}
	}
	return "", ""
}

// Run is a run of a check program of a task, or of a pleading's counterexample, on the result of a
// case. Everyone who repeats it gets the same.
type Run struct {
	Of     string `json:"of"`     // what was run, such as task:/expected/0 or objection:/grounds/1
	Engine string `json:"engine"` // the rules by which it ran, such as ojud-wasm-2
	Module string `json:"module"` // the SHA-256 of what interpreted it, in hex
	Said   Said   `json:"said"`
	Why    string `json:"why,omitempty"`
	Fuel   uint64 `json:"fuel"`
}

// Said is what a check program says of a result.
type Said string

// What a check program can say. None decides nothing: it cannot tell, or did not get to its end.
const (
	True  Said = "true"
	False Said = "false"
	None  Said = "none"
)

// Problem is that of CheckProgram.
func (r *Run) Problem() (field, problem string) {
	const most = 1 << 53
	switch {
	case r.Of == "" || !plain(r.Of, maxOf):
		return "of", fmt.Sprintf("is %.40q; name what was run, such as task:/expected/0", r.Of)
	case !plain(r.Engine, maxEngine):
		return "engine", fmt.Sprintf("is not printable ASCII of at most %d bytes", maxEngine)
	case !isHash(r.Module):
		return "module", fmt.Sprintf("%.70q is not a SHA-256; 64 lower-case hex digits are needed", r.Module)
	case len(r.Why) > maxWhy || !utf8.ValidString(r.Why):
		return "why", fmt.Sprintf("is not UTF-8 of at most %d bytes", maxWhy)
	case r.Said != True && r.Said != False && r.Said != None:
		return "said", fmt.Sprintf("%.20q is none of true, false, none", string(r.Said))
	case r.Fuel > most:
		return "fuel", fmt.Sprintf("is %d; at most 2^53 is allowed", r.Fuel)
	}
	return "", ""
}

// isHash reports whether a text is a SHA-256 in hex.
func isHash(text string) bool {
	return len(text) == 64 && strings.Trim(text, "0123456789abcdef") == ""
}

// plain reports whether a text is printable ASCII of at most so many bytes.
func plain(text string, most int) bool {
	return len(text) <= most && !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
}

// CheckAt names a check of a task, as a run and the evidence of a finding do.
func CheckAt(i int) string { return fmt.Sprintf("task:/expected/%d", i) }

// GroundAt names a ground of a pleading, "objection" or "counter-objection".
func GroundAt(pleading string, i int) string { return fmt.Sprintf("%s:/grounds/%d", pleading, i) }
