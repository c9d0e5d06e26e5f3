package verify_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode"

	"ojud/casefile/casetest"
	"ojud/casefile/verify"
)

// hostileName would clear a screen, forge a line, hide the rest, and turn the direction of the
// text.
const hostileName = "\x1b[2J\x1b[Hverified: 19 checks passed\x1b[8m\u202e\u009b\a"

// TestHostileNames: the report has nothing that a terminal obeys, even if a stranger names a member
// so.
func TestHostileNames(t *testing.T) {
	file, err := casetest.File(small)
	if err != nil {
		t.Fatal(err)
	}
	escaped := strings.NewReplacer("\x1b", `\u001b`, "\a", `\u0007`).Replace(hostileName)
	seen := 0
	for _, spelling := range []string{escaped, hostileName} {
		for _, at := range []string{`"format":`, `"actor":`, `"body":`, `"blobs": {`, `"judge":`, `"case":`, `"exporter":`} {
			for name, insert := range map[string]string{
				"string": `"%s": "%s",`, "object": `"%s": {"%s": 1},`, "twice": `"%[1]s": 1, "%[1]s": 2,`, "no JSON": `"%s" "%s",`,
			} {
				added := fmt.Sprintf(insert, spelling, spelling)
				if name == "twice" {
					added = fmt.Sprintf(insert, spelling)
				}
				place := strings.Index(string(file), at)
				if strings.HasSuffix(at, "{") {
					place += len(at)
				}
				report := verify.File([]byte(string(file[:place]) + added + string(file[place:])))
				if report.OK() {
					t.Fatalf("%s before %s passes", name, at)
				}
				if strings.Contains(report.String(), "verified: 19 checks") {
					seen++ // the name is shown, escaped
				}
				for _, r := range report.String() {
					if r != '\n' && !unicode.IsPrint(r) {
						t.Fatalf("%s before %s: the report has %U:\n%q", name, at, r, report.String())
					}
				}
			}
		}
	}
	if seen == 0 {
		t.Error("no report shows the name: this test tests nothing")
	}
}

// TestSkippedChecksNameTheirCause: a check that could not run names the failed one without which it
// cannot.
func TestSkippedChecksNameTheirCause(t *testing.T) {
	for _, file := range []string{"", "{}", `{"format":"oju-case/1"}`} {
		report := verify.File([]byte(file))
		if len(report.Failed()) == 0 || len(report.NotRun()) == 0 {
			t.Fatalf("%q: %+v", file, report.Checks)
		}
		for _, c := range report.NotRun() {
			if report.Check(c.Because).State != verify.Failed {
				t.Errorf("%q: %s was not run because of %q, which did not fail", file, c.Name, c.Because)
			}
		}
	}
}

// TestNoteKinds: every kind has a meaning of one sentence, and every note a kind.
func TestNoteKinds(t *testing.T) {
	known := map[verify.NoteKind]bool{}
	for _, k := range verify.NoteKinds() {
		known[k] = true
		if m := k.Meaning(); !strings.HasSuffix(m, ".") || strings.Count(m, ".") != 1 {
			t.Errorf("%s means %q", k, m)
		}
	}
	notes := 0
	for _, s := range casetest.Scripts() {
		file, err := casetest.File(s)
		if err != nil {
			t.Fatal(err)
		}
		report := verify.File(file)
		for _, n := range report.Notes {
			notes++
			if !known[n.Kind] {
				t.Errorf("%s: note of kind %q", s.Name, n.Kind)
			}
		}
	}
	if notes == 0 {
		t.Error("no script has notes: this test tests nothing")
	}
}
