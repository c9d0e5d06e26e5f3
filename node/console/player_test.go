package console

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"ojud/casefile/casetest"
	"ojud/voting"
)

// exported is the file of a case of casetest.
func exported(t testing.TB, name string) []byte {
	t.Helper()
	w, err := casetest.Build(script(t, name))
	if err != nil {
		t.Fatal(err)
	}
	file, err := w.Export()
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// player serves the replay of a file.
func player(t testing.TB, file []byte) *httptest.Server {
	t.Helper()
	p, err := Play(file, "some.case.json", nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(p.Handler())
	t.Cleanup(server.Close)
	return server
}

// TestReplayChanged: a page of a file with a changed byte says that it is not verified, and where.
func TestReplayChanged(t *testing.T) {
	t.Parallel()
	file := exported(t, "accept")
	changed := bytes.Replace(file, []byte(`"choice": "accept"`), []byte(`"choice": "reject"`), 1)
	if bytes.Equal(file, changed) {
		t.Fatal("nothing was changed")
	}
	for _, c := range []struct {
		file []byte
		want string
	}{{file, "✓ Verified"}, {changed, "✗ NOT VERIFIED"}} {
		p, err := Play(c.file, "x", nil, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/?step=3", nil)
		r.Host, r.RemoteAddr = here, here
		p.Handler().ServeHTTP(w, r)
		if body := w.Body.String(); !strings.Contains(body, c.want) || inline.MatchString(body) || w.Header().Get("Content-Security-Policy") != policy {
			t.Errorf("no %q", c.want)
		}
	}
	for _, bad := range []string{"", "{", "[]", `{"format":"oju-case/2"}`} {
		p, err := Play([]byte(bad), "x", nil, slog.New(slog.DiscardHandler))
		if err == nil && p.replay.At(0).Verified {
			t.Errorf("%q is played as verified", bad)
		}
	}
}

// TestReplaySteps: a step that does not exist is the nearest one.
func TestReplaySteps(t *testing.T) {
	t.Parallel()
	server := player(t, exported(t, "accept"))
	for query, want := range map[string]string{"?step=0": "Step 0 of 58", "?step=-7": "Step 0 of 58", "?step=99999": "Step 58 of 58", "?step=x": "Step 58 of 58", "": "Step 58 of 58"} {
		for _, path := range []string{"/", "/frame"} {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+path+query, nil)
			if err != nil {
				t.Fatal(err)
			}
			answer, err := server.Client().Do(r)
			if err != nil {
				t.Fatal(err)
			}
			var body bytes.Buffer
			if _, err := body.ReadFrom(answer.Body); err != nil {
				t.Fatal(err)
			}
			if err := answer.Body.Close(); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(body.String(), want) {
				t.Errorf("%s%s has no %q", path, query, want)
			}
		}
	}
}

// TestNodeReplay: a case of a node that is over is played from its case file, verified, and made
// once for all viewers. One that is not over is not played.
func TestNodeReplay(t *testing.T) {
	t.Parallel()
	task, scene := played(t, script(t, "accept"))
	scene.Links = true
	source := newStage()
	source.put(task, scene)
	source.files = map[voting.Key][]byte{task: exported(t, "accept")}
	mux := http.NewServeMux()
	c := New(source, slog.New(slog.DiscardHandler))
	c.Routes(mux)
	ask := func(from, path string) *httptest.ResponseRecorder {
		w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, path, nil)
		r.RemoteAddr, r.Host = from, here
		mux.ServeHTTP(w, r)
		return w
	}
	at := pagePath(task) + "/replay"
	for path, wants := range map[string][]string{
		at + "?step=0": {"Step 0 of 58", "✓ Verified", "data-replay", `href="?step=1"`, "Back to the case"}, at + "/frame?step=3": {"Step 3 of 58"}, at: {"Step 58 of 58"},
		pagePath(task): {`href="` + at + `?step=0"`},
	} {
		body := ask(here, path).Body.String()
		for _, want := range wants {
			if !strings.Contains(body, want) {
				t.Errorf("%s: no %q", path, want)
			}
		}
	}
	first := c.replays.now(task)
	if ask(here, at); first == nil || c.replays.now(task) != first {
		t.Error("it is made again")
	}
	if c.forget(); c.replays.now(task) != nil {
		t.Error("it stays when nobody looks")
	}
	if w := ask("192.0.2.1:5", at); w.Code != http.StatusForbidden {
		t.Errorf("from elsewhere: %d", w.Code)
	}
	if w := ask(here, pagePath(voting.Key{8})+"/replay"); w.Code != http.StatusNotFound {
		t.Errorf("of no case: %d", w.Code)
	}
	scene.Record.Outcome = nil
	open := voting.Key{9}
	source.put(open, scene)
	if w := ask(here, pagePath(open)+"/replay"); w.Code != http.StatusConflict || !strings.Contains(w.Body.String(), "not over") {
		t.Errorf("an open case: %d", w.Code)
	}
	if body := ask(here, pagePath(open)).Body.String(); strings.Contains(body, "/replay") {
		t.Error("an open case has a link to its replay")
	}
}
