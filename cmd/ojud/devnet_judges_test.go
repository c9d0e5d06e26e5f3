package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"ojud/agent/model/modeltest"
	"ojud/cmd/ojud/cli"
)

// TestDevnetJudges checks that judges of different personas ask a model over HTTP, and that the
// demo shows each judge's words and reason.
func TestDevnetJudges(t *testing.T) {
	t.Parallel()
	s, err := modeltest.Open()
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	args := []string{"devnet", "--demo", "judges", "--fast", "--nodes", "4", "--data", t.TempDir(), "--log-level", "debug",
		"--model-url", s.URL(modeltest.OK), "--model", "fake-1", "--model-key", "${env:" + modelKey + "}"}
	code := execute(t.Context(), newApp(nil, &out, &errs), args)
	if code != cli.ExitOK {
		t.Fatalf("exit %d: %s\n%s", code, errs.String(), out.String())
	}
	for _, says := range []string{
		"The model fake-1 answered something tiny in", "Judge 01, edge-walker (specification), reveals: accept", "each of 10 elements; the last: \"",
		"judge     persona", "models           8 calls, 8 answered;", "verdict          accept in round 1", "verified",
	} {
		if !strings.Contains(out.String(), says) {
			t.Errorf("no %q in\n%s", says, out.String())
		}
	}
	if strings.Contains(out.String()+errs.String(), plantedKey) {
		t.Error("the key was told")
	}
	for _, r := range s.Requests(modeltest.OK) {
		if r.Key != "Bearer "+plantedKey {
			t.Errorf("a request with %q", r.Key)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// TestDevnetNoModel checks that a devnet without a model, or with one that does not answer, fails
// before it creates anything, and says how to get a model.
func TestDevnetNoModel(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s, err := modeltest.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	url := s.URL(modeltest.Refusing)
	for _, c := range []struct {
		code int
		says []string
		args []string
	}{
		{cli.ExitUsage, []string{"there is none", "llama-server", "ollama pull"}, []string{"--demo", "judges"}},
		{cli.ExitUsage, []string{"1 --model-url and 0 --model"}, []string{"--demo", "judges", "--model-url", url}},
		{cli.ExitUsage, []string{"2 --model-key"}, []string{"--demo", "judges", "--model-url", url, "--model", "m", "--model-key", "", "--model-key", ""}},
		{cli.ExitUsage, []string{"belong to the story judges"}, []string{"--demo", "--model-seats", "3"}},
		{cli.ExitUsage, []string{"model_seats is 29"}, []string{"--demo", "judges", "--model-url", url, "--model", "m", "--model-seats", "29"}},
		{cli.ExitUsage, []string{"no reference"}, []string{"--demo", "judges", "--model-url", url, "--model", "m", "--model-key", "sk-123"}},
		{cli.ExitUsage, []string{"no http or https URL"}, []string{"--demo", "judges", "--model-url", "127.0.0.1:8080", "--model", "m"}},
		{cli.ExitFailed, []string{"the model does not answer", "refuses the request", "look whether its server runs"}, []string{"--demo", "judges", "--model-url", url, "--model", "m"}},
	} {
		var out, errs bytes.Buffer
		code := execute(t.Context(), newApp(nil, &out, &errs), append([]string{"devnet"}, c.args...))
		for _, says := range c.says {
			if code != c.code || !strings.Contains(errs.String(), says) || strings.Contains(errs.String(), "sk-123") || strings.Count(errs.String(), "\n") != 1 {
				t.Errorf("%v: exit %d, no %q in %s", c.args, code, says, errs.String())
			}
		}
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) != 0 {
		t.Errorf("it left %v: %v", left, err)
	}
}
