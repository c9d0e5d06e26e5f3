package main

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// remind is the time between two reminders that a command still works.
const remind = 15 * time.Second

// wait does work and, if it takes long, says on standard error what is being waited for.
func wait[T any](ctx context.Context, a *app, what string, work func(context.Context) (T, error)) (T, error) {
	over := a.waiting(what)
	defer over()
	return work(ctx)
}

// waiting says on standard error what is being waited for, until the function that it returns is called.
func (a *app) waiting(what string) (over func()) {
	done := make(chan struct{})
	var told sync.WaitGroup
	told.Go(func() { a.tell(what, done) })
	return func() { close(done); told.Wait() }
}

// tell writes reminders until over is closed. The work goes on even if standard error cannot be written to.
func (a *app) tell(what string, over <-chan struct{}) {
	timer := time.NewTimer(a.slow)
	defer timer.Stop()
	since := time.Now()
	for {
		select {
		case <-over:
			return
		case <-timer.C:
			text := what + " …"
			if spent := time.Since(since); spent > remind {
				text = fmt.Sprintf("%s … (%s)", what, spent.Round(time.Second))
			}
			if _, err := fmt.Fprintln(a.err, text); err != nil {
				return
			}
			timer.Reset(remind)
		}
	}
}
