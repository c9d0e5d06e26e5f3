package api

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/ledger/onchain"
	"ojud/node/evidence"
	"ojud/voting"
)

// TestNode checks that the local node is found by its file, and that its answers are bounded.
func TestNode(t *testing.T) {
	t.Parallel()
	task := onchain.Address{1}
	mux := http.NewServeMux()
	mux.HandleFunc("/v1/cases/"+task.String()+"/file", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer word" {
			http.Error(w, "no key", http.StatusUnauthorized)
			return
		}
		write(t, w, []byte("{}\n"))
	})
	mux.HandleFunc("/v1/cases/"+task.String(), func(w http.ResponseWriter, _ *http.Request) {
		write(t, w, []byte(`{"status":"decided","complete":true}`))
	})
	mux.HandleFunc("/v1/status", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "busy", http.StatusServiceUnavailable) })
	server := httptest.NewServer(mux)
	home := t.TempDir()
	if _, err := Open(home); !errors.Is(err, ErrNotRunning) || !strings.Contains(err.Error(), "ojud run") {
		t.Errorf("%v", err)
	}
	api := filepath.Join(home, "api")
	if err := os.WriteFile(api, []byte("nonsense\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(home); err == nil || errors.Is(err, ErrNotRunning) {
		t.Errorf("%v", err)
	}
	if err := os.WriteFile(api, []byte(strings.TrimPrefix(server.URL, "http://")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, "api.key"), []byte("word\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	n, err := Open(home)
	if err != nil {
		t.Fatal(err)
	}
	if raw, err := n.CaseFile(t.Context(), task); err != nil || string(raw) != "{}\n" {
		t.Errorf("%q, %v", raw, err)
	}
	if over, complete, err := n.Complete(t.Context(), task); err != nil || !over || !complete {
		t.Errorf("%v %v %v", over, complete, err)
	}
	if _, err := n.Status(t.Context()); err == nil || !strings.Contains(err.Error(), "busy") {
		t.Errorf("%v", err)
	}
	server.Close()
	if _, err := n.CaseFile(t.Context(), task); !errors.Is(err, ErrNotRunning) {
		t.Errorf("%v", err)
	}
}

// write writes an answer of a node.
func write(t *testing.T, w io.Writer, answer []byte) {
	if _, err := w.Write(answer); err != nil {
		t.Error(err)
	}
}

// saying gives the same answer to every request.
type saying struct {
	code int
	body []byte
}

func (s saying) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: s.code, Status: http.StatusText(s.code), Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(s.body)), Request: r}, nil
}

// FuzzAnswers checks that no answer of a server that should be a node causes a panic, and that an
// error names that server.
func FuzzAnswers(f *testing.F) {
	for _, s := range []string{
		`{"status":"decided","complete":true}`, `{"status":"undecided","archived":true}`, `{"error":"no such case"}`, `[]`, `null`,
		`{"rounds":[{"round":1}]}`, `{"sold":[],"bought":[],"owed":"5"}`,
		`{"source":"a","request":{},"answers":[{"answer":{"x":1},"receipt":{"price":"0"}}]}`, `[{"holder":"did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK"}]`,
	} {
		f.Add(uint16(200), []byte(s))
		f.Add(uint16(404), []byte(s))
	}
	home := f.TempDir()
	if err := os.WriteFile(filepath.Join(home, "api.key"), []byte("word\n"), 0o600); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, code uint16, body []byte) {
		answer := saying{100 + int(code)%500, body}
		n := &Node{home: home, address: "127.0.0.1:1", http: &http.Client{Transport: answer}}
		task := onchain.Address{1}
		_, _, err1 := n.Complete(t.Context(), task)
		_, err2 := n.Panel(t.Context(), task)
		_, err3 := n.Payments(t.Context())
		for _, err := range []error{err1, err2, err3} {
			if err != nil && !strings.Contains(err.Error(), "127.0.0.1:1") && !strings.Contains(err.Error(), "the node says") {
				t.Fatalf("the error does not say whose fault it is: %v", err)
			}
		}
		var r evidence.QueryResult
		if n.read(t.Context(), http.MethodGet, "/", nil, &r) == nil {
			for _, a := range r.Answers {
				if check(r, a, voting.Domain{}) == ReceiptGood {
					t.Fatalf("a receipt without a signature is good: %s", body)
				}
			}
		}
		var all []evidence.Holding
		if err := n.read(t.Context(), http.MethodGet, "/", nil, &all); err == nil && answer.code != http.StatusOK {
			t.Fatalf("%d is an answer", answer.code)
		}
	})
}
