package door

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/agent/host"
	"ojud/agent/host/attest"
	"ojud/agent/host/shell"
	"ojud/casefile"
)

const echoes = `[mind]
kind = "executable"
run = ["cat"]
[[capabilities]]
name = "echo"
`

// TestDoor: the host answers whoever shows the word of its home, from this machine, and nobody
// else. Requests are bounded.
func TestDoor(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	folder := filepath.Join(home, shell.Folder)
	if err := errors.Join(os.MkdirAll(folder, 0o700), os.WriteFile(filepath.Join(folder, "a.toml"), []byte(echoes), 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(home); !errors.Is(err, ErrNotRunning) {
		t.Error(err)
	}
	h, err := shell.Open(home, shell.Means{})
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	for _, address := range []string{"0.0.0.0:0", ":0", "example.com:1", "4700"} {
		if _, err := Listen(t.Context(), home, address, h, log); err == nil {
			t.Errorf("the host listens at %s", address)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	d, err := Listen(ctx, home, "127.0.0.1:0", h, log)
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- d.Run(ctx) }()
	if info, err := os.Stat(path(home)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others may read the word: %v, %v", info, err)
	}
	for _, k := range []struct {
		method, route, word, host, origin, body string
		want                                    int
	}{
		{"POST", "/v1/agent.list", d.token, "", "", "{}", 200},
		{"POST", "/v1/agent.list", "", "", "", "{}", 401},
		{"POST", "/v1/agent.list", "x", "", "", "{}", 401},
		{"POST", "/v1/agent.invoke", "x", "", "", "{}", 401},
		{"POST", "/v1/agent.invoke", "", "", "", `{"target":"a/echo"}`, 403},
		{"POST", "/v1/agent.invoke", "", "", "", `{"target":"a/echo","invocation":{}}`, 400},
		{"POST", "/v1/agent.list", d.token, "evil.example:80", "", "{}", 403},
		{"POST", "/v1/agent.list", d.token, "", "http://evil.example", "{}", 403},
		{"GET", "/v1/agent.list", d.token, "", "", "", 404},
		{"POST", "/v1/agent.steal", d.token, "", "", "{}", 404},
		{"POST", "/v1/agent.status", d.token, "", "", `{"agent":"none"}`, 404},
		{"POST", "/v1/agent.status", d.token, "", "", `[`, 400},
		{"POST", "/v1/agent.status", d.token, "", "", strings.Repeat(" ", maxBody+1), 400},
	} {
		r, err := http.NewRequestWithContext(ctx, k.method, d.URL()+k.route, strings.NewReader(k.body))
		if err != nil {
			t.Fatal(err)
		}
		r.Host = k.host
		if k.word != "" {
			r.Header.Set("Authorization", "Bearer "+k.word)
		}
		if k.origin != "" {
			r.Header.Set("Origin", k.origin)
		}
		answer, err := (&http.Client{}).Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := answer.Body.Close(); err != nil || answer.StatusCode != k.want {
			t.Errorf("%+v: %d, %v", k, answer.StatusCode, err)
		}
	}
	g, err := Open(home)
	if err != nil {
		t.Fatal(err)
	}
	order := attest.Commission{Target: "a/echo", Payload: []byte(`[1]`)}
	if a, attested, err := g.Invoke(ctx, order, casefile.DID{}); err != nil || !attested || a.Status != host.OK {
		t.Errorf("%+v, %t, %v", a, attested, err)
	}
	if _, _, err := g.Invoke(ctx, order, casefile.DID{1}); err == nil || !strings.Contains(err.Error(), "another agent") {
		t.Errorf("another key is taken: %v", err)
	}
	var refused *host.Refused
	if _, _, err := g.Invoke(ctx, attest.Commission{Target: "a"}, casefile.DID{}); !errors.As(err, &refused) {
		t.Error(err)
	}
	stop()
	if err := errors.Join(<-served, h.Close()); err != nil {
		t.Error(err)
	}
	if _, err := Open(home); !errors.Is(err, ErrNotRunning) {
		t.Errorf("the file of a host that ended is there: %v", err)
	}
}

// TestPageWithoutDeadline: a browser whose connection takes no deadline is told so, and gets no
// empty page.
func TestPageWithoutDeadline(t *testing.T) {
	t.Parallel()
	s := &Door{room: make(chan struct{}, 1), log: slog.New(slog.DiscardHandler), pages: noPages{}}
	w := httptest.NewRecorder() // it takes none
	s.serve(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/calls", http.NoBody))
	if w.Code != http.StatusServiceUnavailable || w.Body.Len() == 0 {
		t.Errorf("%d %q", w.Code, w.Body)
	}
}

type noPages struct{ http.Handler }

func (noPages) Invite() string { return "" }
