package process

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"ojud/test/longtest"
)

var (
	demos = flag.Int("demos", 0, "times that each demo of README is run beside a load; 0: TestDemos is not run")
	load  = flag.Int("load", 0, "busy processes beside the demos and TestSignals")
)

// signalled is how long a command may take to end after a signal.
const signalled = 5 * time.Second

// busy starts processes that only use the processor, until the test ends.
func busy(t *testing.T, n int) {
	t.Helper()
	for range n {
		c := exec.CommandContext(t.Context(), "sh", "-c", "while :; do :; done")
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := c.Process.Kill(); err != nil {
				t.Error(err)
			}
			if err := c.Wait(); err == nil {
				t.Error("a busy process ended by itself")
			}
		})
	}
}

// TestSignals checks that one SIGTERM or ^C ends any command within 5 s, even on a busy machine.
// The commands run side by side, so each is the others' load. make demos runs it beside LOAD busy
// processes.
func TestSignals(t *testing.T) {
	longtest.Only(t)
	if testing.Short() {
		t.Log("NOT RUN: -short, no signal was sent")
		return
	}
	t.Parallel()
	binary := built(t)
	busy(t, *load)
	for name, c := range map[string]struct {
		when   string // output to wait for
		signal syscall.Signal
		code   int
		args   []string
	}{
		"a court that starts":  {"28 judges stake", syscall.SIGTERM, 0, []string{"devnet", "--fast", "--rpc-port", "0", "--p2p-port", "0"}},
		"a demo that starts":   {"28 judges stake", syscall.SIGINT, 1, []string{"devnet", "--demo", "--fast"}},
		"a demo in its round":  {"is drawn for round 1", syscall.SIGTERM, 1, []string{"devnet", "--demo", "--fast"}},
		"a demo at its end":    {"is over: paid", syscall.SIGINT, -1, []string{"devnet", "--demo", "--fast", "--nodes", "7"}},
		"a chain without rest": {"Join with: ojud join", syscall.SIGINT, 0, []string{"devnet", "--nodes", "0", "--rpc-port", "0"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			took, code, said := interrupted(t, exec.CommandContext(t.Context(), binary, append(c.args, "--data", filepath.Join(t.TempDir(), "court"))...), c.when, c.signal, nil)
			if took > signalled || c.code >= 0 && code != c.code {
				t.Errorf("it ended with %d (want %d) after %s (at most %s):\n%s", code, c.code, took, signalled, said)
			}
		})
	}
}

// TestNodeSignals checks that one signal ends a node and a command that follows a case within 5 s,
// while their court works.
func TestNodeSignals(t *testing.T) {
	longtest.Only(t)
	if testing.Short() {
		t.Log("NOT RUN: -short, no signal was sent")
		return
	}
	t.Parallel()
	w := newProcesses(t)
	w.startChain()
	ends := func(code int, when string, signal syscall.Signal, args ...string) {
		t.Helper()
		took, got, said := interrupted(t, w.command(args...), when, signal, nil)
		if took > signalled || got != code {
			t.Errorf("ojud %v ended with %d (want %d) after %s (at most %s):\n%s", args, got, code, took, signalled, said)
		}
	}
	ends(0, "address  ", syscall.SIGINT, "join", w.url, "--home", w.home(0))
	ends(0, "address  ", syscall.SIGTERM, "run", "--home", w.home(0))
	ends(1, "the case was opened", syscall.SIGINT, "case", "watch", w.dispute())
}

// TestDemoStays types the command of README's first demo with --stay, opens the addresses that it
// prints as a browser would, and ends it by ^C. The court is smaller, and its chain is on a port
// that no other test has.
func TestDemoStays(t *testing.T) {
	longtest.Only(t)
	if testing.Short() {
		t.Log("NOT RUN: -short, no demo was played")
		return
	}
	t.Parallel()
	args := []string{"devnet", "--demo", "--fast", "--stay", "--nodes", "7", "--rpc-port", "0", "--p2p-port", "0", "--data", filepath.Join(t.TempDir(), "court")}
	address := regexp.MustCompile(`http://127\.0\.0\.1:\d+/(?:case/\w+)?(?:\s|$)`)
	var opened []string
	took, code, said := interrupted(t, exec.CommandContext(t.Context(), built(t), args...), "Join with: ojud join", syscall.SIGINT, func(said string) {
		for _, at := range address.FindAllString(said, -1) {
			at = strings.TrimSpace(at)
			opened = append(opened, at)
			for _, want := range map[bool][]string{
				true:  {"worker wins", "You should make a ASCII drawing of eleptiger", "7 of 7 judges accept the result", "The worker was right and is paid.", "The result does not match the schema."},
				false: {"worker wins", "You should make a ASCII drawing of eleptiger", "Here one command has started everything", "/case/"},
			}[strings.Contains(at, "/case/")] {
				if page := opens(t, at); !strings.Contains(page, want) {
					t.Errorf("%s does not say %q:\n%s", at, want, page)
				}
			}
		}
	})
	if took > signalled || code != 0 {
		t.Errorf("it ended with %d (want 0) after %s (at most %s):\n%s", code, took, signalled, said)
	}
	if len(opened) != 2 {
		t.Fatalf("it printed the addresses %v, want those of the court and of the case:\n%s", opened, said)
	}
	for _, at := range opened {
		if r, err := (&http.Client{Timeout: 5 * time.Second}).Get(at); err == nil {
			t.Errorf("%s still answers: %s", at, r.Status)
			if err := r.Body.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// opens returns the page at an address.
func opens(t *testing.T, address string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	a, err := (&http.Client{Timeout: time.Minute}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(a.Body)
	if err := errors.Join(err, a.Body.Close()); err != nil || a.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s: %v", address, a.Status, err)
	}
	return string(raw)
}

// interrupted starts a command, calls seen with what it wrote and then sends it a signal after some
// output, and returns how long it took to end. seen may be nil.
func interrupted(t *testing.T, c *exec.Cmd, when string, signal syscall.Signal, seen func(said string)) (took time.Duration, code int, said string) {
	t.Helper()
	r, w := io.Pipe()
	c.Stdout, c.Stderr = w, w
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		err := c.Wait()
		ended <- errors.Join(err, w.Close())
	}()
	var all strings.Builder
	var sent time.Time
	for lines := bufio.NewScanner(r); lines.Scan(); {
		fmt.Fprintln(&all, lines.Text())
		if sent.IsZero() && strings.Contains(lines.Text(), when) {
			if seen != nil {
				seen(all.String())
			}
			sent = time.Now()
			if err := c.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
		}
	}
	err := <-ended
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if sent.IsZero() {
		t.Fatalf("it never wrote %q:\n%s", when, all.String())
	}
	return time.Since(sent), c.ProcessState.ExitCode(), all.String()
}

// TestDemos checks that the demos of the README succeed on a busy machine. It needs -demos; see
// make demos.
func TestDemos(t *testing.T) {
	if *demos == 0 {
		t.Log("NOT RUN: without -demos N, see make demos")
		return
	}
	binary := built(t)
	busy(t, *load)
	for i := range *demos {
		for _, args := range [][]string{
			{"devnet", "--demo", "--fast"},
			{"devnet", "--demo", "data", "--fast"},
			{"devnet", "--demo", "data", "--fast", "--source", "mcp"},
		} {
			began := time.Now()
			out, err := exec.CommandContext(t.Context(), binary, append(args, "--data", filepath.Join(t.TempDir(), "court"))...).CombinedOutput()
			text := string(out)
			t.Logf("%d: ojud %s: %s", i+1, strings.Join(args, " "), time.Since(began).Round(time.Second))
			if err != nil || !strings.Contains(text, "verdict          accept in round 1") || strings.Contains(text, "was absent") {
				t.Errorf("%v\n%s", err, text)
			}
		}
	}
}
