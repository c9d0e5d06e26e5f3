package main

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/casefile/casetest"
	"ojud/casefile/page"
	"ojud/casefile/page/release"
	"ojud/voting"
)

// TestCasePage: a case file becomes a page, which verifies, and a changed byte of it is named. A
// build without the verifiers says how to make them, and still verifies the case in a page.
func TestCasePage(t *testing.T) {
	t.Parallel()
	raw, err := casetest.File(casetest.Script{Name: "page", Judges: 7, Panel: 7, Rounds: []casetest.Plan{casetest.All(voting.Accept)}})
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	file, html := filepath.Join(folder, "x.case.json"), filepath.Join(folder, "x.case.html")
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	say := func(want int, text string, args ...string) {
		t.Helper()
		code, out, told := lineIn(t.Context(), nil, args...)
		if code != want || !strings.Contains(strings.Join(strings.Fields(out+told), " "), text) {
			t.Errorf("%q: exit %d, want %d with %q:\n%s%s", args, code, want, text, out, told)
		}
	}
	say(1, "is a case file already", "case", "export", file)
	_, err = release.Load()
	if errors.Is(err, page.ErrNoVerifier) {
		say(1, "make build", "case", "export", file, "--html")
		foreign := "<!doctype html>\nojud:case:" + base64.StdEncoding.EncodeToString(squeezed(t, raw)) + "\n"
		if err := os.WriteFile(html, []byte(foreign), 0o600); err != nil {
			t.Fatal(err)
		}
		say(3, "this build of ojud cannot compare the page around the case: it was built without the pages; make build", "case", "verify", html)
		t.Log("this build has no verifiers for pages, so only its answer to that was tried; make pages, and run this again")
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	say(0, "ojud case verify "+html, "case", "export", file, "--html")
	say(0, "the page is as this release writes it", "case", "verify", html)
	written, err := os.ReadFile(html)
	if err != nil {
		t.Fatal(err)
	}
	changed := bytes.Replace(written, []byte("NOT VERIFIED"), []byte("all is well!"), 1)
	if err := os.WriteFile(html, changed, 0o600); err != nil {
		t.Fatal(err)
	}
	say(3, "THE PAGE IS NOT VERIFIED: in the page around the case, byte", "case", "verify", html)
	say(3, `"ok":false`, "case", "verify", html, "--json")
}

// squeezed packs a text as a page does.
func squeezed(t *testing.T, text []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
