package cli

import (
	"errors"
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestPlain(t *testing.T) {
	t.Parallel()
	inner := errors.New("bank: another process uses it: /court/chain")
	for want, err := range map[string]error{
		"another process uses it: /court/chain":                           fmt.Errorf("cluster: %w", inner),
		"the devnet did not start: another process uses it: /court/chain": fmt.Errorf("the devnet did not start: cluster: devnet: %w", inner),
		"judge 03: close: disk full":                                      errors.New("cluster: judge 03: node: node: close: journal: disk full"),
		"one\ntwo: three":                                                 errors.Join(errors.New("cluster: one"), errors.New("ledger: two: p2p: three")),
		"no such section: node":                                           errors.New("client: no such section: node"), // the last part states the fault
		"a client: b":                                                     errors.New("a client: b"),
		"":                                                                errors.New(""),
	} {
		if got := Plain(err); got != want {
			t.Errorf("%q: %q, want %q", err, got, want)
		}
	}
}

var rewrite = flag.Bool("rewrite", false, "write packages.txt anew")

// TestPackages derives packages.txt from the sources: it lists the packages that put their own
// names in front of errors.
func TestPackages(t *testing.T) {
	t.Parallel()
	found := map[string]bool{}
	err := filepath.WalkDir("../../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == "target" || d.Name() == "programs" || strings.HasSuffix(d.Name(), "test")):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, text, parser.PackageClauseOnly)
		if err != nil {
			return err
		}
		name := f.Name.Name
		if strings.Contains(string(text), `.New("`+name+": ") || strings.Contains(string(text), `.Errorf("`+name+": ") {
			found[name] = true
		}
		return nil
	})
	if err != nil || len(found) < 30 {
		t.Fatalf("%d packages with errors, %v", len(found), err)
	}
	want := strings.Join(slices.Sorted(maps.Keys(found)), "\n") + "\n"
	if *rewrite {
		if err := os.WriteFile("packages.txt", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if packages != want {
		t.Errorf("packages.txt is not what the sources say; run: go test ./cmd/ojud/cli -run TestPackages -rewrite\n%s", want)
	}
}
