package process

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ojud/test/longtest"
)

// TestJoinCourtOf28 starts a devnet of 28 judges. A second process joins with one command and is
// drawn in the next case. It votes with the majority, earns, exports a case file that verifies, and
// ends in order after a signal.
func TestJoinCourtOf28(t *testing.T) {
	longtest.Only(t)
	if testing.Short() {
		t.Log("NOT RUN: -short, no judge joined a court of 28 nodes")
		return
	}
	t.Parallel()
	w := newProcesses(t)
	w.chain = w.process("chain", "devnet", "--fast", "--data", filepath.Join(w.dir, "court"), "--rpc-port", fmt.Sprint(w.rpc), "--p2p-port", fmt.Sprint(w.p2p))
	w.until("28 judges", func() bool { return w.roster() == 28 })

	// The draw goes by stake, without replacement, and leaves out one of 29. A seat weighs at most
	// 10 SOL, five times the others' stake. With that it is left out in one case of 33!/(28!·5!) =
	// 237,336. With the least stake it would be one in six.
	me := w.join("--stake", "10sol")
	w.until("29 judges with a weight", func() bool { return w.roster() == 29 })
	task := w.dispute()
	w.until("the verdict", func() bool { return w.look(task).Status == "decided" })
	w.seated(task, me)
	w.export(task, me)

	w.terminate(w.judges[0])
	if _, err := os.Stat(filepath.Join(w.home(0), "api")); err == nil {
		t.Error("the node left its file api behind")
	}
	w.terminate(w.chain)
}

// self holds the fields that the test reads from "judge status".
type self struct {
	Judge  string `json:"judge"`
	NodeID string `json:"agent_id"`
	State  string `json:"state"`
	Record struct {
		Seated   int `json:"seated"`
		Majority int `json:"majority"`
	} `json:"record"`
}

// roster returns the number of judges of the court, or 0 if it is unknown, or if one of them waits
// for the next season.
func (w *processes) roster() int {
	out, err := w.run("judge", "list", "--json")
	if err != nil || strings.Contains(out, `"weight":"0"`) {
		return 0
	}
	return strings.Count(out, "\n")
}

// join starts a judge's process and waits until it is on the roster and its node is healthy.
func (w *processes) join(flags ...string) (s self) {
	w.t.Helper()
	w.judges = append(w.judges, w.process("judge0", append([]string{"join", w.url, "--home", w.home(0)}, flags...)...))
	w.until("a judge more", func() bool {
		w.show(&s, "judge", "status", "--home", w.home(0))
		return s.State == "active"
	})
	w.until("its node is well", w.well)
	return s
}

// well asks /healthz as the README shows.
func (w *processes) well() bool {
	at, err := os.ReadFile(filepath.Join(w.home(0), "api"))
	if err != nil {
		return false
	}
	ask, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, "http://"+strings.TrimSpace(string(at))+"/healthz", nil)
	if err != nil {
		w.t.Fatal(err)
	}
	r, err := (&http.Client{Timeout: 5 * time.Second}).Do(ask)
	if err != nil {
		return false
	}
	if err := r.Body.Close(); err != nil {
		w.t.Error(err)
	}
	return r.StatusCode == http.StatusOK
}

// seated checks that the judge sat in a case of 28, and checks its result.
func (w *processes) seated(task string, me self) {
	w.t.Helper()
	var c struct {
		Verdict string `json:"verdict"`
		Seats   []struct {
			Judge  string `json:"judge"`
			Weight uint64 `json:"weight,string"`
			Choice string `json:"choice"`
			Result string `json:"result"`
			Earned uint64 `json:"earned,string"`
		} `json:"seats"`
	}
	w.show(&c, "case", "show", task)
	if c.Verdict != "accept" || len(c.Seats) != 28 {
		w.t.Errorf("verdict %s of %d seats, want accept of 28", c.Verdict, len(c.Seats))
	}
	drawn := false
	for _, s := range c.Seats {
		if s.Judge != me.Judge {
			continue
		}
		// Each vote earns one pay, whatever it weighs.
		drawn = true
		if s.Weight != 10_000_000_000 || s.Choice != "accept" || s.Result != "majority" || s.Earned != 500_000 {
			w.t.Errorf("its seat: %+v", s)
		}
	}
	if !drawn {
		w.t.Fatalf("%s was not drawn into %+v", me.Judge, c.Seats)
	}
	if w.show(&me, "judge", "status", "--home", w.home(0)); me.Record.Seated != 1 || me.Record.Majority != 1 {
		w.t.Errorf("its record: %+v", me.Record)
	}
}

// export takes the case file from the judge's own node, and checks that it verifies and names the
// judge.
func (w *processes) export(task string, me self) {
	w.t.Helper()
	file := filepath.Join(w.dir, "x.case.json")
	w.must("case", "export", task, "--home", w.home(0), "--output", file)
	w.must("case", "verify", file)
	w.must("case", "verify", file, "--chain")
	raw, err := os.ReadFile(file)
	if err != nil {
		w.t.Fatal(err)
	}
	if !strings.Contains(string(raw), me.NodeID) {
		w.t.Errorf("the case file does not name %s", me.NodeID)
	}
}

// terminate sends SIGTERM to a process and checks that it ends soon, with 0.
func (w *processes) terminate(c *exec.Cmd) {
	w.t.Helper()
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		w.t.Fatal(err)
	}
	late := time.AfterFunc(20*time.Second, func() {
		if err := c.Process.Kill(); err != nil {
			w.t.Errorf("kill: %v", err)
		}
	})
	defer late.Stop()
	if err := c.Wait(); err != nil {
		w.t.Errorf("%v ended on SIGTERM with %v", c.Args, err)
	}
}
