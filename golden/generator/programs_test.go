package generator

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/voting"
)

// codeWork is a dispute about a program as a reader sees it.
type codeWork struct {
	code, name string
	tests      []trial
	right      bool
}

// works returns disputes about programs in one language.
func works(t *testing.T, language string, many int) (all []codeWork) {
	t.Helper()
	s := sources()[2]
	for i := 0; len(all) < many; i++ {
		d, err := s.Make(seedOf("programs", i))
		if err != nil {
			t.Fatal(err)
		}
		var task casefile.Task
		var result map[string]string
		if json.Unmarshal(d.Task, &task) != nil || json.Unmarshal(d.Result, &result) != nil {
			t.Fatal("not readable")
		}
		one := codeWork{right: d.Answer == voting.Accept}
		for _, text := range result {
			if g := regexp.MustCompile(`(?:func|def|function) (\w+)\(`).FindStringSubmatch(text); g != nil {
				one.code, one.name = text, g[1]
			}
		}
		for _, v := range given(t, task) {
			one.tests = append(one.tests, readTrial(t, v))
		}
		if regexp.MustCompile(`[iI]n ` + language + `[., ]`).MatchString(strings.Join(task.Instruction, " ")) {
			all = append(all, one)
		}
	}
	return all
}

// given returns the tests of a task, in whatever form it gives them.
func given(t *testing.T, task casefile.Task) (all []map[string]any) {
	t.Helper()
	for _, raw := range task.InputData {
		var v any
		if err := json.Unmarshal(raw, &v); err != nil {
			t.Fatal(err)
		}
		if text, ok := v.(string); ok {
			if err := json.Unmarshal([]byte(text), &v); err != nil {
				t.Fatal(err)
			}
		}
		if packed, ok := v.(map[string]any); ok && len(packed) == 1 {
			for _, v = range packed {
				break
			}
		}
		if one, ok := v.(map[string]any); ok {
			v = []any{one}
		}
		for _, one := range v.([]any) {
			all = append(all, one.(map[string]any))
		}
	}
	return all
}

// readTrial reads a test, whatever its fields are called.
func readTrial(t *testing.T, fields map[string]any) (one trial) {
	t.Helper()
	for name, v := range fields {
		switch v := v.(type) {
		case []any:
			for _, x := range v {
				one.XS = append(one.XS, int(x.(float64)))
			}
		case float64:
			if slices.Contains([]string{"want", "expected", "returns", "result"}, name) {
				one.Want = int(v)
			} else {
				one.T = int(v)
			}
		}
	}
	return one
}

// TestPrograms runs the programs that tasks show with the tests that tasks give: a result passes
// all of them if and only if the answer is accept.
func TestPrograms(t *testing.T) {
	const many = 80
	for language, run := range map[string]struct {
		tool, file  string
		args        []string
		begin, each string
		end         string
	}{
		"Go":         {"go", "main.go", []string{"run"}, "package main\nimport \"fmt\"\nfunc main() {\n", "\t{ %s\n\t\tok := true\n%s\n\t\tfmt.Println(ok) }\n", "}\n"},
		"Python":     {"python3", "main.py", nil, "", "%s\nok = True\n%s\nprint(str(ok).lower())\n", ""},
		"JavaScript": {"node", "main.js", nil, "", "{ %s\nlet ok = true;\n%s\nconsole.log(ok); }\n", ""},
	} {
		t.Run(language, func(t *testing.T) {
			tool, err := exec.LookPath(run.tool)
			if err != nil {
				t.Logf("NOT RUN: programs in %s: %v", language, err)
				return
			}
			text, all := run.begin, works(t, language, many)
			for _, w := range all {
				code, checks := w.code, ""
				if language == "Go" {
					code = strings.Replace(code, "func "+w.name+"(", w.name+" := func(", 1)
				}
				for _, one := range w.tests {
					checks += check(language, w.name, one)
				}
				text += fmt.Sprintf(run.each, code, checks)
			}
			name := filepath.Join(t.TempDir(), run.file)
			if err := os.WriteFile(name, []byte(text+run.end), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), tool, append(run.args, name)...)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %.2000s", err, out)
			}
			said := strings.Fields(string(out))
			for i, w := range all {
				if said[i] != fmt.Sprint(w.right) {
					t.Errorf("it passes: %s; answered: %v\n%s", said[i], w.right, w.code)
				}
			}
			t.Logf("%d programs", len(said))
		})
	}
}

// check is a line that clears ok if a test fails.
func check(language, name string, one trial) string {
	xs := list(append([]int{}, one.XS...))
	switch language {
	case "Go":
		return fmt.Sprintf("\t\tok = ok && %s([]int{%s}, %d) == %d\n", name, strings.Trim(xs, "[]"), one.T, one.Want)
	case "Python":
		return fmt.Sprintf("ok = ok and %s(%s, %d) == %d\n", name, xs, one.T, one.Want)
	}
	return fmt.Sprintf("ok = ok && %s(%s, %d) === %d;\n", name, xs, one.T, one.Want)
}
