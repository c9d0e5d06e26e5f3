package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestBadTaskFile: whatever is wrong with a task file, the file and the field are named, and nothing is asked of a chain before.
func TestBadTaskFile(t *testing.T) {
	t.Parallel()
	const schema = `,"output_schema":{"a":"string"}`
	for name, c := range map[string]struct {
		text string
		says []string
	}{
		"unknown field":      {`{"instruction":["a"],"deadline":5` + schema + `}`, []string{`field "deadline"`, "unknown", "output_schema"}},
		"missing":            {`{"instruction":["a"]}`, []string{`field "output_schema"`, "missing"}},
		"wrong type":         {`{"instruction":"a"` + schema + `}`, []string{`field "instruction"`, "is a string", "an array is needed"}},
		"wrong type inside":  {`{"instruction":["a",7]` + schema + `}`, []string{`field "instruction[1]"`, "number 7"}},
		"empty":              {`{"instruction":[]` + schema + `}`, []string{`field "instruction"`, "at least one"}},
		"out of range":       {`{"instruction":["a"],"expected":[{"path":"/a","lines":-1}]` + schema + `}`, []string{`field "expected[0].lines"`, "-1", "from 0 to"}},
		"too long a text":    {`{"instruction":["` + strings.Repeat("x", 9000) + `"]` + schema + `}`, []string{`field "instruction[0]"`, "9000", "8192"}},
		"no address":         {`{"instruction":["a"],"pda":["xyz"]` + schema + `}`, []string{`field "pda[0]"`, "xyz", "address"}},
		"unknown in a check": {`{"instruction":["a"],"expected":[{"path":"/a","colour":1}]` + schema + `}`, []string{`field "expected[0].colour"`, "unknown"}},
		"not JSON":           {`instruction: draw`, []string{"not JSON"}},
		"nothing":            {``, []string{"not JSON"}},
		"no object":          {`["a"]`, []string{"is an array", "an object is needed"}},
		"twice":              {`{"instruction":["a"],"instruction":["b"]` + schema + `}`, []string{"Duplicate", "instruction"}},
		"too large":          {`{"instruction":["a"],"input_data":["` + strings.Repeat("x", 300_000) + `"]` + schema + `}`, []string{"262144"}},
		"too deep":           {`{"instruction":["a"],"input_data":` + strings.Repeat("[", 99) + strings.Repeat("]", 99) + schema + `}`, []string{"nested deeper than 64"}},
		"wrong schema":       {`{"instruction":["a"],"output_schema":{"type":"strin"}}`, []string{`field "output_schema"`, "/type", "short form"}},
		"misspelt schema":    {`{"instruction":["a"],"output_schema":{"a":"strng"}}`, []string{`field "output_schema"`, "accepts every result", "misspelt"}},
		"schema from a file": {`{"instruction":["a"],"output_schema":{"$ref":"file:///etc/passwd"}}`, []string{`field "output_schema"`, "file:///etc/passwd"}},
	} {
		file := filepath.Join(t.TempDir(), "the.task.json")
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		code, out, errs := line(t, "task", "create", file, "--reward", "1sol", "--network", "http://127.0.0.1:1")
		if code != exitFailed || out != "" {
			t.Errorf("%s: exit status %d, %q", name, code, out)
		}
		for _, word := range append(c.says, file) {
			if !strings.Contains(errs, word) {
				t.Errorf("%s: no %q in %s", name, word, errs)
			}
		}
	}
}

// ailing gives a home a source that is down and a model that is down, and asks the doctor.
func (w *town) ailing(home string) {
	w.t.Helper()
	settings := "[judge]\nkind = \"model\"\n[[models.list]]\nname = \"local\"\nprovider = \"openai\"\nurl = \"http://127.0.0.1:9/v1\"\nmodel = \"m\"\n"
	if err := os.WriteFile(filepath.Join(home, "ojud.toml"), []byte(settings), 0o600); err != nil {
		w.t.Fatal(err)
	}
	w.must("source", "add", "site.down", "--home", home, "--http", "http://127.0.0.1:9/{id}", "--allow-private", "--no-test", "--description", "down")
	w.refuses("ailing", []string{"ok      keys", "ok      disk", "ok      chain", "not ok  funds", "no node runs", "not ok  source site.down",
		"ojud source test site.down", "not ok  model local", "cannot be reached"}, "doctor", "--home", home)
	if err := os.Remove(filepath.Join(home, "ojud.toml")); err != nil {
		w.t.Fatal(err)
	}
	w.must("source", "remove", "site.down", "--home", home)
}

// TestBadHome: a judge's process whose home, chain or funds are not as they should be ends or warns in words that say what to do.
func TestBadHome(t *testing.T) {
	if testing.Short() {
		t.Log("NOT RUN: -short, no process was started on a bad home")
		return
	}
	w := newTown(t)
	w.startChain()
	w.judges = append(w.judges, nil)
	w.startJudge(0)
	w.until(60*time.Second, "its node is well", w.well)
	home := w.home(0)

	w.refuses("a second process", []string{"in use by another process", filepath.Join(home, "journal"), fmt.Sprint(w.judges[0].Process.Pid), "stop it"}, "run", "--home", home)

	poor := filepath.Join(w.dir, "poor")
	w.must("init", "--network", w.url, "--home", poor)
	w.refuses("without funds", []string{"has 0 lamports", "ojud airdrop", "is not on the roster", "ojud judge register"}, "check", "--home", poor)
	w.ailing(poor)
	w.refuses("without a stake", []string{"not on the roster", "ojud judge register"}, "judge", "status", "--home", poor)

	w.change(filepath.Join(poor, "network.json"), func(text []byte) []byte {
		_, rest, _ := bytes.Cut(text, []byte(`"program"`))
		program := bytes.Split(rest, []byte(`"`))[1]
		return bytes.ReplaceAll(text, program, []byte("7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2"))
	})
	w.refuses("a wrong program", []string{"7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2", "compare the field program"}, "run", "--home", poor)

	w.kill(w.judges[0])
	manifest := filepath.Join(home, "journal", "db", "MANIFEST")
	whole, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	w.change(manifest, func(text []byte) []byte { return bytes.Repeat([]byte{7}, len(text)) })
	w.refuses("a damaged journal", []string{filepath.Join(home, "journal", "db"), "move", "no vote is lost"}, "run", "--home", home)
	w.change(manifest, func([]byte) []byte { return whole })

	w.kill(w.chain)
	w.startJudge(0) // while the chain is away
	if err := os.RemoveAll(filepath.Join(w.dir, "court")); err != nil {
		t.Fatal(err)
	}
	w.startChain()
	if err := w.judges[0].Wait(); err == nil || w.judges[0].ProcessState.ExitCode() != exitFailed {
		t.Errorf("on another chain: %v", err)
	}
	raw, err := os.ReadFile(filepath.Join(w.dir, "judge0.log"))
	if err != nil || !bytes.Contains(raw, []byte("genesis hash")) || !bytes.Contains(raw, []byte("ojud join and another --home")) {
		t.Errorf("on another chain it said: %v\n%s", err, tail(raw))
	}
}

// refuses runs a command that has to fail, and to say why.
func (w *town) refuses(what string, words []string, args ...string) {
	w.t.Helper()
	out, err := w.run(args...)
	if err == nil {
		w.t.Errorf("%s: ojud %s succeeded", what, strings.Join(args, " "))
	}
	for _, word := range words {
		if !strings.Contains(out, word) {
			w.t.Errorf("%s: ojud %s does not say %q:\n%s", what, strings.Join(args, " "), word, out)
		}
	}
}

// change rewrites a file.
func (w *town) change(path string, f func([]byte) []byte) {
	w.t.Helper()
	raw, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, f(raw), 0o600)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}
