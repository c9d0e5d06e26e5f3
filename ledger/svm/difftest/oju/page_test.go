package oju_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ojud/ledger/program"
)

const attacksPage = "../../../../docs/attacks.md"

// tests returns the test functions of this package with their sources and those of the functions
// that they call by name.
func tests(t *testing.T) map[string]string {
	t.Helper()
	paths, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, path := range paths {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, source, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil {
				all[f.Name.Name] = string(source[files.Position(f.Pos()).Offset:files.Position(f.End()).Offset])
			}
		}
	}
	return all
}

var attackRow = regexp.MustCompile("(?m)^\\| [^|]+ \\| `(Test[A-Za-z0-9]+)` \\| ([^|]*)\\|$")

// TestPage: the page of attacks names every test of an attack and no other, and only errors that
// the test checks.
func TestPage(t *testing.T) {
	page, err := os.ReadFile(attacksPage)
	if err != nil {
		t.Fatal(err)
	}
	all, named := tests(t), map[string]bool{}
	for _, row := range attackRow.FindAllStringSubmatch(string(page), -1) {
		name := row[1]
		named[name] = true
		source, ok := all[name]
		if !ok {
			t.Errorf("%s: there is no test %s", attacksPage, name)
			continue
		}
		for _, called := range []string{"partySits", "payee"} {
			if strings.Contains(source, called+"(t") {
				source += all[called]
			}
		}
		for _, code := range strings.Split(strings.TrimSpace(row[2]), ", ") {
			if _, known := program.ParseCode(code); !known && code != "" && !strings.HasPrefix(code, "`") {
				t.Errorf("%s: %s is no error of the program", name, code)
			} else if known && !strings.Contains(source, "Err"+code) {
				t.Errorf("%s: the test does not assert %s", name, code)
			}
		}
		for _, code := range regexp.MustCompile(`ErrN?[A-Za-z]+`).FindAllString(source, -1) {
			if _, known := program.ParseCode(code[3:]); known && !slices.Contains(strings.Split(strings.TrimSpace(row[2]), ", "), code[3:]) {
				t.Errorf("%s: the page does not have %s", name, code[3:])
			}
		}
	}
	for name := range all {
		if (strings.HasPrefix(name, "TestExploit") || strings.HasPrefix(name, "TestAttack")) && !named[name] {
			t.Errorf("%s does not list %s", attacksPage, name)
		}
	}
	if len(named) < 30 {
		t.Errorf("%d attacks found in %s", len(named), attacksPage)
	}
}
