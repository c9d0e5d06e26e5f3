package casefile

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
)

type personal struct {
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
	var d personal
	whole := `{"count":2,"env":{"A":"b"},"inner":{"depth":1},"name":"x","on":true,"raw":[null],"tags":["a"]}`
	if err := Fill("file", json.RawMessage(whole), &d, ""); err != nil || d.Inner.Depth != 1 || d.Env["A"] != "b" || string(d.Raw) != "[null]" {
		t.Errorf("%+v, %v", d, err)
	}
	for in, want := range map[string][2]string{
		`{}`: {"at.name", "missing"}, `[]`: {"at", "an object is needed"}, `{"name":"x","nme":1}`: {"at.nme", `did you mean "name"`},
		`{"name":null}`: {"at.name", "null"}, `{"Name":"x"}`: {"at.Name", "unknown"}, `{"name":"x","tags":"hidden"}`: {"at.tags", "an array is needed"},
		`{"name":"x","tags":[1]}`: {"at.tags[0]", "a string is needed"}, `{"count":1.5,"name":"x"}`: {"at.count", "is a number; an integer is needed"},
		`{"env":["hidden"],"name":"x"}`: {"at.env", "an object is needed"}, `{"inner":{},"name":"x"}`: {"at.inner.depth", "missing"},
	} {
		var field *FieldError
		err := Fill("file", json.RawMessage(in), new(personal), "at")
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
		var d, again personal
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
