package main

import (
	"strings"
	"testing"
)

// TestCompletion: each shell gets a script, and what the script asks is answered.
func TestCompletion(t *testing.T) {
	t.Parallel()
	for shell, want := range map[string]string{"bash": "__start_ojud", "zsh": "#compdef ojud", "fish": "complete -c ojud"} {
		if code, out, errs := line(t, "completion", shell); code != 0 || !strings.Contains(out, want) {
			t.Errorf("%s: %d, %.200s, %s", shell, code, out, errs)
		}
	}
	if code, out, errs := line(t, "__complete", "node", "ba"); code != 0 || !strings.HasPrefix(out, "backup\t") {
		t.Errorf("%d, %s, %s", code, out, errs)
	}
}
