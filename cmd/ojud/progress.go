package main

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// remind is how often somebody who waits is told that it goes on.
const remind = 15 * time.Second

// wait does work and, if it takes long, says on standard error what is being waited for.
func wait[T any](ctx context.Context, a *app, what string, work func(context.Context) (T, error)) (T, error) {
	over := make(chan struct{})
	var told sync.WaitGroup
	told.Go(func() { a.tell(what, over) })
	v, err := work(ctx)
	close(over)
	told.Wait()
	return v, err
}

// tell reminds until it is over. Standard error that cannot be written to is no reason to stop the work.
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
