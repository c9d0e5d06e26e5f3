package agents

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/agent"
	"ojud/agent/host"
	"ojud/agent/host/attest"
	"ojud/agent/host/shell"
	"ojud/casefile"
	"ojud/cmd/ojud/cli"
)

// TestEndedCommand: a person ends the command while the agent works. The call goes on at the host,
// and the command says by which name its end can be got.
func TestEndedCommand(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	var named struct {
		Correlation string `json:"correlation_id"`
	}
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if err := json.NewDecoder(r.Body).Decode(&named); err != nil {
			t.Error(err)
		}
		stop()
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close)
	home := t.TempDir()
	if err := os.MkdirAll(filepath.Join(home, shell.Folder), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, shell.Folder, "api"), []byte(`{"url":"`+server.URL+`","token":"t"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	err := call(ctx, &cli.App{Home: home}, attest.Commission{Target: "agent://a/b", Payload: []byte(`1`)}, casefile.DID{})
	server.Close() // the request has ended
	if err == nil || len(named.Correlation) < 22 || !strings.Contains(err.Error(), "--correlation-id "+named.Correlation) || strings.Contains(err.Error(), "context canceled") {
		t.Errorf("%v of %q", err, named.Correlation)
	}
}

// TestPenniless: who lets a call use no tokens hears that, and which flag allows it some.
func TestPenniless(t *testing.T) {
	t.Parallel()
	failed, some := errors.New("failed"), int64(5)
	spent := shell.Returned{Status: host.Failed, Error: agent.Words(agent.ErrSpent)}
	if err := penniless(failed, spent, attest.Commission{}); err == nil || !strings.Contains(err.Error(), "0 tokens") || !strings.Contains(err.Error(), "--tokens") {
		t.Error(err)
	}
	if err := penniless(failed, spent, attest.Commission{Tokens: &some}); !errors.Is(err, failed) {
		t.Error(err)
	}
	if err := penniless(nil, spent, attest.Commission{}); err != nil {
		t.Error(err)
	}
}
