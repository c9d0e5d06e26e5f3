package megabrain

import (
	"errors"
	"strings"
	"testing"

	"ojud/node/client/fit"
)

// odd is a question that is a task, whose check program demands an odd year.
const odd = `{"expected":[{"path":"/year","program":{"javascript":"value % 2 === 1"},"settles":[0]}],"instruction":["Name an odd year."],"output_schema":{"year":"number"}}`

// TestSound: who asks learns before paying that no judge would make a check, and that the right
// result of a golden task fails one. Otherwise everybody who fails the task wins an appeal.
func TestSound(t *testing.T) {
	for _, x := range []struct {
		question, answer string
		want             string
		is               error
	}{
		{"Name an odd year.", `{"year":1932}`, "", nil},
		{odd, "", "", nil},
		{odd, `{ "year": 1931 }`, "", nil},
		{odd, `{"year":1932}`, "says false", fit.ErrRefuted},
		{odd, `{"year":"1931"}`, "does not fit", fit.ErrMisfit},
		{strings.Replace(odd, "value % 2 === 1", "true", 1), `{"year":1931}`, "true of an empty result", fit.ErrSilent},
		{strings.Replace(odd, "settles", "settle", 1), "", `"expected[0].settle": unknown`, nil},
	} {
		var answer []byte
		if x.answer != "" {
			answer = []byte(x.answer)
		}
		err := Sound(t.Context(), x.question, answer)
		if (err == nil) != (x.want == "") || err != nil && !strings.Contains(err.Error(), x.want) || x.is != nil && !errors.Is(err, x.is) {
			t.Errorf("%s, %s: %v, want %q", x.question, x.answer, err, x.want)
		}
	}
}
