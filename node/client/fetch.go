package client

import (
	"context"
	"errors"
	"fmt"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/casefile"
	"ojud/p2p"
	"ojud/voting"
)

// Fetch gets content from nodes. See Library.Fetch.
func (c *Client) Fetch(ctx context.Context, hash voting.Hash) ([]byte, error) {
	l, err := c.openLibrary(ctx)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoContent, err)
	}
	return l.Fetch(ctx, hash)
}

// Fetch gets content by its hash from any node that has it, and checks the hash. It returns
// ErrNoContent if no node sends it within Content.Patience.
func (l *Library) Fetch(ctx context.Context, hash voting.Hash) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, l.cfg.Patience)
	defer cancel()
	last := errors.New("no node could be reached")
	asked := map[peer.ID]bool{}
	for pass := 0; ctx.Err() == nil && pass < fetchPasses; pass++ {
		for _, p := range l.peers() {
			if asked[p] {
				continue
			}
			content, err := l.ask(ctx, p, append([]byte{blobGet}, hash[:]...))
			asked[p] = errors.Is(err, p2p.ErrNotFound)
			switch {
			case err != nil:
				last = err
			case casefile.HashOf(content) != hash:
				last, asked[p] = fmt.Errorf("%s answered with other content", p), true
			default:
				return content, nil
			}
		}
		pause(ctx, askEvery)
	}
	return nil, fmt.Errorf("%w: %s: of %d nodes asked within %s none sent it; the last answer: %w", ErrNoContent, hash, len(asked), l.cfg.Patience, last)
}

// fetchPasses bounds how often Fetch asks new nodes, and nodes that did not answer.
const fetchPasses = 6
