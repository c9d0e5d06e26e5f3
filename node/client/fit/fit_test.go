package fit

import (
	"errors"
	"strings"
	"testing"
)

// TestResult checks that a result that breaks the task's schema or a demand, or fails a check
// program, is found, with its place. A schema or a program that is no use has an error of its own.
func TestResult(t *testing.T) {
	t.Parallel()
	task := func(schema string) string { return `{"instruction":["draw"],"output_schema":` + schema + `}` }
	demands := func(expected string) string {
		return `{"instruction":["list"],"output_schema":{},"expected":[` + expected + `]}`
	}
	program := func(path, source string) string {
		return `{"instruction":["add"],"output_schema":{},"expected":[{"path":"` + path + `","program":{"javascript":"` + source + `"}}]}`
	}
	for _, c := range []struct {
		task, result string
		want         error
		says         string
		example      error // of the same as an example
	}{
		{task(`{"ascii_painting":"string"}`), `{"ascii_painting":"x"}`, nil, "", nil},
		{task(`{"ascii_painting":"string"}`), `{"post_id":7}`, ErrMisfit, "ascii_painting", ErrMisfit},
		{task(`{"type":"array","items":{"type":"integer"}}`), `[1,"2"]`, ErrMisfit, `at "/1"`, ErrMisfit},
		{task(`{}`), `7`, nil, "", nil},
		{task(`{}`), `{"a":1,"a":2}`, ErrUnreadable, "Duplicate key", ErrUnreadable},
		{task(`{"$ref":"http://x"}`), `seven`, ErrUnreadable, "", ErrUnreadable},
		{task(`{"$ref":"http://x"}`), `7`, ErrSchema, "", ErrSchema},
		{`{}`, `7`, ErrSchema, "document", ErrSchema},
		{program("/sum", "value === 4"), `{"sum":4}`, nil, "", nil},
		{program("/sum", "[value === 4, 'it is ' + value]"), `{"sum":5}`, ErrRefuted, "expected[0] says false: it is 5", ErrRefuted},
		{program("/sum", "value === 4"), `{}`, ErrRefuted, `expected[0]: at "/sum"`, ErrRefuted},
		{program("", "result.rows.length === 2"), `{}`, ErrSilent, "TypeError", ErrSilent},
		{program("", "for (;;);"), `{}`, ErrSilent, "out of fuel", ErrSilent},
		{program("", "true"), `{}`, nil, "", ErrSilent},
		{demands(`{"path":"/rows","sorted":{}}`), `{"rows":[1,2]}`, nil, "", nil},
		{demands(`{"path":"/rows","sorted":{}},{"path":"/rows","count":3}`), `{"rows":[2,1]}`, ErrUnmet,
			`expected[0]: at "/rows": the items 0 and 1 are out of order: "2", "1"; expected[1]: at "/rows": it has 2 items instead of 3`, ErrUnmet},
		{demands(`{"path":"/rows","sorted":{}},{"path":"/rows","max_count":3}`), `{"rows":[]}`, ErrSilent, `expected[0]: at "/rows": code cannot tell`, ErrSilent},
		{demands(`{"path":"/rows","sorted":{}},{"path":"","program":{"javascript":"false"}}`), `{"rows":[]}`, ErrRefuted, `expected[1] says false`, ErrRefuted},
		{demands(strings.Repeat(`{"path":"/a","count":1},`, 7) + `{"path":"/b","count":1}`), `{}`, ErrUnmet, `and 3 more`, ErrUnmet},
		{`{"instruction":["x"],"output_schema":{},"data_sources":["s"],"expected":[{"path":"/a","data":{"data_source":"s","request":{}},"count":1}]}`, `{}`, nil, "", nil},
	} {
		err := Result(t.Context(), []byte(c.task), []byte(c.result))
		if !errors.Is(err, c.want) || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s for %s: %v", c.result, c.task, err)
		}
		if err := Example(t.Context(), []byte(c.task), []byte(c.result)); !errors.Is(err, c.example) {
			t.Errorf("the example %s for %s: %v", c.result, c.task, err)
		}
		if want := strings.Contains(c.task, `"program"`); Programmed([]byte(c.task)) != want {
			t.Errorf("it has a program: not %v", want)
		}
	}
}
