package client

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/ledger/onchain"
	"ojud/node"
	"ojud/node/evidence"
	"ojud/voting"
)

// saying gives the same answer to every request.
type saying struct {
	code int
	body []byte
}

func (s saying) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: s.code, Status: http.StatusText(s.code), Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(s.body)), Request: r}, nil
}

// FuzzLocal checks that no answer of a server that should be a node causes a panic, and that an
// error names that server.
func FuzzLocal(f *testing.F) {
	for _, s := range []string{
		`{"status":"decided","complete":true}`, `{"status":"undecided","archived":true}`, `{"error":"no such case"}`, `[]`, `null`,
		`{"rounds":[{"round":1}]}`, `{"sold":[],"bought":[],"owed":"5"}`,
		`{"source":"a","request":{},"answers":[{"answer":{"x":1},"receipt":{"price":"0"}}]}`, `[{"holder":"did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK"}]`,
	} {
		f.Add(uint16(200), []byte(s))
		f.Add(uint16(404), []byte(s))
	}
	home := f.TempDir()
	if err := os.WriteFile(filepath.Join(home, "api.key"), []byte("word\n"), 0o600); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, code uint16, body []byte) {
		answer := saying{100 + int(code)%500, body}
		l := &Local{home: home, address: "127.0.0.1:1", http: &http.Client{Transport: answer}}
		task := onchain.Address{1}
		_, _, err1 := l.Complete(t.Context(), task)
		_, err2 := l.Panel(t.Context(), task)
		_, err3 := l.Payments(t.Context())
		for _, err := range []error{err1, err2, err3} {
			if err != nil && !strings.Contains(err.Error(), "127.0.0.1:1") && !strings.Contains(err.Error(), "the node says") {
				t.Fatalf("the error does not say whose fault it is: %v", err)
			}
		}
		var r evidence.QueryResult
		if l.read(t.Context(), http.MethodGet, "/", nil, &r) == nil {
			for _, a := range r.Answers {
				if check(r, a, voting.Domain{}) == ReceiptGood {
					t.Fatalf("a receipt without a signature is good: %s", body)
				}
			}
		}
		var all []evidence.Holding
		if err := l.read(t.Context(), http.MethodGet, "/", nil, &all); err == nil && answer.code != http.StatusOK {
			t.Fatalf("%d is an answer", answer.code)
		}
	})
}

// FuzzTask checks that an accepted task has a usable schema, and the spelling that the chain's hash
// covers.
func FuzzTask(f *testing.F) {
	for _, s := range []string{
		`{"title":"t","description":"d","output_schema":{"text":"string"}}`, `{"title":"t","description":"d","output_schema":{"type":"object"}}`, `{"output_schema":{"x":"y"}}`, `{}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		doc, err := parseTask(raw)
		if err != nil {
			return
		}
		again, err := parseTask(doc.Raw)
		if err != nil || again.Hash != doc.Hash || casefile.HashOf(doc.Raw) != doc.Hash {
			t.Fatalf("%s became %s: %v", raw, doc.Raw, err)
		}
	})
}

// FuzzBootstrap checks that each node of a court is listed once.
func FuzzBootstrap(f *testing.F) {
	const id = "/p2p/12D3KooWGRUVh9qkZzG5r4c1mQmGUnYMbRyEJjW1mzSHKuTbN4iY"
	f.Add("/ip4/127.0.0.1/tcp/1"+id, "/ip4/127.0.0.1/udp/1/quic-v1"+id)
	f.Add("/dns4/x.example/tcp/1"+id, id)
	f.Add("", "/ip6/::1")
	f.Fuzz(func(t *testing.T, a, b string) {
		infos, err := bootstrap(node.Descriptor{Bootstrap: []string{a, b}})
		if err == nil && (len(infos) == 0 || len(infos) == 2 && infos[0].ID == infos[1].ID) {
			t.Fatalf("%q %q: %v", a, b, infos)
		}
		near(infos)
	})
}

// FuzzLamportsJSON checks that an amount in JSON has only one spelling.
func FuzzLamportsJSON(f *testing.F) {
	f.Add(`"1000"`)
	f.Add(`"18446744073709551616"`)
	f.Add(`5`)
	f.Fuzz(func(t *testing.T, text string) {
		var l Lamports
		if json.Unmarshal([]byte(text), &l) != nil {
			return
		}
		var back Lamports
		raw, err := json.Marshal(l)
		if err == nil {
			err = json.Unmarshal(raw, &back)
		}
		if err != nil || back != l {
			t.Fatalf("%s became %s: %v", text, raw, err)
		}
	})
}
