package shell

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/agent/host"
	"ojud/agent/host/keep"
)

// shut closes a host at the end of a test.
func shut(t *testing.T, h *Host) {
	t.Helper()
	t.Cleanup(func() {
		if err := h.Close(); err != nil && !errors.Is(err, errStopped) {
			t.Error(err)
		}
	})
}

// bare makes a home without agents, with the program that a1 names.
func bare(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	folder := filepath.Join(dir, Folder)
	if err := errors.Join(os.MkdirAll(folder, 0o700), os.WriteFile(filepath.Join(folder, "program.sh"), []byte(program), 0o700)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestMove: an agent moves to another host with its key, its memory and the calls that it answered.
// From then on it is terminated on the first host, in which nobody can use its key any more, and no
// host takes the file that is not meant for it, or takes it twice.
func TestMove(t *testing.T) {
	t.Parallel()
	fromDir := home(t)
	from, to, other := open(t, fromDir), open(t, bare(t)), open(t, bare(t))
	shut(t, to)
	shut(t, other)
	if err := from.Learn(operator, "a1", "an owl", "feed it"); err != nil {
		t.Fatal(err)
	}
	order := word("x")
	order.Correlation = "order-1"
	first, err := from.Invoke(t.Context(), operator, order)
	if err != nil || first.Status != host.OK {
		t.Fatalf("%+v, %v", first, err)
	}
	before, err := from.Look(operator, "a1")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	path, again := filepath.Join(folder, "a1.agent"), filepath.Join(folder, "again.agent")
	refused := func(what string, err error, code string) {
		t.Helper()
		var r *host.Refused
		if !errors.As(err, &r) || r.Code != code {
			t.Errorf("%s: %v, not %s", what, err, code)
		}
	}
	refused("an agent packs another", exportAgent(from, Caller{ID: "a4"}, "a1", path, OperatorOf(to)), host.Denied)
	if err := exportAgent(from, operator, "a1", path, OperatorOf(to)); err != nil {
		t.Fatal(err)
	}
	_, err = from.Invoke(t.Context(), operator, word("x"))
	refused("a call of an agent that moved", err, host.Gone)
	if err := exportAgent(from, operator, "a1", again, OperatorOf(to)); err != nil {
		t.Errorf("the file is lost: %v", err)
	}
	refused("it moves to two hosts", exportAgent(from, operator, "a1", filepath.Join(folder, "c"), OperatorOf(other)), host.Gone)
	_, err = importAgent(other, operator, path, "")
	refused("another operator takes it", err, host.Denied)
	_, err = importAgent(to, Caller{ID: "a4"}, path, "")
	refused("an agent takes it", err, host.Denied)
	if id, err := importAgent(to, operator, path, ""); err != nil || id != "a1" {
		t.Fatal(id, err)
	}
	after, err := to.Look(operator, "a1")
	if err != nil || after.DID != before.DID {
		t.Errorf("its key is %s, not %s, %v", after.DID, before.DID, err)
	}
	if known, err := to.Recall(operator, "a1", keep.Pattern, "an owl", 5); err != nil || len(known) != 1 || known[0].Then != "feed it" {
		t.Errorf("it remembers %+v, %v", known, err)
	}
	if same, err := to.Invoke(t.Context(), operator, order); err != nil || same.ID != first.ID {
		t.Errorf("the call of before the move is made again: %+v, %v", same, err)
	}
	if c, err := to.Invoke(t.Context(), operator, word("y")); err != nil || c.Status != host.OK {
		t.Errorf("%+v, %v", c, err)
	}
	_, err = importAgent(to, operator, again, "b1")
	refused("it comes twice", err, host.Conflict)
	_, err = importAgent(from, operator, again, "b1")
	refused("it comes back without a move", err, host.Denied)
	if err := from.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(fromDir, Folder, "a1.toml"))
	if err == nil {
		err = os.WriteFile(filepath.Join(fromDir, Folder, "thief.toml"), append([]byte("key = \"keys/archive/a1.json\"\n"), text...), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if h, err := Open(fromDir, Means{}); err == nil || !strings.Contains(err.Error(), "has moved") {
		t.Errorf("the first host runs an agent with the key that moved: %v, %v", h, err)
	}
}

// TestCopy: without a move the file has no key, and makes another agent that knows the same. A file
// that was changed is refused.
func TestCopy(t *testing.T) {
	t.Parallel()
	from, to := open(t, home(t)), open(t, bare(t))
	shut(t, from)
	shut(t, to)
	if err := from.Learn(operator, "a1", "an owl", "feed it"); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a1.agent")
	if err := exportAgent(from, operator, "a1", path, ""); err != nil {
		t.Fatal(err)
	}
	p, err := ReadPacked(path)
	if err != nil || len(p.Key)+len(p.Calls) > 0 {
		t.Fatalf("%+v, %v", p, err)
	}
	if id, err := importAgent(to, operator, path, "b1"); err != nil || id != "b1" {
		t.Fatal(id, err)
	}
	one, errA := from.Look(operator, "a1")
	two, errB := to.Look(operator, "b1")
	if err := errors.Join(errA, errB); err != nil || one.DID == two.DID {
		t.Errorf("two agents have the key %s, %v", one.DID, err)
	}
	if known, err := to.Recall(operator, "b1", keep.Pattern, "an owl", 5); err != nil || len(known) != 1 || known[0].Then != "feed it" {
		t.Errorf("it remembers %+v, %v", known, err)
	}
	if c, err := from.Invoke(t.Context(), operator, word("x")); err != nil || c.Status != host.OK {
		t.Errorf("the first agent does not answer any more: %+v, %v", c, err)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string][2]string{
		"memory": {"feed it", "eat it"}, "id": {`"id":"a1"`, `"id":"a2"`}, "a key": {`"to":`, `"key":"AA==","to":`}, "form": {packFormat, "ojud-agent/2"},
		"unknown": {`{"format"`, `{"x":1,"format"`}, "twice": {`{"format"`, `{"id":"a9","format"`}, "text": {"program.sh", "../x.sh"},
	} {
		text := strings.Replace(string(raw), change[0], change[1], 1)
		if what == "a key" {
			text = strings.Replace(string(raw), `"signature":`, `"key":"AA==","signature":`, 1)
		}
		if text == string(raw) {
			t.Fatalf("%s: nothing was changed", what)
		}
		bad := filepath.Join(t.TempDir(), "bad")
		if err := os.WriteFile(bad, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if p, err := ReadPacked(bad); err == nil {
			t.Errorf("%s: %+v is taken", what, p)
		}
	}
}

// TestAttackTwiceAlive: an import broke off after the key of the agent was in its place. The agent
// is taken in under another id then, and an agent that is spawned under the first one does not get
// the same key. An import that the host refuses at its end leaves no key.
func TestAttackTwiceAlive(t *testing.T) {
	t.Parallel()
	from, to := open(t, home(t)), open(t, bare(t))
	shut(t, from)
	shut(t, to)
	path := filepath.Join(t.TempDir(), "a1.agent")
	if err := exportAgent(from, operator, "a1", path, OperatorOf(to)); err != nil {
		t.Fatal(err)
	}
	p, err := ReadPacked(path)
	if err != nil {
		t.Fatal(err)
	}
	m, err := directory(to.dir).parse("y1", p.Text)
	if err == nil {
		err = admitPacked(to, p, m) // and then a crash
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := importAgent(to, operator, path, "y2"); err != nil {
		t.Fatal(err)
	}
	var r *host.Refused
	if err := to.Spawn(operator, Seed{ID: "y1", Text: p.Text}); !errors.As(err, &r) || r.Code != host.Conflict {
		t.Errorf("two agents have one key: %v", err)
	}
	if _, err := importAgent(to, operator, path, "y3"); !errors.As(err, &r) || r.Code != host.Conflict {
		t.Errorf("the agent is taken in twice: %v", err)
	}
	if _, err := os.Stat(directory(to.dir).key("y3")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an import that was refused left the key: %v", err)
	}
}

// TestAttackChainThatNobodyTakes: an agent whose chain has a name that no host takes is not ended
// by its export, because the file would be lost.
func TestAttackChainThatNobodyTakes(t *testing.T) {
	t.Parallel()
	dir := bare(t)
	const text = `autonomy = 2
[mind]
kind = "react"
instructions = "Ask the other."
[[capabilities]]
name = "solve"
[[remotes]]
address = "agent://127.0.0.1:1/e/*"
under = "e.json"
[models]
[[models.list]]
name = "m"
provider = "openai"
url = "http://127.0.0.1:1/v1"
model = "m"
`
	if err := errors.Join(os.WriteFile(filepath.Join(dir, Folder, "s.toml"), []byte(text), 0o600), os.WriteFile(filepath.Join(dir, Folder, "e.json"), []byte("{}"), 0o600)); err != nil {
		t.Fatal(err)
	}
	from, to := open(t, dir), open(t, bare(t))
	shut(t, from)
	shut(t, to)
	err := exportAgent(from, operator, "s", filepath.Join(t.TempDir(), "s.agent"), OperatorOf(to))
	var r *host.Refused
	if !errors.As(err, &r) || r.Code != host.Form || !strings.Contains(err.Error(), ".chain") {
		t.Errorf("%v", err)
	}
	if v, err := from.Look(operator, "s"); err != nil || v.Life == host.Terminated {
		t.Errorf("%+v, %v", v, err)
	}
}
