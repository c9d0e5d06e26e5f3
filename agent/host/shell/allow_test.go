package shell

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ojud/agent"
	"ojud/agent/audit"
	"ojud/agent/delegation"
	"ojud/agent/delegation/keep"
	"ojud/agent/host"
	"ojud/agent/host/attest"
	hostkeep "ojud/agent/host/keep"
	"ojud/agent/host/mind"
	"ojud/agent/host/warden"
	"ojud/casefile"
	"ojud/ledger/transact"
)

// operatorKey loads the key of the operator of a home.
func operatorKey(t *testing.T, home string) Signer {
	t.Helper()
	key, _, err := transact.LoadOrCreateKeypair(filepath.Join(home, Folder, "keys", "operator.json"))
	if err != nil {
		t.Fatal(err)
	}
	return Signer{key}
}

// under begins a call that lasts, and returns who acts in it.
func under(t *testing.T, h *Host, by Caller, o attest.Commission) Caller {
	t.Helper()
	o.Payload = json.RawMessage(`"sleep"`)
	ctx, leave := context.WithCancel(t.Context())
	leave() // the call goes on without its caller
	c, err := h.Invoke(ctx, by, o)
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("%+v, %v", c, err)
	}
	return Caller{c.Target.Agent, c.ID}
}

func number(n int64) *int64 { return &n }

// TestChain: a chain from the operator over two agents narrows, a third agent is refused what the
// chain does not allow, each of them has it in its log, and an attestation covers the chain.
func TestChain(t *testing.T) {
	t.Parallel()
	dir := home(t)
	h := open(t, dir)
	free := under(t, h, operator, attest.Commission{Target: "a3/do"})
	a4 := under(t, h, operator, attest.Commission{Target: "a4/do", Allow: []string{"agent.*", "a2.*", "a1.*"}, Deny: []string{"a1.undo"}, Tokens: number(100)})
	a2 := under(t, h, a4, attest.Commission{Target: "a2/do", Tokens: number(60)})
	for _, k := range []struct {
		by   Caller
		o    attest.Commission
		want string // name of the refusal; empty: it is done
	}{
		{free, attest.Commission{Target: "a0/do"}, ""}, // a control: without a chain nothing narrows
		{a2, attest.Commission{Target: "a1/do"}, ""},
		{a2, attest.Commission{Target: "a0/do"}, "MatchError"},
		{a2, attest.Commission{Target: "a4/do"}, "Cycle"},
		{a4, attest.Commission{Target: "a4/do"}, "Cycle"},
		{a2, attest.Commission{Target: "a1/do", Tokens: number(61)}, "Widened"},
		{a2, attest.Commission{Target: "a1/do", Allow: []string{"a0"}}, "Widened"},
		{a2, attest.Commission{Target: "a1/do", Allow: []string{"A b"}}, "InvalidClaim"},
	} {
		k.o.Payload = json.RawMessage(`"x"`)
		c, err := h.Invoke(t.Context(), k.by, k.o)
		var refused *host.Refused
		if k.want == "" && (err != nil || c.Status != host.OK) || k.want != "" && (!errors.As(err, &refused) || refused.Name != k.want || !strings.Contains(refused.Words, k.want)) {
			t.Errorf("%s calls %+v: %+v, %v; want %q", k.by.ID, k.o, c, err, k.want)
		}
	}
	o := attest.Commission{Target: "agent://a1/do", Payload: json.RawMessage(`"y"`), Correlation: "same"}
	c, err := h.Invoke(t.Context(), a2, o)
	if err != nil {
		t.Fatal(err)
	}
	again, err := h.Invoke(t.Context(), a2, o)
	if err != nil || again.ID != c.ID {
		t.Errorf("the same call is made twice: %+v, %v", again, err)
	}
	v, err := h.Look(operator, "a1")
	if err != nil {
		t.Fatal(err)
	}
	did, err := casefile.ParseDID(v.DID)
	o.Caller = "a2"
	if err = errors.Join(err, attest.Check(c, o, did)); err != nil {
		t.Error(err)
	}
	links, err := delegation.ParseChain(c.Chain)
	if err != nil || len(links) != 3 {
		t.Errorf("%d links, %v", len(links), err)
	}
	if c.Chain = again.Chain[:len(again.Chain)-2]; attest.Check(c, o, did) == nil {
		t.Error("the attestation holds for another chain")
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := audit.Files(filepath.Join(dir, "audit"))
	if err != nil || len(files) != 6 {
		t.Errorf("%d logs, %v", len(files), err)
	}
	refusals := 0
	for _, f := range files {
		if s, err := audit.VerifyFile(f, audit.Expected{}); err != nil || s.Entries < 1 {
			t.Errorf("%+v, %v", s, err)
		}
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		refusals += strings.Count(string(raw), `"result":"refused"`)
	}
	if refusals != 1 {
		t.Errorf("%d refusals are logged", refusals)
	}
	h = open(t, dir)
	defer func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	}()
	if waits, admitted := h.warden.State(a2.Call); waits || admitted {
		t.Error("a call that ended has its budget still")
	}
}

// TestApproval: a call in a domain waits for the operator's answer, also if the host ends
// meanwhile. Another person's answer does not count.
func TestApproval(t *testing.T) {
	t.Parallel()
	dir := home(t)
	path := filepath.Join(dir, Folder, "a1.toml")
	text, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, []byte(strings.Replace(string(text), `name = "do"`, "name = \"do\"\napproval = [\"finance\"]", 1)), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	h := open(t, dir)
	defer func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	}()
	ask := func(id string) (chan host.Invocation, string) {
		t.Helper()
		return begun(t, h, attest.Commission{Target: "a1/do", Payload: json.RawMessage(`"x"`), Correlation: id, Approval: []string{"finance"}})
	}
	answer := func(s Signer, call string, yes bool) {
		t.Helper()
		raw, err := delegation.Approve(s, call, yes, nil, time.Now())
		if err == nil {
			err = keep.Mail(filepath.Join(dir, "delegations"), strings.ToLower(s.Principal().String()[48:])+call, raw)
		}
		if err = errors.Join(err, h.look()); err != nil {
			t.Fatal(err)
		}
	}
	end, call := ask("yes")
	stranger, _, err := transact.LoadOrCreateKeypair(filepath.Join(t.TempDir(), "k.json"))
	if err != nil {
		t.Fatal(err)
	}
	answer(Signer{stranger}, call, true)
	if c, open := h.core.Open(call); !open || c.Stage != host.Waits {
		t.Errorf("a stranger approves: %+v", c)
	}
	answer(operatorKey(t, dir), call, true)
	if c := <-end; c.Status != host.OK {
		t.Errorf("%+v", c)
	}
	end, call = ask("no")
	answer(operatorKey(t, dir), call, false)
	if c := <-end; c.Status != host.Failed || !strings.HasPrefix(c.Problem, "NotApproved") {
		t.Errorf("%+v", c)
	}
	_, call = ask("later")
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	h = open(t, dir)
	answer(operatorKey(t, dir), call, true)
	c, err := h.Invoke(t.Context(), operator, attest.Commission{Target: "a1/do", Payload: json.RawMessage(`"x"`), Correlation: "later", Approval: []string{"finance"}})
	if err != nil || c.Status != host.OK || c.ID != call {
		t.Errorf("%+v, %v", c, err)
	}
}

// TestRequired: an agent's file names domains in which a person approves each call, whatever its
// caller says: of another agent without a chain, and of a guest. The operator needs no approval,
// and a control of an agent whose file names none does not wait.
func TestRequired(t *testing.T) {
	t.Parallel()
	dir := home(t)
	for id, more := range map[string]string{"a1": `require_approval = ["finance"]`, "a3": ""} {
		path := filepath.Join(dir, Folder, id+".toml")
		text, err := os.ReadFile(path)
		if err == nil {
			changed := more + "\n" + strings.Replace(string(text), `name = "do"`, "name = \"do\"\napproval = [\"finance\", \"pii\"]", 1)
			err = os.WriteFile(path, []byte(changed), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	h := open(t, dir)
	defer func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	}()
	answer := func(call string, yes bool) {
		t.Helper()
		raw, err := delegation.Approve(operatorKey(t, dir), call, yes, nil, time.Now())
		if err == nil {
			err = keep.Mail(filepath.Join(dir, "delegations"), call, raw)
		}
		if err = errors.Join(err, h.look()); err != nil {
			t.Fatal(err)
		}
	}
	var told []string
	h.parts.Waits = func(c host.Invocation) { told = append(told, c.ID) }
	if !h.files["a1"].Modelless {
		t.Error("a program has a model")
	}
	a2 := under(t, h, operator, attest.Commission{Target: "a2/do"})
	carol := stranger(t)
	chain := permits(t, operatorKey(t, dir), carol, "/a1", "/a3")
	for _, k := range []struct {
		name   string
		by     Caller
		guest  bool
		target string
		waits  bool
		yes    bool
	}{
		{"the operator", operator, false, "a1", false, true},
		{"an agent, and a person says yes", a2, false, "a1", true, true},
		{"an agent, and a person says no", a2, false, "a1", true, false},
		{"a guest, and a person says yes", Caller{}, true, "a1", true, true},
		{"a guest, and a person says no", Caller{}, true, "a1", true, false},
		{"an agent that calls one that requires nothing", a2, false, "a3", false, true},
		{"a guest that calls one that requires nothing", Caller{}, true, "a3", false, true},
	} {
		var c host.Invocation
		var waits bool
		var end <-chan host.Invocation
		let := func(call host.Invocation, wait bool) (err error) {
			c, waits = call, wait
			end, err = enter(h, &c, wait, nil)
			return err
		}
		o := attest.Commission{Target: k.target + "/do", Payload: json.RawMessage(`"x"`)}
		var err error
		if k.guest {
			err = received(h, signed(t, h, carol, chain, host.Target{Agent: k.target, Capability: "do"}, "x"), nil, let)
		} else if c, err = prepare(k.by, &o); err == nil {
			if waits, err = h.grant(&c, o, nil); err == nil {
				err = let(c, waits)
			}
		}
		if err != nil || waits != k.waits {
			t.Errorf("%s: waits %t, %v", k.name, waits, err)
			continue
		}
		if waits {
			if len(told) == 0 || told[len(told)-1] != c.ID {
				t.Errorf("%s: nobody is told that it waits: %v", k.name, told)
			}
			asked, err := keep.Asked(filepath.Join(dir, "delegations"))
			if err != nil {
				t.Fatal(err)
			}
			by := carol.Principal()
			if !k.guest {
				by = Signer{h.keys["a2"]}.Principal()
			}
			if q := asked[c.ID]; string(q.Input) != `"x"` || q.Problem != "" || q.By() != by || q.Asker == "" == !k.guest {
				t.Errorf("%s: a person is asked %+v", k.name, q)
			}
			answer(c.ID, k.yes)
		}
		if c := <-end; (c.Status == host.OK) != k.yes || !k.yes && !strings.HasPrefix(c.Problem, "NotApproved") {
			t.Errorf("%s: %+v", k.name, c)
		}
	}
}

// TestAttackApprovedUnseen: what a client gives to a call beside its payload, a person sees before
// the answer, whoever calls.
func TestAttackApprovedUnseen(t *testing.T) {
	t.Parallel()
	dir := home(t)
	path := filepath.Join(dir, Folder, "a1.toml")
	text, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, []byte("require_approval = [\"finance\"]\n"+strings.Replace(string(text), `name = "do"`, "name = \"do\"\napproval = [\"finance\"]", 1)), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	h := open(t, dir)
	a2 := under(t, h, operator, attest.Commission{Target: "a2/do"})
	carol := stranger(t)
	talk := mind.Talk{
		Context: json.RawMessage(`{"amount":1000000}`), Params: json.RawMessage(`{"to":"mallory"}`), Tools: []agent.Repr{{Name: "look"}},
		Attend: func(context.Context, *agent.Channel, func(json.RawMessage) json.RawMessage) (agent.FinalResult, error) {
			return agent.FinalResult{}, errors.New("it runs")
		},
	}
	const want = `{"context":{"amount":1000000},"params":{"to":"mallory"},"tools":["look"],"further_inputs":true}`
	s := signed(t, h, carol, permits(t, operatorKey(t, dir), carol, "/a1"), host.Target{Agent: "a1", Capability: "do"}, "one dollar")
	o := attest.Commission{Target: "a1/do", Payload: s.Payload}
	for who, begin := range map[string]func() (func(context.Context) (Returned, error), error){
		"a guest": func() (func(context.Context) (Returned, error), error) {
			return BeginVisit(h, o, s.Invocation, s.Onward, talk, nil)
		},
		"an agent": func() (func(context.Context) (Returned, error), error) { return Begin(h, a2, o, talk) },
	} {
		wait, err := begin()
		if err != nil {
			t.Fatalf("%s: %v", who, err)
		}
		asked, err := keep.Asked(filepath.Join(dir, "delegations"))
		if err != nil || len(asked) != 1 {
			t.Fatalf("%s: %v, %v", who, asked, err)
		}
		for call, q := range asked {
			if string(q.Input) != `"one dollar"` || string(q.Beside) != want {
				t.Errorf("%s: a person is asked %s with %s", who, q.Input, q.Beside)
			}
			raw, err := delegation.Approve(operatorKey(t, dir), call, false, nil, time.Now())
			if err == nil {
				err = keep.Mail(filepath.Join(dir, "delegations"), call, raw)
			}
			if err = errors.Join(err, h.look()); err != nil {
				t.Fatal(err)
			}
		}
		if r, err := wait(t.Context()); err != nil || !strings.HasPrefix(r.Error, "NotApproved") {
			t.Errorf("%s: %+v, %v", who, r, err)
		}
	}
	if raw, err := beside(&talk, false); err != nil || strings.Contains(string(raw), "further_inputs") {
		t.Errorf("a call to which nobody can say more: %s, %v", raw, err)
	}
	talk.Params = json.RawMessage(`"` + strings.Repeat("x", mind.MaxContext) + `"`)
	if _, err := Begin(h, a2, o, talk); err == nil || !strings.Contains(err.Error(), "params has") {
		t.Errorf("long parameters: %v", err)
	}
}

// TestInnerLog: a call of one agent by another without a delegation is in the audit logs of both,
// with the hash of the outcome that was attested; also one that a crash broke off. One of the
// operator is in none, and one under a delegation has its outcome where it is settled.
func TestInnerLog(t *testing.T) {
	t.Parallel()
	dir := home(t)
	h := open(t, dir)
	a2 := under(t, h, operator, attest.Commission{Target: "a2/do"})
	c, err := h.Invoke(t.Context(), a2, word("x"))
	if err != nil || c.Status != host.OK || c.Outcome() == "" {
		t.Fatalf("%+v, %v", c, err)
	}
	o := word("y")
	o.Tokens = number(5)
	signed, err := h.Invoke(t.Context(), operator, o)
	if err != nil || signed.Status != host.OK {
		t.Fatalf("%+v, %v", signed, err)
	}
	logs := map[string]string{}
	for _, id := range []string{"a1", "a2"} {
		logs[id] = filepath.Join(dir, "audit", strings.TrimPrefix(Signer{h.keys[id]}.Principal().String(), "did:key:")+".audit")
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	disk, err := hostkeep.Open(filepath.Join(dir, Folder, "state"), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	crashed := c
	crashed.ID, crashed.Correlation, crashed.Stage, crashed.Status, crashed.Attestation = "crashed", "crashed", host.Started, "", nil
	if err := errors.Join(disk.Save(host.Consequence{Calls: []host.Invocation{crashed}}), disk.Close()); err != nil {
		t.Fatal(err)
	}
	if err := open(t, dir).Close(); err != nil {
		t.Fatal(err)
	}
	for id, path := range logs {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := audit.VerifyFile(path, audit.Expected{}); err != nil {
			t.Error(err)
		}
		count := func(call, result, reason, outcome string) (n int) {
			for line := range strings.Lines(string(raw)) {
				var e struct{ Act audit.AgentInvoke }
				if err := json.Unmarshal([]byte(line), &e); err != nil {
					t.Fatal(err)
				}
				if a := e.Act; a.Call == call && a.Result == result && a.Reason == reason && a.Outcome == outcome {
					n++
				}
			}
			return n
		}
		if count(c.ID, "called", "", "") != 1 || count(c.ID, "ended", host.OK, c.Outcome()) != 1 || count("crashed", "ended", host.Interrupted, "") != 1 {
			t.Errorf("%s: the log is\n%s", id, raw)
		}
		if id == "a1" && count(signed.ID, "settled", "0 lamports, 0 tokens, 0 microdollars", signed.Outcome()) != 1 {
			t.Errorf("the settled call has no outcome:\n%s", raw)
		}
		if strings.Contains(string(raw), `"call":"`+a2.Call+`"`) {
			t.Errorf("%s: the operator's own call is in the log", id)
		}
	}
}

// TestVisit: a stranger to the host calls under a chain of the operator, without a token. The same
// signed call has one end, and nothing else is admitted.
func TestVisit(t *testing.T) {
	t.Parallel()
	dir := home(t)
	h := open(t, dir)
	defer func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	}()
	carol := operatorKey(t, t.TempDir())
	now := time.Now()
	scope := delegation.Scope{Allow: []string{"a1"}, Budget: delegation.Amounts{0, 50, 50}, Until: now.Unix() + 600}
	d, err := delegation.Issue(operatorKey(t, dir), carol.Principal(), scope, nil, nil, now)
	if err != nil {
		t.Fatal(err)
	}
	chain := []*delegation.Delegation{d}
	v, err := h.Look(operator, "a1")
	if err != nil {
		t.Fatal(err)
	}
	a1, err := delegation.ParsePrincipal(v.DID)
	if err != nil {
		t.Fatal(err)
	}
	target, payload := host.Target{Agent: "a1", Capability: "do"}, []byte(`"x"`)
	sign := func(links []*delegation.Delegation, to delegation.Principal, target host.Target, tokens int64) warden.Visit {
		t.Helper()
		v, err := warden.Sign(carol, links, to, target, payload, delegation.Amounts{0, tokens, 0}, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	send := func(by Caller, v warden.Visit, payload string) (r Returned, err error) {
		t.Helper()
		raw, err := json.Marshal(map[string]any{"target": v.Target.String(), "payload": json.RawMessage(payload), "invocation": v.Call, "onward": v.Onward})
		if err != nil {
			t.Fatal(err)
		}
		out, err := h.Use(t.Context(), by, "agent.invoke", raw)
		if err == nil {
			err = json.Unmarshal(out, &r)
		}
		return r, err
	}
	good := sign(chain, a1, target, 30)
	first, err := send(Caller{}, good, `"x"`)
	if err != nil || first.Status != host.OK || first.Correlation != first.Call {
		t.Fatalf("%+v, %v", first, err)
	}
	if again, err := send(Caller{}, good, `"x"`); err != nil || string(again.Attestation) != string(first.Attestation) {
		t.Errorf("%+v, %v", again, err)
	}
	bare := sign(nil, a1, target, 0)
	other := sign(chain, operatorKey(t, t.TempDir()).Principal(), target, 0)
	for want, k := range map[string]struct {
		v       warden.Visit
		payload string
	}{
		"args.input.sha256": {sign(chain, a1, target, 1), `"y"`},
		"InvalidSubject":    {bare, `"x"`},
		"InvalidAudience":   {other, `"x"`},
		"InvalidCommand":    {warden.Visit{Call: good.Call, Target: host.Target{Agent: "a1", Capability: "undo"}}, `"x"`},
	} {
		if r, err := send(Caller{}, k.v, k.payload); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, %v", want, r, err)
		}
	}
	for _, name := range []string{"agent.list", "agent.spawn", "agent.invoke"} {
		if _, err := h.Use(t.Context(), Caller{}, name, json.RawMessage(`{}`)); err == nil {
			t.Errorf("%s needs no token", name)
		}
	}
}
