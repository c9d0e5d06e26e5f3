package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"
)

// guard ends the cluster's life when the chain ends by itself.
func (c *Cluster) guard() {
	select {
	case <-c.chain.done:
		c.end(fmt.Errorf("cluster: the chain stopped: %w", c.chain.err))
	case <-c.life.Done():
	}
}

// bind returns a context that ends with the caller's or with the cluster's life.
func (c *Cluster) bind(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(c.life, func() { cancel(context.Cause(c.life)) })
	return ctx, func() { stop(); cancel(nil) }
}

// because replaces an error by its cause: a failed part, or the end of the caller's context.
func (c *Cluster) because(ctx context.Context, err error) error {
	if c.life.Err() != nil {
		return context.Cause(c.life)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// Wait blocks until ctx ends, and then returns nil, or until a part of the cluster fails.
func (c *Cluster) Wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case <-c.life.Done():
		return context.Cause(c.life)
	}
}

// Stop ends the nodes, then the chain. The error names the parts that did not close in order. It
// may be called again.
func (c *Cluster) Stop() error {
	c.once.Do(func() { c.stopped = c.stop() })
	return c.stopped
}

func (c *Cluster) stop() error {
	c.end(errStopped)
	var errs []error
	if c.teller != nil {
		errs = append(errs, c.teller.close())
	}
	errs = append(errs, c.stopMembers()...)
	if c.archive != nil {
		errs = append(errs, c.archive.close())
	}
	if c.treasury != nil {
		c.treasury.close()
	}
	if c.chain != nil {
		errs = append(errs, c.chain.close())
	}
	return errors.Join(errs...)
}

// stopMembers stops all nodes at once: each waits for its peers' streams to end.
func (c *Cluster) stopMembers() []error {
	ended := make(chan error)
	all := slices.Concat(c.members, c.strangers)
	for _, m := range all {
		go func() { ended <- m.close() }()
	}
	var errs []error
	for range all {
		if err := <-ended; err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

// running returns the members whose nodes were started.
func (c *Cluster) running() (all []*Member) {
	for _, m := range c.members {
		if m.node != nil {
			all = append(all, m)
		}
	}
	return all
}

// meet waits until every running node is connected to all others and has their announcements.
func (c *Cluster) meet(ctx context.Context) error {
	all := c.running()
	lonely := func() *Member {
		for _, m := range all {
			if links, known := m.node.Peers(); links < len(all)-1 || known < len(all)-1 {
				return m
			}
		}
		return nil
	}
	if c.poll(ctx, 100*time.Millisecond, func() (bool, error) { return lonely() == nil, nil }) == nil {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if m := lonely(); m != nil {
		links, known := m.node.Peers()
		return fmt.Errorf("cluster: after %s %s is connected with %d and knows %d of %d other nodes; the machine is too slow for so many, "+
			"take fewer", c.cfg.Patience, m.Name(), links, known, len(all)-1)
	}
	return nil
}

// errPatience means that poll waited too long.
var errPatience = errors.New("cluster: it took too long")

// poll is pollFor with Config.Patience.
func (c *Cluster) poll(ctx context.Context, every time.Duration, so func() (bool, error)) error {
	return c.pollFor(ctx, c.cfg.Patience, every, so)
}

// pollFor calls so until it returns true or an error. It returns errPatience after the limit.
func (c *Cluster) pollFor(ctx context.Context, limit, every time.Duration, so func() (bool, error)) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errPatience)
	defer cancel()
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		if ok, err := so(); ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
	}
}

func makeDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	return nil
}

// Members returns the judges, by number.
func (c *Cluster) Members() []*Member { return c.members }

// Chain returns the chain.
func (c *Cluster) Chain() *Chain { return c.chain }
