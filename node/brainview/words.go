package brainview

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/ledger/rpc"
)

// maxTransactions bounds those of a task that are read. Sixteen seats that commit and reveal, with
// extensions, draws, outcomes and disputes, need fewer.
const maxTransactions = 100

// signatures bounds a list of transactions, as RPC nodes do.
const signatures = 1_000

// asking bounds one search for a question, and maxSearched the searches that are under way.
const (
	asking      = 5 * time.Second
	maxSearched = 1_024
)

// Words asks an RPC node for the transactions of accounts.
type Words struct {
	calls *rpc.Caller
	end   func()
	mu    sync.Mutex
	upto  map[search]string // the last transaction that each search has seen
}

// search is for the question of a task. A task may be made again at its address.
type search struct {
	at   onchain.Address
	made uint64
}

// OpenWords asks a quarter as often as calls allow, because it comes on top of what its caller
// asks. A nil transport is the network.
func OpenWords(url string, calls rpc.Calls, transport http.RoundTripper) (*Words, error) {
	calls.Rate /= 4
	calls.MaxInFlight = min(calls.MaxInFlight, 4)
	w := &Words{end: func() {}, upto: map[search]string{}}
	if transport == nil {
		own := rpc.NewTransport(calls)
		transport, w.end = own, own.CloseIdleConnections
	}
	var err error
	w.calls, err = rpc.NewCaller(url, calls, transport, rpc.NewMetrics("ojud_brain_"))
	return w, err
}

// Close ends connections.
func (w *Words) Close() error {
	w.end()
	return nil
}

// listed is a transaction in a list.
type listed struct {
	Signature string          `json:"signature"`
	Slot      uint64          `json:"slot"`
	Err       json.RawMessage `json:"err"`
}

func (l listed) failed() bool { return len(l.Err) > 0 && string(l.Err) != "null" }

// list lists the transactions that name an account, the newest first, from before one of them on.
func (w *Words) list(ctx context.Context, at onchain.Address, before string) (all []listed, err error) {
	options := map[string]any{"commitment": "confirmed", "limit": signatures}
	if before != "" {
		options["before"] = before
	}
	if err := w.calls.Call(ctx, "getSignaturesForAddress", []any{at, options}, &all, nil); err != nil {
		return nil, fmt.Errorf("brainview: the transactions of %s: %w", at, err)
	}
	return all, nil
}

// transaction is one as an RPC node gives it.
type transaction struct {
	Transaction rpc.Base64 `json:"transaction"`
	Meta        struct {
		Inner []struct {
			Instructions []struct {
				Data string `json:"data"`
			} `json:"instructions"`
		} `json:"innerInstructions"`
	} `json:"meta"`
}

// get gets a transaction; nil: the RPC node does not have it.
func (w *Words) get(ctx context.Context, name string) (one *transaction, err error) {
	options := map[string]any{"encoding": "base64", "commitment": "confirmed", "maxSupportedTransactionVersion": 1}
	return one, w.calls.Call(ctx, "getTransaction", []any{name, options}, &one, nil)
}

// said reads the data of the instructions of a transaction, and of those that its programs called.
func (w *Words) said(ctx context.Context, name string) ([][]byte, error) {
	one, err := w.get(ctx, name)
	if err != nil || one == nil {
		return nil, err
	}
	var called []string
	for _, group := range one.Meta.Inner {
		for _, i := range group.Instructions {
			called = append(called, i.Data)
		}
	}
	return brain.Instructions(one.Transaction, called)
}

// All reads what the transactions of an account say, the oldest first. Of a long list it reads the
// first ones and the last ones: anybody can name an account in a transaction. With an error comes
// what was read before it.
func (w *Words) All(ctx context.Context, at onchain.Address) (out [][]byte, err error) {
	all, err := w.list(ctx, at, "")
	if err != nil {
		return nil, err
	}
	slices.Reverse(all)
	all = slices.DeleteFunc(all, listed.failed)
	if len(all) > maxTransactions {
		all = slices.Concat(all[:maxTransactions/2], all[len(all)-maxTransactions/2:])
	}
	for _, one := range all {
		data, err := w.said(ctx, one.Signature)
		if err != nil {
			return out, fmt.Errorf("brainview: a transaction of %s: %w", at, err)
		}
		out = append(out, data...)
	}
	return out, nil
}

// Received is a transfer to a wallet.
type Received struct {
	brain.Transfer
	Signature string
}

// maxReceived bounds the lists of transactions of which one look at a wallet gives the transfers,
// and maxListed those that it asks for. A list has up to 1,000.
const (
	maxReceived = 100
	maxListed   = 10_000
)

// lagging is how many slots an RPC node may be behind with what it lists: about an hour. A
// transaction that is older and is not given does not come any more.
const lagging = 9_000

// Received reads the transfers of the transactions that name an address, the oldest first, from
// after a transaction that was seen before; empty: all. If there are too many for one look, it
// reads the oldest, and the next look goes on after them. It returns the last transaction that it
// has read, empty if there is none: until then there may be more, without an error. With an error
// comes what was read: it says what is missing.
func (w *Words) Received(ctx context.Context, at onchain.Address, seen string) (out []Received, last string, err error) {
	var all []listed // the newest first
	before, ended, newest := "", false, uint64(0)
	for n := 0; n < maxListed && !ended; n++ {
		some, err := w.list(ctx, at, before)
		if err != nil {
			return nil, "", err
		}
		ended = len(some) < signatures
		if n := slices.IndexFunc(some, func(l listed) bool { return l.Signature == seen }); n >= 0 {
			some, ended = some[:n], true
		}
		if all = append(all, some...); len(some) > 0 {
			before, newest = some[len(some)-1].Signature, max(newest, some[0].Slot)
		}
		all = slices.Delete(all, 0, max(0, len(all)-maxReceived*signatures))
	}
	if !ended {
		err = fmt.Errorf("brainview: %s has more than %d new transactions, and the older ones are not read", at, maxListed*signatures)
	}
	for _, one := range slices.Backward(all) {
		if !one.failed() {
			it, failed := w.get(ctx, one.Signature)
			missing := fmt.Errorf("brainview: the transaction %s of %s is not given", one.Signature, at)
			switch {
			case failed != nil:
				return out, last, errors.Join(err, missing, failed)
			case it == nil && newest < one.Slot+lagging:
				return out, last, errors.Join(err, missing)
			case it == nil && err == nil:
				err = missing // that of the oldest is enough
			case it != nil:
				out = append(out, transfers(it, one.Signature)...)
			}
		}
		last = one.Signature
	}
	return out, last, err
}

// transfers are those of a transaction. One of a form that is none of ours has none.
func transfers(it *transaction, name string) (out []Received) {
	all, err := brain.Transfers(it.Transaction)
	if err != nil {
		return nil
	}
	for _, t := range all {
		out = append(out, Received{t, name})
	}
	return out
}

// Made reads what the transaction that made a task says, if it is there. Of the transactions that
// name the task it reads those of the slot in which the task was made, and goes on where its last
// search ended: so nobody hides a question behind others for long.
func (w *Words) Made(ctx context.Context, at onchain.Address, t *brain.TaskAccount) (told brain.Told, err error) {
	w.mu.Lock() // one search runs at a time
	defer w.mu.Unlock()
	ctx, stop := context.WithTimeout(ctx, asking)
	defer stop()
	key := search{at, t.Clock.CreatedSlot}
	if len(w.upto) >= maxSearched {
		clear(w.upto)
	}
	for {
		all, err := w.list(ctx, at, w.upto[key])
		if err != nil {
			return told, err
		}
		for _, one := range all {
			if one.Slot < key.made {
				all = nil
				break
			}
			if one.Slot == key.made && !one.failed() {
				data, err := w.said(ctx, one.Signature)
				if err != nil {
					return told, fmt.Errorf("brainview: a transaction of %s: %w", at, err)
				}
				for _, d := range data {
					told.Hear(at, t, d)
				}
				if told.There {
					delete(w.upto, key)
					return told, nil
				}
			}
			w.upto[key] = one.Signature
		}
		if len(all) == 0 {
			delete(w.upto, key)
			return told, nil
		}
	}
}
