package npmtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// dies ends with a bus error until its library is another file than at its first run.
const dies = `import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
const library = statSync('node_modules/some/library.node')
if (!existsSync('first')) writeFileSync('first', String(library.ino))
if (readFileSync('first', 'utf8') === String(library.ino)) process.kill(process.pid, 'SIGBUS')
else console.log(library.size)`

// TestRenewed: a script that a bus error killed runs once more, with new copies of its libraries.
func TestRenewed(t *testing.T) {
	dir := t.TempDir()
	library := filepath.Join(dir, "node_modules/some/library.node")
	if err := os.MkdirAll(filepath.Dir(library), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{library: "seven b", filepath.Join(dir, "package.json"): "{}", filepath.Join(dir, "dies.mjs"): dies} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out := Run(t, dir, "dies.mjs")
	if out != nil && strings.TrimSpace(string(out)) != "7" {
		t.Errorf("the library has %s bytes, want 7", out)
	}
}
