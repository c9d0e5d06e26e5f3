package ojud_test

import (
	"go/ast"
	"go/token"
	"testing"
)

// sides are the names of the choices that a judge can cast. A file that compares with one of them
// treats it in its own way.
var sides = map[string]bool{"Accept": true, "Reject": true, "Abstain": true}

// TestChoicesAreAsserted: a file that treats one choice in its own way has an assert on
// voting.Choices beside it, so that a fourth choice does not compile until somebody has looked at
// the file.
func TestChoicesAreAsserted(t *testing.T) {
	found := 0
	for _, f := range sources(t) {
		if f.test {
			continue
		}
		compared, asserted := choicesIn(f)
		if compared != token.NoPos {
			found++
		}
		if compared != token.NoPos && !asserted {
			t.Errorf("%s: add `const _ = uint(3 - voting.Choices) // why` beside it, so that a fourth choice does not compile",
				f.fset.Position(compared))
		}
	}
	if found < 5 {
		t.Errorf("found choices in %d files only: this test looks for the wrong names", found)
	}
}

// choicesIn finds a comparison with a choice, and whether the file has an assert on their number.
func choicesIn(f file) (compared token.Pos, asserted bool) {
	look := func(e ast.Expr) {
		if isOfVoting(f, e, func(name string) bool { return sides[name] }) {
			compared = e.Pos()
		}
	}
	ast.Inspect(f.ast, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if n.Op == token.EQL || n.Op == token.NEQ {
				look(n.X)
				look(n.Y)
			}
		case *ast.CaseClause:
			for _, e := range n.List {
				look(e)
			}
		case *ast.GenDecl:
			asserted = asserted || n.Tok == token.CONST && assertsChoices(f, n)
		}
		return true
	})
	return compared, asserted
}

// assertsChoices reports whether a declaration is `const _ = uint(3 - voting.Choices)`.
func assertsChoices(f file, d *ast.GenDecl) (found bool) {
	ast.Inspect(d, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		found = found || ok && isOfVoting(f, e, func(name string) bool { return name == "Choices" })
		return !found
	})
	return found && len(d.Specs) == 1 && d.Specs[0].(*ast.ValueSpec).Names[0].Name == "_"
}

// isOfVoting reports whether e is a name of package voting, or a conversion of one.
func isOfVoting(f file, e ast.Expr, named func(string) bool) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return f.pkg == "voting" && named(e.Name)
	case *ast.SelectorExpr:
		x, ok := e.X.(*ast.Ident)
		return ok && x.Name == "voting" && named(e.Sel.Name)
	case *ast.CallExpr:
		return len(e.Args) == 1 && isOfVoting(f, e.Args[0], named)
	}
	return false
}
