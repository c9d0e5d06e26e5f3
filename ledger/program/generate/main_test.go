package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const idlPath = "../../../programs/oju/idl/oju.json"

// TestGenerated: the committed files are exactly what the generator prints.
func TestGenerated(t *testing.T) {
	files, err := generate(idlPath)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join("..", name))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what the generator prints; run: go generate ./ledger/program (%v)", name, err)
		}
	}
}

// TestIDLMatters: a change of the IDL changes the code, so that TestGenerated cannot pass by
// accident.
func TestIDLMatters(t *testing.T) {
	raw, err := os.ReadFile(idlPath)
	if err != nil {
		t.Fatal(err)
	}
	changed := filepath.Join(t.TempDir(), "idl.json")
	if err := os.WriteFile(changed, []byte(strings.ReplaceAll(string(raw), `"tasks_missed"`, `"tasks_lost"`)), 0o600); err != nil {
		t.Fatal(err)
	}
	files, err := generate(changed)
	if err != nil || !strings.Contains(string(files["accounts_generated.go"]), "TasksLost") {
		t.Errorf("the name of a field does not reach the Go code: %v", err)
	}
}
