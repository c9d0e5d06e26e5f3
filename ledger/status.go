package ledger

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/onchain"
	"ojud/ledger/rpc"
)

// status is an RPC node's answer about a transaction that was sent.
type status struct {
	slot      uint64
	failure   json.RawMessage
	confirmed bool
	finalized bool
}

// statuses asks for transactions, also in the node's history. nil: the node knows nothing. slot is
// how far the node has come.
func (c *Client) statuses(ctx context.Context, sigs ...onchain.Signature) (all []*status, slot uint64, err error) {
	var out rpc.Contexted[[]*struct {
		Slot          uint64          `json:"slot"`
		Confirmations *uint64         `json:"confirmations"`
		Err           json.RawMessage `json:"err"`
		Status        string          `json:"confirmationStatus"`
	}]
	params := []any{sigs, map[string]any{"searchTransactionHistory": true}}
	err = c.call(ctx, "getSignatureStatuses", params, &out, func() error {
		if len(out.Value) != len(sigs) {
			return fmt.Errorf("%w: %d statuses for %d signatures", ErrAnswer, len(out.Value), len(sigs))
		}
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	all = make([]*status, len(sigs))
	for i, v := range out.Value {
		if v == nil {
			continue
		}
		final := v.Status == "finalized" || v.Status == "" && v.Confirmations == nil
		all[i] = &status{
			slot: v.Slot, failure: v.Err, finalized: final,
			confirmed: final || v.Status == "confirmed",
		}
	}
	return all, out.Context.Slot, nil
}

// reached reports whether the transaction's block will last, as far as is asked for.
func (s *status) reached(finalized bool) bool {
	return s != nil && (s.finalized || s.confirmed && !finalized)
}

// Await waits until a transaction of another party, such as a faucet, is in a block, and returns
// the block's slot. The error is ctx's, that of a node out of reach, or a Rejection.
func (c *Client) Await(ctx context.Context, sig onchain.Signature) (slot uint64, err error) {
	for {
		all, _, err := c.statuses(ctx, sig)
		if err != nil {
			return 0, err
		}
		if st := all[0]; st.reached(c.cfg.Commitment == "finalized") {
			r, err := rejection(c.program, &solana.Message{}, st.failure, nil)
			if err == nil && r != nil {
				err = r
			}
			return st.slot, err
		}
		if err := rpc.Wait(ctx, c.cfg.Send.Status); err != nil {
			return 0, fmt.Errorf("ledger: waiting for transaction %s: %w", sig, err)
		}
	}
}

// height is how far the chain is final.
type height struct {
	slot  uint64
	block uint64
}

// desk asks for the statuses of many transactions at once.
type desk struct {
	client *Client
	ctx    context.Context

	mu      sync.Mutex
	waiting map[onchain.Signature]chan reply
	last    height
	read    time.Time // when last was read
}

// reply is the status of one transaction, and how far the node that said so has come.
type reply struct {
	status *status
	slot   uint64
	err    error
}

// maxStatuses is how many a node answers at once (Agave: MAX_GET_SIGNATURE_STATUSES_QUERY_ITEMS).
const maxStatuses = 256

// gather is how long a question waits for others to go with it.
const gather = 20 * time.Millisecond

func newDesk(ctx context.Context, c *Client) *desk {
	return &desk{client: c, ctx: ctx, waiting: make(map[onchain.Signature]chan reply)}
}

// ask returns the status of a transaction. Only one may ask for a signature at a time.
func (d *desk) ask(ctx context.Context, sig onchain.Signature) reply {
	answer := make(chan reply, 1)
	d.mu.Lock()
	d.waiting[sig] = answer
	if len(d.waiting) == 1 {
		time.AfterFunc(gather, d.serve)
	}
	d.mu.Unlock()
	select {
	case r := <-answer:
		return r
	case <-ctx.Done():
		return reply{err: context.Cause(ctx)}
	}
}

// serve answers all that wait.
func (d *desk) serve() {
	d.mu.Lock()
	waiting := d.waiting
	d.waiting = make(map[onchain.Signature]chan reply)
	d.mu.Unlock()
	sigs := make([]onchain.Signature, 0, len(waiting))
	for sig := range waiting {
		sigs = append(sigs, sig)
	}
	for len(sigs) > 0 {
		part := sigs[:min(len(sigs), maxStatuses)]
		sigs = sigs[len(part):]
		all, slot, err := d.client.statuses(d.ctx, part...)
		for i, sig := range part {
			r := reply{slot: slot, err: err}
			if err == nil {
				r.status = all[i]
			}
			waiting[sig] <- r
		}
	}
}

// final reads how far the chain is final, at most once a while.
func (d *desk) final(ctx context.Context) (height, error) {
	d.mu.Lock()
	last, read := d.last, d.read
	d.mu.Unlock()
	if time.Since(read) < d.client.cfg.Send.Status {
		return last, nil
	}
	var out *struct {
		Slot  uint64 `json:"absoluteSlot"`
		Block uint64 `json:"blockHeight"`
	}
	err := d.client.call(ctx, "getEpochInfo", []any{map[string]any{"commitment": "finalized"}}, &out, func() error {
		if out == nil {
			return fmt.Errorf("%w: getEpochInfo: null", ErrAnswer)
		}
		return nil
	})
	if err != nil {
		return height{}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.last, d.read = height{slot: out.Slot, block: out.Block}, time.Now()
	return d.last, nil
}

// blockhash is a recent blockhash and the height of the last block that takes it.
func (s *Sender) blockhash(ctx context.Context) (hash onchain.Hash, lastValid uint64, err error) {
	c := s.client
	var out rpc.Contexted[*struct {
		Blockhash onchain.Hash `json:"blockhash"`
		LastValid uint64       `json:"lastValidBlockHeight"`
	}]
	least := c.floor.Load()
	err = c.call(ctx, "getLatestBlockhash", []any{c.at(least)}, &out, func() error {
		if out.Value == nil || out.Value.Blockhash.IsZero() {
			return fmt.Errorf("%w: getLatestBlockhash: no blockhash", ErrAnswer)
		}
		return c.fresh(out.Context.Slot, least)
	})
	if err != nil {
		return onchain.Hash{}, 0, err
	}
	return out.Value.Blockhash, out.Value.LastValid, nil
}

// send hands a transaction to the node, once. Only its status shows its outcome: the answer may be
// lost, and a node that takes it may still drop it.
func (s *Sender) send(ctx context.Context, raw []byte) error {
	c := s.client
	var sig onchain.Signature
	options := map[string]any{"encoding": "base64", "skipPreflight": true, "maxRetries": 0}
	params := []any{base64.StdEncoding.EncodeToString(raw), options}
	if err := c.bound(); err != nil {
		return err
	}
	_, err := c.caller.Once(ctx, "sendTransaction", params, &sig)
	return errors.Join(err, c.verify(ctx))
}
