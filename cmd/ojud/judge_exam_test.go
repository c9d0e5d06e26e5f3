package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestJudgeExam examines the judge of a home that does not exist, as text and as JSON. The exit
// status tells how it went.
func TestJudgeExam(t *testing.T) {
	t.Parallel()
	code, out, errs := line(t, "judge", "exam", "--shipped")
	if code != 0 || errs != "" || !strings.Contains(out, "Exam of code-checks: 72 disputes") || !strings.Contains(out, "refunds wrongly") {
		t.Errorf("%d, %s, %s", code, out, errs)
	}
	var report struct {
		Model string
		All   struct{ Items, Right int }
		Items []struct{ ID, Label, Choice string }
	}
	code, out, errs = line(t, "judge", "exam", "--shipped", "--json", "--pass", "100")
	if err := json.Unmarshal([]byte(out), &report); err != nil || code != 1 || !strings.Contains(errs, "100 % are needed") {
		t.Errorf("%d, %v, %s", code, err, errs)
	}
	if report.Model != "code-checks" || report.All.Items != 72 || len(report.Items) != 72 || report.Items[0].Label != "accept" {
		t.Errorf("%+v", report)
	}
	if code, _, errs := line(t, "judge", "exam", "--shipped", "--pass", "1"); code != 0 {
		t.Errorf("%d, %s", code, errs)
	}
}

// TestJudgeExamFresh: an exam is made anew each time, or again from its seed. The report says
// whether a court would admit the judge.
func TestJudgeExamFresh(t *testing.T) {
	t.Parallel()
	var reports [3]struct {
		Seed  string
		Entry struct {
			Right, Needed, Hard int
			Passed              bool
		}
		All   struct{ Items int }
		Items []struct{ ID string }
	}
	for i, args := range [][]string{{}, {}, nil} {
		if args == nil {
			args = []string{"--seed", reports[0].Seed}
		}
		args = append(args, "--carry", "words")
		code, out, errs := line(t, append([]string{"judge", "exam", "--json"}, args...)...)
		if err := json.Unmarshal([]byte(out), &reports[i]); err != nil || code != 0 || errs != "" {
			t.Fatalf("%d, %v, %s", code, err, errs)
		}
	}
	a, b, c := reports[0], reports[1], reports[2]
	if a.All.Items != 40 || a.Entry.Needed != 28 || a.Entry.Hard != 16 || a.Entry.Passed || a.Items[0].ID == b.Items[0].ID || a.Items[0].ID != c.Items[0].ID {
		t.Errorf("%+v\n%+v\n%+v", a, b, c)
	}
	code, out, errs := line(t, "judge", "exam", "--seed", "7", "--size", "4", "--kind", "code")
	if code != 0 || errs != "" || !strings.Contains(out, "4 disputes") || !strings.Contains(out, "--seed 7") || strings.Contains(out, "entry exam") || strings.Contains(out, "extraction") {
		t.Errorf("%d, %s, %s", code, out, errs)
	}
	if code, out, _ := line(t, "judge", "exam", "--seed", "7", "--carry", "words"); code != 0 || !strings.Contains(out, "would not pass") || !strings.Contains(out, "28 are needed") || !strings.Contains(out, "--seed 7 --carry words") {
		t.Errorf("%d, %s", code, out)
	}
	for args, want := range map[string]string{
		"--size 0": "0 disputes; write 1 to 10000", "--kind song": `no kind of work is called "song"`, "--seed " + strings.Repeat("x", 65): "at most 64",
		"--shipped --seed 7": "for disputes that are made", "--shipped file": "without a file", "file --kind code": "for disputes that are made",
	} {
		if code, _, errs := line(t, append([]string{"judge", "exam"}, strings.Fields(args)...)...); code != 2 || !strings.Contains(errs, want) {
			t.Errorf("%s: %d, %s; want %s", args, code, errs, want)
		}
	}
}

// TestJudgeExamFiles reads exams from files, in the project's format or of a public set, and writes
// them to new files.
func TestJudgeExamFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	pairs := file("pairs.jsonl", `{"question":"1 + 1?","response_A":"2","response_B":"3","label":"A>B"}`+"\n"+`{"question":"1 + 1?","response_A":"2","response_B":"two","label":"A=B"}`)
	mine := filepath.Join(dir, "mine.jsonl")
	if code, out, errs := line(t, "judge", "exam", pairs, "--from", "judgebench", "--save", mine); code != 0 || out != "" || !strings.Contains(errs, "1 pair left out") {
		t.Errorf("%d, %s, %s", code, out, errs)
	}
	if code, out, errs := line(t, "judge", "exam", mine); code != 0 || !strings.Contains(out, "2 disputes") {
		t.Errorf("%d, %s, %s", code, out, errs)
	}
	for args, want := range map[string]string{
		"--save " + mine:                 "1 is there already",
		pairs:                            "1 not an item",
		filepath.Join(dir, "none.jsonl"): "1 no such file",
		pairs + " --from mtbench":        "1 lacks the question",
		pairs + " --from other":          "2 is no set",
		"--from llmbar":                  "2 goes with a file",
		"--pass 101":                     "2 is no percentage",
		"--pass -3":                      "2 is no percentage",
		"--most 3":                       "2 name a folder with --keep",
		"--most -1":                      "2 less than 0",
		"--keep " + dir:                  "2 add --seed",
		"--parallel 0":                   "2 parallel is 0",
		"--parallel 99":                  "2 parallel is 99; set it to 1 to 32",
		"--limit 1ms":                    "2 limit is 1ms",
		"--config " + file("bad.toml", "[judge]\nkind = \"oracle\"\n"): "1 kind is",
		"a b": "2 does not take",
	} {
		status, says, _ := strings.Cut(want, " ")
		code, _, errs := line(t, append([]string{"judge", "exam"}, strings.Fields(args)...)...)
		if status != string(rune('0'+code)) || !strings.Contains(errs, says) || strings.Contains(errs, "exam: ") {
			t.Errorf("%s: %d, %s; want %s", args, code, errs, want)
		}
	}
}

// TestJudgeRedteam checks that no attack succeeds on the judge without a model.
func TestJudgeRedteam(t *testing.T) {
	t.Parallel()
	code, out, errs := line(t, "judge", "redteam")
	if code != 0 || errs != "" || !strings.Contains(out, "28 attacks on code-checks") || !strings.Contains(out, "exfiltration") {
		t.Errorf("%d, %s, %s", code, out, errs)
	}
	var report struct {
		Tries   int
		Success int
		Attacks []struct{ Name string }
	}
	code, out, errs = line(t, "judge", "redteam", "--only", "ignore,1", "--json")
	if err := json.Unmarshal([]byte(out), &report); err != nil || code != 0 || len(report.Attacks) != 2 || report.Tries != 10 || report.Success != 0 {
		t.Errorf("%d, %v, %+v, %s", code, err, report, errs)
	}
	if code, _, errs := line(t, "judge", "redteam", "--only", "nothing"); code != 2 || !strings.Contains(errs, `no such attack: "nothing"`) {
		t.Errorf("%d, %s", code, errs)
	}
}

func TestJudgePersonas(t *testing.T) {
	t.Parallel()
	code, out, _ := line(t, "judge", "personas")
	if code != 0 || strings.Count(out, "\n") != 2*29 || !strings.Contains(out, "recomputer") {
		t.Errorf("%d, %s", code, out)
	}
	code, out, _ = line(t, "judge", "personas", "--json")
	if code != 0 || strings.Count(out, "\n") != 28 || !json.Valid([]byte(strings.SplitN(out, "\n", 2)[0])) {
		t.Errorf("%d, %s", code, out)
	}
	if code, out, _ := line(t, "judge", "personas", "recomputer"); code != 0 || !strings.Contains(out, "Look first at") {
		t.Errorf("%d, %s", code, out)
	}
	if code, _, errs := line(t, "judge", "personas", "nobody"); code != 1 || !strings.Contains(errs, `there is none of that name: "nobody"`) {
		t.Errorf("%d, %s", code, errs)
	}
	own := filepath.Join(t.TempDir(), "mine.toml")
	if err := os.WriteFile(own, []byte("title = \"x\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := line(t, "judge", "personas", own); code != 1 || !strings.Contains(errs, "dimension") {
		t.Errorf("%d, %s", code, errs)
	}
}

// TestJudgeExamGoesOn: an exam is held in parts, and another one is not mixed with it.
func TestJudgeExamGoesOn(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "kept")
	for _, want := range []int{3, 6, 7, 7} {
		var report struct {
			Disputes int
			All      struct{ Items int }
		}
		code, out, errs := line(t, "judge", "exam", "--seed", "7", "--size", "7", "--keep", dir, "--most", "3", "--json")
		if err := json.Unmarshal([]byte(out), &report); err != nil || code != 0 || errs != "" || report.Disputes != 7 || report.All.Items != want {
			t.Errorf("%d, %v, %s, %+v; want %d", code, err, errs, report, want)
		}
	}
	part := filepath.Join(t.TempDir(), "part")
	if code, _, errs := line(t, "judge", "exam", "--seed", "7", "--size", "7", "--keep", part, "--most", "3", "--pass", "0"); code != 1 || !strings.Contains(errs, "3 of 7") {
		t.Errorf("an exam of which a part was heard is passed: %d, %s", code, errs)
	}
	if code, _, errs := line(t, "judge", "exam", "--seed", "7", "--size", "7", "--keep", dir, "--pass", "0"); code != 0 {
		t.Errorf("%d, %s", code, errs)
	}
	if code, _, errs := line(t, "judge", "exam", "--seed", "8", "--size", "7", "--keep", dir); code != 1 || !strings.Contains(errs, "other disputes") {
		t.Errorf("%d, %s", code, errs)
	}
}
