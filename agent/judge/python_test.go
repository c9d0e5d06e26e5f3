package judge_test

import (
	"strings"
	"testing"

	"ojud/voting"
)

// TestNoPython: a judge without CPython abstains if a check in Python is left, says why, and names
// nothing of its machine. Another check that fails still rejects.
func TestNoPython(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData"} {
		t.Setenv(name, home)
	}
	const task = `{"instruction":["Write twice in Python."],"output_schema":{"code":"string"},"expected":[` +
		`{"path":"/code","tests":{"python":[{"function":"twice","args":[2],"returns":4}]}},{"path":"/code","max_lines":2}]}`
	const why = "unknown specification/expected[0]: what the check runs was not run: CPython is not on this machine"
	for code, want := range map[string]voting.Choice{
		`def twice(n):\n    return 2 * n`:       voting.Abstain,
		`def twice(n):\n    return 3 * n`:       voting.Abstain,
		`def twice(n):\n\n\n    return 2 * n\n`: voting.Reject,
	} {
		o := opine(t, task, `{"code":"`+code+`"}`, "The result does not pass the expected checks.")
		if said := findingsOf(o); voting.Choice(o.Choice) != want || !strings.Contains(said, why) || strings.Contains(said, home) {
			t.Errorf("%s: %s\n%s", code, voting.Choice(o.Choice), said)
		}
	}
}

// TestParsedDecide: code that does not parse is rejected, and code that parses is not accepted for
// that alone, because garbage can parse.
func TestParsedDecide(t *testing.T) {
	for grammar, codes := range map[string][2]string{"javascript": {"const x = 7", "const x ="}, "sql": {"SELECT 7", "SELECT FROM"}} {
		for i, want := range []voting.Choice{voting.Abstain, voting.Reject} {
			task := `{"instruction":["Write a good program."],"output_schema":{"code":"string"},"expected":[{"path":"/code","parses":"` + grammar + `"}]}`
			o := opine(t, task, `{"code":"`+codes[i]+`"}`, "It is not good.")
			if voting.Choice(o.Choice) != want || !strings.Contains(findingsOf(o), "specification/expected[0]: that it parses as "+grammar+", its parser says") {
				t.Errorf("%s: %s\n%s", codes[i], voting.Choice(o.Choice), findingsOf(o))
			}
		}
	}
}
