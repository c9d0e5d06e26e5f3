package bounds_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"ojud/config/bounds"
)

// TestCheck checks both limits of each type, and the text for people.
func TestCheck(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		setting bounds.Range
		want    string // the error; "" if the value is inside
	}{
		{bounds.Of("tries", 2, 2, 12), ""},
		{bounds.Of("tries", 12, 2, 12), ""},
		{bounds.Of("tries", 1, 2, 12), "tries is 1; set it to 2 to 12"},
		{bounds.Of("tries", 13, 2, 12), "tries is 13; set it to 2 to 12"},
		{bounds.Of("fee", uint64(math.MaxUint64), 0, 1e9), "fee is 18446744073709551615; set it to 0 to 1000000000"},
		{bounds.Of("seconds", int64(-1), 0, 9), "seconds is -1; set it to 0 to 9"},
		{bounds.Of("wait", 90*time.Second, time.Second, time.Hour), ""},
		{bounds.Of("wait", 0, 10*time.Millisecond, 90*time.Second), "wait is 0s; set it to 10ms to 1m30s"},
		{bounds.Of("wait", 2*time.Hour, 20*time.Minute, time.Hour), "wait is 2h; set it to 20m to 1h"},
		{bounds.Of("share", 0.25, 0.5, 1), "share is 0.25; set it to 0.5 to 1"},
		{bounds.Of("share", math.NaN(), 0, 1), "share is NaN; set it to 0 to 1"},
		{bounds.Of("rate", 0, 0.001, 1e9), "rate is 0; set it to 0.001 to 1000000000"},
		{bounds.AtLeast("queue", 1, 1), ""},
		{bounds.AtLeast("queue", 0, 1), "queue is 0; set it to at least 1"},
		{bounds.AtLeast("idle", time.Millisecond, time.Second), "idle is 1ms; set it to at least 1s"},
	} {
		got := ""
		if err := bounds.Check("desk.", c.setting); err != nil {
			got = strings.TrimPrefix(err.Error(), "desk.")
		}
		if got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestFirst checks that the error is about the first wrong setting.
func TestFirst(t *testing.T) {
	t.Parallel()
	var wrong *bounds.Error
	err := bounds.Check("judge: ", bounds.Of("a", 1, 0, 2), bounds.Of("b", 3, 0, 2), bounds.Of("c", 4, 0, 2))
	if !errors.As(err, &wrong) || wrong.Name != "judge: b" || wrong.Problem != "is 3; set it to 0 to 2" {
		t.Errorf("%+v", err)
	}
	if err := bounds.Check(""); err != nil {
		t.Error(err)
	}
}

// TestOneOf checks that a wrong word is an error with the allowed words and the nearest one.
func TestOneOf(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"code": "", "modl": `kind is "modl"; set it to "code" or "model"; did you mean "model"?`,
		"oracle": `kind is "oracle"; set it to "code" or "model"`, "": `kind is ""; set it to "code" or "model"`,
	} {
		err := bounds.Check("", bounds.OneOf("kind", value, "code", "model"))
		if got := fmt.Sprint(err); (err == nil) != (want == "") || err != nil && got != want {
			t.Errorf("%q: %s, want %s", value, got, want)
		}
	}
}
