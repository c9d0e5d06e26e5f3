package talk

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/agent/delegation"
	"ojud/agent/talk/link"
)

// TestAttackTalkDisk: a stranger whose frames are refused writes next to nothing to the disk.
func TestAttackTalkDisk(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	ctx, stop := context.WithCancel(t.Context())
	served := &output{ready: make(chan struct{})}
	ready, over := served.ready, make(chan error, 1)
	go func() {
		over <- command(ctx, home, served, "", "serve", "--create-key", "--alone", "--listen", "127.0.0.1:0")
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
	who, err := delegation.ParsePrincipal(at.Agent)
	if err != nil {
		t.Fatal(err)
	}
	k := key(ed25519.NewKeyFromSeed(bytes.Repeat([]byte{9}, 32)))
	junk := []byte(`{"x":"` + strings.Repeat(`\"`, 400_000) + `"}`)
	for range 6 {
		s, err := (&link.End{Key: k, Log: slog.New(slog.DiscardHandler)}).Dial(ctx, at.At[0], &who)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Write(ctx, junk); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Read(ctx); err != nil {
			t.Fatal(err)
		}
		_ = s.Close()
	}
	if err := command(ctx, home, &output{}, "", "to", at.At[0]); err == nil || !strings.Contains(err.Error(), "another command uses this home") {
		t.Errorf("a second command with the same key: %v", err)
	}
	stop()
	if err := <-over; err != nil {
		t.Error(err)
	}
	size := int64(0)
	err = filepath.WalkDir(home, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			info, failed := e.Info()
			if err = failed; err == nil {
				size += info.Size()
			}
		}
		return err
	})
	if err != nil || size > 64<<10 {
		t.Errorf("six refused frames leave %d bytes, %v", size, err)
	}
}

// TestStore: what is kept of one peer is bounded, also by a command that is started again, and what
// is deleted makes room.
func TestStore(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	s, err := openStore(home, "did:key:self")
	if err != nil {
		t.Fatal(err)
	}
	a, b := mark("did:key:a", "10.0.0.1:1", true), mark("plain", "10.0.0.1:1", false)
	if b == mark("plain", "10.0.0.2:1", false) || b != mark("other", "10.0.0.1:2", false) {
		t.Error("peers without a key are not told apart by their addresses")
	}
	f, err := s.create(a)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(maxPeer - 1000); err != nil { // takes no room on the disk
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err = openStore(home, "did:key:self"); err != nil {
		t.Fatal(err)
	}
	if s.take(a, 1001) || !s.take(a, 1000) || !s.take(b, 1001) {
		t.Error("the files that are there do not count for their peer alone")
	}
	s.free(a, 1000)
	if !s.take(a, 1000) {
		t.Error("what was deleted makes no room")
	}
	for i := range maxKept / maxPeer {
		if !s.take(mark("did:key:"+string(rune('A'+i)), "", true), maxPeer) && i < maxKept/maxPeer-2 {
			t.Fatalf("peer %d has no room", i)
		}
	}
	if s.take("last", maxPeer) {
		t.Error("the folder is not bounded")
	}
	if err := os.Remove(f.Name()); err != nil {
		t.Error(err)
	}
}
