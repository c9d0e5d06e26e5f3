package keep_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"ojud/agent"
	"ojud/agent/judge"
	"ojud/agent/judge/account"
	"ojud/agent/judge/exam"
	"ojud/casefile"
	"ojud/node/trial/keep"
	"ojud/voting"
)

var name = keep.Name{Disputes: "d", Judge: "j", Program: "p"}

func disputes(ids ...string) (out []exam.Item) {
	for _, id := range ids {
		out = append(out, exam.Item{ID: id, Label: casefile.Choice(voting.Accept)})
	}
	return out
}

// TestFolder: what was put is there for the next one, whole; a dispute without a model is not; and
// another exam, a second one at the same time, and a file that is no record are refused.
func TestFolder(t *testing.T) {
	dir, items := filepath.Join(t.TempDir(), "a", "b"), disputes("one", "two", "three")
	f, err := keep.Open(dir, name, items)
	if err != nil || f.Len() != 0 {
		t.Fatal(f, err)
	}
	half := 0.5
	right := exam.Attempt{
		Item: items[0], Took: time.Second, Asked: []judge.Request{{DataSource: "s", Request: []byte("{}")}},
		Opinion: casefile.Opinion{Choice: casefile.Choice(voting.Accept), Summary: "it fits", Model: "m", Findings: []casefile.Finding{{Check: "c", Detail: "d"}}},
		Account: account.Account{Accept: &half, Swapped: 2, Flipped: 1, Usage: agent.Usage{Calls: 4, Prompt: 9}},
	}
	late := exam.Attempt{Item: items[1], Took: time.Minute, Err: errors.New("no opinion in time")}
	down := exam.Attempt{Item: items[2], Account: account.Account{Down: "refused"}}
	for _, h := range []exam.Attempt{right, late, down} {
		if err := f.Put(h); err != nil {
			t.Fatal(err)
		}
	}
	if f.Len() != 2 {
		t.Errorf("%d kept", f.Len())
	}
	again, err := keep.Open(dir, name, items)
	if err != nil || again.Len() != 2 {
		t.Fatal(again, err)
	}
	if h, ok := again.Known("one"); !ok || !reflect.DeepEqual(exam.Grade([]exam.Attempt{h}), exam.Grade([]exam.Attempt{right})) || h.Opinion.Findings[0].Detail != "d" {
		t.Errorf("%v, %+v", ok, h)
	}
	if h, ok := again.Known("two"); !ok || h.Err == nil || h.Err.Error() != "no opinion in time" || h.Took != time.Minute {
		t.Errorf("%v, %+v", ok, h)
	}
	if _, ok := again.Known("three"); ok {
		t.Error("a dispute without a model is kept")
	}
	if err := again.Put(right); err == nil || !strings.Contains(err.Error(), "another exam is held") {
		t.Errorf("%v", err)
	}
	for part, other := range map[string]keep.Name{
		"other disputes": {Disputes: "x", Judge: "j", Program: "p"}, "other settings": {Disputes: "d", Judge: "x", Program: "p"}, "another build": {Disputes: "d", Judge: "j", Program: "x"},
	} {
		if _, err := keep.Open(dir, other, items); !errors.Is(err, keep.ErrOther) || !strings.Contains(err.Error(), part) {
			t.Errorf("%s: %v", part, err)
		}
	}
	for _, content := range []string{`{"id":"one"`, `{"id":"two","error":"x"}`, `{"id":"one"}`, strings.Repeat(" ", 4<<20+1)} {
		if err := os.WriteFile(filepath.Join(dir, "one.dispute.json"), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := keep.Open(dir, name, items); err == nil || !strings.Contains(err.Error(), "heard again") {
			t.Errorf("%.20s: %v", content, err)
		}
	}
}

// TestProgram: the hash of the running program is one.
func TestProgram(t *testing.T) {
	a, err := keep.Program()
	b, again := keep.Program()
	if err != nil || again != nil || a != b || len(a) != 64 {
		t.Errorf("%s %s %v %v", a, b, err, again)
	}
	if _, err := keep.Of(func() {}); err == nil {
		t.Error("a function has a hash")
	}
}
