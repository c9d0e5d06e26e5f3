package sandbox

import (
	"encoding/json"
	"testing"
)

// returns are programs in JavaScript with what the function f returns. The fuel is the same on
// every machine.
var returns = []struct {
	name, source string
	arg          string
	value, why   string
	fuel         int64
}{
	{"values", "const f = x => x", `{"a":[1,2.5,null,true,"é\u2028"],"b":-0.5,"":{}}`, "{\"a\":[1,2.5,null,true,\"é\u2028\"],\"b\":-0.5,\"\":{}}", "", 5_835_651},
	{"NaN", "const f = x => x / 0 - x / 0", "1", "", "it returns NaN, which JSON cannot say", 5_756_796},
	{"NaN inside", "const f = x => [{a: NaN}]", "1", "", "it returns NaN, which JSON cannot say", 5_806_019},
	{"Infinity", "const f = x => -x / 0", "1", "", "it returns -Infinity, which JSON cannot say", 5_746_440},
	{"a zero below zero", "const f = x => -0 * x", "1", "0", "", 5_700_674},
	{"a large number", "const f = x => 1e21 * x", "1", "1e+21", "", 5_704_109},
	{"undefined", "const f = x => {}", "1", "", "it returns nothing that JSON can say", 5_685_594},
	{"undefined inside", "const f = x => [undefined]", "1", "", "it returns undefined, which JSON cannot say", 5_762_927},
	{"a hole", "const f = x => [, 1]", "1", "", "it returns undefined, which JSON cannot say", 5_762_156},
	{"a huge hole", "const f = x => Array(4294967295)", "1", "", "it returns undefined, which JSON cannot say", 5_769_277},
	{"a member without a value", "const f = x => ({a: undefined, b: 1})", "1", `{"b":1}`, "", 5_748_083},
	{"toJSON", "const f = x => ({toJSON() { return null }})", "1", "", "it returns a function, which JSON cannot say", 5_800_660},
	{"toJSON of all", "Object.prototype.toJSON = Array.prototype.toJSON = Number.prototype.toJSON = () => 2; Object.defineProperty(Object.prototype, 'toJSON', {enumerable: false}); const f = x => [3, {a: 3}]", "1", `[3,{"a":3}]`, "", 5_859_524},
	{"an object of a class", "class P { constructor(x) { this.x = x } toJSON() { return 2 } } const f = x => new P(x)", "1", `{"x":1}`, "", 5_815_425},
	{"a Map", "const f = x => new Map([[1, 2]])", "1", "", "it returns [object Map], which JSON cannot say", 5_784_828},
	{"a Set", "const f = x => new Set([x])", "1", "", "it returns [object Set], which JSON cannot say", 5_771_638},
	{"a pattern", "const f = x => /x/", "1", "", "it returns [object RegExp], which JSON cannot say", 5_753_689},
	{"an error", "const f = x => new Error('x')", "1", "", "it returns [object Error], which JSON cannot say", 5_750_061},
	{"a generator", "function* f(x) { yield x }", "1", "", "it returns [object Generator], which JSON cannot say", 5_761_379},
	{"a promise", "const f = async x => x", "1", "", "it returns [object Promise], which JSON cannot say", 5_758_035},
	{"a date", "const f = x => new Date(0)", "1", "", "it returns [object Date], which JSON cannot say", 5_786_345},
	{"a text as an object", "const f = x => new String('a')", "1", "", "it returns [object String], which JSON cannot say", 5_760_585},
	{"numbers of a machine", "const f = x => new Float64Array([x])", "1", "", "it returns [object Float64Array], which JSON cannot say", 5_765_776},
	{"a large integer", "const f = x => 10n", "1", "", "it returns a bigint, which JSON cannot say", 5_738_857},
	{"a symbol", "const f = x => Symbol()", "1", "", "it returns a symbol, which JSON cannot say", 5_745_131},
	{"itself", "const f = x => { const a = []; a.push(a); return a }", "1", "", "it returns what nests too deeply, which JSON cannot say", 6_143_442},
	{"changed builtins", "Object.keys = () => []; Number.isFinite = () => true; Object.prototype.toString = Function.prototype.call = () => '[object Object]'; JSON.stringify = String = () => '2'; const f = x => [new Map(), NaN]", "1", "", "it returns [object Map], which JSON cannot say", 5_909_532},
	{"a console", "console.log(1); const f = x => { console.error(x); return x }", "7", "7", "", 5_725_313},
	{"a getter that changes", "const f = x => ({get a() { return x++ }})", "7", `{"a":7}`, "", 5_759_964},
	{"an exception while it is read", "const f = x => ({get a() { throw {toString() { throw 1 }} }})", "7", "", "something that is no text", 5_857_190},
}

// callJavaScript calls the function f of a program in JavaScript.
func callJavaScript(t *testing.T, e *Engine, source, arg string) Returned {
	t.Helper()
	got, err := e.Call(t.Context(), Call{Source: source, Function: "f", Args: []json.RawMessage{json.RawMessage(arg)}, Fuel: MaxFuel})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestAttackNotANumber: a function that returned NaN, a Map, or an object with toJSON passed a test
// for null, {} or whatever it liked, because JSON.stringify says so. The same is refused in Python.
func TestAttackNotANumber(t *testing.T) {
	e := openEngine(t)
	for _, c := range returns {
		got := callJavaScript(t, e, c.source, c.arg)
		if string(got.Value) != c.value || got.Why != c.why {
			t.Errorf("%s: it returns %s, %q", c.name, got.Value, got.Why)
		}
		if got.Fuel != c.fuel {
			t.Errorf("FUEL %q %d", c.name, got.Fuel)
		}
	}
}
