package identity

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/libp2p/go-libp2p/core/crypto"
)

// FuzzParseKey: an accepted key file holds an Ed25519 key, and no error quotes the file.
func FuzzParseKey(f *testing.F) {
	seeded, err := FromSeed([32]byte{1})
	if err != nil {
		f.Fatal(err)
	}
	raw, err := crypto.MarshalPrivateKey(seeded.key)
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(base64.StdEncoding.EncodeToString(raw) + "\n"))
	f.Add([]byte(base64.StdEncoding.EncodeToString(raw[:40])))
	f.Add([]byte("CAASAA==")) // RSA
	f.Fuzz(func(t *testing.T, text []byte) {
		id, err := parseKey("node.key", text)
		switch {
		case err != nil && len(text) > 12 && strings.Contains(err.Error(), string(text)):
			t.Fatalf("the error quotes the key: %v", err)
		case err == nil && len(id.Ed25519()) != 64:
			t.Fatalf("%d bytes of key", len(id.Ed25519()))
		}
	})
}
