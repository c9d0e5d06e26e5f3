package door

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"ojud/agent/delegation"
	"ojud/agent/host"
	"ojud/agent/host/shell"
)

const deployer = `autonomy = 3
calls = ["limited/*"]
[mind]
kind = "deployer"
[[capabilities]]
name = "deploy"
[[capabilities]]
name = "terminate"
[limits]
spawned = 2
memory_mb = 512
cpu = "20s"
`

// limited says which processor time and memory it has.
const limited = `# the image
[mind]
kind = "executable"
run = ["./limits.sh"]
[limits]
memory_mb = 512
cpu = "20s" # of each process
[[capabilities]]
name = "show"
`

const showing = `#!/bin/sh
cat >/dev/null
echo "{\"cpu\":\"$(ulimit -t)\",\"memory\":\"$(ulimit -d)\"}"
`

// TestDeploy: a delegate deploys an agent on another host. The agent has the limits that the
// delegate asked for. What the delegation, the image or the deployer does not allow is refused with
// the reason.
func TestDeploy(t *testing.T) {
	t.Parallel()
	way := &carrier{t: t, peers: true}
	home := agentsHome(t, map[string]string{"deployer.toml": deployer, "limited.toml": limited, "limits.sh": showing, "other.toml": limited})
	f := publish(t, home, "127.0.0.1:0", shell.Means{}, way.join)
	carol := freshKey(t)
	now := time.Now()
	scope := delegation.Scope{Allow: []string{"/deployer", "/limited", "/other", "/carol-1", "/carol-2", "/carol-3", "/carol-4"}, Budget: delegation.Amounts{-1, 0, 0}, Until: now.Unix() + 3600, NotBefore: now.Unix() - 1}
	d, err := delegation.Issue(f.operator, carol.Principal(), scope, nil, nil, now)
	if err != nil {
		t.Fatal(err)
	}
	call := func(name, payload string) shell.Returned {
		t.Helper()
		a := Abroad{Key: carol, Chain: []*delegation.Delegation{d}, To: way.remote(f, name)}
		r, _, err := a.Invoke(t.Context(), 0, json.RawMessage(payload))
		if err != nil {
			return shell.Returned{Error: err.Error()}
		}
		r.Chain, r.Attestation = nil, nil // they are long
		return r
	}
	r := call("deployer/deploy", `{"id":"carol-1","like":"limited","limits":{"cpu":"3s","memory_mb":64,"concurrent":1}}`)
	if r.Status != host.OK || !strings.Contains(string(r.Result), "agent://carol-1/show") {
		t.Fatalf("%+v", r)
	}
	if r := call("carol-1/show", `1`); string(r.Result) != `{"cpu":"3","memory":"65536"}` {
		t.Errorf("the limits of the copy are %s (%+v)", r.Result, r)
	}
	if r := call("limited/show", `1`); string(r.Result) != fmt.Sprintf(`{"cpu":"20","memory":"%d"}`, 512<<10) {
		t.Errorf("the limits of the image are %s (%+v)", r.Result, r)
	}
	refused := func(name, payload, want string) {
		t.Helper()
		if r := call(name, payload); r.Status == host.OK || !strings.Contains(r.Error, want) {
			t.Errorf("%s %s: %+v; want %q", name, payload, r, want)
		}
	}
	for payload, want := range map[string]string{
		`{"id":"mallory","like":"limited"}`:                              "MatchError",
		`{"id":"limited","like":"limited"}`:                              "already",
		`{"id":"carol-2","like":"other"}`:                                "may not call",
		`{"id":"carol-2","like":"none"}`:                                 "none",
		`{"id":"carol-2"}`:                                               "like is missing",
		`{"id":"../carol-2","like":"limited"}`:                           "id is",
		`{"id":"carol-2","like":"limited","limits":{"memory_mb":1024}}`:  "limits.memory",
		`{"id":"carol-2","like":"limited","limits":{"cpu":"1h"}}`:        "limits.cpu",
		`{"id":"carol-2","like":"limited","limits":{"cpu":"soon"}}`:      "limits.cpu",
		`{"id":"carol-2","like":"limited","limits":{"memory_mb":1}}`:     "memory_mb",
		`{"id":"carol-2","like":"limited","limits":{"concurrent":-1}}`:   "concurrent",
		`{"id":"carol-2","like":"limited","limits":{"total_dollars":1}}`: "",
		`{"id":"carol-2","like":"limited","run":["/bin/sh"]}`:            "cannot be read",
		`{"id":"carol-2","like":"limited","limits":{"run":"x"}}`:         "cannot be read",
		`"carol-2"`: "cannot be read",
	} {
		if want == "" {
			continue
		}
		refused("deployer/deploy", payload, want)
	}
	if r := call("deployer/deploy", `{"id":"carol-2","like":"limited","limits":{"total_tokens":5,"total_dollars":0.25}}`); r.Status != host.OK {
		t.Fatalf("%+v", r)
	}
	refused("deployer/deploy", `{"id":"carol-3","like":"limited"}`, "limits.spawned")
	refused("deployer/terminate", `{"id":"limited"}`, "")
	refused("deployer/terminate", `{"id":"mallory"}`, "MatchError")
	refused("deployer/terminate", `{"id":"carol-1","like":"limited"}`, "id alone")
	if r := call("deployer/terminate", `{"id":"carol-1"}`); r.Status != host.OK {
		t.Errorf("%+v", r)
	}
	refused("carol-1/show", `1`, "terminated")
	if r := call("deployer/deploy", `{"id":"carol-4","like":"limited"}`); r.Status != host.OK {
		t.Errorf("there is room again, and it is refused: %+v", r)
	}
}

// TestAttackDeployed: a delegate that has deployed all that one may have takes no place from
// another one, and ends no copy of another, although its delegation allows all ids.
func TestAttackDeployed(t *testing.T) {
	t.Parallel()
	way := &carrier{t: t, peers: true}
	home := agentsHome(t, map[string]string{"deployer.toml": deployer, "limited.toml": limited, "limits.sh": showing})
	f := publish(t, home, "127.0.0.1:0", shell.Means{}, way.join)
	now := time.Now()
	scope := delegation.Scope{Allow: []string{"/"}, Budget: delegation.Amounts{-1, 0, 0}, Until: now.Unix() + 3600, NotBefore: now.Unix() - 1}
	chains, keys := map[string]*delegation.Delegation{}, map[string]shell.Signer{}
	for _, who := range []string{"mallory", "carol"} {
		keys[who] = freshKey(t)
		d, err := delegation.Issue(f.operator, keys[who].Principal(), scope, nil, nil, now)
		if err != nil {
			t.Fatal(err)
		}
		chains[who] = d
	}
	expect := func(who, name, payload, want string) {
		t.Helper()
		a := Abroad{Key: keys[who], Chain: []*delegation.Delegation{chains[who]}, To: way.remote(f, "deployer/"+name)}
		r, _, err := a.Invoke(t.Context(), 0, json.RawMessage(payload))
		if err != nil || (r.Status == host.OK) != (want == "") || !strings.Contains(r.Error, want) {
			t.Errorf("%s %s %s: %s %s, %v; want %q", who, name, payload, r.Status, r.Error, err, want)
		}
	}
	expect("mallory", "deploy", `{"id":"m-1","like":"limited"}`, "")
	expect("mallory", "deploy", `{"id":"m-2","like":"limited"}`, "")
	expect("mallory", "deploy", `{"id":"m-3","like":"limited"}`, "limits.spawned")
	expect("carol", "deploy", `{"id":"c-1","like":"limited"}`, "")
	expect("mallory", "terminate", `{"id":"c-1"}`, "not deployed")
	expect("mallory", "terminate", `{"id":"limited"}`, "not deployed")
	v, err := f.host.Look(shell.Caller{ID: host.Operator}, "m-1")
	if err != nil || v.Delegate != keys["mallory"].Principal().String() || v.Until != scope.Until*1000 {
		t.Errorf("the operator sees %+v, %v", v.Lease, err)
	}
	if err := f.host.Ask(t.Context(), shell.Caller{ID: host.Operator}, "limited", host.Terminate); err != nil {
		t.Fatal(err)
	}
	expect("carol", "deploy", `{"id":"c-2","like":"limited"}`, "limited is terminated")
}
