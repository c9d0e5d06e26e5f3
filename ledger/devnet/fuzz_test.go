package devnet

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/devnet/bank"
	"ojud/ledger/svm/accounts"
)

func fuzzServer(f testing.TB) *Server {
	f.Helper()
	config := DefaultConfig()
	config.AirdropLimit = 1_000_000
	at := time.Unix(1_800_000_000, 0)
	s, err := New(config, Deps{
		Logger: slog.New(slog.DiscardHandler), Now: func() time.Time { return at }, Manual: true,
		Genesis: bank.Genesis{Seed: bytes.Repeat([]byte{7}, 32)},
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() {
		if err := s.Close(); err != nil {
			f.Error(err)
		}
	})
	return s
}

// FuzzRPC sends any bytes as a body. The status is always 200 with an empty body or JSON of the
// right form, the chain goes on, and no internal error occurs.
func FuzzRPC(f *testing.F) {
	golden, err := os.ReadFile("testdata/rpc.txt")
	if err != nil {
		f.Fatal(err)
	}
	for line := range strings.Lines(string(golden)) {
		if body, ok := strings.CutPrefix(line, "> "); ok {
			f.Add([]byte(strings.ReplaceAll(body, "$", "1")))
		}
	}
	s := fuzzServer(f)
	for method := range s.methods {
		f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":["11111111111111111111111111111111",{}]}`))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if out, ok := postTo(t, s, string(body)); ok {
			checkAnswer(t, out)
		}
		if err := s.bank.Failure(); err != nil {
			t.Fatal(err)
		}
	})
}

// checkAnswer returns the answers in a response.
func checkAnswer(t *testing.T, raw []byte) (list []json.RawMessage) {
	t.Helper()
	if len(raw) == 0 {
		return nil
	}
	if raw[0] != '[' {
		list = append(list, raw)
	} else if err := json.Unmarshal(raw, &list); err != nil || len(list) == 0 {
		t.Fatalf("no batch: %s", raw)
	}
	for _, one := range list {
		var m struct {
			Version string `json:"jsonrpc"`
			ID      json.RawMessage
			Error   *rpcError
			Result  json.RawMessage
		}
		if err := json.Unmarshal(one, &m); err != nil || m.Version != version2 || m.ID == nil || (m.Error == nil) == (m.Result == nil) {
			t.Fatalf("no answer: %s", one)
		}
		if m.Error != nil && m.Error.Code == codeInternal {
			t.Fatalf("a failure inside: %s", one)
		}
	}
	return list
}

// FuzzFilters reads any bytes as filters and applies them.
func FuzzFilters(f *testing.F) {
	for _, s := range []string{
		`[{"dataSize":9}]`, `[{"memcmp":{"offset":4,"bytes":"3"}}]`, `[{"memcmp":{"offset":0,"bytes":"AA==","encoding":"base64"}}]`,
		`[{"memcmp":{"offset":18446744073709551615,"bytes":[1,2]}}]`, `[{"memcmp":null}]`, `[{}]`, `[null]`, `[{"memcmp":{}}]`,
	} {
		f.Add([]byte(s), []byte("account data"))
	}
	f.Fuzz(func(t *testing.T, raw, data []byte) {
		var filters []filter
		if json.Unmarshal(raw, &filters) != nil || verifyFilters(filters) != nil {
			return
		}
		want := true
		for _, one := range filters {
			if one.memcmp == nil {
				want = want && *one.dataSize == uint64(len(data))
				continue
			}
			if len(one.memcmp.raw) > maxMemcmp {
				t.Fatalf("%d bytes to compare", len(one.memcmp.raw))
			}
			end := one.memcmp.Offset + uint64(len(one.memcmp.raw))
			fits := end >= one.memcmp.Offset && end <= uint64(len(data))
			want = want && fits && bytes.Equal(data[one.memcmp.Offset:end], one.memcmp.raw)
		}
		if got := allAllow(filters, accounts.Account{Data: data}); got != want {
			t.Fatalf("%s on %q: %v, want %v", raw, data, got, want)
		}
	})
}

// FuzzSocket sends any bytes over a websocket, a message a line, while the chain moves. Everything
// in the queue is JSON, and the socket leaves nothing behind.
func FuzzSocket(f *testing.F) {
	s := fuzzServer(f)
	whole := `{"jsonrpc":"2.0","id":1,"method":"%","params":[]}`
	for name := range (&socket{hub: s.hub}).subscribeTable() {
		f.Add([]byte(strings.Replace(whole, "%", name, 1)))
	}
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"logsSubscribe","params":["all",{"commitment":"processed"}]}` + "\n" +
		`{"jsonrpc":"2.0","id":1,"method":"logsSubscribe","params":[{"mentions":["11111111111111111111111111111111"]}]}`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"programSubscribe","params":["Sysvar1111111111111111111111111111111111111",` +
		`{"commitment":"processed","encoding":"base64+zstd","dataSlice":{"offset":1,"length":9},"filters":[{"dataSize":40}]}]}`))
	f.Add([]byte(`[{"jsonrpc":"2.0","id":1,"method":"slotSubscribe"},{"jsonrpc":"2.0","id":"x","method":"slotUnsubscribe","params":[1]}]`))
	f.Fuzz(func(t *testing.T, lines []byte) {
		stopped := false
		k := &socket{hub: s.hub, stop: func() { stopped = true }, subscriptions: map[uint64]*subscription{}, wake: make(chan struct{}, 1)}
		k.methods = k.subscribeTable()
		if !s.hub.enter(k) {
			t.Fatal("no room")
		}
		defer s.hub.leave(k)
		for line := range bytes.Lines(lines) {
			if err := k.handle(line); err != nil {
				t.Fatal(err)
			}
		}
		if _, _, err := s.bank.Airdrop(solana.PublicKey{9}, 1_000_000, solana.Hash{}); err != nil {
			t.Fatal(err)
		}
		if err := s.Seal(); err != nil {
			t.Fatal(err)
		}
		for raw := k.next(); raw != nil; raw = k.next() {
			if !json.Valid(raw) {
				t.Fatalf("no JSON: %s", raw)
			}
		}
		if stopped && !k.slow() {
			t.Fatal("stopped for no reason")
		}
		for len(k.subscriptions) > 0 {
			for _, one := range k.subscriptions {
				s.hub.mu.Lock()
				s.hub.remove(one)
				s.hub.mu.Unlock()
			}
		}
		if len(s.hub.where) != 0 {
			t.Fatalf("%d addresses are left", len(s.hub.where))
		}
	})
}
