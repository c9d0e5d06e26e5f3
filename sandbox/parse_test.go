package sandbox

import (
	"context"
	"strings"
	"testing"
	"unicode/utf8"
)

// texts are texts with what their parsers say. The fuel is the same on every machine.
var parses = []struct {
	language Language
	name     string
	text     string
	said     Said
	why      string
	fuel     int64
}{
	{JavaScript, "a script", "let a = 1; function f(x) { return x * a }\nf(2)", True, "", 2_674_699},
	{JavaScript, "a module", "import x from './y.js';\nexport default await x;", True, "", 5_314_836},
	{JavaScript, "a module that ends too soon", "import x from './y.js';\n\nexport default x +", False, "line 3: unexpected token in expression: ''", 5_294_842},
	{JavaScript, "a loop, which does not run", "for (;;);", True, "", 2_634_182},
	{JavaScript, "a name twice", "let a = 1; let a = 2", False, "line 1: invalid redefinition of lexical identifier", 5_298_082},
	{JavaScript, "an open text", "\n\nvar s = 'x", False, "line 3: unexpected end of string", 5_282_967},
	{JavaScript, "a bad pattern", "/(/.test('')", False, "expecting ')'", 5_294_202},
	{JavaScript, "a comment alone", "// nothing", True, "", 2_625_636},
	{JavaScript, "TypeScript", "interface A { x: number }", False, "line 1: expecting ';'", 5_285_798},
	{JavaScript, "JSX", "const x = <div/>", False, "line 1: unexpected token in expression: '<'", 5_286_330},
	{JavaScript, "nested brackets", strings.Repeat("(", 3_000), None, "code cannot tell: the parser did not get to its end: calls too deep", 5_514_524},
	{JavaScript, "nothing", " \n", False, "it is empty", 0},
	{JavaScript, "a zero byte", "let a = 1\x00}}}", None, "code cannot tell: the text has bytes that stand for no character", 0},
	{JavaScript, "too long", strings.Repeat("f();", 17_000), False, "it has 68000 bytes; at most 65536 are parsed", 0},
	{SQL, "a query", "SELECT a, b FROM t WHERE c = :d AND nofunc(1)", True, "", 257_147},
	{SQL, "a script", "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT);\nINSERT INTO t VALUES (1, 'x');\nUPDATE t SET b = 'y' WHERE a = 1;", True, "", 352_552},
	{SQL, "a typing error", "SELECT 1;\nSELEC 2;", False, `line 2: near "SELEC": syntax error`, 252_711},
	{SQL, "an error behind an unknown table", "SELECT a FROM t;\nSELECT b FRM u WHERE (1", False, `line 2: near "u": syntax error`, 259_464},
	{SQL, "an open text", "SELECT 'x", False, "line 1: unrecognized token: \"'x\n;\"", 156_580},
	{SQL, "an open bracket", "SELECT (1", False, `line 1: near ";": syntax error`, 158_158},
	{SQL, "another dialect", "SELECT TOP 5 * FROM t", False, `line 1: near "5": syntax error`, 249_979},
	{SQL, "a comment alone", "-- nothing", False, "it has no statement", 155_257},
	{SQL, "an open comment", "SELECT 1 /* two", True, "", 250_613},
	{SQL, "a pragma, which does not run", "PRAGMA table_info(t); ATTACH 'x' AS y; SELECT random()", True, "", 263_125},
	{SQL, "a trigger of an unknown table", "CREATE TRIGGER x AFTER INSERT ON t BEGIN SELEC 1; END", None, "code cannot tell: SQLite reads line 1 no further: no such table: main.t", 279_511},
	{SQL, "half a trigger", "CREATE TRIGGER x AFTER INSERT ON t BEGIN", None, "code cannot tell: SQLite reads line 1 no further: no such table: main.t", 279_511},
	{SQL, "nested brackets", "SELECT " + strings.Repeat("(", 3_000), False, "line 1: near \";\": syntax error", 622_278},
}

// pythonParses are those of Python. They need CPython.
var pythonParses = []struct {
	name, text string
	said       Said
	why        string
	fuel       int64
}{
	{"a function", "def f(x):\n    return x + 1\n", True, "", 262_268_858},
	{"no colon", "def f(x)\n    return x + 1\n", False, "line 1: expected ':'", 261_821_420},
	{"a bad indent", "x = 1\n  y = 2", False, "line 2: unexpected indent", 261_933_251},
	{"a return outside", "return 1", False, "line 1: 'return' outside function", 261_889_482},
	{"Python 2", "print 'x'", False, "line 1: Missing parentheses in call to 'print'. Did you mean print(...)?", 261_935_471},
	{"a loop, which does not run", "import os\nos.system('x')\nwhile True: pass", True, "", 262_220_047},
	{"new syntax", "match x:\n  case {'a': [1, *_]}: pass\ntype A = int\nf'{x!r:>{w}}'", True, "", 262_876_546},
	{"a declared coding", "# -*- coding: latin-1 -*-\nx = 'é'", True, "", 261_954_847},
	{"many brackets", strings.Repeat("(", 60) + "1" + strings.Repeat(")", 60), True, "", 264_440_448},
	{"many signs", strings.Repeat("-", 10_000) + "1", None, "code cannot tell: the parser did not get to its end: calls too deep", 265_235_815},
	{"a long sum", "x = " + strings.Repeat("1+", 3_000) + "1", None, "code cannot tell: the parser fails: RecursionError: maximum recursion depth exceeded during compilation", 314_963_620},
}

// TestParses: what texts are, and that nothing of them runs.
func TestParses(t *testing.T) {
	e := openEngine(t)
	for _, c := range parses {
		t.Run(string(c.language)+" "+c.name, func(t *testing.T) {
			if run, err := e.Parse(t.Context(), c.language, c.text); err != nil || run != (Run{c.said, c.why, c.fuel}) {
				t.Errorf("FUEL %+v, %v", run, err)
			}
		})
	}
	if _, err := e.Parse(t.Context(), "cobol", "x"); err == nil {
		t.Error("it parses COBOL")
	}
}

// FuzzParse: any text has an answer, within the limits, and the same one again.
func FuzzParse(f *testing.F) {
	for _, c := range parses {
		if len(c.text) < 200 {
			f.Add(c.language == SQL, c.text)
		}
	}
	e, err := Open(f.Context())
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() {
		if err := e.Close(context.Background()); err != nil {
			f.Error(err)
		}
	})
	f.Fuzz(func(t *testing.T, sql bool, text string) {
		language := map[bool]Language{true: SQL, false: JavaScript}[sql]
		one, err := e.Parse(t.Context(), language, text)
		if err != nil {
			t.Fatal(err)
		}
		if two, err := e.Parse(t.Context(), language, text); err != nil || one != two || one.Fuel > MaxFuel || len(one.Why) > 2*maxWhy || !utf8.ValidString(one.Why) {
			t.Errorf("%+v, then %+v, %v", one, two, err)
		}
	})
}
