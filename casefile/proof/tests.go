package proof

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"ojud/casefile"
	"ojud/casefile/canon"
	"ojud/casefile/runs"
	"ojud/sandbox"
)

// tested calls the functions of the program that stands in a result. The creator's part is no code,
// so a call that does not end is the worker's fault: it says false, and so does a program that
// cannot be run. All calls together have so much fuel.
func tested(ctx context.Context, e *sandbox.Engine, calls []runs.TestCall, value json.RawMessage, fuel int64) (sandbox.Run, error) {
	run := sandbox.Run{Said: sandbox.False}
	source, why := written(value)
	if run.Why = why; why != "" {
		return run, nil
	}
	for _, c := range calls {
		got, err := e.Call(ctx, sandbox.Call{Source: source, Function: c.Function, Args: c.Args, Fuel: fuel - run.Fuel})
		if err != nil {
			return run, err
		}
		run.Fuel += got.Fuel
		if run.Why = wrong(c, got); run.Why != "" {
			return run, nil
		}
	}
	run.Said, run.Why = sandbox.True, fmt.Sprintf("%d of %d calls return what they should", len(calls), len(calls))
	return run, nil
}

// called calls functions in Python, as tested does in JavaScript. One instance makes all calls,
// because CPython takes long to start. It says none if all is right, and the program could have
// written that without its functions.
func called(ctx context.Context, e *sandbox.Engine, calls []runs.TestCall, value json.RawMessage, fuel int64) (sandbox.Run, error) {
	run := sandbox.Run{Said: sandbox.False}
	source, why := written(value)
	if run.Why = why; why != "" {
		return run, nil
	}
	all := sandbox.PythonCalls{Source: source, Fuel: fuel}
	for _, c := range calls {
		all.Calls = append(all.Calls, sandbox.PythonCall{Function: c.Function, Args: c.Args})
	}
	got, used, err := e.Python(ctx, all)
	if err != nil {
		return run, err
	}
	run.Fuel = used
	if len(got) != len(calls) {
		run.Why = "the program fails: " + short(got[0].Why)
		return run, nil
	}
	for i, c := range calls {
		if run.Why = wrong(c, got[i]); run.Why != "" {
			return run, nil
		}
	}
	if slices.ContainsFunc(got, func(r sandbox.Returned) bool { return r.Doubt }) {
		run.Said, run.Why = sandbox.None, "it looks at the frames of a traceback, from where it could write what its functions return, so that code cannot tell"
		return run, nil
	}
	run.Said, run.Why = sandbox.True, fmt.Sprintf("%d of %d calls return what they should", len(calls), len(calls))
	return run, nil
}

// grammatical says whether the code that stands in a result parses.
func grammatical(ctx context.Context, e *sandbox.Engine, l sandbox.Language, value json.RawMessage) (sandbox.Run, error) {
	var source string
	if err := json.Unmarshal(value, &source); err != nil || bytes.Equal(value, []byte("null")) {
		return sandbox.Run{Said: sandbox.False, Why: "it is not a string, so that it is no code"}, nil
	}
	return e.Parse(ctx, l, source)
}

// written is the program in a result, or why there is none.
func written(value json.RawMessage) (source, why string) {
	if err := json.Unmarshal(value, &source); err != nil || bytes.Equal(value, []byte("null")) {
		return "", "it is not a string, so that it is no program"
	}
	if strings.TrimSpace(source) == "" || len(source) > sandbox.MaxSource {
		return "", fmt.Sprintf("the program has %d bytes; 1 to %d are needed", len(source), sandbox.MaxSource)
	}
	return source, ""
}

// queried runs the query that stands in a result on the tables of each test, as tested calls a
// function.
func queried(ctx context.Context, e *sandbox.Engine, tests []runs.TestQuery, value json.RawMessage, fuel int64) (sandbox.Run, error) {
	run := sandbox.Run{Said: sandbox.False}
	source, why := written(value)
	if run.Why = why; why != "" {
		return run, nil
	}
	for i, q := range tests {
		got, err := e.Query(ctx, sandbox.TableQuery{Source: source, Tables: q.Tables, Fuel: fuel - run.Fuel})
		if err != nil {
			return run, err
		}
		run.Fuel += got.Fuel
		if run.Why = other(q, got); run.Why != "" {
			run.Why = fmt.Sprintf("test %d: %s", i, run.Why)
			return run, nil
		}
	}
	run.Said, run.Why = sandbox.True, fmt.Sprintf("%d of %d tests return the rows that they should", len(tests), len(tests))
	return run, nil
}

// other says how the rows of a query differ from those that it should return.
func other(q runs.TestQuery, got sandbox.Returned) string {
	if got.Value == nil {
		return "the query fails: " + short(got.Why)
	}
	var rows []json.RawMessage
	if err := json.Unmarshal(got.Value, &rows); err != nil {
		return "the query returns what cannot be compared"
	}
	want, have := make([]string, len(q.Returns)), make([]string, len(rows))
	for i, list := range [][]json.RawMessage{q.Returns, rows} {
		for n, row := range list {
			text, err := canon.JSON(row, casefile.MaxDocument)
			if err != nil {
				return "the query returns what cannot be compared"
			}
			[][]string{want, have}[i][n] = string(text)
		}
	}
	if !q.Ordered {
		slices.Sort(want)
		slices.Sort(have)
	}
	for n := range max(len(want), len(have)) {
		switch {
		case n >= len(want):
			return fmt.Sprintf("the query returns %d rows instead of %d; one too many is %s", len(have), len(want), short(have[n]))
		case n >= len(have):
			return fmt.Sprintf("the query returns %d rows instead of %d; %s is missing", len(have), len(want), short(want[n]))
		}
		same, err := sameWithin(json.RawMessage(want[n]), json.RawMessage(have[n]), q.Within)
		if err != nil {
			return "the query returns what cannot be compared"
		}
		if !same {
			return fmt.Sprintf("the query returns %s instead of %s", short(have[n]), short(want[n])) + runs.Within(q.Within)
		}
	}
	return ""
}

// wrong says how a call differs from what it should return.
func wrong(c runs.TestCall, got sandbox.Returned) string {
	var args []string
	for _, a := range c.Args {
		args = append(args, string(a))
	}
	call := fmt.Sprintf("%s(%s)", c.Function, short(strings.Join(args, ", ")))
	if got.Value == nil {
		return fmt.Sprintf("%s fails: %s", call, short(got.Why))
	}
	same, err := sameWithin(c.Returns, got.Value, c.Within)
	want, bad := canon.JSON(c.Returns, casefile.MaxDocument)
	value, worse := canon.JSON(got.Value, casefile.MaxDocument)
	if err != nil || bad != nil || worse != nil {
		return call + " returns what cannot be compared"
	}
	if !same {
		return fmt.Sprintf("%s returns %s instead of %s", call, short(string(value)), short(string(want))) + runs.Within(c.Within)
	}
	return ""
}

// short cuts a text of strangers for a reason.
func short(text string) string {
	const most = 120
	if len(text) <= most {
		return text
	}
	at := most
	for !utf8.RuneStart(text[at]) {
		at--
	}
	return text[:at] + "…"
}
