package sandbox

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ojud/test/longtest"
)

// usual is the processor time that a check should take at most, and most what it may take with a
// reason. A module of a stranger is interpreted.
const usual, most, interpreted = 200 * time.Millisecond, 2 * time.Second, 12 * time.Second

// TestCost: once its module is compiled, each check takes 200 ms of processor time at most, at the
// size limit of its input, or the table says why not. Those with a reason take long, so that they
// run with -all alone. docs/judges.md has the figures.
func TestCost(t *testing.T) {
	longtest.Only(t)
	e := openEngine(t)
	text := func(piece string, size int) string { return strings.Repeat(piece, size/len(piece)) }
	const size = 256 << 10 // of a document
	document := json.RawMessage(`"` + text("é\\n", size-2) + `"`)
	table := json.RawMessage("[" + strings.TrimSuffix(text(`{"a":1,"b":"x"},`, size-2), ",") + "]")
	given := func(value json.RawMessage) map[string]json.RawMessage {
		return map[string]json.RawMessage{"task": document, "result": value, "value": value}
	}
	said := func(want Said) func(Run, error) string {
		return func(r Run, err error) string {
			if err != nil || r.Said != want {
				return fmt.Sprintf("%+v, %v", r, err)
			}
			return ""
		}
	}
	const allFuel, slowStart = "a program may use all of its 2,000,000,000 steps", "CPython takes 262,000,000 steps to start, and its compiler 23,000 for a byte"
	rows := []struct {
		name, why string
		run       func() string
	}{
		{"JavaScript, the largest documents", "", func() string {
			return said(True)(e.JavaScript(t.Context(), Script{Source: "value.split('\\n').length > 9", Inputs: given(document)}))
		}},
		{"JavaScript, all its fuel", allFuel, func() string { return said(None)(e.JavaScript(t.Context(), Script{Source: "for (;;);"})) }},
		{"SQL, the largest table", "SQLite makes rows of a document of 256 KiB twice", func() string {
			return said(True)(e.SQL(t.Context(), Script{Source: "SELECT count(*) = sum(a) FROM value", Inputs: given(table)}))
		}},
		{"SQL, all its fuel", allFuel, func() string {
			return said(None)(e.SQL(t.Context(), Script{Source: "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT count(*) FROM n"}))
		}},
		{"WASI, an answer", "", func() string { return said(True)(e.Module(t.Context(), []byte(says("true")), nil)) }},
		{"WASI, all its fuel", "a module is interpreted, and may use all of its 100,000,000 steps", func() string {
			return said(None)(e.Module(t.Context(), []byte(writes(1, loop+br0+end1)), nil))
		}},
		{"parse JavaScript, calls", "", func() string { return said(True)(e.Parse(t.Context(), JavaScript, text("f(1,2);", maxParsed))) }},
		{"parse JavaScript, patterns", "", func() string { return said(True)(e.Parse(t.Context(), JavaScript, text("/(a|b)*/;", maxParsed))) }},
		{"parse JavaScript, names", "", func() string {
			var b strings.Builder
			for i := 0; b.Len() < maxParsed-20; i++ {
				fmt.Fprintf(&b, "var a%d=0;", i)
			}
			return said(True)(e.Parse(t.Context(), JavaScript, b.String()))
		}},
		{"parse SQL, statements", "", func() string { return said(True)(e.Parse(t.Context(), SQL, text("SELECT 1;", maxParsed))) }},
		{"parse SQL, a list", "", func() string {
			return said(True)(e.Parse(t.Context(), SQL, "SELECT a IN ("+text("1,", maxParsed-100)+"1) FROM b"))
		}},
	}
	if _, err := PythonHere(); err == nil {
		rows = append(rows, []struct {
			name, why string
			run       func() string
		}{
			{"Python, one call", "", func() string { return string(callF(t, e, "def f(x): return x", "true").Value[4:]) }},
			{"Python, all its fuel", allFuel, func() string { return string(callF(t, e, "def f(x):\n  while True: pass", "1").Value) }},
			{"parse Python, 1 KiB", "", func() string { return said(True)(e.Parse(t.Context(), Python, text("f(1, x=2)\n", 1<<10))) }},
			{"parse Python, calls", slowStart, func() string { return said(True)(e.Parse(t.Context(), Python, text("f(1, x=2)\n", maxParsed))) }},
		}...)
	} else {
		t.Logf("NOT RUN: the checks in Python: %v", err)
	}
	for _, r := range rows {
		if r.why != "" && !*all {
			continue
		}
		if odd := r.run(); odd != "" { // compiles
			t.Errorf("%s: %s", r.name, odd)
		}
		limit := most
		if strings.HasPrefix(r.name, "WASI") {
			limit = interpreted
		}
		took := processor(t, r.run)
		t.Logf("%-32s %4d ms  %s", r.name, took.Milliseconds(), r.why)
		if took > limit || took > usual && r.why == "" {
			t.Errorf("%s takes %s of processor time, and nothing says why", r.name, took)
		}
	}
	if took := processor(t, func() string { return said(True)(e.Parse(t.Context(), JavaScript, text("f(1,2);", maxParsed))) }); took < time.Millisecond {
		t.Errorf("the control: to parse 64 KiB takes %s, so that nothing is measured", took)
	}
}

// processor measures the processor time of this thread. The least of three runs counts, because
// others use the machine.
func processor(t *testing.T, work func() string) time.Duration {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	now := func() time.Duration {
		var used unix.Timespec
		if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &used); err != nil {
			t.Fatal(err)
		}
		return time.Duration(used.Nano())
	}
	least := time.Hour
	for range 3 { // but one that takes long runs once
		before := now()
		work()
		if least = min(least, now()-before); least < usual/2 || least > 2*usual {
			break
		}
	}
	return least
}
