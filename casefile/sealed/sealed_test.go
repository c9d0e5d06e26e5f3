package sealed

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/casefile/runs"
)

// TestSeal: a sealed check shows its path and what it settles, and nothing else; its opening has
// the rest. The same check under another salt has another seal.
func TestSeal(t *testing.T) {
	k := casefile.Check{Path: "/code", Program: &runs.CheckProgram{JavaScript: "value === 'secret'"}, Settles: []int{0}}
	in, opening, err := Seal(k, [32]byte{1})
	if err != nil {
		t.Fatal(err)
	}
	other, _, err := Seal(k, [32]byte{2})
	if err != nil || *other.Sealed == *in.Sealed {
		t.Errorf("%v, %v", other.Sealed, err)
	}
	raw, err := json.Marshal(in)
	if err != nil || strings.Contains(string(raw), "secret") || in.Path != k.Path || len(in.Settles) != 1 || in.Runs() {
		t.Errorf("%s, %v", raw, err)
	}
	task, err := casefile.NewTask(casefile.Task{Instruction: []string{"x"}, OutputSchema: []byte(`{}`), Expected: []casefile.Check{in}})
	if err != nil {
		t.Fatal(err)
	}
	if hashes := Hashes(task.Value, 0); len(hashes) != 1 || hashes[0] != *in.Sealed {
		t.Errorf("%v", hashes)
	}
	objection := casefile.Objection{Evidence: []casefile.Exhibit{{SHA256: *in.Sealed}}}
	opened := Open(task.Value, 0, objection, func(casefile.Digest) ([]byte, bool) { return opening, true })
	if got := opened.Task.Expected[0]; len(opened.Unopened) > 0 || got.Program == nil || *got.Program != *k.Program || len(got.Settles) != 1 || task.Value.Expected[0].Runs() {
		t.Errorf("%+v", opened)
	}
	if text, ok := Text(opening); !ok || text != k.Program.Text() {
		t.Errorf("%q, %v", text, ok)
	}
	// What is no opening, or another one, opens nothing.
	for name, raw := range map[string]string{
		"nothing": "", "a program alone": `{"program":{"javascript":"1"}}`, "no program": `{"salt":"` + strings.Repeat("0", 64) + `"}`,
		"a module": `{"program":{"wasi":"` + strings.Repeat("0", 64) + `"},"salt":"` + strings.Repeat("0", 64) + `"}`,
		"more":     strings.Replace(string(opening), `"salt"`, `"more":1,"salt"`, 1), "spaces": " " + string(opening),
	} {
		hash := casefile.Digest(casefile.HashOf([]byte(raw)))
		check := casefile.Check{Sealed: &hash}
		objection.Evidence[0].SHA256 = hash
		if opened := Open(casefile.Task{Expected: []casefile.Check{check}}, 0, objection, func(casefile.Digest) ([]byte, bool) { return []byte(raw), true }); len(opened.Unopened) != 1 || opened.Task.Expected[0].Runs() {
			t.Errorf("%s opens %+v", name, opened.Task.Expected[0])
		}
	}
	if _, _, err := Seal(casefile.Check{Path: "", Program: &runs.CheckProgram{WASI: strings.Repeat("0", 64)}}, [32]byte{}); err == nil || !strings.Contains(err.Error(), "module") {
		t.Errorf("%v", err)
	}
}

// TestSealedForOneResult: after a rework, the seals of the first result settle nothing, whether
// they are open or not, and those of the second do.
func TestSealedForOneResult(t *testing.T) {
	var checks []casefile.Check
	content := map[casefile.Digest][]byte{}
	objection := casefile.Objection{Reason: "It is wrong."}
	for rework := range uint8(3) {
		k, opening, err := Seal(casefile.Check{Path: "/code", Program: &runs.CheckProgram{JavaScript: "value === 'secret'"}, Rework: rework, Settles: []int{0}}, [32]byte{rework})
		if err != nil {
			t.Fatal(err)
		}
		checks, content[*k.Sealed] = append(checks, k), opening
		if rework < 2 {
			objection.Evidence = append(objection.Evidence, casefile.Exhibit{SHA256: *k.Sealed})
		}
	}
	task, err := casefile.NewTask(casefile.Task{Instruction: []string{"x"}, OutputSchema: []byte(`{}`), Expected: checks})
	if err != nil {
		t.Fatal(err)
	}
	here := func(hash casefile.Digest) ([]byte, bool) { raw, ok := content[hash]; return raw, ok }
	for reworks := range uint8(4) {
		o := Open(task.Value, reworks, objection, here)
		for i, k := range o.Task.Expected {
			mine := i == int(reworks)
			if (len(k.Settles) > 0) != mine || o.Other[i] == mine || k.Runs() != (i < 2) || (o.Unopened[i] != "") != (mine && i == 2) {
				t.Errorf("%d reworks: %d: %+v, %+v", reworks, i, k, o)
			}
		}
		if hashes := Hashes(task.Value, reworks); len(hashes) > 1 || reworks < 3 && hashes[0] != *checks[reworks].Sealed {
			t.Errorf("%d reworks: %v", reworks, hashes)
		}
	}
	delete(content, *checks[0].Sealed)
	if o := Open(task.Value, 0, objection, here); !o.Absent[0] || o.Absent[1] || !strings.Contains(o.Unopened[0], "no node has") {
		t.Errorf("%+v", o)
	}
	if got := For(checks[0]) + ", " + For(checks[2]); got != "the first result, the result of rework 2" {
		t.Error(got)
	}
	if _, err := casefile.NewTask(casefile.Task{Instruction: []string{"x"}, OutputSchema: []byte(`{}`), Expected: []casefile.Check{{Path: "", Program: &runs.CheckProgram{JavaScript: "1"}, Rework: 1}}}); err == nil || !strings.Contains(err.Error(), "rework") {
		t.Errorf("%v", err)
	}
}

// TestUnsettled: what a check sealed for an earlier result settles, open checks do not settle
// alone. A seal for this result settles it with them, and one for a later result changes nothing.
// To open the seals twice is to open them once.
func TestUnsettled(t *testing.T) {
	check := func(rework uint8, settles ...int) casefile.Check {
		return casefile.Check{Sealed: &casefile.Digest{rework}, Rework: rework, Settles: settles}
	}
	open := casefile.Check{Settles: []int{0, 1, 2}}
	for _, c := range []struct {
		seals     []casefile.Check
		reworks   uint8
		unsettled []int
		lacks     bool
		left      []int // that the open check settles
	}{
		{nil, 2, nil, false, []int{0, 1, 2}},
		{[]casefile.Check{check(0, 0)}, 0, nil, false, []int{0, 1, 2}},
		{[]casefile.Check{check(0, 0)}, 1, []int{0}, true, []int{1, 2}},
		{[]casefile.Check{check(0, 2, 0), check(1, 0)}, 1, []int{2}, false, []int{0, 1}},
		{[]casefile.Check{check(0, 0), check(1, 0)}, 3, []int{0}, true, []int{1, 2}},
		{[]casefile.Check{check(0), check(2, 1)}, 1, nil, true, []int{0, 1, 2}},
		{[]casefile.Check{check(3, 0, 1, 2)}, 2, nil, false, []int{0, 1, 2}},
	} {
		task := casefile.Task{Expected: append([]casefile.Check{open}, c.seals...)}
		o := Open(task, c.reworks, casefile.Objection{}, func(casefile.Digest) ([]byte, bool) { return nil, false })
		again := Open(o.Task, c.reworks, casefile.Objection{}, func(casefile.Digest) ([]byte, bool) { return nil, false })
		if !slices.Equal(o.Unsettled, c.unsettled) || o.Lacks != c.lacks || !slices.Equal(o.Task.Expected[0].Settles, c.left) || !slices.Equal(again.Task.Expected[0].Settles, c.left) || len(open.Settles) != 3 {
			t.Errorf("%d reworks, %+v: %v, %t, %v", c.reworks, c.seals, o.Unsettled, o.Lacks, o.Task.Expected[0].Settles)
		}
	}
}

// TestSealedAlone: a sealed check has nothing beside it that would give it away or change it.
func TestSealedAlone(t *testing.T) {
	for check, good := range map[string]bool{
		`"sealed":"` + strings.Repeat("0", 64) + `"`:               true,
		`"sealed":"` + strings.Repeat("0", 64) + `","settles":[0]`: true,
		`"sealed":"x"`: false,
		`"sealed":"` + strings.Repeat("0", 64) + `","count":1`:                                   false,
		`"sealed":"` + strings.Repeat("0", 64) + `","program":{"javascript":"1"}`:                false,
		`"sealed":"` + strings.Repeat("0", 64) + `","data":{"data_source":"x.y","request":null}`: false,
	} {
		_, err := casefile.ParseTask([]byte(`{"instruction":["x"],"output_schema":{},"expected":[{"path":"",` + check + `}]}`))
		if (err == nil) != good {
			t.Errorf("%s: %v", check, err)
		}
	}
}

// FuzzOpen: whatever a party sealed, it is an opening that runs, or none.
func FuzzOpen(f *testing.F) {
	_, opening, err := Seal(casefile.Check{Program: &runs.CheckProgram{JavaScript: "true"}}, [32]byte{})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(opening)
	f.Add([]byte(`{"salt":"0"}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		o, err := read(raw)
		if err == nil && (o.Program == nil) == (o.Tests == nil) {
			t.Fatalf("%+v", o)
		}
	})
}
