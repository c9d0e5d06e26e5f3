package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/cmd/ojud/cli"
	"ojud/config"
)

// TestInitJudge checks that a new judge gets its persona and model from the command line, in a file
// that a person can edit.
func TestInitJudge(t *testing.T) {
	network := filepath.Join(t.TempDir(), "network.json")
	if err := os.WriteFile(network, []byte(`{"format":"oju-network/2","name":"oju-test","network":"`+strings.Repeat("ab", 32)+`","program":"ojucourt11111111111111111111111111111111111","rpc":"http://127.0.0.1:1","bootstrap":[]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(t.TempDir(), "home")
	start := func(args ...string) (int, string) {
		code, _, errs := line(t, append([]string{"init", "--network", network, "--home", home}, args...)...)
		return code, errs
	}
	full := []string{"--persona", "literal-reader", "--model-url", "http://127.0.0.1:8080/v1", "--model", "qwen3-8b", "--model-key", "${env:KEY}"}
	for _, bad := range []struct {
		args []string
		want string
	}{
		{[]string{"--persona", "nobody"}, "ojud judge personas"},
		{[]string{"--persona", "mine.toml"}, "mine.toml"},
		{[]string{"--model-url", "http://127.0.0.1:8080/v1"}, "belong together"},
		{[]string{"--model-key", "x"}, "belong together"},
		{[]string{"--model-url", "ftp://x", "--model", "m"}, "url"},
		{[]string{"--model-url", "http://127.0.0.1:8080/v1", "--model", "m", "--model-key", "sk-1234"}, "key"},
	} {
		if code, errs := start(bad.args...); code != cli.ExitUsage || !strings.Contains(errs, bad.want) || strings.Contains(errs, "sk-1234") {
			t.Errorf("%v: exit %d, %s", bad.args, code, errs)
		}
		if left, err := filepath.Glob(filepath.Join(home, config.FileName+"*")); err != nil || len(left) > 0 {
			t.Errorf("%v leaves %v, %v", bad.args, left, err)
		}
	}
	for range 2 { // the second time the file exists
		if code, errs := start(full...); code != cli.ExitOK {
			t.Fatalf("exit %d, %s", code, errs)
		}
	}
	c, err := config.Load(config.Sources{Home: home})
	if err != nil {
		t.Fatal(err)
	}
	if j, m := c.Node.Judge, c.Node.Models.Models; j.Kind != "model" || j.Persona != "literal-reader" || len(m) != 1 || m[0].Model != "qwen3-8b" || m[0].Key != "${env:KEY}" {
		t.Errorf("%+v, %+v", j, m)
	}
	if code, errs := start("--persona", "recomputer"); code != cli.ExitUsage || !strings.Contains(errs, "is there") {
		t.Errorf("exit %d, %s", code, errs)
	}
}

// TestInitPersona checks that a file without a model says how to set one.
func TestInitPersona(t *testing.T) {
	text, err := mind{persona: "recomputer"}.text()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"kind = 'code'", "persona = 'recomputer'", "# [[models.list]]"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s lacks %s", text, want)
		}
	}
	if strings.Contains(string(text), "\n[[models.list]]") {
		t.Errorf("%s names a model", text)
	}
}
