package door

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ojud/agent"
	"ojud/agent/channel"
	"ojud/agent/host"
	"ojud/agent/host/shell"
)

// hostHome makes this test binary an agent host that runs on the home until it is killed.
const hostHome = "TEST_AGENT_HOST_HOME"

// TestHostProcess is the host of TestHostKilled.
func TestHostProcess(t *testing.T) {
	home := os.Getenv(hostHome)
	if home == "" {
		return // it is for the other process of TestHostKilled
	}
	h, err := shell.Open(home, shell.Means{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := Listen(t.Context(), home, "127.0.0.1:0", h, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Fatal(d.Run(t.Context()))
}

// process starts a host, and waits until it has another address than before.
func process(ctx context.Context, t *testing.T, home, before string) (g *Guest, kill func()) {
	t.Helper()
	p := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestHostProcess$")
	p.Env = append(os.Environ(), hostHome+"="+home)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	kill = func() {
		_ = p.Process.Kill() // it may be over
		_ = p.Wait()
	}
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		if g, err := Open(home); err == nil && g.URL != before {
			return g, kill
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			kill()
			t.Fatal("the host does not start")
		}
	}
}

// TestHostKilled: a host is killed in the middle of a call and started again at another port, with
// another word. The client finds it, gets the end of the call, and the call is not made twice; nor
// is it if the client asks for it again by its correlation id.
func TestHostKilled(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	var asked atomic.Int32
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		step, err := json.Marshal(`{"thought":"I look.","action":"call","tool":"look","input":{"at":"oak"}}`)
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "application/json")
		if _, err := fmt.Fprintf(w, `{"id":"x","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":%s},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":1,"total_tokens":11}}`, step); err != nil {
			t.Error(err)
		}
	}))
	defer model.Close()
	home := t.TempDir()
	folder := filepath.Join(home, shell.Folder)
	text := strings.Replace(solver, "http://127.0.0.1:1/v1", model.URL+"/v1", 1)
	if err := errors.Join(os.MkdirAll(folder, 0o700), os.WriteFile(filepath.Join(folder, "s.toml"), []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
	g, kill := process(ctx, t, home, "")
	defer func() { kill() }()
	order := channel.RunOrder{
		Input: json.RawMessage(`"who sits in the oak?"`),
		Tools: []agent.Repr{{Name: "look", Description: "Looks", InputSchema: json.RawMessage(`{"type":"object"}`)}},
	}
	target := host.Target{Agent: "s", Capability: "solve"}
	talk, err := g.Talk(ctx, target, order, "")
	if err != nil {
		t.Fatal(err)
	}
	defer talk.Close()
	for {
		m, err := talk.Receive(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if m.Call != nil {
			break
		}
	}
	kill()
	_, kill = process(ctx, t, home, g.URL)
	heard, end := followTalk(ctx, t, talk)
	a, _, err := talk.End(end)
	if err != nil || heard != "end" || a.Status != host.Interrupted || a.Correlation != talk.Correlation() {
		t.Errorf("after %q the call ends with %+v, %v", heard, a, err)
	}
	again, err := g.Talk(ctx, target, order, talk.Correlation())
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if _, end = followTalk(ctx, t, again); !strings.Contains(string(end), a.Call) {
		t.Errorf("the same correlation id is another call: %s", end)
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("the model was asked %d times", n)
	}
	if _, err := g.Talk(ctx, target, order, "short"); err == nil {
		t.Error("a correlation id that anybody can guess is taken")
	}
}
