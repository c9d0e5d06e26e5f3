package talk

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ojud/agent/talk"
	"ojud/cmd/ojud/cli"
	"ojud/datasource/anex"
)

// TestKept: the home shows of whom it keeps what, writes it into one file, and erases the
// conversations with one peer, or also the agreements. Those of others stay.
func TestKept(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), "[a]*?")
	served := &output{ready: make(chan struct{})}
	at, stop := serves(t, home, served, "--talk", "yes", "--terms", "yes", "--for", "calendar", "--access", "name", "--alone", "--keep", "720h")
	var peers [2]string
	for i := range peers {
		said := &output{}
		script := "greet\nrequest Ok?\nawait agree\ncall request_type=calendar access=name\nawait proposal\naccept\nawait signature\nend\n"
		if err := command(t.Context(), t.TempDir(), said, script, "to", at.At[0], "--peer", at.Agent, "--create-key"); err != nil {
			t.Fatalf("%v\n%s\n%s", err, said, served)
		}
		text := served.String()
		text = text[strings.LastIndex(text, `"text":"did:key:`)+len(`"text":"`):]
		peers[i], _, _ = strings.Cut(text, " at ")
	}
	var busy output
	if err := command(t.Context(), home, &busy, "", "kept", "--peer", peers[0], "--erase"); err == nil || !strings.Contains(err.Error(), "another command talks") {
		t.Errorf("files of a command that runs are erased: %v", err)
	}
	stop()
	files := func(folder string) int {
		t.Helper()
		all, err := os.ReadDir(filepath.Join(home, folder))
		if err != nil {
			t.Fatal(err)
		}
		return len(all)
	}
	run := func(args ...string) string {
		t.Helper()
		var out output
		if err := command(t.Context(), home, &out, "", append([]string{"kept"}, args...)...); err != nil {
			t.Errorf("%v: %v", args, err)
		}
		return out.String()
	}
	if text := run(); !strings.Contains(text, peers[0]) || !strings.Contains(text, peers[1]) || files("talks") != 2 || files("agreements") != 2 {
		t.Errorf("kept is %s", text)
	}
	export := filepath.Join(t.TempDir(), "export.json")
	told, err := os.ReadDir(filepath.Join(home, "talks"))
	for _, one := range told {
		f, failed := os.OpenFile(filepath.Join(home, "talks", one.Name()), os.O_APPEND|os.O_WRONLY, 0)
		if failed == nil {
			_, failed = f.WriteString(`{"peer":"half a line`)
		}
		if err = errors.Join(err, failed, f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	run("--peer", peers[0], "--export", export)
	raw, err := os.ReadFile(export)
	if err != nil || !bytes.Contains(raw, []byte("half a line")) || !bytes.Contains(raw, []byte(peers[0])) || bytes.Contains(raw, []byte(peers[1])) || bytes.Count(raw, []byte(`"kind"`)) != 2 {
		t.Errorf("%s, %v", raw, err)
	}
	if run("--peer", peers[0], "--erase"); files("talks") != 1 || files("agreements") != 2 {
		t.Errorf("%d conversations and %d agreements are there", files("talks"), files("agreements"))
	}
	if run("--peer", peers[0], "--erase", "--signed"); files("agreements") != 1 {
		t.Errorf("%d agreements are there", files("agreements"))
	}
	if text := run("--peer", peers[0]); strings.Contains(text, "agreements/") || strings.Contains(text, "talks/") {
		t.Errorf("after all is erased: %s", text)
	}
	if text := run("--peer", peers[1]); !strings.Contains(text, "agreements/") || !strings.Contains(text, "talks/") {
		t.Errorf("the other peer's are gone: %s", text)
	}
	if err := command(t.Context(), home, &output{}, "", "kept", "--erase"); err == nil {
		t.Error("everybody's is erased")
	}
}

// TestExpire: what was said longer ago than --keep is deleted, and nothing of another agent.
func TestExpire(t *testing.T) {
	t.Parallel()
	s := &store{dir: filepath.Join(t.TempDir(), "talks"), self: ending("did:key:z6Mkaaaaaaaaaaaaaaaaaaaa"), used: map[string]int64{}}
	other := &store{dir: s.dir, self: ending("did:key:z6Mkbbbbbbbbbbbbbbbbbbbb"), used: map[string]int64{}}
	for _, one := range []*store{s, s, other} {
		f, err := one.create("peer")
		if err == nil {
			_, err = f.WriteString("x")
		}
		if err = errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	s.take("peer", 2)
	all, err := os.ReadDir(s.dir)
	if err != nil || len(all) != 3 {
		t.Fatal(all, err)
	}
	old := time.Now().Add(-2 * time.Hour)
	left := 0
	for i, f := range all {
		if i == 0 && strings.Contains(f.Name(), s.self) || strings.Contains(f.Name(), other.self) {
			if err := os.Chtimes(filepath.Join(s.dir, f.Name()), old, old); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := s.expire(time.Now().Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	if all, err = os.ReadDir(s.dir); err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		if strings.Contains(f.Name(), s.self) {
			left++
		}
	}
	if left != 1 || len(all) != 2 || s.all != 1 {
		t.Errorf("%d files of this agent and %d in all are left; %d bytes are counted", left, len(all), s.all)
	}
	if err := command(t.Context(), t.TempDir(), &output{}, "", "serve", "--create-key", "--keep", "1h"); err == nil {
		t.Error("files of conversations under way may be deleted")
	}
}

// TestAttackLoneSignature: an acceptance that the other side answers with FAILURE leaves a
// signature in its hands. The home keeps the terms before the signature goes out, lists them as
// signed by the owner alone, and does not erase them, also after "no data retention". When the
// other side signs, the agreement takes their place.
func TestAttackLoneSignature(t *testing.T) {
	t.Parallel()
	r, out := hall(t)
	peer := key(ed25519.NewKeyFromSeed(bytes.Repeat([]byte{2}, 32)))
	c := r.enter(peer.Principal().String())
	a := &talk.Agreement{Format: "anex-agreement/1", Conversation: "c-1", Asker: r.key.Principal().String(), Holder: c.peer, Identity: "x", RequestType: "calendar",
		Access: []string{}, Promise: []string{talk.NoRetention}}
	a.Sign(r.key)
	c.record("sent", []byte("{}"), a.Asker, a.Holder, "")
	if err := c.Keep(a); err != nil {
		t.Fatal(err)
	}
	failed := talk.Heard{What: talk.Failure, Text: "no", Message: anex.Message{Performative: anex.ActFailure}}
	c.See(talk.Move{Kind: talk.Frame, Raw: []byte("{}")}, talk.Done{Heard: []talk.Heard{failed}, Ended: &talk.Ending{How: "completed", Erase: true}}, nil)
	if err := c.close(); err != nil || c.marked {
		t.Errorf("%v: %s", err, out)
	}
	file := filepath.Join(r.home, "agreements", a.Hash()+alone)
	agreements := func(words ...string) string {
		t.Helper()
		var text bytes.Buffer
		app := cli.New(nil, &text, io.Discard)
		app.Home = r.home
		cmd := Agreements(app)
		cmd.SetArgs(words)
		if err := cmd.ExecuteContext(t.Context()); err != nil {
			t.Errorf("%v: %v", words, err)
		}
		return text.String()
	}
	for _, words := range [][]string{{"list"}, {"show", file}} {
		if text := agreements(words...); !strings.Contains(text, "by you alone") {
			t.Errorf("%v: %s", words, text)
		}
	}
	a.Sign(peer)
	if err := c.Keep(a); err != nil {
		t.Error(err)
	}
	if text := agreements("list"); strings.Contains(text, "by you alone") || !strings.Contains(text, "by both") {
		t.Errorf("after the other side signed: %s", text)
	}
}
