package door

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/agent"
	"ojud/agent/channel"
	"ojud/agent/channel/line"
	"ojud/agent/host"
	"ojud/agent/host/shell"
)

const solver = `autonomy = 2
[mind]
kind = "react"
instructions = "Find the answer."
[[capabilities]]
name = "solve"
output = '{"type":"string"}'
[models]
[[models.list]]
name = "m"
provider = "openai"
url = "http://127.0.0.1:1/v1"
model = "m"
`

// script is a model server that gives its answers in order.
type script struct{ answers []string }

// RoundTrip gives the next answer.
func (s *script) RoundTrip(r *http.Request) (*http.Response, error) {
	if len(s.answers) == 0 {
		return nil, errors.New("the script has run out")
	}
	text, err := json.Marshal(s.answers[0])
	if err != nil {
		return nil, err
	}
	s.answers = s.answers[1:]
	answer := fmt.Sprintf(`{"id":"x","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":%s},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":1,"total_tokens":11}}`, text)
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(answer)), Request: r}, nil
}

// TestTalk: a client reads the steps of an agent of the host, runs a tool for it, sees its own
// context and no memories, and gets the signed end. The same session is not carried out twice.
func TestTalk(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	folder := filepath.Join(home, shell.Folder)
	if err := errors.Join(os.MkdirAll(folder, 0o700), os.WriteFile(filepath.Join(folder, "s.toml"), []byte(solver), 0o600)); err != nil {
		t.Fatal(err)
	}
	model := &script{answers: []string{
		`{"thought":"I look.","action":"call","tool":"look","input":{"at":"oak"}}`,
		`{"thought":"Now I know.","action":"finish","result":"an owl"}`,
	}}
	h, err := shell.Open(home, shell.Means{Transport: model})
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Learn(shell.Caller{ID: host.Operator}, "s", "an oak", "a secret"); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	d, err := Listen(ctx, home, "127.0.0.1:0", h, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- d.Run(ctx) }()
	g, err := Open(home)
	if err != nil {
		t.Fatal(err)
	}
	order := channel.RunOrder{
		Input: json.RawMessage(`"who sits in the oak?"`), Context: json.RawMessage(`{"mine":1}`),
		Tools: []agent.Repr{{Name: "look", Description: "Looks", InputSchema: json.RawMessage(`{"type":"object"}`)}},
	}
	target := host.Target{Agent: "s", Capability: "solve"}
	talk, err := g.Talk(ctx, target, order, "")
	if err != nil {
		t.Fatal(err)
	}
	heard, end := followTalk(ctx, t, talk)
	talk.Close()
	if want := "step call result step_end step step_end final end"; heard != want {
		t.Errorf("heard %s, not %s", heard, want)
	}
	a, attested, err := talk.End(end)
	if err != nil || !attested || a.Status != host.OK || string(a.Result) != `"an owl"` {
		t.Errorf("%+v, %t, %v", a, attested, err)
	}
	again, err := g.Talk(ctx, target, order, talk.order.Correlation)
	if err != nil {
		t.Fatal(err)
	}
	if heard, end := followTalk(ctx, t, again); heard != "end" || !strings.Contains(string(end), a.Call) {
		t.Errorf("the same session again: %s, %s", heard, end)
	}
	again.Close()
	missing, err := g.Talk(ctx, host.Target{Agent: "none", Capability: "solve"}, order, "")
	if err != nil {
		t.Fatal(err)
	}
	_, end = followTalk(ctx, t, missing)
	var refused *host.Refused
	if _, _, err := missing.End(end); !errors.As(err, &refused) || refused.Code != host.Unknown {
		t.Errorf("an agent that is not there: %v", err)
	}
	missing.Close()
	stranger := line.Dial(ctx, line.Address{URL: g.URL + "/agents/s"}, line.NewName(), patience)
	if _, err := stranger.Receive(ctx); err == nil || !strings.Contains(err.Error(), "401") {
		t.Errorf("a caller without a token: %v", err)
	}
	stranger.Close()
	stop()
	if err := errors.Join(<-served, h.Close()); err != nil {
		t.Error(err)
	}
}

// session is what a client reads: a Talk, or a bare session.
type session interface {
	Receive(ctx context.Context) (channel.Body, error)
	Send(ctx context.Context, m channel.Body) error
	Settle(ctx context.Context) error
}

// followTalk reads a session to its end, runs the tool, and names the messages.
func followTalk(ctx context.Context, t *testing.T, c session) (heard string, end json.RawMessage) {
	t.Helper()
	for {
		m, err := c.Receive(ctx)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(raw), "secret") {
			t.Errorf("a client sees a memory: %s", raw)
		}
		name, _, _ := strings.Cut(string(raw[2:]), `"`)
		heard = strings.TrimSpace(heard + " " + name)
		switch {
		case m.Call != nil:
			if string(m.Call.Context) != `{"mine":1}` {
				t.Errorf("the context of a call is %s", m.Call.Context)
			}
			if err := c.Send(ctx, channel.Body{Result: &agent.ToolResult{ID: m.Call.ID, Name: m.Call.Name, Output: json.RawMessage(`"feathers"`)}}); err != nil {
				t.Fatal(err)
			}
		case m.End != nil:
			if err := c.Settle(ctx); err != nil && !strings.Contains(err.Error(), channel.Ended) {
				t.Error(err)
			}
			return heard, m.End
		}
	}
}
