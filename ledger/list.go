package ledger

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/mr-tron/base58"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

// Keyed is an account of the program with its address.
type Keyed[T any] struct {
	Address onchain.Address
	Value   *T
}

// TaskFilter picks tasks; what is zero does not matter.
type TaskFilter struct {
	Creator onchain.Address
	Worker  onchain.Address
	Status  program.TaskStatus
}

// Offsets of fields by which accounts are listed (protocol section 4).
const (
	statusOffset  = 10
	creatorOffset = 24
	workerOffset  = 88
	caseTask      = 24
)

// Tasks lists tasks by address, all of one slot.
func (c *Client) Tasks(ctx context.Context, f TaskFilter) ([]Keyed[program.Task], uint64, error) {
	filters := []filter{kind("Task")}
	if !f.Creator.IsZero() {
		filters = append(filters, filter{creatorOffset, f.Creator[:]})
	}
	if !f.Worker.IsZero() {
		filters = append(filters, filter{workerOffset, f.Worker[:]})
	}
	if f.Status != 0 {
		filters = append(filters, filter{statusOffset, []byte{byte(f.Status)}})
	}
	return decoded(ctx, c, program.DecodeTask, filters)
}

// Cases lists cases by address, all of one slot: those of one status, or with 0 all.
func (c *Client) Cases(ctx context.Context, status voting.Status) ([]Keyed[program.Case], uint64, error) {
	filters := []filter{kind("Case")}
	if status != 0 {
		filters = append(filters, filter{statusOffset, []byte{byte(status)}})
	}
	return decoded(ctx, c, program.DecodeCase, filters)
}

// Agents lists all agents by address, all of one slot.
func (c *Client) Agents(ctx context.Context) ([]Keyed[program.Agent], uint64, error) {
	return decoded(ctx, c, program.DecodeAgent, []filter{kind("Agent")})
}

// caseHead is what a list of all cases needs to say.
type caseHead struct {
	task   onchain.Address
	status voting.Status
}

// caseHeads lists all cases without their seats. It does not try again if the node limits lists.
func (c *Client) caseHeads(ctx context.Context) ([]caseHead, uint64, error) {
	slice := map[string]any{"offset": statusOffset, "length": caseTask - statusOffset + 32}
	all, slot, err := c.list(ctx, []filter{kind("Case")}, slice, ErrRateLimited)
	if err != nil {
		return nil, 0, err
	}
	heads := make([]caseHead, 0, len(all))
	for _, a := range all {
		if len(a.Data) != caseTask-statusOffset+32 {
			return nil, 0, fmt.Errorf("%w: %d bytes of case %s", ErrAnswer, len(a.Data), a.Address)
		}
		h := caseHead{status: voting.Status(a.Data[0]), task: onchain.Address(a.Data[caseTask-statusOffset:])}
		if c.program.Case(h.task) == a.Address {
			heads = append(heads, h)
		}
	}
	return heads, slot, nil
}

// CheckLists returns why the RPC node does not list all cases, and what to do about it.
func (c *Client) CheckLists(ctx context.Context) error {
	_, _, err := c.caseHeads(ctx)
	return err
}

// filter demands bytes at an offset of an account.
type filter struct {
	offset int
	bytes  []byte
}

func kind(name string) filter {
	d := program.Discriminator("account", name)
	return filter{0, d[:]}
}

func decoded[T any](ctx context.Context, c *Client, decode func([]byte) (*T, error), filters []filter) ([]Keyed[T], uint64, error) {
	all, slot, err := c.list(ctx, filters, nil)
	if err != nil {
		return nil, 0, err
	}
	out := make([]Keyed[T], len(all))
	for i, a := range all {
		v, err := decodeAs(c, a, decode)
		if err != nil {
			return nil, 0, err
		}
		out[i] = Keyed[T]{Address: a.Address, Value: v}
	}
	return out, slot, nil
}

// listMethod lists the accounts of a program. Many RPC providers refuse it, or limit it more than other methods.
const listMethod = "getProgramAccounts"

// list returns the program's accounts that match, by address. Errors of the classes in final are not retried.
func (c *Client) list(ctx context.Context, filters []filter, slice map[string]any, final ...error) ([]*Account, uint64, error) {
	var out contexted[[]struct {
		Pubkey  onchain.Address `json:"pubkey"`
		Account *rawAccount     `json:"account"`
	}]
	least := c.floor.Load()
	options := c.at(least)
	options["encoding"], options["withContext"] = "base64", true
	var wanted []any
	for _, f := range filters {
		wanted = append(wanted, map[string]any{"memcmp": map[string]any{"offset": f.offset, "bytes": base58.Encode(f.bytes)}})
	}
	options["filters"] = wanted
	if slice != nil {
		options["dataSlice"] = slice
	}
	check := func() error { return c.fresh(out.Context.Slot, least) }
	if err := c.call(ctx, listMethod, []any{c.program.ID(), options}, &out, check, final...); err != nil {
		return nil, 0, withListRemedy(err)
	}
	all := make([]*Account, 0, len(out.Value))
	for _, v := range out.Value {
		if v.Account == nil || v.Account.Owner != c.program.ID() {
			return nil, 0, fmt.Errorf("%w: an account that is not the program's", ErrAnswer)
		}
		all = append(all, v.Account.as(v.Pubkey))
	}
	slices.SortFunc(all, func(a, b *Account) int { return bytes.Compare(a.Address[:], b.Address[:]) })
	return all, out.Context.Slot, nil
}

// withListRemedy adds what an operator can do if the node does not permit lists.
func withListRemedy(err error) error {
	switch {
	case errors.Is(err, ErrRefused):
		return fmt.Errorf("%w; use another RPC URL (ledger.rpc), or a plan that permits %s", err, listMethod)
	case errors.Is(err, ErrRateLimited):
		return fmt.Errorf("%w; use another RPC URL (ledger.rpc), or a plan that permits more calls of %s", err, listMethod)
	}
	return err
}
