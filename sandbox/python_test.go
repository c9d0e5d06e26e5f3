package sandbox

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ojud/test/longtest"
)

// calls are programs in Python with what the function f returns. The fuel is the same on every
// machine.
var calls = []struct {
	name, source string
	arg          string
	value, why   string
	fuel         int64
}{
	{"a sum", "def f(x): return x + 1", "1", "2", "", 279_758_947},
	{"texts", "def f(x): return x", "{\"a\":[1,2.5,null,true,\"é😀\u2028<b>\"],\"b\":-0.5,\"c\":12345678901234567890}", `{"a":[1,2.5,null,true,"\u00e9\ud83d\ude00\u2028<b>"],"b":-0.5,"c":12345678901234567890}`, "", 279_840_234},
	{"a tuple and a key", "def f(x): print(x); return {1: 2, 'a': (1, 2)}", "0", `{"1":2,"a":[1,2]}`, "", 280_219_086},
	{"no function", "def g(x): return x", "1", "", "KeyError: 'f'", 279_783_481},
	{"an exception", "def f(x): return x + 1", `"a"`, "", `TypeError: can only concatenate str (not "int") to str`, 279_840_037},
	{"a syntax error", "def f(", "1", "", "SyntaxError: '(' was never closed (result.py, line 1)", 279_288_311},
	{"an early end", "import os\nos._exit(0)", "1", "", "it ends before its functions return", 307_401_650},
	{"an exit", "import sys\ndef f(x): sys.exit(0)", "1", "", "SystemExit: 0", 280_024_268},
	{"recursion", "def f(x): return f(x)", "1", "", "RecursionError: maximum recursion depth exceeded", 292_121_888},
	{"NaN", "import struct\ndef f(x): return struct.pack('<d', float('inf') - float('inf')).hex()", "1", `"000000000000f87f"`, "", 283_496_490},
	{"no number of JSON", "def f(x): return float('nan')", "1", "", "ValueError: Out of range float values are not JSON compliant: nan", 279_915_605},
	{"a set", "def f(x): return {1, 2}", "1", "", "TypeError: set is nothing that JSON can say", 279_922_270},
	{"itself", "def f(x):\n  a = []\n  a.append(a)\n  return a", "1", "", "RecursionError: maximum recursion depth exceeded while encoding a JSON object", 280_770_418},
	{"floats", "import math\ndef f(x): return [0.1 + 0.2, 2.1 ** 3.3, math.sin(1e22), math.exp(1.5)]", "1", "[0.30000000000000004,11.569741950241465,-0.8522008497671888,4.4816890703380645]", "", 281_540_631},
	{"clock, chance, hashes, addresses", "import time, os\ndef f(x): return [time.time(), os.urandom(2).hex(), hash('a'), list({'a', 'b', 'c'}), id(f)]", "1", `[1640995200.0019999,"ec81",734054676,["a","c","b"],9719768]`, "", 308_760_348},
	{"a file", "def f(x): return open('/etc/passwd').read()", "1", "", "FileNotFoundError: [Errno 44] No such file or directory: '/etc/passwd'", 280_011_841},
	{"a process", "import os\ndef f(x): return os.getpid()", "1", "42", "", 307_739_323},
	{"a thread", "import _thread\ndef f(x): return _thread.start_new_thread(print, ())", "1", "", "RuntimeError: can't start new thread", 280_135_029},
	{"changed builtins", "import builtins, sys\nsys.setrecursionlimit(60)\nbuiltins.str = builtins.type = builtins.len = None\nsys.modules.clear()\ndef f(x): return [x]", "7", "[7]", "", 280_593_517},
	{"a forged answer", "import os, sys\nos.write(1, b'[[2]]')\ndef f(x): return 3", "1", "", "it ends before its functions return", 307_941_863},
	{"an error that cannot be shown", "class E(Exception):\n  def __str__(self): raise E\ndef f(x): raise E", "1", "", "something that is no text", 281_014_001},
	{"an exit while it is caught", "def f(x):\n  while True:\n    try: 1 // 0\n    except BaseException: return 5", "1", "5", "", 280_215_587},
}

// bombs are those that use more than they have. They take a second each.
var bombs = []struct{ name, source, why string }{
	{"a loop", "def f(x):\n  while True: pass", "it does not get to its end: out of fuel"},
	{"a pattern", "import re\ndef f(x): return re.match('(a+)+$', 'a' * 40 + 'b')", "it does not get to its end: out of fuel"},
	{"a large text", "def f(x): return 'x' * 10**9", "MemoryError: "},
	{"much output", "import os\ndef f(x):\n  while True: os.write(1, b'x' * 10**6)", "it does not get to its end: too much output"},
	{"a long value", "def f(x): return 'x' * 100000", "it returns too much"},
}

// forgeries are programs that write answers of their own, or look for what stands before ours.
var forgeries = map[string]string{
	"a write":        "import os\nos.write(1, b'[[2]]')\nos._exit(0)",
	"in a call":      "import posix\ndef f(x):\n  posix.write(1, b'[[2]]')\n  posix._exit(0)",
	"a file":         "import os\nopen(1, 'wb', closefd=False).write(b'[[2]]')\nos._exit(0)",
	"the first one":  "import sys, os\nsys.__stdout__.buffer.write(b'[[2]]')\nsys.__stdout__.buffer.flush()\nos._exit(0)",
	"our names":      "import __main__\n__main__.end('[[2]]')",
	"a frame":        "import sys\ndef f(x):\n  at = sys._getframe(1)\n  at.f_locals['end']('[[2]]')",
	"its answers":    "import sys\ndef f(x):\n  sys._getframe(1).f_locals['answers'].append('[2]')\n  raise SystemExit",
	"a traceback":    "def f(x):\n  try: 1 // 0\n  except BaseException as e: e.__traceback__.tb_frame.f_back.f_locals['end']('[[2]]')",
	"a generator":    "def g():\n  yield it.gi_frame.f_back.f_back.f_locals['end']('[[2]]')\nit = g()\ndef f(x): return next(it)",
	"all objects":    "import gc\ndef f(x):\n  for o in gc.get_objects():\n    if getattr(o, '__name__', '') == 'end': o('[[2]]')",
	"a trace":        "import sys\nsys.settrace(lambda frame, event, arg: frame.f_back.f_locals['end']('[[2]]'))\ndef f(x): return 3",
	"the monitor":    "import sys\nm = sys.monitoring\nm.use_tool_id(1, 'x')\nm.register_callback(1, m.events.CALL, lambda code, at, what, arg: what('[[2]]') if what.__name__ == 'end' else 0)\nm.set_events(1, m.events.CALL)\ndef f(x): return 3",
	"our encoder":    "import builtins\nbuiltins.type = builtins.str = lambda *a: '[[2]]'\ndef f(x): raise ValueError",
	"the last frame": "import sys, os\nsys.excepthook = lambda kind, e, tb: tb.tb_frame.f_locals['end']('[[2]]')\nimport builtins\nbuiltins.BaseException = 7\ndef f(x): raise ValueError",
}

// TestAttackPythonForges: no program has answers counted that its functions did not return. The
// control is a program that returns. It runs a third of them; -all runs each.
func TestAttackPythonForges(t *testing.T) {
	e := withPython(t)
	if e == nil {
		return
	}
	if got := callF(t, e, "def f(x): return 2", "1"); string(got.Value) != "2" || got.Doubt {
		t.Fatalf("%s, %q", got.Value, got.Why)
	}
	if got := callF(t, e, forgeries["a traceback"], "1"); string(got.Value) != "2" || !got.Doubt {
		t.Errorf("a traceback: %s, %q, in doubt %t", got.Value, got.Why, got.Doubt)
	}
	for i, name := range slices.Sorted(maps.Keys(forgeries)) {
		if !*all && i%3 != 0 {
			continue
		}
		if got := callF(t, e, forgeries[name], "1"); string(got.Value) == "2" && !got.Doubt {
			t.Errorf("%s: it returns 2, and no function did", name)
		}
	}
}

// withPython returns an engine that has CPython, or nil, and says so. The engine uses the compiled
// module in the user's cache: to compile it takes ten seconds.
func withPython(t *testing.T) *Engine {
	t.Helper()
	if _, err := PythonHere(); err != nil {
		if os.Getenv("CI") != "" && os.Getenv("OJUD_NO_PYTHON") != "1" {
			t.Fatalf("CI must run Python (make python), or set OJUD_NO_PYTHON=1: %v", err)
		}
		t.Logf("NOT RUN: %v; make python installs it", err)
		return nil
	}
	return openEngine(t)
}

// openEngine returns an engine that uses what is compiled in the user's cache.
func openEngine(t testing.TB) *Engine {
	t.Helper()
	e, err := Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
	return e
}

func callF(t *testing.T, e *Engine, source, arg string) Returned {
	t.Helper()
	got, used, err := e.Python(t.Context(), PythonCalls{source, []PythonCall{{"f", []json.RawMessage{json.RawMessage(arg)}}}, MaxPythonFuel})
	if err != nil || len(got) != 1 {
		t.Fatal(got, err)
	}
	got[0].Fuel = used
	return got[0]
}

// TestPython runs a third of the programs; -all runs each.
func TestPython(t *testing.T) {
	longtest.Only(t)
	e := withPython(t)
	if e == nil {
		return
	}
	for i, c := range calls {
		if !*all && i%3 != 0 {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			if got := callF(t, e, c.source, c.arg); string(got.Value) != c.value || got.Why != c.why || got.Fuel != c.fuel {
				t.Errorf("FUEL %s, %q, %d", got.Value, got.Why, got.Fuel)
			}
		})
	}
	for i, c := range bombs {
		if !*all && i%3 != 0 {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			if got := callF(t, e, c.source, "1"); got.Value != nil || got.Why != c.why {
				t.Errorf("%.100s, %q, %d", got.Value, got.Why, got.Fuel)
			}
		})
	}
	for i, c := range pythonParses {
		if !*all && i%3 != 0 {
			continue
		}
		t.Run("parse "+c.name, func(t *testing.T) {
			if run, err := e.Parse(t.Context(), Python, c.text); err != nil || run != (Run{c.said, c.why, c.fuel}) {
				t.Errorf("FUEL %+v, %v", run, err)
			}
		})
	}
}

// TestNoPython: without CPython, and with another module in its place, a run says so, and nothing
// else is kept.
func TestNoPython(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData"} {
		t.Setenv(name, home)
	}
	e := openEngine(t)
	ask := func(want string) {
		t.Helper()
		if _, err := e.Parse(t.Context(), Python, "x"); !errors.Is(err, ErrNoPython) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), home) {
			t.Errorf("%v instead of %s", err, want)
		}
	}
	ask("CPython is not on this machine")
	if _, err := InstallPython([]byte("\x00asm")); err == nil || !strings.Contains(err.Error(), "another module") {
		t.Error(err)
	}
	name, err := pythonFile()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte("\x00asm"), 0o600); err != nil {
		t.Fatal(err)
	}
	ask("another module, or a damaged one")
}
