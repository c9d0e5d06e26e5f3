package keep

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"testing"

	"ojud/agent/host"
	"ojud/ledger/journal/durable"
)

func open(t testing.TB, dir string) *Disk {
	t.Helper()
	d, err := Open(dir, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func ended(n int) host.Invocation {
	return host.Invocation{ID: fmt.Sprint(n), Caller: host.Operator, Target: host.Target{Agent: "a", Capability: "do"}, Correlation: fmt.Sprint("c", n), Stage: host.Over, Ended: int64(n)}
}

// TestRoom: a disk with too little room takes no new call.
func TestRoom(t *testing.T) {
	t.Parallel()
	d := open(t, t.TempDir())
	if err := d.Room(); err != nil {
		t.Error(err)
	}
	d.least = math.MaxUint64
	if err := d.Room(); err == nil || !strings.Contains(err.Error(), "make room on it") {
		t.Error(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestSave: what was saved is there after the disk was closed, and the oldest ended calls of an
// agent are forgotten.
func TestSave(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := open(t, dir)
	if _, err := Open(dir, slog.New(slog.DiscardHandler)); !errors.Is(err, durable.ErrLocked) {
		t.Errorf("a second host opens the disk: %v", err)
	}
	under := ended(-1)
	under.Stage = host.Started
	p := host.Consequence{Agents: []host.Agent{{ID: "a", Life: host.Running}}, Calls: []host.Invocation{under}}
	for n := range keptCalls + 150 {
		p.Calls = append(p.Calls, ended(n))
	}
	if err := errors.Join(d.Save(p), d.Save(host.Consequence{Calls: []host.Invocation{ended(5_000)}}), d.Close()); err != nil {
		t.Fatal(err)
	}
	d = open(t, dir)
	agents, err := d.Agents()
	if err != nil || len(agents) != 1 || agents[0].Life != host.Running {
		t.Errorf("%+v, %v", agents, err)
	}
	calls, err := d.Under()
	if err != nil || len(calls) != 1 || calls[0].ID != "-1" {
		t.Errorf("%+v, %v", calls, err)
	}
	for correlation, want := range map[string]bool{"c0": false, "c99": false, "c5000": true, "c1149": true, "c-1": true} {
		if c, found, err := d.Given(host.Invocation{Caller: host.Operator, Target: host.Target{Agent: "a", Capability: "do"}, Correlation: correlation}); err != nil || found != want || found && c.Correlation != correlation {
			t.Errorf("%s: %t, %v", correlation, found, err)
		}
	}
	if n := d.ended["e/a/"]; n > keptCalls+100 {
		t.Errorf("%d ended calls are kept", n)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// TestMemory: memories are found by likeness, are bounded, and belong to one agent alone. An id
// that would reach into the keys of another agent is refused.
func TestMemory(t *testing.T) {
	t.Parallel()
	d := open(t, t.TempDir())
	learn := func(agent, kind, when string, at int64) {
		t.Helper()
		if err := d.Learn(agent, Recollection{Kind: kind, When: when, Then: "then", At: at}, 3); err != nil {
			t.Fatal(err)
		}
	}
	for n := range 5 {
		learn("a", Working, fmt.Sprint("call number ", n), int64(n))
	}
	learn("a", Pattern, "the server refuses the login", 9)
	learn("a-b", Pattern, "the secret of another agent", 9)
	show := func(agent, kind, text string, most int) (out string) {
		t.Helper()
		found, err := d.Recall(agent, nil, kind, text, most)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range found {
			out += r.When + "; "
		}
		return out
	}
	for _, k := range []struct {
		agent, kind, text string
		most              int
		want              string
	}{
		{"a", Working, "", 9, "call number 4; call number 3; call number 2; "},
		{"a", "", "login refused by the server", 1, "the server refuses the login; "},
		{"a", Pattern, "an owl in an oak", 9, ""},
		{"a", "", "the secret of another agent", 9, "the server refuses the login; "}, // and not the secret
		{"a-b", "", "the secret of another agent", 9, "the secret of another agent; "},
	} {
		if got := show(k.agent, k.kind, k.text, k.most); got != k.want {
			t.Errorf("%+v: %q", k, got)
		}
	}
	for _, id := range []string{"", "a/pattern", "../a", "a-b/pattern/0000000000000001", "A"} {
		if _, err := d.Recall(id, nil, "", "", 9); err == nil {
			t.Errorf("%q recalls", id)
		}
		if d.Learn(id, Recollection{Kind: Pattern}, 3) == nil || d.Forget(id) == nil {
			t.Errorf("%q changes memories", id)
		}
	}
	if err := d.Forget("a"); err != nil || show("a", "", "", 9) != "" || show("a-b", "", "", 9) == "" {
		t.Error("only the memory of one agent is forgotten")
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}
