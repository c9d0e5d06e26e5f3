package agents

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
