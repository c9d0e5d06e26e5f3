package brainview

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gagliardetto/solana-go"
	"github.com/mr-tron/base58"

	"ojud/ledger"
	"ojud/ledger/brain"
	"ojud/ledger/onchain"
)

// node is an RPC node with transactions that name a task, the newest first. Those whose signature
// begins with "c" call an instruction from their own program.
type node struct {
	t       *testing.T
	all     []listed
	made    onchain.Instruction // what the transactions "task" and "call" say
	latency time.Duration
	asked   int
	broken  string // a transaction that cannot be read
	gone    string // one that is listed and not given
}

// wire is a transaction with one instruction.
func wire(t *testing.T, program onchain.Address, data []byte) []byte {
	t.Helper()
	i := solana.NewInstruction(solana.PublicKey(program), solana.AccountMetaSlice{}, data)
	tx, err := solana.NewTransaction([]solana.Instruction{i}, solana.Hash{1}, solana.TransactionPayer(solana.PublicKey{1}))
	if err != nil {
		t.Fatal(err)
	}
	tx.Signatures = []solana.Signature{{}}
	raw, err := tx.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func (n *node) RoundTrip(r *http.Request) (*http.Response, error) {
	var q struct {
		ID     json.RawMessage   `json:"id"`
		Method string            `json:"method"`
		Params []json.RawMessage `json:"params"`
	}
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
		return nil, err
	}
	select {
	case <-r.Context().Done():
		return nil, r.Context().Err()
	case <-time.After(n.latency):
	}
	n.asked++
	result, err := json.Marshal(n.answer(q.Method, q.Params))
	if err != nil {
		return nil, err
	}
	text := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, q.ID, result)
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader([]byte(text))), Request: r}, nil
}

func (n *node) answer(method string, params []json.RawMessage) any {
	if method == "getSignaturesForAddress" {
		var o struct {
			Before string `json:"before"`
			Limit  int    `json:"limit"`
		}
		if err := json.Unmarshal(params[1], &o); err != nil {
			n.t.Error(err)
		}
		rest := n.all
		if o.Before != "" {
			rest = rest[1+slices.IndexFunc(rest, func(l listed) bool { return l.Signature == o.Before }):]
		}
		return rest[:min(len(rest), o.Limit)]
	}
	var name string
	if err := json.Unmarshal(params[0], &name); err != nil {
		n.t.Error(err)
	}
	program, data, inner := onchain.Address{77}, []byte("another thing"), []any{}
	switch name {
	case n.gone:
		return nil
	case n.broken:
		return map[string]any{"transaction": []string{"AAAA", "base64"}}
	case "task":
		program, data = n.made.Program, n.made.Data
	case "call":
		inner = append(inner, map[string]any{"index": 0, "instructions": []any{map[string]any{"programIdIndex": 2, "accounts": []int{}, "data": base58.Encode(n.made.Data), "stackHeight": 2}}})
	}
	return map[string]any{
		"slot": 1, "transaction": []string{base64.StdEncoding.EncodeToString(wire(n.t, program, data)), "base64"},
		"meta": map[string]any{"err": nil, "innerInstructions": inner},
	}
}

// name adds transactions of a slot, which are newer than those before.
func (n *node) name(slot uint64, many int, fault string) {
	for i := range many {
		n.all = slices.Insert(n.all, 0, listed{fmt.Sprintf("%d-%d", slot, i), slot, json.RawMessage(fault)})
	}
}

// TestAttackNamed: transactions that name a task, before it and after it, do not hide its question
// for long, not even in its own slot. Nor does it help to make the task from another program.
func TestAttackNamed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before, beside, after int
		signature             string
		looks, most           int // searches, and calls in all
	}{
		"alone": {0, 0, 0, "task", 1, 2}, "eight workers": {0, 0, 19, "task", 1, 2}, "25 transfers": {0, 0, 25, "task", 1, 2}, "by a program": {0, 0, 25, "call", 1, 2},
		"many": {2_000, 0, 2_500, "task", 1, 4}, "in its slot": {0, 100, 25, "task", 10, 115}, "never made": {30, 0, 30, "", 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := brain.Devnet()
				n := &node{t: t, latency: 100 * time.Millisecond, made: p.CreateTask(onchain.Address{2}, onchain.Address{8}, brain.CreateTask{Description: "When?"})}
				n.name(8, c.before, "null")
				if n.name(9, c.beside/2, "null"); c.signature != "" {
					n.all = slices.Insert(n.all, 0, listed{c.signature, 9, nil})
				}
				n.name(9, c.beside/2, "null")
				n.name(9, 3, `{"InstructionError":[0,"InvalidArgument"]}`)
				n.name(10, c.after, "null")
				w, err := OpenWords("http://127.0.0.1:1", ledger.DefaultConfig().Calls, n)
				if err != nil {
					t.Fatal(err)
				}
				task := &brain.TaskAccount{Terms: brain.TermsHash("When?", nil), Clock: brain.Clock{CreatedSlot: 9}}
				for look := 1; ; look++ {
					told, err := w.Made(t.Context(), onchain.Address{7}, task)
					text, there := told.Description, told.There
					if there || look == c.looks {
						if there != (c.signature != "") || there != (text == "When?") || err != nil || n.asked > c.most {
							t.Errorf("look %d: %q, %v, %v, after %d calls", look, text, there, err, n.asked)
						}
						break
					}
					time.Sleep(10 * time.Second)
				}
				if len(w.upto) != 0 {
					t.Errorf("a search that ended is remembered: %v", w.upto)
				}
				if err := w.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// TestReceived: a wallet's transactions are read from the oldest on. One that the RPC node lists
// and does not give ends a look, because it may come, and is passed over when an hour has gone by.
// What was read before it is not lost.
func TestReceived(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := &node{t: t, gone: "10-1"}
		n.name(10, 3, "null")
		w, err := OpenWords("http://127.0.0.1:1", ledger.DefaultConfig().Calls, n)
		if err != nil {
			t.Fatal(err)
		}
		if _, last, err := w.Received(t.Context(), onchain.Address{7}, ""); last != "10-0" || err == nil || !strings.Contains(err.Error(), "10-1") {
			t.Errorf("until %q, %v", last, err)
		}
		n.name(10+lagging, 1, "null")
		if _, last, err := w.Received(t.Context(), onchain.Address{7}, "10-0"); last != n.all[0].Signature || err == nil || !strings.Contains(err.Error(), "10-1") {
			t.Errorf("an hour later until %q, %v", last, err)
		}
		n.name(20_000, 3*signatures, `"it failed"`) // a failed one is not asked for
		if _, last, err := w.Received(t.Context(), onchain.Address{7}, "10-2"); last != n.all[0].Signature || err != nil {
			t.Errorf("of many until %q, %v", last, err)
		}
		asked := n.asked
		if _, last, err := w.Received(t.Context(), onchain.Address{7}, n.all[0].Signature); last != "" || err != nil || n.asked != asked+1 {
			t.Errorf("of none until %q, %v, by %d calls", last, err, n.asked-asked)
		}
		for i := range maxReceived * signatures {
			n.all = append(n.all, listed{fmt.Sprintf("old-%d", i), 9, json.RawMessage(`"it failed"`)})
		}
		// More than one look gives: the older ones were never read then, so that dust hid payments.
		looks, last := 0, ""
		for ; last != n.all[0].Signature && looks < 3; looks++ {
			var err error
			if _, last, err = w.Received(t.Context(), onchain.Address{7}, last); err != nil && !strings.Contains(err.Error(), "10-1") {
				t.Fatal(err)
			}
			if older := slices.IndexFunc(n.all, func(l listed) bool { return l.Signature == last }); looks == 0 && older != len(n.all)-maxReceived*signatures {
				t.Errorf("the first look ends at the transaction %d of %d, the newest being the first", older, len(n.all))
			}
		}
		if looks != 2 {
			t.Errorf("all were read in %d looks", looks)
		}
	})
}

// TestPart: what was read of a task's transactions before one that cannot be read is shown.
func TestPart(t *testing.T) {
	t.Parallel()
	n := &node{t: t, made: brain.Devnet().CreateTask(onchain.Address{2}, onchain.Address{8}, brain.CreateTask{Description: "When did it open?"}), broken: "10-1"}
	n.all = []listed{{"task", 9, nil}}
	n.name(10, 3, "null")
	w, err := OpenWords("http://127.0.0.1:1", ledger.DefaultConfig().Calls, n)
	if err != nil {
		t.Fatal(err)
	}
	said, err := w.All(t.Context(), onchain.Address{7})
	if err == nil || len(said) != 2 {
		t.Errorf("%d instructions, %v", len(said), err)
	}
	c := posted(t)
	r := c.reader()
	r.from.Words = w.All
	d, err := r.Task(t.Context(), c.at)
	if err != nil || d.Question != "When did it open?" {
		t.Errorf("the question is %q, %v", d.Question, err)
	}
}
