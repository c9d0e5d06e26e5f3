package payment

import (
	"context"
	"fmt"
)

// turn serializes payments. A waiting caller may give up.
type turn chan struct{}

func newTurn() turn { return make(turn, 1) }

func (t turn) take(ctx context.Context) error {
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("payment: waiting for another payment: %w", context.Cause(ctx))
	}
}

func (t turn) give() { <-t }
