package proof

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"ojud/casefile"
)

// run runs the only check of a task on a result.
func run(t *testing.T, p *Prover, check, result string) (casefile.Run, error) {
	t.Helper()
	task, err := casefile.ParseTask([]byte(`{"instruction":["x"],"output_schema":{},"expected":[` + check + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := casefile.ParseResult([]byte(result))
	if err != nil {
		t.Fatal(err)
	}
	return p.Run(t.Context(), task.Value, 0, Papers{task.Raw, doc.Raw})
}

func prover(t *testing.T) *Prover {
	t.Helper()
	p := new(Prover)
	t.Cleanup(func() {
		if err := p.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
	return p
}

// TestAttackTestedCode: a worker hands in a program that is wrong, that attacks what tests it, or
// that never ends. The creator's part is no code, so everything but the right answers is false.
func TestAttackTestedCode(t *testing.T) {
	p := prover(t)
	const check = `{"path":"/code","tests":{"javascript":[` +
		`{"function":"median","args":[[3,1,2]],"returns":2},{"function":"median","args":[[4,1,2,3]],"returns":2.5},{"function":"median","args":[[]],"returns":null}]}}`
	const right = "const median = all => { const s = [...all].sort((a, b) => a - b), m = s.length >> 1; return s.length === 0 ? null : s.length % 2 ? s[m] : (s[m - 1] + s[m]) / 2 }"
	for _, c := range []struct {
		name, code string
		said       casefile.Said
		why        string
	}{
		{"right", right, casefile.SaidTrue, "3 of 3 calls return what they should"},
		{"right, as a function and with a last comment", strings.Replace(right, "const median = all =>", "function median(all)", 1) + " // done", casefile.SaidTrue, "3 of 3 calls"},
		{"an upper middle", strings.Replace(right, "s.length % 2 ? s[m] : (s[m - 1] + s[m]) / 2", "s[m]", 1), casefile.SaidFalse, "median([4,1,2,3]) returns 3 instead of 2.5"},
		{"a text instead of a number", "function median() { return '2' }", casefile.SaidFalse, `median([3,1,2]) returns "2" instead of 2`},
		{"a loop", "function median() { for (;;); }", casefile.SaidFalse, "median([3,1,2]) fails: it does not get to its end: out of fuel"},
		{"a loop outside", "for (;;);", casefile.SaidFalse, "out of fuel"},
		{"all memory", "let a = []; for (;;) a.push(new Array(1e6).fill(1))", casefile.SaidFalse, "out of memory"},
		{"an exception", "function median(all) { return all.nothing.there }", casefile.SaidFalse, "fails: TypeError"},
		{"no such function", "function mean() { return 2 }", casefile.SaidFalse, "median"},
		{"no function", "const median = 2", casefile.SaidFalse, "there is no function median"},
		{"nothing returned", "function median() {}", casefile.SaidFalse, "returns nothing that JSON can say"},
		{"a promise", "async function median() { return 2 }", casefile.SaidFalse, "returns {} instead of 2"},
		{"a syntax error", "function median( {", casefile.SaidFalse, "fails: SyntaxError"},
		{"JSON replaced", "JSON.stringify = () => '2'; Array.prototype.join = () => 'V2'; function median() { return 3 }", casefile.SaidFalse, "returns 3 instead of 2"},
		{"the text of the ending", "2) } catch {} return 'V2' //", casefile.SaidFalse, "fails: SyntaxError"},
		{"toJSON", "function median() { return {toJSON() { return 7 }} }", casefile.SaidFalse, "returns 7 instead of 2"},
		{"gigabytes", "function median() { return 'x'.repeat(1e6) }", casefile.SaidFalse, "it returns too much"},
		{"nothing", " ", casefile.SaidFalse, "the program has 1 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			raw, err := json.Marshal(map[string]string{"code": c.code})
			if err != nil {
				t.Fatal(err)
			}
			got, err := run(t, p, check, string(raw))
			if err != nil || got.Said != c.said || !strings.Contains(got.Why, c.why) {
				t.Errorf("%+v, %v", got, err)
			}
			if got.Fuel > 2_000_000_000 {
				t.Errorf("all calls together used %d", got.Fuel)
			}
		})
	}
	if got, err := run(t, p, check, `{"code":7}`); err != nil || got.Said != casefile.SaidFalse || !strings.Contains(got.Why, "not a string") {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestAttackLargeResult: a worker fills a result with characters that grow when they are written,
// so that the program's input would be too large. It is not.
func TestAttackLargeResult(t *testing.T) {
	p := prover(t)
	for _, c := range []string{"<", "&", "\\\"", "\\\\", "\\u0001", "é"} {
		many := (casefile.MaxDocument - 100) / max(len(c), 1)
		if c == "\\u0001" {
			many = (casefile.MaxDocument - 100) / 6
		}
		got, err := run(t, p, `{"path":"/text","program":{"javascript":"value.length > 1000 && value === result.text"}}`, `{"text":"`+strings.Repeat(c, many)+`"}`)
		if err != nil || got.Said != casefile.SaidTrue {
			t.Errorf("%q: %+v, %v", c, got, err)
		}
	}
}

// TestPlace: nothing at the path is an error of its own class, which says so.
func TestPlace(t *testing.T) {
	_, err := run(t, prover(t), `{"path":"/sum","program":{"javascript":"true"}}`, `{"total":1}`)
	var place ErrPlace
	if !errors.As(err, &place) || !strings.Contains(err.Error(), "sum") {
		t.Errorf("%v", err)
	}
}
