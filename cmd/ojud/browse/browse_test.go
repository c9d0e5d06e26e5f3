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
	"slices"
	"strings"
	"testing"

	"ojud/casefile/casetest"
	"ojud/casefile/page"
	"ojud/casefile/page/release"
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
	if said, told := served(t, good); !strings.Contains(said, "✓ Verified") || told != "" {
		t.Errorf("%q: %.900s", told, said)
	}
}

// served plays a file, and returns its page and what the terminal says of the file.
func served(t *testing.T, path string) (said, warned string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	told, tell := io.Pipe()
	var errs bytes.Buffer
	a := cli.New(nil, tell, &errs)
	done := make(chan error, 1)
	go func() { done <- play(ctx, a, path, true) }()
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
	if err := errors.Join(err, answer.Body.Close()); err != nil {
		t.Error(err)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	return string(body), errs.String()
}

// TestAttackForgedFile: the case in a page that somebody changed is played under the warning that
// the page is not verified. A page of the release has none.
func TestAttackForgedFile(t *testing.T) {
	t.Parallel()
	file, err := casetest.File(casetest.Script{Name: "play", Judges: 7, Rounds: []casetest.Plan{casetest.All(voting.Accept)}})
	if err != nil {
		t.Fatal(err)
	}
	made, err := release.Load()
	if err != nil {
		made = page.Release{Verifiers: map[page.Engine][]byte{page.Plain: {1}, page.Whole: {1}}, Exec: []byte("x")} // a page of another release
	}
	written, err := made.Write(file)
	if err != nil {
		t.Fatal(err)
	}
	path, start := filepath.Join(t.TempDir(), "x.case.html"), len("<!doctype html>\n")
	forged := slices.Concat(written[:start], []byte("ojud:<script>document.title='x'</script>\n"), written[start:])
	for _, raw := range [][]byte{forged, written} {
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		said, warned := served(t, path)
		_, missing := release.Load()
		switch {
		case missing != nil:
			if !strings.Contains(said, "✗ THE PAGE WAS NOT COMPARED") || !strings.Contains(warned, "make build") {
				t.Errorf("%q, %.900s", warned, said)
			}
		case len(raw) == len(written):
			if !strings.Contains(said, "✓ Verified") || !strings.Contains(said, "the page is as this release writes it") || warned != "" {
				t.Errorf("%q, %.900s", warned, said)
			}
		default:
			if !strings.Contains(said, "✗ THE PAGE IS NOT VERIFIED") || strings.Contains(said, "✓ Verified") || !strings.Contains(said, "The case in it verifies:") || !strings.Contains(warned, "byte 16 of") {
				t.Errorf("%q, %.900s", warned, said)
			}
		}
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

// TestTell: a node that starts says where its pages are, and not where those of a node were that
// was killed on the same home.
func TestTell(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	at := filepath.Join(home, "api")
	write := func(address string) {
		t.Helper()
		if err := os.WriteFile(at+".new", []byte(address+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(at+".new", at); err != nil {
			t.Fatal(err)
		}
	}
	write("127.0.0.1:1")
	told, tell := io.Pipe()
	a := cli.New(nil, io.Discard, tell)
	end := Tell(t.Context(), a, home)
	write("127.0.0.1:4711")
	line, err := bufio.NewReader(told).ReadString('\n')
	if line != "See the court in a browser: http://127.0.0.1:4711/\n" || err != nil {
		t.Errorf("%q, %v", line, err)
	}
	end()
	Tell(t.Context(), a, home)() // a node that ends before it serves says nothing
	if _, err := os.Stat(at); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the old address is left: %v", err)
	}
}
