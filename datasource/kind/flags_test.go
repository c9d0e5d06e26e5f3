package kind

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// TestSplitCommand: a command line is split as a shell does it.
func TestSplitCommand(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"npx -y  a@1":         "npx|-y|a@1",
		`run 'a b' "c 'd'"`:   `run|a b|c 'd'`,
		`run a\ b '\' "\""`:   `run|a b|\|"`,
		`run ''`:              "run|",
		"\trun\n--x='y z' ":   "run|--x=y z",
		`run "$HOME" ${env:}`: "run|$HOME|${env:}",
	} {
		if got, err := splitCommand("mcp", line); err != nil || strings.Join(got, "|") != want {
			t.Errorf("%q: %q, %v", line, got, err)
		}
	}
	for _, line := range []string{"", "  ", "''", `run "`, "run 'x", `run \`} {
		if got, err := splitCommand("mcp", line); err == nil {
			t.Errorf("%q: %q", line, got)
		}
	}
}

// FuzzSplitCommand: words that are quoted one by one come back.
func FuzzSplitCommand(f *testing.F) {
	f.Add("npx", "-y")
	f.Add("a'b", `\"`)
	f.Fuzz(func(t *testing.T, a, b string) {
		a, b = strings.ToValidUTF8(a, ""), strings.ToValidUTF8(b, "")
		if a == "" {
			a = "x"
		}
		quote := func(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
		if got, err := splitCommand("mcp", quote(a)+" "+quote(b)); err != nil || !slices.Equal(got, []string{a, b}) {
			t.Errorf("%q %q: %q, %v", a, b, got, err)
		}
		if _, err := splitCommand("mcp", a); err != nil && !errors.As(err, new(*FlagError)) {
			t.Error(err)
		}
	})
}

func TestParameters(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]string{
		"select 1": "", "select * from a where b = :b and c > :c_1 or b = :b": "b c_1",
		`select ':x', ":y", x::text /* :z */ -- :w` + "\n" + `where a = :a`: "a", "select 'it''s :x' || :y": "y", "select '": "",
	} {
		if got := strings.Join(parameters(sql), " "); got != want {
			t.Errorf("%s: %s", sql, got)
		}
	}
}

func TestVariables(t *testing.T) {
	t.Parallel()
	if got := variables("https://x.example/{a}/${env:KEY}?b={b}&c=${file:/x}", `{"d":"{d}","a":"{a}"}`); !slices.Equal(got, []string{"a", "b", "d"}) {
		t.Error(got)
	}
}
