package brain

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ojud/cmd/ojud/cli"
	"ojud/megabrain/memory/keep"
	"ojud/megabrain/memory/remote"
	"ojud/p2p/identity"
)

// at runs a command line in a home.
func at(home string, args ...string) (string, error) {
	var out, faults bytes.Buffer
	a := cli.New(nil, &out, &faults)
	a.Home = home
	cmd := Command(a)
	cmd.SetArgs(append([]string{"memory"}, args...))
	err := cmd.Execute()
	return out.String(), err
}

// served serves a node of the identity until the test ends, and returns its address.
func served(t *testing.T, id identity.Identity) string {
	t.Helper()
	return servedFrom(t, id, t.TempDir(), 1<<30)
}

// servedFrom serves a node with a folder and a rate.
func servedFrom(t *testing.T, id identity.Identity, dir string, rate uint64) string {
	t.Helper()
	c := keep.DefaultConditions()
	c.Rate, c.MinFree = rate, 0
	n, err := keep.Open(dir, keyOf(id), c, func() int64 { return time.Now().Unix() }, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	over := make(chan error, 1)
	go func() { over <- remote.NewDesk(n, "", time.Now, slog.New(slog.DiscardHandler)).ServeHTTP(ctx, l) }()
	t.Cleanup(func() {
		stop()
		if err := <-over; err != nil {
			t.Error(err)
		}
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	})
	return "http://" + l.Addr().String()
}

// TestMemory: a file is put, found, proven, audited and paid for by commands; a node that shows
// another log to somebody else is exposed by both of their receipts, offline and when it is asked.
func TestMemory(t *testing.T) {
	id, err := identity.FromSeed([32]byte{7})
	if err != nil {
		t.Fatal(err)
	}
	one, two := served(t, id), served(t, id) // the same key: this node has two logs
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(file("result.json"), []byte(`{"answer": 42}`+strings.Repeat(" ", 5000)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file("else.json"), []byte(`{"answer": 43}`), 0o600); err != nil {
		t.Fatal(err)
	}
	alice, bob := file("alice"), file("bob")
	ok := func(home string, args ...string) string {
		t.Helper()
		text, err := at(home, args...)
		if err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		return text
	}
	text := ok(alice, "put", file("result.json"), "--node", one, "--receipt", file("alice.json"))
	name := strings.Fields(text)[1]
	if len(name) != 64 || !strings.Contains(text, "0 of 1 promises") {
		t.Fatal(text)
	}
	if got := ok(alice, "get", name, "--node", one); !strings.HasPrefix(got, `{"answer": 42}`) {
		t.Errorf("%.40q", got)
	}
	ok(alice, "prove", "--at", "0", "--node", one)
	if text := ok(alice, "audit", "--node", one, "--against", file("alice.json"), "--out", file("audit.json")); !strings.Contains(text, "32 of 32 shown") {
		t.Error(text)
	}
	ok(alice, "put", file("else.json"), "--node", one)
	if text := ok(alice, "prove", "--since", file("alice.json"), "--receipt", file("growth.json"), "--node", one); !strings.Contains(text, "goes on with") {
		t.Error(text)
	}
	if text := ok(alice, "verify", file("alice.json"), file("audit.json"), file("growth.json")); strings.Count(text, "verified") != 3 {
		t.Error(text)
	}

	ok(bob, "put", file("else.json"), "--node", two, "--receipt", file("bob.json"))
	lie := file("lie.json")
	for _, args := range [][]string{
		{"verify", file("alice.json"), file("bob.json"), "--exposure", lie}, {"audit", "--node", two, "--against", file("alice.json"), "--exposure", lie},
		{"audit", "--node", one, "--against", file("bob.json"), "--exposure", lie},
	} {
		if _, err := at(bob, args...); err == nil || !strings.Contains(err.Error(), lie) {
			t.Errorf("%v: %v", args, err)
		}
		if text := ok(file("anybody"), "verify", lie); !strings.Contains(text, "exposure") || !strings.Contains(text, "signed") {
			t.Errorf("%v: %s", args, text)
		}
		if err := os.Remove(lie); err != nil {
			t.Fatal(err)
		}
	}
}

// TestMemoryRun: a node runs until it is stopped, answers, and refuses to be open by accident.
func TestMemoryRun(t *testing.T) {
	dir := t.TempDir()
	for _, args := range [][]string{
		{"run", dir, "--listen", "0.0.0.0:0"}, {"run", dir, "--listen", "", "--p2p", "/ip4/0.0.0.0/tcp/0"}, {"run", dir, "--listen", ""},
		{"run", dir, "--max-days", "0"}, {"run", dir, "--quota-gib", "9999999999"}, {"get", "xyz"}, {"prove"}, {"put", dir, "--days", "0"}, {"audit", "--samples", "65"},
	} {
		if _, err := at(dir, args...); cli.ExitCode(err) != cli.ExitUsage {
			t.Errorf("%v: %v", args, err)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	a := cli.New(nil, write, &bytes.Buffer{})
	a.JSON = true
	cmd := Command(a)
	cmd.SetArgs([]string{"memory", "run", dir, "--listen", "127.0.0.1:0", "--p2p", "/ip4/127.0.0.1/tcp/0"})
	over := make(chan error, 1)
	go func() { over <- cmd.ExecuteContext(ctx) }()
	var s began
	if err := json.NewDecoder(read).Decode(&s); err != nil || len(s.At) != 2 {
		t.Fatalf("%v: %+v", err, s)
	}
	if res, err := http.Get(s.At[0] + "/memory/v1/head"); err != nil || res.StatusCode != http.StatusOK { //nolint:forbidigo // the test's own server
		t.Error(err)
	}
	if _, err := at(dir, "audit", "--node", s.At[1], "--peer", s.Node); err == nil || !strings.Contains(err.Error(), "promised nothing yet") {
		t.Errorf("%v", err)
	}
	stop()
	if err := <-over; err != nil {
		t.Error(err)
	}
}
