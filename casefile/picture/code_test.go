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

// FuzzCode: whatever a program is, its pieces are the whole of it.
func FuzzCode(f *testing.F) {
	f.Add("const x = `a` // b")
	f.Fuzz(func(t *testing.T, text string) {
		for _, in := range []language{javaScript, sqlLanguage} {
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
		source, err := json.Marshal("/* " + strings.Repeat("fair ", 3_000) + "*/\n" + text + "\nreturn [false, 'HIDDEN_END']")
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
