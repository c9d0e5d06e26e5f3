package p2p_test

import (
	"os/exec"
	"strings"
	"testing"
)

// goList returns the output of go list, by line.
func goList(t *testing.T, args ...string) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", append([]string{"list"}, args...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(out))
}

// TestImports: the network layer knows bytes only. Outside its own folder it imports nothing of
// ojud, directly or not, except the ranges of settings and files that survive a power cut.
func TestImports(t *testing.T) {
	for _, dep := range goList(t, "-deps", "ojud/p2p") {
		own := dep == "ojud/p2p" || strings.HasPrefix(dep, "ojud/p2p/")
		if strings.HasPrefix(dep, "ojud/") && !own && dep != "ojud/config/bounds" && dep != "ojud/ledger/journal/durable" {
			t.Errorf("ojud/p2p imports %s", dep)
		}
	}
	for _, dep := range goList(t, "-f", `{{join .Imports "\n"}}`, "ojud/p2p") {
		if dep == "testing" || strings.Contains(dep, "testify") || strings.Contains(dep, "simnet") || strings.Contains(dep, "simlibp2p") {
			t.Errorf("ojud/p2p imports %s: test code belongs in p2ptest", dep)
		}
	}
}

// TestWireImports: the wire formats import no libp2p, which would slow their fuzzing.
func TestWireImports(t *testing.T) {
	for _, dep := range goList(t, "-deps", "ojud/p2p/wire") {
		if strings.HasPrefix(dep, "ojud/") && dep != "ojud/p2p/wire" || strings.Contains(dep, "libp2p") {
			t.Errorf("ojud/p2p/wire imports %s", dep)
		}
	}
}
