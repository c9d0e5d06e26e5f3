package scenario_test

import (
	"strings"
	"testing"

	"ojud/voting/votetest/scenario"
)

func TestParseScript(t *testing.T) {
	blocks, err := scenario.ParseScript("# why\nsetup\n----\nok\n\nopen\n----\na\nb\n")
	if err != nil || len(blocks) != 2 || blocks[0].Comment[0] != "# why" || blocks[1].Command != "open" || blocks[1].Output != "a\nb\n" {
		t.Errorf("%+v, %v", blocks, err)
	}
	if _, err := scenario.ParseScript("setup\nopen\n----\n"); err == nil {
		t.Error("a command without ---- was taken")
	}
}

// A scenario that goes wrong says so in its output, where the diff shows it.
func TestScriptErrors(t *testing.T) {
	out, err := scenario.RunScript("setup judges=3\n----\n\nfly\n----\n\ndraw\n----\n\nrollback x\n----\n\nboot\n----\n\ncrash\n----\n\nlook\n----\n\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`error: no command "fly"`, "error: votetest: program: WrongStatus", `error: nothing saved as "x"`, "error: the node is down"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// Running a scenario twice gives the same text, and its own output again.
func TestScriptIsStable(t *testing.T) {
	in := "setup judges=4\n----\n\nboot fresh\n----\n\nwarp 90000\n----\n\nopen\n----\n\ndraw\n----\n\nopinion accept\n----\n\n"
	first, err := scenario.RunScript(in)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := scenario.RunScript(first); err != nil || again != first {
		t.Errorf("%v\n%s\n%s", err, first, again)
	}
}
