package mcp

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"ojud/agent/face"
)

// wire is a client that writes the requests of the protocol itself, so that it can break off.
type wire struct {
	t            *testing.T
	url, session string
}

// send sends a request, and returns the open answer.
func (w *wire) send(method, body, last string) *http.Response {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), method, w.url, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	for k, v := range map[string]string{"Authorization": "Bearer a word of a server", "Content-Type": "application/json",
		"Accept": "application/json, text/event-stream", "Mcp-Session-Id": w.session, "Last-Event-Id": last} {
		if v != "" {
			r.Header.Set(k, v)
		}
	}
	answer, err := (&http.Client{Timeout: time.Minute}).Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	return answer
}

// until reads events up to one with a text, and returns the id of the last one and all lines.
func (w *wire) until(in io.Reader, text string) (last, all string) {
	w.t.Helper()
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		line := lines.Text()
		all += line + "\n"
		if id, is := strings.CutPrefix(line, "id: "); is {
			last = id
		}
		if strings.HasPrefix(line, "data:") && strings.Contains(line, text) {
			return last, all
		}
	}
	w.t.Fatalf("no %s in %q: %v", text, all, lines.Err())
	return "", ""
}

// greet opens a session.
func (w *wire) greet() {
	w.t.Helper()
	hello := w.send(http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`, "")
	if w.session = hello.Header.Get("Mcp-Session-Id"); w.session == "" {
		w.t.Fatal(hello.Status)
	}
	w.drain(hello)
	w.drain(w.send(http.MethodPost, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, ""))
}

// drain reads an answer to its end.
func (w *wire) drain(r *http.Response) {
	w.t.Helper()
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		w.t.Error(err)
	}
	w.done(r)
}

func (w *wire) done(r *http.Response) {
	w.t.Helper()
	if err := r.Body.Close(); err != nil {
		w.t.Error(err)
	}
}

// TestResume: a client that loses the stream of a call comes back with the id of the last event. It
// gets what came after it, once. The call runs once. An id of no stream is refused.
func TestResume(t *testing.T) {
	t.Parallel()
	lost, calls := make(chan struct{}), 0
	s, err := New(quiet(), face.Make(face.About{Name: "tell", Description: "Tell."}, func(_ context.Context, _ struct{}, say face.Say) (any, error) {
		calls++
		say("first")
		<-lost
		say("second")
		return "the end", nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s.Handler("a word of a server"))
	t.Cleanup(server.Close)
	w := &wire{t: t, url: server.URL}
	w.greet()
	call := w.send(http.MethodPost, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"tell","arguments":{},"_meta":{"progressToken":"p"}}}`, "")
	last, _ := w.until(call.Body, "first")
	w.done(call) // the connection is lost in the middle of the call
	close(lost)
	again := w.send(http.MethodGet, "", last)
	for again.StatusCode == http.StatusConflict { // the server has not seen yet that it is lost
		w.done(again)
		again = w.send(http.MethodGet, "", last)
	}
	defer w.done(again)
	_, all := w.until(again.Body, "the end")
	if strings.Contains(all, "first") || strings.Count(all, "second") != 1 || calls != 1 {
		t.Errorf("%d calls, %q", calls, all)
	}
	if wrong := w.send(http.MethodGet, "", "AAAA_99"); wrong.StatusCode == http.StatusOK {
		t.Error("an id of no stream was taken")
	} else {
		w.done(wrong)
	}
}

// TestAttackMCPUnread: a client that never reads what it is sent holds a call only as long as the
// server is patient, and others are served.
func TestAttackMCPUnread(t *testing.T) {
	t.Parallel()
	ended := make(chan struct{})
	s, err := New(quiet(), face.Make(face.About{Name: "tell", Description: "Tell."}, func(_ context.Context, _ struct{}, say face.Say) (any, error) {
		defer close(ended)
		for range 40_000 { // more bytes than the buffers of two sockets
			say(strings.Repeat("x", maxSaid))
		}
		return "the end", nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	s.patience = 50 * time.Millisecond
	server := httptest.NewServer(s.Handler("a word of a server"))
	t.Cleanup(server.Close)
	w := &wire{t: t, url: server.URL}
	w.greet()
	call := w.send(http.MethodPost, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"tell","arguments":{},"_meta":{"progressToken":"p"}}}`, "")
	defer w.done(call)
	<-ended // nothing was read
	other := &wire{t: t, url: server.URL}
	other.greet()
}
