package exhibit_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"ojud/casefile"
	"ojud/casefile/exhibit"
)

// FuzzRead: whatever a party hands in, code says something short about it in its own words, and
// says the same again.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"x402-jws.json", "x402-eip712.json", "a2cn.json"} {
		f.Add(file(f, name), []byte(`{"input_data":[{"kty":"OKP","crv":"Ed25519","x":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}]}`))
	}
	all := members(f, "ap2.json")
	for _, name := range []string{"chain", "direct", "checkout", "over"} {
		f.Add([]byte(text(f, all[name])), []byte(all["user"]))
	}
	f.Add([]byte(`{"receipt":{"holder":"","asker":"","response":"","signature":"","fetched_at":1}}`), []byte(`{}`))
	f.Add([]byte(jws(f, key(1), map[string]any{"alg": "EdDSA", "kid": did(key(1))}, map[string]any{"resourceUrl": "u", "amount": "1"})), []byte(`{}`))
	f.Fuzz(func(t *testing.T, raw, task []byte) {
		m := exhibit.Matter{Task: task}
		got := exhibit.Read(raw, m)
		for i, found := range got {
			if len(found.Detail) == 0 || len(found.Detail) > casefile.MaxDetail || !utf8.ValidString(found.Detail) || strings.ContainsAny(found.Detail, "\n<>") {
				t.Fatalf("detail of %d bytes: %q", len(found.Detail), found.Detail)
			}
			if found.Outcome == casefile.Pass && !json.Valid(task) {
				t.Fatalf("it passes without a task: %+v", found)
			}
			if again := exhibit.Read(raw, m); again[i] != found {
				t.Fatalf("another finding: %+v, %+v", found, again[i])
			}
		}
	})
}

// TestBounds: an exhibit is bounded before it is parsed.
func TestBounds(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/x402-jws.json")
	if err != nil {
		t.Fatal(err)
	}
	if got := exhibit.Read(append(raw, make([]byte, 1<<20)...), exhibit.Matter{}); got != nil {
		t.Errorf("more than the limit is read: %+v", got)
	}
}
