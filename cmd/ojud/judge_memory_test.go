package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/agent/judge/class"
	"ojud/agent/judge/memory"
	"ojud/agent/likeness"
	"ojud/casefile"
	"ojud/node"
	"ojud/voting"
)

// TestJudgeMemory lists, shows and forgets the lessons of a judge, as text and as JSON. An
// unreadable file is named.
func TestJudgeMemory(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "home")
	home, _, err := node.Init(dir, node.Descriptor{
		Format: node.DescriptorFormat, Name: "test", Network: casefile.Digest{1}.String(), Program: casefile.Address{2}.String(), RPC: "http://127.0.0.1:1", WS: "ws://127.0.0.1:1", Bootstrap: []string{},
	})
	if err != nil {
		t.Fatal(err)
	}
	store, err := memory.Open(dir, casefile.Address(home.Keys.Judge()), memory.DefaultConfig(), memory.Deps{})
	if err != nil {
		t.Fatal(err)
	}
	cases := []casefile.Address{{7}, {8}}
	for i, c := range cases {
		e := memory.Lesson{
			Case: c, Round: 1, Class: class.Writing, Choice: casefile.Choice(voting.Reject), Verdict: casefile.Verdict(voting.ForCreator), Flagged: i == 1, At: int64(86400 * i),
			Lines: []memory.Point{{Outcome: casefile.Fail, Agree: 3, Of: 4}}, Embedding: likeness.Draw("Write a poem."),
		}
		if err := store.Learn(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(store.Dir(), casefile.Address{9}.String()+"-1.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	first := cases[0].String()
	for _, c := range []struct {
		args string
		code int
		want []string
	}{
		{"list", 0, []string{"1970-01-01", first, "reject", "yes", "left out: ", "-1.json"}},
		{"list --json", 0, []string{`"case":"` + first, `"with_the_court":true`, `"flagged":true`}},
		{"show " + first, 0, []string{"round 1", "not met", "by 3 of 4 samples"}},
		{"show --json " + cases[1].String(), 0, []string{`"lines":[{"outcome":"not met","agree":3,"of":4}]`}},
		{"show " + casefile.Address{5}.String(), 1, []string{"there is nothing of that case"}},
		{"show poem", 2, []string{"is not an address"}},
		{"forget " + first, 0, []string{"1 round"}},
		{"forget " + first, 1, []string{"there is nothing of that case"}},
		{"clear --json", 0, []string{`{"forgotten":2}`}},
		{"list", 0, []string{"nothing was learned yet"}},
	} {
		code, out, errs := line(t, append([]string{"judge", "memory", "--home", dir}, strings.Fields(c.args)...)...)
		for _, want := range c.want {
			if code != c.code || !strings.Contains(out+errs, want) {
				t.Errorf("%s: %d, no %q in %s%s", c.args, code, want, out, errs)
			}
		}
	}
	if code, _, errs := line(t, "judge", "memory", "list", "--home", t.TempDir()); code == 0 || errs == "" {
		t.Errorf("no home: %d, %s", code, errs)
	}
}
