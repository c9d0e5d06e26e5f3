package node

import (
	"context"
	"errors"
)

// Wake asks what stands behind an own source for its shape, so that a server that is started when it is needed is there before the first
// judge asks. The error is of a class of package datasource: with datasource.ErrSlow the start goes on. A source of a kind that has
// nothing to start is awake.
func (n *Node) Wake(ctx context.Context, source string) error {
	_, err := n.book.Describe(ctx, source)
	if errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return err
}
