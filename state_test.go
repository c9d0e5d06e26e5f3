package ojud_test

import (
	"go/ast"
	"go/token"
	"path"
	"strings"
	"testing"
)

// TestNoState checks that a package-level variable is a table, an error or a compiled expression.
// Nothing assigns to it, to its elements or fields, or takes its address after its declaration, and
// its type is not one that exists to be changed. A name that a function declares itself counts as
// that function's own.
func TestNoState(t *testing.T) {
	global := map[string]bool{} // "pkg.name"
	for _, f := range sources(t) {
		for _, decl := range f.ast.Decls {
			declared(decl, func(name *ast.Ident, kind ast.Expr) {
				global[f.pkg+"."+name.Name] = !f.test && name.Name != "_"
				if where := changing(kind); !f.test && where != "" {
					t.Errorf("%s: %s is a package-level %s; make it a field", f.fset.Position(name.Pos()), name.Name, where)
				}
			})
		}
	}
	for _, f := range sources(t) {
		for _, decl := range f.ast.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || f.test {
				continue
			}
			own := locals(fn)
			written(fn, func(name *ast.Ident) {
				if global[f.pkg+"."+name.Name] && !own[name.Name] {
					t.Errorf("%s: package-level %s is changed; make it a field", f.fset.Position(name.Pos()), name.Name)
				}
			})
		}
	}
}

// declared calls see with the package-level variables of a declaration and their types, nil where
// those are not written.
func declared(decl ast.Decl, see func(name *ast.Ident, kind ast.Expr)) {
	vars, ok := decl.(*ast.GenDecl)
	if !ok || vars.Tok != token.VAR {
		return
	}
	for _, spec := range vars.Specs {
		values := spec.(*ast.ValueSpec)
		for i, name := range values.Names {
			kind := values.Type
			if kind == nil && i < len(values.Values) {
				kind = literalType(values.Values[i])
			}
			see(name, kind)
		}
	}
}

// literalType is the type in T{…}, &T{…}, new(T) and make(T).
func literalType(value ast.Expr) ast.Expr {
	switch v := value.(type) {
	case *ast.UnaryExpr:
		return literalType(v.X)
	case *ast.CompositeLit:
		return v.Type
	case *ast.CallExpr:
		if fn, ok := v.Fun.(*ast.Ident); ok && (fn.Name == "new" || fn.Name == "make") {
			return v.Args[0]
		}
	}
	return nil
}

// changing returns the part of a type that exists to be changed.
func changing(kind ast.Expr) string {
	found := ""
	if kind == nil {
		return found
	}
	ast.Inspect(kind, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncType:
			return false
		case *ast.ChanType:
			found = "channel"
		case *ast.SelectorExpr:
			if from, ok := n.X.(*ast.Ident); ok && (from.Name == "sync" || from.Name == "atomic" || from.Name == "rand") {
				found = path.Join(from.Name, n.Sel.Name)
			}
		}
		return true
	})
	return strings.ReplaceAll(found, "/", ".")
}

// locals are the names that a function declares anywhere.
func locals(fn *ast.FuncDecl) map[string]bool {
	own := map[string]bool{}
	add := func(e ast.Expr) {
		if name, ok := e.(*ast.Ident); ok {
			own[name.Name] = true
		}
	}
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			for _, name := range n.Names {
				add(name)
			}
		case *ast.ValueSpec:
			for _, name := range n.Names {
				add(name)
			}
		case *ast.AssignStmt:
			for _, e := range n.Lhs {
				if n.Tok == token.DEFINE {
					add(e)
				}
			}
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE {
				add(n.Key)
				add(n.Value)
			}
		}
		return true
	})
	return own
}

// written calls see with the variable at the root of everything that a function changes or may
// change through an address.
func written(fn *ast.FuncDecl, see func(*ast.Ident)) {
	at := func(e ast.Expr) {
		if name := root(e); name != nil {
			see(name)
		}
	}
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, e := range n.Lhs {
				at(e)
			}
		case *ast.IncDecStmt:
			at(n.X)
		case *ast.RangeStmt:
			if n.Tok == token.ASSIGN {
				at(n.Key)
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				at(n.X)
			}
		case *ast.CallExpr:
			if fn, ok := n.Fun.(*ast.Ident); ok && (fn.Name == "delete" || fn.Name == "clear" || fn.Name == "copy") {
				at(n.Args[0])
			}
		}
		return true
	})
}

// root is the variable whose element, field or part an expression is.
func root(e ast.Expr) *ast.Ident {
	switch e := e.(type) {
	case *ast.Ident:
		return e
	case *ast.IndexExpr:
		return root(e.X)
	case *ast.SliceExpr:
		return root(e.X)
	case *ast.SelectorExpr:
		return root(e.X)
	case *ast.StarExpr:
		return root(e.X)
	case *ast.ParenExpr:
		return root(e.X)
	}
	return nil
}
