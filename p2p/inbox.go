package p2p

import (
	"context"
	"sync"
)

// inbox is a queue bounded in items and bytes. put never waits.
type inbox[T any] struct {
	maxItems, maxBytes int
	wake               chan struct{}
	done               chan struct{}

	mu    sync.Mutex
	items []sized[T]
	bytes int
}

type sized[T any] struct {
	item T
	size int
}

func newInbox[T any](maxItems, maxBytes int) *inbox[T] {
	return &inbox[T]{maxItems: maxItems, maxBytes: maxBytes, wake: make(chan struct{}, 1), done: make(chan struct{})}
}

// put adds an item, or reports that there is no room.
func (b *inbox[T]) put(item T, size int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.items) >= b.maxItems || b.bytes+size > b.maxBytes {
		return false
	}
	b.items = append(b.items, sized[T]{item, size})
	b.bytes += size
	poke(b.wake)
	return true
}

// next takes the oldest item. What is left when the inbox closes is still given.
func (b *inbox[T]) next(ctx context.Context) (T, error) {
	var zero T
	for {
		if item, ok := b.pop(); ok {
			return item, nil
		}
		select {
		case <-b.wake:
		case <-ctx.Done():
			return zero, ctx.Err()
		case <-b.done:
			if item, ok := b.pop(); ok {
				return item, nil
			}
			return zero, ErrClosed
		}
	}
}

func (b *inbox[T]) pop() (T, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.items) == 0 {
		var zero T
		return zero, false
	}
	first := b.items[0]
	b.items[0] = sized[T]{} // let the payload go
	b.items = b.items[1:]
	b.bytes -= first.size
	if len(b.items) > 0 {
		poke(b.wake) // another reader may be waiting
	}
	return first.item, true
}

func (b *inbox[T]) close() { close(b.done) }
