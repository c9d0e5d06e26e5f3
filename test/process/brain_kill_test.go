package process

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/test/longtest"
)

// brainWorker is a process of "ojud brain work" whose requests to the chain pass through this test.
type brainWorker struct {
	b         *brainCourt
	name, key string
	role      string
	rpc       string
	cmd       *exec.Cmd
	leaves    bool // --leave
	stays     bool // dead, when it is killed before it posts
	hits      chan<- hit

	mu    sync.Mutex
	armed []string // "before commit_result", "after commit_result"
}

// hit is a step at which a process waits to be killed. It goes on, without an answer, when done is
// closed.
type hit struct {
	worker *brainWorker
	step   string
	done   chan struct{}
}

// steps are the instructions at which an agent is killed.
func steps(t *testing.T) map[string][]byte {
	t.Helper()
	p, at := brain.Devnet(), onchain.Address{}
	out := map[string][]byte{}
	for name, i := range map[string]onchain.Instruction{
		"register": p.Register(at, at, brain.Register{}), "leave": p.Leave(at, at, brain.WorkerRole),
		"commit_result": p.CommitResult(at, at, at, brain.SubmitResult{}), "submit_result": p.SubmitResult(at, at, at, brain.SubmitResult{}),
		"commit_evaluation": p.CommitEvaluation(at, at, at, brain.SubmitEvaluation{}), "submit_evaluation": p.SubmitEvaluation(at, at, at, brain.SubmitEvaluation{}),
		"post_outcome": p.PostOutcome(at, at, at, brain.OutcomeArgs{}), "dispute_result": p.DisputeResult(at, at, at, brain.CourtAccounts{}, brain.DisputeResult{}),
	} {
		out[name] = i.Data[:8]
	}
	return out
}

// newBrainWorker makes the home of an agent whose program is a script.
func (b *brainCourt) newBrainWorker(name, role, class, script string, hits chan<- hit, at ...string) *brainWorker {
	b.t.Helper()
	w := &brainWorker{b: b, name: name, role: role, key: b.key(name), hits: hits}
	for _, step := range at {
		w.armed = append(w.armed, "before "+step, "after "+step)
	}
	b.file(filepath.Join(name, "brain.toml"), fmt.Sprintf("role = \"megabrain-%s\"\nmemory = [%q]\npoll = \"300ms\"\ndispute = %v\n[[class]]\naddress = %q\nstake = \"1sol\"\ncommand = [%q]\n", role, b.memory, role == "worker", class, b.file(name+".sh", script)))
	known, chain := steps(b.t), fmt.Sprintf("http://127.0.0.1:%d", b.rpc)
	proxy := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) { w.pass(out, r, chain, known) }))
	b.t.Cleanup(proxy.Close)
	w.rpc = proxy.URL
	return w
}

// pass gives a request of the agent to the chain. At an armed step the agent is killed instead of
// that, or before it hears the answer.
func (w *brainWorker) pass(out http.ResponseWriter, r *http.Request, chain string, known map[string][]byte) {
	raw, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	if err != nil {
		return // the agent was killed
	}
	step := ""
	for name, mark := range known {
		if sends(raw, mark) {
			step = name
		}
	}
	if step != "" && w.reach("before "+step) {
		http.Error(out, "the agent is dead", http.StatusBadGateway)
		return
	}
	answer, err := http.NewRequestWithContext(context.WithoutCancel(r.Context()), http.MethodPost, chain, bytes.NewReader(raw))
	if err != nil {
		http.Error(out, err.Error(), http.StatusBadGateway)
		return
	}
	answer.Header.Set("Content-Type", "application/json")
	got, err := (&http.Client{Timeout: time.Minute}).Do(answer)
	if err != nil {
		http.Error(out, err.Error(), http.StatusBadGateway)
		return
	}
	said, err := io.ReadAll(got.Body)
	if err != nil || got.Body.Close() != nil || step != "" && !bytes.Contains(said, []byte(`"error"`)) && w.reach("after "+step) {
		http.Error(out, "the agent is dead", http.StatusBadGateway)
		return
	}
	out.Header().Set("Content-Type", "application/json")
	_, _ = out.Write(said) // the agent was killed
}

// sends reports whether a request sends a transaction with an instruction.
func sends(raw, mark []byte) bool {
	var q struct {
		Method string
		Params []json.RawMessage
	}
	var text string
	if json.Unmarshal(raw, &q) != nil || q.Method != "sendTransaction" || len(q.Params) == 0 || json.Unmarshal(q.Params[0], &text) != nil {
		return false
	}
	tx, err := base64.StdEncoding.DecodeString(text)
	return err == nil && bytes.Contains(tx, mark)
}

// reach waits for the death of the agent if a step is armed, once.
func (w *brainWorker) reach(step string) bool {
	w.mu.Lock()
	i := slices.Index(w.armed, step)
	if i >= 0 {
		w.armed = slices.Delete(w.armed, i, i+1)
	}
	w.mu.Unlock()
	if i < 0 {
		return false
	}
	h := hit{w, step, make(chan struct{})}
	w.hits <- h
	<-h.done
	return true
}

func (w *brainWorker) start() {
	w.b.t.Helper()
	args := []string{"brain", "work", "--home", filepath.Join(w.b.dir, w.name), "--key", w.key, "--network", w.b.url, "--rpc", w.rpc, "--json"}
	if w.leaves {
		args = append(args, "--leave")
	}
	w.cmd = w.b.process(w.name, args...)
	w.b.others = append(w.b.others, w.cmd)
}

// again kills the agent, and starts it again.
func (w *brainWorker) again() {
	w.b.t.Helper()
	w.b.kill(w.cmd)
	w.start()
}

// landed counts the agent's transactions on the chain that succeeded, by instruction.
func (w *brainWorker) landed() map[string]int {
	w.b.t.Helper()
	var all []struct {
		Signature string
		Err       json.RawMessage
	}
	w.b.call(&all, "getSignaturesForAddress", w.b.addresses[w.key], map[string]any{"commitment": "confirmed", "limit": 1000})
	out, known := map[string]int{}, steps(w.b.t)
	for _, s := range all {
		if len(s.Err) > 0 && string(s.Err) != "null" {
			continue
		}
		var tx struct{ Transaction []string }
		w.b.call(&tx, "getTransaction", s.Signature, map[string]any{"commitment": "confirmed", "encoding": "base64", "maxSupportedTransactionVersion": 1})
		raw, err := base64.StdEncoding.DecodeString(tx.Transaction[0])
		if err != nil {
			w.b.t.Fatal(err)
		}
		for name, mark := range known {
			if bytes.Contains(raw, mark) {
				out[name]++
			}
		}
	}
	return out
}

// call asks the chain.
func (b *brainCourt) call(into any, method string, params ...any) {
	b.t.Helper()
	raw, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		b.t.Fatal(err)
	}
	got, err := (&http.Client{Timeout: time.Minute}).Post(fmt.Sprintf("http://127.0.0.1:%d", b.rpc), "application/json", bytes.NewReader(raw))
	if err != nil {
		b.t.Fatal(err)
	}
	var said struct{ Result, Error json.RawMessage }
	if err := json.NewDecoder(got.Body).Decode(&said); err != nil || got.Body.Close() != nil || said.Error != nil {
		b.t.Fatalf("%s: %v %s", method, err, said.Error)
	}
	if err := json.Unmarshal(said.Result, into); err != nil {
		b.t.Fatalf("%s: %v in %s", method, err, said.Result)
	}
}

// TestBrainWorkers kills a worker and two evaluators of MegaBrain that work by themselves with -9,
// before and after each transaction that they send, and while a program runs. Each registers and
// leaves once, and commits and reveals once in each of two tasks. The first has one outcome; the
// second one has a false one, which the worker disputes once. Its money is what it was paid.
func TestBrainWorkers(t *testing.T) {
	longtest.Only(t)
	if testing.Short() {
		t.Log("NOT RUN: -short, no agents of MegaBrain were killed")
		return
	}
	t.Parallel()
	b := newBrainCourt(t)
	maker := b.key("maker")
	class := b.class(maker, "facts", "dispute=10m")
	runs, goes := filepath.Join(b.dir, "runs"), filepath.Join(b.dir, "goes")
	hits := make(chan hit)
	worker := b.newBrainWorker("worker", "worker", class, "#!/bin/sh\necho run >> "+runs+"\nwhile [ ! -e "+goes+" ]; do sleep 0.1; done\n"+
		`echo '{"result":{"year":1931,"why":"Two firms opened the bridge in spring after four years of work"},"summary":"1931"}'`+"\n", hits, "register", "commit_result", "submit_result", "leave")
	const score = "#!/bin/sh\nw=$(sed 's/.*\"results\":{\"\\([1-9A-Za-z]*\\)\".*/\\1/')\n" + `echo '{"scores":[{"worker":"'$w'","score":90,"confidence":90}]}'` + "\n"
	poster := b.newBrainWorker("poster", "evaluator", class, score, hits, "register", "commit_evaluation", "submit_evaluation", "post_outcome", "leave")
	other := b.newBrainWorker("other", "evaluator", class, score, hits, "commit_evaluation")
	other.arm("before post_outcome") // so that the poster posts
	other.stays = true
	all := []*brainWorker{worker, poster, other}
	for _, w := range all {
		w.start()
	}
	// dies kills agents at their steps until a condition holds.
	dies := func(what string, ok func() bool) {
		t.Helper()
		for end, tick := time.Now().Add(patience), time.NewTicker(500*time.Millisecond); ; {
			select {
			case h := <-hits:
				t.Logf("%s: %s", h.worker.name, h.step)
				b.kill(h.worker.cmd)
				close(h.done)
				if h.step != "before post_outcome" || !h.worker.stays {
					h.worker.start()
				}
				end = time.Now().Add(patience)
			case <-tick.C:
				if ok() {
					tick.Stop()
					return
				}
				if time.Now().After(end) {
					t.Fatalf("not in %s: %s; %v, %v and %v are left", patience, what, worker.armed, poster.armed, other.armed)
				}
			}
		}
	}
	dies("all register", func() bool {
		var c brain.ClassAccount
		b.show(&c, "brain", "show", class)
		return len(c.Members) == 3
	})
	task := b.task(class, "When did the bridge open?", "0.3sol", maker)
	dies("its program runs", func() bool { _, err := os.Stat(runs); return err == nil })
	b.kill(worker.cmd)
	b.file("goes", "")
	worker.start()
	dies("the outcome is posted", func() bool { return b.seen(task).Status == brain.Posted.String() && !poster.waits("post_outcome") })
	var warped json.RawMessage
	b.call(&warped, "devnet_warp", 601)
	dies("the task is settled", func() bool { return b.seen(task).Status == brain.Settled.String() })
	paid := uint64(b.seen(task).Seats[0].Paid)

	// The other one posts a false outcome of a second task, and the worker disputes it.
	if other.spare(); other.cmd.ProcessState != nil { // the poster may have been faster
		other.start()
	}
	lied := b.task(class, "When did the other bridge open?", "0.3sol", maker)
	for _, w := range []*brainWorker{poster, other} {
		w.arm("before post_outcome")
		w.stays = true
	}
	dies("nobody posts", func() bool { return !poster.waits("post_outcome") && !other.waits("post_outcome") })
	worker.arm("before dispute_result", "after dispute_result")
	b.lie(lied, other.key)
	dies("the worker disputes that", func() bool { return b.seen(lied).Status == brain.Disputed.String() && !worker.waits("dispute_result") })
	b.must("dispute", "join", b.seen(lied).Dispute, "--reason", "The outcome that I posted is right.", "--key", other.key)
	dies("the second task is settled", func() bool { return b.seen(lied).Status == brain.Settled.String() })
	second := b.seen(lied)
	paid += uint64(second.Seats[0].Paid)

	for _, w := range all {
		w.leaves = true
		w.again()
	}
	dies("all leave", func() bool {
		var c brain.ClassAccount
		b.show(&c, "brain", "show", class)
		left := slices.DeleteFunc(c.Members, func(m brain.Member) bool { return m.State == 0 })
		if !slices.ContainsFunc(left, func(m brain.Member) bool { return m.State == 1 }) && len(left) > 0 {
			b.call(&warped, "devnet_warp", 900) // their stakes come back later
		}
		return c.ID != [32]byte{} && len(left) == 0 // it was read, and nobody is left
	})
	for _, w := range all {
		if err := w.cmd.Wait(); err != nil {
			t.Errorf("%s ends when it has left: %v", w.name, err)
		}
	}
	ran, err := os.ReadFile(runs)
	if n := strings.Count(string(ran), "run"); err != nil || n != 3 {
		t.Errorf("its program ran %d times, want once before the kill, once after it, and once in the second task: %v", n, err)
	}
	posts := 0
	for _, w := range all {
		if len(w.armed) > 0 {
			t.Errorf("%s was not killed at %v", w.name, w.armed)
		}
		did := w.landed()
		posts += did["post_outcome"]
		want := map[string]int{"register": 1, "commit_result": 2, "submit_result": 2, "dispute_result": 1, "leave": 1}
		if w != worker {
			want = map[string]int{"register": 1, "commit_evaluation": 2, "submit_evaluation": 2, "leave": 1}
		}
		for step, n := range want {
			if did[step] != n {
				t.Errorf("%s did %s %d times, want %d", w.name, step, did[step], n)
			}
		}
	}
	if posts != 2 {
		t.Errorf("%d outcomes of two tasks were posted", posts)
	}
	var took struct {
		Earned uint64 `json:"earned,string"`
		Lost   uint64 `json:"lost,string"`
	}
	log, err := os.ReadFile(filepath.Join(b.dir, "worker.log"))
	if err == nil {
		err = json.Unmarshal([]byte(lastLine(string(log))), &took)
	}
	var has struct{ Value uint64 }
	b.call(&has, "getBalance", b.addresses[worker.key], map[string]any{"commitment": "confirmed"})
	const purse, fees = 5_000_000_000, 10_000_000
	prize, fee := took.Earned-paid, took.Lost
	t.Logf("it was paid %d and got %d of the poster's bond; the court cost %d", paid, prize, fee)
	if err != nil || second.Seats[0].Paid == 0 || took.Earned < paid || has.Value > purse+took.Earned-took.Lost || has.Value < purse+took.Earned-took.Lost-fees {
		t.Errorf("the task paid %d; the worker says %d, and has %d: %v", paid, took.Earned, has.Value, err)
	}
}

// waits reports whether an agent is still to be killed at a step.
func (w *brainWorker) waits(step string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.ContainsFunc(w.armed, func(at string) bool { return strings.HasSuffix(at, " "+step) })
}

// arm lets an agent be killed at further steps.
func (w *brainWorker) arm(at ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.armed = append(w.armed, at...)
}

// spare lets an agent pass all steps.
func (w *brainWorker) spare() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.armed = nil
}
