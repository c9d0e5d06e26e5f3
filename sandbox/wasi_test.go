package sandbox

import (
	"encoding/json"
	"strings"
	"testing"

	"ojud/test/longtest"
)

// says is a module that writes a text and ends.
func says(text string) string {
	var code strings.Builder
	for i, c := range []byte(text) {
		code.WriteString(i32(int32(64+i)) + i32(int32(c)) + "\x3a\x00\x00") // i32.store8
	}
	return writes(1, code.String()+store(0, 64)+store(4, int32(len(text)))+i32(1)+i32(0)+i32(1)+i32(8)+callWrite+drop)
}

// TestModule: what modules of strangers say, and how bad ones end. None of them is an error: a node
// would lose a vote.
func TestModule(t *testing.T) {
	longtest.Only(t)
	e := openEngine(t)
	import1 := func(module, name string) string {
		return head + section(1, vector("\x60\x00\x00")) + section(2, vector(text(module)+text(name)+"\x00\x00")) + section(3, vector("\x00")) + section(10, vector(text("\x00\x0b")))
	}
	print64 := store(0, 16) + store(4, 64) + loop + i32(1) + i32(0) + i32(1) + i32(8) + callWrite + drop + br0 + end1
	for _, c := range []struct {
		name, module string
		said         Said
		why          string
	}{
		{"true", says("true"), True, ""},
		{"false with a reason", says(" [false, \"line 7\"]\n"), False, "line 7"},
		{"null", says("null"), None, ""},
		{"nothing", writes(1, ""), None, "it writes neither true, false or null"},
		{"a number", says("1"), None, "it writes neither"},
		{"two answers", says("true false"), None, "it writes neither"},
		{"a reason that is no text", says("[true, null]"), None, "it writes neither"},
		{"an exit", writes(1, i32(3)+callExit), None, "exit status 3"},
		{"a loop", writes(1, loop+br0+end1), None, "did not get to its end: out of fuel"},
		{"recursion", writes(1, callSelf), None, "calls too deep"},
		{"a trap", writes(1, "\x00"), None, "did not get to its end: trapped"},
		{"all memory", writes(1, i32(65_000)+"\x40\x00"+drop), None, "out of fuel"},
		{"gigabytes of output", writes(1, print64), None, "too much output"},
		{"64 MiB of module", head + strings.Repeat("\x00", 64<<20), None, "the module has 67108872 bytes; at most 262144 are allowed"},
		{"no module", "#!/bin/sh", None, "the module is not valid"},
		{"another import", import1("env", "system"), None, `imports "system" from "env"; only WASI preview 1 is there`},
		{"the host of SQLite", import1("env", "go_open"), None, `imports "go_open" from "env"`},
		{"another form of an import", import1(wasi, "fd_write"), None, "with other parameters than it has"},
		{"no command", head + section(1, vector("\x60\x00\x00")) + section(3, vector("\x00")) + section(10, vector(text("\x00\x0b"))), None, "exports no function _start"},
		{"a start section", head + section(1, vector("\x60\x00\x00")) + section(3, vector("\x00")) + section(7, vector(text("_start")+"\x00\x00")) + section(8, "\x00") + section(10, vector(text("\x00\x0b"))), None, "the module has a start section"},
		{"too many pages", writes(maxPages+1, ""), None, "the module is not valid"},
		{"SQLite itself", string(sqlite()), None, "at most 262144 are allowed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			run, err := e.Module(t.Context(), []byte(c.module), map[string]json.RawMessage{"result": json.RawMessage(`{}`)})
			if err != nil || run.Said != c.said || !strings.Contains(run.Why, c.why) || c.why == "" && run.Why != "" {
				t.Errorf("it says %s, %q, %v", run.Said, run.Why, err)
			}
		})
	}
}

// TestModuleReads: a module reads its inputs from its standard input.
func TestModuleReads(t *testing.T) {
	e := openEngine(t)
	types := section(1, vector("\x60\x04\x7f\x7f\x7f\x7f\x01\x7f", "\x60\x00\x00"))
	imports := section(2, vector(text(wasi)+text("fd_read")+"\x00\x00", text(wasi)+text("fd_write")+"\x00\x00"))
	// It reads to 64, and writes what stands at 64 + 10 until the last byte: {"result":V} -> V.
	code := store(0, 64) + store(4, 100) + i32(0) + i32(0) + i32(1) + i32(8) + "\x10\x00" + drop +
		store(0, 74) + i32(4) + i32(8) + "\x28\x02\x00" + i32(11) + "\x6b\x36\x02\x00" + i32(1) + i32(0) + i32(1) + i32(12) + "\x10\x01" + drop
	module := head + types + imports + section(3, vector("\x01")) + section(5, vector("\x00\x01")) +
		section(7, vector(text("_start")+"\x00\x02", text("memory")+"\x02\x00")) + section(10, vector(text("\x00"+code+"\x0b")))
	for input, want := range map[string]Said{"true": True, "false": False, `"x"`: None} {
		if run, err := e.Module(t.Context(), []byte(module), map[string]json.RawMessage{"result": json.RawMessage(input)}); err != nil || run.Said != want {
			t.Errorf("%s: %+v, %v", input, run, err)
		}
	}
}
