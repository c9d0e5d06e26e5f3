package judge_test

import (
	"os"
	"path/filepath"
	"testing"

	"ojud/agent/judge"
	"ojud/agent/judge/judgetest"
	"ojud/voting"
)

// TestActions: what a worker did elsewhere is decided by what a source says of it: a post with its
// author, time and text, and a file with its hash. The answers are as sources of the kind "http"
// give them.
func TestActions(t *testing.T) {
	const table = `{"text":"id,amount\n107,0.25\n108,1.5\n"}`
	read := func(name string) string {
		raw, err := os.ReadFile(filepath.Join("..", "..", "examples", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	for name, c := range map[string]struct {
		task, result, asked, answer string
		want                        voting.Choice
	}{
		"the file":                    {"file/file.task", "file/good.result", "table-107.csv", table, voting.Accept},
		"a file with another amount":  {"file/file.task", "file/bad.result", "table.csv", `{"text":"id,amount\n107,0.25\n108,15\n"}`, voting.Reject},
		"a file without its line end": {"file/file.task", "file/bad.result", "table.csv", `{"text":"id,amount\n107,0.25\n108,1.5"}`, voting.Reject},
		"no file":                     {"file/file.task", "file/bad.result", "elsewhere", table, voting.Reject},
		"the post":                    {"post/dated.task", "post/good.result", "1843", `{"author":"worker","at":"2026-03-03T09:30:00Z","text":"Osiris is live."}`, voting.Accept},
		"the post of another":         {"post/dated.task", "post/good.result", "1843", `{"author":"reader","at":"2026-03-03T09:30:00Z","text":"Osiris is live."}`, voting.Reject},
		"the post a day late":         {"post/dated.task", "post/good.result", "1843", `{"author":"worker","at":"2026-03-04T00:00:01Z","text":"Osiris is live."}`, voting.Reject},
		"another text":                {"post/dated.task", "post/good.result", "1843", `{"author":"worker","at":"2026-03-03T09:30:00Z","text":"Osiris is live, not."}`, voting.Reject},
		"a post without its time":     {"post/dated.task", "post/good.result", "1843", `{"author":"worker","text":"Osiris is live."}`, voting.Reject},
	} {
		objection := reason("The result does not pass the expected checks.")
		b := judgetest.Brief(t, judgetest.Papers{Task: read(c.task), Result: read(c.result), Objection: objection, Counter: reason("It is right.")})
		b.Evidence = explorer{c.asked: c.answer}
		o, err := judge.Shared.Evaluate(t.Context(), b)
		if err != nil || voting.Choice(o.Choice) != c.want {
			t.Errorf("%s: %s, want %s: %s, %v", name, voting.Choice(o.Choice), c.want, o.Summary, err)
		}
		t.Logf("%s: %s", name, o.Summary)
	}
}
