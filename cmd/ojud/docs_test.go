package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"ojud/config"
	"ojud/node/webhook"
)

// Patterns for the names in documents: the first two match in code, the last anywhere.
var (
	fenced = regexp.MustCompile("(?s)```.*?```|`[^`\n]+`")
	named  = regexp.MustCompile(`(?:[\s/\x60]|^)ojud((?: [a-z][a-z0-9-]*)+)`)
	target = regexp.MustCompile(`(?m)(?:^|\x60|&& )make ([a-z][a-z-]+)`)
	option = regexp.MustCompile("`([a-z_0-9]+(?:\\.[a-z_0-9]+)+)`|config (?:set|get) ([a-z_0-9.]+)|(?:--set|setting) ([a-z_0-9]+(?:\\.[a-z_0-9]+)+)")
	envs   = regexp.MustCompile(`\bOJUD_[A-Z0-9_]+`)
	tests  = regexp.MustCompile(`\b(?:Test|Fuzz|Benchmark)[A-Z][A-Za-z0-9]+\b`)
)

// texts are the files of this repository with such a name, by path.
func texts(t *testing.T, suffix string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{"node_modules", "target", ".git", "testdata"}, d.Name()):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, suffix):
			return nil
		}
		raw, err := os.ReadFile(path)
		all[path] = string(raw)
		return err
	})
	if err != nil || len(all) < 10 {
		t.Fatalf("%d files *%s: %v", len(all), suffix, err)
	}
	return all
}

// knows reports whether these words name a command. Words after a command without subcommands are
// its arguments.
func knows(c *cobra.Command, words []string) bool {
	for _, w := range words {
		if !c.HasSubCommands() {
			return true
		}
		i := slices.IndexFunc(c.Commands(), func(sub *cobra.Command) bool { return sub.Name() == w })
		if i < 0 {
			return false
		}
		c = c.Commands()[i]
	}
	return true
}

// TestDocuments: commands, make targets and tests that documents name are there.
func TestDocuments(t *testing.T) {
	makefile, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	known := functions(t)
	commands, targets, names := 0, 0, 0
	for path, text := range texts(t, ".md") {
		code := strings.Join(fenced.FindAllString(text, -1), "\n")
		for _, m := range named.FindAllStringSubmatch(code, -1) {
			root := newRoot(newApp(nil, nil, nil))
			root.InitDefaultCompletionCmd() // as cobra does when it runs
			if commands++; !knows(root, strings.Fields(m[1])) {
				t.Errorf("%s: there is no command ojud%s", path, m[1])
			}
		}
		for _, m := range target.FindAllStringSubmatch(code, -1) {
			if targets++; !strings.Contains(string(makefile), "\n"+m[1]+":") {
				t.Errorf("%s: there is no target make %s", path, m[1])
			}
		}
		for _, name := range tests.FindAllString(text, -1) {
			if names++; !slices.ContainsFunc(known, func(f string) bool { return strings.HasPrefix(f, name) }) {
				t.Errorf("%s: there is no %s", path, name)
			}
		}
	}
	if commands < 50 || targets < 10 || names < 50 {
		t.Errorf("only %d commands, %d targets and %d tests were found in documents", commands, targets, names)
	}
}

// TestSettingNames: the settings that documents and help texts name are there. Variables and keys
// of tests are not settings.
func TestSettingNames(t *testing.T) {
	all, err := config.Describe(config.Sources{Home: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	keys, sections := map[string]bool{}, map[string]bool{}
	known := map[string]bool{"OJUD_HOME": true, "OJUD_ENGINES": true, config.NetworkVariable: true, config.KeyVariable: true, "OJUD_SECTION__FIELD": true,
		"OJUD_LLM_URL": true, "OJUD_LLM_MODEL": true, "OJUD_LLM_KEY": true,
		"OJUD_NO_CHROMIUM": true, "OJUD_NO_FIREFOX": true, "OJUD_NO_NODE": true, "OJUD_NO_PYTHON": true, "OJUD_PICTURES": true}
	for _, s := range all {
		keys[s.Key], known[config.Variable(s.Key)] = true, true
		for i, c := range s.Key {
			if c == '.' {
				sections[s.Key[:i]] = true
			}
		}
	}
	checked := 0
	check := func(path, text string) {
		for _, m := range option.FindAllStringSubmatch(text, -1) {
			key := m[1] + m[2] + m[3]
			section, _, _ := strings.Cut(key, ".")
			if m[1] != "" && !sections[section] || strings.HasSuffix(key, ".key") || slices.Contains(webhook.Kinds(), key) {
				continue // a file, an event, or something else
			}
			if checked++; !keys[key] && !sections[key] {
				t.Errorf("%s: there is no setting %s", path, key)
			}
		}
		for _, name := range envs.FindAllString(text, -1) {
			if checked++; !known[name] {
				t.Errorf("%s: there is no variable %s", path, name)
			}
		}
	}
	for path, text := range texts(t, ".md") {
		check(path, text)
	}
	for path, text := range texts(t, ".go") {
		if !strings.HasSuffix(path, "_test.go") {
			check(path, text)
		}
	}
	if checked < 100 {
		t.Errorf("only %d names were found", checked)
	}
}

// TestDocumentFolders: each court of the documents has a folder of its own, because a court that is
// kept has all its judges.
func TestDocumentFolders(t *testing.T) {
	seen := map[string]string{}
	for path, text := range texts(t, ".md") {
		for _, m := range regexp.MustCompile(`--data (/\S+)`).FindAllStringSubmatch(text, -1) {
			if seen[m[1]] != "" {
				t.Errorf("%s and %s start courts in %s", seen[m[1]], path, m[1])
			}
			seen[m[1]] = path
		}
	}
	if len(seen) < 4 {
		t.Errorf("only %d folders", len(seen))
	}
}

// functions are the names of all tests, fuzz targets and benchmarks of this repository.
func functions(t *testing.T) (out []string) {
	t.Helper()
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark)\w+)\(`)
	for _, text := range texts(t, "_test.go") {
		for _, m := range declared.FindAllStringSubmatch(text, -1) {
			out = append(out, m[1])
		}
	}
	return out
}
