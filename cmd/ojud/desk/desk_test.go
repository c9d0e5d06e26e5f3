package desk

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/cmd/ojud/cli"
)

// TestFlags: a desk is refused where others could reach it, and without a court.
func TestFlags(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ args, wrong string }{
		{"--wallet --listen 0.0.0.0:0", "only for its own machine"}, {"--wallet --listen :0", "only for its own machine"}, {"--wallet --listen 4600", "only for its own machine"},
		{"--wallet --pages court", "no address of a page"}, {"--wallet --pages javascript:alert(1)", "no address of a page"},
		{"--wallet", "which court?"}, {"--key nowhere.json", "no key file"},
	} {
		var out, told bytes.Buffer
		a := cli.New(nil, &out, &told)
		a.Home = t.TempDir()
		cmd := Command(a)
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		cmd.SetArgs(strings.Fields(c.args))
		if err := cmd.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s: %v", c.args, err)
		}
	}
}

// TestServe: the command prints an address that opens the desk, and serves it until it is stopped.
func TestServe(t *testing.T) {
	t.Parallel()
	network := filepath.Join(t.TempDir(), "network.json")
	text := `{"format":"oju-network/2","name":"test","network":"` + strings.Repeat("ab", 32) + `","program":"11111111111111111111111111111112","rpc":"http://127.0.0.1:9","ws":"ws://127.0.0.1:9","bootstrap":[],"faucet":true}`
	if err := os.WriteFile(network, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	told, tell := io.Pipe()
	a := cli.New(nil, tell, io.Discard)
	a.Home, a.JSON = t.TempDir(), true
	cmd := Command(a)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs([]string{"--wallet", "--network", network, "--pages", "http://127.0.0.1:8080"})
	done := make(chan error, 1)
	go func() {
		err := cmd.ExecuteContext(ctx)
		_ = tell.CloseWithError(err) // the reader gets the error
		done <- err
	}()
	line, err := bufio.NewReader(told).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	var at opened
	if err := json.Unmarshal([]byte(line), &at); err != nil || at.Party != "" {
		t.Fatal(line, err)
	}
	jar := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, at.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := jar.Do(r)
	if err != nil || answer.StatusCode != http.StatusSeeOther || answer.Body.Close() != nil {
		t.Errorf("%v, %v", answer, err)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if got := pages(a, "http://127.0.0.1:8080"); got != "http://127.0.0.1:8080/" {
		t.Error(got)
	}
	if got := pages(a, ""); got != "" {
		t.Error(got)
	}
}

// TestSources: a desk for the data of a home needs neither a key nor a court.
func TestSources(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	told, tell := io.Pipe()
	a := cli.New(nil, tell, io.Discard)
	a.Home, a.JSON = t.TempDir(), true
	cmd := Command(a)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs([]string{"--sources"})
	done := make(chan error, 1)
	go func() {
		err := cmd.ExecuteContext(ctx)
		_ = tell.CloseWithError(err) // the reader gets the error
		done <- err
	}()
	line, err := bufio.NewReader(told).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	var at opened
	if err := json.Unmarshal([]byte(line), &at); err != nil || at.Party != "" {
		t.Fatal(line, err)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, at.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := (&http.Client{Jar: jar}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	page, err := io.ReadAll(answer.Body)
	if err != nil || answer.Body.Close() != nil || !strings.Contains(string(page), "no data yet") || !strings.Contains(string(page), "no node is running") || strings.Contains(string(page), "New task") {
		t.Errorf("%s, %v", page, err)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
