package status

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
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"ojud/casefile"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/agents"
	"ojud/node/evidence"
	"ojud/node/record"
	"ojud/node/why"
	"ojud/voting"
)

// records has one case, named by a key of ones.
type records struct{}

var known = voting.Key{1}

func (records) Case(_ context.Context, task voting.Key) (record.CaseStatus, error) {
	if task != known {
		return record.CaseStatus{}, casefile.ErrNoCase
	}
	return record.CaseStatus{Case: casefile.Address(task).String()}, nil
}

func (records) Panel(context.Context, voting.Key) (record.PanelStatus, error) {
	return record.PanelStatus{}, record.ErrNoPanel
}

func (records) Export(context.Context, voting.Key) ([]byte, []voting.Hash, error) {
	return []byte(`{"file":1}`), []voting.Hash{{1}}, nil
}

func (records) Why(voting.Key, voting.Key) (why.Explanation, error) { return why.Explanation{}, nil }

// noPages has no routes.
type noPages struct{}

func (noPages) Routes(*http.ServeMux) {}

// data answers queries with an error of its choice.
type data struct{ err error }

func (d data) Query(context.Context, evidence.Query, *casefile.DID) (evidence.QueryResult, error) {
	return evidence.QueryResult{}, d.err
}

func (data) Holders(context.Context, string) []evidence.Holding { return []evidence.Holding{} }

func (data) Payments(context.Context) (evidence.Payments, error) { return evidence.Payments{}, nil }

// traders is a directory of 150 agents.
type traders struct{}

func (traders) Read(context.Context) (d agents.Directory, err error) {
	for i := range 150 {
		d.Agents = append(d.Agents, agents.Profile{Agent: &program.Agent{Authority: onchain.Address{byte(i)}}})
	}
	d.Waiting = 3
	return d, nil
}

func (d traders) Agent(ctx context.Context, who voting.Key) (agents.Profile, error) {
	all, err := d.Read(ctx)
	for _, p := range all.Agents {
		if voting.Key(p.Authority) == who {
			return p, err
		}
	}
	return agents.Profile{}, agents.ErrNone
}

// TestAgents: the directory is open to every program on this machine, in lists that are bounded.
func TestAgents(t *testing.T) {
	a := newTestAPI(t, data{})
	who := casefile.Address{7}.String()
	for path, want := range map[string]struct {
		code int
		says string
	}{
		"/v1/agents": {http.StatusOK, `"found":150`}, "/v1/agents?skill=translation": {http.StatusOK, `"found":0,"waiting":3`},
		"/v1/agents?q=" + who: {http.StatusOK, `"found":1`}, "/v1/agents?limit=0": {http.StatusBadRequest, "from 1 to 100"}, "/v1/agents?limit=x": {http.StatusBadRequest, "from 1 to 100"},
		"/v1/agents?skill=" + strings.Repeat("x", 201): {http.StatusBadRequest, "at most 200"}, "/v1/agents/bob": {http.StatusBadRequest, "base58"},
		"/v1/agents/" + who: {http.StatusOK, `"authority":"` + who}, "/v1/agents/" + casefile.Address{0, 1}.String(): {http.StatusNotFound, "no such agent"},
	} {
		if code, body := send(a, http.MethodGet, path, nil, ""); code != want.code || !strings.Contains(body, want.says) {
			t.Errorf("%s: %d %s", path, code, body)
		}
	}
	for limit, want := range map[string]int{"": 100, "?limit=7": 7} {
		if _, body := send(a, http.MethodGet, "/v1/agents"+limit, nil, ""); strings.Count(body, `"authority"`) != want {
			t.Errorf("%s: %d agents are listed, want %d", limit, strings.Count(body, `"authority"`), want)
		}
	}
}

func newTestAPI(t *testing.T, d dataAsker) *API {
	t.Helper()
	cfg := APIConfig{Listen: "127.0.0.1:0", Timeout: time.Second}
	return NewAPI(cfg, APIDeps{Agents: traders{}, Market: stall{}, Dir: t.TempDir(), Records: records{}, Evidence: d, Pages: noPages{}, Metrics: prometheus.NewRegistry(), Log: slog.New(slog.DiscardHandler)})
}

// send gives a request to the API and returns the code and body of the answer.
func send(a *API, method, path string, header http.Header, body string) (int, string) {
	w, r := httptest.NewRecorder(), httptest.NewRequest(method, path, strings.NewReader(body))
	r.Host = "127.0.0.1:8080"
	for name, values := range header {
		r.Header[name] = values
	}
	a.Handler().ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

const query = `{"data_source":"notes","request":{"name":"7.json"},"max_price":"0","timeout_seconds":20}`

func key(word string) http.Header { return http.Header{"Authorization": {word}} }

// TestGuard: the node asks others only for a program that has read the key in the home, and for a
// few such programs at once.
func TestGuard(t *testing.T) {
	a := newTestAPI(t, data{})
	remove, err := a.publish("127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(a.d.Dir, keyFile)
	file, err := os.Stat(path)
	if err != nil || file.Mode().Perm() != 0o600 || len(a.Key()) < 26 {
		t.Error(file, err)
	}
	for _, word := range []string{"", "Bearer ", a.Key(), "Bearer " + a.Key() + "x", "bearer " + a.Key()[:25]} {
		for _, route := range [][2]string{{http.MethodPost, "/v1/query"}, {http.MethodGet, "/v1/holders?data_source=notes"}, {http.MethodGet, "/v1/cases/x/why"}, {http.MethodGet, "/v1/cases/x/file"}} {
			if code, _ := send(a, route[0], route[1], key(word), query); code != http.StatusUnauthorized {
				t.Errorf("%s with key %q: %d", route[1], word, code)
			}
		}
	}
	good := key("Bearer " + a.Key())
	if code, body := send(a, http.MethodGet, "/v1/holders?data_source=notes", good, ""); code != http.StatusOK {
		t.Error(code, body)
	}
	if code, _ := send(a, http.MethodGet, "/v1/holders?data_source=../x", good, ""); code != http.StatusBadRequest {
		t.Error(code)
	}
	for range guardedAtOnce {
		a.room <- struct{}{}
	}
	if code, _ := send(a, http.MethodGet, "/v1/holders?data_source=notes", good, ""); code != http.StatusTooManyRequests {
		t.Error(code)
	}
	if err := remove(); err != nil {
		t.Error(err)
	}
	for _, name := range []string{keyFile, addrFile} {
		if _, err := os.Stat(filepath.Join(a.d.Dir, name)); !os.IsNotExist(err) {
			t.Errorf("%s stays behind: %v", name, err)
		}
	}
}

// TestErrors: each class of error has its code, and the words of the error.
func TestErrors(t *testing.T) {
	for err, want := range map[error]int{
		evidence.ErrQuery: http.StatusBadRequest, evidence.ErrState: http.StatusConflict, errors.New("disk"): http.StatusInternalServerError,
	} {
		a := newTestAPI(t, data{err})
		if code, body := send(a, http.MethodPost, "/v1/query", key("Bearer "+a.Key()), query); code != want || !strings.Contains(body, err.Error()) {
			t.Errorf("%v: %d %s, want %d", err, code, body, want)
		}
	}
	a := newTestAPI(t, data{})
	for path, want := range map[string]int{
		"/v1/cases/bob": http.StatusBadRequest, "/v1/cases/" + casefile.Address(voting.Key{2}).String(): http.StatusNotFound,
		"/v1/cases/" + casefile.Address(known).String(): http.StatusOK, "/v1/cases/" + casefile.Address(known).String() + "/panel": http.StatusNotFound,
	} {
		if code, body := send(a, http.MethodGet, path, nil, ""); code != want {
			t.Errorf("%s: %d %s, want %d", path, code, body, want)
		}
	}
}

// TestOwnNames: the server answers only to its own names, and to no page of another origin. So a
// page that rebinds its name to this machine reads nothing.
func TestOwnNames(t *testing.T) {
	a := newTestAPI(t, data{})
	a.cfg.Hosts = []string{"judge.example"}
	path := "/v1/cases/" + casefile.Address(known).String()
	for _, c := range []struct {
		host, origin string
		want         int
	}{
		{"127.0.0.1:8080", "", http.StatusOK},
		{"127.8.9.1", "", http.StatusOK},
		{"[::1]:8080", "", http.StatusOK},
		{"[::1]", "", http.StatusOK},
		{"LOCALHOST:1", "", http.StatusOK},
		{"Judge.Example:8080", "", http.StatusOK},
		{"localhost:8080", "http://localhost:8080", http.StatusOK},
		{"evil.example", "", http.StatusForbidden},
		{"evil.example:8080", "", http.StatusForbidden},
		{"localhost.evil.example", "", http.StatusForbidden},
		{"127.0.0.1.evil.example", "", http.StatusForbidden},
		{"192.0.2.1:8080", "", http.StatusForbidden},
		{"", "", http.StatusForbidden},
		{"localhost:8080", "http://evil.example", http.StatusForbidden},
		{"localhost:8080", "http://localhost:3000", http.StatusForbidden},
		{"localhost:8080", "null", http.StatusForbidden},
	} {
		w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, path, nil)
		if r.Host = c.host; c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		a.Handler().ServeHTTP(w, r)
		if w.Code != c.want {
			t.Errorf("host %q, origin %q: %d %s, want %d", c.host, c.origin, w.Code, w.Body, c.want)
		}
		if c.want == http.StatusForbidden && !strings.Contains(w.Body.String(), "does not answer to") {
			t.Errorf("host %q: no sentence: %s", c.host, w.Body)
		}
	}
}

// TestCrossSite: a page of another site, or of another port of this machine, embeds nothing of this
// server. A link of it works, and so do programs.
func TestCrossSite(t *testing.T) {
	a := newTestAPI(t, data{})
	for _, c := range []struct {
		site, mode, dest string
		want             int
	}{
		{"cross-site", "navigate", "document", http.StatusOK}, {"cross-site", "navigate", "", http.StatusOK}, {"same-origin", "cors", "empty", http.StatusOK},
		{"", "", "", http.StatusOK}, {"cross-site", "navigate", "iframe", http.StatusForbidden}, {"cross-site", "no-cors", "image", http.StatusForbidden},
		{"cross-site", "", "", http.StatusForbidden}, {"same-site", "no-cors", "script", http.StatusForbidden}, {"same-site", "navigate", "iframe", http.StatusForbidden},
	} {
		for _, path := range []string{"/v1/cases/" + casefile.Address(known).String(), "/metrics"} {
			w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, path, nil)
			r.Host = "localhost:8080"
			for name, value := range map[string]string{"Sec-Fetch-Site": c.site, "Sec-Fetch-Mode": c.mode, "Sec-Fetch-Dest": c.dest} {
				if value != "" {
					r.Header.Set(name, value)
				}
			}
			if a.Handler().ServeHTTP(w, r); w.Code != c.want {
				t.Errorf("%s, %+v: %d %.300s", path, c, w.Code, w.Body)
			}
			if h := w.Header(); h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Cross-Origin-Resource-Policy") != "same-origin" || !strings.Contains(h.Get("Content-Security-Policy"), "frame-ancestors 'none'") {
				t.Errorf("%s: %v", path, h)
			}
		}
	}
}

// TestOwnAddress: a server that listens at an address answers to it.
func TestOwnAddress(t *testing.T) {
	a := newTestAPI(t, data{})
	s := httptest.NewServer(a.Handler())
	defer s.Close()
	for host, want := range map[string]int{"": http.StatusOK, "evil.example": http.StatusForbidden} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/v1/cases/"+casefile.Address(known).String(), nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		answer, err := s.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := answer.Body.Close(); err != nil || answer.StatusCode != want {
			t.Errorf("host %q: %d, want %d, %v", host, answer.StatusCode, want, err)
		}
	}
}

// TestHosts: a configured name has neither scheme nor port.
func TestHosts(t *testing.T) {
	for name, ok := range map[string]bool{"judge.example": true, "::1": true, "192.0.2.1": true, "": false, "http://x": false, "x:80": false, "a b": false} {
		c := APIConfig{Listen: "127.0.0.1:0", Timeout: time.Second, Hosts: []string{name}}
		if err := c.Validate(); (err == nil) != ok || err != nil && !strings.Contains(err.Error(), "hosts has") {
			t.Errorf("%q: %v", name, err)
		}
	}
}
