package process

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/test/longtest"
)

// ailing adds a source and a model that are both down to a home, and runs the doctor.
func (w *processes) ailing(home string) {
	w.t.Helper()
	settings := "[judge]\nkind = \"model\"\n[[models.list]]\nname = \"local\"\nprovider = \"openai\"\nurl = \"http://127.0.0.1:9/v1\"\nmodel = \"m\"\n"
	if err := os.WriteFile(filepath.Join(home, "ojud.toml"), []byte(settings), 0o600); err != nil {
		w.t.Fatal(err)
	}
	w.must("source", "add", "site.down", "--home", home, "--http", "http://127.0.0.1:9/{id}", "--allow-private", "--no-test", "--description", "down")
	w.refuses("ailing", []string{"ok      keys", "ok      disk", "ok      chain", "not ok  funds", "no node runs", "not ok  source site.down",
		"ojud source test --home " + home + " site.down", "not ok  model local", "cannot be reached"}, "doctor", "--home", home)
	if err := os.Remove(filepath.Join(home, "ojud.toml")); err != nil {
		w.t.Fatal(err)
	}
	w.must("source", "remove", "site.down", "--home", home)
}

// TestBadHome checks that a judge with a bad home, chain or balance ends or warns, and says what to
// do.
func TestBadHome(t *testing.T) {
	longtest.Only(t)
	if testing.Short() {
		t.Log("NOT RUN: -short, no process was started on a bad home")
		return
	}
	t.Parallel()
	w := newProcesses(t)
	w.startChain()
	w.judges = append(w.judges, nil)
	w.startJudge(0)
	w.until("its node is well", w.well)
	home := w.home(0)

	w.refuses("a second process", []string{"in use by another process", filepath.Join(home, "journal"), fmt.Sprint(w.judges[0].Process.Pid), "stop that process"}, "run", "--home", home)

	poor := filepath.Join(w.dir, "poor")
	w.must("init", "--network", w.url, "--home", poor)
	w.refuses("without funds", []string{"has 0 SOL", "ojud airdrop", "is not on the roster", "ojud judge register"}, "doctor", "--home", poor)
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
	if err := w.judges[0].Wait(); err == nil || w.judges[0].ProcessState.ExitCode() != 1 {
		t.Errorf("on another chain: %v", err)
	}
	raw, err := os.ReadFile(filepath.Join(w.dir, "judge0.log"))
	raw = bytes.Join(bytes.Fields(raw), []byte(" ")) // the words wrap where a line ends
	if err != nil || !bytes.Contains(raw, []byte("genesis hash")) || !bytes.Contains(raw, []byte("ojud join and another --home")) {
		t.Errorf("on another chain it said: %v\n%s", err, tail(raw))
	}
}

// refuses runs a command, and checks that it fails with these words.
func (w *processes) refuses(what string, words []string, args ...string) {
	w.t.Helper()
	out, err := w.run(args...)
	if err == nil {
		w.t.Errorf("%s: ojud %s succeeded", what, strings.Join(args, " "))
	}
	for _, word := range words {
		if !strings.Contains(onOneLine(out), onOneLine(word)) {
			w.t.Errorf("%s: ojud %s does not say %q:\n%s", what, strings.Join(args, " "), word, out)
		}
	}
}

// onOneLine removes the breaks of lines, which depend on the length of paths.
func onOneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// change rewrites a file.
func (w *processes) change(path string, f func([]byte) []byte) {
	w.t.Helper()
	raw, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, f(raw), 0o600)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}
