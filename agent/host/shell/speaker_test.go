package shell

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/agent"
	"ojud/agent/agenttest"
	"ojud/agent/host"
	"ojud/agent/host/attest"
	"ojud/agent/host/mind"
)

// speaker is a program that speaks the channel by lines. Its input says what it does.
const speaker = `#!/bin/sh
read -r run
say() { printf '%s\n' "$1"; }
case "$run" in
*'"input":"work"'*)
  say '{"begin":{}}'
  say '{"chunk":{"text":"I "}}'
  say '{"chunk":{"text":"look."}}'
  say '{"chunk":{"call":{"id":"a","name":"look","input":{"at":"oak"}}}}'
  say '{"chunk":{"call":{"id":"b","name":"mine","input":{}}}}'
  say '{"result":{"id":"b","name":"mine","output":7}}'
  say '{"chunk":{"call":{"id":"c","name":"friend","input":1}}}'
  say '{"stop":{"usage":{"prompt_tokens":5,"completion_tokens":6,"cost_micros":7}}}'
  read -r look
  read -r friend
  read -r end
  say '{"minion_start":{"id":"m","name":"helper"}}'
  say '{"step":{"minion":"m","text":"I help."}}'
  say '{"minion_result":{"id":"m","name":"helper","output":"helped"}}'
  say '{"step_end":{"context":{"plan":2}}}'
  say '{"step":{"text":"Go on?"}}'
  read -r end2
  read -r extra
  say "{\"final\":{\"output\":[$run,$look,$friend,$end,$end2,$extra]}}"
  ;;
*'"input":"tool"'*)
  say '{"step":{"calls":[{"name":"agent.list","input":{}},{"name":"none","input":{}}]}}'
  read -r first
  read -r second
  say "{\"final\":{\"output\":[$first,$second]}}"
  ;;
*'"input":"prose"'*) say 'Loading the model...' ;;
*'"input":"nothing"'*) ;;
*'"input":"fail"'*) echo 'no such luck' >&2; exit 3 ;;
*'"input":"early"'*) say '{"begin":{}}'; say '{"final":{"output":1}}' ;;
*'"input":"client"'*) say '{"extra":{"content":1}}'; sleep 20 ;;
*'"input":"stranger"'*) say '{"step":{"minion":"x","text":"hi"}}'; sleep 20 ;;
*'"input":"collide"'*) say '{"minion_start":{"id":"1","name":"x"}}'; sleep 20 ;;
*'"input":"spend"'*) say '{"step":{"text":"much","usage":{"prompt_tokens":400,"completion_tokens":700}}}'; sleep 20 ;;
*'"input":"gain"'*) say '{"step":{"text":"much","usage":{"prompt_tokens":-400}}}'; sleep 20 ;;
*'"input":"names"'*) say '{"step":{"text":"much","usage":{"tokens":600}}}'; sleep 20 ;;
*'"input":"shout"'*) while :; do printf '0123456789012345678901234567890123456789'; done ;;
*'"input":"endless"'*) while :; do say '{"step":{}}'; done ;;
*'"input":"chatter"'*) say '{"minion_start":{"id":"m","name":"x"}}'; while :; do say '{"step":{"minion":"m"}}'; done ;;
*'"input":"deaf"'*) exec 0<&-; i=0; while [ $i -lt 90 ]; do say '{"step":{"calls":[{"name":"none","input":{}}]}}'; i=$((i+1)); done; say '{"final":{"output":2}}' ;;
*'"input":"total"'*) say '{"step":{"usage":{"prompt_tokens":100}}}'; say '{"final":{"output":4,"usage":{"prompt_tokens":300,"completion_tokens":50,"cost_micros":9}}}' ;;
*'"input":"late"'*) say '{"final":{"output":4,"usage":{"prompt_tokens":5000}}}' ;;
*'"input":"below"'*) say '{"minion_start":{"id":"m","name":"x"}}'; say '{"step":{"minion":"m","usage":{"prompt_tokens":10}}}'; say '{"minion_result":{"id":"m","usage":{"prompt_tokens":30}}}'; say '{"final":{"output":5}}' ;;
*'"input":"plans"'*) say '{"begin":{}}'; while :; do say '{"chunk":{"plan":["","","","","","","","","","","","","","","","","","","","","","","","","","","","","","",""]}}'; done ;;
*'"input":"verbose"'*) i=0; while [ $i -lt 400 ]; do echo "loading part $i of the model" >&2; i=$((i+1)); done; echo 'Error: THE REASON' >&2; exit 3 ;;
*'"input":"html"'*) say "{\"final\":{\"output\":\"$(head -c 200000 /dev/zero | tr '\0' '<')\"}}" ;;
*'"input":"linger"'*) say '{"final":{"output":3}}'; sleep 20 ;;
*'"input":"sleep"'*) sleep 20 ;;
esac
`

const speaks = `autonomy = 1
[mind]
kind = "channel"
run = ["./speaker.sh"]
[[capabilities]]
name = "do"
[limits]
time = "10s"
tokens = 1000
`

// speakers opens a host with an agent that speaks, and with programs that cannot.
func speakers(t *testing.T) *Host {
	t.Helper()
	dir := home(t)
	folder := filepath.Join(dir, Folder)
	if err := errors.Join(
		os.WriteFile(filepath.Join(folder, "speaker.sh"), []byte(speaker), 0o700),
		os.WriteFile(filepath.Join(folder, "s.toml"), []byte(speaks), 0o600),
	); err != nil {
		t.Fatal(err)
	}
	h := open(t, dir)
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

// TestSpeaker: a program streams a step, has calls made, tells of its own call and of a minion,
// changes the context, hears a client, and ends with its output.
func TestSpeaker(t *testing.T) {
	t.Parallel()
	h := speakers(t)
	for _, chunks := range []bool{false, true} {
		var told string
		attend := func(_ context.Context, run *agent.Channel, outward func(json.RawMessage) json.RawMessage) (agent.FinalResult, error) {
			var events []agent.Event
			var end error
			for e, err := range run.Steps(chunks) {
				if end = err; err != nil {
					break
				}
				events = append(events, e)
				switch e := e.(type) {
				case agent.ClientCall:
					if err := run.Input(agent.ToolResult{ID: e.ID, Output: json.RawMessage(`"` + e.Name + `ed"`)}); err != nil {
						t.Error(err)
					}
				case agent.StepEnd:
					if e.Minion == "" && e.N == 2 {
						if err := run.Input(agent.ExtraInput{Content: json.RawMessage(`"hurry"`)}); err != nil {
							t.Error(err)
						}
					}
				}
			}
			told = agenttest.Transcript(t, events, end)
			final, _ := events[len(events)-1].(agent.FinalResult)
			final.Context = outward(final.Context)
			return final, end
		}
		r := agent.Repr{Name: "look", InputSchema: json.RawMessage(`{"type":"object"}`), OutputSchema: json.RawMessage(`{"type":"string"}`)}
		friend := agent.Repr{Name: "friend"}
		talk := mind.Talk{Context: json.RawMessage(`{"plan":1}`), Tools: []agent.Repr{r}, Minions: []agent.Repr{friend}, Attend: attend}
		a, err := h.Converse(t.Context(), operator, attest.Commission{Target: "s/do", Payload: json.RawMessage(`"work"`)}, talk)
		if err != nil || a.Status != host.OK {
			t.Fatalf("%+v, %v", a, err)
		}
		at := 0
		for _, want := range []string{
			`Step {"n":1,"text":"I look.","calls":[{"id":"1","name":"look","input":{"at":"oak"}},{"id":"2","name":"mine","input":{}},{"id":"3","name":"friend","input":1}],"usage":{"calls":0,"prompt_tokens":5,"completion_tokens":6,"cost_micros":7,"time_ns":0}}`,
			`ClientCall {"id":"1","name":"look"`, `"plan":1`, `ClientCall {"id":"3","name":"friend"`, `"minion":true`,
			`ToolResult {"id":"1","name":"look","output":"looked"}`, `ToolResult {"id":"2","name":"mine","output":7}`, `MinionResult {"id":"3","name":"friend","output":"friended"}`, `StepEnd {"n":1`,
			`MinionStart {"id":"m","name":"helper"}`, `Step {"minion":"m","n":1,"text":"I help."}`, `StepEnd {"minion":"m","n":1`, `MinionResult {"id":"m","name":"helper","output":"helped"`,
			`Step {"n":2,"text":"Go on?"}`, `StepEnd {"n":2,"context":`, `"plan":2`, `FinalResult`,
		} {
			found := strings.Index(told[at:], want)
			if found < 0 {
				t.Fatalf("chunks %t: %q is missing after %q in\n%s", chunks, want, told[:at], told)
			}
			at += found
		}
		var lines []json.RawMessage
		if err := json.Unmarshal(a.Result, &lines); err != nil || len(lines) != 6 {
			t.Fatalf("%s, %v", a.Result, err)
		}
		for i, want := range []string{
			`"tools":[`, `{"result":{"id":"a","name":"look","output":"looked"}}`, `{"result":{"id":"c","name":"friend","output":"friended"}}`,
			`{"step_end":{"context":{"plan":1},"n":1}}`, `{"step_end":{"context":{"plan":2},"n":2}}`, `{"extra":{"content":"hurry"}}`,
		} {
			if !strings.Contains(string(lines[i]), want) {
				t.Errorf("line %d is %s, without %s", i, lines[i], want)
			}
		}
		for _, want := range []string{`"caller":"operator"`, `"capability":"do"`, `"context":{"plan":1}`, `"name":"agent.list"`, `"name":"look"`} {
			if !strings.Contains(string(lines[0]), want) {
				t.Errorf("run is %s, without %s", lines[0], want)
			}
		}
	}
	v, err := h.Look(operator, "s")
	if err != nil || v.Tokens != 22 {
		t.Errorf("what a program says that it used is not counted: %+v, %v", v, err)
	}
}

// TestSpeakers: programs that break the protocol, say too much or do not end, and what their
// callers are told.
func TestSpeakers(t *testing.T) {
	t.Parallel()
	h := speakers(t)
	for _, k := range []struct{ input, status, want string }{
		{"tool", host.OK, `there is no tool \"none\"`},
		{"tool", host.OK, `"id":"a0"`},
		{"prose", host.Failed, `printed "Loading the model..."`},
		{"nothing", host.Failed, "ended without the message final"},
		{"fail", host.Failed, "no such luck"},
		{"early", host.Failed, "said final within a step"},
		{"client", host.Failed, "do not say now"},
		{"stranger", host.Failed, "which did not begin"},
		{"collide", host.Failed, "no minion can begin"},
		{"spend", host.Failed, "has used more than the budget"},
		{"gain", host.Failed, "negative"},
		{"names", host.Failed, `usage of step has the member "tokens"`},
		{"shout", host.Failed, "a line of more than"},
		{"endless", host.Failed, "more than 200 steps"},
		{"chatter", host.Failed, "exceed 4194304 bytes"},
		{"total", host.OK, "4"},
		{"late", host.Failed, "has used more than the budget"},
		{"below", host.OK, "5"},
		{"plans", host.Failed, "exceed 4194304 bytes"},
		{"verbose", host.Failed, "THE REASON"},
		{"html", host.OK, "<<<"},
		{"deaf", host.OK, "2"},
		{"linger", host.OK, "3"},
		{"sleep", host.TimedOut, "the time of the call is over"},
	} {
		t.Run(k.input, func(t *testing.T) {
			o := attest.Commission{Target: "s/do", Payload: json.RawMessage(fmt.Sprintf("%q", k.input))}
			if k.input == "sleep" {
				o.Timeout = 300
			}
			c, err := h.Invoke(t.Context(), operator, o)
			if err != nil || c.Status != k.status || !strings.Contains(string(c.Result)+c.Problem, k.want) {
				t.Errorf("%s %s %.200s, %v; want %s %q", c.Status, c.Result, c.Problem, err, k.status, k.want)
			}
			if tokens, counted := map[string]int{"spend": 1000, "late": 1000, "total": 350, "below": 30}[k.input]; counted && c.Tokens != tokens {
				t.Errorf("%d tokens are counted, not %d", c.Tokens, tokens)
			}
		})
	}
}

// TestAlone: a program that reads only its order refuses what a client gives besides, instead of
// dropping it.
func TestAlone(t *testing.T) {
	t.Parallel()
	h := speakers(t)
	talk := mind.Talk{Tools: []agent.Repr{{Name: "look"}}, Attend: func(context.Context, *agent.Channel, func(json.RawMessage) json.RawMessage) (agent.FinalResult, error) {
		t.Error("the call is made")
		return agent.FinalResult{}, nil
	}}
	a, err := h.Converse(t.Context(), operator, word("x"), talk)
	if err != nil || a.Status != host.Failed || !strings.Contains(a.Error, "calls no tools and no minions of its client") {
		t.Errorf("%+v, %v", a, err)
	}
	talk = mind.Talk{Attend: func(_ context.Context, run *agent.Channel, _ func(json.RawMessage) json.RawMessage) (final agent.FinalResult, err error) {
		if err := run.Input(agent.ExtraInput{Content: json.RawMessage(`"hurry"`)}); err == nil || !strings.Contains(err.Error(), "reads no extra inputs") {
			t.Errorf("an extra input: %v", err)
		}
		for e, err := range run.Steps(false) {
			if err != nil {
				return final, err
			}
			final, _ = e.(agent.FinalResult)
		}
		return final, nil
	}}
	if a, err := h.Converse(t.Context(), operator, word("x"), talk); err != nil || a.Status != host.OK {
		t.Errorf("%+v, %v", a, err)
	}
}

const (
	keeper = `#!/bin/sh
read -r run
echo '{"step":{"calls":[{"name":"keep","input":{}}]}}'
read -r kept
read -r end
echo '{"step":{"calls":[{"name":"agent.invoke","input":{"target":"agent://echo/say","payload":1,"params":{"loud":true}}}]}}'
read -r said
echo "{\"final\":{\"output\":[$run,$kept,$end,$said]}}"
`
	keeping = `autonomy = 2
calls = ["echo/*"]
[mind]
kind = "channel"
run = ["./keeper.sh"]
[[capabilities]]
name = "do"
params = '{"type":["object","null"],"required":["who"]}'
[[tools]]
name = "keep"
description = "Keeps a plan"
run = ["/bin/sh", "-c", "read -r was < $AGENT_CONTEXT; echo '{\"plan\":2}' > $AGENT_CONTEXT; echo \"[$was]\""]
`
	echoing = `[mind]
kind = "executable"
run = ["/bin/cat"]
[[capabilities]]
name = "say"
params = '{"type":"object","properties":{"loud":{"type":"boolean"}},"additionalProperties":false}'
[[capabilities]]
name = "plain"
`
)

// TestContext: a tool of an agent's file sees the client's context alone and changes it, an agent
// that the agent calls sees it then, and parameters are as the file says or refused.
func TestContext(t *testing.T) {
	t.Parallel()
	dir := home(t)
	folder := filepath.Join(dir, Folder)
	if err := errors.Join(
		os.WriteFile(filepath.Join(folder, "keeper.sh"), []byte(keeper), 0o700),
		os.WriteFile(filepath.Join(folder, "keeper.toml"), []byte(keeping), 0o600),
		os.WriteFile(filepath.Join(folder, "echo.toml"), []byte(echoing), 0o600),
	); err != nil {
		t.Fatal(err)
	}
	h := open(t, dir)
	defer func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	}()
	talk := mind.Talk{Context: json.RawMessage(`{"plan":1}`), Params: json.RawMessage(`{"who":"me"}`), Attend: mind.Alone}
	a, err := h.Converse(t.Context(), operator, attest.Commission{Target: "keeper/do"}, talk)
	if err != nil || a.Status != host.OK {
		t.Fatalf("%+v, %v", a, err)
	}
	for _, want := range []string{
		`"params":{"who":"me"}`, `"output":[{"plan":1}]`, `{"step_end":{"context":{"plan":2},"n":1}}`, `"client":{"plan":2}`, `"params":{"loud":true}`,
	} {
		if !strings.Contains(string(a.Result), want) {
			t.Errorf("%s is missing in %s", want, a.Result)
		}
	}
	left, err := filepath.Glob(filepath.Join(dir, "work", "*", "context-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("%q, %v", left, err)
	}
	for _, k := range []struct{ target, params, want string }{
		{"echo/say", `{"loud":7}`, "the parameters"}, {"echo/say", `{"x":1}`, "the parameters"}, {"echo/plain", `{"loud":true}`, "echo/plain has no parameters"},
		{"keeper/do", `{}`, "the parameters"},
	} {
		talk := mind.Talk{Params: json.RawMessage(k.params), Attend: mind.Alone}
		a, err := h.Converse(t.Context(), operator, attest.Commission{Target: k.target}, talk)
		if err != nil || a.Status != host.Failed || !strings.Contains(a.Error, k.want) {
			t.Errorf("%s with %s: %+v, %v", k.target, k.params, a, err)
		}
	}
	v, err := h.Look(operator, "echo")
	if err != nil || !strings.Contains(string(v.Capabilities[0].Params), "loud") {
		t.Errorf("%+v, %v", v, err)
	}
	large := mind.Talk{Context: json.RawMessage(`"` + strings.Repeat("x", mind.MaxContext) + `"`), Attend: mind.Alone}
	if _, err := h.Converse(t.Context(), operator, attest.Commission{Target: "echo/plain"}, large); err == nil {
		t.Error("a context that is too large is taken")
	}
	for range 20 { // which is made once
		if _, err := h.Use(t.Context(), operator, "agent.invoke", json.RawMessage(`{"target":"echo/plain","correlation_id":"one","context":1}`)); err != nil {
			t.Error(err)
		}
	}
	h.mu.Lock()
	if n := len(h.talks); n > 0 {
		t.Errorf("%d contexts of calls that ended are kept", n)
	}
	h.mu.Unlock()
	raw, err := h.Use(t.Context(), operator, "agent.invoke", json.RawMessage(`{"target":"echo/plain","payload":2,"context":{"by":"api"}}`))
	if err != nil || !strings.Contains(string(raw), `"client":{"by":"api"}`) {
		t.Errorf("%s, %v", raw, err)
	}
}
