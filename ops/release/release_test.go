package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"
)

var testSource = source{"v1.2.3", time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)}

func TestTargets(t *testing.T) {
	all, err := targetsOf(allTargets)
	if err != nil || len(all) != 5 {
		t.Fatalf("%v, %v", all, err)
	}
	if got := testSource.name(all[4]); got != "ojud_v1.2.3_windows_amd64" || all[4].program() != "ojud.exe" {
		t.Errorf("%s", got)
	}
	for _, wrong := range []string{"", "linux", "linux/", "linux/amd64,,"} {
		if _, err := targetsOf(wrong); err == nil {
			t.Errorf("%q is taken", wrong)
		}
	}
}

// Archives are the same bytes each time, and other programs read them.
func TestArchives(t *testing.T) {
	entries := []entry{{"a/ojud", []byte("program"), true}, {"a/LICENSE", []byte("text"), false}}
	var one, two, zipped bytes.Buffer
	for _, w := range []*bytes.Buffer{&one, &two} {
		if err := writeTar(w, entries, testSource.time); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(one.Bytes(), two.Bytes()) {
		t.Error("two archives of the same files differ")
	}
	unpacked, err := gzip.NewReader(&one)
	if err != nil {
		t.Fatal(err)
	}
	h, err := tar.NewReader(unpacked).Next()
	if err != nil || h.Name != "a/ojud" || h.Mode != 0o755 || !h.ModTime.Equal(testSource.time) || h.Uid != 0 {
		t.Errorf("%+v, %v", h, err)
	}
	if err := writeZip(&zipped, entries, testSource.time); err != nil {
		t.Fatal(err)
	}
	r, err := zip.NewReader(bytes.NewReader(zipped.Bytes()), int64(zipped.Len()))
	if err != nil || len(r.File) != 2 || r.File[0].Name != "a/ojud" || r.File[0].Mode() != 0o755 {
		t.Errorf("%v, %v", r, err)
	}
}

// The comparison of two releases finds one changed byte, and a file that only one of them has.
func TestSame(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	put := func(folder, name, content string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Join(folder, filepath.Dir(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := same(a, b); err == nil {
		t.Error("two empty folders are a release")
	}
	put(a, "x/ojud", "binary")
	put(b, "x/ojud", "binary")
	if err := writeSums(a); err != nil {
		t.Fatal(err)
	}
	if err := same(a, b); err != nil {
		t.Error(err)
	}
	sums, err := os.ReadFile(filepath.Join(a, sumsName))
	if want := "9a3a45d01531a20e89ac6ae10b0b0beb0492acd7216a368aa062d1a5fecaf9cd  x/ojud\n"; err != nil || string(sums) != want {
		t.Errorf("%s, %v", sums, err)
	}
	put(b, "more", "")
	if err := same(a, b); err == nil || !strings.Contains(err.Error(), "more") {
		t.Errorf("%v", err)
	}
	put(a, "more", "")
	put(b, "x/ojud", "binarx")
	if err := same(a, b); err == nil || !strings.Contains(err.Error(), "x/ojud") {
		t.Errorf("%v", err)
	}
}

// A release without the verifiers for pages is refused.
func TestPacked(t *testing.T) {
	dir := t.TempDir()
	if err := packed(dir); err == nil || !strings.Contains(err.Error(), "make pages") {
		t.Errorf("%v", err)
	}
	for _, name := range []string{"plain.wasm.xz", "whole.wasm.xz", "wasm_exec.js"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := packed(dir); err != nil {
		t.Error(err)
	}
}

func TestBOM(t *testing.T) {
	info := &debug.BuildInfo{
		GoVersion: "go1.26.8",
		Deps: []*debug.Module{
			{Path: "example.com/b", Version: "v2.0.0+incompatible", Sum: "h1:b="},
			{Path: "example.com/a", Version: "v1.0.0", Replace: &debug.Module{Path: "example.com/c", Version: "v1.1.0", Sum: "h1:c="}},
		},
		Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}},
	}
	raw, err := json.Marshal(newBOM(info, testSource))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"bomFormat":"CycloneDX","specVersion":"1.6","version":1`, `"timestamp":"2026-11-28T12:00:00Z"`, `"ojud:build:vcs.revision","value":"abc"`,
		`"purl":"pkg:golang/std@1.26.8"`, `"purl":"pkg:golang/example.com/b@v2.0.0%2Bincompatible"`, `"purl":"pkg:golang/example.com/c@v1.1.0"`,
		`{"name":"go:sum","value":"h1:c="}`,
	} {
		if !bytes.Contains(raw, []byte(want)) {
			t.Errorf("%s is not in %s", want, raw)
		}
	}
	if bytes.Contains(raw, []byte("example.com/a")) {
		t.Error("a module that another one replaces is not in the binary")
	}
	own := filepath.Join(t.TempDir(), "bom.json")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := writeBOM(own, self, testSource); err != nil {
		t.Error(err)
	}
}
