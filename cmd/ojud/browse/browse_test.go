package browse

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/casefile/casetest"
	"ojud/cmd/ojud/cli"
	"ojud/node/api"
	"ojud/voting"
)

// run runs the command on a home.
func run(t *testing.T, home string, args ...string) (string, error) {
	t.Helper()
	var out, told bytes.Buffer
	a := cli.New(nil, &out, &told)
	a.Home = home
	cmd := Command(a)
	cmd.SetArgs(append(args, "--print"))
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err := cmd.ExecuteContext(t.Context())
	return out.String(), err
}

// TestOpen: the command prints where the node of the home shows the court or a case.
func TestOpen(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	if _, err := run(t, home); !errors.Is(err, api.ErrNotRunning) {
		t.Errorf("no node runs: %v", err)
	}
	if err := os.WriteFile(filepath.Join(home, "api"), []byte("127.0.0.1:4711\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const task = "7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2"
	for _, c := range []struct{ arg, want string }{{"", "http://127.0.0.1:4711/\n"}, {task, "http://127.0.0.1:4711/case/" + task + "\n"}, {"judge", "http://127.0.0.1:4711/judge\n"}} {
		if got, err := run(t, home, strings.Fields(c.arg)...); got != c.want || err != nil {
			t.Errorf("%s: %q, %v", c.arg, got, err)
		}
	}
	if _, err := run(t, home, "--", "-x"); err == nil {
		t.Error("opens what is no address")
	}
}

// TestAwait: it ends with its context if no node comes.
func TestAwait(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Await(ctx, t.TempDir()); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// TestPlay: a case file is served until the command is stopped, and a file that is none is refused.
func TestPlay(t *testing.T) {
	t.Parallel()
	w, err := casetest.Build(casetest.Script{Name: "play", Judges: 7, Rounds: []casetest.Plan{casetest.All(voting.Accept)}})
	if err != nil {
		t.Fatal(err)
	}
	file, err := w.Export()
	if err != nil {
		t.Fatal(err)
	}
	good, bad := filepath.Join(t.TempDir(), "good.case.json"), filepath.Join(t.TempDir(), "bad.case.json")
	if err := errors.Join(os.WriteFile(good, file, 0o600), os.WriteFile(bad, []byte("{"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, err := run(t, t.TempDir(), bad); err == nil || !strings.Contains(err.Error(), "cannot be played") {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	told, tell := io.Pipe()
	a := cli.New(nil, tell, io.Discard)
	done := make(chan error, 1)
	go func() { done <- play(ctx, a, good, true) }()
	address, err := bufio.NewReader(told).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSpace(address), nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := (&http.Client{}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(answer.Body)
	if err := errors.Join(err, answer.Body.Close()); err != nil || !strings.Contains(string(body), "✓ Verified") {
		t.Errorf("%d, %v", answer.StatusCode, err)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestHuge: a file of 50 MB is no case file. It is refused with the limit, and not read to its end.
func TestHuge(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "huge.case.json")
	if err := errors.Join(os.WriteFile(path, []byte("{"), 0o600), os.Truncate(path, 50_000_000)); err != nil {
		t.Fatal(err)
	}
	if _, err := run(t, t.TempDir(), path); err == nil || !strings.Contains(err.Error(), "more than 33554432 bytes") {
		t.Errorf("%v", err)
	}
}
