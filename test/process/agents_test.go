package process

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"ojud/agent/audit"
	"ojud/agent/delegation"
	reserved "ojud/agent/delegation/keep"
	core "ojud/agent/host"
	"ojud/agent/host/attest"
	"ojud/agent/host/door"
	"ojud/agent/host/keep"
	"ojud/agent/host/shell"
	"ojud/casefile"
	"ojud/test/longtest"
)

// agentHost is a home of an agent host, and the process that runs it.
type agentHost struct {
	t    testing.TB
	home string
	cmd  *exec.Cmd
	says *bytes.Buffer
	// public is the address of its agents for other machines, without the agent.
	public  string
	environ []string // of the host, beside that of the test
}

// newAgentHost makes a home with these files in the folder agents.
func newAgentHost(t testing.TB, files map[string]string) *agentHost {
	t.Helper()
	h := &agentHost{t: t, home: t.TempDir()}
	folder := filepath.Join(h.home, shell.Folder)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		if h.cmd != nil {
			h.kill()
		}
	})
	return h
}

// start starts the host and waits until it serves.
func (h *agentHost) start(flags ...string) *door.Guest {
	h.t.Helper()
	api := filepath.Join(h.home, shell.Folder, "api")
	if err := os.Remove(api); err != nil && !errors.Is(err, os.ErrNotExist) {
		h.t.Fatal(err)
	}
	h.says = &bytes.Buffer{}
	h.cmd = exec.Command(built(h.t), append([]string{"agents", "run", "--home", h.home, "--json"}, flags...)...)
	h.cmd.Stderr, h.cmd.Env = h.says, append(os.Environ(), h.environ...)
	out, err := h.cmd.StdoutPipe()
	if err != nil {
		h.t.Fatal(err)
	}
	if err := h.cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	var at struct{ URL, Public string }
	if err := json.NewDecoder(out).Decode(&at); err != nil {
		h.kill()
		h.t.Fatalf("the agent host does not start: %v: %s", err, h.says)
	}
	h.public = strings.TrimSuffix(at.Public, "/ID/CAPABILITY")
	g, err := door.Open(h.home)
	if err != nil {
		h.t.Fatal(err)
	}
	return g
}

// kill kills the host, and nothing else.
func (h *agentHost) kill() {
	if err := h.cmd.Process.Kill(); err != nil {
		h.t.Error(err)
	}
	_ = h.cmd.Wait() // it was killed
	h.cmd = nil
}

// worker writes down each call before it does it, so that a second time can be seen.
const worker = `#!/bin/sh
n=$(sed 's/.*"payload":\([0-9]*\).*/\1/')
echo $n >> done.txt
case $n in *3) sleep 0.05 ;; esac
echo "\"did $n\""
`

const workerFile = `[mind]
kind = "executable"
run = ["./worker.sh"]
[[capabilities]]
name = "do"
[limits]
concurrent = 8
time = "20s"
`

// client calls an agent again and again, and repeats a call that broke off.
type client struct {
	mu     sync.Mutex
	guest  *door.Guest
	ended  map[int]string // status of each call that was told
	learnt []string       // acknowledged memories
}

// number is a call. Each fifth one has a budget of its own, which is reserved and settled.
func number(n int) attest.Commission {
	c := attest.Commission{Target: "agent://worker/do", Payload: json.RawMessage(strconv.Itoa(n)), Correlation: fmt.Sprint("n", n)}
	if n%5 == 0 {
		budget := int64(100)
		c.Tokens = &budget
	}
	return c
}

// settled reads the audit logs of a host, and reports how many calls were admitted under a budget.
// Each was admitted once and settled once, however often the host was killed.
func settled(t *testing.T, h *agentHost, kills int) (admitted int) {
	t.Helper()
	if out, err := exec.Command(built(t), "agent", "audit", "verify", "--home", h.home).CombinedOutput(); err != nil {
		t.Errorf("the audit logs: %v: %s", err, out)
	}
	files, err := filepath.Glob(filepath.Join(h.home, "audit", "*.audit"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d audit logs, %v", len(files), err)
	}
	times := map[string]map[string]int{"admitted": {}, "settled": {}}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(raw) {
			var entry struct{ Act struct{ Call, Result string } }
			if err := json.Unmarshal(line, &entry); err != nil {
				t.Fatal(err)
			}
			if times[entry.Act.Result] != nil {
				times[entry.Act.Result][entry.Act.Call]++
			}
		}
	}
	calls := maps.Clone(times["admitted"])
	maps.Copy(calls, times["settled"])
	lost := 0
	for call := range calls {
		admitted, settled := times["admitted"][call], times["settled"][call]
		if admitted > 1 || settled > 1 {
			t.Errorf("call %s was admitted %d times and settled %d times", call, admitted, settled)
		}
		if admitted != settled {
			lost++
		}
	}
	t.Logf("%d calls with a budget; %d lines lost by %d kills", len(calls), lost, kills)
	if lost > 0 {
		t.Errorf("%d calls lack a line", lost)
	}
	return len(times["admitted"])
}

// work makes calls from a number on, until ctx ends.
func (c *client) work(ctx context.Context, t *testing.T, from, step int) {
	for n := from; ctx.Err() == nil; {
		c.mu.Lock()
		guest := c.guest
		c.mu.Unlock()
		a, attested, err := guest.Invoke(ctx, number(n), casefile.DID{})
		if err == nil && a.Status == core.OK != attested {
			t.Errorf("call %d: %s, attested %t", n, a.Status, attested)
		}
		if err != nil {
			var refused *core.Refused
			if errors.As(err, &refused) {
				t.Errorf("call %d: %v", n, err)
				return
			}
			select { // the host is gone; another one comes
			case <-ctx.Done():
			case <-time.After(2 * time.Millisecond):
			}
			continue
		}
		c.mu.Lock()
		c.ended[n] = a.Status
		c.mu.Unlock()
		if n%7 == 0 {
			var done struct{ Done bool }
			when := fmt.Sprint("lesson ", n)
			if guest.Use(ctx, "agent.learn", map[string]string{"agent": "worker", "when": when, "then": "x"}, &done) == nil {
				c.mu.Lock()
				c.learnt = append(c.learnt, when)
				c.mu.Unlock()
			}
		}
		n += step
	}
}

// unread is an audit log that takes nothing.
type unread struct{}

// Append implements keep.Logbook.
func (unread) Append(audit.AgentInvoke) error { return nil }

// Complete implements keep.Logbook.
func (unread) Complete(audit.AgentInvoke) error { return nil }

// twice returns the calls that a worker did more than once.
func twice(t *testing.T, h *agentHost) (again []int) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(h.home, shell.Folder, "work", "worker", "done.txt"))
	if err != nil {
		t.Fatal(err)
	}
	times := map[string]int{}
	for _, line := range strings.Fields(string(raw)) {
		if times[line]++; times[line] == 2 {
			n, err := strconv.Atoi(line)
			if err != nil {
				t.Fatal(err)
			}
			again = append(again, n)
		}
	}
	return again
}

// TestAgentHostKill kills an agent host with -9 at random points, while clients call, and starts it
// again. No call that was told changes its end, no acknowledged memory is missing, no call is done
// twice, no budget is given back twice, and none stays reserved. It kills 25
// times if long tests are wanted, otherwise 4, and with AGENT_HOST_KILLS=500 as often as that.
func TestAgentHostKill(t *testing.T) {
	longtest.Only(t)
	if testing.Short() {
		t.Log("NOT RUN: -short, no agent host was killed")
		return
	}
	t.Parallel()
	kills := 4
	if longtest.Wanted() {
		kills = 25
	}
	if n, err := strconv.Atoi(os.Getenv("AGENT_HOST_KILLS")); err == nil {
		kills = n
	}
	h := newAgentHost(t, map[string]string{"worker.sh": worker, "worker.toml": workerFile})
	c := &client{guest: h.start(), ended: map[int]string{}}
	ctx, stop := context.WithCancel(t.Context())
	var clients sync.WaitGroup
	for i := range 4 {
		clients.Go(func() { c.work(ctx, t, i, 4) })
	}
	for range kills {
		<-time.After(time.Duration(20+rand.IntN(250)) * time.Millisecond) // a random point
		h.kill()
		guest := h.start()
		c.mu.Lock()
		c.guest = guest
		c.mu.Unlock()
	}
	<-time.After(100 * time.Millisecond) // the last host answers, too
	stop()
	clients.Wait()
	interrupted, last := 0, slices.Max(slices.Collect(maps.Keys(c.ended)))
	for n, status := range c.ended {
		if status == "interrupted" {
			interrupted++
		}
		if n < last-800 {
			continue // the host keeps the last 1,000 of an agent
		}
		if a, _, err := c.guest.Invoke(t.Context(), number(n), casefile.DID{}); err != nil || a.Status != status {
			t.Errorf("call %d was told %s, and is %s now: %v", n, status, a.Status, err)
		}
	}
	if again := twice(t, h); len(again) != 0 {
		t.Errorf("done twice: %v", again)
	}
	var known []keep.Recollection
	if err := c.guest.Use(t.Context(), "agent.recall", map[string]any{"agent": "worker", "kind": "pattern", "limit": 100}, &known); err != nil {
		t.Fatal(err)
	}
	latest := c.learnt[max(0, len(c.learnt)-50):]
	for _, when := range latest {
		if !slices.ContainsFunc(known, func(r keep.Recollection) bool { return r.When == when }) {
			t.Errorf("%q was learned and is forgotten", when)
		}
	}
	t.Logf("%d kills, %d calls told, %d of them interrupted, %d memories; nothing lost, nothing twice", kills, len(c.ended), interrupted, len(c.learnt))
	if len(c.ended) < 3*kills {
		t.Errorf("%d calls were told: too few to mean anything", len(c.ended))
	}
	done := last
	for n, status := range c.ended {
		if status == core.OK {
			done = min(n, done)
		}
	}
	again := number(done) // a control: the same work under another name is done again, and this test sees it
	again.Correlation = "another"
	if _, _, err := c.guest.Invoke(t.Context(), again, casefile.DID{}); err != nil || !slices.Equal(twice(t, h), []int{done}) {
		t.Errorf("call %d was made twice, and that is not seen: %v, %v", done, twice(t, h), err)
	}
	h.kill()
	h.start() // it settles what the last one left behind
	if admitted := settled(t, h, kills); admitted < kills/2 {
		t.Errorf("%d calls had a budget: too few to mean anything", admitted)
	}
	h.kill()
	k, err := reserved.Open(filepath.Join(h.home, "delegations"), time.Now, func(delegation.Principal) bool { return false }, unread{})
	if err != nil {
		t.Fatal(err)
	}
	if open := k.Open(); len(open) != 0 {
		t.Errorf("%d budgets are reserved for calls that are over", len(open))
	}
	if err := k.Close(); err != nil {
		t.Error(err)
	}
}

// TestAgentsDocument types the commands of docs/agents.md, in order.
func TestAgentsDocument(t *testing.T) {
	longtest.Only(t)
	if testing.Short() {
		t.Log("NOT RUN: -short, the commands of docs/agents.md were not typed")
		return
	}
	t.Parallel()
	text, err := os.ReadFile("../../docs/agents.md")
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	environ := append(os.Environ(), "HOME="+home, "PATH="+filepath.Dir(built(t))+":"+os.Getenv("PATH"))
	said := ""
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		if strings.HasPrefix(block[1], "ojud agents run") {
			h := &agentHost{t: t, home: filepath.Join(home, "host")}
			h.start()
			t.Cleanup(h.kill)
			continue
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		cmd := exec.CommandContext(ctx, "/bin/sh", "-e", "-c", block[1])
		cmd.Env = environ
		out, err := cmd.CombinedOutput()
		cancel()
		if err != nil {
			t.Fatalf("%s\n%s\n%v", block[1], out, err)
		}
		said += string(out)
	}
	for _, want := range []string{"and none is wrong", `{"words":6}`, `"attested":true`, "a text in Japanese", `{"words":2}`, "it is terminated",
		`{"words":3}`, "verified", "head ", `"ojud-delegation/1"`, `asks         "two words"`, "answer       yes", "I think of a greeting.", `"Good morning"`, `result 1  "an owl"`, `minion 2  {"words":2}`} {
		if !strings.Contains(said, want) {
			t.Errorf("the commands of docs/agents.md do not show %q: %s", want, said)
		}
	}
	if n := strings.Count(said, `"correlation_id":"order-17"`); n != 2 {
		t.Errorf("the call with a name was told %d times", n)
	}
}

// TestThousandAgents measures a host with a thousand agents, 990 of which are dormant, and how long
// a dormant agent takes to answer.
func TestThousandAgents(t *testing.T) {
	longtest.Only(t)
	files := map[string]string{"worker.sh": worker}
	file := strings.ReplaceAll(workerFile, "[mind]", "idle = \"24h\"\n[mind]")
	for n := range 1_000 {
		files[fmt.Sprintf("worker-%d.toml", n)] = file
	}
	h := newAgentHost(t, files)
	g := h.start()
	call := func(n int) time.Duration {
		began := time.Now()
		a, _, err := g.Invoke(t.Context(), attest.Commission{Target: fmt.Sprintf("worker-%d/do", n), Payload: json.RawMessage("1")}, casefile.DID{})
		if err != nil || a.Status != core.OK {
			t.Fatalf("%+v, %v", a, err)
		}
		return time.Since(began)
	}
	var done struct{ Done bool }
	var woke []time.Duration
	for n := range 1_000 { // each agent has lived
		if n%10 == 0 {
			woke = append(woke, call(n))
		}
		if n >= 10 {
			if err := g.Use(t.Context(), "agent.hibernate", map[string]string{"agent": fmt.Sprint("worker-", n)}, &done); err != nil {
				t.Fatal(err)
			}
		}
	}
	for n := range 10 {
		call(n)
	}
	var all []core.Portrait
	if err := g.Use(t.Context(), "agent.list", struct{}{}, &all); err != nil {
		t.Fatal(err)
	}
	dormant := 0
	for _, a := range all {
		if a.Life == core.Dormant {
			dormant++
		}
	}
	slices.Sort(woke)
	size := resident(t, h.cmd.Process.Pid)
	t.Logf("%d agents, %d dormant: %d MiB; a dormant agent answers in %s (median), %s (worst)", len(all), dormant, size>>20, woke[len(woke)/2], woke[len(woke)-1])
	if len(all) != 1_000 || dormant != 990 || size > 200<<20 {
		t.Errorf("%d agents, %d dormant, %d MiB; at most 200", len(all), dormant, size>>20)
	}
	if woke[len(woke)/2] > 200*time.Millisecond {
		t.Errorf("a dormant agent answers in %s; at most 200ms", woke[len(woke)/2])
	}
}

// resident returns the memory of a process in bytes. Where it cannot be read, it is 0, and the test
// says so.
func resident(t *testing.T, pid int) int {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Logf("NOT RUN: the memory of a process cannot be read here: %v", err)
		return 0
	}
	m := regexp.MustCompile(`VmRSS:\s+(\d+) kB`).FindSubmatch(raw)
	if m == nil {
		t.Fatalf("%s", raw)
	}
	n, err := strconv.Atoi(string(m[1]))
	if err != nil {
		t.Fatal(err)
	}
	return n << 10
}
