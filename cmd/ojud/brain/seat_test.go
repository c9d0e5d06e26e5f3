package brain

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/megabrain/finding"
	"ojud/node/megabrain"
)

// TestAttackFileNames: the names of attachments are those of strangers. They replace no other file,
// and none is written outside of the folder through a link in it.
func TestAttackFileNames(t *testing.T) {
	home := t.TempDir()
	dir, victim := filepath.Join(home, "out"), filepath.Join(home, "victim")
	if err := os.MkdirAll(filepath.Join(dir, "worker"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(victim, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(victim, filepath.Join(dir, "worker", "2-link")); err != nil {
		t.Fatal(err)
	}
	file := func(name string) megabrain.File {
		return megabrain.File{Attachment: finding.Attachment{Name: name}, Content: []byte(name), Path: "/somewhere"}
	}
	all := []megabrain.HandedIn{{Worker: "worker", Text: "{}", Files: []megabrain.File{file("result.json"), file("link")}}}
	if err := writeResults(dir, all); err == nil || !strings.Contains(err.Error(), "escapes") {
		t.Errorf("a link: %v", err)
	}
	all[0].Files[1] = file("..")
	if err := writeResults(dir, all); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"out/worker/result.json": "{}", "out/worker/1-result.json": "result.json", "out/worker/2-..": "..", "victim": "mine"} {
		if raw, err := os.ReadFile(filepath.Join(home, path)); err != nil || string(raw) != want {
			t.Errorf("%s: %q, %v", path, raw, err)
		}
	}
}
