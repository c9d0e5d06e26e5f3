package ojud_test

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// closedSets are the enumerations of package voting that other packages treat value by value: the
// constant with the number of values, and the name that ends the list of values.
var closedSets = []struct{ count, end string }{
	{"Choices", "endOfChoices"},
	{"Verdicts", "endOfVerdicts"},
	{"Statuses", "endOfStatuses"},
}

// TestClosedSetsAreAsserted: a file that compares with one value of a closed set has an assert on
// the number of its values, so that a new value does not compile until somebody has looked at the
// file.
func TestClosedSetsAreAsserted(t *testing.T) {
	all := sources(t)
	for _, set := range closedSets {
		names := valuesUntil(all, set.end)
		if len(names) < 3 {
			t.Errorf("voting.%s: found the values %v only: this test looks for the wrong list", set.count, names)
		}
		found := 0
		for _, f := range all {
			if f.test {
				continue
			}
			compared, asserted := comparisons(f, set.count, names)
			if compared == token.NoPos {
				continue
			}
			found++
			if !asserted {
				t.Errorf("%s: add `const _ = uint(%d - voting.%s) // why` beside it, so that one more does not compile",
					f.fset.Position(compared), len(names), set.count)
			}
		}
		if found < 5 {
			t.Errorf("voting.%s: found comparisons in %d files only: this test looks for the wrong names", set.count, found)
		}
	}
}

// valuesUntil returns the names of the constants of package voting that stand in one declaration
// with end. A name that begins with No stands for the lack of a value.
func valuesUntil(all []file, end string) (names []string) {
	for _, f := range all {
		if f.pkg != "voting" || f.test {
			continue
		}
		for _, d := range f.ast.Decls {
			d, ok := d.(*ast.GenDecl)
			if !ok || d.Tok != token.CONST || d.Specs[len(d.Specs)-1].(*ast.ValueSpec).Names[0].Name != end {
				continue
			}
			for _, spec := range d.Specs[:len(d.Specs)-1] {
				if name := spec.(*ast.ValueSpec).Names[0].Name; !strings.HasPrefix(name, "No") {
					names = append(names, name)
				}
			}
		}
	}
	return names
}

// comparisons finds a comparison with one of the names, and whether the file has an assert on
// count.
func comparisons(f file, count string, names []string) (compared token.Pos, asserted bool) {
	look := func(e ast.Expr) {
		if isOfVoting(f, e, func(name string) bool { return slices.Contains(names, name) }) {
			compared = e.Pos()
		}
	}
	ast.Inspect(f.ast, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			switch n.Op {
			case token.EQL, token.NEQ, token.LSS, token.GTR, token.LEQ, token.GEQ:
				look(n.X)
				look(n.Y)
			}
		case *ast.CaseClause:
			for _, e := range n.List {
				look(e)
			}
		case *ast.GenDecl:
			asserted = asserted || n.Tok == token.CONST && asserts(f, n, count)
		}
		return true
	})
	return compared, asserted
}

// asserts reports whether a declaration is `const _ = uint(3 - voting.Choices)`, with count for
// Choices.
func asserts(f file, d *ast.GenDecl, count string) (found bool) {
	ast.Inspect(d, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		found = found || ok && isOfVoting(f, e, func(name string) bool { return name == count })
		return !found
	})
	return found && len(d.Specs) == 1 && d.Specs[0].(*ast.ValueSpec).Names[0].Name == "_"
}

// isOfVoting reports whether e is a name of package voting, a conversion of one, or a method
// without arguments called on one.
func isOfVoting(f file, e ast.Expr, named func(string) bool) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return f.pkg == "voting" && named(e.Name)
	case *ast.SelectorExpr:
		x, ok := e.X.(*ast.Ident)
		return ok && x.Name == "voting" && named(e.Sel.Name)
	case *ast.CallExpr:
		if method, ok := e.Fun.(*ast.SelectorExpr); ok && len(e.Args) == 0 {
			return isOfVoting(f, method.X, named)
		}
		return len(e.Args) == 1 && isOfVoting(f, e.Args[0], named)
	}
	return false
}
