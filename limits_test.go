package ojud_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// The limits of a house that people can find their way in. Each is above what the field's best
// projects need.
const (
	maxFiles   = 30    // of a package, without tests
	maxPackage = 4_000 // lines of a package, without tests
	maxMethods = 45    // of a type
	maxFields  = 20    // of a struct
	maxComment = 100   // columns of a comment line
)

// exception lets one thing break a limit, up to what it measures today. A thing that got better
// needs its row lowered, and a thing within the limit needs its row deleted, so the list can only
// shrink. Do not add rows.
type exception struct {
	limit string // which limit: "files", "lines", "methods", "fields", "comments", "exported"
	what  string // the package or type
	most  int
	why   string
}

// measured is the finding of one limit: a number for each thing, and where to look.
type measured struct {
	limit string
	most  int
	fix   string
	found map[string]int
	where map[string]string
}

func newMeasured(limit string, most int, fix string) *measured {
	return &measured{limit: limit, most: most, fix: fix, found: map[string]int{}, where: map[string]string{}}
}

// add counts n for a thing.
func (m *measured) add(what string, n int, where string) {
	m.found[what] += n
	if m.where[what] == "" {
		m.where[what] = where
	}
}

// check fails for everything above the limit that no exception covers, and for exceptions that are
// too large.
func (m *measured) check(t *testing.T, exceptions []exception) {
	t.Helper()
	known := map[string]bool{}
	for _, e := range exceptions {
		if e.limit != m.limit {
			continue
		}
		known[e.what] = true
		switch n := m.found[e.what]; {
		case e.why == "":
			t.Errorf("the exception %s %s has no reason", e.limit, e.what)
		case n > e.most:
			t.Errorf("%s: %s %d, and its exception allows %d: %s", e.what, m.limit, n, e.most, m.fix)
		case n <= m.most:
			t.Errorf("%s: %s %d is within the limit of %d; delete its exception", e.what, m.limit, n, m.most)
		case n < e.most:
			t.Errorf("%s: %s %d is less than its exception allows; lower it to %d", e.what, m.limit, n, n)
		}
	}
	for _, what := range sortedKeys(m.found) {
		if n := m.found[what]; n > m.most && !known[what] {
			t.Errorf("%s: %s %d, at most %d (see %s): %s", what, m.limit, n, m.most, m.where[what], m.fix)
		}
	}
	if os.Getenv("OJUD_LIMITS") != "" {
		for _, what := range sortedKeys(m.found) {
			if n := m.found[what]; n > m.most {
				fmt.Printf("\t{%q, %q, %d, %q},\n", m.limit, what, n, "")
			}
		}
	}
}

func sortedKeys(counts map[string]int) []string {
	names := make([]string, 0, len(counts))
	for name := range counts {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// TestRooms holds packages to a number of files and of lines.
func TestRooms(t *testing.T) {
	files := newMeasured("files", maxFiles, "divide the package by what it owns")
	lines := newMeasured("lines", maxPackage, "divide the package by what it owns")
	for _, f := range sources(t) {
		if f.test || f.lines == 0 {
			continue
		}
		files.add(f.pkg, 1, f.pkg)
		lines.add(f.pkg, f.lines, f.pkg)
	}
	files.check(t, exceptions)
	lines.check(t, exceptions)
}

// TestTypes holds types to a number of methods and fields: a type with more owns more than one
// thing.
func TestTypes(t *testing.T) {
	methods := newMeasured("methods", maxMethods, "give a part of its state an owner of its own")
	fields := newMeasured("fields", maxFields, "give a part of its state an owner of its own")
	for _, f := range sources(t) {
		if f.test || f.lines == 0 {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if owner := receiver(n); owner != "" {
					methods.add(f.pkg+"."+strings.TrimSuffix(owner, "."), 1, f.fset.Position(n.Pos()).String())
				}
			case *ast.TypeSpec:
				structure, ok := n.Type.(*ast.StructType)
				if !ok {
					return true
				}
				for _, field := range structure.Fields.List {
					fields.add(f.pkg+"."+n.Name.Name, max(1, len(field.Names)), f.fset.Position(n.Pos()).String())
				}
			}
			return true
		})
	}
	methods.check(t, exceptions)
	fields.check(t, exceptions)
}

// TestWidth holds comments to the width that a person reads in one look. Tables and pictures, which
// doc comments indent by a tab, may be wider.
func TestWidth(t *testing.T) {
	comments := newMeasured("comments", 0, "break the comment at 100 columns")
	for _, f := range sources(t) {
		if f.lines == 0 {
			continue
		}
		source, err := os.ReadFile(f.path)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(source), "\n") {
			text := strings.HasPrefix(strings.TrimSpace(line), "//") && !strings.HasPrefix(line, "//go:")
			if text && !strings.HasPrefix(strings.TrimSpace(line), "//\t") && columns(line) > maxComment {
				comments.add(f.pkg, 1, fmt.Sprintf("%s:%d", f.path, i+1))
			}
		}
	}
	comments.check(t, exceptions)
}

// columns is how wide a line is with tabs of four.
func columns(line string) int {
	n := 0
	for _, r := range line {
		if r == '\t' {
			n += 4 - n%4
		} else {
			n++
		}
	}
	return n
}

// TestExported finds exported names that no other package uses: they promise more than anyone asked
// for. A type is used as well if the declaration of a used name mentions it, and a constant if its
// type is used.
func TestExported(t *testing.T) {
	unused := newMeasured("exported", 0, "unexport it, or delete it")
	files := sources(t)
	names := exportedNames(files)
	used := namedElsewhere(files, names)
	for grown := true; grown; {
		grown = false
		for name, mentions := range names {
			if !used[name] {
				continue
			}
			for _, other := range mentions {
				if _, ours := names[other]; ours && !used[other] {
					used[other], grown = true, true
				}
			}
		}
	}
	for name := range names {
		if pkg, short := name[:strings.LastIndex(name, ".")], name[strings.LastIndex(name, ".")+1:]; !used[name] {
			unused.add(pkg, 1, short)
			t.Logf("no other package uses %s", name)
		}
	}
	unused.check(t, exceptions)
}

// exportedNames are the top-level exported names of packages that can be imported, "pkg.Name", each
// with the names of its package that its declaration mentions. A constant is mentioned by its type.
func exportedNames(files []file) map[string][]string {
	names := map[string][]string{}
	for _, f := range files {
		if f.test || f.pkg == "" || f.ast.Name.Name == "main" || f.lines == 0 {
			continue
		}
		for _, decl := range f.ast.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				owner := d.Name.Name
				if d.Recv != nil {
					owner = strings.TrimSuffix(receiver(d), ".")
				}
				if ast.IsExported(owner) && d.Name.IsExported() {
					key := f.pkg + "." + owner
					names[key] = append(names[key], mentioned(f.pkg, d.Type)...)
				}
			case *ast.GenDecl:
				exportedSpecs(f.pkg, d, names)
			}
		}
	}
	return names
}

func exportedSpecs(pkg string, d *ast.GenDecl, names map[string][]string) {
	var kind ast.Expr // of a group of constants
	for _, spec := range d.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			if s.Name.IsExported() {
				key := pkg + "." + s.Name.Name
				names[key] = append(names[key], mentioned(pkg, s.Type)...)
			}
		case *ast.ValueSpec:
			if s.Type != nil {
				kind = s.Type
			} else if len(s.Values) > 0 {
				kind = nil
			}
			for _, name := range s.Names {
				if !name.IsExported() {
					continue
				}
				key := pkg + "." + name.Name
				names[key] = append(names[key], "")
				if kind == nil {
					continue
				}
				names[key] = append(names[key], mentioned(pkg, kind)...)
				for _, of := range mentioned(pkg, kind) {
					names[of] = append(names[of], key)
				}
			}
		}
	}
}

// mentioned are the exported names of its own package in a declaration; unexported fields and
// bodies do not count.
func mentioned(pkg string, n ast.Node) (names []string) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			return false
		case *ast.Field:
			if len(n.Names) > 0 && n.Names[0].Obj == nil && !n.Names[0].IsExported() {
				// A parameter's name is not exported either, and its type does count.
				names = append(names, mentioned(pkg, n.Type)...)
				return false
			}
		case *ast.Ident:
			if n.IsExported() {
				names = append(names, pkg+"."+n.Name)
			}
		}
		return true
	})
	return names
}

// namedElsewhere are the names that another package uses; the external tests of a package count.
func namedElsewhere(files []file, names map[string][]string) map[string]bool {
	used := map[string]bool{}
	for _, f := range files {
		local := map[string]string{} // the name of an import in the file, and its folder
		for _, spec := range f.ast.Imports {
			pkg, ours := strings.CutPrefix(strings.Trim(spec.Path.Value, `"`), module+"/")
			if !ours {
				continue
			}
			name := path.Base(pkg)
			if spec.Name != nil {
				name = spec.Name.Name
			}
			local[name] = pkg
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if from, ok := s.X.(*ast.Ident); ok && local[from.Name] != "" {
				key := local[from.Name] + "." + s.Sel.Name
				if _, exported := names[key]; exported {
					used[key] = true
				}
			}
			return true
		})
	}
	return used
}

// TestModules: a third-party module that several packages import belongs to somebody. The table of
// owners says to whom.
func TestModules(t *testing.T) {
	importers := map[string]map[string]bool{}
	for _, f := range sources(t) {
		if f.test {
			continue
		}
		f.imports(func(_, imported string) {
			root := moduleOf(imported)
			if root == "" {
				return
			}
			if importers[root] == nil {
				importers[root] = map[string]bool{}
			}
			importers[root][f.pkg] = true
		})
	}
	for root, pkgs := range importers {
		owner := slices.ContainsFunc(owners, func(a arrow) bool {
			return strings.HasPrefix(root, a.to) || strings.HasPrefix(a.to, root)
		})
		if len(pkgs) > 1 && !owner {
			t.Errorf("%d packages import %s, and no row of owners says which may and why", len(pkgs), root)
		}
	}
}

// moduleOf is the start of an import path that names the module, "" for the standard library and
// for our own.
func moduleOf(imported string) string {
	parts := strings.Split(imported, "/")
	if !strings.Contains(parts[0], ".") {
		return ""
	}
	return strings.Join(parts[:min(3, len(parts))], "/")
}

// numbers are the constants of the court's rules that must not stand in code a second time: code
// that means them names them, so that it follows when a rule changes.
var numbers = map[string]string{
	"28": "voting.MaxSeats",
	"66": "the pass mark of voting's rules",
}

// TestNumbers finds the numbers of the rules written out in code.
func TestNumbers(t *testing.T) {
	for _, f := range sources(t) {
		if f.test || f.lines == 0 || strings.HasPrefix(f.pkg, "ledger/svm") || strings.HasPrefix(f.pkg, "ledger/devnet") {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			literal, ok := n.(*ast.BasicLit)
			if !ok || literal.Kind != token.INT || numbers[literal.Value] == "" {
				return true
			}
			where := f.fset.Position(literal.Pos()).String()
			if !slices.ContainsFunc(otherwise, func(allowed string) bool { return strings.HasPrefix(where, allowed) }) {
				t.Errorf("%s: %s is %s, or say in the list `otherwise` what else it is", where, literal.Value, numbers[literal.Value])
			}
			return true
		})
	}
}

// otherwise are the places where such a number is defined, or happens to be something else.
var otherwise = []string{
	"voting/types.go:",                // the definition of MaxSeats
	"voting/rules/quorum.go:",         // the definition of the pass mark
	"voting/rules/credential.go:",     // right answers that pass an exam
	"voting/votetest/naive/naive.go:", // the second implementation takes nothing from the first
	"voting/record.go:",               // bytes of a key
	"p2p/wire/frame.go:",              // bits of a length
	"sandbox/host.go:",                // an error number of WASI
	"p2p/p2ptest/norace.go:",          // p2p knows nothing of voting; its panel is as large
}

// exceptions lists everything that is above a limit today.
var exceptions = []exception{}
