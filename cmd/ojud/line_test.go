package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
)

// line runs a command line in an environment of its own.
func line(t testing.TB, args ...string) (code int, out, errs string) {
	t.Helper()
	return lineIn(t.Context(), []string{"HOME=" + t.TempDir()}, args...)
}

func lineIn(ctx context.Context, environ []string, args ...string) (code int, out, errs string) {
	var stdout, stderr bytes.Buffer
	a := newApp(environ, &stdout, &stderr)
	a.Slow = time.Hour // progress depends on the machine
	code = execute(ctx, a, args)
	return code, stdout.String(), stderr.String()
}

// unwrapped joins the lines of wrapped values.
func unwrapped(text string) string {
	return regexp.MustCompile(`\n {2,}`).ReplaceAllString(text, " ")
}

// every calls f for each command of the tree.
func every(cmd *cobra.Command, f func(*cobra.Command)) {
	f(cmd)
	for _, c := range cmd.Commands() {
		if c.Name() != "help" {
			every(c, f)
		}
	}
}

// TestHelp checks that every command has a description, and an example that works as it stands.
func TestHelp(t *testing.T) {
	t.Parallel()
	n := 0
	root := newRoot(newApp(nil, nil, nil))
	every(root, func(cmd *cobra.Command) {
		if !cmd.Runnable() {
			return // a page of the help
		}
		n++
		path := cmd.CommandPath()
		if len(cmd.Short) < 10 || len(cmd.Long) < len(cmd.Short) || strings.HasSuffix(cmd.Short, ".") {
			t.Errorf("%s: short %q, long %q", path, cmd.Short, cmd.Long)
		}
		if !strings.Contains(cmd.Example, path) {
			t.Errorf("%s has no example of itself: %q", path, cmd.Example)
		}
		for _, l := range strings.Split(strings.ReplaceAll(cmd.Example, "\\\n", ""), "\n") {
			tryExample(t, root, l)
		}
		if code, out, errs := line(t, append(strings.Fields(path)[1:], "--help")...); code != 0 || !strings.Contains(out, "Examples:") || strings.Contains(out+errs, "\x1b") || strings.Contains(out, "Global Flags") || errs != "" || wide(out) != "" {
			t.Errorf("%s --help: %d, %q, %q; too wide: %q", path, code, out, errs, wide(out))
		}
	})
	if n < 40 {
		t.Errorf("%d commands", n)
	}
}

// wide returns the first line that is wider than a text may be.
func wide(text string) string {
	for l := range strings.Lines(text) {
		if len([]rune(l)) > view.Width+1 {
			return l
		}
	}
	return ""
}

// tryExample checks that the command and the flags of an example exist.
func tryExample(t *testing.T, root *cobra.Command, text string) {
	t.Helper()
	for _, part := range strings.Split(text, "&&") {
		_, call, found := strings.Cut(part, "ojud ")
		if call, _, _ = strings.Cut(call, " |"); !found {
			t.Errorf("%q calls no command", part)
			continue
		}
		words := strings.Fields(call)
		cmd, rest, err := root.Find(words)
		if err != nil || cmd == root {
			t.Errorf("%q: %v", text, err)
			continue
		}
		for _, w := range rest {
			name, _, _ := strings.Cut(strings.TrimLeft(w, "-"), "=")
			if strings.HasPrefix(w, "--") && cmd.Flag(name) == nil && cmd.InheritedFlags().Lookup(name) == nil {
				t.Errorf("%q: %s has no flag %s", text, cmd.CommandPath(), w)
			}
		}
	}
}

// TestExit checks the exit status and the words of errors that come before any request to a court.
func TestExit(t *testing.T) {
	t.Parallel()
	bad := filepath.Join(t.TempDir(), "task.json")
	if err := os.WriteFile(bad, []byte(`{"instruction":["draw"],"output_shema":{"a":"string"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	task := "7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2"
	for _, c := range []struct {
		args string
		code int
		says []string
	}{
		{"version", 0, nil},
		{"version extra", 2, []string{`does not take "extra"`, "ojud version --help"}},
		{"vresion", 2, []string{"did you mean: ojud version?"}},
		{"task crete", 2, []string{"did you mean: ojud task create?"}},
		{"task zzzzzz", 2, []string{"ojud task --help"}},
		{"task", 0, nil},
		{"task list --colour", 2, []string{"unknown flag", "ojud task list --help"}},
		{"task claim", 2, []string{"needs the task's address"}},
		{"task submit " + task, 2, []string{"needs a result file"}},
		{"task claim not-an-address", 2, []string{`"not-an-address" is not an address`}},
		{"task create " + bad, 2, []string{"--reward"}},
		{"task create " + bad + " --reward 1sol --auction 1h", 2, []string{"--reward goes without"}},
		{"task create " + bad + " --reward-min 1sol --reward-max 2sol", 2, []string{"--auction"}},
		{"task create " + bad + " --reward lots", 2, []string{`"lots" is not an amount`, "0.5sol"}},
		{"task create " + bad + " --reward 1sol --work soon", 2, []string{`"soon" is not a time`, "8h"}},
		{"task create " + bad + " --reward 1sol", 1, []string{bad, "output_shema", "output_schema"}},
		{"task create none.json --guide", 1, []string{"none.json", "no such file"}},
		{"task create ../../examples/invoices/invoices.task.json --guide --example ../../examples/eleptiger/eleptiger.task.json", 0, []string{"no check fits"}},
		{"task create ../../examples/median/median.task.json --guide --example none.json", 1, []string{"none.json"}},
		{"task create none.json --reward 1sol", 1, []string{"none.json", "no such file"}},
		{"task object " + task, 2, []string{"--reason TEXT, --kind KIND or --file FILE"}},
		{"task object " + task + " --reason x --file y", 2, []string{"not both"}},
		{"task counter-object " + task + " --reason x --exhibit none.png", 1, []string{"none.png"}},
		{"task fetch abc", 2, []string{"64 hex digits"}},
		{"task publish " + task, 2, []string{"needs a file"}},
		{"task list --creator x", 2, []string{`--creator "x" is not an address`}},
		{"task list", 1, []string{"which court?", "--network", "ojud init"}},
		{"agent deposit", 2, []string{"needs an amount"}},
		{"agent deposit 0sol", 2, []string{"is 0"}},
		{"agent deposit 5", 2, []string{"has no unit", "5lamports"}},
		{"agent deposit -- -5", 2, []string{"is not an amount"}},
		{"agent deposit 1sol", 1, []string{"no key file", "--create-key"}},
		{"agent show --key none.json", 1, []string{"no key file none.json"}},
		{"init", 2, []string{"--network"}},
		{"init --network /no/such/network.json", 1, []string{"/no/such/network.json"}},
		{"join", 2, []string{"needs the URL or file"}},
		{"join http://127.0.0.1:1", 1, []string{"is it running there?"}},
		{"run", 1, []string{"ojud init", "ojud join URL"}},
		{"doctor", 1, []string{"ojud init"}},
		{"judge register --stake 1sol", 1, []string{"ojud init"}},
		{"judge status x", 2, []string{"is not an address"}},
		{"case export " + task, 1, []string{"ojud run"}},
		{"case verify none.case.json", 1, []string{"none.case.json"}},
		{"case verify " + bad, 3, nil},
		{"devnet --fast --warp", 2, []string{"exclude each other"}},
		{"task list --log-level loud --network " + bad, 1, []string{"network"}},
	} {
		code, _, errs := line(t, strings.Fields(c.args)...)
		if code != c.code {
			t.Errorf("%s: exit %d, want %d: %s", c.args, code, c.code, errs)
		}
		for _, w := range c.says {
			if !strings.Contains(errs, w) {
				t.Errorf("%s: %q does not say %q", c.args, errs, w)
			}
		}
		if lines := strings.Count(errs, "\n"); code != 0 && code != 3 && lines != 1 || strings.Contains(errs, "client:") {
			t.Errorf("%s: %q is not one plain line", c.args, errs)
		}
	}
}

// TestGuide: the guide prints checks that can be pasted into the task, and a list for programs.
func TestGuide(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "task.json")
	text := `"instruction":["List the rows by id."],"input_data":[{"ids":["a","b"]}],"output_schema":{"rows":[{"id":"string"}]}`
	write(t, file, "{"+text+"}")
	code, out, errs := line(t, "task", "create", file, "--guide")
	if code != 0 || strings.Count(errs, "\n") != 2 || !strings.Contains(errs, `check 2: the input lists the same things`) {
		t.Fatalf("%d %q", code, errs)
	}
	write(t, file, "{"+text+","+out+"}")
	if code, _, errs := line(t, "task", "create", file, "--guide"); code != 0 || !strings.Contains(errs, "no check fits") {
		t.Errorf("the task with the checks: %d %q\n%s", code, errs, out)
	}
	var none []any
	if code, out, _ := line(t, "task", "create", file, "--guide", "--json"); code != 0 || json.Unmarshal([]byte(out), &none) != nil || none == nil || len(none) != 0 {
		t.Errorf("as JSON: %d %q", code, out)
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	if code, out, _ := line(t, "--version"); code != 0 || !strings.HasPrefix(out, "ojud ") || strings.Count(out, "\n") != 1 {
		t.Errorf("%d %q", code, out)
	}
	if code, out, _ := line(t, "--help"); code != 0 || !strings.Contains(out, "completion") || !strings.Contains(out, "For judges:") {
		t.Errorf("%d %q", code, out)
	}
	if code, out, _ := line(t, "help", "flags"); code != 0 || !strings.Contains(out, "--home DIR") {
		t.Errorf("%d %q", code, out)
	}
	code, out, _ := line(t, "version", "--json")
	var b cli.Build
	if err := json.Unmarshal([]byte(out), &b); err != nil || code != 0 || b.Version == "" || b.Go == "" {
		t.Errorf("%d %q %v", code, out, err)
	}
	sum, err := os.ReadFile("../../programs/oju/oju.so.sha256")
	if err != nil || !strings.HasPrefix(string(sum), b.Program) {
		t.Errorf("%q, %q, %v", b.Program, sum, err)
	}
}

// TestEnvironment checks that variables set flags, and that flags win.
func TestEnvironment(t *testing.T) {
	t.Parallel()
	env := []string{"HOME=" + t.TempDir(), "OJUD_NETWORK=/env/network.json", "OJUD_KEY=/env/key.json"}
	for want, args := range map[string][]string{
		"/env/network.json": {"task", "list", "--key", "k"}, "/flag/network.json": {"task", "list", "--network", "/flag/network.json"},
		"/env/key.json": {"agent", "show"}, "/flag/key.json": {"agent", "show", "--key", "/flag/key.json"},
	} {
		if strings.Contains(want, "network") { // the error about a missing key comes first
			args = append(args, "--key", mustKey(t))
		}
		if code, _, errs := lineIn(t.Context(), env, args...); code != 1 || !strings.Contains(errs, want) {
			t.Errorf("%v: %d, %q does not say %q", args, code, errs, want)
		}
	}
}
