package agents

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"ojud/agent"
	"ojud/agent/delegation"
	"ojud/agent/host"
	"ojud/agent/host/attest"
	"ojud/agent/host/door"
	"ojud/agent/host/shell"
	"ojud/casefile"
	"ojud/cmd/ojud/cli"
)

// asker is an agent that calls what its client offers, and friend is one that makes a step.
var programs = map[string]string{
	"asker.sh": `#!/bin/sh
read -r run
echo '{"step":{"calls":[{"name":"look","input":{"at":"oak"}},{"name":"look","input":{"at":7}},{"name":"friend","input":"hello"},{"name":"broken","input":1}]}}'
read -r a; read -r b; read -r c; read -r d
echo "{\"final\":{\"output\":[$run,$a,$b,$c,$d]}}"
`,
	"asker.toml": "autonomy = 0\n[mind]\nkind = \"channel\"\nrun = [\"./asker.sh\"]\n[[capabilities]]\nname = \"do\"\n",
	"friend.sh": `#!/bin/sh
read -r run
echo '{"step":{"text":"I greet."}}'
read -r end
case "$run" in *'"context":{"plan":1}'*) ;; *) exit 3 ;; esac
echo '{"final":{"output":"welcome"}}'
`,
	"friend.toml": "[mind]\nkind = \"channel\"\nrun = [\"./friend.sh\"]\n[[capabilities]]\nname = \"greet\"\n[[capabilities]]\nname = \"fail\"\n",
}

const described = `[{"name":"look","description":"Looks into a tree","inputSchema":{"type":"object","properties":{"at":{"type":"string"}}},
"outputSchema":{"type":"string"},"run":["/bin/sh","-c","cat >> %DIR%/looked; cat $AGENT_CONTEXT >> %DIR%/looked; echo '{\"plan\":2}' > $AGENT_CONTEXT; echo '\"feathers\"'"]},
{"name":"broken","description":"An agent that is not there","agent":"agent://nobody/greet"}]`

// hosted runs a host of such agents, and returns its home.
func hosted(t *testing.T) string {
	t.Helper()
	return hostOf(t, programs, shell.Means{})
}

// hostOf runs a host of agents, and returns its home.
func hostOf(t *testing.T, files map[string]string, means shell.Means) string {
	t.Helper()
	home := t.TempDir()
	folder := filepath.Join(home, shell.Folder)
	err := os.MkdirAll(folder, 0o700)
	for name, text := range files {
		err = errors.Join(err, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o700))
	}
	if err != nil {
		t.Fatal(err)
	}
	means.LookupEnv = os.LookupEnv
	h, err := shell.Open(home, means)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	d, err := door.Listen(ctx, home, "127.0.0.1:0", h, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- d.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := errors.Join(<-served, h.Close()); err != nil {
			t.Error(err)
		}
	})
	return home
}

// typed runs talk with these words.
func typed(t *testing.T, home string, words ...string) (string, error) {
	t.Helper()
	return typedIn(t.Context(), home, words...)
}

func typedIn(ctx context.Context, home string, words ...string) (string, error) {
	var out bytes.Buffer
	a := cli.New(os.Environ(), &out, &out)
	a.Home, a.JSON = home, true
	cmd := newTalk(a)
	cmd.SetArgs(words)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err := cmd.ExecuteContext(ctx)
	return out.String(), err
}

// TestTake: a host that repeats a call, or asks without end, has no more programs run, and is told
// of each call beyond the limit.
func TestTake(t *testing.T) {
	t.Parallel()
	made, told := 0, 0
	c := counted{}
	for n := range 2 * maxCalls {
		first, refused := c.take(strconv.Itoa(n), maxCalls)
		if again, _ := c.take(strconv.Itoa(n), maxCalls); again && refused == nil {
			t.Fatalf("call %d is made twice", n)
		}
		if first && refused == nil {
			made++
		} else if first {
			told++
		}
	}
	if made != maxCalls || told != maxCalls {
		t.Errorf("%d calls are made and %d refused, not %d", made, told, maxCalls)
	}
}

// TestAttackGreedyMinion: a minion that calls a tool without end is told that it has made its
// calls, and uses up none of those of the agent.
func TestAttackGreedyMinion(t *testing.T) {
	t.Parallel()
	const kind = "[mind]\nkind = \"channel\"\nrun = [\"./%s.sh\"]\n[[capabilities]]\nname = \"do\"\n"
	home := hostOf(t, map[string]string{
		"boss.toml": fmt.Sprintf(kind, "boss"), "greedy.toml": fmt.Sprintf(kind, "greedy"),
		"boss.sh": `#!/bin/sh
read -r run
echo '{"step":{"calls":[{"name":"greedy","input":1}]}}'
read -r a; read -r end
echo '{"step":{"calls":[{"name":"look","input":1}]}}'
read -r b; read -r end
echo "{\"final\":{\"output\":[$a,$b]}}"
`,
		"greedy.sh": `#!/bin/sh
read -r run
for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do
	c="{\"name\":\"look\",\"input\":$n}"
	echo "{\"step\":{\"calls\":[$c,$c,$c,$c,$c,$c,$c,$c]}}"
	for m in 1 2 3 4 5 6 7 8; do read -r last; done; read -r end
done
echo "{\"final\":{\"output\":$last}}"
`,
	}, shell.Means{})
	dir := t.TempDir()
	file := filepath.Join(dir, "tools.json")
	tools := fmt.Sprintf(`[{"name":"look","description":"d","inputSchema":{},"run":["/bin/sh","-c","echo >> %s/looked; echo 1"]},
{"name":"greedy","description":"d","agent":"agent://greedy/do","tools":["look"]}]`, dir)
	if err := os.WriteFile(file, []byte(tools), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := typed(t, home, "agent://boss/do", "0", "--tools", file)
	if err != nil || strings.Count(out, "it has made 100 calls") < 12 {
		t.Errorf("%v: %s", err, out)
	}
	looked, err := os.ReadFile(filepath.Join(dir, "looked"))
	if err != nil || len(looked) != maxLent+1 {
		t.Errorf("the tool ran %d times, not %d for the minion and once for the agent: %v", len(looked), maxLent, err)
	}
}

// TestToolEnds: when a tool ends by itself, or the call is over, all that it started ends with it.
// It has no terminal for which it could stop.
func TestToolEnds(t *testing.T) {
	t.Parallel()
	for name, over := range map[string]bool{"sleep 60; echo 1": true, "sleep 60 & echo 1": false} {
		pipe := filepath.Join(t.TempDir(), "pipe")
		if err := exec.Command("mkfifo", pipe).Run(); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		begun := time.Now()
		go func() {
			_, err := execute(ctx, []string{"sh", "-c", "exec 3> " + pipe + "; " + name}, json.RawMessage("1"), "X=1")
			done <- err
		}()
		held, err := os.Open(pipe) // the tool has begun
		if err != nil {
			t.Fatal(err)
		}
		if over {
			cancel()
		}
		if err := <-done; (err != nil) != over {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := io.ReadAll(held); err != nil { // it ends when nobody holds the other end
			t.Error(err)
		}
		if d := time.Since(begun); d > 30*time.Second {
			t.Errorf("%s: the tool, or what it started, went on for %v", name, d)
		}
		cancel()
		if err := held.Close(); err != nil {
			t.Error(err)
		}
	}
	if runtime.GOOS == "linux" {
		raw, err := execute(t.Context(), []string{"sh", "-c", `echo "[$$,$(cut -d' ' -f6 /proc/$$/stat)]"`}, json.RawMessage("1"), "X=1")
		var of [2]int // process and session: the first process of a new session has no terminal
		if err != nil || json.Unmarshal(raw, &of) != nil || of[0] != of[1] {
			t.Errorf("%s, %v", raw, err)
		}
	}
	for program, want := range map[string]string{`echo "\"$X\""`: `"y"`, "yes": "more than", "exit 3": "exit status 3", "echo owl": "JSON"} {
		raw, err := execute(t.Context(), []string{"sh", "-c", program}, json.RawMessage("1"), "X=y")
		if got := fmt.Sprintf("%s%v", bytes.TrimSpace(raw), err); !strings.Contains(got, want) {
			t.Errorf("%s: %s, not %s", program, got, want)
		}
	}
}

// TestAttackMinions: an agent of another host gets no minion of the own one, and calls of minions
// spend one budget, however often a host asks for them and whatever it says that they spent.
func TestAttackMinions(t *testing.T) {
	t.Parallel()
	_, err := typed(t, t.TempDir(), "agent://mallory.example:1/boss/do", "1", "--minion", "pay=agent://wallet/pay")
	if err == nil || !strings.Contains(err.Error(), "an agent of your own host") {
		t.Errorf("%v", err)
	}
	for _, k := range []struct {
		said *agent.Usage
		left int64
	}{{&agent.Usage{Prompt: 300, Completion: 100}, 600}, {&agent.Usage{Prompt: 5000}, 0}, {&agent.Usage{Prompt: -5000}, 0}, {nil, 0}} {
		p := &purse{}
		if err := p.take(distant{tokens: "1000"}); err != nil {
			t.Fatal(err)
		}
		p.giveBack(p.far(), k.said)
		if err := p.take(distant{tokens: "1000"}); err != nil || p.far() != (delegation.Amounts{0, k.left, 0}) {
			t.Errorf("after %+v, %d is left, not %d tokens, %v", k.said, p.far(), k.left, err)
		}
		p.giveBack(p.far(), nil)
	}
}

// TestOffers: an agent reads what the tools of its client are for and take, no program runs on an
// input that does not fit, and an agent of the client answers as a minion whose steps are shown.
func TestOffers(t *testing.T) {
	t.Parallel()
	home, dir := hosted(t), t.TempDir()
	file := filepath.Join(dir, "tools.json")
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(described, "%DIR%", dir)), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := typed(t, home, "agent://asker/do", "1", "--tools", file, "--minion", "friend=agent://friend/greet", "--context", `{"plan":1}`)
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, want := range []string{
		`{"minion_start":{"id":"3","name":"friend"}}`, `{"step":{"minion":"3","n":1,"text":"I greet."`, `{"minion_result":{"id":"3","name":"friend","output":"welcome"`,
		`"description":"Looks into a tree"`, `"properties":{"at":{"type":"string"}}`, `{"id":"1","name":"look","output":"feathers"}`, "this host has no agent",
		`"attested":true`, `{"step_end":{"n":1,"context":{"plan":2}}}`, "An agent of the caller: friend",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in %s", want, out)
		}
	}
	looked, err := os.ReadFile(filepath.Join(dir, "looked"))
	if err != nil || string(looked) != `{"at":"oak"}{"plan":1}` {
		t.Errorf("the program read %s, %v", looked, err)
	}
	lent := filepath.Join(dir, "lent.json")
	if err := os.WriteFile(lent, []byte(`[{"name":"friend","agent":"agent://friend/greet","tools":["look"]}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, k := range []struct {
		want  string
		words []string
	}{
		{"only those that are offered here", []string{"--tools", lent}},
		{"write NAME=PROGRAM", []string{"--tool", "x"}}, {"write NAME=ADDRESS", []string{"--minion", "x="}}, {"given twice", []string{"--tool", "x=a", "--minion", "x=agent://a/b"}},
		{"no address of a capability", []string{"--minion", "x=agent://a"}}, {"no list of tools", []string{"--tools", filepath.Join(home, shell.Folder, "asker.toml")}},
		{"cannot be used", []string{"--tool", "a b=c"}}, {"leave them out", []string{"--tokens", "1"}},
	} {
		if _, err := typed(t, home, append([]string{"agent://asker/do", "1"}, k.words...)...); err == nil || !strings.Contains(err.Error(), k.want) {
			t.Errorf("%q: %v", k.words, err)
		}
	}
}

// TestAttackOwnMinions: an agent that has a client call an agent of the own host gets none of the
// operator's rights by it. A person is asked where its file says so, it knows nothing of the
// operator's calls, and all calls of minions spend one budget.
func TestAttackOwnMinions(t *testing.T) {
	t.Parallel()
	const kind = "[mind]\nkind = \"channel\"\nrun = [\"./%s.sh\"]\n[[capabilities]]\nname = \"do\"\n"
	files := map[string]string{
		"boss.toml": fmt.Sprintf(kind, "boss"), "spender.toml": fmt.Sprintf(kind, "spender"),
		"payer.toml": "require_approval = [\"finance\"]\n" + fmt.Sprintf(kind, "payer") + "approval = [\"finance\"]\n",
		"asked.toml": fmt.Sprintf(kind, "payer") + "approval = [\"money\"]\n",
		"boss.sh": `#!/bin/sh
read -r run
echo '{"step":{"calls":[{"name":"it","input":1},{"name":"it","input":2}]}}'
read -r a; read -r b
echo "{\"final\":{\"output\":[$a,$b]}}"
`,
		"spender.sh": `#!/bin/sh
read -r run
echo "{\"final\":{\"output\":$run,\"usage\":{\"prompt_tokens\":700}}}"
`,
		"payer.sh": "#!/bin/sh\necho '{\"final\":{\"output\":\"paid\"}}'\n",
	}
	waits := make(chan host.Invocation, 9)
	home := hostOf(t, files, shell.Means{Waits: func(c host.Invocation) { waits <- c }})
	g, err := door.Open(home)
	if err != nil {
		t.Fatal(err)
	}
	order := attest.Commission{Target: "agent://spender/do", Payload: json.RawMessage(`"my secret"`)}
	if a, _, err := g.Invoke(t.Context(), order, casefile.DID{}); err != nil || a.Status != host.OK {
		t.Fatalf("%+v, %v", a, err)
	}
	out, err := typed(t, home, "agent://boss/do", "0", "--minion", "it=agent://spender/do", "--tokens", "1000")
	if err != nil || strings.Contains(out, "my secret") || !strings.Contains(out, `"output":{"run":{"about":{"call":`) || !strings.Contains(out, `"caller":"did:key:`) {
		t.Errorf("%v: %s", err, out)
	}
	if !strings.Contains(out, "the budget of model calls is used up") {
		t.Errorf("both calls spend 700 tokens of 1000: %s", out)
	}
	for _, payer := range []string{"payer", "asked"} {
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan string, 1)
		go func() {
			out, _ := typedIn(ctx, home, "agent://boss/do", "0", "--minion", "it=agent://"+payer+"/do")
			ended <- out
		}()
		select {
		case c := <-waits:
			if c.Target.Agent != payer || c.Caller == host.Operator {
				t.Errorf("%+v waits", c)
			}
		case out := <-ended:
			t.Errorf("nobody is asked: %s", out)
		}
		stop()
		<-ended
	}
}

// TestMinionByKey: a minion is found by its key as the agent that is called is. One of the own host
// is still not offered to an agent of another one.
func TestMinionByKey(t *testing.T) {
	t.Parallel()
	home := hosted(t)
	c, err := door.Open(home)
	if err != nil {
		t.Fatal(err)
	}
	var v host.Portrait
	if err := c.Use(t.Context(), host.Describe, map[string]string{"agent": "friend"}, &v); err != nil {
		t.Fatal(err)
	}
	friend := "friend=agent://" + strings.TrimPrefix(v.DID, "did:key:") + "/greet"
	out, err := typed(t, home, "agent://asker/do", "1", "--minion", friend, "--context", `{"plan":1}`)
	if err != nil || !strings.Contains(out, `"name":"friend","output":"welcome"`) {
		t.Errorf("%v: %s", err, out)
	}
	if _, err = typed(t, home, "agent://mallory.example:1/boss/do", "1", "--minion", friend); err == nil || !strings.Contains(err.Error(), "an agent of your own host") {
		t.Errorf("%v", err)
	}
	stranger := "friend=agent://" + strings.TrimPrefix(casefile.DID{1}.String(), "did:key:") + "/greet"
	if _, err = typed(t, home, "agent://asker/do", "1", "--minion", stranger); err == nil || !strings.Contains(err.Error(), "is no agent of this home") {
		t.Errorf("%v", err)
	}
}

// TestOffersUnder: a chain is only for a minion of another host; elsewhere it would bound nothing.
func TestOffersUnder(t *testing.T) {
	t.Parallel()
	home := hosted(t)
	for entry, refused := range map[string]bool{
		`"run":["look"],"under":"c.chain"`:                        true,
		`"agent":"agent://friend/greet","under":"c.chain"`:        true,
		`"agent":"agent://w.example:1/writer/all","under":"c.ch"`: false,
	} {
		file := filepath.Join(t.TempDir(), "tools.json")
		if err := os.WriteFile(file, []byte(`[{"name":"one","description":"d",`+entry+`}]`), 0o600); err != nil {
			t.Fatal(err)
		}
		o, err := newOffers(file, nil, nil)
		if err == nil {
			err = o.lead(t.Context(), &cli.App{Home: home, Quiet: true}, "")
		}
		if (err != nil) != refused || refused && !strings.Contains(err.Error(), `has "under"`) {
			t.Errorf("%s: %v", entry, err)
		}
	}
}
