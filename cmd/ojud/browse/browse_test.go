package browse

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/cmd/ojud/cli"
	"ojud/node/api"
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
	for _, c := range []struct{ arg, want string }{{"", "http://127.0.0.1:4711/\n"}, {task, "http://127.0.0.1:4711/case/" + task + "\n"}} {
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
