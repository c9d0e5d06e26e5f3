package client

import (
	"context"
	"fmt"

	"ojud/ledger/onchain"
	"ojud/node/library"
	"ojud/voting"
)

// Publish publishes documents of a task. See library.Library.Publish.
func (c *Client) Publish(ctx context.Context, task onchain.Address, docs ...library.Document) ([]library.Publication, error) {
	l, err := c.Library(ctx)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", library.ErrNotPublished, err)
	}
	return l.Publish(ctx, task, docs...)
}

// Library opens the client's library at its first use. It outlives that call; Close closes it.
func (c *Client) Library(ctx context.Context) (*library.Library, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.library != nil {
		return c.library, nil
	}
	l, err := library.Open(context.WithoutCancel(ctx), c.network, c.cfg.Content, library.Deps{Logger: c.deps.Logger, Libp2p: c.deps.Libp2p})
	c.library = l
	return l, err
}

// Fetch gets content from nodes. See library.Library.Fetch.
func (c *Client) Fetch(ctx context.Context, hash voting.Hash) ([]byte, error) {
	l, err := c.Library(ctx)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", library.ErrNoContent, err)
	}
	return l.Fetch(ctx, hash)
}
