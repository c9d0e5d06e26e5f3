package process

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/sim/fault"
)

// stages are the steps of a scenario that cause no fault: they wait, aim, repair or look.
var stages = []string{"open", "wait", "until", "end", "healed", "may-miss", "reach", "arm", "go", "start", "image", "room", "dies", "links heal", "links clear"}

// TestVocabulary checks that a scenario uses every step that package fault names, and that every
// step of a scenario is one of these faults or one of the stages.
func TestVocabulary(t *testing.T) {
	known := map[string]bool{}
	for _, s := range stages {
		known[s] = false
	}
	for _, d := range fault.All() {
		if d.Process != "" && !strings.HasPrefix(d.Process, "Test") {
			known[d.Process] = true // until a scenario is found
		}
	}
	files, err := filepath.Glob("testdata/*/*")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d scenarios: %v", len(files), err)
	}
	used := map[string]bool{}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(raw)) {
			words := strings.Fields(line)
			if len(words) == 0 || strings.HasPrefix(words[0], "#") {
				continue
			}
			step := words[0]
			if step == "links" || step == "kill" && len(words) > 1 && words[1] == "chain" {
				step += " " + words[1]
			}
			if _, ok := known[step]; !ok {
				t.Errorf("%s: the step %q is no fault of package fault and no stage", file, step)
			}
			used[step] = true
		}
	}
	for step, isFault := range known {
		if isFault && !used[step] {
			t.Errorf("package fault names the step %q, which no scenario has", step)
		}
	}
}
