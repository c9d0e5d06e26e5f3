package rpc

import (
	"log/slog"
	"sync"
)

// Condition is whether something works. It logs when that changes, not every time.
type Condition struct {
	Log  *slog.Logger
	What string

	mu  sync.Mutex
	err error
}

// Set records the result of an attempt. It reports whether the attempt was the first to succeed
// after a failure.
func (c *Condition) Set(err error) (recovered bool) {
	c.mu.Lock()
	before := c.err
	c.err = err
	c.mu.Unlock()
	switch {
	case err != nil && before == nil:
		c.Log.Warn(c.What+" fails, trying again", "err", err)
	case err == nil && before != nil:
		c.Log.Info(c.What + " works again")
		return true
	}
	return false
}

// Text returns why it does not work; empty if it does.
func (c *Condition) Text() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		return ""
	}
	return c.err.Error()
}
