package ojud_test

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// TestSeam checks that only a choice and two hashes of a model can reach package voting. Package
// agent and all below it use choices, verdicts and keys, never the machine or its events; one file
// makes the event of an opinion (TestSeam of package voting says what is in it); and package model
// knows nothing of voting.
func TestSeam(t *testing.T) {
	words := []string{"Abstain", "Accept", "Choice", "Choices", "ForCreator", "ForWorker", "Hash", "Key", "MaxSeats", "NoChoice", "NoVerdict", "Reject", "Undecided", "Verdict"}
	doors := map[string]int{}
	for _, f := range sources(t) {
		if f.test {
			continue
		}
		thinks := f.pkg == "agent" || strings.HasPrefix(f.pkg, "agent/")
		ast.Inspect(f.ast, func(n ast.Node) bool {
			name := of("voting", n)
			switch {
			case name == "":
			case thinks && (strings.HasPrefix(f.pkg, "agent/model") || !slices.Contains(words, name)):
				t.Errorf("%s: what judges think has no business with voting.%s", f.fset.Position(n.Pos()), name)
			case name == "OpinionReady":
				doors[f.path]++
			}
			return true
		})
	}
	delete(doors, "voting/votetest/court/judge.go") // the simulator's own
	delete(doors, "voting/votetest/byzantine/honest.go")
	delete(doors, "voting/votetest/scenario/command.go")
	if len(doors) != 1 || doors["node/evaluator.go"] != 1 {
		t.Errorf("opinions reach the machine in %v; one place in node/evaluator.go is enough", doors)
	}
}

// of is the name that a node takes from a package.
func of(pkg string, n ast.Node) string {
	s, ok := n.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	if from, ok := s.X.(*ast.Ident); !ok || from.Name != pkg {
		return ""
	}
	return s.Sel.Name
}
