package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ojud/casefile/casetest"
	"ojud/casefile/verify"
	"ojud/cmd/ojud/cli"
	"ojud/node/client"
	"ojud/node/cluster"
	"ojud/p2p/p2ptest"
	"ojud/test/longtest"
	"ojud/voting"
)

var rewrite = flag.Bool("rewrite", false, "write the golden files anew")

// startCourt starts a court on an embedded chain with free ports, in a new folder unless cfg names
// one. It stops when the test ends.
func startCourt(t testing.TB, cfg cluster.Config) *cluster.Cluster {
	t.Helper()
	cfg.Dir, cfg.Chain.RPC, cfg.Chain.WS = cmp.Or(cfg.Dir, t.TempDir()), "127.0.0.1:0", "127.0.0.1:0"
	c, err := cluster.Start(t.Context(), cfg, cluster.Deps{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// mustKey makes a key file.
func mustKey(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "id.json")
	if _, _, err := client.LoadOrCreateKey(path); err != nil {
		t.Fatal(err)
	}
	return path
}

// person types commands in a court.
type person struct {
	t               *testing.T
	environ         []string
	shapes          map[string]any
	creator, worker string // key files
	trapped         string // a task that was claimed and not done
}

// json runs a command with --json, checks that it succeeds, and returns its lines.
func (p *person) json(args ...string) []map[string]any {
	p.t.Helper()
	code, out, errs := lineIn(p.t.Context(), p.environ, append(args, "--json")...)
	if code != 0 {
		p.t.Fatalf("%v: exit %d: %s", args, code, errs)
	}
	var all []map[string]any
	for l := range strings.Lines(out) {
		v := map[string]any{}
		if err := json.Unmarshal([]byte(l), &v); err != nil {
			p.t.Fatalf("%v: %q is no JSON object: %v", args, l, err)
		}
		all = append(all, v)
	}
	p.note(args, all)
	return all
}

// note records the shape of a command's JSON: all fields of all its objects. It leaves out fields
// that depend on timing.
func (p *person) note(args []string, all []map[string]any) {
	name := args[0]
	if name == "agent" && args[1] == "card" {
		name += " card"
		args = args[1:]
	}
	if slices.Contains([]string{"agent", "agent card", "task", "judge", "case", "source"}, name) {
		name += " " + args[1]
	}
	for _, v := range all {
		p.shapes[name] = union(p.shapes[name], shape(v))
	}
}

// union merges the fields of both.
func union(a, b any) any {
	old, isObject := a.(map[string]any)
	add, alike := b.(map[string]any)
	if !isObject || !alike {
		return b
	}
	for k, v := range add {
		old[k] = union(old[k], v)
	}
	return old
}

// shape replaces each value by the name of its type.
func shape(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, e := range v {
			if k != "refusal" { // present only if a node had not seen the task yet
				out[k] = shape(e)
			}
		}
		return out
	case []any:
		if len(v) == 0 {
			return []any{}
		}
		return []any{shape(v[0])}
	case string:
		return "string"
	case float64:
		return "number"
	case bool:
		return "boolean"
	}
	return "null"
}

// text runs a command, and checks that it succeeds and that its output has this text.
func (p *person) text(says string, args ...string) {
	p.t.Helper()
	code, out, errs := lineIn(p.t.Context(), p.environ, args...)
	if code != 0 || !strings.Contains(unwrapped(out), says) {
		p.t.Errorf("%v: exit %d, %q does not say %q; %s", args, code, out, says, errs)
	}
}

// TestCourt types every command of a dispute, from the first key to the verified case file, in a
// court of nodes on this machine.
func TestCourt(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	cfg := cluster.DefaultConfig().Sized(3).Fast()
	cfg.Node.Crank.Delay = time.Hour // a person, and no node, expires the task whose worker is late
	c := startCourt(t, cfg)
	home := filepath.Join(t.TempDir(), "home")
	p := &person{t: t, environ: []string{"HOME=" + t.TempDir(), "OJUD_NETWORK=" + c.Chain().RPC(), "OJUD_HOME=" + home}, shapes: map[string]any{}}
	stop := p.join(c.Chain().RPC(), home)
	task := p.dispute()
	p.look(task, home)
	if err := c.Chain().Server().Warp(5 * time.Minute); err != nil { // the chain refuses more stake right after joining
		t.Fatal(err)
	}
	p.directory(home)
	p.json("judge", "top-up", "0.1sol")
	p.json("judge", "exit")
	stop()
	p.text("a node that runs here also tells how many independent votes they are worth; start it with: ojud run", "case", "show", task)
	p.golden("TestCourt", "testdata/json.golden")
}

// join becomes a judge and runs the node. stop interrupts it and checks that it ended well.
func (p *person) join(url, home string) (stop func()) {
	p.t.Helper()
	p.t.Log(p.json("init", "--network", url)[0]["judge"])
	ctx, cancel := context.WithCancel(p.t.Context())
	type end struct {
		code int
		errs string
	}
	done := make(chan end, 1)
	go func() {
		code, _, errs := lineIn(ctx, p.environ, "join", url, "--stake", "2sol")
		done <- end{code, errs}
	}()
	for deadline := time.Now().Add(5 * time.Minute); ; {
		if _, err := os.Stat(filepath.Join(home, "api")); err == nil {
			break
		}
		select {
		case e := <-done:
			p.t.Fatalf("join ended with %d: %s", e.code, e.errs)
		case <-time.After(100 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			p.t.Fatal("the node has no API after five minutes")
		}
	}
	return func() {
		cancel()
		if e := <-done; e.code != 0 {
			p.t.Errorf("join ended with %d: %s", e.code, e.errs)
		}
	}
}

// card signs the example of an agent card, and puts its hash on the chain. A card of another agent,
// and a file that is no card, are refused.
func (p *person) card(dir, creator, worker string) {
	p.t.Helper()
	signed := filepath.Join(dir, "signed.json")
	if code, _, errs := lineIn(p.t.Context(), p.environ, "agent", "card", "sign", "../../examples/agent/card.json", "--price", "translation=0.05sol", "--out", signed, "--key", creator); code != 0 {
		p.t.Fatalf("signing a card: %d %q", code, errs)
	}
	for file, want := range map[string]string{signed: "your key is", "../../examples/eleptiger/counter.json": "is no agent card", "../../go.mod": "JSON object"} {
		if code, _, errs := lineIn(p.t.Context(), p.environ, "agent", "update", "--card", file, "--key", worker); code != cli.ExitUsage || !strings.Contains(errs, want) {
			p.t.Errorf("%s as the worker's card: %d %q", file, code, errs)
		}
	}
	checked := p.json("agent", "card", "check", signed)[0]
	updated := p.json("agent", "update", "--card", signed, "--key", creator)
	agent := updated[0]["agent"].(map[string]any)
	if len(updated) != 2 || updated[1]["hash"] != checked["card_hash"] || updated[1]["accepted"].(float64) < 1 {
		p.t.Errorf("the card was not brought to nodes: %v", updated)
	}
	p.json("agent", "card", "publish", signed)
	if found := p.json("agent", "find", "translation"); len(found) != 1 || found[0]["authority"] != checked["authority"] || found[0]["card"] == nil {
		p.t.Errorf("found by its skill: %v", found)
	}
	if shown := p.json("agent", "card", "show", checked["authority"].(string))[0]; shown["card_hash"] != checked["card_hash"] {
		p.t.Errorf("the card from a node: %v", shown)
	}
	p.text("Translator", "agent", "find", "--words", "translator")
	p.text("0.05 SOL", "agent", "find", "translation")
	for price, want := range map[string]string{"translation": "such as translation=0.05sol", "translation=x": "--price of translation", "accounting=1sol": "the card has no skill"} {
		if code, _, errs := lineIn(p.t.Context(), p.environ, "agent", "card", "sign", "../../examples/agent/card.json", "--price", price, "--key", creator); code != cli.ExitUsage || !strings.Contains(errs, want) {
			p.t.Errorf("--price %s: %d %q", price, code, errs)
		}
	}
	p.text("no agent fits", "agent", "find", "accounting")
	if code, _, errs := lineIn(p.t.Context(), p.environ, "agent", "register", "--card", signed, "--key", creator); code != cli.ExitOK {
		p.t.Errorf("registered again with its card: %d %q", code, errs)
	}
	if agent["card_hash"] != checked["card_hash"] || agent["authority"] != checked["authority"] {
		p.t.Errorf("the card is %v, and the agent %v", checked, agent)
	}
	if code, _, errs := lineIn(p.t.Context(), p.environ, "agent", "card", "check", signed, "--hash", strings.Repeat("0", 64)); code != cli.ExitUsage || !strings.Contains(errs, "older card") {
		p.t.Errorf("a card that the chain does not name: %d %q", code, errs)
	}
}

// dispute brings a task before the court and returns its address.
func (p *person) dispute() string {
	p.t.Helper()
	dir := p.t.TempDir()
	creator, worker := filepath.Join(dir, "creator.json"), filepath.Join(dir, "worker.json")
	p.creator, p.worker = creator, worker
	example := func(name string) string { return "../../examples/eleptiger/" + name + ".json" }
	for _, key := range []string{creator, worker} {
		p.json("agent", "register", "--create-key", "--airdrop", "--deposit", "5sol", "--key", key)
	}
	p.json("agent", "deposit", "0.5sol", "--key", creator)
	p.json("agent", "withdraw", "0.5sol", "--key", creator)
	p.card(dir, creator, worker)
	p.json("airdrop", "1sol", "--key", creator)
	created := p.json("task", "create", example("eleptiger.task"), "--reward", "1sol", "--key", creator)[0]
	task := created["task"].(map[string]any)["task"].(string)
	if code, _, errs := lineIn(p.t.Context(), p.environ, "task", "create", example("eleptiger.task"), "--reward", "5lamports", "--key", creator); code != cli.ExitFailed || !strings.Contains(errs, "at least 0.001sol") {
		p.t.Errorf("a reward that is too small: %d %q", code, errs)
	}
	if again := p.json("task", "create", example("eleptiger.task"), "--reward", "1sol", "--key", creator)[0]; again["result"] != "already_done" {
		p.t.Errorf("created again: %v", again)
	}
	p.trap(creator, worker)
	p.json("task", "claim", task, "--start", "--key", worker)
	misfit := filepath.Join(dir, "misfit.json")
	write(p.t, misfit, `{"post_id":7}`)
	if code, _, errs := lineIn(p.t.Context(), p.environ, "task", "submit", task, misfit, "--key", worker); code != cli.ExitFailed || !strings.Contains(errs, "--anyway") {
		p.t.Errorf("a result that does not fit the schema: %d %q", code, errs)
	}
	p.json("task", "submit", task, misfit, "--anyway", "--key", worker)
	p.json("task", "publish", task, misfit)
	p.json("task", "object", task, "--reason", "The result does not match the schema.", "--exhibit", "../../examples/eleptiger/README.md", "--key", creator)
	p.json("task", "counter-object", task, "--file", example("counter"), "--key", worker)
	return task
}

// trap posts a task on terms that favour its creator. A worker learns of them before it claims.
func (p *person) trap(creator, worker string) {
	p.t.Helper()
	code, out, errs := lineIn(p.t.Context(), p.environ, "task", "create", "../../examples/post/post.task.json", "--reward", "0.1sol", "--on-undecided", "refund",
		"--work", "2m", "--key", creator, "--json")
	var created client.TaskDone
	if err := json.Unmarshal([]byte(out), &created); err != nil || code != cli.ExitOK || created.Review == nil || len(created.Review.Warnings) != 6 ||
		len(created.Review.Sources) != 1 || created.Review.Sources[0].Staked != 0 {
		p.t.Fatalf("%d %v %s %s", code, err, out, errs)
	}
	p.trapped = created.Task.Task
	code, out, errs = lineIn(p.t.Context(), p.environ, "task", "claim", created.Task.Task, "--key", worker)
	for _, want := range []string{"0 judges with a stake", "on_undecided: refund", "no judge with a stake", "expected[0].data", "work time: you have 2m0s"} {
		if !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
			p.t.Errorf("%q is missing:\n%s", want, out)
		}
	}
	if code != cli.ExitFailed || !strings.Contains(errs, "--yes") {
		p.t.Errorf("claimed in spite of warnings: %d %s", code, errs)
	}
	if v := p.json("task", "show", created.Task.Task)[0]; v["status"] != "created" {
		p.t.Errorf("the task is %v", v["status"])
	}
	if code, out, errs = lineIn(p.t.Context(), p.environ, "task", "claim", created.Task.Task, "--yes", "--key", worker); code != cli.ExitOK {
		p.t.Errorf("with --yes: %d %s %s", code, out, errs)
	}
}

// look follows the case to its end and runs every command that shows something of it.
func (p *person) look(task, home string) {
	p.t.Helper()
	watched := p.json("case", "watch", task)
	if last := watched[len(watched)-1]; last["kind"] != "decided" {
		p.t.Errorf("the last line: %v", last)
	}
	if v := p.json("task", "show", task)[0]; v["outcome"] != "refunded" {
		p.t.Errorf("the task: %v", v)
	}
	file := filepath.Join(p.t.TempDir(), "c.case.json")
	p2ptest.Eventually(p.t, 5*time.Minute, "the node has the whole case", func() bool {
		_, out, _ := lineIn(p.t.Context(), p.environ, "case", "export", task, "--output", file, "--json")
		return strings.Contains(out, `"complete":true`)
	})
	if v := p.json("case", "export", task, "--output", file)[0]; v["complete"] != true {
		p.t.Errorf("exported: %v", v)
	}
	if v := p.json("case", "verify", file, "--chain")[0]; v["ok"] != true {
		p.t.Errorf("verified: %v", v)
	}
	hash := p.json("task", "show", task)[0]["result_hash"].(string)
	p.json("task", "fetch", hash)
	for _, args := range [][]string{{"case", "show", task}, {"case", "why", task}, {"case", "list", "--all"}, {"task", "list", "--all"}, {"agent", "list"}, {"judge", "list"}, {"judge", "status"}, {"doctor"}, {"source", "payments"}} {
		p.json(args...)
	}
	if v := p.json("case", "verdict", task, "--publish")[0]["verdict"].(map[string]any); v["verdict"] != "reject" || v["checked"] != true {
		p.t.Errorf("published: %v", v)
	}
	p.text("task and case are still there, and have these facts", "case", "verdict", task)
	p.text("decided for the creator", "case", "show", task)
	p.text("for two sides, worth 1.00 independent votes (agreement in 0 earlier rounds; families: code ", "case", "show", task)
	p.text("over: refunded, by verdict of the court", "task", "show", task)
	p.text("majority", "judge", "status")
	p.text("it voted reject, as most of the weight did", "case", "why", task)
	p.text("complete", "task", "list", "--all")
	p.text("You should make a ASCII drawing of eleptiger", "task", "list", "--all")
	p.text("complete", "task", "list", "--all", "--brief")
	p.text("verified", "case", "verify", file)
	packed := filepath.Join(p.t.TempDir(), "c.case.car")
	root := p.json("case", "export", file, "--car", "--output", packed)[0]["car"].(map[string]any)["root"]
	if v := p.json("case", "verify", packed, "--chain")[0]; v["ok"] != true || v["car"].(map[string]any)["root"] != root {
		p.t.Errorf("the case in a CAR with the root %v: %v", root, v)
	}
	p.text("the case in it: verified", "case", "verify", packed)
	tables := filepath.Join(p.t.TempDir(), "tables")
	if v := p.json("court", "archive", tables)[0]; v["added"].(float64) < 1 || len(v["left"].([]any)) != 0 {
		p.t.Errorf("archived: %v", v)
	}
	if v := p.json("court", "archive", tables, packed, file)[0]; v["added"] != 0.0 || v["present"] != 2.0 {
		p.t.Errorf("archived again: %v", v)
	}
	p.text("for two sides, worth 1.00 independent votes", "case", "verify", file)
	p.text("ok      stake", "doctor")
	p.text("ok      node: it runs, with", "doctor")
	p.text("vault  not known: there is no agent", "source", "payments")
	p.text("post_id", "task", "fetch", hash)
	p.text("rewards   0 SOL", "judge", "claim") // the node may have claimed them already
}

// directory asks the node for agents by skill. An agent that retires is found no more.
func (p *person) directory(home string) {
	p.t.Helper()
	address, err := os.ReadFile(filepath.Join(home, "api"))
	if err != nil {
		p.t.Fatal(err)
	}
	found := func() (n int) {
		ask, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, "http://"+strings.TrimSpace(string(address))+"/v1/agents?skill=translation", nil)
		if err != nil {
			p.t.Fatal(err)
		}
		answer, err := (&http.Client{Timeout: time.Minute}).Do(ask)
		if err != nil {
			p.t.Fatal(err)
		}
		var list struct{ Found int }
		if err := errors.Join(json.NewDecoder(answer.Body).Decode(&list), answer.Body.Close()); err != nil || answer.StatusCode != http.StatusOK {
			p.t.Fatal(answer.Status, err)
		}
		return list.Found
	}
	p2ptest.Eventually(p.t, 5*time.Minute, "the node has the card", func() bool { return found() == 1 })
	if code, _, errs := lineIn(p.t.Context(), p.environ, "agent", "retire", "--key", p.worker); code != cli.ExitFailed || !strings.Contains(errs, "not over") {
		p.t.Errorf("retired with a task: %d %q", code, errs)
	}
	p.json("task", "expire", p.trapped, "--key", p.creator)
	p.json("task", "cancel", p.trapped, "--key", p.creator)
	if agent := p.json("agent", "retire", "--key", p.creator)[0]["agent"].(map[string]any); agent["card_hash"] != nil || agent["vault"] != "0" {
		p.t.Errorf("retired: %v", agent)
	}
	p.json("agent", "retire", "--key", p.creator)
	p2ptest.Eventually(p.t, 5*time.Minute, "the node finds a retired agent no more", func() bool { return found() == 0 })
}

// golden compares the JSON shapes of all commands with the recorded ones: scripts rely on them.
func (p *person) golden(test, path string) {
	p.t.Helper()
	var b strings.Builder
	names := make([]string, 0, len(p.shapes))
	for n := range p.shapes {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		raw, err := json.MarshalIndent(p.shapes[n], "", "  ")
		if err != nil {
			p.t.Fatal(err)
		}
		fmt.Fprintf(&b, "ojud %s --json\n%s\n\n", n, raw)
	}
	if *rewrite {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			p.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			p.t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil || string(want) != b.String() {
		p.t.Errorf("the JSON is not what %s says (%v); if that is meant, go test -run %s -rewrite:\n%s", path, err, test, b.String())
	}
}

// TestVerify checks a sound file, and a file with one changed byte.
func TestVerify(t *testing.T) {
	t.Parallel()
	raw, err := casetest.File(casetest.Script{Name: "cli", Judges: 7, Rounds: []casetest.Plan{casetest.All(voting.Reject)}})
	if err != nil {
		t.Fatal(err)
	}
	good, bad := filepath.Join(t.TempDir(), "good.case.json"), filepath.Join(t.TempDir(), "bad.case.json")
	broken := strings.Replace(string(raw), `"exported_at": 1`, `"exported_at": 2`, 1)
	for path, content := range map[string]string{good: string(raw), bad: broken} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if broken == string(raw) {
		t.Fatal("nothing was changed")
	}
	code, out, errs := line(t, "case", "verify", good)
	if code != cli.ExitOK || errs != "" || strings.Count(out, "passed") < 17 || !strings.HasPrefix(out, good+": verified: it is") {
		t.Errorf("%d %s %s", code, out, errs)
	}
	code, out, errs = line(t, "case", "verify", bad)
	if code != cli.ExitUnverified || errs != "" || !strings.HasPrefix(out, bad+": NOT VERIFIED\nfailed  seal") {
		t.Errorf("%d %s %s", code, out, errs)
	}
	write(t, bad, "{}")
	if _, out, _ := line(t, "case", "verify", bad); !strings.Contains(out, "NOT VERIFIED\nfailed  form") || !strings.Contains(out, "not run, because form failed: seal, blobs, ") {
		t.Errorf("not a case file: %s", out)
	}
	write(t, bad, broken)
	code, out, _ = line(t, "case", "verify", bad, "--json")
	var v struct {
		OK bool `json:"ok"`
		client.Report
	}
	if err := json.Unmarshal([]byte(out), &v); err != nil || code != cli.ExitUnverified || v.OK || v.Check(verify.CheckSeal).State != verify.Failed {
		t.Errorf("%d %q %v", code, out, err)
	}
}
