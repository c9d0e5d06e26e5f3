package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/agent/model/modeltest"
	"ojud/cmd/ojud/cli"
	"ojud/test/longtest"
)

// TestDevnetJudges checks that the judges of a file, with different personas and stakes, ask a
// model over HTTP, and that the demo shows each judge's words and reason.
func TestDevnetJudges(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	s, err := modeltest.Open()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "panel.toml")
	text := fmt.Sprintf("stake = \"2sol\"\n[settings.judge.reasoning]\nsamples = 2\nmax_data_questions = 0\n[[models]]\nname = \"fake-1\"\nprovider = \"openai\"\nurl = %q\nmodel = \"fake-1\"\nkey = \"${env:%s}\"\n", s.URL(modeltest.OK), modelKey)
	for i, p := range []string{"edge-walker", "literal-reader", "tracer", "both-sides"} {
		text += fmt.Sprintf("[[judges]]\nname = \"j%d\"\npersona = %q\nmodels = [\"fake-1\"]\nstake = \"%dsol\"\n", i, p, i+2)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	data := t.TempDir()
	var out, errs bytes.Buffer
	args := []string{"devnet", "--demo", "judges", "--fast", "--data", data, "--log-level", "debug", "--judges", file}
	code := execute(t.Context(), newApp(nil, &out, &errs), args)
	if code != cli.ExitOK {
		t.Fatalf("exit %d: %s\n%s", code, errs.String(), out.String())
	}
	for _, says := range []string{
		"The model fake-1 answered something tiny in", "Judge 01, edge-walker (specification), reveals: accept", "each of 10 elements; the last: \"",
		"The 4 judges of the file stake", "both-sides", "judge     persona", "models           8 calls, 8 answered;", "verdict          accept in round 1", "verified",
	} {
		if !strings.Contains(out.String(), says) {
			t.Errorf("no %q in\n%s", says, out.String())
		}
	}
	if raw, err := os.ReadFile(filepath.Join(data, "nodes", "03", "ojud.toml")); err != nil || !strings.Contains(string(raw), "persona = 'tracer'") {
		t.Errorf("%s, %v", raw, err)
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
		{cli.ExitUsage, []string{"--judges: ", "gone.toml"}, []string{"--judges", "gone.toml"}},
		{cli.ExitUsage, []string{"--judges says the models"}, []string{"--judges", "gone.toml", "--model", "m"}},
		{cli.ExitUsage, []string{"--judges has 28 judges, and --nodes is 3"}, []string{"--judges", "../../examples/judges/panel.toml", "--nodes", "3"}},
		{cli.ExitUsage, []string{"golden cases have judges of their own"}, []string{"--judges", "../../examples/judges/panel.toml", "--golden", "10%"}},
		{cli.ExitUsage, []string{"belong to the stories judges and brain"}, []string{"--demo", "--model-seats", "3"}},
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
