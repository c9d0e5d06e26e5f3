package audit

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/agent/delegation"
)

type key struct{ ed25519.PrivateKey }

func newKey(b byte) key { return key{ed25519.NewKeyFromSeed(append(make([]byte, 31), b))} }

func (k key) Principal() delegation.Principal {
	return delegation.Principal(k.Public().(ed25519.PublicKey))
}

func (k key) Sign(m []byte) [64]byte { return [64]byte(ed25519.Sign(k.PrivateKey, m)) }

// written makes a log of n lines, opened again after each third line.
func written(t *testing.T, dir string, k key, n int) (path string, raw []byte) {
	t.Helper()
	var trail *Trail
	var err error
	for i := range n {
		if trail == nil {
			if trail, err = Open(dir, k, func() int64 { return int64(1000 + i) }); err != nil {
				t.Fatal(err)
			}
		}
		if err := trail.Append(AgentInvoke{From: k.Principal(), To: k.Principal(), Capability: "/x", Call: fmt.Sprint(i), Result: "admitted"}); err != nil {
			t.Fatal(err)
		}
		path = trail.path
		if i%3 == 2 || i == n-1 {
			if err := trail.Close(); err != nil {
				t.Fatal(err)
			}
			trail = nil
		}
	}
	if raw, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	return path, raw
}

// TestVerify: an honest log verifies, and each way to change it is found by the line.
func TestVerify(t *testing.T) {
	k := newKey(1)
	_, raw := written(t, t.TempDir(), k, 8)
	_, foreign := written(t, t.TempDir(), newKey(2), 8)
	_, rewritten := written(t, t.TempDir(), k, 7)
	honest, err := verify(bytes.NewReader(raw), Expected{}, nil)
	if err != nil || honest.Entries != 8 || honest.Torn || honest.Agent != k.Principal().String() {
		t.Fatalf("%+v, %v", honest, err)
	}
	if _, err := verify(bytes.NewReader(raw), Expected{Head: honest.Head}, nil); err != nil {
		t.Error(err)
	}
	lines := bytes.SplitAfter(raw, []byte("\n"))[:8]
	other := bytes.SplitAfter(foreign, []byte("\n"))
	join := func(all ...[]byte) []byte { return bytes.Join(all, nil) }
	at := func(i int, line []byte) []byte {
		out := append([][]byte{}, lines...)
		out[i] = line
		return join(out...)
	}
	two := newKey(2).Principal()
	for name, c := range map[string]struct {
		log   []byte
		check Expected
		says  string
	}{
		"a changed word":       {at(3, bytes.Replace(lines[3], []byte(`"admitted"`), []byte(`"refused"`), 1)), Expected{}, "line 4: the agent did not sign it"},
		"a missing line":       {join(append(append([][]byte{}, lines[:3]...), lines[4:]...)...), Expected{}, "line 4: it has the number 5"},
		"a missing first line": {join(lines[1:]...), Expected{}, "line 1: it has the number 2"},
		"a repeated line":      {join(lines[0], lines[0]), Expected{}, "line 2: it has the number 1"},
		"two lines swapped":    {join(lines[0], lines[2], lines[1]), Expected{}, "line 2: it has the number 3"},
		"a line of another":    {at(3, other[3]), Expected{}, "line 4: it is of"},
		"cut off":              {join(lines[:5]...), Expected{Head: honest.Head}, "lines were cut off"},
		"all cut off":          {nil, Expected{Head: honest.Head}, "lines were cut off"},
		"written anew":         {rewritten, Expected{Head: honest.Head}, "written anew"},
		"another agent":        {raw, Expected{Agent: &two}, "not of"},
		"no JSON":              {at(2, []byte("x\n")), Expected{}, "line 3: it is no entry"},
		"another spelling":     {at(2, append([]byte(" "), lines[2]...)), Expected{}, "line 3: it is no entry"},
		"a long line":          {bytes.Repeat([]byte("x"), 2*maxLine), Expected{}, "line 1: it is longer"},
	} {
		if _, err := verify(bytes.NewReader(c.log), c.check, nil); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
	}
	// Without a head that somebody kept, a log that ends early is a shorter log.
	if _, err := verify(bytes.NewReader(join(lines[:5]...)), Expected{}, nil); err != nil {
		t.Error(err)
	}
}

// TestTrail: the head beside the log finds a cut, a crash in the middle of a line costs that line
// alone, and two processes do not write one log.
func TestTrail(t *testing.T) {
	k, dir := newKey(1), t.TempDir()
	path, raw := written(t, dir, k, 4)
	open := func() (*Trail, error) { return Open(dir, k, func() int64 { return 1 }) }
	write := func(b []byte) {
		t.Helper()
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(append(bytes.Clone(raw), raw[:40]...))
	if s, err := VerifyFile(path, Expected{}); err != nil || !s.Torn || s.Entries != 4 {
		t.Errorf("%+v, %v", s, err)
	}
	trail, err := open()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := open(); err == nil {
		t.Error("two processes have one log")
	}
	if err := trail.Append(AgentInvoke{Capability: "/y"}); err != nil {
		t.Error(err)
	}
	if err := trail.Append(AgentInvoke{Reason: strings.Repeat("x", maxLine)}); err == nil {
		t.Error("a line that is too long")
	}
	if err := trail.Close(); err != nil {
		t.Error(err)
	}
	if s, err := VerifyFile(path, Expected{}); err != nil || s.Entries != 5 || s.Torn {
		t.Errorf("%+v, %v", s, err)
	}
	write(raw)
	if _, err := VerifyFile(path, Expected{}); err == nil || !strings.Contains(err.Error(), "cut off") {
		t.Errorf("%v", err)
	}
	if _, err := open(); err == nil || !strings.Contains(err.Error(), "the end is missing") {
		t.Errorf("%v", err)
	}
	if files, err := Files(dir); err != nil || len(files) != 1 {
		t.Errorf("%v, %v", files, err)
	}
}

// TestAttackHeadLater: a flood takes all file descriptors while a line is written, so that its head
// cannot be. The call is refused, and the log goes on when there are descriptors again. It wrote
// nothing more until it was opened anew.
func TestAttackHeadLater(t *testing.T) {
	k, dir := newKey(1), t.TempDir()
	path, _ := written(t, dir, k, 2)
	trail, err := Open(dir, k, func() int64 { return 1 })
	if err != nil {
		t.Fatal(err)
	}
	block := path + headEnd + ".new" // the name of a head that is not whole yet
	if err := os.MkdirAll(filepath.Join(block, "full"), 0o700); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := trail.Append(AgentInvoke{Capability: "/y", Call: "c1"}); err == nil {
			t.Error("no head was written")
		}
	}
	if err := os.RemoveAll(block); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(trail.Complete(AgentInvoke{Capability: "/y", Call: "c1"}), trail.Append(AgentInvoke{Capability: "/y", Call: "c2"}), trail.Close()); err != nil {
		t.Error(err)
	}
	if s, err := VerifyFile(path, Expected{}); err != nil || s.Entries != 4 {
		t.Errorf("%+v, %v", s, err)
	}
}

// FuzzEntry: what is read as a line is written as the same line.
func FuzzEntry(f *testing.F) {
	dir := f.TempDir()
	k := newKey(1)
	trail, err := Open(dir, k, func() int64 { return 1 })
	if err != nil {
		f.Fatal(err)
	}
	if err := first(trail.Append(AgentInvoke{Capability: "/x"}), trail.Close()); err != nil {
		f.Fatal(err)
	}
	raw, err := os.ReadFile(trail.path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(bytes.TrimSpace(raw))
	f.Fuzz(func(t *testing.T, line []byte) {
		e, err := parseEntry(line)
		if err != nil {
			return
		}
		if again, err := e.encode(); err != nil || !bytes.Equal(again, line) {
			t.Errorf("%s, %v", again, err)
		}
		if _, err := verify(bytes.NewReader(append(line, '\n')), Expected{}, nil); err == nil && e.Seq != 1 {
			t.Error("a log that does not begin at 1")
		}
	})
}

func first(all ...error) error {
	for _, err := range all {
		if err != nil {
			return err
		}
	}
	return nil
}

// TestComplete: a line that a crash kept from the log is written, and one that is there is not.
func TestComplete(t *testing.T) {
	k, dir := newKey(1), t.TempDir()
	path, _ := written(t, dir, k, 3)
	trail, err := Open(dir, k, func() int64 { return 2000 })
	if err != nil {
		t.Fatal(err)
	}
	act := AgentInvoke{From: k.Principal(), To: k.Principal(), Capability: "/x", Call: "1", Result: "admitted"}
	settled := act
	settled.Result = "settled"
	for _, a := range []AgentInvoke{act, settled, settled} {
		if err := trail.Complete(a); err != nil {
			t.Fatal(err)
		}
	}
	if err := trail.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err := VerifyFile(path, Expected{}); err != nil || s.Entries != 4 {
		t.Errorf("%+v, %v", s, err)
	}
}
