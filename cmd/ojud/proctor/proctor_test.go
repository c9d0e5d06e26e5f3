package proctor

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/cmd/ojud/cli"
)

// where is the place of the tasks of a batch.
const where = " --program 7Yw4uXbVYmJEk9rGdzXqP8ZkHnnhVUM6ZBJJ4q3xC9Vk --creator 4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi"

// run runs a command of the group.
func run(t *testing.T, args ...string) (out string, err error) {
	t.Helper()
	var b bytes.Buffer
	a := cli.New(nil, &b, &b)
	cmd := Command(a)
	cmd.PersistentFlags().BoolVar(&a.JSON, "json", false, "")
	cmd.SetArgs(args)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err = cmd.Execute()
	return b.String(), err
}

// TestProctor makes a batch, opens it leaf by leaf, and checks it, as text and as JSON.
func TestProctor(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "batch")
	for _, step := range []struct {
		args string
		want []string
	}{
		{"make DIR --leaves 4 --seed test --rewards 0.01sol-0.02sol:1" + where, []string{"4: 2 accept, 2 reject", "arithmetic", "SOL in all"}},
		{"check DIR", []string{"0 of 4", "not complete"}},
		{"check DIR --secret", []string{"2 accept"}},
		{"open DIR 2 3 --offline", []string{"0002.json", "0003.json"}},
		{"check DIR/opened/0002.json", []string{"2 of 4: true", "answer", "verify"}},
		{"check DIR", []string{"2 of 4, all true", "not complete"}},
		{"open DIR --offline", []string{"0001.json", "0004.json"}},
		{"check DIR", []string{"4 of 4, all true; 2 accept", "it may be applied"}},
	} {
		out, err := run(t, strings.Fields(strings.ReplaceAll(step.args, "DIR", dir))...)
		if err != nil {
			t.Fatalf("%s: %v", step.args, err)
		}
		for _, want := range step.want {
			if !strings.Contains(out, want) {
				t.Errorf("%s: no %q in\n%s", step.args, want, out)
			}
		}
	}
	out, err := run(t, "check", filepath.Join(dir, "opened", "0001.json"), "--json")
	var found struct{ Leaf, Leaves int }
	if err != nil || json.Unmarshal([]byte(out), &found) != nil || found.Leaf != 1 || found.Leaves != 4 {
		t.Errorf("%v: %s", err, out)
	}
}

// TestBadInput: each error names what is wrong and has its exit status.
func TestBadInput(t *testing.T) {
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad.json")
	if err := os.WriteFile(bad, []byte(`{"leaf":`), 0o600); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"make DIR" + where: "1 exists", "make NEW": "2 name program and creator", "make NEW --creator x --program x": "2 --program", "make NEW --leaves 3": "2 even number", "make NEW --leaves 2000": "2 1 to 256", "make NEW --kind song": "2 no kind of work",
		"make NEW --rewards 1sol": "2 is no range", "make NEW --rewards 1sol-2sol:x": "2 has no parts", "make NEW --rewards 2sol-1sol:1": "2 rewards from",
		"make NEW --rewards 1-2:1": "2 ", "open DIR --offline": "1 no such file", "open DIR 1": "2 leave the numbers out", "open DIR 1 --offline": "1 no such file",
		"check BAD": "1 not an open leaf", "check DIR": "1 no such file", "check NONE": "1 no such file", "check BAD --secret": "2 goes with the directory",
		"open": "2 needs the directory", "make": "2 ", "check a b": "2 ",
	} {
		status, says, _ := strings.Cut(want, " ")
		line := strings.NewReplacer("DIR", dir, "NEW", filepath.Join(dir, "new"), "BAD", bad, "NONE", filepath.Join(dir, "none")).Replace(args)
		if _, err := run(t, strings.Fields(line)...); err == nil || status != string(rune('0'+cli.ExitCode(err))) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %d, %v; want %s", args, cli.ExitCode(err), err, want)
		}
	}
}
