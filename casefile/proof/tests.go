package proof

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
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
	var source string
	if err := json.Unmarshal(value, &source); err != nil || bytes.Equal(value, []byte("null")) {
		run.Why = "it is not a string, so that it is no program"
		return run, nil
	}
	if strings.TrimSpace(source) == "" || len(source) > sandbox.MaxSource {
		run.Why = fmt.Sprintf("the program has %d bytes; 1 to %d are needed", len(source), sandbox.MaxSource)
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
	want, err := canon.JSON(c.Returns, casefile.MaxDocument)
	value, bad := canon.JSON(got.Value, casefile.MaxDocument)
	if err != nil || bad != nil {
		return call + " returns what cannot be compared"
	}
	if !bytes.Equal(want, value) {
		return fmt.Sprintf("%s returns %s instead of %s", call, short(string(value)), short(string(want)))
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
