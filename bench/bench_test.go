package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestTable checks that lines are sorted by figure, P2 before P10, and that the heading is first.
func TestTable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rows")
	rows := "| P10 | b |\n| P2 | at 0.10 |\n| 500 | c |\n| P2 | at 0.9 |\n| SVM | d |\n| P1 | a |\n"
	if err := os.WriteFile(file, []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := printTable(&out, file); err != nil {
		t.Fatal(err)
	}
	want := heading + "\n| 500 | c |\n| P1 | a |\n| P2 | at 0.9 |\n| P2 | at 0.10 |\n| P10 | b |\n| SVM | d |\n"
	if out.String() != want {
		t.Errorf("the table is\n%s\nwant\n%s", out.String(), want)
	}
}

// TestEmptyTable checks that the heading is printed even if every group failed.
func TestEmptyTable(t *testing.T) {
	var out bytes.Buffer
	if err := printTable(&out, filepath.Join(t.TempDir(), "none")); err != nil || out.String() != heading+"\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
}

// scripted is a fake of tools. A run appends a line for the group, or fails.
type scripted struct {
	builds []string
	fail   string // a package that does not build, or an argument at which a run fails
}

func (s *scripted) build(_ context.Context, pkg string) (string, error) {
	s.builds = append(s.builds, pkg)
	if pkg == s.fail {
		return "", errors.New("does not compile")
	}
	return pkg + ".test", nil
}

func (s *scripted) run(_ context.Context, dir, _ string, args []string) error {
	file, err := os.OpenFile(args[len(args)-1], os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	if slices.Contains(args, s.fail) {
		return errors.New("exit status 1")
	}
	_, err = file.WriteString("| " + dir + " " + strings.Join(args[:len(args)-2], " ") + " |\n")
	return err
}

// TestFailure checks that a group that fails or does not build is reported, and does not stop the
// others. The control is a run without failures.
func TestFailure(t *testing.T) {
	all := []group{
		{"A", "x", []string{"one"}, "-to"}, {"B,C", "x", []string{"two"}, "-to"}, {"D", "y", []string{"three"}, "-to"},
	}
	for _, c := range []struct {
		fail          string
		failed, lines []string
	}{
		{"", nil, []string{"| x one |", "| x two |", "| y three |"}},
		{"two", []string{"B,C"}, []string{"| x one |", "| y three |"}},
		{"x", []string{"A", "B,C"}, []string{"| y three |"}},
	} {
		var log bytes.Buffer
		s := &scripted{fail: c.fail}
		r := runner{tools: s, rows: filepath.Join(t.TempDir(), "rows"), log: &log}
		if failed := r.all(t.Context(), all); !slices.Equal(failed, c.failed) {
			t.Errorf("%q fails: reported %q, want %q", c.fail, failed, c.failed)
		}
		raw, err := os.ReadFile(r.rows)
		if lines := strings.Fields(strings.ReplaceAll(string(raw), " ", "_")); err != nil || len(lines) != len(c.lines) {
			t.Errorf("%q fails: %q, %v; want %q", c.fail, lines, err, c.lines)
		}
		if got := strings.Count(log.String(), "FAILED"); got != len(c.failed) {
			t.Errorf("%q fails: the log says so %d times, want %d:\n%s", c.fail, got, len(c.failed), &log)
		}
	}
}

// TestBuildOnce checks that groups of one package share its test binary.
func TestBuildOnce(t *testing.T) {
	s := &scripted{}
	r := runner{tools: s, rows: filepath.Join(t.TempDir(), "rows"), log: &bytes.Buffer{}}
	r.all(t.Context(), groups(128))
	if len(slices.Compact(slices.Sorted(slices.Values(s.builds)))) != len(s.builds) {
		t.Errorf("built %q", s.builds)
	}
}

// TestStopped checks that nothing starts after ctx has ended.
func TestStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := &scripted{}
	r := runner{tools: s, rows: filepath.Join(t.TempDir(), "rows"), log: &bytes.Buffer{}}
	if failed := r.all(ctx, groups(128)); len(failed) != len(groups(128)) || s.builds != nil {
		t.Errorf("failed %q, built %q", failed, s.builds)
	}
}

// TestChoose checks the names on the command line.
func TestChoose(t *testing.T) {
	for names, want := range map[string]int{"": 19, "P1": 3, "P1 P9": 4, "P8": 2, "tcp": 1, "500 cold": 2} {
		if got, err := choose(groups(128), strings.Fields(names)); err != nil || len(got) != want {
			t.Errorf("%q: %d groups, %v; want %d", names, len(got), err, want)
		}
	}
	if _, err := choose(groups(128), []string{"P99"}); err == nil || !strings.Contains(err.Error(), `"P99"`) {
		t.Errorf("P99: %v", err)
	}
}

// TestArguments checks that a bad command line is refused before anything is measured.
func TestArguments(t *testing.T) {
	for _, args := range [][]string{{"-panel", "27"}, {"-panel", "501"}, {"P99"}, {"-nope"}} {
		if err := run(t.Context(), args, &bytes.Buffer{}, &bytes.Buffer{}); err == nil {
			t.Errorf("%q was accepted", args)
		}
	}
}

// TestGroupsExist checks that each group names a test or a benchmark, and a flag, of its package.
func TestGroupsExist(t *testing.T) {
	name := regexp.MustCompile(`^(Test\w+)\$$|^(Figures|Cold)\b`)
	for _, g := range groups(128) {
		files, err := filepath.Glob(filepath.Join("..", filepath.FromSlash(g.pkg), "*_test.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no tests in %s (%v)", g.figures, g.pkg, err)
		}
		var text strings.Builder
		for _, file := range files {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text.Write(raw)
		}
		for _, arg := range append(slices.Clone(g.args), g.rows) {
			flagged, ours := strings.CutPrefix(arg, "-")
			switch {
			case ours && !strings.HasPrefix(flagged, "test.") && !strings.Contains(text.String(), `"`+flagged+`"`):
				t.Errorf("%s: %s has no flag %s", g.figures, g.pkg, arg)
			case name.MatchString(arg):
				m := name.FindStringSubmatch(arg)
				if want := "func " + m[1]; m[1] != "" && !strings.Contains(text.String(), want+"(") {
					t.Errorf("%s: %s has no %s", g.figures, g.pkg, m[1])
				}
				if want := "func Benchmark" + m[2]; m[2] != "" && !strings.Contains(text.String(), want+"(") {
					t.Errorf("%s: %s has no Benchmark%s", g.figures, g.pkg, m[2])
				}
			}
		}
	}
}
