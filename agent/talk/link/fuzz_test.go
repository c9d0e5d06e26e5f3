package link

import (
	"bytes"
	"crypto/ed25519"
	"testing"
	"time"

	"ojud/agent/delegation"
)

type fuzzKey ed25519.PrivateKey

func (k fuzzKey) Principal() delegation.Principal { return delegation.Principal(k[32:]) }
func (k fuzzKey) Sign(message []byte) [64]byte {
	return [64]byte(ed25519.Sign(ed25519.PrivateKey(k), message))
}

// FuzzOpening: frames and tokens of strangers are read or refused, and a token is only taken by the
// one to whom it is addressed, in its session.
func FuzzOpening(f *testing.F) {
	k := fuzzKey(ed25519.NewKeyFromSeed(bytes.Repeat([]byte{1}, 32)))
	now := time.Unix(1_800_000_000, 0)
	token, err := issue(k, k.Principal().String(), "s", "", now)
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(`{"anex":"token","token":"x","challenge":"c"}`), token)
	f.Add([]byte(`{"anex":"error","error":"no"}`), "a.b.c")
	f.Fuzz(func(t *testing.T, raw []byte, token string) {
		if o, err := readOpening(raw, "token"); err == nil && o.ANEX != "token" {
			t.Errorf("%s", raw)
		}
		if who, _, err := readToken(token, k.Principal(), "s", now); err == nil && who != k.Principal() {
			t.Errorf("a token of %s was forged", who)
		}
		if _, _, err := readToken(token, k.Principal(), "another", now); err == nil {
			t.Error("a token is of two sessions")
		}
	})
}
