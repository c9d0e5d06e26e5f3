package sealed

import (
	"encoding/json"
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
	if hashes := Hashes(task.Value); len(hashes) != 1 || hashes[0] != *in.Sealed {
		t.Errorf("%v", hashes)
	}
	objection := casefile.Objection{Evidence: []casefile.Exhibit{{SHA256: *in.Sealed}}}
	opened, unopened := Open(task.Value, objection, func(casefile.Digest) ([]byte, bool) { return opening, true })
	if len(unopened) > 0 || opened.Expected[0].Program == nil || *opened.Expected[0].Program != *k.Program || task.Value.Expected[0].Runs() {
		t.Errorf("%v, %+v", unopened, opened)
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
		if opened, unopened := Open(casefile.Task{Expected: []casefile.Check{check}}, objection, func(casefile.Digest) ([]byte, bool) { return []byte(raw), true }); len(unopened) != 1 || opened.Expected[0].Runs() {
			t.Errorf("%s opens %+v", name, opened.Expected[0])
		}
	}
	if _, _, err := Seal(casefile.Check{Path: "", Program: &runs.CheckProgram{WASI: strings.Repeat("0", 64)}}, [32]byte{}); err == nil || !strings.Contains(err.Error(), "module") {
		t.Errorf("%v", err)
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
