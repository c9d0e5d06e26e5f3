package picture

import (
	"bytes"
	"encoding/json"
	"html/template"
	"strings"
	"testing"

	"ojud/casefile/casetest"
)

// TestCode: a program is taken apart into words, strings and comments, and nothing is lost. What
// begins a string or a comment and has no end goes to the end of the text.
func TestCode(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in         language
		text, want string
	}{
		{javaScript, "const a = 'x\\'y'; // no\nreturn a", "word const, string 'x\\'y', comment // no, word return"},
		{javaScript, "constant /* if */ `a\nb` 'open\nif", "comment /* if */, string `a\nb`, string 'open, word if"},
		{javaScript, "/* open", "comment /* open"},
		{javaScript, "'\\", "string '\\"},
		{sqlLanguage, "SELECT \"a\" FROM t -- all", "word SELECT, string \"a\", word FROM, comment -- all"},
		{javaScript, "", ""},
		{python, "def f():\n  \"\"\"a\n'b\"\"\" # if\n  return 7 // 2 /* 1", "word def, string \"\"\"a\n'b\"\"\", comment # if, word return"},
		{python, "'''open\nif", "string '''open\nif"},
		{golang, "func f() { return `a\nb` } // go", "word func, word return, string `a\nb`, comment // go"},
	} {
		var got, all []string
		for _, piece := range c.in.tokens(c.text) {
			all = append(all, piece.Text)
			if piece.Class != "" {
				got = append(got, piece.Class+" "+piece.Text)
			}
		}
		if strings.Join(got, ", ") != c.want || strings.Join(all, "") != c.text {
			t.Errorf("%q: %q", c.text, got)
		}
	}
	if got := javaScript.tokens(strings.Repeat("if ", 100_000)); len(got) > maxTokens+2 {
		t.Errorf("%d pieces", len(got))
	}
}

// TestAttackLiveCodeAsAComment: code that runs is never drawn as a comment or a string. If only a
// compiler can tell, the rest has no class.
func TestAttackLiveCodeAsAComment(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in         language
		text, want string
	}{
		{javaScript, "const r = /[/*]/; if (!ok) { steal() } // */ \n[ok]", "word const"},
		{javaScript, "const r = /\"/; steal(); /\"/", "word const"},
		{javaScript, "let x = `${steal()}`", "word let"},
		{javaScript, "let x // <U+2028>steal()", "word let"},
		{javaScript, "let x // a\rsteal()", "word let"},
		{javaScript, "let x\n<!-- if (x)", "word let"},
		{sqlLanguage, "SELECT '\\' = 'x' OR 1=1 -- '", "word SELECT, string '\\', string 'x', word OR, comment -- '"},
		{sqlLanguage, "SELECT [/*] OR 1=1 -- */", "word SELECT"},
		{golang, "x := `\\`; steal(); y := `\\`", "string `\\`, string `\\`"},
		{python, "return f'{steal()}'", "word return"},
		{python, "return \"\"\"\\\"\"\" + steal() + \"\"\"", "word return, string \"\"\"\\\"\"\" + steal() + \"\"\""},
		{python, "return 1 # it's\nnot '# a'", "word return, comment # it's, word not, string '# a'"},
	} {
		var got []string
		for _, piece := range c.in.tokens(c.text) {
			if piece.Class != "" {
				got = append(got, piece.Class+" "+piece.Text)
			}
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%q: %q, want %s", c.text, got, c.want)
		}
	}
}

// FuzzCode: whatever a program is, its pieces are the whole of it.
func FuzzCode(f *testing.F) {
	f.Add("const x = `a` // b")
	f.Fuzz(func(t *testing.T, text string) {
		for _, in := range []language{javaScript, sqlLanguage, python, golang} {
			var out strings.Builder
			for _, piece := range in.tokens(text) {
				out.WriteString(piece.Text)
			}
			if out.String() != text {
				t.Fatalf("%q became %q", text, out.String())
			}
		}
	})
}

// TestAttackHiddenProgram: a check program that is hidden behind a long comment, and a check behind
// a long value, are shown whole. Hostile text in a program stays text.
func TestAttackHiddenProgram(t *testing.T) {
	t.Parallel()
	pages, err := Templates(template.New(""))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range casetest.Hostile() {
		text = strings.ToValidUTF8(text, "?")
		source, err := json.Marshal("/* " + strings.Repeat("fair ", 3_000) + "*/\nif (!value) return true\n" + text + "\nreturn [false, 'HIDDEN_END']")
		if err != nil {
			t.Fatal(err)
		}
		task := `{"expected":[{"path":"/text","program":{"javascript":` + string(source) + `}},{"equals":"` + strings.Repeat("x", 1_000) + `HIDDEN_VALUE","path":"/text"}],` +
			`"instruction":["write"],"output_schema":{"text":"string"}}`
		var p paper
		p.order([]byte(task))
		var out bytes.Buffer
		if err := pages.ExecuteTemplate(&out, "case", CasePage{Papers: []paper{p}}); err != nil {
			t.Fatal(err)
		}
		drawn := out.String()
		for _, want := range []string{"HIDDEN_END", "HIDDEN_VALUE", "the program of thing 1, in JavaScript", `<span class="word">return</span>`} {
			if !strings.Contains(drawn, want) {
				t.Errorf("%.20q: %s is not shown", text, want)
			}
		}
		for _, bad := range []string{"<script", "<img", "<h1 id", "<svg onload", "\u202e", "\x1b"} {
			if strings.Contains(drawn, bad) {
				t.Errorf("%.20q: %q is on the page", text, bad)
			}
		}
	}
}

// TestResultCode: a result is shown as code where the checks of its task say that it is, and only
// there. Nothing of it is lost, and markup in it stays text.
func TestResultCode(t *testing.T) {
	t.Parallel()
	const task = `{"instruction":["Write it."],"output_schema":{"code":"string","q":"string","note":"string"},"expected":[
		{"path":"/code","tests":{"javascript":[{"function":"f","args":[1],"returns":1}]}},
		{"path":"/q","parses":"python"},{"path":"/note/0","parses":"sql"}]}`
	code := ordersCode([]byte(task))
	if len(code) != 2 || code["code"].name != "JavaScript" || code["q"].name != "Python" {
		t.Fatalf("%v", code)
	}
	const script = "<script>const a = 'b'</script>"
	raw, err := json.Marshal(map[string]string{"code": script, "q": "if", "note": "if"})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range coded(raw, code) {
		var whole strings.Builder
		words := 0
		for _, piece := range p.Code {
			whole.WriteString(piece.Text)
			if piece.Class == "word" {
				words++
			}
		}
		switch p.Label {
		case "code, in JavaScript":
			if whole.String() != script || words != 1 || !p.Pre {
				t.Errorf("%+v", p)
			}
		case "q, in Python":
			if words != 1 {
				t.Errorf("%+v", p)
			}
		default:
			if p.Label != "note" || p.Code != nil {
				t.Errorf("%+v", p)
			}
		}
	}
	if len(ordersCode([]byte("{}"))) != 0 {
		t.Error("no task has code")
	}
}

// TestSaid: what programs of judges quote stands there without escapes, and cannot leave its marks.
func TestSaid(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`the memo is "\"INV-107\"", not "x"`:   `the memo is “INV-107”, not "x"`,
		`"a" is "say \"yes\""`:                 `"a" is “say "yes"”`,
		`it has "a\u201d: it is paid \u201cb"`: `it has “a": it is paid "b”`,
		`"turn \u202e"`:                        `“turn <U+202E>”`,
		`an object, with 1 texts and 0 lists`:  `an object, with 1 text and 0 lists`,
		`with 11 texts and 1 lists`:            `with 11 texts and 1 list`,
		`at "": 12 lamports`:                   `12 lamports`,
		`an open "quotation \" stays`:          `an open "quotation \" stays`,
		`"\q" is no escape`:                    `"\q" is no escape`,
		`a \ alone, and "<b>" as it is`:        `a \ alone, and "<b>" as it is`,
	} {
		if got := Said(in); got != want {
			t.Errorf("%s\n%s\nwant %s", in, got, want)
		}
	}
}

// FuzzSaid: whatever a judge says, nothing of it can hide, and no escape of it grows.
func FuzzSaid(f *testing.F) {
	f.Add(`it is "\"a\u202eb\"", and at "": 1 texts`)
	f.Fuzz(func(t *testing.T, text string) {
		for _, r := range Said(text) {
			if r != ' ' && !visible(r) {
				t.Fatalf("%q shows %U", text, r)
			}
		}
		if got := unquoted(text); len(got) > 3*len(text)+8 {
			t.Fatalf("%q became %q", text, got)
		}
	})
}
