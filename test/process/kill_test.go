package process

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ojud/test/longtest"
)

// processes is a court of real processes. One runs the chain and some nodes. Each other judge has
// its own.
type processes struct {
	t      *testing.T
	dir    string
	binary string
	url    string
	rpc    int
	p2p    int
	chain  *exec.Cmd
	judges []*exec.Cmd
	begin  func(*exec.Cmd) error // starts a process; nil: on this machine's network
	env    []string              // for its processes, besides this one's environment
	quit   context.Context       // ends the commands; nil: the end of the test does
}

// TestKill kills the process of the chain and that of a judge with -9 in the commit phase and again
// in the reveal phase, and restarts them. No vote may be lost, no judge may vote twice, and the
// case settles with a file that verifies.
func TestKill(t *testing.T) {
	longtest.Only(t)
	if testing.Short() {
		t.Log("NOT RUN: -short, real processes were not killed")
		return
	}
	t.Parallel()
	w := newProcesses(t)
	w.startChain()
	for i := range 4 {
		w.judges = append(w.judges, nil)
		w.startJudge(i)
	}
	w.until("eight judges", func() bool { return w.roster() == 8 })
	task := w.dispute()

	w.until("commits", func() bool { c := w.look(task); return c.Status == "commit" && c.Committed >= 7 })
	w.kill(w.chain)
	w.kill(w.judges[0])
	w.startChain()
	w.startJudge(0)

	// After a committed judge dies, the reveal stays open until it is back, or until others reveal
	// its vote.
	w.kill(w.judges[1])
	w.until("six reveals", func() bool { c := w.look(task); return c.Status == "reveal" && c.Revealed >= 6 })
	w.kill(w.chain)
	w.kill(w.judges[2])
	w.startJudge(1)
	w.startJudge(2)
	w.startChain()

	w.until("the verdict", func() bool { c := w.look(task); return c.Status == "decided" })
	w.judge(task)
}

// judge checks how the case ended.
func (w *processes) judge(task string) {
	w.t.Helper()
	c := w.look(task)
	majority, absent := 0, 0
	for _, s := range c.Seats {
		switch s.Result {
		case "majority":
			majority++
		case "absent":
			absent++
		default:
			w.t.Errorf("judge %s: %s", s.Judge, s.Result)
		}
	}
	if c.Verdict != "accept" || majority != 7 || absent != 1 {
		w.t.Errorf("verdict %s, %d with the majority, %d absent; want accept, 7 and 1", c.Verdict, majority, absent)
	}
	file := filepath.Join(w.dir, "x.case.json")
	w.until("a case file that verifies", func() bool {
		if _, err := w.run("case", "export", task, "--home", w.home(1), "--output", file); err != nil {
			return false
		}
		_, err := w.run("case", "verify", file)
		return err == nil
	})
	raw, err := os.ReadFile(file)
	if err != nil {
		w.t.Fatal(err)
	}
	raw[len(raw)/2] ^= 1
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		w.t.Fatal(err)
	}
	var exit *exec.ExitError
	if out, err := w.run("case", "verify", file); !errors.As(err, &exit) || exit.ExitCode() != 3 {
		w.t.Errorf("a changed byte: %v\n%s", err, out)
	}
}

func newProcesses(t *testing.T) *processes {
	t.Helper()
	w := &processes{t: t, dir: t.TempDir(), rpc: freePort(t), p2p: freePort(t)}
	w.binary, w.url = built(t), fmt.Sprintf("http://127.0.0.1:%d/network.json", w.rpc)
	t.Cleanup(func() {
		for _, c := range append(w.judges, w.chain) {
			w.kill(c)
		}
	})
	return w
}

// Ports for processes that start again at the same address. The system gives none of them to a
// connection or to a listener on port 0, so no other test takes one while its process is down.
const (
	firstPort = 10_000
	pastPorts = 32_000
)

// freePort returns a port that was free a moment ago, and so was the next one.
func freePort(t *testing.T) int {
	t.Helper()
	for range 100 {
		port := firstPort + rand.IntN(pastPorts-firstPort)
		if isFree(t, port) && isFree(t, port+1) {
			return port
		}
	}
	t.Fatal("no two free ports in a row")
	return 0
}

func isFree(t *testing.T, port int) bool {
	t.Helper()
	l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return false
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return true
}

func (w *processes) home(i int) string { return filepath.Join(w.dir, fmt.Sprint("judge", i)) }

// process starts a process. Its output is shown if the test fails.
func (w *processes) process(name string, args ...string) *exec.Cmd {
	w.t.Helper()
	cmd := exec.Command(w.binary, args...)
	cmd.Env = append(os.Environ(), w.env...)
	log, err := os.OpenFile(filepath.Join(w.dir, name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		w.t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = log, log
	if err := errors.Join(w.start(cmd), log.Close()); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		if raw, err := os.ReadFile(filepath.Join(w.dir, name+".log")); err == nil && w.t.Failed() {
			w.t.Logf("%s:\n%s", name, tail(raw))
		}
	})
	return cmd
}

func (w *processes) start(cmd *exec.Cmd) error {
	if w.begin != nil {
		return w.begin(cmd)
	}
	return cmd.Start()
}

func tail(raw []byte) []byte { return raw[max(0, len(raw)-4000):] }

// startChain starts the chain with three nodes and one absent judge, so that the commit phase lasts
// to its end.
func (w *processes) startChain() {
	w.t.Helper()
	w.chain = w.process("chain", "devnet", "--fast", "--commit", "30s", "--reveal", "40s", "--nodes", "4", "--absent", "1",
		"--data", filepath.Join(w.dir, "court"), "--rpc-port", fmt.Sprint(w.rpc), "--p2p-port", fmt.Sprint(w.p2p))
	w.until("network.json", func() bool {
		_, err := w.run("judge", "list", "--network", w.url)
		return err == nil
	})
}

// startJudge joins the court. If the home exists, it starts the node again, even if the chain is
// down.
func (w *processes) startJudge(i int) {
	w.t.Helper()
	if _, err := os.Stat(filepath.Join(w.home(i), "network.json")); err == nil {
		w.judges[i] = w.process(fmt.Sprint("judge", i), "run", "--home", w.home(i), "--log-level", "info")
		return
	}
	w.judges[i] = w.process(fmt.Sprint("judge", i), "join", w.url, "--home", w.home(i), "--log-level", "info")
}

// kill ends a process with SIGKILL.
func (w *processes) kill(c *exec.Cmd) {
	w.t.Helper()
	if c == nil || c.ProcessState != nil {
		return
	}
	if err := c.Process.Kill(); err != nil {
		w.t.Errorf("kill: %v", err)
	}
	var exit *exec.ExitError
	if err := c.Wait(); !errors.As(err, &exit) {
		w.t.Errorf("a process that was killed: %v", err)
	}
}

// run runs a command and waits for its end.
func (w *processes) run(args ...string) (string, error) {
	cmd := w.command(args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := w.start(cmd)
	if err == nil {
		err = cmd.Wait()
	}
	return out.String(), err
}

// command returns the process for a command that a person would type.
func (w *processes) command(args ...string) *exec.Cmd {
	ctx := w.quit
	if ctx == nil {
		ctx = w.t.Context()
	}
	cmd := exec.CommandContext(ctx, w.binary, args...)
	cmd.Env = append(append(os.Environ(), w.env...), "OJUD_NETWORK="+w.url, "OJUD_HOME="+filepath.Join(w.dir, "person"))
	return cmd
}

// must runs a command and checks that it succeeds.
func (w *processes) must(args ...string) {
	w.t.Helper()
	if out, err := w.run(args...); err != nil {
		w.t.Fatalf("ojud %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// show reads a command's JSON. It ignores failures, because the chain may be down.
func (w *processes) show(into any, args ...string) {
	cmd := w.command(append(args, "--json")...)
	var out bytes.Buffer
	cmd.Stdout = &out
	if w.start(cmd) == nil && cmd.Wait() == nil {
		if err := json.Unmarshal(out.Bytes(), into); err != nil {
			w.t.Fatalf("ojud %v: %v in %s", args, err, out.String())
		}
	}
}

// shownCase holds the fields that the test reads from "case show --json".
type shownCase struct {
	Status    string `json:"status"`
	Verdict   string `json:"verdict"`
	Committed int    `json:"committed"`
	Revealed  int    `json:"revealed"`
	Seats     []struct {
		Judge  string `json:"judge"`
		Result string `json:"result"`
	} `json:"seats"`
}

func (w *processes) look(task string) (c shownCase) {
	w.show(&c, "case", "show", task)
	return c
}

// patience is how long a test waits for a condition that has no limit of its own. Much less is
// enough on a quiet machine.
const patience = 3 * time.Minute

// until waits for a condition, at most for patience.
func (w *processes) until(what string, ok func() bool) {
	w.t.Helper()
	if !holds(patience, ok) {
		w.t.Fatalf("not in %s: %s", patience, what)
	}
}

// holds reports whether a condition becomes true within limit. It polls, because real processes
// send no signal when they are ready. Most polls start a process, so it rests four times as long as
// a poll took.
func holds(limit time.Duration, ok func() bool) bool {
	for end := time.Now().Add(limit); ; {
		began := time.Now()
		if ok() {
			return true
		}
		if began.After(end) {
			return false
		}
		<-time.After(max(100*time.Millisecond, 4*time.Since(began)))
	}
}

// dispute brings the seed's task before the court.
func (w *processes) dispute() (task string) { return w.bring("eleptiger") }

// bring brings one of the examples before the court, as two people would do it.
func (w *processes) bring(example string) (task string) {
	w.t.Helper()
	creator, worker, files := filepath.Join(w.dir, "creator.json"), filepath.Join(w.dir, "worker.json"), "../../examples/"+example+"/"
	for _, key := range []string{creator, worker} {
		w.must("agent", "register", "--create-key", "--airdrop", "--deposit", "5sol", "--key", key)
	}
	var created struct {
		Task struct {
			Task string `json:"task"`
		} `json:"task"`
	}
	w.show(&created, "task", "create", files+example+".task.json", "--reward", "1sol", "--key", creator)
	task = created.Task.Task
	if task == "" {
		w.t.Fatal("no task was created")
	}
	w.must("task", "claim", task, "--start", "--yes", "--key", worker)
	w.must("task", "submit", task, files+"good.result.json", "--key", worker)
	w.must("task", "object", task, "--file", files+"untrue.objection.json", "--key", creator)
	w.must("task", "counter-object", task, "--file", files+"counter.json", "--key", worker)
	return task
}
