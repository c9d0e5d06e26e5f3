package library

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/casefile/sealed"
)

// TestOpenings: a creator seals a check, and its objection opens it. A second run makes the same
// task, and one that is posted afresh another. A lost or damaged opening is reported.
func TestOpenings(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "check.json")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(`{"path":"/code","tests":{"javascript":[{"function":"f","args":[1],"returns":2}]},"settles":[0]}`)
	k, err := CheckFile(path)
	if err != nil {
		t.Fatal(err)
	}
	task, err := ReadTask([]byte(`{"instruction":["Write f."],"output_schema":{"code":"string"}}`))
	if err != nil {
		t.Fatal(err)
	}
	o := Openings{filepath.Join(dir, "openings")}
	first, err := o.Seal(task, []casefile.Check{k}, false)
	if err != nil {
		t.Fatal(err)
	}
	again, err := o.Seal(task, []casefile.Check{k}, false)
	if err != nil || again.Hash != first.Hash {
		t.Errorf("%s, %v", again.Content, err)
	}
	if afresh, err := o.Seal(task, []casefile.Check{k}, true); err != nil || afresh.Hash == first.Hash {
		t.Errorf("%s, %v", afresh.Content, err)
	}
	if open, err := o.Open(task, []casefile.Check{k}); err != nil || !strings.Contains(string(open.Content), `"returns":2`) || strings.Contains(string(first.Content), `"returns"`) {
		t.Errorf("%s, %s, %v", open.Content, first.Content, err)
	}
	objection, _, err := WriteObjection("It is wrong.", nil)
	if err != nil {
		t.Fatal(err)
	}
	doc, openings, absent, err := o.Add(first.Content, objection)
	if err != nil || len(openings) != 1 || len(absent) > 0 || !strings.Contains(string(doc.Content), sealed.Name(0)) {
		t.Fatalf("%s, %d, %v, %v", doc.Content, len(openings), absent, err)
	}
	if same, more, _, err := o.Add(first.Content, doc); err != nil || same.Hash != doc.Hash || len(more) > 0 {
		t.Errorf("it is added twice: %s, %v", same.Content, err)
	}
	if _, _, absent, err := (Openings{filepath.Join(dir, "elsewhere")}).Add(first.Content, objection); err != nil || len(absent) != 1 {
		t.Errorf("%v, %v", absent, err)
	}
	if err := os.WriteFile(filepath.Join(o.Dir, openings[0].Hash.String()+".json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := o.Add(first.Content, objection); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("%v", err)
	}
	for text, problem := range map[string]string{`{"path":"","count":1}`: "no check with a program", `{"path":"","programme":{}}`: "unknown field", `{`: "unexpected"} {
		write(text)
		if _, err := CheckFile(path); err == nil || !strings.Contains(err.Error(), problem) {
			t.Errorf("%s: %v", text, err)
		}
	}
	bad := k
	bad.Settles = []int{7}
	if _, err := o.Open(task, []casefile.Check{bad}); err == nil || !strings.Contains(err.Error(), "settles") {
		t.Errorf("%v", err)
	}
}
