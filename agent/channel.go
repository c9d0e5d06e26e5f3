package agent

import (
	"context"
	"encoding/json"
	"iter"
	"sync"
)

// Channel is a run of an agent, as its client sees it. Steps come out; extra inputs and results of
// the client's calls go in. One goroutine reads, several may give inputs.
//
// The owner of a channel must read Steps to the end, leave the loop, or call Close. Each of these
// ends the run and its goroutines. A run without a reader waits, and ends with its time.
type Channel struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	timer  context.CancelFunc
	cfg    Config
	events chan Event
	ready  chan struct{}  // closed when there is a reader
	ended  chan struct{}  // closed when result and err are there
	wait   sync.WaitGroup // the run and the tools that it runs

	result FinalResult
	err    error

	mu      sync.Mutex
	reading bool
	chunks  bool // the reader wants steps in pieces
	over    bool
	open    map[string]*pending // calls that wait for the client
	live    map[string]*Channel // working minions, by their calls
	minions []*Channel          // all minions of the run
	extras  extraInputs
	usage   Usage
}

// extraInputs are inputs that the agent has not read.
type extraInputs struct {
	list []json.RawMessage
	news chan struct{} // has something if some came
	none bool          // the agent reads none
}

func newChannel(ctx context.Context, c Config) *Channel {
	ctx, timer := context.WithTimeoutCause(ctx, c.Time, ErrTime)
	ctx, cancel := context.WithCancelCause(ctx)
	return &Channel{
		ctx: ctx, cancel: cancel, timer: timer, cfg: c, events: make(chan Event), ready: make(chan struct{}), ended: make(chan struct{}), extras: extraInputs{news: make(chan struct{}, 1)},
		open: map[string]*pending{}, live: map[string]*Channel{},
	}
}

// Steps yields the events of the run. It ends with a FinalResult or with one error: the cause of
// the end of ctx, a class of this package, or an error of the agent's model. If chunks is set, each
// step comes as a *StepReader when it begins, otherwise as a complete Step. The error is ErrReader
// if there is another reader.
func (c *Channel) Steps(chunks bool) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		if !c.claim(chunks) {
			yield(nil, ErrReader)
			return
		}
		c.read(yield)
	}
}

// claim makes the caller the reader.
func (c *Channel) claim(chunks bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reading {
		return false
	}
	c.reading, c.chunks = true, chunks
	close(c.ready)
	return true
}

func (c *Channel) read(yield func(Event, error) bool) {
	for {
		select {
		case e := <-c.events:
			if !yield(e, nil) {
				c.cancel(ErrClosed)
				return
			}
		case <-c.ended:
			c.last(yield)
			return
		case <-c.ctx.Done(): // a reader does not wait for a body that ignores ctx
			c.last(yield)
			return
		}
	}
}

// last yields the end of the run.
func (c *Channel) last(yield func(Event, error) bool) {
	select {
	case <-c.ended:
		if c.err != nil {
			yield(nil, c.err)
			return
		}
		yield(c.result, nil)
	default:
		yield(nil, context.Cause(c.ctx))
	}
}

func (c *Channel) emit(e Event) error {
	select {
	case c.events <- e:
		return nil
	case <-c.ctx.Done():
		return context.Cause(c.ctx)
	}
}

// Usage returns the cost of the run so far.
func (c *Channel) Usage() Usage {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.usage
}

func (c *Channel) spend(u Usage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.usage.Add(u)
}

// Close ends the run and waits until its goroutines and those of its minions have ended.
func (c *Channel) Close() {
	c.cancel(ErrClosed)
	c.await(map[*Channel]bool{})
}

// await waits for the goroutines of a run. Seen breaks cycles, because two runs may be each other's
// minions.
func (c *Channel) await(seen map[*Channel]bool) {
	if seen[c] {
		return
	}
	seen[c] = true
	c.wait.Wait()
	c.mu.Lock()
	minions := c.minions
	c.mu.Unlock()
	for _, m := range minions {
		m.await(seen)
	}
}

// end publishes the end of the run.
func (c *Channel) end(r FinalResult, err error) {
	c.mu.Lock()
	c.over, c.result, c.err = true, r, err
	minions := c.minions
	c.mu.Unlock()
	for _, m := range minions {
		m.cancel(ErrClosed)
	}
	close(c.ended)
	c.cancel(ErrEnded)
	c.timer()
}
