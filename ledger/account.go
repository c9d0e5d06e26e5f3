package ledger

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"

	"ojud/ledger/onchain"
)

// maxAccounts is how many accounts a node gives out at once (Agave: MAX_MULTIPLE_ACCOUNTS).
const maxAccounts = 100

// Account is an account as the chain has it.
type Account struct {
	Address    onchain.Address
	Owner      onchain.Address
	Lamports   uint64
	Executable bool
	Data       []byte
}

// Accounts reads up to 100 accounts of one slot. A nil stands for one that does not exist.
func (c *Client) Accounts(ctx context.Context, addresses ...onchain.Address) (all []*Account, slot uint64, err error) {
	return c.accounts(ctx, 0, addresses...)
}

// accounts reads from that slot or a later one.
func (c *Client) accounts(ctx context.Context, least uint64, addresses ...onchain.Address) ([]*Account, uint64, error) {
	if len(addresses) == 0 || len(addresses) > maxAccounts {
		return nil, 0, fmt.Errorf("%w: %d accounts at once, 1..%d are possible", ErrRefused, len(addresses), maxAccounts)
	}
	var out contexted[[]*rawAccount]
	least = max(least, c.floor.Load())
	options := c.at(least)
	options["encoding"] = "base64"
	err := c.call(ctx, "getMultipleAccounts", []any{addresses, options}, &out, func() error {
		if err := c.fresh(out.Context.Slot, least); err != nil {
			return err
		}
		if len(out.Value) != len(addresses) {
			return fmt.Errorf("%w: %d accounts for %d addresses", ErrAnswer, len(out.Value), len(addresses))
		}
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	all := make([]*Account, len(addresses))
	for i, raw := range out.Value {
		if raw != nil {
			all[i] = raw.as(addresses[i])
		}
	}
	return all, out.Context.Slot, nil
}

// at are the options of a read: commitment, and the slot that the node must have reached. The node may ignore the slot; fresh
// does not.
func (c *Client) at(least uint64) map[string]any {
	options := map[string]any{"commitment": c.cfg.Commitment}
	if least > 0 {
		options["minContextSlot"] = least
	}
	return options
}

// fresh takes an answer from a slot if it is not older than what was known when the node was asked.
func (c *Client) fresh(slot, least uint64) error {
	if slot < least {
		return fmt.Errorf("%w: the node at %s answers from slot %d, slot %d was seen before", ErrStale, c.caller.host, slot, least)
	}
	for {
		floor := c.floor.Load()
		if slot <= floor || c.floor.CompareAndSwap(floor, slot) {
			return nil
		}
	}
}

// contexted is an answer with the slot that it came from.
type contexted[T any] struct {
	Context struct {
		Slot uint64 `json:"slot"`
	} `json:"context"`
	Value T `json:"value"`
}

// rawAccount is an account in JSON. solana-go's own type would decompress whatever the node sends.
type rawAccount struct {
	Lamports   uint64          `json:"lamports"`
	Owner      onchain.Address `json:"owner"`
	Executable bool            `json:"executable"`
	Data       base64Data      `json:"data"`
}

func (r *rawAccount) as(address onchain.Address) *Account {
	return &Account{Address: address, Owner: r.Owner, Lamports: r.Lamports, Executable: r.Executable, Data: r.Data}
}

// base64Data is ["…", "base64"].
type base64Data []byte

var _ json.Unmarshaler = (*base64Data)(nil)

// UnmarshalJSON reads bytes in base64 and no other encoding.
func (d *base64Data) UnmarshalJSON(raw []byte) error {
	if bytes.Equal(raw, []byte("null")) {
		return nil
	}
	var pair []string
	if err := json.Unmarshal(raw, &pair); err != nil || len(pair) != 2 || pair[1] != "base64" {
		return fmt.Errorf("data is not [\"…\", \"base64\"]")
	}
	data, err := base64.StdEncoding.DecodeString(pair[0])
	*d = data
	return err
}
