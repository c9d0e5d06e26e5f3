package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/cmd/ojud/cli"
)

// TestBadTaskFile checks that an error about a bad task file names the file and the field, and
// comes before any request to a chain.
func TestBadTaskFile(t *testing.T) {
	t.Parallel()
	const schema = `,"output_schema":{"a":"string"}`
	for name, c := range map[string]struct {
		text string
		says []string
	}{
		"unknown field":      {`{"instruction":["a"],"deadline":5` + schema + `}`, []string{`field "deadline"`, "unknown", "output_schema"}},
		"missing":            {`{"instruction":["a"]}`, []string{`field "output_schema"`, "missing"}},
		"wrong type":         {`{"instruction":"a"` + schema + `}`, []string{`field "instruction"`, "is a string", "an array is needed"}},
		"wrong type inside":  {`{"instruction":["a",7]` + schema + `}`, []string{`field "instruction[1]"`, "number 7"}},
		"empty":              {`{"instruction":[]` + schema + `}`, []string{`field "instruction"`, "at least one"}},
		"out of range":       {`{"instruction":["a"],"expected":[{"path":"/a","lines":-1}]` + schema + `}`, []string{`field "expected[0].lines"`, "-1", "from 0 to"}},
		"too long a text":    {`{"instruction":["` + strings.Repeat("x", 9000) + `"]` + schema + `}`, []string{`field "instruction[0]"`, "9000", "8192"}},
		"is not an address":  {`{"instruction":["a"],"pda":["xyz"]` + schema + `}`, []string{`field "pda[0]"`, "xyz", "address"}},
		"unknown in a check": {`{"instruction":["a"],"expected":[{"path":"/a","colour":1}]` + schema + `}`, []string{`field "expected[0].colour"`, "unknown"}},
		"not JSON":           {`instruction: draw`, []string{"not JSON"}},
		"nothing":            {``, []string{"not JSON"}},
		"no object":          {`["a"]`, []string{"is an array", "an object is needed"}},
		"twice":              {`{"instruction":["a"],"instruction":["b"]` + schema + `}`, []string{"Duplicate", "instruction"}},
		"too large":          {`{"instruction":["a"],"input_data":["` + strings.Repeat("x", 300_000) + `"]` + schema + `}`, []string{"262144"}},
		"too deep":           {`{"instruction":["a"],"input_data":` + strings.Repeat("[", 99) + strings.Repeat("]", 99) + schema + `}`, []string{"nested deeper than 64"}},
		"wrong schema":       {`{"instruction":["a"],"output_schema":{"type":"strin"}}`, []string{`field "output_schema"`, "/type", "short form"}},
		"misspelt schema":    {`{"instruction":["a"],"output_schema":{"a":"strng"}}`, []string{`field "output_schema"`, "accepts every result", "misspelt"}},
		"schema from a file": {`{"instruction":["a"],"output_schema":{"$ref":"file:///etc/passwd"}}`, []string{`field "output_schema"`, "file:///etc/passwd"}},
	} {
		file := filepath.Join(t.TempDir(), "the.task.json")
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		code, out, errs := line(t, "task", "create", file, "--reward", "1sol", "--network", "http://127.0.0.1:1")
		if code != cli.ExitFailed || out != "" {
			t.Errorf("%s: exit status %d, %q", name, code, out)
		}
		for _, word := range append(c.says, file) {
			if !strings.Contains(errs, word) {
				t.Errorf("%s: no %q in %s", name, word, errs)
			}
		}
	}
}
