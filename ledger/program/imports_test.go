package program

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// The package is pure: explorers, wallets and tests can use it without a network, a database or a
// node.
func TestImports(t *testing.T) {
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range file.Imports {
			name, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			standard := !strings.Contains(strings.Split(name, "/")[0], ".") && !strings.HasPrefix(name, "ojud/")
			if !standard && name != "ojud/ledger/onchain" && name != "ojud/voting" && name != "ojud/voting/rules" && name != "github.com/gagliardetto/solana-go" {
				t.Errorf("%s imports %s", path, name)
			}
			if name == "net" || strings.HasPrefix(name, "net/") || name == "os" || name == "time" {
				t.Errorf("%s imports %s", path, name)
			}
		}
	}
}
