package process

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ojud/agent/audit"
	"ojud/agent/delegation"
	"ojud/agent/host/shell"
	"ojud/ledger/transact"
	"ojud/test/longtest"
)

// The programs of relay agents in three languages. Each makes the calls that its payload lists, by
// its host, and ends with their results, or fails with the first call that fails.
const (
	relayPython = `import json, os, sys, urllib.error, urllib.request
def call(order):
    request = urllib.request.Request(os.environ["AGENT_HOST"] + "/v1/agent.invoke", json.dumps(order).encode(),
        {"Authorization": "Bearer " + os.environ["AGENT_TOKEN"], "Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request) as answer:
            end = json.load(answer)
    except urllib.error.HTTPError as e:
        sys.exit(f"refused: {e.read().decode()}")
    if end["status"] != "ok":
        sys.exit(f"ended: {json.dumps(end)}")
    return end["result"]
print(json.dumps([call(order) for order in json.loads(sys.stdin.readline())["payload"]]))
`
	relayJavaScript = `let text = '';
for await (const piece of process.stdin) text += piece;
const results = [];
for (const order of JSON.parse(text).payload) {
  const answer = await fetch(process.env.AGENT_HOST + '/v1/agent.invoke', {
    method: 'POST', body: JSON.stringify(order), headers: { authorization: 'Bearer ' + process.env.AGENT_TOKEN, 'content-type': 'application/json' },
  });
  const end = await answer.json();
  if (end.status !== 'ok') throw new Error(JSON.stringify(end));
  results.push(end.result);
}
console.log(JSON.stringify(results));
`
)

// playRelay is the same in Go.
func playRelay() error {
	var in struct {
		Payload []json.RawMessage `json:"payload"`
	}
	if err := json.NewDecoder(os.Stdin).Decode(&in); err != nil {
		return err
	}
	results, client := []json.RawMessage{}, http.Client{Timeout: time.Minute}
	for _, order := range in.Payload {
		r, err := http.NewRequest(http.MethodPost, os.Getenv("AGENT_HOST")+"/v1/agent.invoke", bytes.NewReader(order))
		if err != nil {
			return err
		}
		r.Header.Set("Authorization", "Bearer "+os.Getenv("AGENT_TOKEN"))
		r.Header.Set("Content-Type", "application/json")
		answer, err := client.Do(r)
		if err != nil {
			return err
		}
		raw, err := io.ReadAll(answer.Body)
		var end struct {
			Status string
			Result json.RawMessage
		}
		if err = errors.Join(err, answer.Body.Close(), json.Unmarshal(raw, &end)); err != nil {
			return err
		}
		if end.Status != "ok" {
			return fmt.Errorf("the call ended: %s", raw)
		}
		results = append(results, end.Result)
	}
	return json.NewEncoder(os.Stdout).Encode(results)
}

// relayed is a call that a relay makes.
type relayed struct {
	Target  string `json:"target"`
	Payload any    `json:"payload"`
}

// federation types commands at homes of hosts.
type federation struct {
	*testing.T
	dir string
}

// ojud runs the program, and returns what it prints and whether it succeeds.
func (f federation) ojud(args ...string) (string, bool) {
	f.Helper()
	cmd := exec.CommandContext(f.Context(), built(f), args...)
	cmd.Dir, cmd.Env = f.dir, append(os.Environ(), "HOME="+f.dir)
	out, err := cmd.CombinedOutput()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		f.Fatal(err)
	}
	return string(out), err == nil
}

// must runs a command that has to succeed.
func (f federation) must(args ...string) string {
	f.Helper()
	out, ok := f.ojud(args...)
	if !ok {
		f.Fatalf("%s: %s", args, out)
	}
	return out
}

// key makes a key of an agent of a host, or of its operator, before the host begins.
func (f federation) key(h *agentHost, id string) (path string, who delegation.Principal) {
	f.Helper()
	dir := filepath.Join(h.home, shell.Folder, "keys")
	path = filepath.Join(dir, id+".json")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		f.Fatal(err)
	}
	key, _, err := transact.LoadOrCreateKeypair(path)
	if err != nil {
		f.Fatal(err)
	}
	return path, shell.Signer{Keypair: key}.Principal()
}

// file writes a file of the folder agents of a host.
func (f federation) file(h *agentHost, name, text string) {
	f.Helper()
	if err := os.WriteFile(filepath.Join(h.home, shell.Folder, name), []byte(text), 0o700); err != nil {
		f.Fatal(err)
	}
}

// lines are what "agent audit show" prints of an agent.
func (f federation) lines(h *agentHost, args ...string) (all []audit.AgentInvoke) {
	f.Helper()
	for line := range strings.Lines(f.must(append([]string{"agent", "audit", "show", "--home", h.home, "--json"}, args...)...)) {
		var e struct{ Act audit.AgentInvoke }
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			f.Fatal(err)
		}
		all = append(all, e.Act)
	}
	return all
}

// relayFile is the file of an agent that is a relay.
func relayFile(run, calls, remote, chain string) string {
	text := "autonomy = 2\n" + calls + "\n[mind]\nkind = \"executable\"\nrun = " + run + "\npass = [\"" + role + "\"]\n[[capabilities]]\nname = \"relay\"\n"
	if remote != "" {
		text += "[[remotes]]\naddress = \"" + remote + "/*\"\nunder = \"" + chain + "\"\n"
	}
	return text
}

// TestFederationOfThree: agents whose programs are in Go, Python and JavaScript live on three
// hosts. C allows A, A allows B less, and so B can have C do less than A could. A call that C then
// makes in that call, and that A denied, is refused at C; the logs of all three have what became of
// it, and verify. So it is if B makes the denied call itself. If node or python3 is missing, the
// test says so, and fails only under A2A_CLIENTS.
func TestFederationOfThree(t *testing.T) {
	longtest.Only(t)
	for _, tool := range []string{"node", "python3"} {
		if _, err := exec.LookPath(tool); err != nil {
			if os.Getenv("A2A_CLIENTS") != "" {
				t.Error(err)
			}
			t.Logf("NOT RUN: %s is not on this machine: %v", tool, err)
			return
		}
	}
	t.Parallel()
	f := federation{t, t.TempDir()}
	at := func(name string) string { return filepath.Join(f.dir, name) }
	vault := "[mind]\nkind = \"executable\"\nrun = [\"/bin/sh\", \"-c\", \"echo '\\\"owl\\\"'\"]\n[[capabilities]]\nname = \"read\"\n[[capabilities]]\nname = \"erase\"\n"
	a, b, c := newAgentHost(t, nil), newAgentHost(t, nil), newAgentHost(t, map[string]string{"vault.toml": vault, "c.mjs": relayJavaScript})
	run := func(tool string, h *agentHost, name string) string {
		return fmt.Sprintf("[%q, %q]", tool, filepath.Join(h.home, shell.Folder, name))
	}
	f.file(c, "c.toml", relayFile(run("node", c, "c.mjs"), `calls = ["vault/*"]`, "", ""))
	keyA, whoA := f.key(a, "a")
	keyB, whoB := f.key(b, "b")
	operatorB, _ := f.key(b, "operator")
	operatorC, _ := f.key(c, "operator")
	_, whoC := f.key(c, "c")
	c.start("--public", "127.0.0.1:0")

	// The chain: the operator of C allows A, and A allows B less.
	within := []string{"--allow", "c.relay", "--allow", "vault", "--allow", "agent.invoke"}
	f.must(append([]string{"agent", "delegate", "--to", whoA.String(), "--key", operatorC, "--out", at("a.chain")}, within...)...)
	f.must("agent", "delegate", "--under", at("a.chain"), "--to", whoB.String(), "--deny", "vault.erase", "--key", keyA, "--out", at("b.chain"))
	if out := f.must("agent", "delegation", "check", at("b.chain"), "--holder", whoB.String()); !strings.Contains(out, "valid, 2 links") {
		t.Errorf("the chain does not verify: %s", out)
	}
	if out, ok := f.ojud("agent", "delegate", "--under", at("b.chain"), "--to", whoC.String(), "--allow", "other", "--key", keyB); ok || !strings.Contains(out, "Widened") {
		t.Errorf("B passes on more than it has: %s", out)
	}
	f.must("agent", "delegate", "--to", whoA.String(), "--allow", "b.relay", "--allow", "agent", "--key", operatorB, "--out", at("ab.chain"))

	f.file(b, "b.py", relayPython)
	f.file(b, "b.toml", relayFile(run("python3", b, "b.py"), "", c.public+"/c", at("b.chain"))+"[[remotes]]\naddress = \""+c.public+"/vault/*\"\nunder = \""+at("b.chain")+"\"\n")
	b.start("--public", "127.0.0.1:0")
	f.file(a, "a.toml", relayFile(fmt.Sprintf("[%q]", os.Args[0]), "", b.public+"/b", at("ab.chain")))
	a.environ = []string{role + "=" + roleRelay} // of the program of A, which the host passes on
	a.start()

	call := func(inC ...relayed) (string, bool) {
		payload, err := json.Marshal([]relayed{{b.public + "/b/relay", inC}})
		if err != nil {
			t.Fatal(err)
		}
		return f.ojud("agents", "invoke", "agent://a/relay", string(payload), "--home", a.home, "--json")
	}
	byC := func(capability string) relayed {
		return relayed{c.public + "/c/relay", []relayed{{"agent://vault/" + capability, 1}}}
	}
	if out, ok := call(byC("read")); !ok || !strings.Contains(out, `[[["owl"]]]`) {
		t.Fatalf("A has B have C read: %s; the hosts say: %s %s %s", out, a.says, b.says, c.says)
	}
	if out := f.must("agents", "invoke", c.public+"/vault/erase", "1", "--under", at("a.chain"), "--key", keyA, "--home", f.dir, "--json"); !strings.Contains(out, `"status":"ok"`) {
		t.Errorf("A, which may erase, cannot: %s", out)
	}

	// C makes the denied call, and B makes it.
	const noErase = "MatchError: link 2 of the chain: pol: it denies /vault/erase, and the call is /vault/erase"
	before := len(f.lines(a, "a"))
	if out, ok := call(byC("erase")); ok || !strings.Contains(out, "error") {
		t.Errorf("A has B have C erase: %s", out)
	}
	if out, ok := call(relayed{c.public + "/vault/erase", 1}); ok || !strings.Contains(out, "error") {
		t.Errorf("A has B erase: %s", out)
	}
	denied := f.lines(c, "vault", "--result", "refused")
	if len(denied) != 2 || denied[0].Capability != "/vault/erase" || denied[1].From != whoB || len(denied[0].Chain) != 4 || len(denied[1].Chain) != 2 || denied[0].Reason != noErase || denied[1].Reason != noErase {
		t.Errorf("the log at C has these refusals: %+v", denied)
	}
	if in := f.lines(c, "c", "--with", whoB.String(), "--result", "settled"); len(in) != 2 {
		t.Errorf("the log of C has %d calls of B that ended: %+v", len(in), in)
	}
	ofB := f.lines(b, "b", "--result", "ended")
	if len(ofB) != 3 || ofB[1].To != whoC || ofB[1].Reason != "error" || ofB[1].Outcome == "" || !strings.HasPrefix(ofB[2].Reason, noErase) || ofB[2].Call != denied[1].Call {
		t.Errorf("the log of B says of its calls: %+v", ofB)
	}
	ofA := f.lines(a, "a")[before:]
	var ends []string
	for _, l := range ofA {
		if l.To == whoB && l.Result == "ended" {
			ends = append(ends, l.Reason)
		}
	}
	if strings.Join(ends, " ") != "error error" {
		t.Errorf("the log of A says of its calls: %+v", ofA)
	}
	for _, h := range []*agentHost{a, b, c} {
		f.must("agent", "audit", "verify", "--home", h.home)
	}
	if out := f.must("agent", "audit", "show", "vault", "--result", "refused", "--home", c.home); !strings.Contains(out, "denies /vault/erase") || !strings.Contains(out, "under 4 links") {
		t.Errorf("a person reads at C: %s", out)
	}
}

// boss has the client call a friend, and greeter has the client run a tool.
const (
	boss = `#!/bin/sh
read -r run
echo '{"step":{"text":"I ask my friend.","calls":[{"name":"friend","input":"oak"}]}}'
read -r said; read -r step_end
echo "{\"final\":{\"output\":$said}}"
`
	greeter = `#!/bin/sh
read -r run
echo '{"step":{"text":"I have a look.","calls":[{"name":"look","input":{"at":"oak"}},{"name":"secret","input":{}}]}}'
read -r seen; read -r secret; read -r step_end
echo "{\"final\":{\"output\":[$seen,$secret]}}"
`
	speaks = "[mind]\nkind = \"channel\"\nrun = [\"./it.sh\"]\n[[capabilities]]\nname = \"do\"\n"
)

// TestFederationMinion: in three processes, an agent of one host is the minion of an agent of
// another, and the client that called the first one runs the tools of both. The minion has those
// tools alone that the client lets it have.
func TestFederationMinion(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	f := federation{t, t.TempDir()}
	at := func(name string) string { return filepath.Join(f.dir, name) }
	first := newAgentHost(t, map[string]string{"boss.toml": speaks, "it.sh": boss})
	second := newAgentHost(t, map[string]string{"friend.toml": speaks, "it.sh": greeter})
	client := &agentHost{t: t, home: at("client")} // it has a key, and no host
	key, who := f.key(client, "client")
	for _, h := range []*agentHost{first, second} {
		operator, _ := f.key(h, "operator")
		f.must("agent", "delegate", "--to", who.String(), "--allow", "*", "--key", operator, "--out", filepath.Join(h.home, "chain"))
		h.start("--public", "127.0.0.1:0")
	}
	talk := func(lent string) string {
		tools := fmt.Sprintf(`[{"name":"look","run":["/bin/sh","-c","cat >> looked; echo '\"an owl\"'"]},{"name":"secret","run":["/bin/sh","-c","echo told >> looked; echo 4711"]},
{"name":"friend","agent":"%s/friend/do","under":%q,"tools":[%s]}]`, second.public, filepath.Join(second.home, "chain"), lent)
		if err := os.WriteFile(at("tools.json"), []byte(tools), 0o600); err != nil {
			t.Fatal(err)
		}
		return f.must("agents", "talk", first.public+"/boss/do", "1", "--under", filepath.Join(first.home, "chain"), "--key", key, "--home", client.home, "--tools", at("tools.json"), "--json")
	}
	out := talk(`"look"`)
	for _, want := range []string{`"minion_start":{"id":"1","name":"friend"}`, `"minion":"1","n":1,"text":"I have a look."`, `an owl`, "there is no tool", `"attested":true`} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in %s", want, out)
		}
	}
	if raw, err := os.ReadFile(at("looked")); err != nil || string(raw) != `{"at":"oak"}` || strings.Contains(out, "4711") {
		t.Errorf("the tools read %s, %v: %s", raw, err, out)
	}
	if out := talk(""); strings.Contains(out, "owl") || !strings.Contains(out, "there is no tool") {
		t.Errorf("a minion that has no tool of the client: %s", out)
	}
	for h, agent := range map[*agentHost]string{first: "boss", second: "friend"} {
		if ends := f.lines(h, agent, "--with", who.String(), "--result", "settled"); len(ends) != 2 {
			t.Errorf("the log of %s has %d calls of the client: %+v", agent, len(ends), ends)
		}
	}
}
