package model

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestValue: an answer is one JSON value, or none.
func TestValue(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":1}`: `{"a":1}`, " \n[1, 2]\t": `[1, 2]`, `"x"`: `"x"`, `null`: `null`, `9007199254740993.10`: `9007199254740993.10`,
		"```json\n{\"a\":1}\n```": `{"a":1}`, "```\n1\n```": `1`, "<think>{\"a\":2}</think>\n{\"a\":1}": `{"a":1}`,
		"<think></think>```json\n1```": `1`, `{"a":{"b":1},"b":{"b":1}}`: `{"a":{"b":1},"b":{"b":1}}`, `"` + "```" + `"`: `"` + "```" + `"`,
		strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth): strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth),
	} {
		got, err := value(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
		}
		same(t, text, got, want)
	}
	for _, text := range []string{
		"", " ", "yes", "{", `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `[1,`, `"x`, `tr`, `{"a":1}}`, `{"a":1} {"b":2}`, "Here: {}", "{} as you see", `{'a':1}`, `{a:1}`,
		`{"a":1,}`, `[1,]`, `01`, `+1`, `NaN`, `{"a":1,"a":1}`, `{"a":1,"\u0061":2}`, `[{"b":{"a":1,"a":2}}]`, "<think>{}", "```json\n{}", "```{}``` ```{}```",
		"{}\x00", "\ufeff{}", strings.Repeat("[", maxDepth+2) + strings.Repeat("]", maxDepth+2), strings.Repeat("[", 1<<16),
	} {
		if got, err := value(text); err == nil {
			t.Errorf("%.40q is read as %.40q", text, got)
		}
	}
}

// FuzzValue: if a part of a text is taken for a JSON value, encoding/json reads one value from it,
// too.
func FuzzValue(f *testing.F) {
	for _, text := range []string{`{"a":1}`, "```json\n[1]\n```", `<think>x</think>{"a":{"a":null}}`, `{"a":1,"a":2}`, `[[[1,2],"x"]`, `-1e5`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := value(text)
		if err != nil {
			return
		}
		if !json.Valid([]byte(got)) || !strings.Contains(text, got) {
			t.Errorf("%q is read as %q", text, got)
		}
		if again, err := value(got); err != nil || again != got {
			t.Errorf("%q is read as %q the second time: %v", got, again, err)
		}
	})
}
