package brainview

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"ojud/ledger/onchain"
	"ojud/ledger/rpc"
)

// maxTransactions bounds those of a task that are read. Sixteen seats that commit and reveal, with
// extensions, draws, outcomes and disputes, need fewer.
const maxTransactions = 100

// signatures bounds a list of transactions, as RPC nodes do.
const signatures = 1_000

// OpenWords asks an RPC node for the transactions of accounts: a quarter as often as calls allow,
// because it comes on top of what its caller asks. A nil transport is the network. The second
// function ends connections.
func OpenWords(url string, calls rpc.Calls, transport http.RoundTripper) (func(context.Context, onchain.Address) ([][]byte, error), func() error, error) {
	calls.Rate /= 4
	calls.MaxInFlight = min(calls.MaxInFlight, 4)
	end := func() error { return nil }
	if transport == nil {
		own := rpc.NewTransport(calls)
		transport, end = own, func() error { own.CloseIdleConnections(); return nil }
	}
	c, err := rpc.NewCaller(url, calls, transport, rpc.NewMetrics("ojud_brain_"))
	if err != nil {
		return nil, nil, err
	}
	return transactions(c), end, nil
}

// transactions reads the transactions of an account from an RPC node, the oldest first. Of a long
// list it reads the first ones and the last ones: anybody can name an account in a transaction.
func transactions(c *rpc.Caller) func(context.Context, onchain.Address) ([][]byte, error) {
	return func(ctx context.Context, at onchain.Address) ([][]byte, error) {
		var all []struct {
			Signature string          `json:"signature"`
			Err       json.RawMessage `json:"err"`
		}
		options := map[string]any{"commitment": "confirmed", "limit": signatures}
		if err := c.Call(ctx, "getSignaturesForAddress", []any{at, options}, &all, nil); err != nil {
			return nil, fmt.Errorf("brainview: the transactions of %s: %w", at, err)
		}
		slices.Reverse(all)
		var names []string
		for _, s := range all {
			if len(s.Err) == 0 || string(s.Err) == "null" {
				names = append(names, s.Signature)
			}
		}
		if len(names) > maxTransactions {
			names = slices.Concat(names[:maxTransactions/2], names[len(names)-maxTransactions/2:])
		}
		var out [][]byte
		for _, name := range names {
			var one *struct {
				Transaction rpc.Base64 `json:"transaction"`
			}
			options := map[string]any{"encoding": "base64", "commitment": "confirmed", "maxSupportedTransactionVersion": 0}
			if err := c.Call(ctx, "getTransaction", []any{name, options}, &one, nil); err != nil {
				return nil, fmt.Errorf("brainview: a transaction of %s: %w", at, err)
			}
			if one != nil {
				out = append(out, one.Transaction)
			}
		}
		return out, nil
	}
}
