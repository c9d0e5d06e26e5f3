package process

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ojud/ledger/transact"
	"ojud/node/brainview"
)

// brainCourt is a court, a memory node, and agents of MegaBrain.
type brainCourt struct {
	*processes
	memory    string // URL
	others    []*exec.Cmd
	addresses map[string]string // by key file
}

// newBrainCourt starts a chain with four judges, and a memory node.
func newBrainCourt(t *testing.T) *brainCourt {
	t.Helper()
	b := &brainCourt{processes: newProcesses(t), addresses: map[string]string{}}
	b.chain = b.process("chain", "devnet", "--fast", "--nodes", "4", "--data", filepath.Join(b.dir, "court"), "--rpc-port", fmt.Sprint(b.rpc), "--p2p-port", fmt.Sprint(b.p2p))
	at := fmt.Sprintf("127.0.0.1:%d", freePort(t))
	b.memory = "http://" + at
	memory := b.process("memory", "brain", "memory", "run", filepath.Join(b.dir, "memory"), "--listen", at)
	t.Cleanup(func() {
		for _, c := range append(b.others, memory) {
			b.kill(c)
		}
	})
	b.until("the chain", func() bool {
		_, err := b.run("judge", "list")
		return err == nil
	})
	b.until("the memory node", func() bool { return answers(b.memory + "/memory/v1/head") })
	return b
}

// answers reports whether a server answers.
func answers(url string) bool {
	answer, err := (&http.Client{Timeout: 10 * time.Second}).Get(url)
	return err == nil && answer.Body.Close() == nil
}

// key makes a key with money, and returns its file.
func (b *brainCourt) key(name string) string {
	b.t.Helper()
	path := filepath.Join(b.dir, name+".json")
	key, _, err := transact.LoadOrCreateKeypair(path)
	if err != nil {
		b.t.Fatal(err)
	}
	b.must("airdrop", "5sol", "--key", path)
	b.addresses[path] = key.Address().String()
	return path
}

func (b *brainCourt) file(name, text string) string {
	b.t.Helper()
	path := filepath.Join(b.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		b.t.Fatal(err)
	}
	return path
}

// class makes a class of a name.
func (b *brainCourt) class(maker, name string, set ...string) string {
	b.t.Helper()
	document := b.file(name+".class.json", `{"name":"`+name+`","about":"Answer the question. year is a number, why is one sentence.","meaning":["/year"],"prose":["/why"],"least_words":6}`)
	args := []string{"brain", "class", "create", document, "--key", maker, "--memory", b.memory, "--set", "bond=0.01sol"}
	for _, s := range set {
		args = append(args, "--set", s)
	}
	var made struct{ Class string }
	if b.show(&made, args...); made.Class == "" {
		b.t.Fatal("no class was made")
	}
	return made.Class
}

// task posts a task for one worker and two evaluators.
func (b *brainCourt) task(class, about, budget, maker string) string {
	b.t.Helper()
	var made struct{ Task string }
	if b.show(&made, "brain", "task", "create", class, "--about", about, "--budget", budget, "--workers", "1", "--key", maker); made.Task == "" {
		b.t.Fatal("no task was posted")
	}
	return made.Task
}

// seen is a task as the chain has it.
func (b *brainCourt) seen(task string) (t brainview.Detail) {
	b.show(&t, "brain", "show", task)
	return t
}

// judgeOf is the seat of an evaluator in a task.
func (b *brainCourt) judgeOf(task, evaluator string) (e brainview.ScoreSeat) {
	for _, e := range b.seen(task).Jury {
		if e.Evaluator == evaluator {
			return e
		}
	}
	return e
}

// lie lets an evaluator post that the result of a task is no effort. The caller ends those who
// would post the right outcome first.
func (b *brainCourt) lie(task, evaluator string) {
	b.t.Helper()
	facts := b.file("facts.json", `{"facts":[{"complete":10000,"cluster":0,"copy_of":0,"low_effort":true,"why":""}],"stamped":[false,false]}`)
	b.must("brain", "post-outcome", task, "--facts", facts, "--key", evaluator, "--memory", b.memory)
}

// TestBrainClients: with the examples of the clients in Python and JavaScript, a worker hands a
// result with an attachment in at "ojud brain serve", an evaluator scores it, another one posts a
// false outcome, the client brings that to the court, and the worker is paid.
func TestBrainClients(t *testing.T) {
	if os.Getenv("BRAIN_CLIENTS") == "" {
		t.Log("NOT RUN: the clients of the API of MegaBrain; make clients tries them")
		return
	}
	t.Parallel()
	b := newBrainCourt(t)
	maker := b.key("maker")
	languages := map[string][]string{
		"python": {os.Getenv("BRAIN_PYTHON"), "-B", "../../clients/python/examples/brain.py"}, "javascript": {"node", "../../clients/js/examples/brain.mjs"},
	}
	classes, agents := map[string]string{}, []string{}
	for name := range languages {
		classes[name] = b.class(maker, name)
		for who, role := range map[string]string{"worker": "worker", "evaluator": "evaluator", "liar": "evaluator"} {
			path := b.key(name + "-" + who)
			b.must("brain", "register", classes[name], "--role", role, "--stake", "1sol", "--key", path)
			if who != "liar" {
				agents = append(agents, "--agent-key", path)
			}
		}
	}
	at := fmt.Sprintf("127.0.0.1:%d", freePort(t))
	server := append([]string{"brain", "serve", "--listen", at, "--every", "500ms", "--memory", b.memory, "--home", filepath.Join(b.dir, "server"), "--network", b.url}, agents...)
	for name, words := range languages {
		c := &brainClient{brainCourt: b, name: name, words: words, url: "http://" + at + "/api/v1"}
		c.live(b.task(classes[name], "When did the bridge open?", "0.1sol", maker), server)
	}
}

// brainClient is an example of a client in one language.
type brainClient struct {
	*brainCourt
	name, url string
	words     []string
}

func (c *brainClient) keyOf(who string) string { return filepath.Join(c.dir, c.name+"-"+who+".json") }

// ask runs the example with the key of an agent. What it says on the way is returned as well.
func (c *brainClient) ask(into any, who string, args ...string) (said string) {
	c.t.Helper()
	cmd := exec.CommandContext(c.t.Context(), c.words[0], slices.Concat(c.words[1:], []string{c.url, c.keyOf(who)}, args)...)
	cmd.Env = append(os.Environ(), "PYTHONPATH=../../clients/python")
	var b strings.Builder
	cmd.Stderr = &b
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, into)
	}
	if err != nil {
		c.t.Fatalf("%v: %v: %s %s", args, err, out, b.String())
	}
	return b.String()
}

func (c *brainClient) live(task string, server []string) {
	serving := c.serve(server)
	var sent struct {
		Task, ResultHash string
		Confirmations    int
		Attachments      []struct{ Name, Type, SHA256 string }
	}
	plan := c.file("plan.txt", "a plan\n")
	said := c.ask(&sent, "worker", "work", `{"year":1931,"why":"Two firms opened the bridge in spring after four years of work"}`, "1931", plan, "text/plain")
	want := fmt.Sprintf("%x", sha256.Sum256([]byte("a plan\n")))
	if !strings.Contains(said, "When did the bridge open?") || sent.Confirmations != 1 || len(sent.Attachments) != 1 || sent.Attachments[0].SHA256 != want {
		c.t.Fatalf("it handed in %+v: %s", sent, said)
	}
	var scored struct {
		EvaluationID, TxHash string
		Committed            bool
	}
	if said := c.ask(&scored, "evaluator", "score", "90", "It is right."); !scored.Committed || scored.TxHash == "" || !strings.Contains(said, "1931") || !strings.Contains(said, "attachment: plan.txt 7 bytes") {
		c.t.Fatalf("it scored %+v: %s", scored, said)
	}
	worker, evaluator, liar := c.addresses[c.keyOf("worker")], c.addresses[c.keyOf("evaluator")], c.keyOf("liar")
	c.must("brain", "evaluate", task, c.file("scores.json", `{"scores":[{"worker":"`+worker+`","score":90,"confidence":90}]}`), "--key", liar)
	c.until("the evaluator revealed", func() bool { return c.judgeOf(task, evaluator).State == "revealed" })
	c.kill(serving)
	c.must("brain", "submit", task, "--key", liar, "--memory", c.memory)
	c.lie(task, liar)
	serving = c.serve(server)

	var opened struct{ Case, Verdict string }
	if c.ask(&opened, "evaluator", "dispute", sent.Task, "The result has effort."); opened.Case == "" {
		c.t.Fatalf("it opened %+v", opened)
	}
	c.must("dispute", "join", opened.Case, "--reason", "The outcome that I posted is right.", "--key", liar)
	var end struct {
		State   struct{ Status string }
		Results []struct {
			Payment     uint64
			InConsensus bool
			ResultHash  string
		}
		Dispute    struct{ Verdict string }
		Reputation []struct{ WorkerScore int }
	}
	said = c.ask(&end, "worker", "watch", sent.Task)
	for _, event := range []string{"TaskChanged", "ResultSubmitted", "EvaluationSubmitted", "DisputeOpened", "TaskSettled"} {
		if !strings.Contains(said, event+" {") {
			c.t.Errorf("no event %s: %s", event, said)
		}
	}
	if end.State.Status != "settled" || end.Dispute.Verdict != "upheld" || len(end.Results) != 1 || !end.Results[0].InConsensus || end.Results[0].ResultHash != sent.ResultHash {
		c.t.Errorf("the end: %+v", end)
	}
	if paid := uint64(c.seen(task).Seats[0].Paid); paid == 0 || end.Results[0].Payment != paid || len(end.Reputation) != 1 || end.Reputation[0].WorkerScore <= 1_000 {
		c.t.Errorf("%d are paid: %+v", paid, end)
	}
	c.kill(serving)
}

// serve starts the server.
func (c *brainClient) serve(args []string) *exec.Cmd {
	cmd := c.process("serve", args...)
	c.others = append(c.others, cmd)
	c.until("the API", func() bool { return answers(c.url + "/openapi.json") })
	return cmd
}
