package sandbox

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
	_ "unsafe" // for go:linkname

	_ "github.com/fastschema/qjs" // has the bytes of QuickJS, and nothing else of it runs
)

// quickjs is QuickJS-ng as a WebAssembly module. The Go module embeds it, so that go.sum checks it,
// but does not export it. Its own functions are not used: they give a program the files of the
// directory in which the process runs.
//
//go:linkname quickjs github.com/fastschema/qjs.wasmBytes
var quickjs []byte

// QuickJS is the SHA-256 of the module that interprets JavaScript. It is part of the record of a
// run.
const QuickJS = "88fcbeead33cca3ec8394feb0fb3eec8047ec9ac5062aba7a63799cee11989b7"

// The limits of a program in JavaScript.
const (
	MaxSource = 64 << 10
	maxInput  = 2 << 20 // of all its inputs as JSON
	maxWhy    = 500     // bytes of its reason
)

// Script is a program in JavaScript. Its answer is the value of its last statement.
type Script struct {
	Source string
	Inputs map[string]json.RawMessage // global names and their values
	Fuel   int64                      // that it may use, at most MaxFuel; 0: MaxFuel
}

// Said is what a program said.
type Said string

// What a program can say. None is no answer: the program says null, or did not get to its end.
const (
	True  Said = "true"
	False Said = "false"
	None  Said = "none"
)

// Run is a run of a program. It is the same on every machine.
type Run struct {
	Said Said   `json:"said"`
	Why  string `json:"why,omitempty"` // in the words of the program, or why there is no answer
	Fuel int64  `json:"fuel"`
}

// prelude takes the clock, random numbers and what else QuickJS offers away from a program. Then an
// ending runs it, and makes one line of its answer.
const prelude = `(function (source, inputs) {
"use strict";
const G = globalThis, stringify = JSON.stringify, evaluate = G.eval, text = String, array = Array.isArray;
const none = what => function () { throw new Error("a check program has no " + what); };
const keep = "KEPT".split(" ");
for (const name of Object.getOwnPropertyNames(G))
  if (!keep.includes(name)) delete G[name];
Math.random = none("random numbers");
const Real = Date, clock = none("clock");
const Fixed = new Proxy(Real, {
  construct(target, args, self) { return args.length ? Reflect.construct(target, args, self) : clock(); },
  apply: clock,
});
Real.now = clock;
Real.prototype.constructor = Fixed;
Object.defineProperty(G, "Date", {value: Fixed, writable: true, configurable: true});
ENDING
})`

// asking is the ending for a check program: it gives it its inputs as globals.
const asking = `for (const name in inputs)
  Object.defineProperty(G, name, {value: inputs[name], writable: true, configurable: true, enumerable: true});
let value, why = "";
try {
  value = evaluate(source);
  if (array(value) && value.length === 2 && typeof value[1] === "string") [value, why] = value;
} catch (e) {
  let said = "something that is no text";
  try { said = text(e); } catch {}
  return "E" + said.slice(0, 500);
}
if (value === true || value === false || value === null) return text(value)[0] + why.slice(0, 500);
return "E" + (value === undefined ? "its last statement has no value" : "its last statement is a " + typeof value) + "; say true, false or null, or one of them with a reason: [false, \"why\"]";`

// calling is the ending for a function of a program: its inputs are its arguments. What it returns
// is said by plain alone, because JSON.stringify says null of NaN, {} of a Map, and whatever a
// method toJSON says. A console takes what programs print, and keeps nothing.
const calling = `const keys = Object.keys, tag = Object.prototype.toString, call = Function.prototype.call.bind(Function.prototype.call), finite = Number.isFinite;
const refuse = what => { throw "it returns " + what + ", which JSON cannot say"; };
const plain = (v, depth) => {
  if (v === null) return "null";
  switch (typeof v) {
  case "boolean": return v ? "true" : "false";
  case "string": return stringify(v);
  case "number": return finite(v) ? text(v === 0 ? 0 : v) : refuse(text(v));
  case "object": break;
  default: refuse(typeof v === "undefined" ? "undefined" : "a " + typeof v);
  }
  if (depth === 0) refuse("what nests too deeply");
  let all = "";
  if (array(v)) {
    for (let i = 0, n = v.length; i < n; i++) all += (i ? "," : "") + plain(v[i], depth - 1);
    return "[" + all + "]";
  }
  const kind = call(tag, v);
  if (kind !== "[object Object]") refuse(kind);
  const names = keys(v);
  for (let i = 0; i < names.length; i++) {
    const member = v[names[i]];
    if (member !== undefined) all += (all ? "," : "") + stringify(names[i]) + ":" + plain(member, depth - 1);
  }
  return "{" + all + "}";
};
const quiet = {};
for (const name of ["log", "info", "debug", "warn", "error", "trace", "table", "assert", "time", "timeEnd", "group", "groupEnd", "dir", "count"]) quiet[name] = () => {};
G.console = quiet;
let value;
try {
  const f = evaluate(source + "\n;(" + inputs.function + ")");
  if (typeof f !== "function") return "Ethere is no function " + inputs.function;
  value = f(...inputs.args);
  if (value === undefined) return "Eit returns nothing that JSON can say";
  return "V" + plain(value, 64);
} catch (e) {
  let said = "something that is no text";
  try { said = text(e); } catch {}
  return "E" + said.slice(0, 500);
}`

// kept are the globals of JavaScript that a program may use.
const kept = "Object Function Error EvalError RangeError ReferenceError SyntaxError TypeError URIError InternalError AggregateError Iterator " +
	"Array parseInt parseFloat isNaN isFinite decodeURI decodeURIComponent encodeURI encodeURIComponent escape unescape Infinity NaN undefined " +
	"Number Boolean String Math Reflect Symbol eval globalThis Date RegExp JSON Proxy Map Set WeakMap WeakSet ArrayBuffer DataView BigInt " +
	"Uint8ClampedArray Int8Array Uint8Array Int16Array Uint16Array Int32Array Uint32Array BigInt64Array BigUint64Array " +
	"Float16Array Float32Array Float64Array"

// JavaScript runs a program. An error says that the program cannot be run at all, or that ctx
// ended; everything that a program does is a run.
func (e *Engine) JavaScript(ctx context.Context, s Script) (Run, error) {
	inputs := s.Inputs
	if inputs == nil {
		inputs = map[string]json.RawMessage{}
	}
	line, how, fuel, err := e.javascript(ctx, asking, s.Source, inputs, min(cmp.Or(s.Fuel, MaxFuel), MaxFuel), 4*maxWhy)
	if err != nil {
		return Run{}, err
	}
	return answered(line, how, fuel), nil
}

// javascript runs a program with an ending, and returns the line that the ending makes.
func (e *Engine) javascript(ctx context.Context, ending, source string, inputs any, fuel int64, most int) (line string, how end, used int64, err error) {
	code, err := program(ending, source, inputs)
	if err != nil {
		return "", "", 0, err
	}
	m, err := e.own(ctx, QuickJS, func() ([]byte, error) { return quickjs, nil })
	if err != nil {
		return "", "", 0, fmt.Errorf("QuickJS: %w", err)
	}
	p := &process{fuel: fuel, most: 0}
	if err := e.start(ctx, m, p); err != nil {
		return "", "", 0, err
	}
	defer func() { err = errors.Join(err, e.stop(ctx, p)) }()
	line, how = interpret(ctx, p, code, most)
	if err := context.Cause(ctx); err != nil {
		return "", "", 0, err // it is not the program's fault
	}
	return line, how, p.used(), nil
}

// program is a source with the prelude. Texts become literals of JSON, which are literals of
// JavaScript, too, and contain no zero byte.
func program(ending, source string, inputs any) (string, error) {
	if err := runnable(source); err != nil {
		return "", err
	}
	given, err := plainJSON(inputs)
	if err != nil {
		return "", fmt.Errorf("the inputs of the check program: %w", err)
	}
	if len(given) > maxInput {
		return "", fmt.Errorf("the inputs of the check program have %d bytes; at most %d are allowed", len(given), maxInput)
	}
	literal, err := plainJSON(source)
	if err != nil {
		return "", err
	}
	if given, err = plainJSON(given); err != nil {
		return "", err
	}
	before := strings.NewReplacer("KEPT", kept, "ENDING", ending).Replace(prelude)
	return fmt.Sprintf("%s(%s, JSON.parse(%s))", before, literal, given), nil
}

// runnable reports a source that is no program in any language.
func runnable(source string) error {
	switch {
	case strings.TrimSpace(source) == "":
		return errors.New("the check program is empty")
	case len(source) > MaxSource:
		return fmt.Errorf("the check program has %d bytes; at most %d are allowed", len(source), MaxSource)
	case !utf8.ValidString(source):
		return errors.New("the check program is not UTF-8")
	}
	return nil
}

// plainJSON encodes a value without the escapes for HTML, which would make six bytes of one.
func plainJSON(v any) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return strings.TrimSuffix(b.String(), "\n"), err
}

// inTurn returns a function that calls functions of the module, each only if all before it
// returned, and how the last call ended. A function without one result is 0. The code of an exit is
// not part of a run.
func (p *process) inTurn(ctx context.Context) (one func(name string, params ...uint64) uint64, how *end) {
	how = new(end)
	*how = returned
	return func(name string, params ...uint64) uint64 {
		if *how != returned {
			return 0
		}
		var out []uint64
		if out, *how, _ = p.call(ctx, name, params...); len(out) == 1 {
			return out[0]
		}
		return 0
	}, how
}

// interpret has QuickJS evaluate code. It returns the line that the prelude makes, and how the last
// call of the module ended.
func interpret(ctx context.Context, p *process, code string, most int) (string, end) {
	one, how := p.inTurn(ctx)
	engine := one("New_QJS", 0, 0, 0, 0)
	js := one("QJS_GetContext", engine)
	name := place(p, one("malloc", 8), "program")
	text := place(p, one("malloc", uint64(len(code))+1), code)
	options := one("QJS_CreateEvalOption", text, 0, 0, name, 0)
	value := one("QJS_Eval", js, options)
	if *how == returned && one("JS_HasException", js) != 0 {
		return "Eit used too much memory, or nested too deeply", *how
	}
	at := one("QJS_ToCString", js, value)
	if *how != returned {
		return "", *how
	}
	packed, ok := p.module.Memory().ReadUint64Le(uint32(at))
	if !ok {
		return "", trapped
	}
	line, ok := p.module.Memory().Read(uint32(packed>>32), min(uint32(packed), uint32(most)))
	if !ok {
		return "", trapped
	}
	return strings.ToValidUTF8(string(line), "\ufffd"), *how
}

// place writes a text with its final zero byte to where malloc found room. If there was none, the
// text is empty and the program an error.
func place(p *process, at uint64, text string) uint64 {
	if at != 0 && p.module.Memory().WriteString(uint32(at), text) {
		p.module.Memory().WriteByte(uint32(at)+uint32(len(text)), 0)
	}
	return at
}

// answered makes a run of the line.
func answered(line string, how end, fuel int64) Run {
	run := Run{Said: None, Fuel: fuel}
	if how != returned || line == "" {
		run.Why = "the check program did not get to its end: " + string(how)
		return run
	}
	run.Why = cut(line[1:])
	switch line[0] {
	case 't':
		run.Said = True
	case 'f':
		run.Said = False
	case 'E':
		run.Why = "the check program failed: " + run.Why
	}
	return run
}

// cut shortens a text of a program.
func cut(text string) string {
	if len(text) > maxWhy {
		text = strings.ToValidUTF8(text[:maxWhy], "")
	}
	return text
}
