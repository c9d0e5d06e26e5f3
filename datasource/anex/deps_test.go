package anex_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestPure: the package, and the package of bounds that it imports, use the standard library alone.
// They do no I/O, read no clock, have no randomness and start no goroutine. Of package time they
// use durations and the format RFC 3339.
func TestPure(t *testing.T) {
	own, err := filepath.Glob("*.go")
	if err != nil || len(own) == 0 {
		t.Fatal(err)
	}
	checks, err := filepath.Glob("../../config/bounds/*.go")
	if err != nil || len(checks) == 0 {
		t.Fatal(err)
	}
	allowed := []string{"bytes", "crypto/sha256", "encoding/hex", "encoding/json", "errors", "fmt", "ojud/config/bounds", "slices", "strconv", "strings", "time",
		"unicode", "unicode/utf8"}
	for _, name := range append(own, checks...) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range f.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil || !strings.Contains(" "+strings.Join(allowed, " ")+" ", " "+path+" ") {
				t.Errorf("%s imports %s", name, path)
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt, *ast.SelectStmt:
				t.Errorf("%s: concurrency", name)
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && x.Name == "time" && (n.Sel.Name == "Now" || n.Sel.Name == "Since" || n.Sel.Name == "Until") {
					t.Errorf("%s: time.%s", name, n.Sel.Name)
				}
			}
			return true
		})
	}
}
