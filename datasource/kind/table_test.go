package kind

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// queue is a kind that no other code knows. It shows the parts of a new kind: this type, its
// methods, its form, and one row of the table.
type queue struct {
	Topic string `json:"topic"`
	Limit int    `json:"limit,omitempty"`
}

func queueForm() Form {
	return Form{
		Flag: Flag{"queue", "a queue: its topic", Text}, More: []Flag{{"most", "messages of one answer", Count}},
		fields: map[string]string{"topic": "queue", "limit": "most"},
		make: func(v Values) (Settings, error) {
			return &queue{v.text("queue"), v.count("most")}, nil
		},
	}
}

func (q *queue) Validate() error {
	if q.Limit > 9 {
		return wrong("limit", "is %d; set it to 0 to 9", q.Limit)
	}
	return nil
}

func (q *queue) Shape() Shape {
	return Shape{requestSchema(map[string]string{"after": schemaCount}, nil), json.RawMessage(schemaAny), "messages of a queue"}
}

func (q *queue) Sample(Env) (Sample, error) { return sampleOf(map[string]any{}) }

func (q *queue) open(Env, *secrets) (Upstream, error) { return q, nil }

func (q *queue) Answer(context.Context, json.RawMessage) (json.RawMessage, error) {
	return json.Marshal(map[string]any{"topic": q.Topic})
}

func (q *queue) Close() error { return nil }

// TestNewKind takes a new kind from the command line to an answer, with one more row of the table.
func TestNewKind(t *testing.T) {
	t.Parallel()
	all := append(kinds(), row{"queue", func() Settings { return &queue{} }, []Form{queueForm()}})
	forms := all.forms()
	form := forms[len(forms)-1]
	made, err := form.Settings(Values{"queue": {"orders"}, "most": {"7"}})
	if err != nil || !form.Has("most") || form.FlagOf("limit") != "most" || form.FlagOf("topic") != "queue" {
		t.Fatalf("%+v, %v", made, err)
	}
	raw, err := all.encode(made)
	if err != nil || string(raw) != `{"kind":"queue","limit":7,"topic":"orders"}` {
		t.Fatalf("%s, %v", raw, err)
	}
	read, err := all.decode("source file", raw, "upstream")
	if err != nil || !reflect.DeepEqual(read, made) {
		t.Fatalf("%+v, %v", read, err)
	}
	if _, err := all.decode("source file", json.RawMessage(`{"kind":"queue","limit":10,"topic":"x"}`), "upstream"); err == nil ||
		!strings.Contains(err.Error(), `"upstream.limit": is 10; set it to 0 to 9`) {
		t.Error(err)
	}
	sample, err := read.Sample(Env{})
	if err != nil || string(sample.Request) != "{}" || !strings.Contains(string(read.Shape().Request), "after") {
		t.Errorf("%s, %v", sample.Request, err)
	}
	u, err := Open(read, Env{})
	if err != nil {
		t.Fatal(err)
	}
	if answer, err := u.Answer(t.Context(), sample.Request); err != nil || string(answer) != `{"topic":"orders"}` {
		t.Errorf("%s, %v", answer, err)
	}
	if err := u.Close(); err != nil {
		t.Error(err)
	}
	if _, err := Decode("source file", raw, "upstream"); err == nil {
		t.Error("the kind is known without its row")
	}
}

// TestForms checks every form: its name is unique, each flag changes the settings, forms that share
// a flag agree on its type, and settings survive a source file.
func TestForms(t *testing.T) {
	t.Parallel()
	least := map[string]Values{
		"http": {"http": {"https://x.example/{id}"}}, "mcp": {"mcp": {"x"}, "tool": {"y"}}, "mcp-url": {"mcp-url": {"https://x.example"}, "tool": {"y"}},
		"files": {"files": {"/x"}, "allow": {"a"}}, "sqlite": {"sqlite": {"/x"}, "sql": {"select 1"}}, "solana": {"solana": {"account"}},
	}
	example := map[string]string{
		"allow": "b.example", "header": "A=b", "query": "a={a}", "method": "post", "body": `{"a":1}`, "pointer": "/a", "missing": "null",
		"tool": "z", "env": "A=b", "dir": "/y", "format": "csv", "sql": "select 2", "rpc": "https://rpc.example",
		"address": strings.Repeat("1", 32), "program": strings.Repeat("1", 32),
	}
	types := map[string]FlagValue{}
	for _, form := range Forms() {
		v, ok := least[form.Name]
		if _, twice := types[form.Name]; twice || !ok || form.Help == "" {
			t.Errorf("--%s: a second form, or no example", form.Name)
			continue
		}
		before, err := form.Settings(v)
		if err != nil || before.Validate() != nil {
			t.Errorf("--%s: %v, %v", form.Name, err, before.Validate())
			continue
		}
		raw, err := Encode(before)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Decode("x", raw, "u")
		if err != nil {
			t.Errorf("--%s: %v", form.Name, err)
		} else if now, err := Encode(again); err != nil || string(now) != string(raw) {
			t.Errorf("--%s: %s, %s, %v", form.Name, raw, now, err)
		}
		for _, flag := range append([]Flag{form.Flag}, form.More...) {
			if old, there := types[flag.Name]; there && old != flag.Value {
				t.Errorf("--%s has two types", flag.Name)
			}
			types[flag.Name] = flag.Value
			if flag.Name == form.Name {
				continue
			}
			more := Values{flag.Name: {map[FlagValue]string{Switch: "true", Count: "7", Span: "7"}[flag.Value] + example[flag.Name]}}
			for name, values := range v {
				if name != flag.Name {
					more[name] = values
				}
			}
			if after, err := form.Settings(more); err != nil || reflect.DeepEqual(after, before) {
				t.Errorf("--%s %v changes nothing, %v", flag.Name, more[flag.Name], err)
			}
		}
	}
}

// TestFieldFlags: each field of settings that a person can set has a flag.
func TestFieldFlags(t *testing.T) {
	t.Parallel()
	for _, k := range kinds() {
		settings := reflect.TypeOf(k.fresh()).Elem()
		for _, f := range reflect.VisibleFields(settings) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "" {
				continue
			}
			found := ""
			for _, form := range k.forms {
				found += form.FlagOf(name)
			}
			if found == "" {
				t.Errorf("%s: no flag for the field %s", k.name, name)
			}
		}
	}
	if err := error(&FlagError{"NAME", "is odd"}); err.Error() != "NAME: is odd" || errors.Unwrap(err) != nil {
		t.Error(err)
	}
	if got := fmt.Sprint(&FlagError{"", "odd"}, &FlagError{"http", "is odd"}); got != "odd --http: is odd" {
		t.Error(got)
	}
}
