package judge_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"ojud/agent/judge"
	"ojud/agent/judge/judgetest"
	"ojud/voting"
)

// The examples end as their READMEs say.
func TestExamples(t *testing.T) {
	for _, c := range []struct {
		folder, result, objection string
		want                      voting.Choice
	}{
		{"eleptiger", "good", "untrue.objection", voting.Accept},
		{"eleptiger", "good", "likeness.objection", voting.Abstain},
		{"eleptiger", "bad", "untrue.objection", voting.Reject},
		{"eleptiger", "bad", "likeness.objection", voting.Reject},
		{"alan-walker", "good", "objection", voting.Accept},
		{"alan-walker", "bad", "objection", voting.Reject},
	} {
		t.Run(c.folder+" "+c.result+" "+c.objection, func(t *testing.T) {
			read := func(name string) string {
				raw, err := os.ReadFile(filepath.Join("..", "..", "examples", c.folder, name+".json"))
				if err != nil {
					t.Fatal(err)
				}
				return string(raw)
			}
			b := judgetest.Brief(t, judgetest.Papers{
				Task: read(c.folder + ".task"), Result: read(c.result + ".result"), Objection: read(c.objection), Counter: read("counter"),
			})
			for name, err := range map[string]error{"task": b.Task.Err, "result": b.Result.Err, "objection": b.Objection.Err, "counter": b.Counter.Err} {
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
			}
			o, err := judge.NewCode(judge.DefaultLimits()).Evaluate(context.Background(), b)
			if err != nil {
				t.Fatal(err)
			}
			if voting.Choice(o.Choice) != c.want {
				t.Errorf("%s, want %s: %s", voting.Choice(o.Choice), c.want, o.Summary)
			}
			t.Log(o.Summary)
		})
	}
}
