package shell

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/agent/host"
	"ojud/agent/host/attest"
	"ojud/agent/host/mind"
)

// TestContextOfServers: MCP servers, as minds and as tools, are told the client's part of the
// context of a call in _meta, and nothing if the client gave none.
func TestContextOfServers(t *testing.T) {
	t.Parallel()
	dir := home(t)
	folder := filepath.Join(dir, Folder)
	told := strings.Replace(server, `*'"method":"tools/call"'*)`, `*'"_meta"'*'"ojud/context":{"plan":1}'*'"method":"tools/call"'*|*'"method":"tools/call"'*'"_meta":{"ojud/context":{"plan":1}}'*)
    say '"result":{"content":[{"type":"text","text":"it is told"}]}' ;;
  *'"method":"tools/call"'*)`, 1)
	const asker = `autonomy = 1
[mind]
kind = "channel"
run = ["./asker.sh"]
[[capabilities]]
name = "ask"
[[tools]]
name = "look"
upstream = { kind = "mcp", tool = "ask", command = "/bin/sh", args = ["%s"] }
`
	const script = `#!/bin/sh
read -r run
echo '{"step":{"calls":[{"name":"look","input":{}}]}}'
read -r seen; read -r end
echo "{\"final\":{\"output\":$seen}}"
`
	program := filepath.Join(folder, "told.sh")
	if err := errors.Join(
		os.WriteFile(program, []byte(told), 0o700), os.WriteFile(filepath.Join(folder, "asker.sh"), []byte(script), 0o700),
		os.WriteFile(filepath.Join(folder, "served.toml"), fmt.Appendf(nil, served, program), 0o600),
		os.WriteFile(filepath.Join(folder, "asker.toml"), fmt.Appendf(nil, asker, program), 0o600),
	); err != nil {
		t.Fatal(err)
	}
	h, err := Open(dir, Means{LookupEnv: os.LookupEnv})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	}()
	for _, agent := range []string{"served", "asker"} {
		for context, want := range map[string]bool{`{"plan":1}`: true, ``: false} {
			order := attest.Commission{Target: agent + "/ask", Payload: json.RawMessage(`{}`)}
			c, err := h.Converse(t.Context(), operator, order, mind.Talk{Context: json.RawMessage(context), Attend: mind.Alone})
			if err != nil || c.Status != host.OK || strings.Contains(string(c.Result), "it is told") != want {
				t.Errorf("%s with the context %q: %s %s %s, %v", agent, context, c.Status, c.Result, c.Error, err)
			}
		}
	}
}

// TestAttackBeside: what comes beside a call is shown to the person as the agent gets it: without
// escapes of JSON, by which the same words look otherwise, and without members that stand twice, of
// which readers take different ones.
func TestAttackBeside(t *testing.T) {
	t.Parallel()
	talk := mind.Talk{Context: json.RawMessage(`{"note":"\u0070ay \u0042ob"}`), Params: json.RawMessage(`{ "n":1 }`)}
	shown, err := beside(&talk, false)
	if want := `{"context":{"note":"pay Bob"},"params":{"n":1}}`; err != nil || string(shown) != want {
		t.Errorf("shown is %s, %v; want %s", shown, err, want)
	}
	if string(talk.Context) != `{"note":"pay Bob"}` || string(talk.Params) != `{"n":1}` {
		t.Errorf("the agent gets %s and %s", talk.Context, talk.Params)
	}
	if shown, err := beside(&mind.Talk{Context: json.RawMessage(`{"to":"Ann","to":"Bob"}`)}, false); err == nil {
		t.Errorf("a member that stands twice is shown as %s", shown)
	}
}
