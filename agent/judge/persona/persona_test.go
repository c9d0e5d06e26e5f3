package persona_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ojud/agent/judge/class"
	"ojud/agent/judge/persona"
)

func all(t *testing.T) []persona.Persona {
	t.Helper()
	list, err := persona.List()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestShipped: seed 000 wants 28 agents with different personas. Here each dimension has several,
// each class has a persona that is good at it, and no file is longer than a person reads at once.
func TestShipped(t *testing.T) {
	list := all(t)
	if len(list) != 28 {
		t.Errorf("%d personas", len(list))
	}
	dimensions, keen := map[persona.Dimension]int{}, map[class.Class]int{}
	for _, p := range list {
		dimensions[p.Dimension]++
		for _, c := range class.All() {
			if p.Weight(c) > 1 {
				keen[c]++
			}
		}
		raw, err := os.ReadFile(filepath.Join("shipped", p.Name+".toml"))
		if lines := strings.Count(string(raw), "\n"); err != nil || lines >= 30 {
			t.Errorf("%s: %d lines, %v", p.Name, lines, err)
		}
	}
	for _, d := range persona.Dimensions() {
		if dimensions[d] < 3 {
			t.Errorf("dimension %s has %d personas", d, dimensions[d])
		}
	}
	for _, c := range class.All() {
		if keen[c] < 3 {
			t.Errorf("class %s has %d personas that weigh it", c, keen[c])
		}
	}
}

// TestDistinct: no persona is a copy of another under a new name. Two texts share at most an eighth
// of their three-word runs.
func TestDistinct(t *testing.T) {
	list := all(t)
	for i, p := range list {
		for _, q := range list[i+1:] {
			a, b := shingles(body(p)), shingles(body(q))
			shared := 0
			for s := range a {
				if b[s] {
					shared++
				}
			}
			if p.Title == q.Title || shared*8 > min(len(a), len(b)) {
				t.Errorf("%s and %s share %d of %d and %d", p.Name, q.Name, shared, len(a), len(b))
			}
		}
	}
}

func body(p persona.Persona) string {
	return p.Look + " " + strings.Join(p.Method, " ") + " " + p.Doubt
}

func shingles(text string) map[string]bool {
	words, out := strings.Fields(strings.ToLower(text)), map[string]bool{}
	for i := 0; i+3 <= len(words); i++ {
		out[strings.Join(words[i:i+3], " ")] = true
	}
	return out
}

// verdicts matches the words by which a persona would choose a side. "Undecided" is no side.
var verdicts = regexp.MustCompile(`(?i)\b(?:accept\w*|reject\w*|approv\w*|refus\w*|pay\w*|paid|refund\w*|lenient\w*|strict\w*|benefit of|favou?r\w*|guilty|innocent|trust the|distrust|suspicious|presume\w*|honest\w*|dishonest\w*)\b`)

// TestNoSide: no persona names a verdict, leans to a party, or speaks of one party more than of the
// other.
func TestNoSide(t *testing.T) {
	for _, p := range all(t) {
		text := strings.ToLower(p.Text() + p.Title)
		if word := verdicts.FindString(text); word != "" {
			t.Errorf("%s says %q", p.Name, word)
		}
		if c, w := strings.Count(text, "creator"), strings.Count(text, "worker"); c != w {
			t.Errorf("%s speaks of the creator %d times and of the worker %d times", p.Name, c, w)
		}
	}
}

// TestConstant: the text has no place for a case. Its three parts say the same as the file.
func TestConstant(t *testing.T) {
	for _, p := range all(t) {
		text := p.Text()
		if strings.ContainsAny(text, "{}%$<>`\x00") {
			t.Errorf("%s has a mark of a template: %s", p.Name, text)
		}
		for _, part := range append([]string{p.Name, string(p.Dimension), strings.TrimSpace(p.Look), strings.TrimSpace(p.Doubt)}, p.Method...) {
			if !strings.Contains(text, part) {
				t.Errorf("%s lacks %q", p.Name, part)
			}
		}
		if n := len(text); n > 2000 {
			t.Errorf("%s: %d bytes in every prompt", p.Name, n)
		}
	}
}

const own = `title = "Mine"
dimension = "facts"
look = "At the facts."
method = ["One.", "Two."]
doubt = "When there are none."
[weights]
code = 0.5
`

func TestOwn(t *testing.T) {
	file := filepath.Join(t.TempDir(), "my-own.toml")
	if err := os.WriteFile(file, []byte(own), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := persona.Find(file)
	if err != nil || p.Name != "my-own" || p.Weight(class.Code) != 0.5 || p.Weight(class.Facts) != 1 {
		t.Errorf("%+v, %v", p, err)
	}
	if p, err := persona.Find("recomputer"); err != nil || p.Weight(class.Arithmetic) != 3 {
		t.Errorf("%+v, %v", p, err)
	}
	for _, name := range []string{"nobody", "", "../persona", "a/b", "Recomputer", strings.Repeat("a", 41)} {
		if _, err := persona.Find(name); !errors.Is(err, persona.ErrUnknown) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, err := persona.Read(filepath.Join(t.TempDir(), "none.toml")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

// TestWrong: each fault of a file is named with its field.
func TestWrong(t *testing.T) {
	change := func(from, to string) string { return strings.Replace(own, from, to, 1) }
	for want, text := range map[string]string{
		"line 1":                        "title",
		`"vote" is no field`:            "vote = \"x\"\n" + own,
		"dimension is \"mood\"":         change("facts", "mood"),
		"method has 0 steps":            change(`["One.", "Two."]`, "[]"),
		"method has 9 steps":            change(`["One.", "Two."]`, `["a","a","a","a","a","a","a","a","a"]`),
		"method[1] is empty":            change("Two.", " "),
		"title is 121 bytes":            change("Mine", strings.Repeat("x", 121)),
		"look is empty":                 change("At the facts.", ""),
		"doubt is 801 bytes":            change("When there are none.", strings.Repeat("x", 801)),
		"look has invisible characters": change("At the facts.", "At\u200b the facts."),
		"weights.cooking is no class":   change("code", "cooking"),
		"weights.code is 5":             change("0.5", "5.0"),
		"weights.code is NaN":           change("0.5", "nan"),
		"larger than 8192 bytes":        own + "#" + strings.Repeat("x", 8192),
	} {
		if _, err := persona.Parse("x", []byte(text)); !errors.Is(err, persona.ErrPersona) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
	if _, err := persona.Parse("Bad Name", []byte(own)); err == nil || !strings.Contains(err.Error(), "rename the file") {
		t.Error(err)
	}
}

// FuzzParse checks that every parsed persona is valid and small enough for a prompt.
func FuzzParse(f *testing.F) {
	f.Add([]byte(own))
	f.Add([]byte("title = '''x"))
	f.Add([]byte("[[method]]\n[method.a]")) // go-toml 2.3 panicked at such
	f.Fuzz(func(t *testing.T, raw []byte) {
		p, err := persona.Parse("x", raw)
		if err != nil {
			return
		}
		if err := p.Validate(); err != nil || len(p.Text()) > 8<<10 {
			t.Errorf("%v, %d bytes", err, len(p.Text()))
		}
	})
}
