package kind

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ojud/test/longtest"
)

// TestMCPResumes: a server that closes the stream of a call (SEP-1699) is asked for the rest, and
// the call is made once.
func TestMCPResumes(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	s := mcp.NewServer(&mcp.Implementation{Name: "polls", Version: "1"}, nil)
	s.AddTool(&mcp.Tool{Name: "slow", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		calls.Add(1)
		r.Extra.CloseSSEStream(mcp.CloseSSEStreamArgs{RetryAfter: time.Millisecond})
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "at last"}}}, nil
	})
	site := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{EventStore: mcp.NewMemoryEventStore(nil)}))
	t.Cleanup(site.Close)
	u := opened(t, &MCP{Tool: "slow", URL: site.URL, Network: Network{AllowPrivate: true}}, Env{})
	same(t, ask(t, u, `{}`), `{"text":"at last"}`)
	if calls.Load() != 1 {
		t.Errorf("the tool was called %d times", calls.Load())
	}
}

// TestAttackMCPEndlessStream: a server that closes its streams for ever, each time with another
// event, is asked only so many times.
func TestAttackMCPEndlessStream(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	var asked atomic.Int32
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("Mcp-Session-Id", "s")
		switch {
		case r.Method == http.MethodDelete:
		case strings.Contains(string(body), `"initialize"`):
			w.Header().Set("Content-Type", "application/json")
			var hello struct{ ID json.RawMessage }
			if err := json.Unmarshal(body, &hello); err != nil {
				t.Error(err)
			}
			_, err = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}}`, hello.ID)
		case strings.Contains(string(body), `"notifications/`):
			w.WriteHeader(http.StatusAccepted)
		case strings.Contains(string(body), `"server/discover"`):
			http.Error(w, "no", http.StatusNotFound)
		default:
			w.Header().Set("Content-Type", "text/event-stream")
			_, err = fmt.Fprintf(w, "id: %d\nretry: 1\ndata:\n\n", asked.Add(1))
		}
		if err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(site.Close)
	u := opened(t, &MCP{Tool: "slow", URL: site.URL, Network: Network{AllowPrivate: true}}, Env{})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	_, err := u.Answer(ctx, json.RawMessage(`{}`))
	if err == nil || ctx.Err() != nil {
		t.Errorf("%v, after %d requests", err, asked.Load())
	}
	if n := asked.Load(); n < maxResumes || n > 3*maxResumes {
		t.Errorf("it was asked %d times", n)
	}
}

// conforms is what the test program does as the client of the conformance suite.
func conforms(url, scenario string) (err error) {
	tool, args := "test_reconnection", `{}`
	if scenario == "tools_call" {
		tool, args = "add_numbers", `{"a":2,"b":3}`
	}
	u, err := Open(&MCP{Tool: tool, URL: url, Network: Network{AllowPrivate: true}}, Env{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, u.Close()) }()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if scenario == "initialize" {
		_, err = u.(Describer).Describe(ctx)
		if err != nil && strings.Contains(err.Error(), "no tool") {
			err = nil // the handshake is all there is
		}
		return err
	}
	_, err = u.Answer(ctx, json.RawMessage(args))
	return err
}

// TestConformanceClient: scenarios of the conformance suite of MCP for clients end without a
// failure and without a warning. A client that does nothing fails them (the control).
func TestConformanceClient(t *testing.T) {
	t.Parallel()
	suite := "../../agent/face/mcp/testdata/conformance/node_modules"
	node := filepath.Join(suite, "node-"+runtime.GOOS+"-"+strings.Replace(runtime.GOARCH, "amd64", "x64", 1), "bin", "node")
	if _, err := os.Stat(node); err != nil {
		if os.Getenv("MCP_SUITE") != "" {
			t.Fatal(err)
		}
		t.Logf("NOT RUN: %v; make clients installs the conformance suite of MCP", err)
		return
	}
	run := func(scenario, command string) (bad []string) {
		dir := t.TempDir()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, node, filepath.Join(suite, "@modelcontextprotocol/conformance/dist/index.js"), "client", "--scenario", scenario, "--command", command, "-o", dir)
		cmd.Env = append(os.Environ(), role+"=conforms")
		said, err := cmd.CombinedOutput()
		if err != nil {
			bad = append(bad, fmt.Sprintf("%v: %.1000s", err, said))
		}
		files, err := filepath.Glob(filepath.Join(dir, "*", "checks.json"))
		if err != nil || len(files) != 1 {
			t.Fatalf("%v, %v: %s", files, err, said)
		}
		raw, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		var checks []struct{ ID, Status, ErrorMessage string }
		if err := json.Unmarshal(raw, &checks); err != nil {
			t.Fatal(err)
		}
		good := 0
		for _, c := range checks {
			switch c.Status {
			case "SUCCESS":
				good++
			case "INFO":
			default:
				bad = append(bad, c.ID+" "+c.Status+": "+c.ErrorMessage)
			}
		}
		if good == 0 {
			bad = append(bad, "no check succeeded")
		}
		return bad
	}
	for _, scenario := range []string{"initialize", "tools_call", "sse-retry"} {
		if bad := run(scenario, os.Args[0]); len(bad) > 0 {
			t.Errorf("%s: %q", scenario, bad)
		}
	}
	if bad := run("sse-retry", "true"); len(bad) == 0 {
		t.Error("a client that does nothing passes")
	}
}
