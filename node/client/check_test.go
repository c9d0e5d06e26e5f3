package client

import (
	"errors"
	"strings"
	"testing"
)

// TestCheckResult checks that a result that breaks the task's schema is found, with its place. An
// unusable schema has an error of its own.
func TestCheckResult(t *testing.T) {
	t.Parallel()
	task := func(schema string) string { return `{"instruction":["draw"],"output_schema":` + schema + `}` }
	for _, c := range []struct {
		task, result string
		want         error
		says         string
	}{
		{task(`{"ascii_painting":"string"}`), `{"ascii_painting":"x"}`, nil, ""},
		{task(`{"ascii_painting":"string"}`), `{"post_id":7}`, ErrMisfit, "ascii_painting"},
		{task(`{"type":"array","items":{"type":"integer"}}`), `[1,"2"]`, ErrMisfit, `at "/1"`},
		{task(`{}`), `7`, nil, ""},
		{task(`{"$ref":"http://x"}`), `7`, ErrSchema, ""},
		{`{}`, `7`, ErrSchema, "document"},
	} {
		err := checkResult(t.Context(), []byte(c.task), []byte(c.result))
		if !errors.Is(err, c.want) || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s for %s: %v", c.result, c.task, err)
		}
	}
}
