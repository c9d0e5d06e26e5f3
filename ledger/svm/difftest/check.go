package difftest

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// trace is a file of recorded cases with LiteSVM's reports.
type trace struct {
	Cases   []wireCase `json:"cases"`
	Reports []Report   `json:"reports"`
}

// Agreement counts the transactions and programs that were compared and agreed. In a replay these
// are the ones of the trace.
type Agreement struct{ Transactions, Programs int }

// Check runs the cases on both sides and reports every difference as a test error. Without LiteSVM
// it ignores the given cases, and takes cases and reports from the trace of that name. Only cases
// without any difference count as agreeing.
func (j *Comparison) Check(t testing.TB, name string, cases []Case) Agreement {
	t.Helper()
	reports := make([]Report, 0, len(cases))
	if j.Live() {
		for _, c := range cases {
			r, err := j.RunLite(c)
			if err != nil {
				t.Fatal(err)
			}
			reports = append(reports, r)
		}
	} else {
		cases, reports = j.replay(t, name)
	}
	var agreed Agreement
	for i, c := range cases {
		if j.compare(t, c, reports[i]) {
			agreed.Transactions += len(c.Transactions)
			agreed.Programs += len(c.Programs)
		}
	}
	if j.options.Record && !t.Failed() {
		if err := j.record(name, cases, reports); err != nil {
			t.Fatal(err)
		}
	}
	return agreed
}

// compare runs one case here and reports whether everything agrees.
func (j *Comparison) compare(t testing.TB, c Case, want Report) bool {
	t.Helper()
	got, err := RunLocal(j.runtime, c)
	if err != nil {
		t.Error(err)
		return false
	}
	lines := Compare(c, want, got)
	for i, line := range lines {
		if i == 12 {
			t.Errorf("%s: … and %d more", c.Name, len(lines)-i)
			break
		}
		t.Errorf("%s: %s", c.Name, line)
	}
	return len(lines) == 0
}

// Recorded returns the cases of a trace and LiteSVM's reports of them, also if LiteSVM is
// installed.
func (j *Comparison) Recorded(t testing.TB, name string) ([]Case, []Report) { return j.replay(t, name) }

func (j *Comparison) path(name string) string {
	return filepath.Join(j.options.Traces, name+".json.gz")
}

func (j *Comparison) replay(t testing.TB, name string) ([]Case, []Report) {
	t.Helper()
	recorded, err := readTrace(j.path(name))
	if err != nil {
		t.Fatalf("difftest: trace %s: %v: record it with LiteSVM installed", name, err)
	}
	if len(recorded.Cases) != len(recorded.Reports) {
		t.Fatalf("difftest: trace %s has %d cases and %d reports: record it again", name, len(recorded.Cases), len(recorded.Reports))
	}
	cases := make([]Case, len(recorded.Cases))
	for i, w := range recorded.Cases {
		if cases[i], err = w.decode(); err != nil {
			t.Fatalf("difftest: trace %s: case %s: %v", name, w.Name, err)
		}
	}
	return cases, recorded.Reports
}

func readTrace(path string) (out trace, err error) {
	f, err := os.Open(path)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	z, err := gzip.NewReader(f)
	if err != nil {
		return out, err
	}
	return out, json.NewDecoder(z).Decode(&out)
}

func (j *Comparison) record(name string, cases []Case, reports []Report) (err error) {
	out := trace{Reports: reports}
	for _, c := range cases {
		out.Cases = append(out.Cases, c.encode())
	}
	if err := os.MkdirAll(j.options.Traces, 0o750); err != nil {
		return fmt.Errorf("difftest: record %s: %w", name, err)
	}
	f, err := os.Create(j.path(name))
	if err != nil {
		return fmt.Errorf("difftest: record %s: %w", name, err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	z, err := gzip.NewWriterLevel(f, gzip.BestCompression)
	if err != nil {
		return err
	}
	if err := json.NewEncoder(z).Encode(out); err != nil {
		return err
	}
	return z.Close()
}
