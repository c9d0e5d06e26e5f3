package ledger

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"slices"
	"testing"

	"github.com/gagliardetto/solana-go"
	"github.com/prometheus/client_golang/prometheus"

	"ojud/ledger/onchain"
	"ojud/ledger/rpc"
	"ojud/ledger/transact"
)

// answer handles a request as the node does; behind is by how many slots it lags. A code is a
// JSON-RPC error.
func (f *fakeNode) answer(method string, params []json.RawMessage, behind uint64) (result any, code int) {
	var options struct {
		Before  onchain.Signature `json:"before"`
		Until   onchain.Signature `json:"until"`
		Limit   int               `json:"limit"`
		Least   uint64            `json:"minContextSlot"`
		Filters []struct {
			Memcmp struct {
				Offset int           `json:"offset"`
				Bytes  solana.Base58 `json:"bytes"`
			} `json:"memcmp"`
		} `json:"filters"`
		Slice struct {
			Offset int `json:"offset"`
			Length int `json:"length"`
		} `json:"dataSlice"`
	}
	if n := len(params); n > 0 && params[n-1][0] == '{' {
		must(json.Unmarshal(params[n-1], &options))
	}
	if options.Least > f.slot-1-behind && behind == 0 {
		return nil, rpc.CodeMinContextSlot
	}
	switch method {
	case "getGenesisHash":
		return f.genesis, 0
	case "getMultipleAccounts":
		var addresses []onchain.Address
		must(json.Unmarshal(params[0], &addresses))
		all := make([]any, len(addresses))
		for i, a := range addresses {
			all[i] = jsonAccount(f.accounts[a], options.Slice.Offset, options.Slice.Length)
			if a == onchain.ClockAccount() {
				all[i] = jsonAccount(f.clock(behind), 0, 0)
			}
		}
		return f.with(behind, all), 0
	case "getProgramAccounts":
		all := []any{}
		for address, a := range f.accounts {
			match := a.Owner == f.program.ID()
			for _, w := range options.Filters {
				end := w.Memcmp.Offset + len(w.Memcmp.Bytes)
				match = match && end <= len(a.Data) && bytes.Equal(a.Data[w.Memcmp.Offset:end], w.Memcmp.Bytes)
			}
			if match {
				all = append(all, map[string]any{"pubkey": address, "account": jsonAccount(a, options.Slice.Offset, options.Slice.Length)})
			}
		}
		return f.with(behind, all), 0
	case "getLatestBlockhash":
		h := f.hash()
		return f.with(behind, map[string]any{"blockhash": h, "lastValidBlockHeight": f.hashes[h]}), 0
	case "getEpochInfo":
		final := f.slot - 1 - f.finality - behind
		return map[string]any{"absoluteSlot": final, "blockHeight": final}, 0
	case "getMinimumBalanceForRentExemption":
		return 890_880, 0
	case "getRecentPrioritizationFees":
		return []any{map[string]any{"slot": 1, "prioritizationFee": 10}, map[string]any{"slot": 2, "prioritizationFee": 5_000_000}}, 0
	case "simulateTransaction":
		if f.old && bytes.HasPrefix(params[0], []byte(`"gQ`)) { // 0x81
			return nil, -32602
		}
		return f.simulated(params[0], behind), 0
	case "sendTransaction":
		var raw solana.Base64
		must(json.Unmarshal(params[0], &raw))
		f.land(raw)
		return transact.SignatureOf(raw), 0
	case "getSignatureStatuses":
		var sigs []onchain.Signature
		must(json.Unmarshal(params[0], &sigs))
		if f.lag != nil {
			behind += f.lag()
		}
		return f.statusesOf(sigs, behind), 0
	case "getTransaction":
		var sig onchain.Signature
		must(json.Unmarshal(params[0], &sig))
		return f.transactionOf(sig), 0
	case "getSignaturesForAddress":
		var address onchain.Address
		must(json.Unmarshal(params[0], &address))
		return f.list(address, options.Before, options.Until, options.Limit), 0
	}
	return nil, rpc.CodeNoMethod
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func (f *fakeNode) with(behind uint64, value any) any {
	return map[string]any{"context": f.context(behind), "value": value}
}

func (f *fakeNode) simulated(param json.RawMessage, behind uint64) any {
	var text string
	must(json.Unmarshal(param, &text))
	raw, err := base64.StdEncoding.DecodeString(text)
	must(err)
	tx, err := solana.TransactionFromBytes(raw)
	must(err)
	failure, logs := f.execute(tx, false)
	return f.with(behind, map[string]any{"err": errorOf(failure), "logs": logs, "unitsConsumed": 450, "loadedAccountsDataSize": 2000})
}

func errorOf(failure string) any {
	if failure == "" {
		return nil
	}
	return json.RawMessage(failure)
}

func (f *fakeNode) statusesOf(sigs []onchain.Signature, behind uint64) any {
	all := make([]any, len(sigs))
	for i, sig := range sigs {
		t := f.landed[sig]
		if t == nil || t.slot >= f.slot-behind {
			continue // as of then it had not landed
		}
		level := "confirmed"
		if t.slot+f.finality < f.slot-behind {
			level = "finalized"
		}
		all[i] = map[string]any{"slot": t.slot, "confirmations": 1, "err": errorOf(t.failure), "confirmationStatus": level}
	}
	return f.with(behind, all)
}

func (f *fakeNode) transactionOf(sig onchain.Signature) any {
	t := f.landed[sig]
	if t == nil || t.slot >= f.slot {
		return nil
	}
	return map[string]any{
		"slot": t.slot, "blockTime": f.timeOf(t.slot), "transaction": []string{base64.StdEncoding.EncodeToString(t.raw), "base64"},
		"meta": map[string]any{"err": errorOf(t.failure), "logMessages": t.logs}, "version": "legacy",
	}
}

func (f *fakeNode) list(address onchain.Address, before, until onchain.Signature, limit int) any {
	out := []any{}
	skip := !before.IsZero()
	for _, t := range f.indexed(address) {
		if t.sig == until || len(out) == limit {
			break
		}
		if !skip {
			entry := map[string]any{
				"signature": t.sig, "slot": t.slot, "err": errorOf(t.failure), "blockTime": f.timeOf(t.slot), "memo": nil,
			}
			if f.indices {
				entry["transactionIndex"] = slices.Index(f.order, t)
			}
			out = append(out, entry)
		}
		skip = skip && t.sig != before
	}
	return out
}

// testConfig is quick and polls only.
func testConfig() Config {
	cfg := DefaultConfig()
	cfg.RPC, cfg.WS, cfg.Calls.Rate = "http://node.test:8899/?api-key=hush", wsOff, 0
	cfg.Send.PriorityFee = "0"
	return cfg
}

// open makes a client of a fake node.
func (f *fakeNode) open(t *testing.T, cfg Config) *Client {
	t.Helper()
	c, err := New(cfg, f.program.ID(), Deps{Transport: f, Metrics: prometheus.NewRegistry(), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}
