package kind

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"ojud/test/longtest"
)

// tool makes settings of this test binary as a server.
func tool(name, as string) *MCP {
	return &MCP{Tool: name, Command: os.Args[0], Env: map[string]string{role: as, "SERVER_KEY": "${env:KEY}"}}
}

func withKey(log *slog.Logger) Env { return Env{Log: log, LookupEnv: environ("KEY", key)} }

// journal is a log that tests read.
type journal struct {
	mu   sync.Mutex
	text strings.Builder
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

func (j *journal) log() *slog.Logger {
	return slog.New(slog.NewTextHandler(j, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

func TestMCPResults(t *testing.T) {
	for name, want := range map[string]string{
		"structured": `{"id":"9007199254740993","you_said":{"n":"9007199254740993"}}`,
		"json":       `{"id":"9007199254740993","likes":3}`,
		"text":       `{"text":"hello\nworld"}`,
	} {
		same(t, ask(t, opened(t, tool(name, "serve"), withKey(nil)), `{"n":9007199254740993}`), want)
	}
	fails := refused(t, opened(t, tool("fails", "serve"), withKey(nil)), `{}`, ErrRefused, "no such user; my key is [secret]")
	if strings.Contains(fails, key) {
		t.Error(fails)
	}
	refused(t, opened(t, tool("picture", "serve"), withKey(nil)), `{}`, ErrSchema, "images")
	refused(t, opened(t, tool("none", "serve"), withKey(nil)), `{}`, ErrRequest, "none")
	refused(t, opened(t, tool("text", "serve"), withKey(nil)), `[]`, ErrRequest, "no object")
}

// TestMCPEnvironment: a server gets the owner's variables, and no others of the node's.
func TestMCPEnvironment(t *testing.T) {
	t.Setenv("OJUD_KEY_OF_THE_NODE", "do not tell")
	got := ask(t, opened(t, tool("environment", "serve"), withKey(nil)), `{}`)
	if strings.Contains(got, "OJUD_KEY_OF_THE_NODE") || strings.Contains(got, key) || !strings.Contains(got, "SERVER_KEY=[secret]") || !strings.Contains(got, "PATH=") {
		t.Error(got)
	}
}

// TestMCPFolder: a program works in the given folder, and by default not in the folder of the keys.
func TestMCPFolder(t *testing.T) {
	home, work := t.TempDir(), t.TempDir()
	env := withKey(nil)
	env.Dir, env.Work = home, work
	for dir, want := range map[string]string{"": work, "sub": filepath.Join(home, "sub"), work: work} {
		if err := os.MkdirAll(filepath.Join(home, "sub"), 0o700); err != nil {
			t.Fatal(err)
		}
		m := tool("folder", "serve")
		m.Dir = dir
		same(t, ask(t, opened(t, m, env), `{}`), `{"text":"`+want+`"}`)
	}
}

func TestMCPDescribe(t *testing.T) {
	u := opened(t, tool("text", "serve"), withKey(nil))
	got, err := u.(Describer).Describe(soon(t))
	if err != nil {
		t.Fatal(err)
	}
	same(t, got.Name+" "+got.Description+" "+string(got.InputSchema)+string(got.OutputSchema), `text tool text {"properties":{"n":{"type":"integer"}},"type":"object"}{"type":"object"}`)
	_, err = opened(t, tool("none", "serve"), withKey(nil)).(Describer).Describe(soon(t))
	if !errors.Is(err, ErrTool) || !strings.Contains(err.Error(), "it has dies, environment, fails, folder") {
		t.Error(err)
	}
	if _, err := opened(t, &filesSource{Dir: ".", Allow: []string{"x"}}, Env{}).(Describer).Describe(soon(t)); !errors.Is(err, errors.ErrUnsupported) {
		t.Error(err)
	}
}

// TestMCPDies: a server that died is started again. One that dies every time is left alone for a
// while.
func TestMCPDies(t *testing.T) {
	u := opened(t, tool("dies", "serve"), withKey(nil))
	first := ask(t, u, `{}`)
	refused(t, u, `{"now":true}`, ErrDown, "")
	second := ask(t, u, `{}`) // the first restart does not wait
	if first == second {
		t.Error("the same process")
	}
	for range 5 {
		_, err := u.Answer(soon(t), json.RawMessage(`{"now":true}`))
		if !errors.Is(err, ErrDown) {
			t.Fatal(err)
		}
		if strings.Contains(err.Error(), "started again in") {
			return
		}
	}
	t.Error("started again and again")
}

func TestMCPBackoff(t *testing.T) {
	for failures, want := range map[int]time.Duration{0: 0, 1: 0, 2: time.Second, 3: 2 * time.Second, 7: 32 * time.Second, 8: time.Minute, 1000: time.Minute} {
		if got := backoff(failures); got != want {
			t.Errorf("%d: %s, want %s", failures, got, want)
		}
	}
}

func TestMCPCannotStart(t *testing.T) {
	longtest.Only(t)
	var j journal
	text := refused(t, opened(t, tool("text", "broken"), withKey(j.log())), `{}`, ErrDown, "no licence for [secret]")
	if strings.Contains(text+j.String(), key) {
		t.Error(text, j.String())
	}
	refused(t, opened(t, &MCP{Tool: "x", Command: "/nowhere/server"}, Env{}), `{}`, ErrSetup, "/nowhere/server cannot be started")
	missing := tool("text", "serve")
	missing.Env["SERVER_KEY"] = "${env:NOT_THERE}"
	refused(t, opened(t, missing, Env{}), `{}`, ErrSetup, "not set")
	silent := &MCP{Tool: "x", Command: os.Args[0], Env: map[string]string{role: "child"}, StartSeconds: 1}
	refused(t, opened(t, silent, Env{}), `{}`, ErrDown, "the handshake failed: it did not answer within 1s; if it needs longer to start, raise start_seconds (ojud source add --start, at most 300s); it printed: nothing")
}

func TestMCPLarge(t *testing.T) {
	env := withKey(nil)
	env.MaxBytes = 64 << 10
	u := opened(t, tool("huge", "serve"), env)
	refused(t, u, `{}`, ErrLarge, "")
	refused(t, u, `{}`, ErrLarge, "") // from a new process
	env.MaxBytes = 1 << 20
	refused(t, opened(t, tool("huge", "serve"), env), `{}`, ErrLarge, "1048587 bytes")
}

// TestMCPHangs: the caller gets its error in time, and after a few times the session is closed.
func TestMCPHangs(t *testing.T) {
	u := opened(t, tool("hangs", "serve"), withKey(nil))
	inner := u.(*guarded).inner.(*server)
	session, err := inner.acquire(soon(t))
	if err != nil {
		t.Fatal(err)
	}
	for range latest {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		if _, err := u.Answer(ctx, json.RawMessage(`{}`)); !errors.Is(err, ErrSlow) {
			t.Error(err)
		}
		cancel()
	}
	select {
	case <-session.gone:
	case <-soon(t).Done():
		t.Error("the session is still there")
	}
}

// TestMCPStderr: a server's stderr is in the log, bounded and without secrets, and does not block
// it.
func TestMCPStderr(t *testing.T) {
	var j journal
	u := opened(t, tool("text", "chatty"), withKey(j.log()))
	ask(t, u, `{}`)
	if err := u.Close(); err != nil {
		t.Fatal(err)
	}
	log := j.String()
	if !strings.Contains(log, "starting with [secret]") || strings.Contains(log, key) || !strings.Contains(log, "not logged") {
		t.Errorf("%.2000s", log)
	}
	if n := strings.Count(log, strings.Repeat("x", 1000)); n < 60 || n > 70 {
		t.Errorf("%d lines of 1000 bytes logged; %d bytes are allowed", n, wordsMost)
	}
}

// TestMCPCloseEndsChildren: after Close no started process is left.
func TestMCPCloseEndsChildren(t *testing.T) {
	before := goleak.IgnoreCurrent()
	var j journal
	u, err := Open(tool("text", "parent"), withKey(j.log()))
	if err != nil {
		t.Fatal(err)
	}
	ask(t, u, `{}`)
	server := u.(*guarded).inner.(*server)
	session, err := server.acquire(soon(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := u.Close(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-session.process.exited:
	default:
		t.Error("Close came back before the process ended")
	}
	found := regexp.MustCompile(`child (\d+)`).FindStringSubmatch(j.String())
	if found == nil {
		t.Fatal(j.String())
	}
	pid, err := strconv.Atoi(found[1])
	if err != nil {
		t.Fatal(err)
	}
	waitGone(t, pid)
	if err := u.Close(); err != nil {
		t.Error("the second Close:", err)
	}
	refused(t, u, `{}`, ErrDown, "closed")
	goleak.VerifyNone(t, before)
}

// waitGone waits until a process is gone. Its parent has ended, so the process that adopted it
// notices the end at its own pace.
func waitGone(t *testing.T, pid int) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for ctx := soon(t); ; {
		raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if dead := syscall.Kill(pid, 0) != nil; dead || err == nil && strings.Contains(string(raw), ") Z ") {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("process %d is still there: %s", pid, raw)
		}
	}
}

// TestMCPCloseWhileStarting: Close does not wait for the end of a start.
func TestMCPCloseWhileStarting(t *testing.T) {
	longtest.Only(t)
	u, err := Open(&MCP{Tool: "x", Command: os.Args[0], Env: map[string]string{role: "child"}, StartSeconds: 300}, Env{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := u.Answer(ctx, json.RawMessage(`{}`)); !errors.Is(err, ErrSlow) {
		t.Error(err)
	}
	if err := u.Close(); err != nil {
		t.Error(err)
	}
}

// TestMCPHTTP: the same over streamable HTTP, with a key in a header.
func TestMCPHTTP(t *testing.T) {
	for name, options := range map[string]*mcp.StreamableHTTPOptions{"sessions": nil, "stateless": {Stateless: true}, "json": {JSONResponse: true}} {
		t.Run(name, func(t *testing.T) {
			before := goleak.IgnoreCurrent()
			tools := testServer()
			inner := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return tools }, options)
			site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") != "Bearer "+key {
					http.Error(w, "who are you? not "+r.Header.Get("Authorization"), http.StatusUnauthorized)
					return
				}
				inner.ServeHTTP(w, r)
			}))
			set := func(tool string) *MCP {
				return &MCP{Tool: tool, URL: site.URL + "/mcp", Headers: map[string]string{"Authorization": "Bearer ${env:KEY}"}, Network: Network{AllowPrivate: true}}
			}
			var open []Upstream
			use := func(tool string, env Env) Upstream {
				u, err := Open(set(tool), env)
				if err != nil {
					t.Fatal(err)
				}
				open = append(open, u)
				return u
			}
			same(t, ask(t, use("structured", withKey(nil)), `{"n":9007199254740993}`), `{"id":"9007199254740993","you_said":{"n":"9007199254740993"}}`)
			same(t, ask(t, use("json", withKey(nil)), `{}`), `{"id":"9007199254740993","likes":3}`)
			refused(t, use("fails", withKey(nil)), `{}`, ErrRefused, "no such user")
			small := withKey(nil)
			small.MaxBytes = 64 << 10
			refused(t, use("huge", small), `{}`, ErrLarge, "")
			wrong := use("text", Env{LookupEnv: environ("KEY", "another-key")})
			if text := refused(t, wrong, `{}`, ErrDown, ""); strings.Contains(text, "another-key") {
				t.Error(text)
			}
			for _, u := range open {
				if err := u.Close(); err != nil {
					t.Error(err)
				}
			}
			site.Close()
			goleak.VerifyNone(t, before)
		})
	}
}

// TestMCPHTTPForgotten: a server that was restarted has lost its sessions. A new one is opened and
// the call made again.
func TestMCPHTTPForgotten(t *testing.T) {
	tools := testServer()
	handler := func() http.Handler {
		return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return tools }, nil)
	}
	var mu sync.Mutex
	inner := handler()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		h := inner
		mu.Unlock()
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(site.Close)
	u := opened(t, &MCP{Tool: "text", URL: site.URL, Network: Network{AllowPrivate: true}}, Env{})
	ask(t, u, `{}`)
	mu.Lock()
	inner = handler()
	mu.Unlock()
	for session := range tools.Sessions() {
		if err := session.Close(); err != nil {
			t.Error(err)
		}
	}
	same(t, ask(t, u, `{}`), `{"text":"hello\nworld"}`)
}

// TestMCPHTTPRedirect: neither the call nor the key goes to another host.
func TestMCPHTTPRedirect(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it was asked") }))
	t.Cleanup(other.Close)
	site := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	t.Cleanup(site.Close)
	refused(t, opened(t, &MCP{Tool: "text", URL: site.URL, Network: Network{AllowPrivate: true}}, Env{}), `{}`, ErrRefused, "did not list the host")
	refused(t, opened(t, &MCP{Tool: "text", URL: site.URL}, Env{}), `{}`, ErrRefused, "no public address")
}
