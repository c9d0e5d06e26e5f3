package difftest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"ojud/ledger/svm"
)

// Options are the options of a comparison.
type Options struct {
	Traces string // directory of the recorded traces
	Record bool   // write them; needs LiteSVM
}

// Comparison compares ledger/svm with LiteSVM, or with traces of it.
type Comparison struct {
	t       testing.TB
	options Options
	runtime *svm.Runtime
	child   *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

// harnessDir returns the folder of the node harness for any package of this module, because a test
// runs in the folder of its package.
func harnessDir() (string, error) {
	dir, err := os.Getwd()
	for ; err == nil; dir = filepath.Dir(dir) {
		if _, e := os.Stat(filepath.Join(dir, "go.mod")); e == nil {
			return filepath.Join(dir, "ledger", "svm", "difftest", "harness"), nil
		}
		if dir == filepath.Dir(dir) {
			err = errors.New("difftest: no go.mod above the working directory; run the test in its package's folder")
		}
	}
	return "", err
}

// New starts node if LiteSVM is installed, and logs whether the comparison is live or replays
// traces. The child ends with the test.
func New(t testing.TB, options Options) *Comparison {
	t.Helper()
	r, err := svm.New(svm.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	j := &Comparison{t: t, options: options, runtime: r}
	if err := j.start(); err != nil {
		if options.Record {
			t.Fatalf("difftest: recording needs LiteSVM: %v", err)
		}
		t.Logf("REPLAY: LiteSVM is not installed (%v); comparing with the traces recorded in %s", err, options.Traces)
		return j
	}
	t.Log("LIVE: comparing with LiteSVM (Agave's SVM) in a node child")
	t.Cleanup(j.close)
	return j
}

func (j *Comparison) start() error {
	node, err := exec.LookPath("node")
	if err != nil {
		return err
	}
	dir, err := harnessDir()
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, "node_modules", "litesvm")); err != nil {
		return err
	}
	child := exec.Command(node, "judge.js") //nolint:noctx // the child lives until Close
	child.Dir, child.Stderr = dir, os.Stderr
	in, err := child.StdinPipe()
	if err != nil {
		return err
	}
	out, err := child.StdoutPipe()
	if err != nil {
		return err
	}
	if err := child.Start(); err != nil {
		return err
	}
	j.child, j.in, j.out = child, in, bufio.NewReaderSize(out, 1<<20)
	return nil
}

// close ends the child by closing its input.
func (j *Comparison) close() {
	if err := errors.Join(j.in.Close(), j.child.Wait()); err != nil {
		j.t.Errorf("difftest: node: %v", err)
	}
}

// Live reports whether LiteSVM itself runs.
func (j *Comparison) Live() bool { return j.child != nil }

// Runtime is the runtime under test.
func (j *Comparison) Runtime() *svm.Runtime { return j.runtime }

// RunLite runs a case on LiteSVM. The comparison must be live.
func (j *Comparison) RunLite(c Case) (Report, error) { return j.ask(c, c.encode()) }

// TimeLite runs a case on LiteSVM and returns the time of its transactions there: decoding,
// signatures and execution, without the setup of the chain and without the pipe. All transactions
// must succeed. The comparison must be live.
func (j *Comparison) TimeLite(c Case) (time.Duration, error) {
	w := c.encode()
	w.Timed = true
	report, err := j.ask(c, w)
	return time.Duration(report.Elapsed), err
}

func (j *Comparison) ask(c Case, w wireCase) (Report, error) {
	line, err := json.Marshal(w)
	if err != nil {
		return Report{}, fmt.Errorf("difftest: %s: %w", c.Name, err)
	}
	if _, err := j.in.Write(append(line, '\n')); err != nil {
		return Report{}, fmt.Errorf("difftest: %s: node: %w", c.Name, err)
	}
	reply, err := j.out.ReadBytes('\n')
	if err != nil {
		return Report{}, fmt.Errorf("difftest: %s: node: %w", c.Name, err)
	}
	var report Report
	if err := json.Unmarshal(reply, &report); err != nil {
		return Report{}, fmt.Errorf("difftest: %s: node: %w", c.Name, err)
	}
	if report.Failure != "" {
		return Report{}, fmt.Errorf("difftest: %s: node: %s", c.Name, report.Failure)
	}
	return report, nil
}
