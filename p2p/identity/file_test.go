package identity_test

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/libp2p/go-libp2p/core/crypto"

	"ojud/p2p/identity"
)

func TestKeyFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "folder", "node.key")
	first, created, err := identity.LoadOrCreate(path)
	if err != nil || !created {
		t.Fatalf("created %v, error %v", created, err)
	}
	again, created, err := identity.LoadOrCreate(path)
	if err != nil || created || again.Peer() != first.Peer() {
		t.Errorf("created %v, peer %s then %s, error %v", created, first, again, err)
	}
	if !bytes.Equal(again.Ed25519(), first.Ed25519()) {
		t.Error("keys differ after loading")
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, error %v", info.Mode(), err)
	}
	text, err := os.ReadFile(path)
	if err != nil || strings.Count(string(text), "\n") != 1 {
		t.Errorf("not one line: %d bytes, %v", len(text), err)
	}
	if err := identity.Create(path); !errors.Is(err, fs.ErrExist) {
		t.Errorf("replacing a key: error %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); err != nil || len(left) != 1 {
		t.Errorf("files: %v, %v", left, err)
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); err != nil || len(left) != 0 {
		t.Errorf("temporary files left: %v, %v", left, err)
	}
}

func TestKeyFileOpenToOthers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "node.key")
	if err := identity.Create(path); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []fs.FileMode{0o640, 0o604, 0o620, 0o666} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		_, err := identity.Load(path)
		if !errors.Is(err, identity.ErrKeyFileMode) || !strings.Contains(err.Error(), "chmod 600 "+path) {
			t.Errorf("mode %o: error %v", mode, err)
		}
	}
	if err := os.Chmod(path, 0o400); err != nil {
		t.Fatal(err)
	}
	if _, err := identity.Load(path); err != nil {
		t.Errorf("read-only key: %v", err)
	}
}

// TestKeyFileDamaged: the error names the file and never quotes its content.
func TestKeyFileDamaged(t *testing.T) {
	rsa, _, err := crypto.GenerateRSAKeyPair(2048, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := crypto.MarshalPrivateKey(rsa)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"empty":     "",
		"words":     "secret words",
		"no key":    base64.StdEncoding.EncodeToString([]byte("secret bytes")),
		"two lines": "AAAA\nAAAA\n",
		"too long":  strings.Repeat("A", 2000),
		"rsa":       base64.StdEncoding.EncodeToString(raw)[:1000],
	} {
		path := filepath.Join(dir, strings.ReplaceAll(name, " ", "-"))
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := identity.Load(path)
		if err == nil || !strings.Contains(err.Error(), path) || len(text) > 4 && strings.Contains(err.Error(), text[:5]) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if _, err := identity.Load(dir); err == nil {
		t.Error("a folder was loaded as a key")
	}
	if _, err := identity.Load(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing file: error %v", err)
	}
}

// TestKeyFileRace: many processes start at once. One creates the key and all use it.
func TestKeyFileRace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "node.key")
	var (
		wg      sync.WaitGroup
		mu      sync.Mutex
		peers   = map[string]int{}
		creates int
	)
	for range 20 {
		wg.Go(func() {
			id, created, err := identity.LoadOrCreate(path)
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			peers[id.String()]++
			if created {
				creates++
			}
		})
	}
	wg.Wait()
	if len(peers) != 1 || creates != 1 {
		t.Errorf("%d identities, %d created", len(peers), creates)
	}
}
