package agent

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ojud/schema"
)

var verbs = []verb{doCall, doFinish, doPlan, doNext}

func TestDecodeAction(t *testing.T) {
	for text, want := range map[string]action{
		`{"action":"call","tool":"sum","input":{"b":1.50,"a":12345678901234567890}}`: {Verb: doCall, Tool: "sum", Input: []byte(`{"a":12345678901234567890,"b":1.50}`)},
		`{"action":"call","tool":"sum"}`:                                             {Verb: doCall, Tool: "sum", Input: []byte(`{}`)},
		`{"action":"call","tool":"sum","input":null,"result":null}`:                  {Verb: doCall, Tool: "sum", Input: []byte(`{}`)},
		`{"thought":"<é>","action":"finish","result":["<a>"]}`:                       {Verb: doFinish, Thought: "<é>", Result: []byte(`["<a>"]`)},
		`{"action":"finish","result":null}`:                                          {Verb: doFinish, Result: []byte(`null`)},
		`{"action":"plan","plan":[" one ","two\nlines"]}`:                            {Verb: doPlan, Plan: []string{"one", "two lines"}},
		`{"action":"next"}`:                                              {Verb: doNext},
		`{"action":"next","note":"done\u0000"}`:                          {Verb: doNext, Note: "done "},
		"```json\n{\"action\":\"next\",\"note\":\"` a `\"}\n```":         {Verb: doNext, Note: "` a `"},
		"<think>{</think>\n{\"action\":\"next\",\"note\":\"</think>\"}":  {Verb: doNext, Note: "</think>"},
		`{"note":null,"thought":null,"tool":null,"action":"next"}`:       {Verb: doNext},
		`{"action":"plan","plan":["` + strings.Repeat("x", 2000) + `"]}`: {Verb: doPlan, Plan: []string{strings.Repeat("x", 497) + "…"}},
	} {
		if got, err := decodeAction(text, verbs, schema.DefaultLimits()); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{
		`{"action":"plan"}`, `{"action":"plan","plan":[]}`, `{"action":"plan","plan":"a"}`, `{"action":"plan","plan":[1]}`, `{"action":"plan","plan":[" "]}`,
		`{"action":"plan","plan":["` + strings.Repeat(`a","`, 12) + `a"]}`, `{"action":"next","note":1}`, `{"action":"next","thought":[]}`, `{"action":"next","other":null}`,
		`{"action":"Next"}`, `{"action":""}`, `{}`, `"next"`, `null`, `{"action":"call","tool":""}`, `{"action":"call","tool":null}`, `<think>{"action":"next"}`, "```{\"action\":\"next\"}",
	} {
		if got, err := decodeAction(text, verbs, schema.DefaultLimits()); err == nil || len(err.Error()) > maxWords {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
}

// The decoder and the schema for the model accept the same actions, where the schema constrains
// them.
func TestFormsAreTheDecoders(t *testing.T) {
	tools := []Repr{{Name: "sum"}, {Name: "search"}}
	for _, allowed := range [][]verb{{doCall, doFinish}, {doFinish}, {doPlan}, verbs} {
		raw, err := form(allowed, tools, json.RawMessage(`{"type":"integer"}`))
		if err != nil {
			t.Fatal(err)
		}
		s, err := schema.Compile(raw, schema.DefaultLimits())
		if err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		for _, text := range []string{
			`{"thought":"x","action":"call","tool":"sum","input":{}}`, `{"action":"finish","result":1}`, `{"action":"plan","plan":["a"]}`, `{"action":"next","note":"x"}`, `{"action":"call","tool":"rm","input":{}}`,
			`{"action":"finish","result":1,"agent_id":"x"}`, `{"action":"accept"}`, `{}`, `[]`, `{"action":"finish","result":"x"}`,
		} {
			_, bad := decodeAction(text, allowed, schema.DefaultLimits())
			wrong, err := s.Check(t.Context(), []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			// Unknown tools and results of another form are refused later, because then the model
			// can be told.
			later := strings.Contains(text, `"rm"`) || strings.Contains(text, `"result":"x"`)
			if (bad == nil) != (len(wrong) == 0) && !(later && bad == nil) {
				t.Errorf("%v, %s: the decoder says %v, the schema %v", allowed, text, bad, wrong)
			}
		}
	}
}

// A schema that becomes part of another still means the same.
func TestEmbed(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`{"type":"object","properties":{"z":{},"a":{}}}`, `{"type":"object","properties":{"z":{},"a":{}}}`},
		{``, `{}`}, {`true`, `{}`}, {`{`, `{}`}, {`{"$id":"https://example.org/x"}`, `{}`},
		{`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"null"}`, `{"type":"null"}`},
		{`{"$defs":{"n":{"items":{"$ref":"#/$defs/n"}}},"anyOf":[{"$ref":"#/$defs/n"},{"not":{"$ref":"#"}}]}`,
			`{"$defs":{"n":{"items":{"$ref":"#/p/$defs/n"}}},"anyOf":[{"$ref":"#/p/$defs/n"},{"not":{"$ref":"#/p"}}]}`},
		{`{"const":{"$ref":"#/x"},"properties":{"const":{"$ref":"#"},"$ref":{"type":"string"}}}`, `{"const":{"$ref":"#/x"},"properties":{"$ref":{"type":"string"},"const":{"$ref":"#/p"}}}`},
	} {
		want := c.want
		if want == `{}` {
			want = `{"otherwise":1}`
		}
		if got := string(embed([]byte(c.in), "#/p", `{"otherwise":1}`)); got != want {
			t.Errorf("%s became %s", c.in, got)
		}
	}
	tree := `{"$defs":{"n":{"type":["object","null"],"properties":{"next":{"$ref":"#/$defs/n"}},"additionalProperties":false}},"$ref":"#/$defs/n"}`
	raw, err := form([]verb{doFinish}, nil, json.RawMessage(tree))
	if err != nil {
		t.Fatal(err)
	}
	s, err := schema.Compile(raw, schema.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	for text, good := range map[string]bool{`{"next":{"next":null}}`: true, `{"next":{"next":1}}`: false, `1`: false} {
		if wrong, err := s.Check(t.Context(), []byte(`{"action":"finish","result":`+text+`}`)); err != nil || (len(wrong) == 0) != good {
			t.Errorf("%s: %v, %v", text, wrong, err)
		}
	}
}

// An answer's meaning depends only on its text: an action that is read and written again is read as
// the same action.
func FuzzAction(f *testing.F) {
	for _, text := range []string{
		`{"action":"call","tool":"sum","input":{"a":[1,2.5e3,"x"]}}`, `{"thought":"x","action":"finish","result":{"a":1}}`, `{"action":"plan","plan":["a","b"]}`, `{"action":"next","note":"x"}`,
		"```json\n{}\n```", "<think></think>{}", `{"action":"finish","action":"call"}`, `{"action":"finish","result":1e999}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := decodeAction(text, verbs, schema.DefaultLimits())
		if err != nil {
			return
		}
		if !slices.Contains(verbs, a.Verb) || len(a.Plan) > maxItems || len(a.Note) > maxNote || a.Verb == doCall && (a.Tool == "" || !json.Valid(a.Input)) || a.Verb == doFinish && !json.Valid(a.Result) {
			t.Fatalf("%q: %+v", text, a)
		}
		again, err := decodeAction(written(t, a), verbs, schema.DefaultLimits())
		if err != nil || !reflect.DeepEqual(a, again) {
			t.Fatalf("%+v became %+v, %v", a, again, err)
		}
	})
}

func written(t *testing.T, a action) string {
	t.Helper()
	rest := ""
	switch a.Verb {
	case doCall:
		rest = fmt.Sprintf(`,"tool":%s,"input":%s`, jsonText(a.Tool), a.Input)
	case doFinish:
		rest = fmt.Sprintf(`,"result":%s`, a.Result)
	case doPlan:
		list, err := raw(a.Plan)
		if err != nil {
			t.Fatal(err)
		}
		rest = fmt.Sprintf(`,"plan":%s`, list)
	case doNext:
		rest = fmt.Sprintf(`,"note":%s`, jsonText(a.Note))
	}
	return fmt.Sprintf(`{"thought":%s,"action":%q%s}`, jsonText(a.Thought), a.Verb, rest)
}

// Names and errors in a text for the agent are on one line, in bounds, and valid UTF-8.
func TestPlain(t *testing.T) {
	for _, c := range []struct {
		in   string
		most int
		want string
	}{{"a\nb\x00\x1b[31m", 40, "a b  [31m"}, {"\xffa", 40, "a"}, {"ééé", 5, "é…"}, {"éé", 3, "…"}, {"éa", 3, "éa"}} {
		if got := plain(c.in, c.most); got != c.want {
			t.Errorf("%q became %q", c.in, got)
		}
	}
}
