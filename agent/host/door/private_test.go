package door

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"ojud/agent/delegation"
	"ojud/agent/host"
	"ojud/agent/host/attest"
	"ojud/agent/host/shell"
	"ojud/casefile"
)

// teller returns all that its mind is given: the payload and the context with its memories.
const teller = `[mind]
kind = "executable"
run = ["cat"]
[[capabilities]]
name = "tell"
`

// listener is a script that keeps what it is asked.
type listener struct {
	script
	mu    sync.Mutex
	heard string
}

// RoundTrip keeps the prompt and gives the next answer.
func (l *listener) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.heard += string(body)
	return l.script.RoundTrip(r)
}

// say makes the model answer this next, and returns what it was asked since.
func (l *listener) say(answers ...string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	heard := l.heard
	l.heard, l.answers = "", answers
	return heard
}

// TestAttackOtherCallers: nothing that one caller sent, or that an agent learned, answered or asked
// other agents for it, reaches the mind of an agent in the call of another caller: not the latest
// calls, not patterns, not agent.recall, not agents that it calls, and not a call of the same
// correlation id. Callers are delegates of the operator, one that a delegate allowed something, and
// the operator. Each one's own words do reach it, and what the operator taught reaches all.
func TestAttackOtherCallers(t *testing.T) {
	t.Parallel()
	model := &listener{}
	f := publish(t, agentsHome(t, map[string]string{
		"e.toml": teller, "s.toml": strings.Replace(solver, "[mind]", "calls = [\"e/*\"]\n[mind]", 1),
	}), "127.0.0.1:0", shell.Means{Transport: model})
	if err := f.host.Learn(shell.Caller{ID: host.Operator}, "e", "the weather here", "taught-by-operator"); err != nil {
		t.Fatal(err)
	}
	carol, mallory, helper := freshKey(t), freshKey(t), freshKey(t)
	chains := map[string][]*delegation.Delegation{"carol": f.allow(carol.Principal(), "/", 1_000_000), "mallory": f.allow(mallory.Principal(), "/", 1_000_000)}
	scope, _, err := chains["carol"][0].Scope()
	if err != nil {
		t.Fatal(err)
	}
	d, err := delegation.Issue(carol, helper.Principal(), scope, chains["carol"], nil, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	chains["helper"] = append(chains["carol"][:1:1], d)
	g, err := Open(f.home)
	if err != nil {
		t.Fatal(err)
	}
	// call makes a call for somebody, and returns its result.
	call := func(who, name, payload string) string {
		t.Helper()
		raw, err := json.Marshal(payload)
		if err != nil {
			t.Fatal(err)
		}
		var r shell.Returned
		if who == "operator" {
			r, _, err = g.Invoke(t.Context(), attest.Commission{Target: name, Payload: raw}, casefile.DID{})
		} else {
			key := map[string]shell.Signer{"carol": carol, "mallory": mallory, "helper": helper}[who]
			r, _, err = Abroad{Key: key, Chain: chains[who], To: f.remote(name), Spend: delegation.Amounts{0, 100_000, 0}}.Invoke(t.Context(), 0, raw)
		}
		if err != nil || r.Status != host.OK {
			t.Fatalf("%s calls %s: %+v, %v", who, name, r, err)
		}
		return string(r.Result)
	}
	all := []string{"carol", "helper", "operator", "mallory"}
	const finish = `{"thought":"Done.","action":"finish","result":"done"}`
	use := func(tool, input string) string {
		return fmt.Sprintf(`{"thought":"I do.","action":"call","tool":%q,"input":%s}`, tool, input)
	}
	for _, who := range all { // each leaves its words wherever an agent may keep them
		secret := "secret-of-" + who
		call(who, "e/tell", "the weather for "+secret)
		model.say(
			use("agent.learn", `{"when":"the weather as `+secret+` knows it","then":"say `+secret+`"}`),
			use("agent.invoke", `{"target":"agent://e/tell","payload":"the weather inside for `+secret+`"}`),
			use("agent.invoke", `{"target":"agent://e/tell","payload":"the same","correlation_id":"one"}`),
			finish,
		)
		call(who, "s/solve", "the weather by "+secret)
	}
	for _, who := range all {
		told := call(who, "e/tell", "the weather")
		model.say(
			use("agent.recall", `{"query":"the weather"}`), use("agent.recall", `{"kind":"working","limit":100}`), use("agent.recall", `{"kind":"pattern","limit":100}`),
			use("agent.invoke", `{"target":"agent://e/tell","payload":"the weather"}`),
			use("agent.invoke", `{"target":"agent://e/tell","payload":"the same","correlation_id":"one"}`),
			finish,
		)
		call(who, "s/solve", "the weather")
		heard := model.say()
		if !strings.Contains(told, "taught-by-operator") || strings.Contains(heard, "Denied") {
			t.Errorf("%s: a control: %s, %s", who, told, heard)
		}
		for _, whose := range all {
			secret := "secret-of-" + whose
			for what, text := range map[string]string{"a program": told, "a model": heard} {
				if strings.Contains(text, secret) != (who == whose) {
					t.Errorf("%s in the call of %s: the secret of %s is there: %t\n%s", what, who, whose, who != whose, text)
				}
			}
		}
	}
}
