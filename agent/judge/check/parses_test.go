package check_test

import (
	"encoding/json"
	"go/format"
	"os"
	"strings"
	"testing"

	"ojud/agent/judge/check"
	"ojud/casefile/demand"
)

// parse makes the demand on a text.
func parse(grammar, text string) (string, error) {
	found, err := check.Make(demand.Demands{Parses: &grammar}, text, check.Papers{})
	return strings.Join(found, ""), err
}

// TestParses: code that parses, that does not, and that hides something from the parser.
func TestParses(t *testing.T) {
	own, err := os.ReadFile("parses.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ grammar, text, want string }{
		{"go", string(own), met},
		{"go", "package p\n\nfunc f() int { return 1 }\n", met},
		{"go", "package p\n\nvar x undefined = nowhere.Y\n", met}, // types are not looked at
		{"go", "package p\n\nfunc f() int { return 1 \n", "is no Go: line 3"},
		{"go", "func f() {}", "is no Go: line 1"},
		{"go", "package p\nvar x = \"\x1b[31m\n", "is no Go: line 2"},
		{"go", "package p\n//line /etc/passwd:7\nvar x =", "is no Go: line"},
		{"go", "package p\nvar x = 1 // \x00", "is no Go"},
		{"go", "def f():\n    return 1\n", "is no Go"},
		{"go", "package p\nfunc f() {" + strings.Repeat("if f(func(){)))", 4000), `is no Go: line 2: ")" closes no bracket`},
		{"go", "package p\nvar x = [1)", `is no Go: line 2: ")" closes no bracket`},
		{"go", "package p\n}", `is no Go: line 2: "}" closes no bracket`},
		{"go", "package p\n\nvar x = \")}]\" // ]})\n", met},
		{"go", "", "is no Go"},
		{"json", `{"a":[1,2.5e3,"\u00e9",null]}`, met},
		{"json", ` 7 `, met},
		{"json", `{"a":1,}`, "is no JSON"},
		{"json", `{"a":1} {"b":2}`, "more stands after the first value"},
		{"json", `{'a':1}`, "is no JSON"},
		{"json", `NaN`, "is no JSON"},
		{"json", "", "is no JSON"},
		{"json", strings.Repeat("[", 65536), "is no JSON"},
		{"json", strings.Repeat(" ", 65535) + "1", met},
		{"json", strings.Repeat(" ", 65536) + "1", "longer than 65536 bytes"},
	} {
		found, err := parse(c.grammar, c.text)
		say(t, c.grammar+" of "+c.text[:min(len(c.text), 60)], c.want, found, err)
	}
	table(t, []row{
		{`"parses":"json"`, `{}`, "instead of a string"},
		{`"each":"/code","parses":"json"`, `[{"code":"1"},{"code":"[1]"}]`, met},
		{`"each":"/code","parses":"json"`, `[{"code":"1"},{"code":"x"}]`, "item 1 is no JSON"},
		{`"each":"","parses":"go"`, `[]`, unknown},
		{`"each":"","parses":"json"`, `["` + strings.Repeat(" ", 40000) + `1","` + strings.Repeat(" ", 40000) + `1"]`, "item 1 makes the texts longer"},
	})
}

// TestAttackNestedCode: code that would take the parser's stack is not parsed. Code of people, and
// long lists, are.
func TestAttackNestedCode(t *testing.T) {
	const room = 60 << 10
	fill := func(s string) string { return strings.Repeat(s, room/len(s)) }
	for name, text := range map[string]string{
		"parentheses": "var x=" + fill("("), "not": "var x=" + fill("! "), "pointers": "var x " + fill("*"), "arrays": "var x " + fill("[]"),
		"channels": "var x " + fill("chan "), "functions": "var x " + fill("func(a,b)"), "structs": "var x " + fill("func(struct{a int;b int})"),
		"maps": "var x " + fill("map[struct{a int;b int}]"), "labels": "func f(){" + fill("a:"), "lines of labels": "func f(){" + fill("a:\n"),
		"branches": "func f(){if x;y{}" + fill("else if x;y{}"), "blocks": "func f(){" + fill("{"), "calls": "var x=" + fill("f(a,"),
		"literals": "var x=" + fill("T{a,"), "parameters": "type T" + fill("[P *"), "bodies": "var x=" + fill("func(){a;"), "signs": "var x=" + fill("1+-+-"),
		"no blocks": "func f(){" + fill("if x "), "loops": "func f(){" + fill("for "), "switches": "func f(){" + fill("switch x "),
	} {
		found, err := parse("go", "package p;"+text)
		say(t, name, unknown, found, err)
	}
	for name, text := range map[string]string{
		"numbers": "var x=[]int{" + fill("-1,") + "}", "rows": "var x=[][]int{" + fill("{1,-2},") + "}", "lines": fill("\nvar x = -y"),
		"calls": "func f(){" + fill("\nf(-x, *y)") + "\n}", "cases": "func f(){switch x {" + fill("\ncase -1: f(*x)") + "\n}}",
	} {
		found, err := parse("go", "package p\n"+text)
		say(t, name, met, found, err)
	}
}

// FuzzParses: any text has an answer, and go/format and encoding/json agree with it.
func FuzzParses(f *testing.F) {
	for _, s := range []string{"package p", "package p\nfunc f(){", "{}", "[1", "package p;var x=((", "package p\n//line a:1\nvar"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var v any
		if _, err := parse("json", text); len(text) <= 64<<10 && (err == nil) != (json.Unmarshal([]byte(text), &v) == nil) {
			t.Errorf("JSON: %v", err)
		}
		if _, err := parse("go", text); err == nil {
			if _, bad := format.Source([]byte(text)); bad != nil {
				t.Errorf("it parses, and cannot be formatted: %v", bad)
			}
		}
	})
}
