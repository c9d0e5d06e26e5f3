package strict

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"ojud/casefile"
)

type document struct {
	Name  string            `json:"name"`
	Count int               `json:"count,omitempty"`
	Tags  []string          `json:"tags,omitempty"`
	Env   map[string]string `json:"env,omitempty"`
	On    bool              `json:"on" fill:"optional"`
	Inner *struct {
		Depth int `json:"depth"`
	} `json:"inner,omitempty"`
	Raw json.RawMessage `json:"raw,omitempty"`
}

// TestFill: every mistake is named with its field, and no value is quoted.
func TestFill(t *testing.T) {
	t.Parallel()
	var d document
	whole := `{"count":2,"env":{"A":"b"},"inner":{"depth":1},"name":"x","on":true,"raw":[null],"tags":["a"]}`
	if err := Fill("file", json.RawMessage(whole), &d, ""); err != nil || d.Inner.Depth != 1 || d.Env["A"] != "b" || string(d.Raw) != "[null]" {
		t.Errorf("%+v, %v", d, err)
	}
	for in, want := range map[string][2]string{
		`{}`: {"at.name", "missing"}, `[]`: {"at", "not an object"}, `{"name":"x","nme":1}`: {"at.nme", "the fields here are count, env"},
		`{"name":null}`: {"at.name", "null"}, `{"Name":"x"}`: {"at.Name", "unknown"}, `{"name":"x","tags":"hidden"}`: {"at.tags", "not a list"},
		`{"name":"x","tags":[1]}`: {"at.tags[0]", "a string is needed"}, `{"count":1.5,"name":"x"}`: {"at.count", "whole number"},
		`{"env":["hidden"],"name":"x"}`: {"at.env", "not an object"}, `{"inner":{},"name":"x"}`: {"at.inner.depth", "missing"},
	} {
		var field *casefile.FieldError
		err := Fill("file", json.RawMessage(in), new(document), "at")
		if !errors.As(err, &field) || field.Field != want[0] || !strings.Contains(field.Problem, want[1]) || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%s: %v, want %q", in, err, want)
		}
	}
}

// FuzzFill: an accepted document keeps its meaning when it is written and read again.
func FuzzFill(f *testing.F) {
	f.Add([]byte(`{"count":2,"env":{"A":"b"},"inner":{"depth":1},"name":"x","raw":[null],"tags":["a"]}`))
	f.Add([]byte(`{"name":null}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var d, again document
		if !json.Valid(raw) || Fill("file", raw, &d, "") != nil {
			return
		}
		written, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		if err := Fill("file", written, &again, ""); err != nil || !reflect.DeepEqual(d.Env, again.Env) && len(d.Env) > 0 || d.Name != again.Name {
			t.Errorf("%s: %+v, then %+v, %v", raw, d, again, err)
		}
	})
}
