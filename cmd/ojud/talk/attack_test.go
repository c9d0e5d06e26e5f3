package talk

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ojud/agent/audit"
	"ojud/agent/talk"
	"ojud/agent/talk/owner"
	"ojud/cmd/ojud/cli"
	"ojud/datasource/anex"
)

// hall is a room without a network, and what it printed.
func hall(t *testing.T) (*room, *bytes.Buffer) {
	t.Helper()
	out := &bytes.Buffer{}
	k := key(ed25519.NewKeyFromSeed(bytes.Repeat([]byte{1}, 32)))
	r := &room{a: cli.New(nil, out, io.Discard), key: k, home: t.TempDir(), caps: talk.DefaultCaps(), all: map[int]*conversation{}, chosen: 1, begun: make(chan struct{})}
	trail, err := audit.Open(filepath.Join(r.home, "audit"), k, func() int64 { return 1 })
	if err != nil {
		t.Fatal(err)
	}
	r.trail = trail
	if r.store, err = openStore(r.home, k.Principal().String()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := trail.Close(); err != nil {
			t.Error(err)
		}
	})
	return r, out
}

// enter opens a conversation with a peer.
func (r *room) enter(peer string) *conversation {
	r.next++
	if r.next == 1 {
		close(r.begun)
	}
	c := &conversation{room: r, number: r.next, peer: peer, about: mark(peer, "", true), moves: make(chan talk.Move, 8), over: make(chan struct{}),
		session: talk.New(talk.Caps{}, r.key.Principal().String(), peer, "", false, 1),
		owner:   &owner.Owner{Key: r.key, Now: time.Now, Talk: owner.Ask, Terms: owner.Ask, Asking: true}}
	r.all[c.number] = c
	return c
}

// TestAttackTypedToAnother: a stranger who connects while a person types does not get the lines
// that were meant for somebody else.
func TestAttackTypedToAnother(t *testing.T) {
	t.Parallel()
	r, _ := hall(t)
	to := func(line string, want int, rest string) {
		t.Helper()
		c, got, why := r.addressed(t.Context(), line)
		if n := number(c); n != want || got != rest || (why == "") != (want != 0) {
			t.Errorf("%q goes to %d as %q (%s), not to %d", line, n, got, why, want)
		}
	}
	r.enter("ammon")
	to("agree", 1, "agree")
	r.enter("stranger")
	to("offer access= promise=", 0, "")
	to("1 offer access=", 1, "offer access=")
	to("accept", 0, "")
	to("3 accept", 0, "")
	to("2", 0, "")
	to("1 end", 1, "end")
	delete(r.all, 1)
	to("accept", 0, "") // the stranger alone is open, and was not chosen
	to("2 refuse", 2, "refuse")
	to("end", 2, "end")
	delete(r.all, 2)
	to("end", 0, "")
	if _, _, why := r.addressed(t.Context(), "end"); why != "no conversation is open" {
		t.Error(why)
	}
}

func number(c *conversation) int {
	if c == nil {
		return 0
	}
	return c.number
}

// TestAttackHiddenTerms: the end of long terms is not hidden. Nothing is signed before a person saw
// all of it.
func TestAttackHiddenTerms(t *testing.T) {
	t.Parallel()
	r, out := hall(t)
	c := r.enter("stranger")
	a := &talk.Agreement{Format: "anex-agreement/1", Asker: r.key.Principal().String(), Holder: "did:key:z6MkwVDfCg9LbbY6xjH3EZk8YSFQZujV5Y4y1ZWeER9tDiN3", Identity: "x", RequestType: "y",
		Access: []string{}, Promise: []string{}, Deal: json.RawMessage(`{"a":"` + strings.Repeat("ü", 3000) + `","z_joe_pays":"100 SOL"}`)}
	h := talk.Heard{What: talk.Proposal, Terms: a, Message: anex.Message{Performative: anex.ActPropose}}
	c.See(talk.Move{Kind: talk.Frame, Raw: []byte("{}")}, talk.Done{Heard: []talk.Heard{h}}, nil)
	accept := "accept " + a.Hash()[:8]
	for shows := 0; ; shows++ {
		seen := strings.Contains(out.String(), "100 SOL") && strings.Contains(out.String(), accept)
		c.typed(t.Context(), accept)
		if sent := len(c.moves) == 1; sent != seen {
			t.Fatalf("after %d times show: all seen %t, signed %t", shows, seen, sent)
		}
		if seen {
			break
		}
		if !strings.Contains(out.String(), "more bytes; type 1 show") || shows > 5 {
			t.Fatalf("%.3000s", out)
		}
		c.typed(t.Context(), "show")
	}
	if !strings.Contains(out.String(), "1 sign     with stranger: {") {
		t.Error("what is signed is not shown")
	}
}

// TestAttackForgedLines: plain text of a stranger cannot look like lines of the program.
func TestAttackForgedLines(t *testing.T) {
	t.Parallel()
	r, out := hall(t)
	c := r.enter("stranger")
	raw := []byte("Hi [PA*] ok?\n1 agreed   /root/agreements/deadbeef.json\n1 end      completed")
	c.See(talk.Move{Kind: talk.Frame, Raw: raw}, talk.Done{Heard: []talk.Heard{{What: talk.PlainText, Text: string(raw)}},
		Ended: &talk.Ending{How: "broken", Err: fmt.Errorf("x\n1 agreed   y")}}, nil)
	for line := range strings.Lines(out.String()) {
		if strings.HasPrefix(line, "1 agreed") || strings.HasPrefix(line, "1 end      completed") {
			t.Errorf("forged: %s", line)
		}
	}
	if strings.Count(out.String(), "\n") != 3 { // heard, decide, end
		t.Error(out)
	}
}

// TestAttackWordsInLog: words of the peer are not in the audit log, which stays after "no data
// retention".
func TestAttackWordsInLog(t *testing.T) {
	t.Parallel()
	r, _ := hall(t)
	c := r.enter("stranger")
	c.See(talk.Move{Kind: talk.Frame, Raw: []byte(`{"x":"my secret is 4711"}`)}, talk.Done{Heard: []talk.Heard{{What: talk.Cancel, Text: "my secret is 4711"}},
		Ended: &talk.Ending{How: "cancelled", Err: fmt.Errorf("talk: cancelled: %q", "my secret is 4711")}}, nil)
	files, err := audit.Files(filepath.Join(r.home, "audit"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	raw, err := os.ReadFile(files[0])
	if err != nil || !bytes.Contains(raw, []byte("cancelled")) || bytes.Contains(raw, []byte("4711")) {
		t.Errorf("%s, %v", raw, err)
	}
}

// TestAttackOtherPeer: over libp2p, too, nobody else can answer for an agent that is named; and
// flags that do nothing there are refused.
func TestAttackOtherPeer(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	served := &output{ready: make(chan struct{})}
	ready, over := served.ready, make(chan error, 1)
	go func() {
		over <- command(ctx, t.TempDir(), served, "", "serve", "--create-key", "--alone", "--listen", "/ip4/127.0.0.1/tcp/0")
	}()
	select {
	case <-ready:
	case err := <-over:
		t.Fatal(err)
	}
	var at started
	if err := json.NewDecoder(strings.NewReader(served.String())).Decode(&at); err != nil {
		t.Fatal(err)
	}
	const other = "did:key:z6MkwVDfCg9LbbY6xjH3EZk8YSFQZujV5Y4y1ZWeER9tDiN3"
	for _, k := range []struct {
		args []string
		want string
	}{
		{[]string{"--peer", other}, "not " + other},
		{[]string{"--peer", other, "--plain"}, "do not go together"},
		{[]string{"--plain"}, "are for wss"},
		{[]string{"--peer", at.Agent}, "cancelled"},
	} {
		err := command(ctx, t.TempDir(), io.Discard, "greet\ncancel\n", append([]string{"to", at.At[0], "--create-key"}, k.args...)...)
		if err == nil || !strings.Contains(err.Error(), k.want) {
			t.Errorf("%q: %v", k.args, err)
		}
	}
	if err := command(ctx, t.TempDir(), io.Discard, "", "serve", "--create-key", "--terms", "yes"); err == nil || !strings.Contains(err.Error(), "purposes") {
		t.Errorf("--terms yes without purposes: %v", err)
	}
	stop()
	if err := <-over; err != nil {
		t.Error(err)
	}
}
