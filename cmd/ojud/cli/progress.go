package cli

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// remind is the time between two reminders that a command is still working.
const remind = 15 * time.Second

// Wait does work. If that takes long, Wait reports on standard error what it waits for.
func Wait[T any](ctx context.Context, a *App, what string, work func(context.Context) (T, error)) (T, error) {
	over := a.Waiting(what)
	defer over()
	return work(ctx)
}

// Waiting reports on standard error what a command waits for, until the caller calls over. With
// --quiet it reports nothing.
func (a *App) Waiting(what string) (over func()) {
	if a.Quiet {
		return func() {}
	}
	done := make(chan struct{})
	var told sync.WaitGroup
	told.Go(func() { a.tell(what, done) })
	return func() { close(done); told.Wait() }
}

// tell writes reminders until over is closed. It ignores errors of standard error.
func (a *App) tell(what string, over <-chan struct{}) {
	timer := time.NewTimer(a.Slow)
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
			if _, err := fmt.Fprintln(a.Err, text); err != nil {
				return
			}
			timer.Reset(remind)
		}
	}
}

// Progress returns a function that reports a step on standard error, but not more often than
// a.Slow, and never with --quiet. Several goroutines may call it. It ignores errors of standard
// error, because the work continues.
func (a *App) Progress() func(format string, args ...any) {
	var mu sync.Mutex
	told := time.Now()
	return func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		if !a.Quiet && time.Since(told) >= a.Slow {
			told = time.Now()
			fmt.Fprintf(a.Err, format+"\n", args...) //nolint:errcheck // see above
		}
	}
}
