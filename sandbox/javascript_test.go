package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

const result = `{"total":118.5,"rows":[3,1,2],"__proto__":{"x":1},"text":"line one\nline two"}`

// scripts are programs with what they say. The fuel that each uses is the same on every machine
// (TestSame).
var scripts = []struct {
	name, source string
	said         Said
	why          string
	fuel         int64
}{
	{"an expression", "result.total === 118.5", True, "", 4_768_124},
	{"a reason", "[false, 'the total is ' + result.total]", False, "the total is 118.5", 4_796_260},
	{"cannot tell", "null", None, "", 4_752_248},
	{"statements", "let sum = 0; for (const n of result.rows) sum += n; sum === 6", True, "", 4_827_252},
	{"a function", "function lines(s) { return s.split('\\n').length } lines(result.text) === 2", True, "", 4_817_205},
	{"a key that is special in JavaScript", "result.x === undefined && Object.keys(result).includes('__proto__')", True, "", 4_804_944},
	{"recursion", "function f(n) { return n ? f(n - 1) + 1 : 0 } f(250) === 250", True, "", 5_046_734},
	{"floats", "[0.1 + 0.2 === 0.30000000000000004, Math.pow(2.1, 3.3) + ' ' + Math.sin(1e22) + ' ' + Math.exp(1.5)]", True, "11.569741950241465 -0.8522008497671888 4.4816890703380645", 4_906_220},
	{"NaN", "[true, new Uint8Array(new Float64Array([0/0, Math.sqrt(-1), Infinity - Infinity, -(0/0)]).buffer).join()]", True, "0,0,0,0,0,0,248,127,0,0,0,0,0,0,248,127,0,0,0,0,0,0,248,127,0,0,0,0,0,0,248,127", 4_931_760},
	{"order", "[true, [10, 9, 1].sort().join() + Object.keys({b: 1, a: 2, 1: 3}).join() + [...new Set([3, 1, 3])].join()]", True, "1,10,91,b,a3,1", 4_975_281},
	{"a date", "new Date('2020-02-30').getTime() !== new Date('2020-02-29').getTime()", True, "", 4_834_961},
	{"a number", "42", None, "the check program failed: its last statement is a number; say true, false or null, or one of them with a reason: [false, \"why\"]", 4_755_520},
	{"nothing", "function check() { return true }", None, "the check program failed: its last statement has no value; say true, false or null, or one of them with a reason: [false, \"why\"]", 4_775_896},
	{"an exception", "result.items.map(x => x)", None, "the check program failed: TypeError: cannot read property 'map' of undefined", 4_827_703},
	{"a syntax error", "result.total ===", None, "the check program failed: SyntaxError: unexpected token in expression: ''", 4_791_155},
	{"the clock", "new Date().getFullYear() > 2000", None, "the check program failed: Error: a check program has no clock", 4_836_550},
	{"the clock as a function", "Date.now() > 0", None, "the check program failed: Error: a check program has no clock", 4_818_296},
	{"random numbers", "Math.random() < 2", None, "the check program failed: Error: a check program has no random numbers", 4_819_116},
	{"the interpreter's library", "typeof std + typeof os + typeof bjson + typeof console + typeof print + typeof performance === 'undefined'.repeat(6)", True, "", 4_828_625},
	{"a loop", "for (;;);", None, "the check program did not get to its end: out of fuel", MaxFuel},
	{"a regular expression", "/^(a+)+$/.test('a'.repeat(40) + 'b')", None, "the check program did not get to its end: out of fuel", MaxFuel},
	{"a text that grows", "let s = 'x'; while (true) s += s", None, "the check program failed: InternalError: out of memory", 21_659_283},
	{"a large array", "new Uint8Array(2 ** 31).length > 0", None, "the check program failed: RangeError: invalid array buffer length", 4_824_798},
	{"endless recursion", "(function f() { f() })()", None, "the check program did not get to its end: calls too deep", 4_891_337},
	{"endless recursion, caught", "while (true) { try { (function f() { f() })() } catch {} }", None, "the check program did not get to its end: calls too deep", 4_922_020},
	{"nested JSON", "JSON.parse('['.repeat(1e6))", None, "the check program did not get to its end: calls too deep", 58_945_344},
	{"nested source", "eval('('.repeat(1e5))", None, "the check program did not get to its end: calls too deep", 12_932_478},
	{"an error that cannot be shown", "throw {toString() { throw 1 }}", None, "the check program failed: something that is no text", 4_855_373},
	{"a long reason", "[false, 'é'.repeat(1e6)]", False, strings.Repeat("é", 250), 48_950_768},
	{"half a character", "[false, '\\ud800 \\u0000<b>']", False, "\ufffd ", 4_785_183},
	{"changed globals", "Array.isArray = String = JSON.stringify = () => { throw 1 }; Object.prototype.length = 2; [true, 'why']", True, "why", 4_847_367},
	{"a module of files", "import('qjs:std').then(s => s.loadFile('/etc/passwd')), null", None, "", 4_867_868},
}

func TestJavaScript(t *testing.T) {
	e := openEngine(t)
	for _, s := range scripts {
		t.Run(s.name, func(t *testing.T) {
			run, err := e.JavaScript(t.Context(), Script{Source: s.source, Inputs: map[string]json.RawMessage{"result": json.RawMessage(result)}})
			if err != nil {
				t.Fatal(err)
			}
			if run.Said != s.said || run.Why != s.why {
				t.Errorf("it says %s, %q", run.Said, run.Why)
			}
			if run.Fuel != s.fuel {
				t.Errorf("FUEL %q %d", s.name, run.Fuel)
			}
		})
	}
}

// TestVersion: whoever changes what runs around a program changes what everybody gets from it, and
// so has to give the rules a new name. Then put the new hash here.
func TestVersion(t *testing.T) {
	limits := fmt.Sprint(MaxFuel, maxDepth, maxPages, maxWhy, maxReturned, int64(began), tick, bytesOfOne)
	for want, parts := range map[string]string{
		"ojud-wasm-2 a1ef0d362a6d1e41":   prelude + kept + asking + calling + QuickJS,
		"ojud-sql-2 05f231d271f489d3":    SQLite + sqliteFunctions + fmt.Sprint(maxColumns, maxCell, maxMissing, documents, column, missing),
		"ojud-python-2 33b1bcdd56d7cd94": CPython + pythonCalling + lookedAt + fmt.Sprint(pythonFlags, MaxPythonFuel, pythonDepth, maxPythonOutput),
		"ojud-parse-1 40210142f18f07dd":  QuickJS + SQLite + CPython + pythonParsing + fmt.Sprint(pythonFlags, pythonDepth, maxParsed, notSQL, compileOnly),
		"ojud-wasi-1 b65fd20c7e31d098":   hint + fmt.Sprint(MaxModule, MaxModuleFuel, wasiFunctions[0].params),
	} {
		version, _, _ := strings.Cut(want, " ")
		sum := sha256.Sum256([]byte(parts + limits))
		if got := version + " " + hex.EncodeToString(sum[:8]); got != want || !slices.Contains([]string{Version, VersionSQL, VersionWASI, VersionPython, VersionParse}, version) {
			t.Error(got)
		}
	}
}

func TestScriptLimits(t *testing.T) {
	e := openEngine(t)
	for name, s := range map[string]Script{
		"the check program is empty":            {Source: " \n"},
		"at most 65536 are allowed":             {Source: strings.Repeat("1;", MaxSource)},
		"the check program is not UTF-8":        {Source: "'\xff'"},
		"at most 2097152 are allowed":           {Source: "true", Inputs: map[string]json.RawMessage{"data": json.RawMessage(`"` + strings.Repeat("x", maxInput) + `"`)}},
		"the inputs of the check program: json": {Source: "true", Inputs: map[string]json.RawMessage{"data": json.RawMessage(`{`)}},
	} {
		if _, err := e.JavaScript(t.Context(), s); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v instead of %s", err, name)
		}
	}
}

// TestLargestInput: the largest input is read well within the limits.
func TestLargestInput(t *testing.T) {
	e := openEngine(t)
	large := json.RawMessage(`"` + strings.Repeat("é\\n", (maxInput-100)/4) + `"`)
	run, err := e.JavaScript(t.Context(), Script{Source: "result.split('\\n').length === " + "524264", Inputs: map[string]json.RawMessage{"result": large}})
	if err != nil || run.Said != True {
		t.Errorf("%+v, %v", run, err)
	}
}
