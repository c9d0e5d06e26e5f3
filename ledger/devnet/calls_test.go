package devnet

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/gagliardetto/solana-go"
	"github.com/gagliardetto/solana-go/programs/system"
	"github.com/mr-tron/base58"

	"ojud/ledger/devnet/bank"
)

// writer writes calls of the right form with mostly right parameters. Each choice is a byte of a
// fuzz input.
type writer struct {
	left  []byte
	words []string // signatures, addresses and hashes that exist on the chain
	wires []string // transactions
}

// choose takes a byte and reduces it below n.
func (w *writer) choose(n int) int {
	if len(w.left) == 0 {
		return 0
	}
	b := int(w.left[0])
	w.left = w.left[1:]
	return b % n
}

func pick[T any](w *writer, list ...T) T { return list[w.choose(len(list))] }

// fields returns the fields of all configurations, with a writer of values for each.
func fields() map[string]func(*writer) string {
	quoted := func(list ...string) func(*writer) string {
		return func(w *writer) string { return fmt.Sprintf("%q", pick(w, list...)) }
	}
	flag := func(w *writer) string { return pick(w, "true", "false") }
	return map[string]func(*writer) string{
		"commitment":          quoted("processed", "confirmed", "finalized", "recent", "max", ""),
		"preflightCommitment": quoted("processed", "confirmed", "finalized"),
		"encoding":            quoted("base64", "base58", "binary", "base64+zstd", "json", "jsonParsed", "x"),
		"transactionDetails":  quoted("full", "signatures", "none", "accounts", "x"),
		"minContextSlot":      (*writer).number, "limit": (*writer).number, "maxRetries": (*writer).number,
		"maxSupportedTransactionVersion": (*writer).number,
		"skipPreflight":                  flag, "sigVerify": flag, "replaceRecentBlockhash": flag, "innerInstructions": flag, "withContext": flag, "rewards": flag,
		"searchTransactionHistory": flag, "excludeNonCirculatingAccountsList": flag, "enableReceivedNotification": flag,
		"before": (*writer).word, "until": (*writer).word, "recentBlockhash": (*writer).word, "votePubkey": (*writer).word, "identity": (*writer).word,
		"dataSlice": func(w *writer) string { return fmt.Sprintf(`{"offset":%s,"length":%s}`, w.number(), w.number()) },
		"filters":   (*writer).filters,
		"accounts":  func(w *writer) string { return fmt.Sprintf(`{"encoding":"base64","addresses":%s}`, w.list()) },
		"range":     func(w *writer) string { return fmt.Sprintf(`{"firstSlot":%s,"lastSlot":%s}`, w.number(), w.number()) },
	}
}

func (w *writer) number() string {
	return pick(w, "0", "1", "2", "3", "100", "1000", "1001", "500000", "9007199254740993", "18446744073709551615", "18446744073709551616", "-1", "1.5", "1e3")
}

func (w *writer) word() string { return fmt.Sprintf("%q", pick(w, w.words...)) }

func (w *writer) list() string {
	var out []string
	for range w.choose(4) * w.choose(70) {
		out = append(out, w.word())
	}
	return "[" + strings.Join(out, ",") + "]"
}

func (w *writer) filters() string {
	var out []string
	for range w.choose(6) {
		out = append(out, pick(w, `{"dataSize":`+w.number()+`}`, `{"memcmp":{"offset":`+w.number()+`,"bytes":`+w.word()+`}}`,
			`{"memcmp":{"offset":4,"bytes":"AA==","encoding":"base64"}}`, `{"memcmp":{"offset":0,"bytes":[1,2,256]}}`, `{}`, `null`))
	}
	return "[" + strings.Join(out, ",") + "]"
}

func (w *writer) config() string {
	table := fields()
	names := slices.Sorted(maps.Keys(table))
	var out []string
	for range w.choose(5) {
		name := pick(w, names...)
		value := table[name](w)
		if w.choose(12) == 11 {
			value = pick(w, "null", "7", `"x"`, "[]", "{}", "true")
		}
		out = append(out, fmt.Sprintf("%q:%s", name, value))
	}
	return "{" + strings.Join(out, ",") + "}"
}

// param returns any parameter. The first parameter of most methods is an address, a signature, a
// transaction or a number.
func (w *writer) param() string {
	switch w.choose(8) {
	case 0, 1:
		return w.word()
	case 2:
		return w.number()
	case 3:
		return fmt.Sprintf("%q", pick(w, w.wires...))
	case 4:
		return w.list()
	case 5:
		return pick(w, "null", "{}", "[]", `""`, "true", `"all"`, `{"mentions":[`+w.word()+`]}`)
	}
	return w.config()
}

func (w *writer) call(methods []string, id int) string {
	var list []string
	name := pick(w, methods...)
	for range w.choose(4) {
		list = append(list, w.param())
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":[%s]}`, id, name, strings.Join(list, ","))
}

// batch returns one to four calls.
func (w *writer) batch(methods []string) string {
	n := 1 + w.choose(4)
	var list []string
	for i := range n {
		list = append(list, w.call(methods, i))
	}
	if n == 1 {
		return list[0]
	}
	return "[" + strings.Join(list, ",") + "]"
}

// writerFor gives a chain some history and remembers its names.
func writerFor(f *testing.F, s *Server) writer {
	f.Helper()
	tx, _, err := s.bank.Airdrop(solana.PublicKey{9}, 1_000_000, solana.Hash{})
	if err != nil {
		f.Fatal(err)
	}
	for range 5 {
		if err := s.Seal(); err != nil {
			f.Fatal(err)
		}
	}
	w := writer{words: []string{
		"11111111111111111111111111111111", "SysvarC1ock11111111111111111111111111111111", "", "x", "1111111111111111111111111111111111111111111111111111111111111111",
		solana.PublicKey{9}.String(), tx.Signature().String(), s.bank.Faucet().String(), s.bank.Identity().String(), s.bank.GenesisHash().String(),
	}}
	var hash solana.Hash
	s.bank.Read(bank.Processed, func(v *bank.View) { hash, _ = v.Blockhash() })
	moves, err := solana.NewTransaction([]solana.Instruction{
		system.NewTransferInstruction(1, s.bank.Faucet(), solana.PublicKey{9}).Build(),
	}, hash, solana.TransactionPayer(s.bank.Faucet()))
	if err != nil {
		f.Fatal(err)
	}
	moves.Signatures = make([]solana.Signature, 1)
	raw, err := moves.MarshalBinary()
	if err != nil {
		f.Fatal(err)
	}
	message, err := moves.Message.MarshalBinary()
	if err != nil {
		f.Fatal(err)
	}
	for _, b := range [][]byte{raw, tx.Wire, message, raw[:len(raw)/2], append(raw, make([]byte, 1233-len(raw))...)} {
		w.wires = append(w.wires, base64.StdEncoding.EncodeToString(b), base58.Encode(b))
	}
	return w
}

// longest is more than any answer of an almost empty chain, times four for the four calls.
const longest = 4 << 20

// FuzzCalls makes calls of every method with nearly right parameters. The answer is JSON-RPC, one
// for each call and of bounded length, no internal error occurs, and the chain goes on.
func FuzzCalls(f *testing.F) {
	s := fuzzServer(f)
	plain := writerFor(f, s)
	// devnet_warp is left out, because it makes hours of slots. FuzzRPC covers it.
	methods := slices.DeleteFunc(slices.Sorted(maps.Keys(s.methods)), func(name string) bool { return name == "devnet_warp" })
	for i := range methods {
		f.Add([]byte{3, byte(i), 0, byte(i), 1, 0, 5, byte(i), 2, 0, 5, 6, 2, byte(i), 1, 0, byte(i), 2, 3, byte(i), 6, 1, byte(i), 3})
	}
	f.Fuzz(func(t *testing.T, choices []byte) {
		w := plain
		w.left = choices
		body := w.batch(methods)
		out, ok := postTo(t, s, body)
		if !ok {
			return
		}
		if len(out) > longest {
			t.Fatalf("%d bytes in answer to %s", len(out), body)
		}
		checkAnswer(t, out)
		if want := strings.Count(body, `"jsonrpc"`); strings.Count(string(out), `"jsonrpc":"2.0"`) != want {
			t.Fatalf("not %d answers to %s: %s", want, body, out)
		}
		if err := s.bank.Failure(); err != nil {
			t.Fatal(err)
		}
	})
}

// postTo returns the answer to a body, or false if that was too long to be read.
func postTo(t *testing.T, s *Server, body string) ([]byte, bool) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://devnet", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	resp, err := s.Transport().RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := out.ReadFrom(resp.Body); err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode == http.StatusRequestEntityTooLarge && int64(len(body)) > s.config.MaxBody {
		return nil, false
	}
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("%d %s", resp.StatusCode, &out)
	}
	return out.Bytes(), true
}

// FuzzSubscriptions subscribes twice with nearly right parameters, and the chain moves in between.
// Every message is JSON-RPC, each notification belongs to an answered subscription, and the socket
// leaves nothing behind.
func FuzzSubscriptions(f *testing.F) {
	s := fuzzServer(f)
	plain := writerFor(f, s)
	methods := slices.Sorted(maps.Keys((&socket{hub: s.hub}).subscribeTable()))
	for i := range methods {
		f.Add([]byte{1, byte(i), 0, byte(i), 2, 0, 5, 6, 2, byte(i), 1, 1, byte(i), 2, 5, 5, 6, 1, byte(i), 1, byte(i), 1, 2, 1})
	}
	f.Fuzz(func(t *testing.T, choices []byte) {
		w := plain
		w.left = choices
		k := &socket{hub: s.hub, stop: func() {}, subscriptions: map[uint64]*subscription{}, wake: make(chan struct{}, 1)}
		k.methods = k.subscribeTable()
		if !s.hub.enter(k) {
			t.Fatal("no room")
		}
		for range 2 {
			if err := k.handle([]byte(w.batch(methods))); err != nil {
				t.Fatal(err)
			}
			if _, _, err := s.bank.Airdrop(solana.PublicKey{9}, 1_000_000, solana.Hash{}); err != nil {
				t.Fatal(err)
			}
			if err := s.Seal(); err != nil {
				t.Fatal(err)
			}
		}
		checkMessages(t, k)
		s.hub.leave(k)
		if len(s.hub.where) != 0 {
			t.Fatalf("%d addresses are left", len(s.hub.where))
		}
	})
}

// checkMessages checks all messages in a socket's queue.
func checkMessages(t *testing.T, k *socket) {
	t.Helper()
	made := map[uint64]bool{}
	for raw := k.next(); raw != nil; raw = k.next() {
		var note struct {
			Method string
			Params struct{ Subscription uint64 }
		}
		if json.Unmarshal(raw, &note) == nil && note.Method != "" {
			if !made[note.Params.Subscription] {
				t.Fatalf("a notification before its subscription: %s", raw)
			}
			continue
		}
		for _, one := range checkAnswer(t, raw) {
			var answer struct{ Result uint64 }
			if json.Unmarshal(one, &answer) == nil {
				made[answer.Result] = true
			}
		}
	}
}
