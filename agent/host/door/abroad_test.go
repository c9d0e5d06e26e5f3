package door

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"ojud/agent"
	"ojud/agent/channel"
	"ojud/agent/channel/line"
	"ojud/agent/delegation"
	"ojud/agent/host"
	"ojud/agent/host/shell"
	"ojud/agent/talk/link"
	"ojud/casefile"
	"ojud/ledger/transact"
	"ojud/test/longtest"
)

// farHost is a host with a public side.
type farHost struct {
	*hosted
	operator shell.Signer
	at       string // HOST:PORT
}

// publish begins a host of the home that callers of other machines reach.
func publish(t *testing.T, home, at string, means shell.Means, change ...func(*farHost)) *farHost {
	t.Helper()
	h, err := shell.Open(home, means)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	d, err := Listen(ctx, home, "127.0.0.1:0", h, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	key, err := transact.LoadKeypair(filepath.Join(home, shell.Folder, "keys", "operator.json"))
	if err != nil {
		t.Fatal(err)
	}
	f := &farHost{hosted: &hosted{t: t, home: home, Door: d, host: h}, operator: shell.Signer{Keypair: key}}
	cert, err := link.Certificate(f.operator, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	bound, err := d.Publish(ctx, at, cert)
	if err != nil {
		t.Fatal(err)
	}
	f.at = bound.String()
	for _, c := range change {
		c(f)
	}
	served := make(chan error, 1)
	go func() { served <- d.Run(ctx) }()
	over := false
	f.stop = func() {
		if !over {
			over = true
			stop()
			if err := errors.Join(<-served, h.Close()); err != nil {
				t.Error(err)
			}
		}
	}
	t.Cleanup(f.stop)
	return f
}

// allow gives a key a link of the operator.
func (f *farHost) allow(to delegation.Principal, command string, tokens int64) []*delegation.Delegation {
	f.t.Helper()
	now := time.Now()
	scope := delegation.Scope{Allow: []string{command}, Budget: delegation.Amounts{-1, tokens, -1}, Until: now.Unix() + 3600, NotBefore: now.Unix() - 1}
	d, err := delegation.Issue(f.operator, to, scope, nil, nil, now)
	if err != nil {
		f.t.Fatal(err)
	}
	return []*delegation.Delegation{d}
}

func (f *farHost) remote(name string) host.Remote {
	f.t.Helper()
	r, err := host.ParseRemote("agent://" + f.at + "/" + name)
	if err != nil {
		f.t.Fatal(err)
	}
	return r
}

func freshKey(t *testing.T) shell.Signer {
	t.Helper()
	key, _, err := transact.LoadOrCreateKeypair(filepath.Join(t.TempDir(), rand.Text()+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return shell.Signer{Keypair: key}
}

func agentsHome(t *testing.T, files map[string]string) string {
	t.Helper()
	home := t.TempDir()
	if err := os.MkdirAll(filepath.Join(home, shell.Folder), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(home, shell.Folder, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return home
}

// TestAbroad: over each carrier, a caller with a delegation reads the steps of an agent of another
// host, runs a tool for it, and gets its signed end. The same call after a restart of the host is
// not made again.
func TestAbroad(t *testing.T) { onEach(t, testAbroad) }

func testAbroad(t *testing.T, way *carrier) {
	model := &script{answers: []string{
		`{"thought":"I look.","action":"call","tool":"look","input":{"at":"oak"}}`,
		`{"thought":"Now I know.","action":"finish","result":"an owl"}`,
	}}
	f := publish(t, agentsHome(t, map[string]string{"s.toml": solver}), "127.0.0.1:0", shell.Means{Transport: model}, way.join)
	carol := freshKey(t)
	a := Abroad{Key: carol, Chain: f.allow(carol.Principal(), "/s/solve", 100_000), To: way.remote(f, "s/solve"), Spend: delegation.Amounts{0, 90_000, 0}}
	order := channel.RunOrder{
		Input: json.RawMessage(`"who sits in the oak?"`), Context: json.RawMessage(`{"mine":1}`),
		Tools: []agent.Repr{{Name: "look", Description: "Looks", InputSchema: json.RawMessage(`{"type":"object"}`)}},
	}
	talk, err := a.Talk(t.Context(), order)
	if err != nil {
		t.Fatal(err)
	}
	heard, end := followTalk(t.Context(), t, talk)
	talk.current().Close()
	if want := "step call result step_end step step_end final end"; heard != want {
		t.Errorf("heard %s, not %s", heard, want)
	}
	r, attested, err := talk.End(end)
	if err != nil || !attested || r.Status != host.OK || string(r.Result) != `"an owl"` || r.Correlation != talk.Correlation() {
		t.Errorf("%+v, %t, %v", r, attested, err)
	}
	at := f.at
	f.stop()
	f = publish(t, f.home, at, shell.Means{Transport: model}, way.join) // its script has run out
	if err := talk.open(); err != nil {
		t.Fatal(err)
	}
	if heard, again := followTalk(t.Context(), t, talk); heard != "end" || !strings.Contains(string(again), r.Call) {
		t.Errorf("the same call after a restart: %s, %s", heard, again)
	}
	talk.Close()
	_, _, err = Abroad{Key: f.operator, To: way.remote(f, "s/solve")}.Invoke(t.Context(), 0, json.RawMessage("1"))
	if err != nil { // the operator itself needs no chain; the model says no more
		t.Error(err)
	}
}

// TestAttackAbroad: what a host at an address may not be, and what a caller may not do.
func TestAttackAbroad(t *testing.T) {
	t.Parallel()
	f := publish(t, sleepHome(t), "127.0.0.1:0", shell.Means{})
	carol, mallory := freshKey(t), freshKey(t)
	good := Abroad{Key: carol, Chain: f.allow(carol.Principal(), "/e/echo", 0), To: f.remote("e/echo")}
	if r, attested, err := good.Invoke(t.Context(), 0, json.RawMessage(`{"b":1, "a":2}`)); err != nil || !attested || r.Status != host.OK {
		t.Fatalf("a control: %+v, %t, %v", r, attested, err)
	}
	with := func(change func(*Abroad)) Abroad {
		a := good
		a.Chain = slices.Clone(a.Chain)
		change(&a)
		return a
	}
	for words, k := range map[string]struct {
		a    Abroad
		want string
	}{
		"another key in the address": {with(func(a *Abroad) { a.To.Operator = mallory.Principal().String() }), "does not show the key"},
		"a chain of another operator": {with(func(a *Abroad) {
			a.Chain = (&farHost{hosted: f.hosted, operator: mallory}).allow(carol.Principal(), "/e/echo", 0)
		}), "neither the key"},
		"no chain":                     {with(func(a *Abroad) { a.Chain = nil; a.To.Operator = f.operator.Principal().String() }), "InvalidSubject"},
		"another's chain":              {with(func(a *Abroad) { a.Key = mallory }), "InvalidAudience"},
		"another capability":           {with(func(a *Abroad) { a.To = f.remote("e/sleep") }), "InvalidCommand"},
		"more than the budget":         {with(func(a *Abroad) { a.Spend[1] = 1 }), "Widened"},
		"an agent that is not there":   {with(func(a *Abroad) { a.To = f.remote("none/echo") }), "no such agent"},
		"another key of the agent":     {with(func(a *Abroad) { a.Agent = casefile.DID(mallory.Principal()) }), "is expected"},
		"a payload that is too large":  {with(func(*Abroad) {}), "payload cannot be used"},
		"a host that is no agent host": {with(func(a *Abroad) { a.To.Host = strings.TrimPrefix(f.URL(), "http://") }), "cannot be reached"},
	} {
		payload := json.RawMessage("1")
		if strings.Contains(words, "payload") {
			payload = json.RawMessage(`"` + strings.Repeat("x", shell.MaxPayload) + `"`)
		}
		if r, _, err := k.a.Invoke(t.Context(), 0, payload); err == nil || !strings.Contains(err.Error(), k.want) {
			t.Errorf("%s: %+v, %v; want %q", words, r, err, k.want)
		}
	}
	c := &http.Client{Timeout: time.Minute, Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	for path, want := range map[string]int{
		"/agents/e": 200, "/agents/none": 404, "/agents/..%2fe": 404, "/v1/agent.list": 404, "/a2a/e/.well-known/agent-card.json": 404, "/": 404,
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+f.at+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+f.token)
		answer, err := c.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := io.ReadAll(answer.Body)
		if err = errors.Join(err, answer.Body.Close()); err != nil || answer.StatusCode != want || strings.Contains(string(raw), f.token) {
			t.Errorf("%s: %d %s, %v", path, answer.StatusCode, raw, err)
		}
	}
	bare := line.Dial(t.Context(), line.Address{URL: "wss://" + f.at + "/agents/e", HTTP: c}, line.NewName(), patience)
	defer bare.Close()
	if err := bare.Send(t.Context(), channel.Body{Run: &channel.RunOrder{Capability: "echo", Input: json.RawMessage("1")}}); err != nil {
		t.Fatal(err)
	}
	if m, err := bare.Receive(t.Context()); err != nil || !strings.Contains(string(m.End), "signed call") {
		t.Errorf("a call without a signature: %s, %v", m.End, err)
	}
}

// TestAttackLyingHost: a host cannot end a call by the end of another, of another agent, or by a
// result that nobody signed.
func TestAttackLyingHost(t *testing.T) {
	t.Parallel()
	key := freshKey(t)
	other := &Talk{strict: true, key: casefile.DID(key.Principal())}
	other.order.Correlation = "mine"
	for _, end := range []shell.Returned{
		{Status: host.OK, Correlation: "another", Agent: key.Principal().String()},
		{Status: host.OK, Correlation: "mine", Agent: freshKey(t).Principal().String()},
		{Status: host.OK, Correlation: "mine", Agent: key.Principal().String(), Result: json.RawMessage("1")},
	} {
		raw, err := json.Marshal(end)
		if err != nil {
			t.Fatal(err)
		}
		if a, attested, err := other.End(raw); err == nil {
			t.Errorf("the end %s is taken: %+v, %t", raw, a, attested)
		}
	}
	raw, err := json.Marshal(shell.Returned{Status: host.Interrupted, Correlation: "mine", Agent: key.Principal().String()})
	if err != nil {
		t.Fatal(err)
	}
	if a, attested, err := other.End(raw); err != nil || attested || a.Status != host.Interrupted {
		t.Errorf("a control: %+v, %t, %v", a, attested, err)
	}
}

// TestNameless: connections that sign nothing are bounded for each machine and in all, and a place
// is free again when one has signed.
func TestNameless(t *testing.T) {
	t.Parallel()
	o := &crowd{}
	var first func()
	for n := range eachPlace {
		proven, ok := o.enter("a")
		if !ok {
			t.Fatalf("connection %d is refused", n)
		}
		first = proven
	}
	if _, ok := o.enter("a"); ok {
		t.Error("one machine has too many connections")
	}
	first()
	first()
	if _, ok := o.enter("a"); !ok {
		t.Error("a place is not free again")
	}
	taken := eachPlace
	for n := 0; taken < maxNameless; n++ {
		if _, ok := o.enter(fmt.Sprint(n)); !ok {
			t.Fatalf("%d connections, and the next is refused", taken)
		}
		taken++
	}
	if _, ok := o.enter("z"); ok {
		t.Error("there are too many connections")
	}
}

// TestAttackSilent: a machine opens connections and says nothing. Those above its share are closed
// before anything is read of them, so that they take no descriptors from the logs of agents, and
// callers get in when the others are gone.
func TestAttackSilent(t *testing.T) {
	t.Parallel()
	f := publish(t, sleepHome(t), "127.0.0.1:0", shell.Means{})
	var all []net.Conn
	for range 3 * eachPlace {
		k, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", f.at)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, k)
	}
	for n, k := range all[eachPlace:] {
		if err := k.SetReadDeadline(time.Now().Add(headTime / 2)); err != nil {
			t.Fatal(err)
		}
		if _, err := k.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("connection %d is open: %v", eachPlace+n, err)
		}
	}
	for _, k := range all {
		if err := k.Close(); err != nil {
			t.Error(err)
		}
	}
	carol := freshKey(t)
	good := Abroad{Key: carol, Chain: f.allow(carol.Principal(), "/e/echo", 0), To: f.remote("e/echo")}
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	for start := time.Now(); ; <-again.C {
		r, _, err := good.Invoke(t.Context(), 0, json.RawMessage("1"))
		if err == nil && r.Status == host.OK {
			return
		}
		if time.Since(start) > time.Minute {
			t.Fatalf("%+v, %v", r, err)
		}
	}
}

// TestGoneAbroad: over each carrier, a host says nothing for an agent that was terminated, because
// its key may have moved to another host. A caller hears it before it signs a call.
func TestGoneAbroad(t *testing.T) { onEach(t, testGoneAbroad) }

func testGoneAbroad(t *testing.T, way *carrier) {
	f := publish(t, sleepHome(t), "127.0.0.1:0", shell.Means{}, way.join)
	carol := freshKey(t)
	a := Abroad{Key: carol, Chain: f.allow(carol.Principal(), "/e/echo", 0), To: way.remote(f, "e/echo")}
	if r, _, err := a.Invoke(t.Context(), 0, json.RawMessage("1")); err != nil || r.Status != host.OK {
		t.Fatalf("a control: %+v, %v", r, err)
	}
	if err := f.host.Ask(t.Context(), shell.Caller{ID: host.Operator}, "e", host.Terminate); err != nil {
		t.Fatal(err)
	}
	if r, _, err := a.Invoke(t.Context(), 0, json.RawMessage("1")); err == nil || !strings.Contains(err.Error(), "moved to another host") {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestAttackAbroadSessions: the sessions that a machine began without a signed call count as long
// as they live, also when their connections are gone, and they end soon.
func TestAttackAbroadSessions(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	f := publish(t, sleepHome(t), "127.0.0.1:0", shell.Means{}, func(f *farHost) { f.out.prove = 3 * time.Second })
	carol := freshKey(t)
	good := Abroad{Key: carol, Chain: f.allow(carol.Principal(), "/e/echo", 0), To: f.remote("e/echo")}
	if r, _, err := good.Invoke(t.Context(), 0, json.RawMessage("1")); err != nil || r.Status != host.OK {
		t.Fatalf("a control: %+v, %v", r, err)
	}
	c := &http.Client{Timeout: time.Minute, Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	begun := 0
	for range 2 * eachPlace {
		k, answer, err := websocket.Dial(t.Context(), "wss://"+f.at+"/agents/e", &websocket.DialOptions{HTTPClient: c, Subprotocols: []string{"ojud-channel-1"}})
		if err != nil {
			if answer == nil || answer.StatusCode != http.StatusTooManyRequests {
				t.Fatal(err)
			}
			break
		}
		raw, err := channel.Frame{Hello: &channel.Hello{Version: channel.Version, Session: line.NewName(), Window: 64, From: 1}}.Encode()
		if err == nil {
			err = k.Write(t.Context(), websocket.MessageText, raw)
		}
		if err == nil {
			_, _, err = k.Read(t.Context())
		}
		if err = errors.Join(err, k.CloseNow()); err != nil {
			t.Fatal(err)
		}
		begun++
	}
	if begun > eachPlace {
		t.Errorf("one machine began %d sessions without a signed call; %d are allowed", begun, eachPlace)
	}
	again := time.NewTicker(100 * time.Millisecond)
	defer again.Stop()
	ctx, cancel := context.WithTimeout(t.Context(), patience/2)
	defer cancel()
	for {
		r, _, err := good.Invoke(ctx, 0, json.RawMessage("2"))
		if err == nil && r.Status == host.OK {
			return
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			t.Fatalf("a caller with a delegation is kept out: %+v, %v", r, err)
		}
	}
}

const caller = `autonomy = 2
[mind]
kind = "react"
instructions = "Ask the other."
[[capabilities]]
name = "solve"
[[remotes]]
address = "agent://%s/e/*"
under = "e.chain"
[models]
[[models.list]]
name = "m"
provider = "openai"
url = "http://127.0.0.1:1/v1"
model = "m"
`

// TestAgentCallsAbroad: an agent with a model calls an agent of another host by its tool. It may
// not call what its file does not name, nor if a delegation does not let it.
func TestAgentCallsAbroad(t *testing.T) {
	t.Parallel()
	f := publish(t, sleepHome(t), "127.0.0.1:0", shell.Means{})
	call := func(target string) string {
		return `{"thought":"I ask.","action":"call","tool":"agent.invoke","input":{"target":"agent://` + target + `","payload":"owl"}}`
	}
	const done = `{"thought":"Done.","action":"finish","result":"done"}`
	home := agentsHome(t, map[string]string{"s.toml": fmt.Sprintf(caller, f.at)})
	model := &script{answers: []string{call(f.at + "/e/echo"), call("127.0.0.1:1/e/echo"), done, call(f.at + "/e/echo"), done}}
	var logged []string
	h := beginWith(t, home, shell.Means{Transport: model, Reach: func(ctx context.Context, e shell.Errand) (shell.Returned, error) {
		a := Abroad{Key: shell.Signer{Keypair: e.Key}, Chain: e.Chain, To: e.To, Signed: func(id string, to delegation.Principal) error {
			logged = append(logged, id)
			return e.Signed(id, to)
		}}
		r, _, err := a.Invoke(ctx, e.Order.Timeout, e.Order.Payload)
		return r, err
	}})
	did := f.letCall(t, h, home, 0)
	g, err := Open(home)
	if err != nil {
		t.Fatal(err)
	}
	steps := func(allow []string) string {
		t.Helper()
		if len(allow) > 0 {
			var r shell.Returned
			if err := g.Use(t.Context(), "agent.delegate", map[string]any{"target": "agent://s/solve", "payload": "x", "allow": allow}, &r); err != nil || r.Status != host.OK {
				t.Fatalf("%+v, %v", r, err)
			}
			return ""
		}
		return conversation(t, g, host.Target{Agent: "s", Capability: "solve"})
	}
	all := steps(nil)
	if !strings.Contains(all, `"status":"ok"`) || !strings.Contains(all, "does not name") || len(logged) != 1 {
		t.Errorf("%d calls of the other host; the agent says %s", len(logged), all)
	}
	raw, err := os.ReadFile(filepath.Join(home, "audit", strings.TrimPrefix(did, "did:key:")+".audit"))
	if err != nil || len(logged) == 0 || strings.Count(string(raw), logged[0]) != 2 || !strings.Contains(string(raw), `"ended"`) || !strings.Contains(string(raw), `"reason":"ok"`) {
		t.Errorf("the caller's audit log has no lines of its call and its end: %s, %v", raw, err)
	}
	if steps([]string{"agent.invoke"}); len(logged) != 1 {
		t.Error("a delegation without agent.reach lets an agent call another host")
	}
}

// abroadOf makes calls of other hosts for an agent.
func abroadOf(ctx context.Context, e shell.Errand) (shell.Returned, error) {
	a := Abroad{Key: shell.Signer{Keypair: e.Key}, Chain: e.Chain, To: e.To, Signed: e.Signed, Away: e.Away}
	r, _, err := a.Invoke(ctx, e.Order.Timeout, e.Order.Payload)
	return r, err
}

// letCall lets the agent "s" of another host call echo here, and spend so many tokens. It
// returns the agent's did:key.
func (f *farHost) letCall(t *testing.T, h *hosted, home string, tokens int64) string {
	t.Helper()
	v, err := h.host.Look(shell.Caller{ID: host.Operator}, "s")
	if err != nil {
		t.Fatal(err)
	}
	self, err := casefile.ParseDID(v.DID)
	if err != nil {
		t.Fatal(err)
	}
	writeChain(t, home, f.allow(delegation.Principal(self), "/e/echo", tokens))
	return v.DID
}

// writeChain writes the file under which the agent "caller" calls another host.
func writeChain(t *testing.T, home string, chain []*delegation.Delegation) {
	t.Helper()
	writeChainTo(t, filepath.Join(home, shell.Folder, "e.chain"), chain)
}

func writeChainTo(t *testing.T, path string, chain []*delegation.Delegation) {
	t.Helper()
	raw, err := delegation.Bundle(chain)
	if err == nil {
		err = os.WriteFile(path, raw, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// conversation makes a call, and returns all that it says.
func conversation(t *testing.T, g *Guest, to host.Target) (all string) {
	t.Helper()
	talk, err := g.Talk(t.Context(), to, channel.RunOrder{Input: json.RawMessage(`"x"`)}, "")
	if err != nil {
		t.Fatal(err)
	}
	defer talk.Close()
	for {
		m, err := talk.Receive(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		said, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if all += string(said); m.End != nil {
			return all
		}
	}
}
