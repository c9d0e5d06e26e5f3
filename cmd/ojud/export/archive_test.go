package export

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/node/archive"
)

// TestAttackUnreadableCase: one file or case that cannot be read kept all behind it out of the
// archive, at each run. Now it is named with its reason.
func TestAttackUnreadableCase(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	broken, rubbish := filepath.Join(dir, "broken.car"), filepath.Join(dir, "rubbish.json")
	for path, content := range map[string]string{broken: "\x0a\xa1erootsd", rubbish: `{"case":1}`} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	folder, err := archive.Open(filepath.Join(dir, "tables"))
	if err != nil {
		t.Fatal(err)
	}
	done := archived{Left: []left{}}
	if err := done.files(t.Context(), folder, []string{broken, rubbish, filepath.Join(dir, "gone.json")}); err != nil {
		t.Fatal(err)
	}
	if len(done.Left) != 3 || done.Left[0].What != broken || done.Left[1].What != rubbish || !strings.Contains(done.Left[1].Why, "does not verify") || done.Left[2].Why == "" {
		t.Errorf("left out: %+v", done.Left)
	}
	if err := done.add(t.Context(), folder, "a case", nil, errors.New("the node did not follow it")); err != nil || done.Left[3].Why != "the node did not follow it" {
		t.Errorf("%v, %+v", err, done.Left)
	}
	if err := folder.Close(); err != nil {
		t.Fatal(err)
	}
}
