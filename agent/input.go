package agent

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Input is a client's input to a run: an ExtraInput, a ToolResult or a MinionChannel.
type Input interface{ input() }

// ExtraInput is information for the agent. It reads it before its next step, if there is one.
type ExtraInput struct {
	Minion  string // the call of the minion; empty: the agent itself
	Content json.RawMessage
}

// MinionChannel answers a call of a client's minion. From then on only the run reads the channel.
type MinionChannel struct {
	ID      string // of the call
	Channel *Channel
}

func (ExtraInput) input()    {}
func (ToolResult) input()    {}
func (MinionChannel) input() {}

// pending is a call that waits for the client.
type pending struct {
	minion bool
	answer chan Input // buffers one
}

// Input gives something to the run. It does not wait for the agent. The error is ErrEnded if the
// run is over, ErrCall if no such call waits for such an answer, ErrLimit if Config allows no more,
// ErrReader if the minion's channel has a reader, and ErrRequest if an extra input is no JSON or
// the agent reads none. If a result is too large or violates the tool's schema, Input takes it, and
// the agent learns that the call failed.
func (c *Channel) Input(in Input) error {
	switch in := in.(type) {
	case ExtraInput:
		if in.Minion != "" {
			return c.pass(in.Minion, func(rest string) Input { in.Minion = rest; return in })
		}
		return c.extra(in)
	case ToolResult:
		if strings.Contains(in.ID, "/") {
			return c.pass(in.ID, func(rest string) Input { in.ID = rest; return in })
		}
		return c.answer(in.ID, in)
	case MinionChannel:
		if strings.Contains(in.ID, "/") {
			return c.pass(in.ID, func(rest string) Input { in.ID = rest; return in })
		}
		return c.adopt(in)
	}
	return fmt.Errorf("%w: an input of type %T", ErrRequest, in)
}

// pass gives an input to its minion.
func (c *Channel) pass(id string, in func(rest string) Input) error {
	call, rest, _ := strings.Cut(id, "/")
	c.mu.Lock()
	m, over := c.live[call], c.over
	c.mu.Unlock()
	switch {
	case over:
		return ErrEnded
	case m == nil:
		return fmt.Errorf("%w: %q", ErrCall, id)
	}
	return m.Input(in(rest))
}

func (c *Channel) extra(in ExtraInput) error {
	if c.extras.none {
		return bad("this agent reads no extra inputs")
	}
	l := c.cfg.Schema
	l.ValueBytes = c.cfg.InputBytes
	if _, err := l.Decode(in.Content); err != nil {
		return bad("the extra input: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.over:
		return ErrEnded
	case len(c.extras.list) >= c.cfg.Extras:
		return fmt.Errorf("%w: %d extra inputs wait already", ErrLimit, len(c.extras.list))
	}
	c.extras.list = append(c.extras.list, in.Content)
	select {
	case c.extras.news <- struct{}{}:
	default: // the body knows already
	}
	return nil
}

// adopt makes the run the reader of a minion's channel. It holds no lock while it takes the other
// channel's lock, because two runs may be each other's minions.
func (c *Channel) adopt(in MinionChannel) error {
	if in.Channel == nil || in.Channel == c {
		return fmt.Errorf("%w: no channel of a minion", ErrRequest)
	}
	p, chunks, err := c.take(in.ID)
	if err != nil {
		return err
	}
	if !in.Channel.claim(chunks) {
		c.give(in.ID, p)
		return ErrReader
	}
	c.keep(in.Channel)
	p.answer <- in
	return nil
}

// take reserves the call of a minion, so that nothing else answers it.
func (c *Channel) take(id string) (p *pending, chunks bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p, err = c.waiting(id); err != nil {
		return nil, false, err
	}
	if !p.minion {
		return nil, false, fmt.Errorf("%w: %q is the call of a tool, not of a minion", ErrCall, id)
	}
	delete(c.open, id)
	return p, c.chunks, nil
}

// give opens a call again.
func (c *Channel) give(id string, p *pending) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open[id] = p
}

// keep records a minion, which ends with the run at the latest.
func (c *Channel) keep(m *Channel) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.minions = append(c.minions, m)
	if c.over {
		m.cancel(ErrClosed)
	}
}

// answer gives a result to the call that waits for it.
func (c *Channel) answer(id string, in ToolResult) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	p, err := c.waiting(id)
	if err != nil {
		return err
	}
	delete(c.open, id)
	p.answer <- in
	return nil
}

// waiting returns an open call. The caller holds the lock.
func (c *Channel) waiting(id string) (*pending, error) {
	p := c.open[id]
	switch {
	case c.over:
		return nil, ErrEnded
	case p == nil:
		return nil, fmt.Errorf("%w: %q", ErrCall, plain(id, maxWords))
	}
	return p, nil
}

// ask opens a call to the client.
func (c *Channel) ask(id string, minion bool) *pending {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := &pending{minion, make(chan Input, 1)}
	c.open[id] = p
	return p
}
