package door

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"ojud/agent/delegation"
	"ojud/agent/host"
	"ojud/agent/host/shell"
)

// two has capabilities of which a caller may be allowed one.
const two = `name = "Two"
description = "Writes and burns"
require_approval = ["fire"]
[mind]
kind = "executable"
run = ["cat"]
[[capabilities]]
name = "write"
description = "Writes"
input = '{"type":"string"}'
output = '{"type":"object"}'
[[capabilities]]
name = "burn"
approval = ["fire"]
`

// TestDescribe: over each carrier, a caller learns from the agent itself what it is and what its
// delegation lets it call, with schemas, and the agent signs that. Nothing runs, and the agent
// stays as it was.
func TestDescribe(t *testing.T) { onEach(t, testDescribe) }

func testDescribe(t *testing.T, way *carrier) {
	f := publish(t, agentsHome(t, map[string]string{"two.toml": two}), "127.0.0.1:0", shell.Means{}, way.join)
	carol := freshKey(t)
	ask := func(by shell.Signer, chain []*delegation.Delegation) (v shell.Description, err error) {
		t.Helper()
		r, attested, err := Abroad{Key: by, Chain: chain, To: way.remote(f, "two/agent.status")}.Invoke(t.Context(), 0, nil)
		if err != nil {
			return v, err
		}
		if !attested || r.Status != host.OK {
			t.Fatalf("%+v, %t", r, attested)
		}
		return v, json.Unmarshal(r.Result, &v)
	}
	v, err := ask(carol, f.allow(carol.Principal(), "/two/write", 0))
	if err != nil || v.ID != "two" || v.Name != "Two" || v.Life != host.Created || len(v.Required) != 1 || v.Timeout != 60_000 || len(v.Capabilities) != 1 ||
		v.Capabilities[0].Name != "write" || string(v.Capabilities[0].Input) != `{"type":"string"}` || string(v.Capabilities[0].Output) != `{"type":"object"}` {
		t.Errorf("%+v, %v", v, err)
	}
	if v, err := ask(carol, f.allow(carol.Principal(), "/two", 0)); err != nil || len(v.Capabilities) != 2 {
		t.Errorf("%+v, %v", v, err)
	}
	if v, err := ask(f.operator, nil); err != nil || len(v.Capabilities) != 2 {
		t.Errorf("%+v, %v", v, err)
	}
	if v, err := ask(carol, f.allow(carol.Principal(), "/two/agent/status", 0)); err != nil || len(v.Capabilities) != 0 {
		t.Errorf("%+v, %v", v, err)
	}
	for what, k := range map[string]struct {
		by    shell.Signer
		chain []*delegation.Delegation
	}{
		"a stranger":               {carol, nil},
		"one with another agent's": {carol, f.allow(carol.Principal(), "/other/write", 0)},
		"one with another's chain": {carol, f.allow(freshKey(t).Principal(), "/two/write", 0)},
		"one with a forged chain":  {carol, (&farHost{hosted: f.hosted, operator: freshKey(t)}).allow(carol.Principal(), "/two", 0)},
	} {
		if v, err := ask(k.by, k.chain); err == nil {
			t.Errorf("%s sees %+v", what, v)
		}
	}
	still, err := f.host.Look(shell.Caller{ID: host.Operator}, "two")
	if err != nil || still.Life != host.Created || still.Calls != 0 {
		t.Errorf("to describe an agent changes it: %+v, %v", still, err)
	}
}

// TestAgentDescribesAbroad: an agent asks what an agent of another host can do that its file names,
// also if the file names one capability alone. It cannot ask of others.
func TestAgentDescribesAbroad(t *testing.T) {
	t.Parallel()
	f := publish(t, sleepHome(t), "127.0.0.1:0", shell.Means{})
	ask := func(agent string) string {
		return `{"thought":"What can it do?","action":"call","tool":"agent.status","input":{"agent":"agent://` + agent + `"}}`
	}
	home := agentsHome(t, map[string]string{"s.toml": strings.Replace(fmt.Sprintf(caller, f.at), "/e/*", "/e/echo", 1)})
	model := &script{answers: []string{ask(f.at + "/e"), ask(f.at + "/x"), `{"thought":"Done.","action":"finish","result":"done"}`}}
	h := beginWith(t, home, shell.Means{Transport: model, Reach: abroadOf})
	f.letCall(t, h, home, 0)
	g, err := Open(home)
	if err != nil {
		t.Fatal(err)
	}
	var refused *host.Refused
	if err := g.Use(t.Context(), "agent.status", map[string]string{"agent": "agent://" + f.at + "/e"}, new(host.Portrait)); !errors.As(err, &refused) || refused.Code != host.Denied {
		t.Errorf("the operator asks by no agent's key: %v", err)
	}
	all := conversation(t, g, host.Target{Agent: "s", Capability: "solve"})
	if !strings.Contains(all, `"id":"e"`) || !strings.Contains(all, `"name":"echo"`) || !strings.Contains(all, "does not name") || !strings.Contains(all, `"status":"ok"`) {
		t.Errorf("the agent hears %s", all)
	}
}
