package link_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ojud/agent/delegation"
	"ojud/agent/talk"
	"ojud/agent/talk/link"
)

const clients = "../../../clients"

// program is a client in another language.
type program struct {
	name string
	args []string
	env  []string
}

// programs are the clients that this machine can run.
func programs(t *testing.T) (out []program) {
	t.Helper()
	python := os.Getenv("ANEX_PYTHON")
	if python == "" {
		python = "python3"
	}
	missing := func(what string) {
		if os.Getenv("ANEX_CLIENTS") != "" {
			t.Fatalf("%s is missing", what)
		}
		t.Logf("NOT RUN: %s is missing, and its client is not tried; make clients installs it", what)
	}
	if _, err := os.Stat(filepath.Join(clients, "js/node_modules/cborg")); err != nil {
		missing("clients/js/node_modules/cborg")
	} else {
		out = append(out, program{"javascript", []string{"node", filepath.Join(clients, "js/examples/meeting.mjs")}, nil})
	}
	if err := exec.CommandContext(t.Context(), python, "-c", "import websockets, cryptography, cbor2").Run(); err != nil {
		missing("Python with websockets, cryptography and cbor2")
	} else {
		out = append(out, program{"python", []string{python, "-B", filepath.Join(clients, "python/examples/meeting.py")}, []string{"PYTHONPATH=" + filepath.Join(clients, "python")}})
	}
	return out
}

func (p program) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, p.args[0], append(p.args[1:], args...)...)
	cmd.Env = append(os.Environ(), p.env...)
	cmd.Stderr = os.Stderr
	return cmd
}

// serve starts a client that serves, and returns where.
func (p program) serve(t *testing.T) (address, agent string) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	cmd := p.command(ctx, "serve")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(errors.Join(err))
	}
	t.Cleanup(func() {
		stop()
		_ = cmd.Wait() // it was killed
	})
	var at struct{ Agent, At string }
	if err := json.NewDecoder(io.LimitReader(out, 1<<16)).Decode(&at); err != nil {
		t.Fatalf("%s does not serve: %v", p.name, err)
	}
	return at.At, at.Agent
}

// ask runs a client that asks, to its end.
func (p program) ask(t *testing.T, address, agent string, form ...string) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	raw, err := p.command(ctx, append([]string{"ask", address, agent}, form...)...).Output()
	var end struct {
		How   string
		Erase bool
		Data  json.RawMessage
	}
	if err != nil || json.Unmarshal(raw, &end) != nil || end.How != "completed" || !end.Erase || strings.Contains(string(end.Data), "email") {
		t.Errorf("%s asks: %s, %v", p.name, raw, err)
	}
}

// TestClients: each language asks each other one over real sockets with TLS, and both sign. What is
// missing on the machine is only a failure if ANEX_CLIENTS is set, as in make clients.
func TestClients(t *testing.T) {
	t.Parallel()
	a, b := newKey(1), newKey(2)
	all := programs(t)
	binary := make(chan bool, 2*len(all))
	address := serve(t, &link.End{Key: b, Certs: own(t, b), CBOR: true}, func(ctx context.Context, s *link.Socket) {
		binary <- s.CBOR
		joe := bob(t, b)
		joe.Require = ""
		if err := answer(ctx, s.Frames(), joe, s.Peer); err != nil || joe.ended == nil || joe.ended.How != "completed" {
			t.Errorf("%+v, %v", joe.ended, err)
		}
	})
	for _, p := range all {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			p.ask(t, address, b.Principal().String())
			p.ask(t, address, b.Principal().String(), "cbor")
			at, agent := p.serve(t)
			for _, q := range all {
				if q.name != p.name {
					q.ask(t, at, agent)
					q.ask(t, at, agent, "cbor")
				}
			}
			who, err := delegation.ParsePrincipal(agent)
			if err != nil {
				t.Fatal(err)
			}
			s, err := (&link.End{Key: a, CBOR: true}).Dial(t.Context(), at, &who)
			if err != nil || !s.CBOR {
				t.Fatal(s, err)
			}
			defer func() { _ = s.Close() }()
			sp := alice(t, a)
			for i, line := range sp.lines {
				if line[0] == "modification" {
					sp.lines = append(sp.lines[:i:i], sp.lines[i+1:]...)
					sp.lines[i][0] = "agree"
					break
				}
			}
			if err := begin(t.Context(), s.Frames(), sp, s.Peer); err != nil {
				t.Fatal(err)
			}
			sp.check(t)
			for _, h := range sp.heard {
				if h.What == talk.Unclear && h.Text == "" {
					t.Error("an answer without words")
				}
			}
		})
	}
	t.Cleanup(func() { // after the programs
		close(binary)
		n := 0
		for b := range binary {
			if b {
				n++
			}
		}
		if n != len(all) {
			t.Errorf("%d programs of %d spoke CBOR", n, len(all))
		}
	})
}
