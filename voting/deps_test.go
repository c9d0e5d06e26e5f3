package voting

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// forbidden lists the packages that the core must not import, and why. Beyond it, only the standard
// library is allowed.
var forbidden = map[string]string{
	"time":         "time comes in events",
	"math/rand":    "randomness would make runs differ",
	"math/rand/v2": "randomness would make runs differ",
	"crypto/rand":  "randomness would make runs differ",
	"os":           "no I/O",
	"io":           "no I/O",
	"net":          "no I/O",
	"log":          "the shell logs",
	"log/slog":     "the shell logs",
	"sync":         "one goroutine; the shell's business",
	"testing":      "test code belongs to votetest",
	"maps":         "the order of a map must decide nothing",
}

// source parses the non-test files of a folder.
func source(t *testing.T, fset *token.FileSet, dir string) []*ast.File {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	if len(files) == 0 {
		t.Fatalf("no files in %s", dir)
	}
	return files
}

// folder is a package that this test reads. It may import those before it in the list, and the
// simulators may not import each other.
type folder struct {
	name, path string
	planted    int // loops over maps
}

// folders are in the order of their imports.
var folders = []folder{
	{"../sim/fault", "ojud/sim/fault", 0},
	{"strict", "ojud/voting/strict", 0},
	{"turn", "ojud/voting/turn", 0},
	{".", "ojud/voting", 0},
	{"rules", "ojud/voting/rules", 0},
	{"votetest", "ojud/voting/votetest", 1},
	{"votetest/naive", "ojud/voting/votetest/naive", 0},
	{"votetest/court", "ojud/voting/votetest/court", 0},
	{"votetest/byzantine", "ojud/voting/votetest/byzantine", 0},
	{"votetest/scenario", "ojud/voting/votetest/scenario", 0},
}

func (f folder) mayImport(other folder) bool {
	switch f.name {
	case "../sim/fault", "strict", "turn":
		return false
	case ".":
		return other.name == "strict" || other.name == "turn"
	case "rules":
		return other.name == "."
	case "votetest", "votetest/naive":
		return other.name == "." || other.name == "rules"
	}
	return !strings.HasPrefix(other.name, "votetest/") || other.name == "votetest/naive"
}

func TestImports(t *testing.T) {
	fset := token.NewFileSet()
	for _, dir := range folders {
		for _, f := range source(t, fset, dir.name) {
			for _, spec := range f.Imports {
				path := strings.Trim(spec.Path.Value, `"`)
				why, bad := forbidden[path]
				first, _, _ := strings.Cut(path, "/")
				switch {
				case slices.ContainsFunc(folders, func(own folder) bool { return own.path == path && dir.mayImport(own) }):
				case first == "ojud" || strings.Contains(first, "."):
					t.Errorf("%s imports %s: only the standard library is allowed", fset.Position(spec.Pos()), path)
				case !strings.HasPrefix(dir.name, "votetest") && bad:
					t.Errorf("%s imports %s: %s", fset.Position(spec.Pos()), path, why)
				}
			}
		}
	}
}

// TestNoMapOrder type-checks the core, the rules and the simulator: none of them may range over a
// map, start a goroutine or select. The one exception is the fault that is planted in the simulator
// on purpose.
func TestNoMapOrder(t *testing.T) {
	fset := token.NewFileSet()
	std := importer.ForCompiler(fset, "source", nil)
	own := with{nil, std}
	for _, dir := range folders {
		own.ours = append(own.ours, check(t, fset, dir.path, source(t, fset, dir.name), own, dir.planted))
	}
}

// with is an importer that knows packages of ours.
type with struct {
	ours []*types.Package
	std  types.Importer
}

// Import returns the package with that path.
func (w with) Import(path string) (*types.Package, error) {
	for _, p := range w.ours {
		if p.Path() == path {
			return p, nil
		}
	}
	return w.std.Import(path)
}

func check(t *testing.T, fset *token.FileSet, path string, files []*ast.File, imports types.Importer, planted int) *types.Package {
	t.Helper()
	info := &types.Info{Types: make(map[ast.Expr]types.TypeAndValue)}
	pkg, err := (&types.Config{Importer: imports}).Check(path, fset, files, info)
	if err != nil {
		t.Fatal(err)
	}
	ranges := 0
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt, *ast.SelectStmt:
				t.Errorf("%s: concurrency", fset.Position(n.Pos()))
			case *ast.RangeStmt:
				if _, isMap := info.Types[n.X].Type.Underlying().(*types.Map); isMap {
					if ranges++; ranges > planted {
						t.Errorf("%s: ranges over a map", fset.Position(n.Pos()))
					}
				}
			}
			return true
		})
	}
	if ranges < planted {
		t.Errorf("%s: the planted range over a map was not found: this test tests nothing", path)
	}
	return pkg
}

// TestFileSizes holds the limit of the project: no file of the core above 400 lines.
func TestFileSizes(t *testing.T) {
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob("*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(paths, more...) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(text), "\n"); n >= 400 && !strings.HasSuffix(path, "_test.go") {
			t.Errorf("%s has %d lines", path, n)
		}
	}
}
