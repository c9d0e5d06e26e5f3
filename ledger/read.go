package ledger

import (
	"context"
	"fmt"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
)

// The reads below return the slot that the answer came from, also with a Missing error.

// Config reads the program's parameters.
func (c *Client) Config(ctx context.Context) (*program.Config, uint64, error) {
	return one(ctx, c, c.program.Config(), program.DecodeConfig)
}

// Roster reads the list of judges.
func (c *Client) Roster(ctx context.Context) (*program.Roster, uint64, error) {
	return one(ctx, c, c.program.Roster(), program.DecodeRoster)
}

// Agent reads the agent of an authority.
func (c *Client) Agent(ctx context.Context, authority onchain.Address) (*program.Agent, uint64, error) {
	return one(ctx, c, c.program.Agent(authority), program.DecodeAgent)
}

// AgentData reads an agent's data account of that name.
func (c *Client) AgentData(ctx context.Context, authority onchain.Address, name string) (*program.AgentData, uint64, error) {
	address, err := c.program.Data(authority, name)
	if err != nil {
		return nil, 0, err
	}
	return one(ctx, c, address, program.DecodeAgentData)
}

// RegistryPage reads a page of the list of agents.
func (c *Client) RegistryPage(ctx context.Context, page uint32) (*program.RegistryPage, uint64, error) {
	return one(ctx, c, c.program.RegistryPage(page), program.DecodeRegistryPage)
}

// Task reads the task at an address.
func (c *Client) Task(ctx context.Context, task onchain.Address) (*program.Task, uint64, error) {
	return one(ctx, c, task, program.DecodeTask)
}

// Case reads the case of a task.
func (c *Client) Case(ctx context.Context, task onchain.Address) (*program.Case, uint64, error) {
	return one(ctx, c, c.program.Case(task), program.DecodeCase)
}

// one reads one account of the program.
func one[T any](ctx context.Context, c *Client, address onchain.Address, decode func([]byte) (*T, error)) (*T, uint64, error) {
	all, slot, err := c.Accounts(ctx, address)
	if err != nil {
		return nil, slot, err
	}
	if all[0] == nil {
		return nil, slot, &Missing{Address: address, Slot: slot}
	}
	v, err := decodeAs(c, all[0], decode)
	return v, slot, err
}

// decodeAs decodes an account of the program: everybody can make one that looks like it.
func decodeAs[T any](c *Client, a *Account, decode func([]byte) (*T, error)) (*T, error) {
	if a.Owner != c.program.ID() {
		return nil, fmt.Errorf("%w: %s belongs to %s", ErrForeign, a.Address, a.Owner)
	}
	v, err := decode(a.Data)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrForeign, a.Address, err)
	}
	return v, nil
}
