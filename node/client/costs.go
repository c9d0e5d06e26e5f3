package client

import (
	"context"

	"ojud/ledger/law"
	"ojud/ledger/onchain"
	"ojud/node/client/cost"
)

// ReviewCosts says what the steps of a task take from its parties.
func ReviewCosts(ctx context.Context, c *Client, task onchain.Address) (s cost.Steps, err error) {
	t, err := c.task(ctx, task)
	if err != nil {
		return s, err
	}
	terms, err := law.Version(ctx, c.chain, t.Rules)
	if err != nil {
		return s, err
	}
	_, market, err := law.Clock(ctx, c.chain)
	if err != nil {
		return s, err
	}
	return cost.Of(t, terms.Params, market)
}
