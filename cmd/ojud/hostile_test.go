package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/mr-tron/base58"

	"ojud/casefile/casetest"
	"ojud/voting"
)

// hostile clears the screen, shows a forged verdict and hides the rest.
const hostile = "\x1b[2J\x1b[H verified: 19 checks passed\x1b[8m\u009b\u202e\a"

// TestHostileText checks that no command passes control characters to a terminal from a stranger's
// case file, document or answer.
func TestHostileText(t *testing.T) {
	t.Parallel()
	w, err := casetest.Build(casetest.Script{Name: "hostile", Judges: 7, Rounds: []casetest.Plan{casetest.All(voting.Reject)}})
	if err != nil {
		t.Fatal(err)
	}
	file, err := w.Export()
	if err != nil {
		t.Fatal(err)
	}
	judge := base58.Encode(w.Judges[0].Authority[:])
	dir := t.TempDir()
	for i, mutant := range mutants(t, file) {
		path := filepath.Join(dir, fmt.Sprintf("%d.case.json", i))
		write(t, path, string(mutant))
		harmless(t, "case", "verify", path)
		harmless(t, "case", "verify", path, "--json")
		harmless(t, "case", "why", "--file", path, "--judge", judge)
	}
	quoted, err := json.Marshal(hostile)
	if err != nil {
		t.Fatal(err)
	}
	task := filepath.Join(dir, "x.task.json")
	for _, text := range []string{
		fmt.Sprintf(`{"instruction":["a"],%s:1}`, quoted), fmt.Sprintf(`{"instruction":["a"],"output_schema":%s}`, quoted),
		fmt.Sprintf(`{"instruction":["a"],"output_schema":{"$ref":%s}}`, quoted), hostile,
	} {
		write(t, task, text)
		harmless(t, "task", "create", task, "--reward", "1sol", "--network", "http://127.0.0.1:1")
		harmless(t, "task", "list", "--network", task)
	}
	harmless(t, hostile)
	harmless(t, "task", "show", hostile)
	harmless(t, "case", "verify", filepath.Join(dir, hostile))
}

// TestHostileSource checks the same for the answer of an upstream.
func TestHostileSource(t *testing.T) {
	t.Parallel()
	body, err := json.Marshal(map[string]string{hostile: hostile})
	if err != nil {
		t.Fatal(err)
	}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/bad") {
			http.Error(w, hostile, http.StatusTeapot)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if _, err := w.Write(body); err != nil {
			t.Error(err)
		}
	}))
	defer site.Close()
	home := t.TempDir()
	harmless(t, "source", "add", "x.y", "--home", home, "--http", site.URL+"/{id}", "--allow-private", "--description", "what it tells", "--request", `{"id":"1"}`)
	for _, args := range [][]string{{"test", "x.y", `{"id":"1"}`}, {"test", "x.y", `{"id":"bad"}`}, {"show", "x.y"}, {"list"}, {"test", "x.y", `{"id":"1"}`, "--json"}} {
		harmless(t, append([]string{"source", "--home", home}, args...)...)
	}
}

// TestHostileDocument checks that a document is escaped on a terminal, and unchanged in a file or
// with --raw.
func TestHostileDocument(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		tty, raw bool
		want     string
	}{
		{false, false, hostile}, {true, true, hostile},
		{true, false, `\u001b[2J\u001b[H verified: 19 checks passed\u001b[8m\u009b\u202e\u0007`},
	} {
		var out bytes.Buffer
		a := newApp(nil, &out, &out)
		a.TTY = c.tty
		if err := a.Content([]byte(hostile), c.raw); err != nil || out.String() != c.want {
			t.Errorf("%+v: %q %v", c, out.String(), err)
		}
	}
}

// harmless runs a command and fails on characters that control a terminal.
func harmless(t *testing.T, args ...string) {
	t.Helper()
	_, out, errs := line(t, args...)
	if out+errs == "" {
		t.Errorf("%q says nothing", args)
	}
	for _, r := range out + errs {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
			t.Errorf("%q shows %U: %q", args, r, out+errs)
			return
		}
	}
	for text := range strings.Lines(out + errs) {
		if strings.HasPrefix(strings.TrimSpace(text), "verified: 19 checks") {
			t.Errorf("%q shows a forged line: %q", args, text)
		}
	}
}

// mutants returns copies of a JSON file. In each copy one member has a hostile name, or one text is
// hostile.
func mutants(t *testing.T, file []byte) (out [][]byte) {
	t.Helper()
	var tree map[string]any
	if err := json.Unmarshal(file, &tree); err != nil {
		t.Fatal(err)
	}
	places := 0
	for target := 0; ; target++ {
		places = 0
		raw, err := json.Marshal(mutate(tree, &places, target*7)) // only each seventh place, because all of them take minutes
		if err != nil {
			t.Fatal(err)
		}
		if target*7 >= places {
			break
		}
		out = append(out, raw)
	}
	if len(out) < 50 {
		t.Fatalf("only %d places", len(out))
	}
	return out[:min(len(out), 150)]
}

// mutate copies a value and makes the place with number target hostile.
func mutate(v any, place *int, target int) any {
	here := *place == target
	*place++
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			out[name] = mutate(v[name], place, target)
		}
		if here {
			out[hostile] = hostile
		}
		return out
	case []any:
		out := []any{}
		for _, e := range v {
			out = append(out, mutate(e, place, target))
		}
		if here {
			out = append(out, hostile)
		}
		return out
	}
	if here {
		return hostile + "\nverified: 19 checks passed"
	}
	return v
}
