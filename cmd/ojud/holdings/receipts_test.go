package holdings

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/casefile/canon"
	"ojud/cmd/ojud/cli"
	"ojud/node/holdings"
)

// signature signs a message as node/holdings does.
func signature(t *testing.T, k ed25519.PrivateKey, mark string, v any) casefile.Signature {
	t.Helper()
	raw, err := json.Marshal(v)
	if err == nil {
		raw, err = canon.JSON(raw, maxReceipt)
	}
	if err != nil {
		t.Fatal(err)
	}
	return casefile.Signature(ed25519.Sign(k, append([]byte(mark), raw...)))
}

func receipt(t *testing.T, at int64) (r holdings.Receipt) {
	t.Helper()
	asker, owner := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{1}, 32)), ed25519.NewKeyFromSeed(bytes.Repeat([]byte{2}, 32))
	r = holdings.Receipt{Request: holdings.KeyRequest{Asker: casefile.Address(asker[32:])}, Owner: casefile.Address(owner[32:]), Box: []byte{1}, At: at}
	r.Request.Signature = signature(t, asker, "ojud/data-request/1\n", r.Request)
	r.Signature = signature(t, owner, "ojud/data-receipt/1\n", r)
	return r
}

// TestTornReceipts: a line that a power cut tore does not take the next receipt with it, and verify
// reads the whole file, and names that line.
func TestTornReceipts(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "receipts.jsonl")
	keep := func(at int64) {
		t.Helper()
		file, err := open(&cli.App{}, path)
		if err != nil {
			t.Fatal(err)
		}
		r := &receipts{file: file, tell: func(holdings.Receipt) error { return nil }}
		if err := r.keep(receipt(t, at)); err != nil {
			t.Error(err)
		}
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	}
	look := func(want int, fault string) {
		t.Helper()
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all, refused := verifyAll(raw)
		if len(all) != want || (refused == nil) != (fault == "") || refused != nil && !strings.Contains(refused.Error(), fault) {
			t.Errorf("%d receipts, not %d; refused: %v", len(all), want, refused)
		}
	}
	keep(1)
	look(1, "")
	keep(2)
	look(2, "")
	raw, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, raw[:len(raw)-40], 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	keep(3)
	keep(4)
	look(3, "line 2")
}
