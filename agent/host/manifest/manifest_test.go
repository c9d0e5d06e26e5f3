package manifest

import (
	"strings"
	"testing"
	"time"

	"ojud/agent/host"
)

const running = `name = "Upper"
autonomy = 2
calls = ["b/*"]
idle = "5m"
[mind]
kind = "executable"
run = ["./upper.sh"]
pass = ["LEVEL"]
[[capabilities]]
name = "shout"
input = '{"type":"string"}'
[limits]
time = "20s"
memory_mb = 64
dollars = 0.5
`

const thinking = `autonomy = 1
[mind]
kind = "react"
instructions = "Draft."
[[capabilities]]
name = "draft"
[[tools]]
name = "search"
description = "Finds"
upstream = { kind = "mcp", tool = "search_nodes", command = "npx", args = ["-y", "x"] }
[[tools]]
name = "count"
description = "Counts"
run = ["wc", "-w"]
[models]
retries = 1
[[models.list]]
name = "small"
provider = "openai"
url = "http://127.0.0.1:8080/v1"
model = "m"
timeout = "30s"
`

const serving = `[mind]
kind = "mcp"
upstream = { command = "server" }
[[capabilities]]
name = "ask"
tool = "search_nodes"
`

// TestParse: each kind of mind is read.
func TestParse(t *testing.T) {
	m, err := Parse([]byte(running), "/home/agents/upper.toml", "upper")
	if err != nil || m.ID != "upper" || m.Key != "/home/agents/keys/upper.json" || m.Idle != 5*time.Minute || m.Quota.Memory != 64<<20 ||
		m.Quota.Micros != 500_000 || m.Quota.Tokens != host.DefaultQuota().Tokens || m.Thinks.Run[0] != "./upper.sh" || m.Thinks.Pass[0] != "LEVEL" {
		t.Errorf("%+v, %v", m, err)
	}
	m, err = Parse([]byte(thinking), "/home/agents/w.toml", "w")
	if err != nil || len(m.Tools) != 2 || m.Tools[0].Upstream == nil || m.Tools[1].Run[0] != "wc" || m.Models.Models[0].Timeout != 30*time.Second ||
		m.Models.Retries != 1 || m.Models.Budget.Tokens != m.Quota.Tokens {
		t.Errorf("%+v, %v", m, err)
	}
	m, err = Parse([]byte(serving), "/home/agents/s.toml", "s")
	if err != nil || m.Thinks.Servers["ask"] == nil {
		t.Errorf("%+v, %v", m, err)
	}
}

// TestErrors: an error names the file, the line, the field, its limits and the fix.
func TestErrors(t *testing.T) {
	for _, k := range []struct{ text, old, with, want string }{
		{running, "autonomy = 2", "autonomy = 7", "a.toml:2: autonomy is 7; set it to 0 to 4"},
		{running, "autonomy = 2", "autonomy = \"x\"", "a.toml:2:12: autonomy: "},
		{running, "autonomy = 2", "autonomie = 2", "a.toml:2: autonomie is no field of an agent's file"},
		{running, "memory_mb = 64", "memory_mb = 1", "a.toml:14: limits.memory_mb is 1; set it to 16 to 1048576"},
		{running, "memory_mb = 64", "memory = 64", "a.toml:14: limits.memory is no field"},
		{running, "dollars = 0.5", "dollars = -1", "a.toml:15: limits.dollars is -1; set it to 0 to 1000000"},
		{running, `time = "20s"`, `time = "soon"`, `a.toml:13: limits.time is "soon"; write a time`},
		{running, `time = "20s"`, `time = "2h"`, "a.toml:13: limits.time is 2h; set it to 1s to 1h"},
		{running, `name = "shout"`, `name = "Shout!"`, `a.toml:10: capabilities[0].name is "Shout!"`},
		{running, `name = "shout"`, `name = "agent.status"`, `a.toml:10: capabilities[0].name is "agent.status"; names that begin with "agent." are`},
		{running, `'{"type":"string"}'`, `'{"type":"strin"}'`, "a.toml:11: capabilities[0].input is no JSON Schema"},
		{running, `"executable"`, `"executabel"`, `a.toml:6: mind.kind is "executabel"; set it to`},
		{running, `run = ["./upper.sh"]`, ``, "a.toml:5: mind.run has 0 words; write the program"},
		{running, `calls = ["b/*"]`, `require_approval = ["finance"]`, `a.toml:3: require_approval[0] is "finance", and no capability is in that domain`},
		{running, `calls = ["b/*"]`, `calls = ["b"]`, `a.toml:3: calls[0] is "b"; write an agent and a capability`},
		{running, `name = "Upper"`, `id = "a/b"`, `a.toml:1: id is "a/b"; write 1 to 64`},
		{running, "[limits]", "[[tools]]\nname = \"x\"\nrun = [\"x\"]\n[limits]", "a.toml:12: tools are for minds with a model"},
		{running, "name = \"Upper\"", "name = Upper", "a.toml:1:"},
		{thinking, `instructions = "Draft."`, ``, "a.toml:2: mind.instructions has 0 bytes; tell the model"},
		{thinking, `name = "count"`, `name = "search"`, `a.toml:12: tools[1].name is "search", which is another tool's`},
		{thinking, `name = "count"`, `name = "agent.list"`, `a.toml:12: tools[1].name is "agent.list"`},
		{thinking, `run = ["wc", "-w"]`, ``, "a.toml:11: tools[1].run or upstream is needed, and not both"},
		{thinking, `kind = "mcp", tool`, `kind = "mpc", tool`, "a.toml:10: tools[0].upstream cannot be used: "},
		{thinking, `provider = "openai"`, `provider = "opnai"`, "a.toml:15: models list[0].provider"},
		{thinking, `retries = 1`, `retry = 1`, "a.toml:15: models cannot be read"},
		{thinking, thinking[strings.Index(thinking, "[models]"):], ``, `a.toml:3: mind.kind is "react", and the file names no model`},
		{serving, `tool = "search_nodes"`, `params = '{}'`, `a.toml:6: capabilities[0].params belongs to minds that are programs`},
		{serving, `kind = "mcp"`, `kind = "react"`, `a.toml:6: capabilities[0].tool belongs to minds of the kind "mcp"`},
		{serving, `command = "server"`, `kind = "http"`, "a.toml:3: mind.upstream cannot be used"},
	} {
		if !strings.Contains(k.text, k.old) {
			t.Fatalf("no %q", k.old)
		}
		_, err := Parse([]byte(strings.Replace(k.text, k.old, k.with, 1)), "a.toml", "a")
		if err == nil || !strings.HasPrefix(err.Error(), k.want) {
			t.Errorf("%q: %v; want %s", k.with, err, k.want)
		}
	}
	if _, err := Parse(make([]byte, maxBytes+1), "a.toml", "a"); err == nil {
		t.Error("a file of any size is read")
	}
}

// FuzzParse: a file that can be read is valid, and an error names the file.
func FuzzParse(f *testing.F) {
	for _, text := range []string{running, thinking, serving, "", "[[tools]]\n[[tools]]\n", "a.b.c = {d=[1,{e=2}]}", "[[capabilities]]\nname='a'\n[mind]\nkind='mcp'\nupstream={}"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, err := Parse(raw, "a.toml", "a")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "a.toml") {
				t.Error(err)
			}
			return
		}
		if err := m.Validate(); err != nil || m.Text != string(raw) {
			t.Errorf("%v", err)
		}
	})
}
