package library

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/casefile/runs"
	"ojud/casefile/sealed"
	"ojud/voting"
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
	doc, openings, absent, err := o.Add(first.Content, 0, objection)
	if err != nil || len(openings) != 1 || len(absent) > 0 || !strings.Contains(string(doc.Content), sealed.Name(0)) {
		t.Fatalf("%s, %d, %v, %v", doc.Content, len(openings), absent, err)
	}
	if same, more, _, err := o.Add(first.Content, 0, doc); err != nil || same.Hash != doc.Hash || len(more) > 0 {
		t.Errorf("it is added twice: %s, %v", same.Content, err)
	}
	if _, _, absent, err := (Openings{filepath.Join(dir, "elsewhere")}).Add(first.Content, 0, objection); err != nil || len(absent) != 1 {
		t.Errorf("%v, %v", absent, err)
	}
	kept, err := filepath.Glob(filepath.Join(o.Dir, "*.json"))
	if err != nil || len(kept) != 2 {
		t.Fatalf("%v, %v", kept, err)
	}
	for _, path := range kept {
		if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, _, err := o.Add(first.Content, 0, objection); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("%v", err)
	}
	if _, err := o.Seal(task, []casefile.Check{k}, false); err == nil || !strings.Contains(err.Error(), "damaged") {
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

// TestAttackSealsAgain: no other task, and no later result, has a seal that an objection opened,
// and no two openings have one salt. A seal for the result of a rework stays closed until then.
func TestAttackSealsAgain(t *testing.T) {
	check := func(returns string, rework uint8) casefile.Check {
		return casefile.Check{Path: "/code", Settles: []int{0}, Rework: rework, Tests: &runs.Tests{JavaScript: []runs.TestCall{{Function: "f", Args: []json.RawMessage{}, Returns: []byte(returns)}}}}
	}
	task, err := ReadTask([]byte(`{"instruction":["Write f."],"output_schema":{"code":"string"}}`))
	if err != nil {
		t.Fatal(err)
	}
	o := Openings{t.TempDir()}
	seals := func(checks ...casefile.Check) (Document, []casefile.Check) {
		t.Helper()
		doc, err := o.Seal(task, checks, false)
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := casefile.ParseTask(doc.Content)
		if err != nil {
			t.Fatal(err)
		}
		return doc, parsed.Value.Expected
	}
	doc, one := seals(check("1", 0), check("2", 1))
	_, other := seals(check("1", 0), check("2", 1), check("3", 0))
	_, changed := seals(check("2", 0), check("2", 1))
	if again, _ := seals(check("1", 0), check("2", 1)); again.Hash != doc.Hash {
		t.Error("a second run makes another task")
	}
	salts := map[string]bool{}
	for _, k := range slices.Concat(one, other, changed) {
		raw, err := o.opening(*k.Sealed)
		if err != nil {
			t.Fatal(err)
		}
		salts[string(raw[strings.Index(string(raw), "salt"):][:60])] = true
	}
	if len(salts) != 7 {
		t.Errorf("7 openings have %d salts", len(salts))
	}
	objection, _, err := WriteObjection("It is wrong.", nil)
	if err != nil {
		t.Fatal(err)
	}
	for reworks, want := range []casefile.Check{one[0], one[1]} {
		_, openings, absent, err := o.Add(doc.Content, uint8(reworks), objection)
		if err != nil || len(absent) > 0 || len(openings) != 1 || openings[0].Hash != voting.Hash(*want.Sealed) {
			t.Errorf("%d reworks: %d openings, %v, %v", reworks, len(openings), absent, err)
		}
	}
	if _, openings, absent, err := o.Add(doc.Content, 2, objection); err != nil || len(openings)+len(absent) > 0 {
		t.Errorf("%d openings, %v, %v", len(openings), absent, err)
	}
	if _, err := o.Seal(task, []casefile.Check{check("1", 0), check("2", 1)}, false); !errors.Is(err, ErrOpened) {
		t.Errorf("an opened seal is posted again: %v", err)
	}
	if afresh, err := o.Seal(task, []casefile.Check{check("1", 0), check("2", 1)}, true); err != nil || afresh.Hash == doc.Hash {
		t.Errorf("%v", err)
	}
	if open, err := o.Open(task, []casefile.Check{check("2", 1)}); err != nil || strings.Contains(string(open.Content), "rework") {
		t.Errorf("%s, %v", open.Content, err)
	}
}

// TestSealedExamples: the checks of the example can be sealed in its task, each for its result.
func TestSealedExamples(t *testing.T) {
	dir := filepath.Join("..", "..", "examples", "median")
	task, err := TaskFile(filepath.Join(dir, "median.task.json"))
	if err != nil {
		t.Fatal(err)
	}
	for rework, name := range []string{"hidden.check.json", "again.check.json"} {
		k, err := CheckFile(filepath.Join(dir, name))
		if err != nil || int(k.Rework) != rework {
			t.Fatalf("%s: %+v, %v", name, k, err)
		}
		if _, err := (Openings{t.TempDir()}).Open(task, []casefile.Check{k}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
