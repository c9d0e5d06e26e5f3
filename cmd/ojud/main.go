// Command ojud runs a judge's node of an oju court, and has the commands of everyone who uses a court: judges (join, run, judge),
// people who post tasks and people who work on them (agent, task), people who have data (source), and observers (case).
//
// Results go to standard output, as text or with --json as JSON. Progress and errors go to standard error. The exit status is 0
// if all went well, 1 if not, 2 if the command line was wrong, and 3 if a case file did not verify.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"ojud/cmd/ojud/cli"
)

// endTime is how long a command may take to end in order after a signal. Then the process ends anyway: whatever it runs can be
// killed at any time.
const endTime = 3500 * time.Millisecond

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	a := newApp(os.Environ(), os.Stdout, os.Stderr)
	context.AfterFunc(ctx, func() {
		stop() // a second signal ends the process at once
		time.AfterFunc(endTime, func() { cut(a) })
	})
	code := execute(ctx, a, os.Args[1:])
	stop()
	os.Exit(code)
}

// cut ends a process that did not end in order. Standard error may be blocked, so nobody waits for it for long.
func cut(a *app) {
	code, said := cli.ExitFailed, make(chan struct{})
	if a.Stays.Load() {
		code = cli.ExitOK
	}
	go func() {
		defer close(said)
		if _, err := fmt.Fprintln(a.Err, "ojud: stopped before everything was closed; nothing is lost"); err != nil {
			return // the process ends in any case
		}
	}()
	select {
	case <-said:
	case <-time.After(200 * time.Millisecond):
	}
	os.Exit(code)
}
