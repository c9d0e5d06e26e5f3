package agents

import (
	"encoding/base64"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/agent/host"
	"ojud/cmd/ojud/cli"
)

// TestNotify: the receiver is told which call waits, signed, and without its payload.
func TestNotify(t *testing.T) {
	t.Parallel()
	dir, got := t.TempDir(), make(chan string, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		got <- r.Header.Get("Webhook-Signature") + " " + string(body)
	}))
	t.Cleanup(server.Close)
	secret := "whsec_" + base64.StdEncoding.EncodeToString(make([]byte, 32))
	if err := os.WriteFile(filepath.Join(dir, "notify.secret"), []byte(secret), 0o600); err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	s, err := receiver{server.URL, "notify.secret"}.sender(dir, &cli.App{}, log)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		if err := s.Run(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	waits(log, s, dir)(host.Invocation{ID: "bafycall", Target: host.Target{Agent: "payer", Capability: "pay"}, Payload: []byte(`"to Mallory"`)})
	if body := <-got; !strings.HasPrefix(body, "v1,") || !strings.Contains(body, "approval.waits") || !strings.Contains(body, "bafycall") || strings.Contains(body, "Mallory") {
		t.Error(body)
	}
	if _, err := (receiver{"ftp://x", "s"}).sender(dir, &cli.App{}, log); err == nil {
		t.Error("a receiver that cannot be reached is taken")
	}
}
