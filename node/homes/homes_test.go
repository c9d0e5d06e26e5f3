package homes_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/config"
	"ojud/node"
	"ojud/node/homes"
)

// write writes a file of judges with a persona and a source beside it.
func write(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	source, err := os.ReadFile("../../examples/judges/sources/site.post.source.json")
	if err != nil {
		t.Fatal(err)
	}
	mine, err := os.ReadFile("../../agent/judge/persona/shipped/tracer.toml")
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"panel.toml": text, "site.post.source.json": string(source), "adder.toml": string(mine), "tracer.toml": string(mine), "broken.source.json": "{"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "panel.toml")
}

// model is a model that judges of a test name.
const model = "[[models]]\nname = \"m\"\nprovider = \"openai\"\nurl = \"http://127.0.0.1:9/v1\"\nmodel = \"x\"\nkey = \"${file:secret.txt}\"\n"

// TestRefused: a wrong file is refused before anything is made, and the error names the field, the
// limit and the fix.
func TestRefused(t *testing.T) {
	t.Parallel()
	many := strings.Builder{}
	for i := range 513 {
		fmt.Fprintf(&many, "[[judges]]\nname = \"j%d\"\n", i)
	}
	for text, want := range map[string]string{
		"":  "judges: there is none",
		"[": "line 1", "colour = 1": "colour: there is no such field",
		"[[judges]]\nname = \"a\"\nweight = 3":                                             "line 3: judges.weight: there is no such field",
		"[[judges]]\nname = \"../a\"":                                                      "judges[0].name: \"../a\", must be 1 to 32",
		"[[judges]]\nname = \"" + strings.Repeat("a", 33) + "\"":                           "1 to 32 of a-z",
		"[[judges]]\npersona = \"tracer\"":                                                 "judges[0].name",
		"[[judges]]\nname = \"a\"\n[[judges]]\nname = \"a\"":                               "judges[1] (a).name: another judge has it",
		"[[judges]]\nname = \"a\"\nstake = \"2\"":                                          "judges[0] (a).stake: \"2\", must be an amount such as 2sol",
		"[[judges]]\nname = \"a\"\nstake = \"0sol\"":                                       "such as 2sol",
		"stake = \"-1sol\"\n[[judges]]\nname = \"a\"":                                      "stake",
		"[[judges]]\nname = \"a\"\npersona = \"nobody\"":                                   "ojud judge personas lists them",
		"[[judges]]\nname = \"a\"\npersona = \"gone.toml\"":                                "gone.toml",
		"[[judges]]\nname = \"a\"\npersona = \"tracer.toml\"":                              "also the name of a shipped one",
		"[[judges]]\nname = \"a\"\nmodels = [\"m\"]":                                       "there is no model \"m\"; the file has none",
		model + "[[judges]]\nname = \"a\"\nmodels = [\"n\"]":                               "the file has m",
		model + "[[judges]]\nname = \"a\"\nmodels = [\"m\", \"m\"]":                        "give each its own",
		model + model + "[[judges]]\nname = \"a\"":                                         "models[1].name: \"m\" is that of another model",
		"[[models]]\nmodel = \"x\"\n[[judges]]\nname = \"a\"":                              "models[0].name: there is none",
		"[[models]]\nname = \"m\"\ncolour = 1\n[[judges]]\nname = \"a\"\nmodels = [\"m\"]": "colour",
		"[[models]]\nname = \"m\"\nprovider = \"openai\"\nmodel = \"x\"\nkey = \"sk-1\"\n[[judges]]\nname = \"a\"\nmodels = [\"m\"]": "key",
		"[[judges]]\nname = \"a\"\nsources = [\"gone.source.json\"]":                                                                 "sources[0]: gone.source.json",
		"[[judges]]\nname = \"a\"\nsources = [\"broken.source.json\"]":                                                               "sources[0]: broken.source.json",
		"[[judges]]\nname = \"a\"\nsources = [\"site.post.source.json\", \"site.post.source.json\"]":                                 "is there twice",
		"[[judges]]\nname = \"a\"\nsources = [" + strings.Repeat("\"x\",", 33) + "]":                                                 "sources: 33, at most 32",
		"[settings.judge]\nkind = \"code\"\n[[judges]]\nname = \"a\"":                                                                "settings.judge.kind: the judge's own persona and models say it",
		"[settings]\njudge = 1\n[[judges]]\nname = \"a\"":                                                                            "settings.judge: must be a table",
		"[settings.colour]\nred = 1\n[[judges]]\nname = \"a\"":                                                                       "colour",
		"[settings.api]\nlisten = \"x\"\n[[judges]]\nname = \"a\"\n[judges.settings.api.listen]\nx = 1":                              "is a table here",
		"[settings.judge.reasoning]\nsamples = 99\n[[judges]]\nname = \"a\"":                                                         "samples",
		many.String():                     "judges: 513, at most 512",
		"# " + strings.Repeat("x", 1<<20): "more than 1048576 bytes",
	} {
		path := write(t, text)
		if _, err := homes.Read(path); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "sk-1\"") {
			t.Errorf("%.80q: %v", text, err)
		}
	}
	if _, err := homes.Read(t.TempDir()); err == nil || !strings.Contains(err.Error(), "no regular file") {
		t.Error(err)
	}
}

// TestMake: homes have what the file says. Again nothing is made, and a home that was changed is
// found before the first home is made.
func TestMake(t *testing.T) {
	t.Parallel()
	path := write(t, model+`stake_is = 1`)
	if _, err := homes.Read(path); err == nil {
		t.Error("a field that does not exist")
	}
	path = write(t, "stake = \"3sol\"\n[settings.judge.reasoning]\nsamples = 4\n"+model+`
[[judges]]
name = "ann"
persona = "adder.toml"
models = ["m"]
sources = ["site.post.source.json"]
[[judges]]
name = "bob"
stake = "4sol"
[judges.settings.judge.reasoning]
samples = 2
`)
	plan, err := homes.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	court := node.Descriptor{Format: node.DescriptorFormat, Name: "test", Network: strings.Repeat("ab", 32), Program: "ojucourt11111111111111111111111111111111111", RPC: "http://127.0.0.1:1", Bootstrap: []string{}}
	dir := filepath.Join(t.TempDir(), "judges")
	made, err := plan.Make(dir, court)
	if err != nil || len(made) != 2 || !made[0].Created || made[0].Judge == made[1].Judge || *made[0].Stake != 3_000_000_000 || *made[1].Stake != 4_000_000_000 {
		t.Fatalf("%+v, %v", made, err)
	}
	if got := strings.Join(made[0].Added, " "); got != "ojud.toml adder.toml "+filepath.Join("sources", "site.post.source.json") {
		t.Error(got)
	}
	ann, err := config.Load(config.Sources{Home: filepath.Join(dir, "ann")})
	if m := ann.Node.Models.Models; err != nil || ann.Node.Judge.Kind != "model" || ann.Node.Judge.Persona != "adder.toml" || ann.Node.Judge.Reasoning.Samples != 4 ||
		len(m) != 1 || m[0].Key != "${file:"+filepath.Join(filepath.Dir(path), "secret.txt")+"}" {
		t.Errorf("%+v, %v", ann.Node.Judge, err)
	}
	bob, err := config.Load(config.Sources{Home: filepath.Join(dir, "bob")})
	if err != nil || bob.Node.Judge.Kind != "code" || bob.Node.Judge.Reasoning.Samples != 2 {
		t.Errorf("%+v, %v", bob.Node.Judge, err)
	}
	again, err := plan.Make(dir, court)
	if err != nil || again[0].Created || len(again[0].Added) != 0 || again[0].Judge != made[0].Judge {
		t.Errorf("again: %+v, %v", again, err)
	}
	changed := filepath.Join(dir, "bob", config.FileName)
	if err := os.WriteFile(changed, []byte("# mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "ann")); err != nil {
		t.Fatal(err)
	}
	if _, err := plan.Make(dir, court); err == nil || !strings.Contains(err.Error(), changed) {
		t.Errorf("a changed home: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "ann")); err == nil {
		t.Error("a home was made although another one was changed")
	}
	other := court
	other.Network = strings.Repeat("cd", 32)
	if err := os.Remove(changed); err != nil {
		t.Fatal(err)
	}
	if _, err := plan.Make(dir, other); err == nil || !strings.Contains(err.Error(), "belongs to court") {
		t.Errorf("the home of another court: %v", err)
	}
}

// TestExample: the shipped panel has 28 judges, each another persona.
func TestExample(t *testing.T) {
	t.Parallel()
	plan, err := homes.Read("../../examples/judges/panel.toml")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, j := range plan {
		seen[j.Persona.Name] = true
	}
	if len(plan) != 28 || len(seen) != 28 {
		t.Errorf("%d judges, %d personas", len(plan), len(seen))
	}
}

// FuzzRead: a file is refused, or its judges have names that are good as folders, and settings that
// load.
func FuzzRead(f *testing.F) {
	f.Add("[[judges]]\nname = \"a\"\n")
	f.Add(model + "[[judges]]\nname = \"a\"\nmodels = [\"m\"]\npersona = \"tracer\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		plan, err := homes.Read(write(t, text))
		if err != nil {
			return
		}
		for _, j := range plan {
			if !filepath.IsLocal(j.Name) || strings.ContainsAny(j.Name, `/\.`) {
				t.Errorf("%q", j.Name)
			}
			if _, err := j.Settings(node.DefaultConfig()); err != nil {
				t.Error(err)
			}
		}
	})
}
