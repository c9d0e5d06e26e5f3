package door

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ojud/agent/delegation"
	"ojud/agent/host"
	"ojud/agent/host/shell"
	"ojud/casefile"
	"ojud/casefile/agentcard"
	"ojud/ledger/transact"
)

// friend is an agent that a client calls as a minion. It reads the client's context, and calls two
// tools of the client: one that minions may call, and one that nobody offers.
const friend = `#!/bin/sh
read -r run
echo '{"step":{"text":"I greet.","calls":[{"name":"look","input":{"at":"pine"}},{"name":"friend1","input":1}]}}'
read -r seen; read -r none; read -r end
case "$run" in *'"looked"'*) ;; *) exit 3 ;; esac
case "$seen" in *feathers*pine*) ;; *) exit 4 ;; esac
case "$none" in *error*) ;; *) exit 5 ;; esac
echo '{"final":{"output":"welcome","usage":{"prompt_tokens":700}}}'
`

const friendly = `[mind]
kind = "channel"
run = ["./friend.sh"]
[[capabilities]]
name = "greet"
`

// clientsOf are the examples in Python and JavaScript, as words of a command. If the machine lacks
// a tool, the test fails only if A2A_CLIENTS is set, as make clients does.
func clientsOf(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{
		"Python":     {os.Getenv("A2A_PYTHON"), "-B", "../../../clients/python/examples/call.py"},
		"JavaScript": {"node", "../../../clients/js/examples/call.mjs"},
	}
	for name, words := range all {
		_, missing := exec.LookPath(words[0])
		if name == "JavaScript" && missing == nil {
			_, missing = os.Stat("../../../clients/js/node_modules/ws")
		}
		if missing != nil {
			if os.Getenv("A2A_CLIENTS") != "" || !errors.Is(missing, fs.ErrNotExist) && !errors.Is(missing, exec.ErrNotFound) {
				t.Errorf("%s: %v", name, missing)
			}
			t.Logf("NOT RUN: the client in %s is not on this machine: %v", name, missing)
			delete(all, name)
		}
	}
	return all
}

// TestAbroadClients: the clients in Python and JavaScript call an agent of a host by a delegation,
// run a tool for it, call two agents for it with one budget, and check its signature. They find the
// agent and one of the two by their cards, too. Without the delegation, and at a host with another
// key, they get nothing.
func TestAbroadClients(t *testing.T) {
	t.Parallel()
	for name, words := range clientsOf(t) {
		answers := []string{
			`{"thought":"I look.","action":"call","tool":"look","input":{"at":"oak"}}`,
			`{"thought":"I ask.","action":"call","tool":"friend","input":{"who":"me"}}`,
			`{"thought":"I ask again.","action":"call","tool":"friend1","input":{"who":"me"}}`,
			`{"thought":"Now I know.","action":"finish","result":"an owl"}`,
		}
		model := &script{}
		f := publish(t, agentsHome(t, map[string]string{"s.toml": solver, "f.toml": friendly, "friend.sh": friend}), "127.0.0.1:0", shell.Means{Transport: model})
		folder := t.TempDir()
		path := filepath.Join(folder, "key.json")
		key, _, err := transact.LoadOrCreateKeypair(path)
		if err != nil {
			t.Fatal(err)
		}
		carol := shell.Signer{Keypair: key}
		chain := func(name string, links []*delegation.Delegation) string {
			raw, err := delegation.Bundle(links)
			if err == nil {
				err = os.WriteFile(filepath.Join(folder, name), raw, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			return filepath.Join(folder, name)
		}
		good := chain("good", f.allow(carol.Principal(), "/", 100_000))
		court := ""
		run := func(chain, address string, friend ...string) (out, said string, err error) {
			args := words[1:len(words):len(words)]
			if court != "" {
				args = append(args, "--court", court)
			}
			args = append(args, address, `{"who":"sits in the oak","n":1.5}`, chain, path)
			cmd := exec.CommandContext(t.Context(), words[0], append(args, friend...)...)
			cmd.Env = append(os.Environ(), "PYTHONPATH=../../../clients/python")
			var b strings.Builder
			cmd.Stderr = &b
			raw, err := cmd.Output()
			return string(raw), b.String(), err
		}
		called := func(address, friend string) string {
			model.answers = answers
			out, said, err := run(good, address, friend, "agent://"+f.at+"/f/greet")
			var a shell.Returned
			if err != nil || json.Unmarshal([]byte(out), &a) != nil || a.Status != host.OK || string(a.Result) != `"an owl"` || len(a.Attestation) == 0 {
				t.Fatalf("%s: %s %s, %v", name, out, said, err)
			}
			return said
		}
		said := called("agent://"+f.at+"/s/solve", "agent://"+f.at+"/f/greet")
		for _, want := range []string{"can be called for", "solve", "call ", "result ", "feathers", "final ", "minion_start ", "I greet.", "welcome", `"looked"`, "the budget of model calls is used up"} {
			if !strings.Contains(said, want) {
				t.Errorf("%s does not hear %q: %s", name, want, said)
			}
		}
		court = f.court(t)
		called("agent://s/solve", "agent://f/greet")
		mallory := &farHost{hosted: f.hosted, operator: freshKey(t), at: f.at}
		for _, k := range []struct{ address, chain, want string }{
			{"agent://" + f.at + "/s/solve", chain("other", f.allow(carol.Principal(), "/s/other", 1)), "InvalidCommand"},
			{"agent://" + f.at + "/s/solve", chain("poor", f.allow(carol.Principal(), "/s/solve", 1)), "MatchError"},
			{"agent://" + f.at + "/none/solve", good, "no such agent"},
			{"agent://" + f.at + "/s/solve", chain("mallory", mallory.allow(carol.Principal(), "/s/solve", 100_000)), "authority"},
			{"agent://" + strings.TrimPrefix(mallory.operator.Principal().String(), "did:key:") + "@" + f.at + "/s/solve", good, "operator"},
			{"agent://" + f.at + "/../solve", good, "no address"},
			{"agent://s/solve", chain("elsewhere", mallory.allow(carol.Principal(), "/s/solve", 100_000)), "at which the chain begins"},
			{"agent://none/solve", good, "at which the chain begins"},
		} {
			if out, said, err := run(k.chain, k.address); err == nil || !strings.Contains(said, k.want) {
				t.Errorf("%s calls %s: %s %s; want %q", name, k.address, out, said, k.want)
			}
		}
	}
}

// court is the API of a node that lists the agents "s" and "f", whose cards say where they are.
func (f *farHost) court(t *testing.T) string {
	t.Helper()
	answers := map[string]string{}
	for _, id := range []string{"s", "f"} {
		key, err := transact.LoadKeypair(filepath.Join(f.home, shell.Folder, "keys", id+".json"))
		if err != nil {
			t.Fatal(err)
		}
		who := casefile.Address(key.Address())
		at := "agent://" + strings.TrimPrefix(f.operator.Principal().String(), "did:key:") + "@" + f.at + "/" + id
		card, err := agentcard.Sign([]byte(`{"name":"`+id+`","description":"d","version":"1","supportedInterfaces":[{"url":"`+at+`","protocolBinding":"OJUD-AGENT","protocolVersion":"1"}],
			"capabilities":{},"defaultInputModes":["a/b"],"defaultOutputModes":["a/b"],"skills":[]}`), who, func(m []byte) [64]byte { return key.Sign(m) })
		if err != nil {
			t.Fatal(err)
		}
		answers["/"+id+`"`] = fmt.Sprintf(`{"agents":[{"authority":%q,"card_hash":%q,"card":%s}],"found":1,"waiting":0}`, who, casefile.Digest(casefile.HashOf(card)), card)
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, known := answers[r.URL.Query().Get("q")]
		if r.URL.Path != "/v1/agents" || !known {
			answer = `{"agents":[],"found":0,"waiting":0}`
		}
		if _, err := io.WriteString(w, answer); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// TestAttackThrowingListener: a listener of the client in JavaScript that throws when one minion
// begins does not keep the next one waiting for ever. A machine without the client is as above.
func TestAttackThrowingListener(t *testing.T) {
	t.Parallel()
	_, missing := exec.LookPath("node")
	if missing == nil {
		_, missing = os.Stat("../../../clients/js/node_modules/ws")
	}
	if missing != nil {
		if os.Getenv("A2A_CLIENTS") != "" {
			t.Error(missing)
		}
		t.Logf("NOT RUN: the client is not on this machine: %v", missing)
		return
	}
	model := &script{answers: []string{
		`{"thought":"I look.","action":"call","tool":"look","input":{"at":"oak"}}`,
		`{"thought":"I ask.","action":"call","tool":"friend","input":{"who":"me"}}`,
		`{"thought":"I ask again.","action":"call","tool":"friend1","input":{"who":"me"}}`,
		`{"thought":"Now I know.","action":"finish","result":"an owl"}`,
	}}
	f := publish(t, agentsHome(t, map[string]string{"s.toml": solver, "f.toml": friendly, "friend.sh": friend}), "127.0.0.1:0", shell.Means{Transport: model})
	path := filepath.Join(t.TempDir(), "key.json")
	key, _, err := transact.LoadOrCreateKeypair(path)
	if err != nil {
		t.Fatal(err)
	}
	chain, err := delegation.Bundle(f.allow(shell.Signer{Keypair: key}.Principal(), "/", 100_000))
	if err == nil {
		err = os.WriteFile(path+".chain", chain, 0o600)
	}
	example, bad := os.ReadFile("../../../clients/js/examples/call.mjs")
	here, worse := filepath.Abs("../../../clients/js")
	if err = errors.Join(err, bad, worse); err != nil {
		t.Fatal(err)
	}
	program := strings.Replace(string(example), "'../node.mjs'", "'"+here+"/node.mjs'", 1)
	program = strings.Replace(program, "heard: (kind, value) => ", "heard: (kind, value) => kind === 'minion_start' && value.name === 'friend' ? fail() : ", 1) +
		"\nfunction fail() { throw new Error('of the listener'); }\n"
	if err := os.WriteFile(path+".mjs", []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	at := "agent://" + f.at
	out, err := exec.CommandContext(ctx, "node", path+".mjs", at+"/s/solve", `{"who":"sits in the oak","n":1.5}`, path+".chain", path, at+"/f/greet", at+"/f/greet").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "an owl") || !strings.Contains(string(out), "of the listener") || !strings.Contains(string(out), "welcome") {
		t.Errorf("%v: %s", err, out)
	}
}
