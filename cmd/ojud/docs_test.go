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
)

// Patterns for the names in documents: the first two match in code, the last anywhere.
var (
	fenced = regexp.MustCompile("(?s)```.*?```|`[^`\n]+`")
	named  = regexp.MustCompile(`(?:[\s/\x60]|^)ojud((?: [a-z][a-z-]*)+)`)
	target = regexp.MustCompile(`(?m)(?:^|\x60|&& )make ([a-z][a-z-]+)`)
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
			if commands++; !knows(newRoot(newApp(nil, nil, nil)), strings.Fields(m[1])) {
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
