package transact

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/onchain"
)

// keypair makes a key out of a number.
func keypair(n byte) *Keypair {
	k, err := NewKeypair(bytes.NewReader(bytes.Repeat([]byte{n}, 32)))
	if err != nil {
		panic(err)
	}
	return k
}

// TestKeyFile: a created file can be loaded, by us and by solana-go, is never replaced, and only
// its owner may read it.
func TestKeyFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "id.json")
	if _, err := LoadKeypair(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	k, created, err := LoadOrCreateKeypair(path)
	if err != nil || !created {
		t.Fatal(created, err)
	}
	again, created, err := LoadOrCreateKeypair(path)
	if err != nil || created || again.Address() != k.Address() {
		t.Error(again, created, err)
	}
	if _, err := createKeypair(path); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a key was replaced: %v", err)
	}
	theirs, err := solana.PrivateKeyFromSolanaKeygenFile(path)
	if err != nil || onchain.Address(theirs.PublicKey()) != k.Address() {
		t.Errorf("solana-go reads %v, %v", theirs.PublicKey(), err)
	}
	if sig := k.Sign([]byte("x")); !solana.PublicKey(k.Address()).Verify([]byte("x"), solana.Signature(sig)) {
		t.Error("its signature does not verify")
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info.Mode(), err)
	}
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(left) != 1 {
		t.Error("temporary files are left:", left, err)
	}
	for _, mode := range []os.FileMode{0o640, 0o604, 0o620, 0o666} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := LoadKeypair(path); !errors.Is(err, errKeyFileMode) || !strings.Contains(err.Error(), "chmod 600 "+path) {
			t.Errorf("mode %v: %v", mode, err)
		}
	}
	if err := os.WriteFile(path, []byte("# no key"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadKeypair(path); !errors.Is(err, errKeyFile) { // the error is about its text, not its mode
		t.Error(err)
	}
	if _, err := LoadKeypair(t.TempDir()); err == nil {
		t.Error("a folder was loaded")
	}
}

// TestKeyRace: of many that create the same file all end with the same key.
func TestKeyRace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "id.json")
	var mu sync.Mutex
	got, made := map[onchain.Address]bool{}, 0
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			k, created, err := LoadOrCreateKeypair(path)
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			got[k.Address()] = true
			if created {
				made++
			}
		})
	}
	group.Wait()
	if len(got) != 1 || made != 1 {
		t.Errorf("%d keys, %d made", len(got), made)
	}
}

// TestKeySecret: no way of printing, logging or encoding shows more than the address.
func TestKeySecret(t *testing.T) {
	type options struct {
		Payer   *Keypair
		Signers []*Keypair
	}
	k := keypair(200)
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "a", k, "b", *k)
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "a", k, "b", *k, "c", []*Keypair{k}, "d", options{Payer: k})
	encoded, err := json.Marshal(map[string]any{"a": k, "b": *k})
	if err != nil {
		t.Fatal(err)
	}
	all := log.String() + string(encoded)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		all += fmt.Sprintf(verb+verb+verb, k, *k, []any{k, *k}) + fmt.Sprintf(verb, options{Payer: k, Signers: []*Keypair{k}})
	}
	for _, secret := range []string{"200, 200", "200,200", "200 200", "c8c8", "C8C8", solana.PrivateKey(k.private).String()} {
		if strings.Contains(all, secret) {
			t.Errorf("%q is shown", secret)
		}
	}
	if !strings.Contains(all, k.Address().String()) {
		t.Error("the address is not shown")
	}
}

// TestParseKeypair lists texts that are refused.
func TestParseKeypair(t *testing.T) {
	good := string(keypair(1).text())
	if k, err := parseKeypair([]byte(" [ " + strings.ReplaceAll(good[1:], ",", " ,\n ") + "\n")); err != nil || k.Address() != keypair(1).Address() {
		t.Error(k, err)
	}
	for name, text := range map[string]string{
		"empty": "", "null": "null", "object": "{}", "text": `"` + solana.PrivateKey(keypair(1).private).String() + `"`,
		"short": "[1,2,3]", "long": good[:len(good)-1] + ",1]", "other public key": "[2" + good[2:],
		"256": "[256" + good[2:], "negative": "[-1" + good[2:], "fraction": "[1.0" + good[2:], "strings": `["1"` + good[2:],
		"two": good + good, "large": good[:len(good)-1] + strings.Repeat(" ", maxKeyFile) + "]", "nested": "[[1]" + good[2:],
	} {
		k, err := parseKeypair([]byte(text))
		if !errors.Is(err, errKeyFile) {
			t.Errorf("%s: %v, %v", name, k, err)
		}
	}
	if _, err := NewKeypair(bytes.NewReader(nil)); err == nil {
		t.Error("a key without randomness")
	}
}

// FuzzParseKeypair: it does not panic, and what it takes it writes again.
func FuzzParseKeypair(f *testing.F) {
	f.Add(keypair(1).text())
	f.Add([]byte("[1,2"))
	random, err := NewKeypair(rand.Reader)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(random.text())
	f.Fuzz(func(t *testing.T, text []byte) {
		k, err := parseKeypair(text)
		if err != nil {
			return
		}
		again, err := parseKeypair(k.text())
		if err != nil || again.Address() != k.Address() {
			t.Fatal(err)
		}
	})
}

// TestElsewhere: a key outside this process signs a transaction, and what is no signature of it is
// refused.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	here, err := NewKeypair(bytes.NewReader(bytes.Repeat([]byte{7}, 32)))
	if err != nil {
		t.Fatal(err)
	}
	u, err := Bare(here.Address(), onchain.Instruction{Program: onchain.Address{1}, Data: []byte{1}})
	if err != nil {
		t.Fatal(err)
	}
	sign := func(ask func([]byte) (onchain.Signature, error)) ([]byte, error) {
		k := Elsewhere(here.Address(), ask)
		if k.Sign(u.message) != (onchain.Signature{}) {
			t.Error("it signed by itself")
		}
		raw, _, err := u.Sign(map[onchain.Address]*Keypair{here.Address(): k})
		return raw, err
	}
	raw, err := sign(func(m []byte) (onchain.Signature, error) { return here.Sign(m), nil })
	want, _, wrong := u.Sign(map[onchain.Address]*Keypair{here.Address(): here})
	if err != nil || wrong != nil || !bytes.Equal(raw, want) {
		t.Error(err, wrong)
	}
	for name, ask := range map[string]func([]byte) (onchain.Signature, error){
		"did not sign": func([]byte) (onchain.Signature, error) { return onchain.Signature{}, errors.New("no") },
		"something else": func(m []byte) (onchain.Signature, error) {
			return here.Sign(append(slices.Clone(m), 1)), nil
		},
	} {
		if _, err := sign(ask); !errors.Is(err, errElsewhere) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
