package check_test

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"ojud/agent/judge/check"
	"ojud/casefile"
	"ojud/casefile/canon"
)

func TestExpect(t *testing.T) {
	sum := func(s string) string { h := sha256.Sum256([]byte(s)); return hex.EncodeToString(h[:]) }
	const result = `{"list":["a","b",{"c":1.0}],"text":"One\ntwo\n","empty":"","n":12,"a/b":{"~":null}}`
	for _, c := range []struct {
		check string
		want  string // part of the error; empty: as expected
	}{
		{`{"path":"/list","count":3}`, ""},
		{`{"path":"/list","count":2}`, "it has 3 items instead of 2"},
		{`{"path":"","min_count":5,"max_count":5}`, ""},
		{`{"path":"","min_count":6}`, "at least 6"},
		{`{"path":"/list","max_count":2}`, "at most 2"},
		{`{"path":"/text","count":3}`, "only an array or an object has a count"},
		{`{"path":"/text","lines":2}`, ""},
		{`{"path":"/text","lines":3}`, "it has 2 lines instead of 3"},
		{`{"path":"/empty","lines":0}`, ""},
		{`{"path":"/empty","min_lines":1}`, "it has 0 lines"},
		{`{"path":"/list","lines":3}`, "only a string has lines"},
		{`{"path":"/text","bytes":8}`, ""},
		{`{"path":"/n","bytes":2}`, ""},
		{`{"path":"/list","bytes":17}`, ""},
		{`{"path":"/list","max_bytes":16}`, "it has 17 bytes; at most 16"},
		{`{"path":"/text","sha256":"` + sum("One\ntwo\n") + `"}`, ""},
		{`{"path":"/list","sha256":"` + sum(`["a","b",{"c":1}]`) + `"}`, ""},
		{`{"path":"/list","sha256":"` + sum("x") + `"}`, "its SHA-256 is"},
		{`{"path":"/list/2","equals":{"c":1}}`, ""},
		{`{"path":"/list/2/c","equals":1e0}`, ""},
		{`{"path":"/a~1b/~0","equals":null}`, ""},
		{`{"path":"/n","equals":"12"}`, `it is "12" instead of "\"12\""`},
		{`{"path":"/text","contains":"ONE"}`, ""},
		{`{"path":"/text","contains":"three"}`, "it does not contain"},
		{`{"path":"/list","contains":"a"}`, "only a string contains text"},
		{`{"path":"/text","lines":2,"contains":"nine"}`, "it does not contain"},
		{`{"path":"/nothing","count":1}`, `there is no field "nothing"`},
		{`{"path":"/list/3","count":1}`, `there is no item "3"; the array has 3`},
		{`{"path":"/list/-","count":1}`, "there is no item"},
		{`{"path":"/list/00","count":1}`, "there is no item"},
		{`{"path":"/n/0","count":1}`, "a number has no parts"},
	} {
		task, err := casefile.ParseTask([]byte(`{"instruction":["x"],"output_schema":{},"expected":[` + c.check + `]}`))
		if err != nil {
			t.Fatalf("%s: %v", c.check, err)
		}
		raw, err := canon.JSON([]byte(result), 1000)
		if err != nil {
			t.Fatal(err)
		}
		_, err = check.In(decode(t, string(raw)), check.Papers{}).Expect(task.Value.Expected[0])
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.check, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %q", c.check, err, c.want)
		}
	}
}

// FuzzExpected: a check that passes has found something.
func FuzzExpected(f *testing.F) {
	f.Add(`{"path":"/a","lines":1,"contains":"x"}`, `{"a":"X"}`)
	f.Add(`{"path":"","equals":[1],"bytes":3}`, `[1]`)
	f.Fuzz(func(t *testing.T, expected, result string) {
		task, err := casefile.ParseTask([]byte(`{"instruction":["x"],"output_schema":{},"expected":[` + expected + `]}`))
		if err != nil {
			return
		}
		doc, err := casefile.ParseResult([]byte(result))
		if err != nil {
			return
		}
		papers, err := check.Read(task.Raw, doc.Raw)
		if err != nil {
			t.Fatal(err)
		}
		places := check.In(papers.Result, papers)
		for _, k := range task.Value.Expected {
			if text, err := places.Expect(k); err == nil && text == "" {
				t.Fatalf("%s found nothing", expected)
			}
		}
	})
}
