package cli

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/casefile/runs"
	"ojud/node/library"
)

// TestAdvise: a creator hears when a rework leaves nothing sealed, and when only sealed checks say
// that a program is in Python.
func TestAdvise(t *testing.T) {
	k := casefile.Check{Path: "/code", Tests: &runs.Tests{Python: []runs.TestCall{{Function: "f", Args: []json.RawMessage{}, Returns: []byte("1")}}}}
	again := k
	again.Rework = 1
	for name, c := range map[string]struct {
		expected string
		checks   []casefile.Check
		want     []string
	}{
		"nothing":          {`[]`, nil, nil},
		"one":              {`[]`, []casefile.Check{k}, []string{"keep", `"rework": 1`, `"parses": "python"`}},
		"for both results": {`[{"path":"/other","parses":"python"}]`, []casefile.Check{k, again}, []string{"keep", `"parses": "python"`}},
		"the task says it": {`[{"path":"/code","parses":"python"}]`, []casefile.Check{k, again}, []string{"keep"}},
	} {
		var out bytes.Buffer
		a := &App{Err: &out}
		err := (&Checked{}).advise(a, library.Document{Content: []byte(`{"instruction":["x"],"output_schema":{},"expected":` + c.expected + `}`)}, c.checks, "DIR")
		if err != nil || strings.Count(out.String(), "\n") != len(c.want) {
			t.Errorf("%s: %v, %s", name, err, out.String())
		}
		for _, want := range c.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: no %q: %s", name, want, out.String())
			}
		}
	}
}
