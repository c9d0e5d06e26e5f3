package voting_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"ojud/voting/votetest/scenario"
)

var rewrite = flag.Bool("rewrite", false, "write what the scenarios under testdata print now; read the diff before you keep it")

// TestScenarios plays the life of a dispute, as one node sees it, in many variants. Each file can
// be read as documentation.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) { playScenario(t, file) })
	}
}

func playScenario(t *testing.T, file string) {
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	got, err := scenario.RunScript(string(want))
	if err != nil {
		t.Fatal(err)
	}
	if *rewrite {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got != string(want) {
		t.Errorf("%s: go test ./voting -run Scenarios -rewrite, then git diff; it prints now:\n%s", file, got)
	}
}
