package check

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/cmd/ojud/cli"
)

// run runs the command and returns what it writes, and its exit status.
func run(t *testing.T, in string, args ...string) (out string, status int) {
	t.Helper()
	var written, told bytes.Buffer
	a := cli.New([]string{"OJUD_HOME=" + t.TempDir()}, &written, &told)
	cmd := Command(a)
	cmd.SetArgs(args)
	cmd.SetIn(strings.NewReader(in))
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err := cmd.ExecuteContext(t.Context())
	if err != nil {
		return written.String() + cli.Plain(err), cli.ExitCode(err)
	}
	return written.String(), 0
}

func TestRun(t *testing.T) {
	file := func(text string) string {
		name := filepath.Join(t.TempDir(), "file.json")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	result := file(`{"total":118.5}`)
	for _, c := range []struct {
		name, program string
		args          []string
		status        int
		wants         []string
	}{
		{"true", "result.total === 118.5", []string{"--result", result}, 0, []string{"says", "true", "ojud-wasm-2"}},
		{"no document", "task === null && result === null && value === null", nil, 0, []string{"true"}},
		{"false", "[false, 'no\\u001b[31m']", nil, 1, []string{"false", `no\u001b[31m`, "does not say true"}},
		{"a failure", "nowhere.at.all", nil, 1, []string{"none", "the check program failed: ReferenceError"}},
		{"a query", "SELECT total = 118.5, 'as it should be' FROM result", []string{"--language", "sql", "--result", result}, 0, []string{"true", "as it should be", "ojud-sql-2"}},
		{"a wrong query", "SELECT total = 118 FROM result", []string{"--language", "sql", "--result", result}, 1, []string{"false"}},
		{"another language", "true", []string{"--language", "perl"}, 2, []string{"give javascript, sql or wasi"}},
		{"an empty program", "", nil, 1, []string{"the check program is empty"}},
		{"a large program", strings.Repeat(" ", 70_000), nil, 2, []string{"more than 65536 bytes"}},
		{"not JSON", "true", []string{"--result", file("{")}, 2, []string{"--result", "is not JSON"}},
		{"a large document", "true", []string{"--value", file(strings.Repeat("1", 2<<20))}, 2, []string{"more than 1048576 bytes"}},
		{"no file", "true", []string{"--task", "nowhere"}, 2, []string{"--task", "nowhere"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, status := run(t, c.program, append([]string{"run", "-"}, c.args...)...)
			if status != c.status {
				t.Errorf("exit status %d", status)
			}
			for _, want := range c.wants {
				if !strings.Contains(out, want) {
					t.Errorf("it does not write %q:\n%s", want, out)
				}
			}
		})
	}
}

// TestResult runs what a task expects on a right and a wrong result.
func TestResult(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	task := file("task.json", `{"instruction":["x"],"output_schema":{},"expected":[{"path":"/code","tests":{"javascript":[{"function":"twice","args":[2],"returns":4}]}},`+
		`{"path":"/code","contains":"twice"},{"path":"/code","program":{"javascript":"value.length < 40"}},{"path":"","program":{"sql":"SELECT length(code) < 40 FROM value"}}]}`)
	for _, c := range []struct {
		result string
		status int
		wants  []string
	}{
		{`{"code":"const twice = n => 2 * n"}`, 0, []string{"expected[0]", "expected[2]", "1 of 1 calls return what they should", `it contains "twice"`}},
		{`{"code":"const twice = n => n ** n + 1"}`, 1, []string{"twice(2) returns 5 instead of 4", "expected[0] does not say true"}},
		{`{"text":""}`, 1, []string{`at "/code"`}},
		{`{"code":"const Twice = 2"}`, 1, []string{"expected[0] does not say true"}},
		{`{"code":"const twos = n => 2 * n"}`, 1, []string{"false", `at "/code": it does not contain "twice"`}},
		{`{`, 2, []string{"result.json"}},
	} {
		out, status := run(t, "", "result", task, file("result.json", c.result))
		if status != c.status {
			t.Errorf("%s: exit status %d", c.result, status)
		}
		for _, want := range c.wants {
			if !strings.Contains(out, want) {
				t.Errorf("%s: it does not write %q:\n%s", c.result, want, out)
			}
		}
	}
	if out, status := run(t, "", "result", file("plain.json", `{"instruction":["x"],"output_schema":{}}`), file("r.json", "7")); status != 0 || !strings.Contains(out, "no checks") {
		t.Errorf("%d: %s", status, out)
	}
}

// TestExhibit checks receipts of x402 as a party would before it hands them in.
func TestExhibit(t *testing.T) {
	dir := t.TempDir()
	key, err := os.ReadFile("../../../casefile/exhibit/testdata/x402-jws-key.json")
	if err != nil {
		t.Fatal(err)
	}
	file := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	task := file("task.json", `{"instruction":["x"],"output_schema":{},"input_data":["https://api.example.com/premium-data",`+string(key)+`]}`)
	const receipt = "../../../casefile/exhibit/testdata/x402-jws.json"
	for name, c := range map[string]struct {
		args   []string
		status int
		want   string
	}{
		"bound":     {[]string{receipt, "--task", task}, 0, "signed by a key that the task names"},
		"unbound":   {[]string{receipt}, 1, "does not pass"},
		"nothing":   {[]string{task}, 1, "is nothing that code checks"},
		"no file":   {[]string{"nowhere"}, 2, "nowhere"},
		"no task":   {[]string{receipt, "--task", receipt}, 2, "--task"},
		"no person": {[]string{receipt, "--worker", "me"}, 2, "--worker"},
	} {
		out, status := run(t, "", append([]string{"exhibit"}, c.args...)...)
		if status != c.status || !strings.Contains(out, c.want) {
			t.Errorf("%s: exit status %d, want %d and %q:\n%s", name, status, c.status, c.want, out)
		}
	}
}
