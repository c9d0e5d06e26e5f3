// Package work runs the background work of a node: jobs with names that run until their context
// ends. The first job that fails ends the node.
package work

import (
	"context"
	"runtime/pprof"
	"sync"
	"time"
)

// Job is one part of the background work.
type Job struct {
	Name string // a goroutine profile shows it as the label "job"
	What string // one sentence for a reader of the table
	Run  func(context.Context) error
}

// Group is all background work of a node. Its methods may be called from several goroutines.
type Group struct {
	running sync.WaitGroup
	fault   chan error
}

// NewGroup returns a group without jobs.
func NewGroup() *Group { return &Group{fault: make(chan error, 1)} }

// Start runs jobs until ctx ends.
func (g *Group) Start(ctx context.Context, jobs ...Job) {
	for _, j := range jobs {
		g.Spawn(ctx, func(ctx context.Context) (err error) {
			pprof.Do(ctx, pprof.Labels("job", j.Name), func(ctx context.Context) { err = j.Run(ctx) })
			return err
		})
	}
}

// Spawn runs f until ctx ends. If f fails before that, the group has failed.
func (g *Group) Spawn(ctx context.Context, f func(context.Context) error) {
	g.running.Go(func() {
		if err := f(ctx); err != nil && ctx.Err() == nil {
			g.Fail(err)
		}
	})
}

// Go runs f, which cannot fail. Wait waits for it.
func (g *Group) Go(f func()) { g.running.Go(f) }

// Fail reports an error that must end the node. Only the first one counts.
func (g *Group) Fail(err error) {
	select {
	case g.fault <- err:
	default:
	}
}

// Failed delivers the first error.
func (g *Group) Failed() <-chan error { return g.fault }

// Wait returns when all jobs and functions of the group have returned.
func (g *Group) Wait() { g.running.Wait() }

// Pause waits for d and reports whether ctx is still alive.
func Pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
