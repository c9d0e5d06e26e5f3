package shell

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/agent/host"
	"ojud/agent/host/attest"
	"ojud/agent/host/keep"
	"ojud/casefile"
	"ojud/ledger/transact"
)

// program answers by the word that is its payload.
const program = `#!/bin/sh
in=$(cat)
case "$in" in
*'"payload":"sleep"'*) sleep 20 ;;
*'"payload":"burn"'*) while :; do :; done ;;
*'"payload":"eat"'*) x=aaaaaaaa; while :; do x=$x$x$x$x; done ;;
*'"payload":"fail"'*) echo "no such luck" >&2; exit 3 ;;
*'"payload":"prose"'*) echo "well, then" ;;
*'"payload":"shout"'*) i=0; while [ $i -lt 70000 ]; do echo '"0123456789"'; i=$((i+1)); done ;;
*'"payload":"remember"'*) case "$in" in *'"memories"'*) echo true ;; *) echo false ;; esac ;;
*'"payload":"environ"'*) echo "\"$LEVEL $SECRET ${AGENT_TOKEN:+pass} $(pwd)\"" ;;
*) echo '"done"' ;;
esac
`

const file = `autonomy = %d
calls = ["*"]
[mind]
kind = "executable"
run = ["./program.sh"]
pass = ["LEVEL"]
[[capabilities]]
name = "do"
input = '{"type":"string"}'
output = '{"type":["string","boolean"]}'
[limits]
concurrent = 2
cpu = "1s"
memory_mb = 32
time = "10s"
`

// home makes a home with agents a0 to a4, by their autonomy.
func home(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	folder := filepath.Join(dir, Folder)
	err := errors.Join(os.MkdirAll(folder, 0o700), os.WriteFile(filepath.Join(folder, "program.sh"), []byte(program), 0o700))
	for n := range 5 {
		err = errors.Join(err, os.WriteFile(filepath.Join(folder, fmt.Sprintf("a%d.toml", n)), fmt.Appendf(nil, file, n), 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func open(t testing.TB, dir string) *Host {
	t.Helper()
	h, err := Open(dir, Means{LookupEnv: func(name string) (string, bool) {
		if name == "PATH" {
			return os.Getenv(name), true
		}
		return "of " + name, name == "LEVEL" || name == "SECRET"
	}})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

var operator = Caller{ID: host.Operator}

func word(payload string) attest.Commission {
	return attest.Commission{Target: "agent://a1/do", Payload: json.RawMessage(`"` + payload + `"`)}
}

// TestCalls: each way in which a call ends is told to its caller, and signed by the agent.
func TestCalls(t *testing.T) {
	t.Parallel()
	h := open(t, home(t))
	defer func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	}()
	for _, k := range []struct{ payload, status, want string }{
		{"x", host.OK, `"done"`},
		{"environ", host.OK, "of LEVEL  pass " + filepath.Join(h.dir, "work", "a1")},
		{"remember", host.OK, "true"},
		{"fail", host.Failed, "no such luck"},
		{"prose", host.Failed, "did not print one JSON value"},
		{"shout", host.Failed, "printed more than 524288 bytes"},
		{"burn", host.Failed, "was ended: the programs of the call used 1s of processor time (limits.cpu)"},
		{"eat", host.Failed, "failed"},
		{"sleep", host.TimedOut, "the time of the call is over"},
	} {
		o := word(k.payload)
		o.Correlation = k.payload
		if o.Timeout = 9_000; k.payload == "sleep" {
			o.Timeout = 300
		}
		c, err := h.Invoke(t.Context(), operator, o)
		if err != nil || c.Status != k.status || !strings.Contains(string(c.Result)+c.Problem, k.want) {
			t.Errorf("%s: %s %s %s, %v", k.payload, c.Status, c.Result, c.Problem, err)
			continue
		}
		if k.payload == "burn" && (c.CPU < 500 || c.CPU > 2_000) {
			t.Errorf("a program that burned a second used %d ms", c.CPU)
		}
		v, err := h.Look(operator, "a1")
		if err != nil {
			t.Fatal(err)
		}
		did, err := casefile.ParseDID(v.DID)
		o.Caller = host.Operator
		if err = errors.Join(err, attest.Check(c, o, did)); err != nil {
			t.Errorf("%s: %v", k.payload, err)
		}
		o.Payload = json.RawMessage(`"y"`)
		if attest.Check(c, o, did) == nil {
			t.Errorf("%s: the attestation holds for another task", k.payload)
		}
	}
	c, err := h.Invoke(t.Context(), operator, attest.Commission{Target: "a1/do", Payload: json.RawMessage("42")})
	if err != nil || c.Status != host.Failed || !strings.Contains(c.Problem, "the input") {
		t.Errorf("%+v, %v", c, err)
	}
	for want, o := range map[string]attest.Commission{
		"no address of a capability": {Target: "a1"}, "address on another host": {Target: "agent://h:1/a1/do"}, "no capability": {Target: "a1/none"},
		"no agent": {Target: "none/do"}, "payload cannot be used": {Target: "a1/do", Payload: json.RawMessage("9007199254740993")},
		"correlation_id is": {Target: "a1/do", Correlation: "a b"}, "timeout_ms is": {Target: "a1/do", Timeout: 1e9},
	} {
		var refused *host.Refused
		if _, err := h.Invoke(t.Context(), operator, o); !errors.As(err, &refused) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// TestTwice: a second call with the same correlation id gets the end of the first, also after a
// restart, and a full agent refuses with the reason.
func TestTwice(t *testing.T) {
	t.Parallel()
	dir := home(t)
	h := open(t, dir)
	slow := word("sleep")
	slow.Timeout = 1_000
	var ends []chan host.Invocation
	for _, id := range []string{"one", "two"} {
		o := slow
		o.Correlation = id
		end, _ := begun(t, h, o)
		ends = append(ends, end)
	}
	if _, err := h.Invoke(t.Context(), operator, word("x")); err == nil || !strings.Contains(err.Error(), "limit is 2 (limits.concurrent)") {
		t.Errorf("%v", err)
	}
	same := slow
	same.Correlation = "one"
	c, err := h.Invoke(t.Context(), operator, same)
	first, second := <-ends[0], <-ends[1]
	if err != nil || c.ID != first.ID && c.ID != second.ID || c.Status != host.TimedOut {
		t.Errorf("%+v, %v", c, err)
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	h = open(t, dir)
	again, err := h.Invoke(t.Context(), operator, same)
	if err != nil || again.ID != c.ID || string(again.Attestation) != string(c.Attestation) {
		t.Errorf("%+v, %v", again, err)
	}
	same.Payload = json.RawMessage(`"x"`)
	if _, err := h.Invoke(t.Context(), operator, same); err == nil || !strings.Contains(err.Error(), "stands for another call") {
		t.Error(err)
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
}

// begun makes a call of the operator without waiting for its end, which comes over the channel.
func begun(t *testing.T, h *Host, order attest.Commission) (end chan host.Invocation, id string) {
	t.Helper()
	end = make(chan host.Invocation, 1)
	c, err := prepare(operator, &order)
	if err != nil {
		t.Fatal(err)
	}
	waits, err := h.grant(&c, order, nil)
	if err != nil {
		t.Fatal(err)
	}
	if taken, err := h.admit(&c, waits, end, nil); err != nil || !taken {
		t.Fatalf("taken %t, %v", taken, err)
	}
	return end, c.ID
}

// TestLives: an agent is spawned, hibernates, wakes and is terminated, and all that is there after
// a restart. The key of a terminated agent is in the archive.
func TestLives(t *testing.T) {
	t.Parallel()
	dir := home(t)
	h := open(t, dir)
	ask := func(what host.Demand) {
		t.Helper()
		if err := h.Ask(t.Context(), operator, "b", what); err != nil {
			t.Fatal(err)
		}
	}
	life := func(want host.Life) {
		t.Helper()
		if v, err := h.Look(operator, "b"); err != nil || v.Life != want {
			t.Errorf("%+v, %v; want %s", v, err, want)
		}
	}
	if err := h.Spawn(operator, Seed{ID: "b", Like: "a1"}); err != nil {
		t.Fatal(err)
	}
	life(host.Created)
	ask(host.Wake)
	life(host.Running)
	ask(host.Hibernate)
	life(host.Dormant)
	if err := h.Learn(operator, "b", "a question", "an answer"); err != nil {
		t.Fatal(err)
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	h = open(t, dir)
	life(host.Dormant)
	c, err := h.Invoke(t.Context(), operator, attest.Commission{Target: "b/do", Payload: json.RawMessage(`"x"`)})
	if err != nil || c.Status != host.OK {
		t.Errorf("%+v, %v", c, err)
	}
	if all, err := h.Recall(operator, "b", keep.Pattern, "question", 9); err != nil || len(all) != 1 {
		t.Errorf("%+v, %v", all, err)
	}
	ask(host.Terminate)
	if _, err := os.Stat(filepath.Join(h.dir, "keys", "archive", "b.json")); err != nil {
		t.Error(err)
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	h = open(t, dir)
	life(host.Terminated)
	if _, err := h.Invoke(t.Context(), operator, attest.Commission{Target: "b/do"}); err == nil || !strings.Contains(err.Error(), "terminated") {
		t.Error(err)
	}
	if err := h.Spawn(operator, Seed{ID: "b", Like: "a1"}); err == nil || !strings.Contains(err.Error(), "take another id") {
		t.Error(err)
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
}

// TestMissingKeys: a key that a file names, and the key of an agent that has lived, are never made
// anew, and a key that a file names stays in its place when its agent is terminated.
func TestMissingKeys(t *testing.T) {
	t.Parallel()
	dir := home(t)
	folder := filepath.Join(dir, Folder)
	wallet, own := filepath.Join(folder, "wallet.json"), filepath.Join(folder, "keys", "a2.json")
	text := fmt.Appendf([]byte("key = \"wallet.json\"\n"), file, 1)
	if err := os.WriteFile(filepath.Join(folder, "a1.toml"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	refused := func(missing string) {
		t.Helper()
		h, err := Open(dir, Means{LookupEnv: os.LookupEnv})
		if err == nil {
			t.Fatal("the host starts", h.Close())
		}
		if !strings.Contains(err.Error(), "there is no key file "+missing) {
			t.Error(err)
		}
		if _, err := os.Stat(missing); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s was made: %v", missing, err)
		}
	}
	refused(wallet)
	if _, _, err := transact.LoadOrCreateKeypair(wallet); err != nil {
		t.Fatal(err)
	}
	h := open(t, dir)
	if err := errors.Join(h.Ask(t.Context(), operator, "a1", host.Terminate), h.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(wallet); err != nil {
		t.Error(err)
	}
	if err := os.Remove(own); err != nil {
		t.Fatal(err)
	}
	refused(own)
}

// TestIsolation: what an agent may do through the capabilities of the host, while it is in a call,
// and that it neither reads nor writes the memory of another.
func TestIsolation(t *testing.T) {
	t.Parallel()
	h := open(t, home(t))
	defer func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	}()
	if err := h.Learn(operator, "a0", "the secret", "is xyzzy"); err != nil {
		t.Fatal(err)
	}
	outside := Caller{ID: "a4", Call: "over"}
	if _, err := h.Use(t.Context(), outside, "agent.list", nil); err == nil || !strings.Contains(err.Error(), "is over") {
		t.Errorf("an agent acts outside of a call: %v", err)
	}
	in := func(n int, o attest.Commission) Caller {
		id := fmt.Sprint("a", n)
		o.Target, o.Payload = id+"/do", json.RawMessage(`"sleep"`)
		ctx, leave := context.WithCancel(t.Context())
		leave() // the call goes on without its caller
		c, err := h.Invoke(ctx, operator, o)
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("%+v, %v", c, err)
		}
		return Caller{id, c.ID}
	}
	callers := map[int]Caller{}
	for n := range 5 {
		callers[n] = in(n, attest.Commission{})
	}
	narrow := in(4, attest.Commission{Allow: []string{"agent.recall", "agent.invoke", "a1.*"}, Deny: []string{"a1.none"}})
	for _, k := range []struct {
		by         Caller
		name, with string
		want       string // part of the refusal; empty: it is done
	}{
		{callers[1], "agent.recall", `{"agent":"a0"}`, "may not read or write the memory of another agent"},
		{callers[4], "agent.recall", `{"agent":"a0","query":"secret"}`, "may not read or write the memory of another agent"},
		{callers[4], "agent.learn", `{"agent":"a0","when":"x","then":"y"}`, "may not read or write the memory of another agent"},
		{callers[4], "agent.recall", `{"agent":"a4/pattern"}`, "no agent"},
		{callers[1], "agent.learn", `{"when":"x","then":"y"}`, ""},
		{callers[1], "agent.recall", `{"query":"x"}`, ""},
		{callers[0], "agent.list", ``, "it needs 1"},
		{callers[1], "agent.list", ``, ""},
		{callers[1], "agent.invoke", `{"target":"a0/do","payload":"x"}`, "it needs 2"},
		{callers[2], "agent.invoke", `{"target":"a0/do","payload":"x"}`, ""},
		{callers[2], "agent.spawn", `{"id":"c","like":"a1"}`, "it needs 3"},
		{callers[3], "agent.spawn", `{"id":"c","text":"x"}`, "only spawn copies"},
		{callers[3], "agent.spawn", `{"id":"c","like":"a4"}`, "has at most as much"},
		{callers[3], "agent.spawn", `{"id":"c","like":"a2"}`, ""},
		{callers[3], "agent.spawn", `{"id":"../c","like":"a2"}`, "id is"},
		{callers[3], "agent.terminate", `{"agent":"a1"}`, "only agents that it spawned"},
		{callers[3], "agent.wake", `{"agent":"c"}`, ""},
		{callers[3], "agent.hibernate", `{"agent":"c"}`, ""},
		{callers[3], "agent.terminate", `{"agent":"c"}`, ""},
		{callers[4], "agent.hibernate", `{"agent":"a0"}`, "under way"},
		{callers[4], "agent.status", `{"agent":"a0"}`, ""},
		{callers[4], "agent.status", `{"agent":"a0","more":1}`, "unknown field"},
		{callers[4], "agent.steal", `{}`, "no capability of this name"},
		{narrow, "agent.recall", `{}`, ""},
		{narrow, "agent.learn", `{"when":"x","then":"y"}`, "the call is /agent/learn"},
		{narrow, "agent.invoke", `{"target":"a2/do","payload":"x"}`, "MatchError"},
		{narrow, "agent.invoke", `{"target":"a1/do","payload":"x","timeout_ms":5000}`, ""},
		{narrow, "agent.delegate", `{"target":"a1/do","payload":"x"}`, "/agent/delegate"},
	} {
		raw, err := h.Use(t.Context(), k.by, k.name, json.RawMessage(k.with))
		if k.want == "" && err != nil || k.want != "" && (err == nil || !strings.Contains(err.Error(), k.want)) {
			t.Errorf("%s %s %s: %s, %v; want %q", k.by.ID, k.name, k.with, raw, err, k.want)
		}
		if strings.Contains(string(raw), "xyzzy") {
			t.Errorf("%s %s %s: the secret is out: %s", k.by.ID, k.name, k.with, raw)
		}
	}
}

// TestFiles: a host does not start with files that contradict each other, and says why.
func TestFiles(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(folder string) error{
		"a1.toml:1: autonomy is 9": func(f string) error {
			return os.WriteFile(filepath.Join(f, "a1.toml"), fmt.Appendf(nil, file, 9), 0o600)
		},
		`id is "a0" as that of`: func(f string) error {
			return os.WriteFile(filepath.Join(f, "b.toml"), append([]byte("id = \"a0\"\n"), fmt.Appendf(nil, file, 1)...), 0o600)
		},
		"card: open": func(f string) error {
			return os.WriteFile(filepath.Join(f, "b.toml"), append([]byte("card = \"none.json\"\n"), fmt.Appendf(nil, file, 1)...), 0o600)
		},
		"another key than agent a0 had": func(f string) error {
			return os.Rename(filepath.Join(f, "keys", "a1.json"), filepath.Join(f, "keys", "a0.json"))
		},
	} {
		dir := home(t)
		if err := open(t, dir).Close(); err != nil {
			t.Fatal(err)
		}
		if err := change(filepath.Join(dir, Folder)); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir, Means{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	if _, bad, err := Inspect(home(t)); len(bad) != 0 || err != nil {
		t.Error(bad)
	}
}

// FuzzInput: the input of a capability is one object that is known, or refused as such.
func FuzzInput(f *testing.F) {
	for _, text := range []string{"", "{}", `{"agent":"a"}`, `{"agent":1}`, `{} {}`, `{"target":"a/b","payload":[1]}`, "[", "null"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		_, err := decoded[about](raw)
		_, other := decoded[order](raw)
		for _, err := range []error{err, other} {
			var refused *host.Refused
			if err != nil && (!errors.As(err, &refused) || refused.Code != host.Form) {
				t.Error(err)
			}
		}
	})
}

// BenchmarkWake measures a call of a dormant agent, which starts a program. The floor is the same
// call of an agent that is awake.
func BenchmarkWake(b *testing.B) {
	h := open(b, home(b))
	defer func() {
		if err := h.Close(); err != nil {
			b.Error(err)
		}
	}()
	for name, dormant := range map[string]bool{"dormant": true, "awake": false} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if dormant {
					if err := h.Ask(b.Context(), operator, "a1", host.Hibernate); err != nil {
						b.Fatal(err)
					}
				}
				if c, err := h.Invoke(b.Context(), operator, word("x")); err != nil || c.Status != host.OK {
					b.Fatalf("%+v, %v", c, err)
				}
			}
		})
	}
}
