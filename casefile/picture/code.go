package picture

import (
	"fmt"
	"slices"
	"strings"

	"ojud/casefile"
)

// Token is a piece of a program that is drawn in its own way.
type Token struct {
	Class string // word, string, comment; empty: none of them
	Text  string
}

// maxProgram bounds what is shown of a program: nothing is left out, because the document of a task
// is not longer.
const maxProgram = 256 << 10

// maxTokens bounds the pieces of a program. The rest of it stands there as it is.
const maxTokens = 1_500

// language says how a program is taken apart.
type language struct {
	name, comment string // what begins a comment that ends with its line
	block         bool   // a comment may stand between /* and */
	triple        bool   // three quotes begin a string of several lines
	quotes        string
	raw           string   // those quotes in which a backslash is only itself
	doubts        []string // outside of strings and comments, only a compiler knows what these begin
	fold          bool     // large and small letters are the same
	words         []string // in order
}

var (
	javaScript = language{"JavaScript", "//", true, false, "\"'`", "", []string{"/", "<!--", "-->"}, false, []string{"break", "case", "catch", "const", "continue", "do", "else", "every", "false", "finally", "for", "function", "if", "in",
		"let", "new", "null", "of", "return", "some", "switch", "this", "throw", "true", "try", "typeof", "undefined", "var", "while"}}
	sqlLanguage = language{"SQL", "--", true, false, "\"'", "\"'", []string{"`", "["}, true, []string{"all", "and", "as", "between", "by", "case", "count", "distinct", "else", "end", "except", "exists", "false", "from", "group",
		"having", "in", "intersect", "is", "join", "left", "like", "limit", "not", "null", "on", "or", "order", "select", "then", "true", "union", "values", "when", "where", "with"}}
	python = language{"Python", "#", false, true, "\"'", "", nil, false, []string{"False", "None", "True", "and", "as", "assert", "break", "class", "continue", "def", "del", "elif", "else", "except", "finally",
		"for", "from", "if", "import", "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield"}}
	golang = language{"Go", "//", true, false, "\"'`", "`", nil, false, []string{"break", "case", "chan", "const", "continue", "default", "defer", "else", "false", "for", "func", "go", "if", "import",
		"interface", "map", "nil", "package", "range", "return", "select", "struct", "switch", "true", "type", "var"}}
)

// tokens takes a program apart. Together they are the text. Code that runs must not look like a
// comment or a string, so if it is in doubt what something is, the rest has no class.
func (l language) tokens(text string) (out []Token) {
	plainFrom := 0
	add := func(from, to int, class string) {
		if from > plainFrom {
			out = append(out, Token{"", text[plainFrom:from]})
		}
		out = append(out, Token{class, text[from:to]})
		plainFrom = to
	}
	for at := 0; at < len(text) && len(out) < maxTokens; {
		class, to := l.token(text[at:])
		if class == "doubt" {
			break
		}
		if class != "" {
			add(at, at+to, class)
		}
		at += to
	}
	if plainFrom < len(text) {
		out = append(out, Token{"", text[plainFrom:]})
	}
	return out
}

// token returns the class and the length of what a text begins with.
func (l language) token(text string) (class string, length int) {
	c := text[0]
	switch {
	case strings.HasPrefix(text, l.comment):
		return sure("comment", text[:upTo(text, "\n")])
	case l.block && strings.HasPrefix(text, "/*"):
		return "comment", min(len(text), 2+upTo(text[2:], "*/")+2)
	case slices.ContainsFunc(l.doubts, func(mark string) bool { return strings.HasPrefix(text, mark) }):
		return "doubt", 0
	case strings.IndexByte(l.quotes, c) >= 0:
		if marks := strings.Repeat(string(c), 3); l.triple && strings.HasPrefix(text, marks) {
			return "string", l.tripled(text, marks)
		}
		return sure("string", text[:l.quoted(text)])
	case !letter(c):
		return "", 1
	}
	to := 1
	for to < len(text) && (letter(text[to]) || text[to] >= '0' && text[to] <= '9') {
		to++
	}
	word := text[:to]
	if l.triple && to < len(text) && strings.IndexByte(l.quotes, text[to]) >= 0 && strings.ContainsAny(word, "fFtT") {
		return "doubt", 0 // Python runs what stands between braces in such a string
	}
	if l.fold {
		word = strings.ToLower(word)
	}
	if _, known := slices.BinarySearch(l.words, word); known {
		return "word", to
	}
	return "", to
}

// sure is the class of a comment or string, unless a line may end in it that is not shown as one,
// or code may stand in it.
func sure(class, text string) (string, int) {
	if strings.Contains(text, "<U+") || strings.ContainsRune(text, '\r') || text[0] == '`' && strings.Contains(text, "${") {
		return "doubt", 0
	}
	return class, len(text)
}

// upTo returns how many bytes of a text are before a mark.
func upTo(text, mark string) int {
	if n := strings.Index(text, mark); n >= 0 {
		return n
	}
	return len(text)
}

// quoted returns the length of a string at the start of a text. One in ' or " ends with its line.
func (l language) quoted(text string) int {
	escapes := strings.IndexByte(l.raw, text[0]) < 0
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == '\\' && escapes:
			i++
		case text[i] == text[0]:
			return i + 1
		case text[i] == '\n' && text[0] != '`':
			return i
		}
	}
	return len(text)
}

// tripled returns the length of a string between three quotes.
func (l language) tripled(text, marks string) int {
	for i := len(marks); i < len(text); i++ {
		switch {
		case text[i] == '\\':
			i++
		case strings.HasPrefix(text[i:], marks):
			return i + len(marks)
		}
	}
	return len(text)
}

func letter(c byte) bool { return c == '_' || c == '$' || c|0x20 >= 'a' && c|0x20 <= 'z' }

// programs shows the check programs of a task, whole and as code. Nobody can see through a program
// in one line of JSON, and a part that is not shown may have anything in it.
func programs(all []casefile.Check) (out []Passage) {
	for i, check := range all {
		if check.Program == nil || check.Program.WASI != "" {
			continue
		}
		in, source := javaScript, check.Program.JavaScript
		if check.Program.SQL != "" {
			in, source = sqlLanguage, check.Program.SQL
		}
		text := plain(source, maxProgram)
		out = append(out, Passage{Label: fmt.Sprintf("the program of thing %d, in %s", i+1, in.name), Text: text, Pre: true, Code: in.tokens(text)})
	}
	return out
}

// ordersCode returns the members of a result that are code by the checks of the task, with their
// languages; "" is the whole result.
func ordersCode(task []byte) map[string]language {
	doc, err := casefile.ParseTask(task)
	if err != nil {
		return nil
	}
	out := map[string]language{}
	for _, check := range doc.Value.Expected {
		path, ok := strings.CutPrefix(check.Path, "/")
		if !ok && check.Path != "" || strings.ContainsAny(path, "/~") {
			continue // Passages takes a document apart by its members, and no further
		}
		switch tests := check.Tests; {
		case tests != nil && len(tests.JavaScript) > 0:
			out[path] = javaScript
		case tests != nil && len(tests.SQL) > 0:
			out[path] = sqlLanguage
		case tests != nil && len(tests.Python) > 0:
			out[path] = python
		case check.Parses != nil:
			for _, in := range []language{javaScript, sqlLanguage, python, golang} {
				if strings.EqualFold(in.name, *check.Parses) {
					out[path] = in
				}
			}
		}
	}
	return out
}

// coded is Passages for a result. Its members that are code have their words, strings and comments
// set apart.
func coded(result []byte, code map[string]language) []Passage {
	out := Passages(result)
	for i := range out {
		p := &out[i]
		if in, ok := code[p.Label]; ok && p.Image == nil {
			p.Label = strings.TrimSpace(p.Label + ", in " + in.name)
			p.Label = strings.TrimPrefix(p.Label, ", ")
			p.Pre, p.Code = true, in.tokens(p.Text)
		}
	}
	return out
}
