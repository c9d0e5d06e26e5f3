package verify_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/casefile/casetest"
	"ojud/casefile/verify"
	"ojud/voting"
)

// firstFile is a case file that a program of version 1 wrote, before there was a version 2.
func firstFile(t *testing.T, path string) []byte {
	t.Helper()
	packed, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := packed.Close(); err != nil {
			t.Error(err)
		}
	}()
	r, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	file, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// TestVerifyFirst: case files of version 1 verify by the rules of version 1. The devnet's demo
// wrote one of them, the tests of that time the others.
func TestVerifyFirst(t *testing.T) {
	verdicts := map[string]voting.Verdict{
		"devnet": voting.ForWorker, "minority": voting.ForWorker, "equivocation": voting.ForWorker,
		"undecided": voting.Undecided, "late": voting.Undecided, "expired": voting.Undecided,
	}
	paths, err := filepath.Glob("testdata/first/*.case.json.gz")
	if err != nil || len(paths) != len(verdicts) {
		t.Fatalf("%d files: %v", len(paths), err)
	}
	for _, path := range paths {
		name, _, _ := strings.Cut(filepath.Base(path), ".")
		r := verify.File(firstFile(t, path))
		if !r.OK() || voting.Verdict(r.Verdict) != verdicts[name] {
			t.Errorf("%s:\n%s", name, r.String())
		}
	}
}

// TestVerifyFirstForged: a file of version 1 does not pass as one of version 2, nor with other
// sums.
func TestVerifyFirstForged(t *testing.T) {
	file := firstFile(t, "testdata/first/minority.case.json.gz")
	for name, change := range map[string][2]string{
		"its format": {"oju-case/1", "oju-case/2"},
		"its seal":   {`"exported_at": `, `"exported_at": 1`},
	} {
		forged := bytes.Replace(file, []byte(change[0]), []byte(change[1]), 1)
		if r := verify.File(forged); bytes.Equal(forged, file) || r.OK() {
			t.Errorf("with %s changed it verifies:\n%s", name, r.String())
		}
	}
	forged := bytes.Replace(file, []byte("oju-case/1"), []byte("oju-case/2"), 1)
	r := verify.File(reseal(t, bundle(t, forged), casetest.NodeKey("attacker")))
	if got := r.Check(verify.CheckOpening); r.OK() || got.State != verify.Failed || got.Path != "$.format" {
		t.Errorf("resealed as version 2:\n%s", r.String())
	}
}
