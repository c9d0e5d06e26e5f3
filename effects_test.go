package ojud_test

import (
	"go/ast"
	"slices"
	"testing"
)

// TestEffects: the node executes every effect of the machine. Otherwise a new one would compile,
// and stop the node when the machine first asks for it.
func TestEffects(t *testing.T) {
	var effects, handled []string
	for _, f := range sources(t) {
		switch {
		case f.pkg == "voting" && !f.test:
			own := receivers(f, "effect")
			if effects = append(effects, own...); len(own) > 0 && f.path != "voting/effect.go" {
				t.Errorf("%s: the effects %v are not in the list of voting/effect.go", f.path, own)
			}
		case f.path == "node/effects.go":
			handled = append(typesIn(f, "execute"), typesIn(f, "start")...)
		}
	}
	if len(effects) < 11 {
		t.Errorf("found the effects %v only: this test looks for the wrong method", effects)
	}
	for _, name := range effects {
		if !slices.Contains(handled, name) {
			t.Errorf("node/effects.go: execute and start do not know voting.%s", name)
		}
	}
}

// receivers returns the types with a method of that name that a file declares.
func receivers(f file, method string) (names []string) {
	for _, d := range f.ast.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && d.Recv != nil && d.Name.Name == method {
			if id, ok := d.Recv.List[0].Type.(*ast.Ident); ok {
				names = append(names, id.Name)
			}
		}
	}
	return names
}

// typesIn returns the types of package voting that type switches and type assertions of a function
// name.
func typesIn(f file, function string) (names []string) {
	add := func(e ast.Expr) {
		if s, ok := e.(*ast.SelectorExpr); ok && isOfVoting(f, s, func(string) bool { return true }) {
			names = append(names, s.Sel.Name)
		}
	}
	for _, d := range f.ast.Decls {
		d, ok := d.(*ast.FuncDecl)
		if !ok || d.Name.Name != function {
			continue
		}
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeAssertExpr:
				add(n.Type)
			case *ast.TypeSwitchStmt:
				for _, c := range n.Body.List {
					for _, e := range c.(*ast.CaseClause).List {
						add(e)
					}
				}
			}
			return true
		})
	}
	return names
}
