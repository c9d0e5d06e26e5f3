package ledger

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/rpc"
)

// transaction is an RPC node's answer about a transaction that is in a block.
type transaction struct {
	slot      uint64
	signature onchain.Signature
	time      int64 // of the block, Unix seconds; 0: the node does not know
	failure   json.RawMessage
	logs      []string // nil: the node keeps none
	raw       []byte
}

// transaction reads a transaction; ErrNotFound if the node does not have it (yet, or any more).
func (c *Client) transaction(ctx context.Context, sig onchain.Signature) (*transaction, error) {
	var out *struct {
		Slot        uint64     `json:"slot"`
		BlockTime   *int64     `json:"blockTime"`
		Transaction rpc.Base64 `json:"transaction"`
		Meta        *struct {
			Err  json.RawMessage `json:"err"`
			Logs []string        `json:"logMessages"`
		} `json:"meta"`
	}
	options := map[string]any{"encoding": "base64", "commitment": c.cfg.Commitment, "maxSupportedTransactionVersion": 1}
	if err := c.call(ctx, "getTransaction", []any{sig, options}, &out, nil); err != nil {
		return nil, err
	}
	if out == nil || out.Meta == nil {
		return nil, fmt.Errorf("%w: transaction %s", ErrNotFound, sig)
	}
	t := &transaction{slot: out.Slot, signature: sig, failure: out.Meta.Err, logs: out.Meta.Logs, raw: out.Transaction}
	if out.BlockTime != nil {
		t.time = *out.BlockTime
	}
	return t, nil
}

// failed reports whether an error as JSON-RPC shows it is one.
func failed(failure json.RawMessage) bool {
	return len(failure) != 0 && !bytes.Equal(failure, []byte("null"))
}

// occurred decodes what the program did in a transaction. Logs that make no sense count as missing.
func (c *Client) occurred(slot uint64, sig onchain.Signature, time int64, logs []string) Occurred {
	o := Occurred{Slot: slot, Signature: sig, Time: time}
	l, err := c.program.Events(logs)
	if err == nil {
		o.Events, o.Complete = l.Events, l.Complete && l.Unknown == 0
	}
	return o
}

// commits returns the commit and relay_commit instructions in a transaction, with the keys of judge
// and case.
func commits(p program.Program, raw []byte) ([]sealedCommit, error) {
	tx, err := solana.TransactionFromBytes(raw)
	if err != nil {
		return nil, fmt.Errorf("%w: transaction: %w", ErrAnswer, err)
	}
	var all []sealedCommit
	keys := tx.Message.AccountKeys
	for _, i := range tx.Message.Instructions {
		if int(i.ProgramIDIndex) >= len(keys) || onchain.Address(keys[i.ProgramIDIndex]) != p.ID() {
			continue
		}
		decoded, err := program.DecodeInstruction(i.Data)
		if err != nil {
			continue // another version's
		}
		at := func(n int) (key onchain.Address) {
			if n < len(i.Accounts) && int(i.Accounts[n]) < len(keys) {
				key = onchain.Address(keys[i.Accounts[n]])
			}
			return key
		}
		switch commit := decoded.(type) {
		case *program.Commit:
			all = append(all, sealedCommit{judge: at(0), address: at(1), Commit: *commit})
		case *program.RelayCommit: // sent by another node
			all = append(all, sealedCommit{judge: commit.Judge, address: at(2), Commit: program.Commit{
				Round: commit.Round, Commitment: commit.Commitment, Sealed: commit.Sealed,
			}})
		}
	}
	return all, nil
}

// sealedCommit is a commit with the seat that it is for.
type sealedCommit struct {
	judge   onchain.Address
	address onchain.Address // of the Case account
	program.Commit
}

// txCache keeps transactions that were read, up to so many bytes; the oldest go first.
type txCache struct {
	limit int

	mu    sync.Mutex
	size  int
	order []onchain.Signature
	known map[onchain.Signature]*transaction
}

func newTxCache(limit int) *txCache {
	return &txCache{limit: limit, known: make(map[onchain.Signature]*transaction)}
}

// bytes is about what a transaction takes.
func (t *transaction) bytes() int {
	n := len(t.raw) + 256
	for _, line := range t.logs {
		n += len(line) + 16
	}
	return n
}

// get returns a transaction if it is known as part of that slot: after a rollback it may be part of
// another.
func (p *txCache) get(l listed) *transaction {
	p.mu.Lock()
	defer p.mu.Unlock()
	if t := p.known[l.signature]; t != nil && t.slot == l.slot {
		return t
	}
	return nil
}

func (p *txCache) put(t *transaction) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if old := p.known[t.signature]; old != nil {
		p.size -= old.bytes()
	} else {
		p.order = append(p.order, t.signature)
	}
	p.known[t.signature] = t
	p.size += t.bytes()
	for p.size > p.limit && len(p.order) > 0 {
		p.size -= p.known[p.order[0]].bytes()
		delete(p.known, p.order[0])
		p.order = p.order[1:]
	}
}
