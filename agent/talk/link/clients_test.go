package link_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ojud/agent/delegation"
	"ojud/agent/talk"
	"ojud/agent/talk/link"
	"ojud/agent/talk/meeting"
	"ojud/datasource/anex"
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

// minutes is the owner of a convener that waits for its members.
type minutes struct {
	agreed, spoke chan string
}

func (m minutes) Refused(error) {}

func (m minutes) Entry(_ []byte, h meeting.Noted) error {
	if h.What == meeting.Spoke {
		m.spoke <- h.From
	}
	if h.Agreed != nil {
		m.agreed <- h.Agreed.Hash()
	}
	return nil
}

// TestClientsMeet: a member of each language takes part in a meeting over real sockets with TLS,
// and all sign the same terms.
func TestClientsMeet(t *testing.T) {
	t.Parallel()
	a := newKey(1)
	o := meeting.Opening{Topic: "A trip", Until: time.Now().Add(time.Hour).UTC().Format("2006-01-02T15:04:05Z")}
	all := programs(t)
	if len(all) == 0 {
		return
	}
	parties := []string{a.Principal().String()}
	for i := range all {
		parties = append(parties, newKey(byte(i+2)).Principal().String())
	}
	o.Members = parties[1:]
	owner := minutes{make(chan string, 2), make(chan string, len(all))}
	table, err := meeting.Convene(a, o, owner, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	address := serve(t, &link.End{Key: a, Certs: own(t, a), Meeting: true}, func(ctx context.Context, s *link.Socket) {
		if err := table.Serve(ctx, s.Peer, s); err != nil {
			t.Error(err)
		}
	})
	over := make(chan error, 1)
	go func() { over <- table.Run(t.Context()) }()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	type end struct {
		name string
		raw  []byte
		err  error
	}
	ends := make(chan end, len(all))
	for i, p := range all {
		go func() {
			trip := p
			trip.args = slices.Clone(p.args)
			last := len(trip.args) - 1
			trip.args[last] = strings.Replace(trip.args[last], "meeting", "trip", 1)
			raw, err := trip.command(ctx, address, a.Principal().String(), strconv.Itoa(i+2)).Output()
			ends <- end{p.name, raw, err}
		}()
	}
	hear := func(c chan string) string {
		select {
		case text := <-c:
			return text
		case e := <-ends:
			t.Fatalf("%s: %s, %v", e.name, e.raw, e.err)
		case <-ctx.Done():
			t.Fatal("the members do not speak")
		}
		return ""
	}
	for range all {
		hear(owner.spoke)
	}
	terms := talk.Several(table.ID(), a.Principal().String(), o.Topic, parties, []string{"pay a third"}, nil, "2026-12-01T10:00:00Z")
	content, err := json.Marshal(map[string]talk.Agreement{"terms": terms})
	if err == nil {
		err = table.Say(anex.Message{Performative: anex.ActPropose, Protocol: anex.ContractNet, Content: content})
	}
	if err == nil {
		content, err = json.Marshal(map[string]string{"terms": terms.Hash(), "signature": terms.Sign(a)})
	}
	if err == nil {
		err = table.Say(anex.Message{Performative: anex.ActAcceptProposal, Protocol: anex.ContractNet, Content: content})
	}
	if err != nil {
		t.Fatal(err)
	}
	hash := hear(owner.agreed)
	if err := errors.Join(table.Close("Session terminated."), <-over); err != nil {
		t.Error(err)
	}
	head := ""
	table.Minutes(func(m *meeting.Minutes) { head = m.Head() })
	for range all {
		e := <-ends
		var got struct{ How, Agreed, Head string }
		if e.err != nil || json.Unmarshal(e.raw, &got) != nil || got.How != "closed" || got.Agreed != hash || got.Head != head {
			t.Errorf("%s: %s, %v", e.name, e.raw, e.err)
		}
	}
}
