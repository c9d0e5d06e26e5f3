package journal

import (
	"errors"
	"testing"

	"ojud/voting"
)

// TestEventLog: an entry is there after the journal was closed and the case forgotten, and the
// oldest goes when there are too many.
func TestEventLog(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir)
	task := func(n byte) voting.Key { return voting.Key{n} }
	for n, at := range map[byte]int64{1: 50, 2: 10, 3: 30, 4: -5} {
		if err := j.PutEventLog(task(n), at, []byte{n}); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(j.PutEventLog(task(2), 60, []byte("again")), j.PutUptime([]byte("w")), j.Forget(task(1))); err != nil {
		t.Fatal(err)
	}
	shut(t, j)
	j = open(t, dir)
	defer shut(t, j)
	want := func(n byte, text string) {
		t.Helper()
		if got, err := j.EventLog(task(n)); err != nil || string(got) != text {
			t.Errorf("event log %d is %q, want %q: %v", n, got, text, err)
		}
	}
	want(1, "\x01")
	want(2, "again")
	for _, keep := range []int{4, 2} {
		if err := j.TrimEventLogs(keep); err != nil {
			t.Fatal(err)
		}
	}
	want(1, "\x01")
	want(2, "again")
	want(3, "")
	want(4, "")
	if got, err := j.Uptime(); err != nil || string(got) != "w" {
		t.Errorf("%q, %v", got, err)
	}
	for name, err := range map[string]error{
		"no task": j.PutEventLog(voting.Key{}, 1, []byte{1}), "nothing": j.PutEventLog(task(1), 1, nil), "too much": j.PutEventLog(task(1), 1, make([]byte, maxEventLog+1)),
		"no uptime": j.PutUptime(nil), "too long an uptime": j.PutUptime(make([]byte, maxUptime+1)),
	} {
		if !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
