package shell

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ojud/agent/host"
	"ojud/agent/host/attest"
	"ojud/agent/host/keep"
)

// script is a model server without a network. It gives its answers in order.
type script struct {
	mu      sync.Mutex
	answers []string
	asked   []string
}

// RoundTrip answers with the next line of the script.
func (s *script) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	if s.asked = append(s.asked, string(body)); len(s.answers) == 0 {
		return nil, errors.New("the script has run out")
	}
	text, err := json.Marshal(s.answers[0])
	if err != nil {
		return nil, err
	}
	s.answers = s.answers[1:]
	answer := fmt.Sprintf(`{"id":"x","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":%s},"finish_reason":"stop"}],"usage":{"prompt_tokens":100,"completion_tokens":10,"total_tokens":110}}`, text)
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(answer)), Request: r}, nil
}

const thinker = `autonomy = 2
calls = ["a1/*"]
[mind]
kind = "%s"
instructions = "Find the answer."
[[capabilities]]
name = "solve"
output = '{"type":"string"}'
[[tools]]
name = "measure"
description = "Says how long a text is"
run = ["./measure.sh"]
[models]
[[models.list]]
name = "m"
provider = "openai"
url = "http://127.0.0.1:1/v1"
model = "m"
[limits]
total_tokens = 200000
tokens = 100000
`

// server is an MCP server with one tool.
const server = `#!/bin/sh
while read -r line; do
  id=$(echo "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
  say() { echo "{\"jsonrpc\":\"2.0\",\"id\":$id,$1}"; }
  case "$line" in
  *'"method":"initialize"'*) say '"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"t","version":"1"}}' ;;
  *'"method":"tools/list"'*) say '"result":{"tools":[{"name":"ask","inputSchema":{"type":"object"}}]}' ;;
  *'"method":"tools/call"'*) say "\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"memory\\\":$(ulimit -d)}\"}]}" ;;
  *'"id"'*) say '"error":{"code":-32601,"message":"no such method"}' ;;
  esac
done
`

const served = `[mind]
kind = "mcp"
upstream = { command = "/bin/sh", args = ["%s"] }
[[capabilities]]
name = "ask"
[[capabilities]]
name = "other"
tool = "ask"
[limits]
memory_mb = 64
`

// TestMinds: a model uses its own tool, calls another agent, learns, and answers; what it used is
// counted. An MCP server answers with the limits of its agent.
func TestMinds(t *testing.T) {
	t.Parallel()
	dir := home(t)
	folder := filepath.Join(dir, Folder)
	program := filepath.Join(folder, "server.sh")
	if err := errors.Join(
		os.WriteFile(filepath.Join(folder, "thinker.toml"), fmt.Appendf(nil, thinker, "react"), 0o600),
		os.WriteFile(filepath.Join(folder, "planner.toml"), fmt.Appendf(nil, thinker, "planner"), 0o600),
		os.WriteFile(filepath.Join(folder, "writer.toml"), fmt.Appendf(nil, thinker, "feedback"), 0o600),
		os.WriteFile(filepath.Join(folder, "measure.sh"), []byte("#!/bin/sh\nwc -c\n"), 0o700),
		os.WriteFile(program, []byte(server), 0o700),
		os.WriteFile(filepath.Join(folder, "served.toml"), fmt.Appendf(nil, served, program), 0o600),
	); err != nil {
		t.Fatal(err)
	}
	model := &script{answers: []string{
		`{"thought":"measure","action":"call","tool":"measure","input":{"a":1}}`,
		`{"thought":"ask","action":"call","tool":"agent.invoke","input":{"target":"agent://a1/do","payload":"x"}}`,
		`{"thought":"not mine","action":"call","tool":"agent.invoke","input":{"target":"agent://a2/do","payload":"x"}}`,
		`{"thought":"not mine","action":"call","tool":"agent.recall","input":{"agent":"a1"}}`,
		`{"thought":"keep","action":"call","tool":"agent.learn","input":{"when":"a riddle","then":"measure it"}}`,
		`{"thought":"ready","action":"finish","result":"seven"}`,
		`{"thought":"ready","action":"finish","result":"eight"}`,
		`{"thought":"first","action":"plan","plan":["answer"]}`,
		`{"thought":"ready","action":"finish","result":"nine"}`,
		`{"thought":"ask","action":"call","tool":"agent.invoke","input":{"target":"agent://a1/do","payload":"x"}}`,
		`{"thought":"ready","action":"finish","result":"ten"}`,
		`{"thought":"ready","action":"finish","result":{"good":true,"feedback":""}}`,
	}}
	h, err := Open(dir, Means{LookupEnv: os.LookupEnv, Transport: model})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	}()
	solve := func(agent, payload, want string, o attest.Commission) {
		t.Helper()
		o.Target, o.Payload = agent+"/solve", json.RawMessage(payload)
		c, err := h.Invoke(t.Context(), operator, o)
		if err != nil || c.Status != host.OK || string(c.Result) != want || c.Tokens < 110 {
			t.Errorf("%s %s %s, %d tokens, %v", c.Status, c.Result, c.Problem, c.Tokens, err)
		}
	}
	solve("thinker", `"what has a riddle"`, `"seven"`, attest.Commission{})
	seen := strings.Join(model.asked, "\n")
	for _, want := range []string{"may not call a2/do", "may not read or write the memory of another agent", `done`, "Find the answer."} {
		if !strings.Contains(seen, want) {
			t.Errorf("the model does not read %q", want)
		}
	}
	if all, err := h.Recall(operator, "thinker", keep.Pattern, "riddle", 9); err != nil || len(all) != 1 {
		t.Errorf("%+v, %v", all, err)
	}
	solve("thinker", `"a riddle"`, `"eight"`, attest.Commission{Deny: []string{"agent.*"}})
	last := model.asked[len(model.asked)-1]
	if !strings.Contains(last, "measure it") || strings.Contains(last, "agent.invoke") {
		t.Errorf("the model does not see its patterns, or sees tools that the delegation denies: %s", last)
	}
	solve("planner", `1`, `"nine"`, attest.Commission{})
	solve("writer", `1`, `"ten"`, attest.Commission{})
	v, err := h.Look(operator, "thinker")
	if err != nil || v.Tokens != 7*110 {
		t.Errorf("%+v, %v", v, err)
	}
	for range 2 {
		for _, capability := range []string{"ask", "other"} {
			c, err := h.Invoke(t.Context(), operator, attest.Commission{Target: "served/" + capability, Payload: json.RawMessage(`{}`)})
			if err != nil || string(c.Result) != `{"memory":65536}` {
				t.Errorf("%s: %s %s %s, %v", capability, c.Status, c.Result, c.Problem, err)
			}
		}
		if err := h.Ask(t.Context(), operator, "served", host.Hibernate); err != nil {
			t.Error(err)
		}
	}
}

const alive = `[mind]
kind = "%s"
instructions = "Answer with a short sentence."
[[capabilities]]
name = "solve"
output = '{"type":"string"}'
[models]
[[models.list]]
name = "live"
provider = "openai"
url = %q
model = %q
%s
legacy_max_tokens = true
max_tokens = 60
[limits]
tokens = 1500
time = "20s"
`

// TestLive has each kind of mind think with the model of the server at OJUD_LLM_URL, as TestLive of
// agent/model says. What it asserts holds for any model, also for one of random weights: the call
// ends, in its time and within its tokens, with a result of its form or with an error that says
// why.
func TestLive(t *testing.T) {
	url, name, key := os.Getenv("OJUD_LLM_URL"), os.Getenv("OJUD_LLM_MODEL"), ""
	if url == "" {
		t.Log("NOT RUN: OJUD_LLM_URL is not set, so no mind thinks with a real model.")
		return
	}
	if os.Getenv("OJUD_LLM_KEY") != "" {
		key = `key = "${env:OJUD_LLM_KEY}"`
	}
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, Folder), 0o700); err != nil {
		t.Fatal(err)
	}
	kinds := []string{"react", "planner", "feedback", "babyagi", "autogpt", "taskmaster"}
	for _, kind := range kinds {
		if err := os.WriteFile(filepath.Join(dir, Folder, kind+".toml"), fmt.Appendf(nil, alive, kind, url, name, key), 0o600); err != nil {
			t.Fatal(err)
		}
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
	tokens := 0
	for _, kind := range kinds {
		began := time.Now()
		c, err := h.Invoke(t.Context(), operator, attest.Commission{Target: kind + "/solve", Payload: json.RawMessage(`"Is an owl a bird?"`)})
		took := time.Since(began)
		t.Logf("%s: %s after %s, %d tokens: %s%s", kind, c.Status, took.Round(time.Millisecond), c.Tokens, c.Result, c.Problem)
		var text string
		ends := c.Status == host.OK && json.Unmarshal(c.Result, &text) == nil || (c.Status == host.Failed || c.Status == host.TimedOut) && c.Problem != ""
		if err != nil || !ends || took > 25*time.Second || c.Tokens > 1500 {
			t.Errorf("%s: %s after %s, %d tokens: %s%s, %v", kind, c.Status, took, c.Tokens, c.Result, c.Problem, err)
		}
		tokens += c.Tokens
	}
	if tokens == 0 {
		t.Error("no mind used the model")
	}
}
